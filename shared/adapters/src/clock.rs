//! The only place that reads a clock. A request takes `now` once; the deadline check before a charge reads
//! again, by name.

use domain::Timestamp;
use domain::time::plus_secs;
use tokio::time::Instant;

/// The wall clock.
#[must_use]
pub fn wall_now() -> Timestamp {
    #[expect(clippy::disallowed_methods, reason = "this is the clock every other place is given")]
    chrono::Utc::now()
}

/// The clock of one request: real time, or the instant a caller of a sandbox tenant chose, going on from there.
#[derive(Debug, Clone, Copy)]
pub struct RequestClock {
    now: Timestamp,
    started: Instant,
    chosen: bool,
}

impl RequestClock {
    /// Real time, by the clock of the process that was asked.
    #[must_use]
    pub fn real(now: Timestamp) -> Self {
        Self { now, started: Instant::now(), chosen: false }
    }

    /// The instant in `x-service-test-now`.
    #[must_use]
    pub fn chosen(now: Timestamp) -> Self {
        Self { now, started: Instant::now(), chosen: true }
    }

    /// The instant at which the request arrived; the same throughout the request.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A fresh look: the arrival plus the time since. Only for deadlines before an outside call.
    #[must_use]
    pub fn fresh(&self) -> Timestamp {
        plus_secs(self.now, i64::try_from(self.started.elapsed().as_secs()).unwrap_or(i64::MAX))
    }

    /// True for a clock the caller chose: what is written under it is left alone by the real schedule.
    #[must_use]
    pub fn is_chosen(&self) -> bool {
        self.chosen
    }
}
