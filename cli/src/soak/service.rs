//! The service as people run it: a process of its own, with a directory of its own.

use super::usage::Usage;
use crate::failure::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long the service may take to start: a debug build on a busy machine imports the demo venues slowly.
const START_TIME: Duration = Duration::from_secs(300);

/// How long it may take to stop, which is longer than it gives to requests under way.
const STOP_TIME: Duration = Duration::from_secs(60);

/// How often it is looked whether it has stopped.
const LOOK: Duration = Duration::from_millis(50);

/// Settings from outside that the service is to be started without.
const FOREIGN_SETTINGS: [&str; 2] = ["BOXOFFICE_TABLE_PREFIX", "BOXOFFICE_VAULT_KEY_ID"];

/// A new directory below the system's temporary one.
#[derive(Debug)]
pub(super) struct Workplace(PathBuf);

impl Workplace {
    pub(super) fn make() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("boxoffice-soak-{}", std::process::id()));
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(fault) => Err(Failure::because(format!("{} cannot be made", path.display()), &fault)),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The data directory of the service.
    pub(super) fn data(&self) -> PathBuf {
        self.0.join("data")
    }

    fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    pub(super) fn remove(self) -> Result<(), Failure> {
        std::fs::remove_dir_all(&self.0)
            .map_err(|fault| Failure::because(format!("{} cannot be removed", self.0.display()), &fault))
    }
}

/// A service that runs until it is stopped or dropped.
#[derive(Debug)]
pub(super) struct Service {
    child: Child,
    address: SocketAddr,
    data: PathBuf,
}

impl Service {
    /// Starts this program as a service with the demo venues, and waits until it answers.
    pub(super) async fn start(place: &Workplace) -> Result<Self, Failure> {
        let cannot_start = |fault: std::io::Error| Failure::because("the service cannot be started", &fault);
        let log = File::create(place.log()).map_err(cannot_start)?;
        let mut command = Command::new(std::env::current_exe().map_err(cannot_start)?);
        command.args(["serve", "--port", "0", "--data"]).arg(place.data());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        for name in FOREIGN_SETTINGS {
            command.env_remove(name);
        }
        if std::env::var_os("RUST_LOG").is_none() {
            command.env("RUST_LOG", "warn");
        }
        let mut child = command.spawn().map_err(cannot_start)?;
        let said = child.stdout.take();
        // From here on the process ends with the value.
        let mut service = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)), data: place.data() };
        service.address = match said {
            Some(said) => address_in(said).await?,
            None => return Err(Failure::new("the service does not say where it is")),
        };
        Ok(service)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn usage(&self) -> Result<Usage, Failure> {
        Usage::of(self.child.id(), &self.data)
    }

    /// Stops it as a supervisor does, which must be its good end.
    pub(super) async fn stop(mut self) -> Result<(), Failure> {
        let cannot_stop = |fault: std::io::Error| Failure::because("the service cannot be stopped", &fault);
        ask_to_end(&mut self.child).map_err(cannot_stop)?;
        let begun = Instant::now();
        while begun.elapsed() < STOP_TIME {
            if let Some(status) = self.child.try_wait().map_err(cannot_stop)? {
                return judged(status);
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(Failure::new(format!("the service did not stop within {} s", STOP_TIME.as_secs())))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn judged(status: ExitStatus) -> Result<(), Failure> {
    // Where it cannot be asked, it is killed.
    if status.success() || cfg!(not(unix)) {
        Ok(())
    } else {
        Err(Failure::new(format!("the service did not end well: {status}")))
    }
}

#[cfg(unix)]
fn ask_to_end(child: &mut Child) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process};
    Ok(kill_process(Pid::from_child(child), Signal::TERM)?)
}

#[cfg(not(unix))]
fn ask_to_end(child: &mut Child) -> std::io::Result<()> {
    child.kill()
}

/// Where the service is, by the first line that it prints.
async fn address_in(said: ChildStdout) -> Result<SocketAddr, Failure> {
    let first_line = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        BufReader::new(said).read_line(&mut line).map(|_| line)
    });
    let Ok(line) = tokio::time::timeout(START_TIME, first_line).await else {
        return Err(Failure::new(format!("the service did not start within {} s", START_TIME.as_secs())));
    };
    let line = line.ok().and_then(Result::ok).unwrap_or_default();
    let address = line.trim_end().strip_prefix("ready http://").and_then(|address| address.parse().ok());
    address.ok_or_else(|| Failure::new("the service did not start; its log says why"))
}
