//! Membership levels and their offerings: as the back office and the import document write them, as callers see
//! them, and as the export writes them (spec §2.14, §2.15).

mod input;
mod output;
mod parts;
mod quote;
mod record;

pub use input::{LevelContext, LevelInput, OfferingInput, OfferingPriceListInput, group};
pub use output::{
    Detail, LevelOutput, LevelView, OfferingOutput, OfferingPriceListOutput, OfferingPriceOutput,
};
pub use parts::*;
pub use quote::{QuoteOutput, Quoted};
pub use record::LevelRecord;
