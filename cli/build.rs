//! Embeds the pages below `web/`, so that the program serves them from any directory: each file as it is, the same
//! packed, and a name for its content.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const PAGES: &str = "../web";

/// The folders that are served; what else lies beside them is for those who work on the pages.
const AREAS: [&str; 4] = ["shop", "desk", "door", "shared"];

/// The kinds of files that are served, by how their names end.
const KINDS: [(&str, &str); 15] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/x-icon"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("mp3", "audio/mpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff2", "font/woff2"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("OUT_DIR")?;
    let mut files = Vec::new();
    for area in AREAS {
        let folder = Path::new(PAGES).join(area);
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
            collect(&folder, &mut files)?;
        }
    }
    files.sort();
    let mut list = "&[\n".to_owned();
    for (number, file) in files.iter().enumerate() {
        let Some(kind) = kind_of(file) else { continue };
        let path = path_of(file)?;
        let content = std::fs::read(file)?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&content)?;
        std::fs::write(Path::new(&target).join(format!("page-{number}.gz")), packed.finish()?)?;
        let digest = hex::encode(Sha256::digest(&content));
        let tag = format!("W/\"{}\"", digest.get(..32).ok_or("a digest has 64 digits")?);
        std::fs::write(Path::new(&target).join(format!("page-{number}")), content)?;
        let embedded =
            |ending: &str| format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/page-{number}{ending}\"))");
        let (plain, gzip) = (embedded(""), embedded(".gz"));
        writeln!(
            list,
            "    PageFile {{ path: {path:?}, content_type: {kind:?}, tag: {tag:?}, plain: {plain}, gzip: {gzip} }},"
        )?;
    }
    list.push(']');
    std::fs::write(Path::new(&target).join("pages.rs"), list)?;
    Ok(())
}

/// Every file in a folder and below it; what begins with a point is hidden.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

fn kind_of(file: &Path) -> Option<&'static str> {
    let ending = file.extension()?.to_str()?;
    KINDS.into_iter().find(|(known, _)| *known == ending).map(|(_, kind)| kind)
}

/// The path below which a file is served. It is compared with what is asked for byte by byte, so that it has to be one
/// that browsers send as it is.
fn path_of(file: &Path) -> Result<String, Box<dyn Error>> {
    let parts = file.strip_prefix(PAGES)?.iter().map(|part| part.to_str().unwrap_or_default());
    let path = parts.collect::<Vec<_>>().join("/");
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '/');
    if path.chars().all(is_plain) {
        Ok(path)
    } else {
        Err(format!("{path}: a page needs a plain name").into())
    }
}
