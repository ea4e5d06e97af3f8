//! One stretch of the load, and what it came to.

use super::usage::Usage;
use crate::latency::{micros, percentile_micros};
use serde_json::{Value, json};
use std::time::Duration;

/// What visitors counted within a window.
#[derive(Debug, Default)]
pub(super) struct WindowCounts {
    /// How long each request took.
    pub(super) requests: Vec<Duration>,
    /// How long each checkout that was paid took.
    pub(super) checkouts: Vec<Duration>,
}

/// What a window came to. Processor time, memory and files are the service's alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) number: u32,
    pub(super) elapsed: Duration,
    pub(super) requests: u64,
    pub(super) orders: u64,
    pub(super) request_p99_micros: u64,
    pub(super) checkout_p50_micros: u64,
    pub(super) checkout_p99_micros: u64,
    pub(super) cpu_per_request_micros: u64,
    pub(super) cpu_per_order_micros: u64,
    /// Memory, open files and bytes on disk at its end.
    pub(super) resident_kib: u64,
    pub(super) open_files: u64,
    pub(super) disk_bytes: u64,
    /// Bytes that came to the disk in it.
    pub(super) disk_growth_bytes: u64,
}

/// What the service had taken when a window began, and when it ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) elapsed: Duration,
    pub(super) before: Usage,
    pub(super) after: Usage,
}

impl Window {
    pub(super) fn of(number: u32, counts: WindowCounts, span: Span) -> Self {
        let WindowCounts { mut requests, mut checkouts } = counts;
        requests.sort_unstable();
        checkouts.sort_unstable();
        let Span { elapsed, before, after } = span;
        let cpu = micros(after.cpu.saturating_sub(before.cpu));
        let [request_count, orders] =
            [&requests, &checkouts].map(|list| u64::try_from(list.len()).unwrap_or(u64::MAX));
        Self {
            number,
            elapsed,
            requests: request_count,
            orders,
            request_p99_micros: percentile_micros(&requests, 99),
            checkout_p50_micros: percentile_micros(&checkouts, 50),
            checkout_p99_micros: percentile_micros(&checkouts, 99),
            cpu_per_request_micros: cpu / request_count.max(1),
            cpu_per_order_micros: cpu / orders.max(1),
            resident_kib: after.resident_kib,
            open_files: after.open_files,
            disk_bytes: after.disk_bytes,
            disk_growth_bytes: after.disk_bytes.saturating_sub(before.disk_bytes),
        }
    }

    /// The window as one line of JSON.
    pub(super) fn line(&self) -> Value {
        json!({
            "window": self.number,
            "seconds": self.elapsed.as_secs_f64(),
            "requests": self.requests,
            "orders": self.orders,
            "p99Micros": self.request_p99_micros,
            "checkoutP50Micros": self.checkout_p50_micros,
            "checkoutP99Micros": self.checkout_p99_micros,
            "cpuMicrosPerRequest": self.cpu_per_request_micros,
            "cpuMicrosPerOrder": self.cpu_per_order_micros,
            "residentKiB": self.resident_kib,
            "openFiles": self.open_files,
            "diskBytes": self.disk_bytes,
            "diskBytesPerOrder": self.disk_growth_bytes / self.orders.max(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(cpu_ms: u64, resident_kib: u64, disk_bytes: u64) -> Usage {
        Usage { cpu: Duration::from_millis(cpu_ms), resident_kib, open_files: 20, disk_bytes }
    }

    #[test]
    fn what_was_taken_is_shared_among_requests_and_orders() {
        let counts = WindowCounts {
            requests: (1..=200).map(Duration::from_millis).collect(),
            checkouts: [9, 3, 5].map(Duration::from_millis).to_vec(),
        };
        let span = Span {
            elapsed: Duration::from_secs(2),
            before: usage(1_000, 900, 4_000),
            after: usage(1_600, 800, 10_000),
        };
        let window = Window::of(7, counts, span);
        assert_eq!((window.requests, window.orders), (200, 3));
        assert_eq!(
            (window.request_p99_micros, window.checkout_p50_micros, window.checkout_p99_micros),
            (199_000, 5_000, 9_000)
        );
        assert_eq!((window.cpu_per_request_micros, window.cpu_per_order_micros), (3_000, 200_000));
        assert_eq!(window.line()["diskBytesPerOrder"], 2_000);
    }

    #[test]
    fn a_window_that_nothing_happened_in_has_figures_too() {
        let span = Span { elapsed: Duration::ZERO, before: usage(0, 1, 5), after: usage(0, 1, 4) };
        let window = Window::of(1, WindowCounts::default(), span);
        assert_eq!(
            (window.request_p99_micros, window.cpu_per_order_micros, window.disk_growth_bytes),
            (0, 0, 0)
        );
    }
}
