//! What a cart costs. Cart and checkout price with this one function (spec §4.1, §4.3).
//!
//! Every line goes through the same stages, in this order:
//!
//! 1. **retail**: the full unit price, from the price list in force, from the catalog or from the donor;
//! 2. **treatments**: every way in which the line could be priced, each with its unit price;
//! 3. **unit price**: that of the treatment that takes precedence;
//! 4. **amount**: unit price times quantity, so that amounts never disagree with the prices shown;
//! 5. **total**: the sum of the amounts.
//!
//! A line's price follows from the line, the cart's terms and the catalog, never from its place in the cart.

mod codes;
mod treatment;

pub use treatment::{Inapplicable, Rule, Source, Tried};

use crate::asker::Asker;
use crate::cart::{AddOnLine, CartLine, CouponMessage, DonationKind, DonationLine, LinePrice, TicketLine};
use crate::cart_request::{
    CartTerms, Gift, LineRequest, Wanted, WantedAddOn, WantedDonation, WantedTicket, WantedTreatment,
};
use crate::catalog::{InventoryItem, InventoryKind, PersonType, ReviewState, Template};
use crate::channel::{Channel, channel_allowed};
use crate::coupon::{Coupon, Discount};
use crate::ledger::{Ledger, SlotState};
use crate::sale_window::{Offer, SlotFacts, Unlisted, offer};
use crate::time::plus_secs;
use crate::{
    CartItemId, CouponId, DiscountId, InstanceId, InventoryId, Money, MoneyOverflow, TicketTypeId, Timestamp,
    Zone,
};
use codes::CodeBook;
use std::collections::{BTreeMap, BTreeSet};
use treatment::{Terms, Treatments, treat};

/// What a tenant sells.
#[derive(Debug, Clone, Copy)]
pub struct Catalog<'a> {
    /// All templates.
    pub templates: &'a [Template],
    /// All ticket types.
    pub person_types: &'a BTreeMap<TicketTypeId, PersonType>,
    /// All add-ons and donations.
    pub inventory: &'a BTreeMap<InventoryId, InventoryItem>,
    /// All discounts.
    pub discounts: &'a BTreeMap<DiscountId, Discount>,
    /// All coupons.
    pub coupons: &'a BTreeMap<CouponId, Coupon>,
}

/// On whose behalf a cart is priced.
#[derive(Debug, Clone, Copy)]
pub struct Buyer<'a> {
    /// The channel of the route.
    pub channel: Channel,
    /// Whose benefits count.
    pub asker: &'a Asker,
    /// The tenant's zone, whose dates the sale dates of coupons are.
    pub zone: Zone,
    /// Coupons that were used as often as they may be.
    pub used_up: &'a BTreeSet<CouponId>,
}

/// A dated slot, with its template.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    /// The definition of its event.
    pub template: &'a Template,
    /// When it starts.
    pub start: Timestamp,
    /// When it ends.
    pub end: Timestamp,
    /// Active or cancelled.
    pub state: SlotState,
}

/// What pricing looks at: the catalog, the slots a cart names, and the channel of the route.
#[derive(Debug, Clone)]
pub struct CatalogView<'a> {
    catalog: Catalog<'a>,
    slots: BTreeMap<InstanceId, Slot<'a>>,
    buyer: Buyer<'a>,
}

