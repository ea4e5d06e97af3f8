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
mod combo;
mod membership;
mod refusal;
mod rule;
mod treatment;

pub use refusal::{
    Closed, ComboFault, LineFault, MembershipSaleFault, PartFault, PricingRefusal, PricingRefusals,
    RefusalClass,
};
pub use rule::{Inapplicable, PricingRule, Source, Tried};
pub use treatment::{DiscountedUnit, PricedTicket, discounted_unit, listed_unit};

use crate::buyer::Buyer;
use crate::cart::{AddOnLine, CartLine, DonationKind, DonationLine, LinePrice, PricedLines, TicketLine};
use crate::cart_request::{
    CartTerms, Gift, LineRequest, MAX_TICKETS, Wanted, WantedAddOn, WantedDonation, WantedTicket,
    WantedTreatment,
};
use crate::catalog::{InventoryItem, InventoryKind, PersonType, Price, Template};
use crate::channel::{Channel, channel_allowed};
use crate::combo::Combo;
use crate::coupon::{Coupon, Discount};
use crate::ledger::{Ledger, SlotState};
use crate::membership::{Level, Membership};
use crate::sale_window::{DatedSlot, Offer, Sight, Unlisted};
use crate::time::plus_secs;
use crate::{
    CartItemId, ComboTemplateId, CouponId, DiscountId, InstanceId, InventoryId, LevelId, MembershipId, Money,
    MoneyOverflow, TicketTypeId, Timestamp, Zone,
};
use codes::CodeBook;
use refusal::Unsold;
use std::collections::{BTreeMap, BTreeSet};
use treatment::{PriceFactors, Treatments, treat};

/// What a tenant sells.
#[derive(Debug, Clone, Copy)]
pub struct PricingCatalog<'a> {
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
    /// All combos.
    pub combos: &'a BTreeMap<ComboTemplateId, Combo>,
    /// All membership levels.
    pub levels: &'a BTreeMap<LevelId, Level>,
}

/// On whose behalf a cart is priced.
#[derive(Debug, Clone, Copy)]
pub struct PricingContext<'a> {
    /// The channel of the route.
    pub channel: Channel,
    /// Whose benefits count.
    pub buyer: &'a Buyer,
    /// The tenant's zone, whose dates the sale dates of coupons are.
    pub zone: Zone,
    /// Coupons that were used as often as they may be.
    pub used_up: &'a BTreeSet<CouponId>,
    /// The memberships that lines are done with, by the ids that were sent.
    pub memberships: &'a BTreeMap<MembershipId, Membership>,
}

/// A dated slot, with its template.
#[derive(Debug, Clone, Copy)]
pub struct PricedSlot<'a> {
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
    catalog: PricingCatalog<'a>,
    slots: BTreeMap<InstanceId, PricedSlot<'a>>,
    context: PricingContext<'a>,
}

impl<'a> CatalogView<'a> {
    /// The catalog with the slots that exist, as their ledgers say.
    #[must_use]
    pub fn of_ledgers<'l>(
        catalog: PricingCatalog<'a>,
        context: PricingContext<'a>,
        ledgers: impl IntoIterator<Item = &'l Ledger>,
    ) -> Self {
        let slots = ledgers.into_iter().filter(|ledger| ledger.exists()).filter_map(|ledger| {
            let template = catalog.templates.iter().find(|template| template.id == ledger.template)?;
            let slot = PricedSlot { template, start: ledger.start, end: ledger.end, state: ledger.state };
            Some((ledger.instance, slot))
        });
        Self { catalog, slots: slots.collect(), context }
    }

    /// The catalog with slots as they were generated, as far as their ids tell: staff may have moved,
    /// cancelled or deleted them since. What is priced so must be confirmed by the ledgers.
    #[must_use]
    pub fn assumed(
        catalog: PricingCatalog<'a>,
        context: PricingContext<'a>,
        instances: impl IntoIterator<Item = InstanceId>,
    ) -> Self {
        let slots = instances.into_iter().filter_map(|instance| {
            let template = catalog.templates.iter().find(|template| template.owns(&instance))?;
            let start = instance.start();
            let end = plus_secs(start, template.slot_secs(&instance));
            Some((instance, PricedSlot { template, start, end, state: SlotState::Active }))
        });
        Self { catalog, slots: slots.collect(), context }
    }

    /// The slot, if it is on sale. Seats are not looked at: they are taken at checkout.
    fn on_sale(&self, instance: &InstanceId, now: Timestamp) -> Result<PricedSlot<'a>, Unsold> {
        let slot = *self.slots.get(instance).ok_or(Unsold::Unknown)?;
        let PricedSlot { template, start, end, state } = slot;
        let dated = DatedSlot { template, instance: *instance, start, end, state, available_seats: 1 };
        let sight = Sight {
            visible: self.context.buyer.may_buy(template, start),
            channel_enabled: template.is_sold_through(template.schedule_of(instance), self.context.channel),
            zone: self.context.zone,
        };
        match dated.offer(sight, now) {
            Offer::OnSale { seats: _ } | Offer::SoldOut => Ok(slot),
            Offer::NotListed(Unlisted::NotPublished | Unlisted::Hidden) => Err(Unsold::Unknown),
            Offer::NotListed(Unlisted::Cancelled) => Err(Unsold::Closed(Closed::Cancelled)),
            Offer::NotListed(Unlisted::Ended) => Err(Unsold::Closed(Closed::Ended)),
            Offer::NotListed(Unlisted::ChannelOff) => Err(Unsold::Closed(Closed::ChannelOff)),
            Offer::NotListed(Unlisted::WindowClosed { closed_at }) => {
                Err(Unsold::Closed(Closed::Window { closed_at }))
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
            found.filter(|item| item.active && channel_allowed(&item.sales_channels, self.context.channel));
        offered.ok_or(LineFault::UnknownInventory)
    }
}

