//! Compresses what is served as it is: the OpenAPI document, and the two files of Swagger UI that the docs page needs; the
//! rest of its archive is not shipped.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use zip::ZipArchive;

const NEEDED: [&str; 2] = ["swagger-ui-bundle.js", "swagger-ui.css"];
const DOCUMENT: &str = "../../docs/openapi.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={DOCUMENT}");
    keep("openapi.json", &std::fs::read(DOCUMENT)?)?;
    let mut archive = ZipArchive::new(Cursor::new(utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED))?;
    for name in NEEDED {
        let ending = format!("/dist/{name}");
        let entry = archive.file_names().filter_map(Result::ok).find(|entry| entry.ends_with(&ending));
        let entry = entry.map(|entry| entry.into_owned()).ok_or("the archive has another layout")?;
        let mut content = Vec::new();
        archive.by_name(&entry)?.read_to_end(&mut content)?;
        keep(name, &content)?;
    }
    Ok(())
}

/// Writes `<name>.gz` and, in `<name>.etag`, a name for the content.
fn keep(name: &str, content: &[u8]) -> Result<(), Box<dyn Error>> {
    let target = std::env::var("OUT_DIR")?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    std::fs::write(Path::new(&target).join(format!("{name}.gz")), encoder.finish()?)?;
    let digest = hex::encode(Sha256::digest(content));
    let tag = format!("W/\"{}\"", digest.get(..32).ok_or("a digest has 64 digits")?);
    std::fs::write(Path::new(&target).join(format!("{name}.etag")), tag)?;
    Ok(())
}