impl<'a> CatalogView<'a> {
    /// The catalog with the slots that exist, as their ledgers say.
    #[must_use]
    pub fn of_ledgers<'l>(
        catalog: Catalog<'a>,
        buyer: Buyer<'a>,
        ledgers: impl IntoIterator<Item = &'l Ledger>,
    ) -> Self {
        let slots = ledgers.into_iter().filter(|ledger| ledger.exists()).filter_map(|ledger| {
            let template = catalog.templates.iter().find(|template| template.id == ledger.template)?;
            let slot = Slot { template, start: ledger.start, end: ledger.end, state: ledger.state };
            Some((ledger.instance, slot))
        });
        Self { catalog, slots: slots.collect(), buyer }
    }

    /// The catalog with slots as they were generated, as far as their ids tell: staff may have moved,
    /// cancelled or deleted them since. What is priced so must be confirmed by the ledgers.
    #[must_use]
    pub fn assumed(
        catalog: Catalog<'a>,
        buyer: Buyer<'a>,
        instances: impl IntoIterator<Item = InstanceId>,
    ) -> Self {
        let slots = instances.into_iter().filter_map(|instance| {
            let template = catalog.templates.iter().find(|template| template.owns(&instance))?;
            let schedule = template.schedule_of(&instance);
            let minutes =
                schedule.and_then(|schedule| schedule.duration_minutes).unwrap_or(template.duration_minutes);
            let start = instance.start();
            let end = plus_secs(start, i64::from(minutes).saturating_mul(60));
            Some((instance, Slot { template, start, end, state: SlotState::Active }))
        });
        Self { catalog, slots: slots.collect(), buyer }
    }

    /// The slot, if it is on sale. Seats are not looked at: they are taken at checkout.
    fn on_sale(&self, instance: &InstanceId, now: Timestamp) -> Result<Slot<'a>, LineFault> {
        let slot = *self.slots.get(instance).ok_or(LineFault::UnknownEvent)?;
        let schedule = slot.template.schedule_of(instance);
        let facts = SlotFacts {
            published: slot.template.review_state == ReviewState::Published,
            visible: self.buyer.asker.may_buy(slot.template, slot.start),
            cancelled: slot.state != SlotState::Active,
            channel_enabled: slot.template.is_sold_through(schedule, self.buyer.channel),
            start: slot.start,
            end: slot.end,
            details: &slot.template.ticket_details,
            available_seats: 1,
        };
        match offer(&facts, now) {
            Offer::OnSale { seats: _ } | Offer::SoldOut => Ok(slot),
            Offer::NotListed(Unlisted::NotPublished | Unlisted::Hidden) => Err(LineFault::UnknownEvent),
            Offer::NotListed(Unlisted::Cancelled) => Err(LineFault::SalesClosed(Closed::Cancelled)),
            Offer::NotListed(Unlisted::ChannelOff) => Err(LineFault::SalesClosed(Closed::ChannelOff)),
            Offer::NotListed(Unlisted::WindowClosed { closed_at }) => {
                Err(LineFault::SalesClosed(Closed::Window { closed_at }))
            }
        }
    }

    fn ticket_type(&self, id: &TicketTypeId) -> Result<&'a PersonType, LineFault> {
        let found = self.catalog.person_types.get(id).filter(|found| found.active);
        found.ok_or(LineFault::UnknownTicketType)
    }

    fn inventory(&self, id: InventoryId) -> Result<&'a InventoryItem, LineFault> {
        let found = self.catalog.inventory.get(&id);
        let offered =
            found.filter(|item| item.active && channel_allowed(&item.sales_channels, self.buyer.channel));
        offered.ok_or(LineFault::UnknownInventory)
    }
}

/// Priced lines, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedLines {
    /// The lines.
    pub lines: Vec<CartLine>,
    /// The sum of their amounts.
    pub total: Money,
    /// What became of codes that took nothing off.
    pub coupon_messages: Vec<CouponMessage>,
    /// Of each line, the rules that were tried; of lines that are no tickets, none.
    pub traces: Vec<Vec<Tried>>,
}

/// Everything that keeps lines from being priced, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricingRefusals(pub Vec<PricingRefusal>);

/// One reason why lines cannot be priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PricingRefusal {
    /// A fault of one line.
    Line {
        /// Its place in the request, from 0.
        index: usize,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// The amounts do not add up to an amount of money.
    TotalTooLarge,
}

/// What keeps a line from being priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFault {
    /// The line treats an add-on as a donation or the other way round.
    OtherInventoryKind {
        /// What the catalog says it is.
        kind: InventoryKind,
    },
    /// The amount is no amount of money.
    AmountTooLarge,
    /// There is no such event instance, or its template is a draft.
    UnknownEvent,
    /// There is no such ticket type on offer.
    UnknownTicketType,
    /// The event has no price for this ticket type on this channel.
    NotPriced,
    /// There is no such add-on or donation on offer on this channel.
    UnknownInventory,
    /// The slot exists and cannot be bought.
    SalesClosed(Closed),
}

/// Why a slot cannot be bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// It was cancelled.
    Cancelled,
    /// It is not sold on this channel.
    ChannelOff,
    /// Its sale window has closed.
    Window {
        /// When it closed.
        closed_at: Timestamp,
    },
}

/// What refusals amount to, in order of precedence: the first that applies answers the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalClass {
    /// Lines contradict the catalog or have no sum.
    Invalid,
    /// Ids name nothing that is sold.
    Unknown,
    /// Slots cannot be bought.
    Closed,
}

