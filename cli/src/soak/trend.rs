//! Whether the last windows cost more than the first.

use super::window::Window;
use serde_json::{Value, json};

/// One window in so many is among the first, and as many among the last.
const PART: usize = 5;

/// What can be judged of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judged {
    /// What is counted, whatever the machine does besides.
    Counts,
    /// What a clock tells as well, and what came to the disk.
    CountsAndClocks,
}

/// How much the last windows may have: so many of a hundred of what the first had, and so much more.
#[derive(Clone, Copy)]
struct Tolerance {
    percent: u64,
    more: u64,
}

impl Tolerance {
    /// Times, processor time and bytes are those of a small machine, which are never the same twice.
    const HALF_MORE: Self = Self { percent: 150, more: 0 };
    /// The allocator gives little back, and transactions are remembered for ten minutes, and no longer.
    const MEMORY: Self = Self { percent: 130, more: 64 * 1_024 };
    /// Connections that were just opened, or are about to close.
    const FILES: Self = Self { percent: 100, more: 16 };

    fn of(self, first: u64) -> u64 {
        let Self { percent, more } = self;
        (first.saturating_mul(percent) / 100).saturating_add(more)
    }
}

/// Something that must not grow.
struct Measure {
    name: &'static str,
    unit: &'static str,
    judged: Judged,
    tolerance: Tolerance,
    of: fn(&[Window]) -> u64,
}

const MEASURES: [Measure; 8] = [
    Measure {
        name: "the memory",
        unit: "KiB",
        judged: Judged::Counts,
        tolerance: Tolerance::MEMORY,
        of: |windows| middle(windows, |window| window.resident_kib),
    },
    Measure {
        name: "the number of open files",
        unit: "files",
        judged: Judged::Counts,
        tolerance: Tolerance::FILES,
        of: |windows| middle(windows, |window| window.open_files),
    },
    Measure {
        name: "the time that 99 of 100 requests stay below",
        unit: "microseconds",
        judged: Judged::CountsAndClocks,
        tolerance: Tolerance::HALF_MORE,
        of: |windows| middle(windows, |window| window.request_p99_micros),
    },
    Measure {
        name: "the time that half of the checkouts stay below",
        unit: "microseconds",
        judged: Judged::CountsAndClocks,
        tolerance: Tolerance::HALF_MORE,
        of: |windows| middle(windows, |window| window.checkout_p50_micros),
    },
    Measure {
        name: "the time that 99 of 100 checkouts stay below",
        unit: "microseconds",
        judged: Judged::CountsAndClocks,
        tolerance: Tolerance::HALF_MORE,
        of: |windows| middle(windows, |window| window.checkout_p99_micros),
    },
    Measure {
        name: "the processor time of a request",
        unit: "microseconds",
        judged: Judged::CountsAndClocks,
        tolerance: Tolerance::HALF_MORE,
        of: |windows| middle(windows, |window| window.cpu_per_request_micros),
    },
    Measure {
        name: "the processor time of an order",
        unit: "microseconds",
        judged: Judged::CountsAndClocks,
        tolerance: Tolerance::HALF_MORE,
        of: |windows| middle(windows, |window| window.cpu_per_order_micros),
    },
    Measure {
        name: "what an order brings to the disk",
        unit: "bytes",
        judged: Judged::CountsAndClocks,
        tolerance: Tolerance::HALF_MORE,
        of: disk_per_order,
    },
];

/// The value in the middle, so that one window in which the machine was busy with something else counts for little.
fn middle(windows: &[Window], of: impl Fn(&Window) -> u64) -> u64 {
    let mut values: Vec<u64> = windows.iter().map(of).collect();
    values.sort_unstable();
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    let (below, above) = (at(values.len().saturating_sub(1) / 2), at(values.len() / 2));
    below.midpoint(above)
}

/// Of all windows together: the database takes what was written to its log in batches.
fn disk_per_order(windows: &[Window]) -> u64 {
    let sum = |of: fn(&Window) -> u64| windows.iter().map(of).fold(0_u64, u64::saturating_add);
    sum(|window| window.disk_growth_bytes) / sum(|window| window.orders).max(1)
}

/// What the first and the last windows had of something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trend {
    name: &'static str,
    unit: &'static str,
    first: u64,
    last: u64,
    most: u64,
}

