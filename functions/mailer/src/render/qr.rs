//! A barcode as a QR code image.

use super::RenderError;
use png::{DeflateCompression, Filter};
use qrcode::{Color, EcLevel, QrCode};

/// The width of one module in pixels: sharp on a phone at the size the page shows it, and eight pixels of one
/// bit make exactly one byte.
const MODULE_PIXELS: usize = 8;
/// The white margin in modules that scanners need around the code.
const MARGIN_MODULES: usize = 4;
/// One module's pixels in one row of the image.
const DARK: u8 = 0x00;
const LIGHT: u8 = 0xFF;
/// How hard the image is compressed: with more search it is hardly smaller.
const COMPRESSION: DeflateCompression = DeflateCompression::Level(4);

/// The barcode as a PNG of one bit per pixel, about 450 bytes; `place` is the ticket's, for the error.
pub(super) fn png(barcode: &str, place: usize) -> Result<Vec<u8>, RenderError> {
    let code =
        QrCode::with_error_correction_level(barcode, EcLevel::M).map_err(|_| RenderError::Barcode(place))?;
    let side = code.width() + 2 * MARGIN_MODULES;
    let pixels = u32::try_from(side * MODULE_PIXELS).map_err(|_| RenderError::Barcode(place))?;
    let margin = vec![LIGHT; side * MODULE_PIXELS * MARGIN_MODULES];
    let mut rows = margin.clone();
    for modules in code.to_colors().chunks(code.width()) {
        let mut row = vec![LIGHT; side];
        for (byte, module) in row.iter_mut().skip(MARGIN_MODULES).zip(modules) {
            *byte = match module {
                Color::Dark => DARK,
                Color::Light => LIGHT,
            };
        }
        rows.extend(row.repeat(MODULE_PIXELS));
    }
    rows.extend(margin);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels, pixels);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    // The rows of a module repeat each other as they are. Filters, which are tried on every row, would make them longer.
    encoder.set_filter(Filter::NoFilter);
    encoder.set_deflate_compression(COMPRESSION);
    let mut writer = encoder.write_header().map_err(RenderError::Image)?;
    writer.write_image_data(&rows).map_err(RenderError::Image)?;
    writer.finish().map_err(RenderError::Image)?;
    Ok(file)
}
