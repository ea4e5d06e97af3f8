//! What visitors have met with.

use super::client::{Answer, Request};
use super::window::WindowCounts;
use domain::OrderId;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts of all visitors, since the last window and since the first visit.
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    window: WindowCounts,
    total: TallyTotal,
}

/// What all visitors met with, from the first to the last.
#[derive(Debug, Default)]
pub(super) struct TallyTotal {
    pub(super) requests: u64,
    /// The orders that visitors were told of.
    pub(super) orders: Vec<OrderId>,
    /// Answers by which somebody was put off, and asked again.
    pub(super) put_off: u64,
    /// The first request of these.
    pub(super) first_put_off: Option<String>,
    /// Other answers of 500 and above.
    pub(super) server_errors: u64,
    /// Everything that should have been otherwise, those answers among it.
    pub(super) unexpected: u64,
    /// The first of it.
    pub(super) first_unexpected: Option<String>,
}

impl Tally {
    /// Notes an answer; whether it is as it should be.
    pub(super) fn note(&self, request: &Request, answer: &Answer) -> bool {
        let is_right = request.is_answered_rightly(answer);
        let mut counts = self.counts();
        counts.note(answer);
        if !is_right {
            let total = &mut counts.total;
            let is_server_error = answer.status.is_server_error();
            total.server_errors = total.server_errors.saturating_add(u64::from(is_server_error));
            total.note_unexpected(format!("{request} was answered {}: {}", answer.status, answer.body));
        }
        is_right
    }

    /// Notes that somebody was put off, and will ask again.
    pub(super) fn note_put_off(&self, request: &Request, answer: &Answer) {
        let mut counts = self.counts();
        counts.note(answer);
        let total = &mut counts.total;
        total.put_off = total.put_off.saturating_add(1);
        total.first_put_off.get_or_insert_with(|| request.to_string());
    }

    /// Notes what should not be.
    pub(super) fn note_unexpected(&self, what: String) {
        self.counts().total.note_unexpected(what);
    }

    /// Notes an order that was paid, and how long its checkout took.
    pub(super) fn note_order(&self, order: OrderId, took: Duration) {
        let mut counts = self.counts();
        counts.window.checkouts.push(took);
        counts.total.orders.push(order);
    }

    /// What was counted since this was last asked.
    pub(super) fn take_window(&self) -> WindowCounts {
        std::mem::take(&mut self.counts().window)
    }

    /// What was counted in all, which is forgotten here.
    pub(super) fn take_total(&self) -> TallyTotal {
        std::mem::take(&mut self.counts().total)
    }

    /// No code that holds the lock can panic half way.
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn note(&mut self, answer: &Answer) {
        self.window.requests.push(answer.took);
        self.total.requests = self.total.requests.saturating_add(1);
    }
}

impl TallyTotal {
    fn note_unexpected(&mut self, what: String) {
        self.unexpected = self.unexpected.saturating_add(1);
        self.first_unexpected.get_or_insert(what);
    }
}
