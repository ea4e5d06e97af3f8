//! Carts on the wire (spec §2.2–2.4, §4.1; contract §4).

mod combo;
mod coupon;
mod donation;
mod form;
mod input;
mod membership;
mod output;
mod quantity;
mod trace;

pub use combo::{ComboEventInput, ComboEventOutput, ComboItemInput, ComboItemOutput};
pub use coupon::{CouponMessageOutput, coupon_problem};
pub use donation::{DonationDetailInput, DonationDetailOutput};
pub use form::{
    AnswerInput, AnswerOutput, FormAnswersInput, FormEntryOutput, FormResponseInput, FormResponseOutput,
    FormValue, IncompleteFormOutput,
};
pub use input::{CartInput, CartItemInput};
pub use membership::{MembershipCardInput, MembershipCardOutput, MembershipInfoInput, MembershipInfoOutput};
pub use output::{CartItemOutput, CartOutput, MemberMessageOutput};
pub use trace::TriedOutput;

#[cfg(test)]
mod tests;