/// Priced lines, with how their prices came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedLines {
    /// What they cost.
    pub priced: PricedLines,
    /// Of each line, the rules that were tried; of add-ons and donations, none.
    pub traces: Vec<Vec<Tried>>,
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
    price_explained(lines, terms, catalog, now).map(|explained| explained.priced)
}

/// Prices lines as [`price`] does, and says how their prices came about.
///
/// # Errors
/// [`PricingRefusals`] with every fault of every line.
pub fn price_explained(
    lines: &[LineRequest],
    terms: &CartTerms,
    catalog: &CatalogView<'_>,
    now: Timestamp,
) -> Result<ExplainedLines, PricingRefusals> {
    let codes = CodeBook::new(lines, terms, catalog.catalog.coupons, &catalog.context, now);
    let pass = Pass { catalog, codes: &codes, scope: CodeScope::AllLines, now };
    let memberships = membership::price_memberships(lines, pass);
    // Tickets have the benefits of the memberships beside them (spec §4.1 rule 5).
    let buyer = catalog.context.buyer.with(membership::claims(&memberships, catalog.context));
    let joined;
    let pass = if memberships.is_empty() {
        pass
    } else {
        joined =
            CatalogView { context: PricingContext { buyer: &buyer, ..catalog.context }, ..catalog.clone() };
        Pass { catalog: &joined, scope: CodeScope::Memberships, ..pass }
    };
    let priced = gather(lines, memberships, pass);
    let mut refusals = priced.refusals;
    let total = Money::sum(priced.lines.iter().map(|line| line.price().amount));
    if total.is_err() {
        refusals.push(PricingRefusal::TotalTooLarge);
    }
    if membership::has_too_many_cards(&priced.lines) {
        refusals.push(PricingRefusal::TooManyCards);
    }
    if has_too_many_tickets(&priced.lines) {
        refusals.push(PricingRefusal::TooManyTickets);
    }
    match total {
        Ok(total) if refusals.is_empty() => {
            let coupon_messages =
                codes.messages(lines, terms, |code, rule, index| pass.applies(code, rule, &lines[index]));
            let traces = priced.traces;
            let priced = PricedLines { lines: priced.lines, total, coupon_messages };
            Ok(ExplainedLines { priced, traces })
        }
        Ok(_) | Err(MoneyOverflow) => Err(PricingRefusals(refusals)),
    }
}

/// A line with the rules that were tried on it, or its faults.
type LineOutcome = Result<(CartLine, Vec<Tried>), Vec<LineFault>>;

/// Lines as far as they could be priced.
#[derive(Default)]
struct Gathered {
    lines: Vec<CartLine>,
    traces: Vec<Vec<Tried>>,
    refusals: Vec<PricingRefusal>,
}

/// Prices all lines but the memberships, which have been priced, and puts them together in their order.
fn gather(lines: &[LineRequest], mut memberships: BTreeMap<usize, LineOutcome>, pass: Pass<'_>) -> Gathered {
    let mut gathered = Gathered {
        lines: Vec::with_capacity(lines.len()),
        traces: Vec::with_capacity(lines.len()),
        refusals: Vec::new(),
    };
    for (index, line) in lines.iter().enumerate() {
        match memberships.remove(&index).unwrap_or_else(|| price_line(line, pass)) {
            Ok((line, tried)) => {
                gathered.lines.push(line);
                gathered.traces.push(tried);
            }
            Err(faults) => {
                let index = place(lines, index);
                let faults = faults.into_iter().map(|fault| PricingRefusal::Line { index, fault });
                gathered.refusals.extend(faults);
            }
        }
    }
    gathered
}

