//! Carts on the wire (spec §2.2–2.4, §4.1; contract §4).

mod combo;
mod donation;
mod form;
mod input;
mod membership;
mod output;
mod trace;

pub use combo::{ComboEventInput, ComboEventOutput, ComboItemInput, ComboItemOutput};
pub use donation::{DonationDetailInput, DonationDetailOutput};
pub use form::{
    AnswerInput, AnswerOutput, FormAnswersInput, FormEntryOutput, FormResponseInput, FormResponseOutput,
    FormValue, IncompleteFormOutput,
};
pub use input::{CartInput, CartItemInput};
pub use membership::{
    GifterInput, GifterOutput, MembershipCardInput, MembershipCardOutput, MembershipInfoInput,
    MembershipInfoOutput,
};
pub use output::{CartItemOutput, CartOutput, CouponMessageOutput, MemberMessageOutput, coupon_problem};
pub use trace::TriedOutput;

#[cfg(test)]
mod tests;
