//! Boxoffice in one process: every router over an embedded database, the mailer and the scheduled work
//! beside them, the sandbox's own routes, and the tools of those who run a deployment.

mod args;
mod bench;
mod commands;
mod data_directory;
mod database;
mod endpoint;
mod error_table;
mod failure;
mod latency;
mod local;
mod migration;
mod onboarding_rules;
mod openapi;
mod pages;
mod process_memory;
mod route_table;
mod routes;
mod sandbox;
mod seed;
mod serve;
mod soak;
mod worker;

pub mod archive;
pub mod compatibility;
pub mod demo;
pub mod document;
pub mod export;
pub mod import;
#[cfg(feature = "testing")]
pub mod testing;

pub use endpoint::{dynamodb_endpoint, dynamodb_routes};
pub use error_table::error_table;
pub use onboarding_rules::onboarding_rules;
pub use openapi::{LEFT_OUT, LeftOut, OWN_FACTS, openapi};
pub use route_table::route_table;
pub use routes::{DeployedRoute, deployed_routes, described, router};

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

/// Threads that wait for the embedded database, which serves one call at a time: more would only keep memory.
const BLOCKING_THREADS: usize = 4;

/// Runs the program on the arguments of this process.
#[must_use]
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    data_directory::make_files_private();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(run_command(arguments)),
        Err(fault) => Err(Failure::because("the runtime cannot start", &fault)),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("boxoffice: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run_command(Arguments { database, serve, command }: Arguments) -> Result<ExitCode, Failure> {
    let done = match command {
        // Its exit code says what it found.
        Some(Command::Verify(args)) => return Ok(commands::verify::run(&database, &args).await),
        None => serve::serve(&database, &serve).await,
        Some(Command::Serve(serve)) => serve::serve(&database, &serve).await,
        Some(Command::Tenant(command)) => commands::tenant::run(&database, *command).await,
        Some(Command::Key(command)) => commands::key::run(&database, command).await,
        Some(Command::Staff(command)) => commands::staff::run(&database, command).await,
        Some(Command::Merchant(command)) => commands::merchant::run(&database, command).await,
        Some(Command::Processor(command)) => commands::processor::run(&database, command).await,
        Some(Command::Vault(command)) => commands::vault::run(&database, &command),
        Some(Command::Tables(command)) => commands::tables::run(&database, &command).await,
        Some(Command::Import(document)) => commands::import::run(&database, &document).await,
        Some(Command::Archive(wanted)) => commands::archive::run(&database, &wanted).await,
        Some(Command::Restore(archive)) => commands::restore::run(&database, &archive).await,
        Some(Command::Export(export)) => commands::export::run(&database, &export).await,
        Some(Command::Demo(venue)) => commands::demo::run(&venue),
        Some(Command::Outbox(filter)) => commands::outbox::run(&database, &filter).await,
        Some(Command::Bench(args)) => bench::run(&args).await,
        Some(Command::Soak(args)) => soak::run(&args).await,
        Some(Command::Openapi) => commands::print(&openapi::text()?),
        Some(Command::Errors) => commands::print(&error_table()),
        Some(Command::Onboarding) => commands::print(&onboarding_rules()),
        Some(Command::Routes) => commands::print(&route_table()),
    };
    done.map(|()| ExitCode::SUCCESS)
}
