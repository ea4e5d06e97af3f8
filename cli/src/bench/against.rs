//! Whether this program costs more than another one: both measure each case in turn, several times, and what counts is
//! the median of how many times as much processor time a request takes here. Runs that lie beside each other meet the
//! same machine, so this tells less than what two figures of different days differ by.

use super::BenchError;
use super::measured::Measured;
use crate::failure::Failure;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A case may take so many times as much as with the other program.
const MOST: f64 = 1.15;

/// Pairs of runs for each case. It is odd, so that one of them lies in the middle.
const PAIRS: u32 = 5;

/// What the command line exits with when it does not know a command or a case.
const UNKNOWN: i32 = 2;

/// Compares this program with another in these cases, and prints a line for each.
///
/// # Errors
/// A text that names the cases that cost too much, or what kept them from being compared.
pub(super) fn compare(other: &Path, cases: &[Measured], seconds: u64) -> Result<(), Failure> {
    let own =
        std::env::current_exe().map_err(|fault| Failure::because("this program cannot be found", &fault))?;
    let programs = Programs { own, other: other.to_owned(), seconds };
    let mut compared = Vec::new();
    for case in cases {
        let name = case.name();
        let ratio = programs
            .ratio(&name)
            .map_err(|fault| Failure::because(format!("{name} cannot be compared"), fault.as_ref()))?;
        println!("{}", json!({ "case": name, "ratio": ratio, "most": MOST }));
        compared.extend(ratio.map(|ratio| Compared { name, ratio }));
    }
    judge(&compared).map_err(Failure::new)
}

struct Programs {
    own: PathBuf,
    other: PathBuf,
    seconds: u64,
}

impl Programs {
    /// How many times as much a request takes here; none where the other program does not know the case.
    fn ratio(&self, name: &str) -> Result<Option<f64>, BenchError> {
        let mut ratios = Vec::new();
        for pair in 0..PAIRS {
            // Each goes first about as often.
            let own_first = if pair % 2 == 0 { Some(self.cpu_of(&self.own, name)?) } else { None };
            let other = self.cpu_of(&self.other, name)?;
            let own = match own_first {
                Some(own) => own,
                None => self.cpu_of(&self.own, name)?,
            };
            let (Some(own), Some(other)) = (own, other) else { return Ok(None) };
            ratios.push(own / other);
        }
        Ok(median(ratios))
    }

    /// Processor time of a request, in microseconds; none where the program does not know the case.
    fn cpu_of(&self, program: &Path, name: &str) -> Result<Option<f64>, BenchError> {
        let seconds = self.seconds.to_string();
        let done = Command::new(program).args(["bench", "case", name, "--seconds", &seconds]).output()?;
        if done.status.code() == Some(UNKNOWN) {
            return Ok(None);
        }
        if !done.status.success() {
            let told = String::from_utf8_lossy(&done.stderr);
            return Err(BenchError::from(format!("{} failed: {}", program.display(), told.trim())));
        }
        let printed = String::from_utf8_lossy(&done.stdout);
        let cpu = cpu_in(&printed, name);
        let missing = || BenchError::from(format!("{} tells no processor time", program.display()));
        cpu.map(Some).ok_or_else(missing)
    }
}

/// Processor time of a request in the line of a case.
fn cpu_in(printed: &str, name: &str) -> Option<f64> {
    let mut lines = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let line = lines.find(|line| line["case"] == name)?;
    line["cpuMicrosPerRequest"].as_f64().filter(|micros| *micros > 0.0)
}

/// The one in the middle, in thousandths.
fn median(mut ratios: Vec<f64>) -> Option<f64> {
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).map(|middle| (middle * 1_000.0).round() / 1_000.0)
}

struct Compared {
    name: String,
    ratio: f64,
}

/// Refuses cases that cost too much, and a comparison of nothing.
fn judge(compared: &[Compared]) -> Result<(), String> {
    if compared.is_empty() {
        return Err("the other program measures none of these cases".to_owned());
    }
    let too_much = compared.iter().filter(|case| case.ratio > MOST);
    let told: Vec<String> = too_much.map(|case| format!("{} ({} times)", case.name, case.ratio)).collect();
    if told.is_empty() {
        return Ok(());
    }
    Err(format!("these cases take more than {MOST} times as much processor time: {}", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(cases: &[(&str, f64)]) -> Result<(), String> {
        let compared = cases.iter().map(|(name, ratio)| Compared { name: (*name).to_owned(), ratio: *ratio });
        judge(&compared.collect::<Vec<_>>())
    }

    #[test]
    fn more_than_the_limit_is_refused_with_the_names_of_the_cases() {
        assert_eq!(judged(&[("checkout", 1.15), ("slim list", 0.4)]), Ok(()));
        let refused = judged(&[("checkout", 1.151), ("slim list", 1.0), ("cart create", 2.0)]).unwrap_err();
        assert_eq!(
            refused,
            "these cases take more than 1.15 times as much processor time: checkout (1.151 times), \
             cart create (2 times)"
        );
        assert_eq!(judged(&[]).unwrap_err(), "the other program measures none of these cases");
    }

    #[test]
    fn one_run_that_was_disturbed_does_not_count() {
        assert_eq!(median(vec![9.0, 1.0, 1.2, 1.1, 0.1]), Some(1.1));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn processor_time_is_read_from_the_line_of_the_case() {
        let printed = "warm\n{\"case\":\"checkout of 12 lines\",\"cpuMicrosPerRequest\":9}\n\
            {\"case\":\"checkout\",\"cpuMicrosPerRequest\":812.5}\n{\"case\":\"admission\",\"cpuMicrosPerRequest\":0}\n";
        assert_eq!(cpu_in(printed, "checkout"), Some(812.5));
        assert_eq!([cpu_in(printed, "admission"), cpu_in(printed, "order")], [None, None]);
    }
}
