//! What a process takes of the machine, as Linux tells it.

use crate::failure::Failure;
use crate::process_memory::kib_in;
use std::path::Path;
use std::time::Duration;

/// What a process has taken by an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    /// Processor time since it began.
    pub(super) cpu: Duration,
    pub(super) resident_kib: u64,
    pub(super) open_files: u64,
    /// Bytes of the files in its data directory.
    pub(super) disk_bytes: u64,
}

impl Usage {
    /// What the process with this number has taken, with its data in that directory.
    pub(super) fn of(process: u32, data: &Path) -> Result<Self, Failure> {
        let about = Path::new("/proc").join(process.to_string());
        let told = |name: &str| std::fs::read_to_string(about.join(name)).unwrap_or_default();
        let untold = || {
            Failure::new(
                "the system does not tell what the service takes: it runs no more, or this is no Linux",
            )
        };
        Ok(Self {
            cpu: cpu_in(&told("stat")).ok_or_else(untold)?,
            resident_kib: kib_in(&told("status"), "VmRSS").ok_or_else(untold)?,
            open_files: entries_of(&about.join("fd")).ok_or_else(untold)?,
            disk_bytes: bytes_in(data),
        })
    }
}

/// Processor time in `/proc/…/stat`, which counts hundredths of a second behind the name of the program.
fn cpu_in(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = |field: &str| field.parse::<u64>().ok();
    let mut fields = fields.split_whitespace().skip(11);
    let (user, system) = (ticks(fields.next()?)?, ticks(fields.next()?)?);
    Some(Duration::from_millis(user.saturating_add(system).saturating_mul(10)))
}

fn entries_of(directory: &Path) -> Option<u64> {
    let count = std::fs::read_dir(directory).ok()?.count();
    u64::try_from(count).ok()
}

fn bytes_in(directory: &Path) -> u64 {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).fold(0_u64, |bytes, file| bytes.saturating_add(file.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_read_behind_the_name_of_the_program() {
        let stat = "4711 (box (office)) S 1 4711 4711 0 -1 4194304 900 0 0 0 1234 66 0 0 20 0 9 0 100";
        assert_eq!(cpu_in(stat), Some(Duration::from_secs(13)));
        assert_eq!(cpu_in(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_runs_has_memory_and_open_files() {
        let data = tempfile::tempdir().unwrap();
        std::fs::write(data.path().join("boxoffice.db"), [0; 300]).unwrap();
        let usage = Usage::of(std::process::id(), data.path()).unwrap();
        assert!(usage.resident_kib > 0 && usage.open_files > 0, "{usage:?}");
        assert_eq!(usage.disk_bytes, 300);
        assert!(Usage::of(u32::MAX, data.path()).is_err());
    }
}