impl Trend {
    /// The trends of all that is judged.
    pub(super) fn all(windows: &[Window], judged: Judged) -> Vec<Self> {
        let part = windows.len() / PART;
        let first = windows.get(..part).unwrap_or_default();
        let last = windows.get(windows.len().saturating_sub(part)..).unwrap_or_default();
        let measures = MEASURES.iter().filter(|measure| measure.judged <= judged);
        let trend = |measure: &Measure| {
            let Measure { name, unit, judged: _, tolerance, of } = *measure;
            let (first, last) = (of(first), of(last));
            Self { name, unit, first, last, most: tolerance.of(first) }
        };
        measures.map(trend).collect()
    }

    /// What is at fault, if it grew.
    pub(super) fn fault(&self) -> Option<String> {
        let Self { name, unit, first, last, most } = self;
        (last > most).then(|| format!("{name} grew from {first} to {last} {unit}, and may be {most}"))
    }

    pub(super) fn line(&self) -> Value {
        let Self { name, unit, first, last, most } = self;
        json!({ "what": name, "unit": unit, "first": first, "last": last, "most": most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A window of a service in which nothing grows, but for its data.
    fn flat(number: u32) -> Window {
        Window {
            number,
            elapsed: Duration::from_secs(60),
            requests: 30_000,
            orders: 3_000,
            request_p99_micros: 9_000,
            checkout_p50_micros: 4_000,
            checkout_p99_micros: 12_000,
            cpu_per_request_micros: 1_000,
            cpu_per_order_micros: 10_000,
            resident_kib: 100_000,
            open_files: 24,
            disk_bytes: u64::from(number) * 150_000_000,
            disk_growth_bytes: 150_000_000,
        }
    }

    fn windows(change: impl Fn(&mut Window, u64)) -> Vec<Window> {
        let window = |number: u32| {
            let mut window = flat(number);
            change(&mut window, u64::from(number));
            window
        };
        (1..=20).map(window).collect()
    }

    fn faults(change: impl Fn(&mut Window, u64), judged: Judged) -> Vec<String> {
        Trend::all(&windows(change), judged).iter().filter_map(Trend::fault).collect()
    }

    #[test]
    fn what_stays_as_it_is_is_no_fault() {
        assert_eq!(faults(|_, _| {}, Judged::CountsAndClocks), Vec::<String>::new());
        assert_eq!(Trend::all(&windows(|_, _| {}), Judged::CountsAndClocks).len(), MEASURES.len());
        assert_eq!(Trend::all(&windows(|_, _| {}), Judged::Counts).len(), 2);
    }

    /// The fault that this was written for: 3.6 milliseconds at first, 11.7 after many orders.
    #[test]
    fn a_checkout_that_costs_more_with_each_order_is_told() {
        let slower = |window: &mut Window, number: u64| {
            window.checkout_p50_micros = 3_600 + number * 405;
        };
        let told = "the time that half of the checkouts stay below grew from 4612 to 11092 microseconds, \
                    and may be 6918";
        assert_eq!(faults(slower, Judged::CountsAndClocks), [told]);
        assert_eq!(faults(slower, Judged::Counts), Vec::<String>::new());
    }

    #[test]
    fn memory_and_files_that_are_kept_are_told_of_any_run() {
        let leaks = |window: &mut Window, number: u64| {
            window.resident_kib += number * 10_000;
            window.open_files += number * 2;
        };
        let told = [
            "the memory grew from 125000 to 285000 KiB, and may be 228036",
            "the number of open files grew from 29 to 61 files, and may be 45",
        ];
        assert_eq!(faults(leaks, Judged::Counts), told);
        assert_eq!(faults(leaks, Judged::CountsAndClocks), told);
        let less = |window: &mut Window, number: u64| {
            window.resident_kib += number * 4_000;
            window.open_files += number;
        };
        assert_eq!(faults(less, Judged::Counts), Vec::<String>::new());
    }

    #[test]
    fn one_window_in_which_the_machine_was_busy_is_no_fault() {
        let busy = |window: &mut Window, number: u64| {
            if number == 18 {
                (window.request_p99_micros, window.cpu_per_request_micros) = (900_000, 90_000);
            }
        };
        assert_eq!(faults(busy, Judged::CountsAndClocks), Vec::<String>::new());
    }

    #[test]
    fn what_is_on_the_disk_may_grow_with_the_orders_alone() {
        let grows = |window: &mut Window, number: u64| window.disk_growth_bytes += number * 10_000_000;
        assert_eq!(
            faults(grows, Judged::CountsAndClocks),
            ["what an order brings to the disk grew from 58333 to 111666 bytes, and may be 87499"]
        );
    }
}
