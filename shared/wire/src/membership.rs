//! Membership levels and their offerings: as the back office and the import document write them, as callers see
//! them, and as the export writes them (spec §2.14, §2.15).

mod input;
mod on_sale;
mod output;
mod parts;
mod quote;
mod record;

pub use input::{LevelContext, LevelInput, OfferingInput, OfferingPriceListInput, group};
pub use on_sale::{
    ActionOnSale, LevelOnSale, LevelSale, OfferingOnSale, OfferingPriceListOnSale, OfferingPriceOnSale,
    PricePointOnSale,
};
pub use output::{
    Detail, LevelOutput, LevelView, OfferingOutput, OfferingPriceListOutput, OfferingPriceOutput,
};
pub use parts::*;
pub use quote::{QuoteOutput, Quoted};
pub use record::LevelRecord;
