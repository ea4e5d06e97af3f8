//! Checkouts that Stripe charges: what it is asked, what it answers, and that nothing is charged twice or lost.

pub(crate) mod double;
mod published;
