//! What was reached, counted over all seeds, so that the simulation cannot quietly become empty.

use std::collections::BTreeMap;
use std::fmt;

/// What has to happen at least once in a whole run.
const REQUIRED: [&str; 71] = [
    "abandoned cart",
    "addressed partner",
    "answer lost on the way to a client",
    "answer of the database lost",
    "answer repeated by its key",
    "batch half done",
    "call slow",
    "call throttled by chance",
    "capacity changed",
    "buyer asked",
    "buyer confirmed",
    "buyer walked away",
    "card declined",
    "card let in at a door",
    "card sale refunded",
    "checkout found already paid",
    "combo sold",
    "conflict by chance",
    "conflict of transactions",
    "coupon changed",
    "coupon used",
    "customer made",
    "duplicate refused",
    "exchange forced",
    "exchanged",
    "free order",
    "instance cancelled",
    "jump of days",
    "jump of seconds",
    "kept out at a door",
    "let in at a door",
    "let in by force",
    "let in offline",
    "let in offline in vain",
    "let in offline once more",
    "let out at a door",
    "login mail asked for",
    "mail enqueued again",
    "mail sent",
    "mail sent twice",
    "member price",
    "membership bought",
    "membership changed by the back office",
    "membership renewed",
    "membership upgraded",
    "merchant decided on",
    "moved at a door",
    "order of several lines",
    "order paid",
    "order recovered",
    "order voided",
    "process crashed",
    "processor failed",
    "read stale",
    "refund finished by the schedule",
    "refund forced",
    "refund larger than what remained",
    "refund of a part",
    "refund of a whole order",
    "refund refused by the processor",
    "refund refused of who was let in",
    "refund repeated by its key",
    "request of members judged",
    "reservation paid",
    "scan taken back",
    "scan uploaded again",
    "sold out",
    "template published",
    "ticket blocked",
    "unit of stock sold",
    "write unit limit met",
];

/// Counts by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    pub(crate) fn note(&mut self, name: &'static str) {
        self.add(name, 1);
    }

    pub(crate) fn add(&mut self, name: &'static str, more: impl TryInto<u64>) {
        let count = self.0.entry(name).or_default();
        *count = count.saturating_add(more.try_into().unwrap_or(u64::MAX));
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (name, count) in &other.0 {
            self.add(name, *count);
        }
    }

    /// Whatever was never reached.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let reached = |name: &str| self.0.get(name).is_some_and(|count| *count > 0);
        REQUIRED.into_iter().filter(|name| !reached(name)).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, count)| writeln!(out, "{count:>8} {name}"))
    }
}
