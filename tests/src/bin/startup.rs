//! Prints what every function costs to start, beside the least that a function can be: `bare`.
//!
//! It measures the binaries beside itself: `make startup` builds all of them as they are deployed and runs it. It ends
//! with status 1 if one of them is beyond a limit. Figures of one run compare with each other only.

#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::io::{Cursor, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use blackbox::runtime_api::{Player, PlayerError};
use tokio::net::TcpListener;
use zip::write::SimpleFileOptions;

/// Starts of each binary, of which the middle one counts.
const STARTS: usize = 21;

const LIMIT: Duration = Duration::from_secs(20);

/// A function starts within this many times what `bare` needs.
const MOST_TIMES_BARE: f64 = 1.5;
const MOST_ZIP_MEGABYTES: f64 = 4.0;
const MOST_RESIDENT_MEGABYTES: f64 = 20.0;

/// What the template sets.
const SETTINGS: [(&str, &str); 4] = [
    ("BOXOFFICE_TABLE_PREFIX", "boxoffice-"),
    ("BOXOFFICE_MAIL_QUEUE_URL", "https://sqs.us-east-1.amazonaws.com/123456789012/boxoffice-mail"),
    ("BOXOFFICE_VAULT_KEY_ID", "vault"),
    ("BOXOFFICE_MAIL_FROM", "tickets@example.org"),
];

struct Figures {
    init: Duration,
    resident_megabytes: f64,
    zip_megabytes: f64,
}

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let here = std::env::current_exe()?;
    let directory = here.parent().ok_or("a program lies in a directory")?;
    let mut functions: Vec<String> = std::fs::read_dir(blackbox::repository().join("functions"))?
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_, _>>()?;
    functions.sort();
    let database = empty_database().await?;
    let bare = measure(directory, "bare", &database).await?;
    println!("| Function | Start, ms | Of bare | Package, MB | Resident, MB |\n|---|---|---|---|---|");
    println!("{}", row("bare", &bare, &bare));
    let mut is_within = true;
    for function in functions {
        let figures = measure(directory, &function, &database).await?;
        println!("{}", row(&function, &figures, &bare));
        is_within &= figures.init.as_secs_f64() <= MOST_TIMES_BARE * bare.init.as_secs_f64()
            && figures.zip_megabytes <= MOST_ZIP_MEGABYTES
            && figures.resident_megabytes <= MOST_RESIDENT_MEGABYTES;
    }
    Ok(if is_within { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn row(name: &str, figures: &Figures, bare: &Figures) -> String {
    let Figures { init, resident_megabytes, zip_megabytes } = figures;
    let (own, least) = (init.as_secs_f64(), bare.init.as_secs_f64());
    let millis = own * 1e3;
    format!("| {name} | {millis:.2} | {:.2} | {zip_megabytes:.2} | {resident_megabytes:.1} |", own / least)
}

/// The address of a database without tables' contents: the one call of a start finds nothing there.
async fn empty_database() -> std::io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    let nothing = Router::new().fallback(async || ([(CONTENT_TYPE, "application/x-amz-json-1.0")], "{}"));
    tokio::spawn(async move { axum::serve(listener, nothing).await });
    Ok(address)
}

async fn measure(
    directory: &Path,
    name: &str,
    database: &str,
) -> Result<Figures, Box<dyn std::error::Error>> {
    let binary = directory.join(name);
    let settings: Vec<(&str, &str)> = SETTINGS.into_iter().chain([("AWS_ENDPOINT_URL", database)]).collect();
    let zip_megabytes = megabytes(u64::try_from(zipped(&std::fs::read(&binary)?)?.len())?);
    let (mut starts, mut resident_megabytes) = (Vec::with_capacity(STARTS), 0.0);
    for _ in 0..STARTS {
        let player = Player::start(&binary, name, &settings, LIMIT).await.map_err(told)?;
        starts.push(player.ready().await.map_err(told)?);
        resident_megabytes = megabytes(player.resident_bytes().map_err(told)?).max(resident_megabytes);
    }
    starts.sort();
    let init = starts.get(STARTS / 2).copied().unwrap_or_default();
    Ok(Figures { init, resident_megabytes, zip_megabytes })
}

fn told(fault: PlayerError) -> String {
    format!("{fault:?}")
}

/// The package that is deployed.
fn zipped(binary: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut package = zip::ZipWriter::new(Cursor::new(Vec::new()));
    package.start_file("bootstrap", SimpleFileOptions::default().unix_permissions(0o755))?;
    package.write_all(binary)?;
    Ok(package.finish()?.into_inner())
}

/// A million bytes each; exact for anything that fits in memory.
fn megabytes(bytes: u64) -> f64 {
    let kilobytes = u32::try_from(bytes / 1_000).unwrap_or(u32::MAX);
    f64::from(kilobytes) / 1e3
}
