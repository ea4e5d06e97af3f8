//! A barcode as a QR code image.

use super::RenderError;
use fast_qr::{ECL, QRBuilder};
use png::{DeflateCompression, Filter};

/// The width of one module in pixels: sharp on a phone at the size the page shows it, and eight pixels of one
/// bit make exactly one byte.
const MODULE_PIXELS: usize = 8;
/// The white margin in modules that scanners need around the code.
const MARGIN_MODULES: usize = 4;
/// One module's pixels in one row of the image.
const DARK: u8 = 0x00;
const LIGHT: u8 = 0xFF;
/// Most rows are as the one above, which leaves zeros.
const FILTER: Filter = Filter::Up;
/// Runs of zeros become short without a search for repetitions, whose tables took longer than all else.
const COMPRESSION: DeflateCompression = DeflateCompression::FdeflateUltraFast;

/// The barcode as a PNG of one bit per pixel, about 1,500 bytes for a usual one; `place` is the ticket's, for the error.
pub(super) fn png(barcode: &str, place: usize) -> Result<Vec<u8>, RenderError> {
    let code = QRBuilder::new(barcode).ecl(ECL::M).build().map_err(|_| RenderError::Barcode(place))?;
    let side = code.size + 2 * MARGIN_MODULES;
    let pixels = u32::try_from(side * MODULE_PIXELS).map_err(|_| RenderError::Barcode(place))?;
    let margin = vec![LIGHT; side * MODULE_PIXELS * MARGIN_MODULES];
    let mut rows = margin.clone();
    // The array has room for the largest code; only its first rows are this one's.
    for modules in code.data.chunks(code.size).take(code.size) {
        let mut row = vec![LIGHT; side];
        for (byte, module) in row.iter_mut().skip(MARGIN_MODULES).zip(modules) {
            *byte = if module.value() { DARK } else { LIGHT };
        }
        rows.extend(row.repeat(MODULE_PIXELS));
    }
    rows.extend(margin);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels, pixels);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_filter(FILTER);
    encoder.set_deflate_compression(COMPRESSION);
    let mut writer = encoder.write_header().map_err(RenderError::Image)?;
    writer.write_image_data(&rows).map_err(RenderError::Image)?;
    writer.finish().map_err(RenderError::Image)?;
    Ok(file)
}