impl PricingRefusals {
    /// What answers the request.
    #[must_use]
    pub fn class(&self) -> RefusalClass {
        self.0.iter().map(|refusal| refusal.class()).min().unwrap_or(RefusalClass::Invalid)
    }
}

impl PricingRefusal {
    /// What the refusal amounts to.
    #[must_use]
    pub fn class(&self) -> RefusalClass {
        match self {
            Self::TotalTooLarge => RefusalClass::Invalid,
            Self::Line { index: _, fault } => match fault {
                LineFault::OtherInventoryKind { kind: _ } | LineFault::AmountTooLarge => {
                    RefusalClass::Invalid
                }
                LineFault::UnknownEvent
                | LineFault::UnknownTicketType
                | LineFault::NotPriced
                | LineFault::UnknownInventory => RefusalClass::Unknown,
                LineFault::SalesClosed(_) => RefusalClass::Closed,
            },
        }
    }
}

/// Prices lines through the channel of the catalog view at the moment of sale.
///
/// # Errors
/// [`PricingRefusals`] with every fault of every line.
pub fn price(
    lines: &[LineRequest],
    terms: &CartTerms,
    catalog: &CatalogView<'_>,
    now: Timestamp,
) -> Result<PricedLines, PricingRefusals> {
    let codes = CodeBook::of((lines, terms), (catalog.catalog.coupons, &catalog.buyer), now);
    let pass = Pass { catalog, codes: &codes, cart_codes: &terms.coupon_codes, now };
    let mut refusals = Vec::new();
    let mut priced = Vec::with_capacity(lines.len());
    let mut traces = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        match price_line(line, pass) {
            Ok((line, tried)) => {
                priced.push(line);
                traces.push(tried);
            }
            Err(faults) => {
                refusals.extend(faults.into_iter().map(|fault| PricingRefusal::Line { index, fault }));
            }
        }
    }
    let total = Money::sum(priced.iter().map(|line| line.price().amount));
    if total.is_err() {
        refusals.push(PricingRefusal::TotalTooLarge);
    }
    match total {
        Ok(total) if refusals.is_empty() => {
            let coupon_messages =
                codes.messages((lines, terms), |code, index| pass.applies(code, &lines[index]));
            Ok(PricedLines { lines: priced, total, coupon_messages, traces })
        }
        Ok(_) | Err(MoneyOverflow) => Err(PricingRefusals(refusals)),
    }
}

/// One pass over the lines of a cart.
#[derive(Debug, Clone, Copy)]
struct Pass<'a> {
    catalog: &'a CatalogView<'a>,
    codes: &'a CodeBook<'a>,
    cart_codes: &'a [String],
    now: Timestamp,
}

impl Pass<'_> {
    /// Whether a code takes something off a line, were it not outranked.
    fn applies(&self, code: &str, line: &LineRequest) -> bool {
        let Wanted::Ticket(wanted) = &line.wanted else { return false };
        let Some(slot) = self.catalog.slots.get(&wanted.instance) else { return false };
        self.codes.reduction(code, (wanted, *slot), self.catalog.catalog.discounts).is_ok()
    }
}

fn price_line(line: &LineRequest, pass: Pass<'_>) -> Result<(CartLine, Vec<Tried>), Vec<LineFault>> {
    let LineRequest { id, wanted } = line;
    match wanted {
        Wanted::Ticket(wanted) => {
            let (line, tried) = price_ticket(id, wanted, pass)?;
            Ok((CartLine::Ticket(line), tried))
        }
        Wanted::AddOn(wanted) => {
            let line = price_add_on(id, wanted, pass.catalog).map_err(|fault| vec![fault])?;
            Ok((CartLine::AddOn(line), Vec::new()))
        }
        Wanted::Donation(wanted) => {
            let line = price_donation(id, wanted, pass.catalog).map_err(|fault| vec![fault])?;
            Ok((CartLine::Donation(Box::new(line)), Vec::new()))
        }
    }
}