/// The place of a line among the combos or among the other lines, whichever it is one of.
fn place(lines: &[LineRequest], index: usize) -> usize {
    let is_combo = |line: &LineRequest| matches!(line.wanted, Wanted::Combo(_));
    let like = |line: &&LineRequest| lines.get(index).is_some_and(|own| is_combo(own) == is_combo(line));
    lines.iter().take(index).filter(like).count()
}

/// Whether the tickets of combos make too many with those of other lines, which are counted where they are read.
fn has_too_many_tickets(lines: &[CartLine]) -> bool {
    let is_combo = |line: &CartLine| matches!(line, CartLine::Combo(_));
    let tickets = lines.iter().flat_map(CartLine::seats).map(|(_, tickets)| tickets);
    lines.iter().any(is_combo) && tickets.fold(0, u32::saturating_add) > MAX_TICKETS
}

/// One pass over the lines of a cart.
#[derive(Debug, Clone, Copy)]
struct Pass<'a> {
    catalog: &'a CatalogView<'a>,
    codes: &'a CodeBook<'a>,
    scope: CodeScope,
    now: Timestamp,
}

/// What the codes of a cart are for (spec §4.1 rules 4 and 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CodeScope {
    /// All eligible lines.
    AllLines,
    /// The memberships among them.
    Memberships,
}

impl Pass<'_> {
    /// Whether a code takes something off a line by this rule, were it not outranked.
    fn applies(&self, code: &str, rule: PricingRule, line: &LineRequest) -> bool {
        match &line.wanted {
            Wanted::Ticket(_) if rule == PricingRule::CartCoupon && self.scope == CodeScope::Memberships => {
                false
            }
            Wanted::Ticket(wanted) => {
                let slot = self.catalog.slots.get(&wanted.instance);
                let found = self.codes.find(code).zip(slot);
                found.is_some_and(|(code, slot)| {
                    code.reduction(wanted, *slot, self.catalog.catalog.discounts).is_ok()
                })
            }
            Wanted::Membership(wanted) => {
                let found = self.codes.find(code);
                found.is_some_and(|code| membership::reduction(code, wanted, *self).is_ok())
            }
            Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Combo(_) => false,
        }
    }
}

fn price_line(line: &LineRequest, pass: Pass<'_>) -> LineOutcome {
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
        Wanted::Combo(wanted) => {
            let of_combo =
                |faults: Vec<ComboFault>| faults.into_iter().map(LineFault::Combo).collect::<Vec<_>>();
            let (line, tried) = combo::price_combo(id, wanted, pass).map_err(of_combo)?;
            Ok((CartLine::Combo(Box::new(line)), tried))
        }
        Wanted::Membership(wanted) => {
            let (line, tried) =
                membership::price_membership(id, wanted, pass).map_err(|fault| vec![fault])?;
            Ok((CartLine::Membership(Box::new(line)), tried))
        }
    }
}

fn price_ticket(
    id: &CartItemId,
    wanted: &WantedTicket,
    pass: Pass<'_>,
) -> Result<(TicketLine, Vec<Tried>), Vec<LineFault>> {
    let WantedTicket { instance, ticket_type, quantity, treatment, ignore_entitlements } = wanted;
    let Pass { catalog, codes, scope, now } = pass;
    let slot = catalog.on_sale(instance, now).map_err(LineFault::from);
    let (slot, person_type) = match (slot, catalog.ticket_type(ticket_type)) {
        (Ok(slot), Ok(person_type)) => (slot, person_type),
        (slot, person_type) => return Err(slot.err().into_iter().chain(person_type.err()).collect()),
    };
    let entry = ticket_price(slot, instance, ticket_type, catalog.context.channel, now);
    let entry = entry.ok_or_else(|| vec![LineFault::NotPriced])?;
    let terms =
        PriceFactors { buyer: catalog.context.buyer, discounts: catalog.catalog.discounts, codes, scope };
    let too_large = |MoneyOverflow| vec![LineFault::AmountTooLarge];
    let Treatments { tried, unit, applied } = treat(wanted, slot, entry, terms).map_err(too_large)?;
    let price = line_price(entry.price, unit, *quantity).map_err(too_large)?;
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

/// Stage 1 of a ticket: the price list in force at the moment of sale.
fn ticket_price<'a>(
    slot: PricedSlot<'a>,
    instance: &InstanceId,
    ticket_type: &TicketTypeId,
    channel: Channel,
    now: Timestamp,
) -> Option<&'a Price> {
    let list = slot.template.price_list(slot.template.schedule_of(instance), now)?;
    list.price_of(ticket_type, channel)
}

/// Stage 4 of every line.
fn line_price(retail_unit: Money, unit: Money, quantity: u32) -> Result<LinePrice, MoneyOverflow> {
    Ok(LinePrice { unit, retail_unit, amount: unit.checked_mul(quantity)? })
}

#[cfg(test)]
mod tests;
