//! Unpacks the two files of Swagger UI that the docs page needs; the rest of its archive is not shipped.

use std::error::Error;
use std::fs::File;
use std::io::{Cursor, copy};
use std::path::Path;
use zip::ZipArchive;

const NEEDED: [&str; 2] = ["swagger-ui-bundle.js", "swagger-ui.css"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("OUT_DIR")?;
    let mut archive = ZipArchive::new(Cursor::new(utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED))?;
    for name in NEEDED {
        let ending = format!("/dist/{name}");
        let entry = archive.file_names().filter_map(Result::ok).find(|entry| entry.ends_with(&ending));
        let entry = entry.map(|entry| entry.into_owned()).ok_or("the archive has another layout")?;
        copy(&mut archive.by_name(&entry)?, &mut File::create(Path::new(&target).join(name))?)?;
    }
    Ok(())
}