fn price_ticket(
    id: &CartItemId,
    wanted: &WantedTicket,
    pass: Pass<'_>,
) -> Result<(TicketLine, Vec<Tried>), Vec<LineFault>> {
    let WantedTicket { instance, ticket_type, quantity, treatment, ignore_entitlements } = wanted;
    let Pass { catalog, codes, cart_codes, now } = pass;
    let (slot, person_type) = match (catalog.on_sale(instance, now), catalog.ticket_type(ticket_type)) {
        (Ok(slot), Ok(person_type)) => (slot, person_type),
        (slot, person_type) => return Err(slot.err().into_iter().chain(person_type.err()).collect()),
    };
    let retail = ticket_retail(slot, wanted, catalog.buyer.channel, now).map_err(|fault| vec![fault])?;
    let terms = Terms { asker: catalog.buyer.asker, discounts: catalog.catalog.discounts, codes, cart_codes };
    let too_large = |MoneyOverflow| vec![LineFault::AmountTooLarge];
    let Treatments { tried, unit, applied } = treat((wanted, slot), retail, terms).map_err(too_large)?;
    let price = line_price(retail, unit, *quantity).map_err(|fault| vec![fault])?;
    let (is_retail, coupon_codes) = match treatment {
        WantedTreatment::Best => (false, Vec::new()),
        WantedTreatment::FullPrice => (true, Vec::new()),
        WantedTreatment::Coupons(codes) => (false, codes.clone()),
    };
    let line = TicketLine {
        id: id.clone(),
        instance: *instance,
        ticket_type: ticket_type.clone(),
        quantity: *quantity,
        is_retail,
        ignore_entitlements: *ignore_entitlements,
        coupon_codes,
        event_name: slot.template.name.clone(),
        ticket_type_name: person_type.name.clone(),
        admission: slot.template.admission,
        event_start: slot.start,
        price,
        applied,
    };
    Ok((line, tried))
}

fn price_add_on(
    id: &CartItemId,
    wanted: &WantedAddOn,
    catalog: &CatalogView<'_>,
) -> Result<AddOnLine, LineFault> {
    let WantedAddOn { inventory, instance, quantity } = wanted;
    let item = catalog.inventory(*inventory)?;
    match item.kind {
        InventoryKind::AddOn | InventoryKind::MembershipCardReplacement => {}
        kind @ (InventoryKind::FixedDonation | InventoryKind::Donation) => {
            return Err(LineFault::OtherInventoryKind { kind });
        }
    }
    Ok(AddOnLine {
        id: id.clone(),
        inventory: *inventory,
        instance: *instance,
        quantity: *quantity,
        name: item.name.clone(),
        price: line_price(item.price, item.price, *quantity)?,
    })
}

fn price_donation(
    id: &CartItemId,
    wanted: &WantedDonation,
    catalog: &CatalogView<'_>,
) -> Result<DonationLine, LineFault> {
    let WantedDonation { inventory, gift, detail } = wanted;
    let item = catalog.inventory(*inventory)?;
    let (kind, retail) = match (item.kind, *gift) {
        (InventoryKind::FixedDonation, Gift::Fixed) => (DonationKind::FixedDonation, item.price),
        (InventoryKind::Donation, Gift::Chosen(amount)) => (DonationKind::Donation, amount),
        (
            kind @ (InventoryKind::AddOn
            | InventoryKind::MembershipCardReplacement
            | InventoryKind::FixedDonation
            | InventoryKind::Donation),
            Gift::Fixed | Gift::Chosen(_),
        ) => return Err(LineFault::OtherInventoryKind { kind }),
    };
    Ok(DonationLine {
        id: id.clone(),
        inventory: *inventory,
        kind,
        name: item.name.clone(),
        detail: detail.clone(),
        price: line_price(retail, retail, 1)?,
    })
}

/// Stage 1 of a ticket line: the price list in force at the moment of sale.
fn ticket_retail(
    slot: Slot<'_>,
    wanted: &WantedTicket,
    channel: Channel,
    now: Timestamp,
) -> Result<Money, LineFault> {
    let schedule = slot.template.schedule_of(&wanted.instance);
    let list = slot.template.price_list(schedule, now).ok_or(LineFault::NotPriced)?;
    list.price_of(&wanted.ticket_type, channel).map(|price| price.price).ok_or(LineFault::NotPriced)
}

/// Stage 4 of every line.
fn line_price(retail_unit: Money, unit: Money, quantity: u32) -> Result<LinePrice, LineFault> {
    let amount = unit.checked_mul(quantity).map_err(|MoneyOverflow| LineFault::AmountTooLarge)?;
    Ok(LinePrice { unit, retail_unit, amount })
}

#[cfg(test)]
mod tests;
