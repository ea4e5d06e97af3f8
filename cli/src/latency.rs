//! How long requests took, in the figures of `bench` and `soak`.

use std::time::Duration;

/// The time below which so many of a hundred lie, in microseconds; 0 of none.
pub(crate) fn percentile_micros(sorted: &[Duration], percent: usize) -> u64 {
    let index = sorted.len().saturating_mul(percent) / 100;
    sorted.get(index).or(sorted.last()).copied().map_or(0, micros)
}

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
