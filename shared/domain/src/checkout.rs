//! What a checkout asks for and the order it becomes (spec §2.8, §4.3; contract §6).

use crate::card::Card;
use crate::cart::{
    AppliedPrice, AskedForms, Cart, CartForm, CartLine, ComboLine, LinePrice, TicketLine, response_id,
};
use crate::cart_request::CartRequest;
use crate::catalog::{InventoryItem, Template};
use crate::channel::Channel;
use crate::coupon::Coupon;
use crate::entitlement::EntitlementUse;
use crate::membership::{Level, Membership};
use crate::order::{
    AfterSale, CardSummary, ConsumedReservation, FormResponse, Order, OrderAddOnLine, OrderAmounts,
    OrderComboLine, OrderDonationLine, OrderForm, OrderLine, OrderState, OrderTicketLine, Payment, Person,
    Pieces, Ticket, TicketStatus, notices_of,
};
use crate::sale::Sale;
use crate::{
    CartId, CouponId, CustomerId, InstanceId, InventoryId, LevelId, MembershipId, Money, MoneyOverflow,
    OrderId, OrderItemId, OrderNumber, PaymentReference, ReservationId, TemplateId, TenantId, TicketBarcode,
    TicketId, Timestamp, Zone, customer,
};
use std::collections::BTreeMap;

mod membership;

pub use membership::{HolderFault, HolderRefusal, NewCard, holder_faults, new_numbers};

/// Seconds from securing an order until whoever finds it may settle or undo it.
pub const DEADLINE_SECS: i64 = 60;

/// The longest a charge may take; none begins later than this before the deadline.
pub const CHARGE_SECS: i64 = 20;

/// The longest the processor is given for an answer that moves no money. Opening, charging and asking for the
/// outcome stay together below the gateway's limit of 30 seconds.
pub const ANSWER_SECS: i64 = 4;

/// What is being bought.
#[derive(Debug)]
pub enum CartSource {
    /// A cart made before.
    Stored(CartId),
    /// A cart within the request.
    Inline(CartRequest),
}

/// A checkout as the caller asked for it.
#[derive(Debug)]
pub struct CheckoutRequest {
    /// What is being bought.
    pub source: CartSource,
    /// Whom the venue talks to.
    pub contact: Person,
    /// Who pays.
    pub billing: Person,
    /// Where tickets go, when not to the payer.
    pub ticket_delivery_email: Option<String>,
    /// The card; may be left out of an order that costs nothing.
    pub card: Option<Card>,
    /// The visitor's remarks, without card numbers.
    pub notes: Option<String>,
    /// Whether a confirmation is mailed.
    pub send_email: bool,
    /// The reservation whose holds are consumed; outranks the cart's.
    pub reservation: Option<ReservationId>,
    /// The total the caller expects.
    pub expected_total: Option<Money>,
    /// Only checks, without effect.
    pub dry_run: bool,
}

/// The contact of an order: as sent when complete, else completed from the billing data (spec §2.8 rule 2).
/// A name is taken as a whole, so that no one gets another's last name. Of a full name, the last word is the last name.
#[must_use]
pub fn contact_of(sent: &Person, billing: &Person) -> Person {
    let mut contact = sent.clone().with_names();
    if contact.is_complete() {
        return contact;
    }
    if contact.full_name.is_none() && (contact.first_name.is_none() || contact.last_name.is_none()) {
        contact.first_name.clone_from(&billing.first_name);
        contact.last_name.clone_from(&billing.last_name);
    }
    let fields = [
        (&mut contact.email, &billing.email),
        (&mut contact.phone_number, &billing.phone_number),
        (&mut contact.zip_code, &billing.zip_code),
    ];
    for (field, from) in fields {
        if field.is_none() {
            field.clone_from(from);
        }
    }
    let Person { address1, address2, city, state, country, .. } = &contact;
    let addressed = [address1, address2, city, state, country];
    if addressed.iter().all(|field| field.is_none()) {
        contact.address1.clone_from(&billing.address1);
        contact.address2.clone_from(&billing.address2);
        contact.city.clone_from(&billing.city);
        contact.state.clone_from(&billing.state);
        contact.country.clone_from(&billing.country);
    }
    contact
}

/// The identifiers a new order needs, drawn before anything is decided.
#[derive(Debug, Clone)]
pub struct OrderIds {
    /// The order's.
    pub order: OrderId,
    /// The number printed for people.
    pub number: OrderNumber,
    /// One per row: [`CartLine::order_rows`] for each cart line.
    pub items: Vec<OrderItemId>,
    /// One for each card holder of its memberships.
    pub cards: Vec<NewCard>,
}

/// Everything an order is made of.
#[derive(Debug)]
pub struct OrderFacts<'a> {
    /// Whose sale it is.
    pub tenant: TenantId,
    /// Its identifiers.
    pub ids: OrderIds,
    /// The priced cart.
    pub cart: &'a Cart,
    /// True when the cart was stored before.
    pub cart_is_stored: bool,
    /// The templates of its tickets, with the forms they ask.
    pub asked: AskedForms<'a>,
    /// Its add-ons and donations, as they are now.
    pub inventory: &'a BTreeMap<InventoryId, InventoryItem>,
    /// The coupons of its codes, as they are now.
    pub coupons: &'a BTreeMap<CouponId, Coupon>,
    /// What its memberships use of what they are entitled to.
    pub entitlements: Vec<EntitlementUse>,
    /// The levels it buys, as they are now.
    pub levels: &'a BTreeMap<LevelId, Level>,
    /// The memberships that are renewed or changed, by the ids that were sent.
    pub memberships: &'a BTreeMap<MembershipId, Membership>,
    /// The customers who give memberships and are named by their ids, as far as they may be told.
    pub givers: BTreeMap<CustomerId, customer::Person>,
    /// The channel of the route.
    pub channel: Channel,
    /// The customer its billing data makes or finds.
    pub customer: Option<CustomerId>,
    /// How it is paid; none when it costs nothing.
    pub payment: Option<Payment>,
    /// The holds it consumes.
    pub reservation: Option<ConsumedReservation>,
    /// When the checkout began.
    pub now: Timestamp,
    /// The tenant's zone, whose days terms are made of.
    pub zone: Zone,
    /// Whether the caller chose the clock.
    pub chosen_clock: bool,
}

/// Why a priced cart does not make an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderFault {
    /// Its full prices do not add up to an amount.
    TooLarge,
    /// The template of one of its tickets is not among the templates given.
    TemplateGone,
    /// A membership that is renewed or changed is not among those given.
    MembershipGone,
    /// Fewer identifiers were drawn than it has rows and card holders.
    TooFewIds,
}

impl From<MoneyOverflow> for OrderFault {
    fn from(_: MoneyOverflow) -> Self {
        Self::TooLarge
    }
}

/// The order of a checkout, as it is secured. Lines of quantity 0 asked for a price and are left out.
///
/// # Errors
/// [`OrderFault`] when the cart and its templates do not make an order.
pub fn order_of(request: &CheckoutRequest, facts: &OrderFacts<'_>) -> Result<Order, OrderFault> {
    let OrderFacts { ids, cart, asked, now, .. } = facts;
    let bought = cart.lines.iter().filter(|line| line.quantity() > 0);
    let cards = ids.cards.iter().cloned();
    let mut rows = Rows { ids: ids.items.iter().cloned(), cards, facts };
    let lines: Result<Vec<OrderLine>, OrderFault> = bought.map(|line| rows.line(line)).collect();
    let lines = lines?;
    let state = match facts.payment {
        Some(_) => OrderState::Pending { deadline: crate::time::plus_secs(*now, DEADLINE_SECS) },
        None => OrderState::Paid { at: *now },
    };
    let of_memberships = membership::contact_of_memberships(cart);
    let contact = of_memberships.map(|holder| contact_of(&request.contact, &holder));
    Ok(Order {
        id: ids.order.clone(),
        tenant: facts.tenant,
        number: ids.number.clone(),
        state,
        visitor: cart.visitor.clone(),
        customer: facts.customer,
        contact: contact_of(contact.as_ref().unwrap_or(&request.contact), &request.billing),
        billing: request.billing.clone(),
        ticket_delivery_email: request.ticket_delivery_email.clone(),
        notes: request.notes.clone(),
        total: Money::sum(lines.iter().map(|line| line.amounts().amount))?,
        retail_total: Money::sum(lines.iter().map(|line| line.amounts().retail_amount))?,
        lines,
        payment: facts.payment.clone(),
        refunded: Money::ZERO,
        coupons: counted_coupons(cart, facts.coupons),
        stock: pieces_of(cart, facts.inventory),
        entitlements: facts.entitlements.clone(),
        forms: forms_of(cart, *asked),
        messages: messages_of(cart, asked.templates),
        notices: notices_of(&cart.seats(), asked.templates),
        membership_ids: cart.terms().claimed_memberships().collect(),
        send_email: request.send_email,
        cart: facts.cart_is_stored.then(|| cart.id.clone()),
        reservation: facts.reservation.clone(),
        created_at: *now,
        chosen_clock: facts.chosen_clock,
        after_sale: AfterSale::default(),
    })
}

/// The coupons that take something off what is bought and may be used so often only.
pub(crate) fn counted_coupons(cart: &Cart, coupons: &BTreeMap<CouponId, Coupon>) -> BTreeMap<CouponId, u32> {
    let applied = cart.lines.iter().filter(|line| line.quantity() > 0).filter_map(|line| match line {
        CartLine::Ticket(line) => Some(&line.applied),
        CartLine::Membership(line) => Some(&line.applied),
        CartLine::AddOn(_) | CartLine::Donation(_) | CartLine::Combo(_) => None,
    });
    let used = applied.filter_map(|applied| match applied {
        AppliedPrice::Coupon { coupon, code: _ } => Some(coupon),
        AppliedPrice::FullPrice | AppliedPrice::Member { .. } => None,
    });
    used.filter_map(|id| Some((id.clone(), coupons.get(id)?.max_uses?))).collect()
}

/// The pieces bought of add-ons that have a stock.
#[must_use]
pub fn pieces_of(
    cart: &Cart,
    inventory: &BTreeMap<InventoryId, InventoryItem>,
) -> BTreeMap<InventoryId, Pieces> {
    let mut bought: BTreeMap<InventoryId, Pieces> = BTreeMap::new();
    for line in &cart.lines {
        let CartLine::AddOn(line) = line else { continue };
        let stock = inventory.get(&line.inventory).and_then(|item| item.stock);
        if let Some(stock) = stock.filter(|_| line.quantity > 0) {
            let pieces = bought.entry(line.inventory).or_insert(Pieces { quantity: 0, stock });
            pieces.quantity = pieces.quantity.saturating_add(line.quantity);
        }
    }
    bought
}

/// The forms that were filled in. Answers to a form that is asked once for the cart are a response for each of
/// its events.
fn forms_of(cart: &Cart, asked: AskedForms<'_>) -> Vec<OrderForm> {
    let of_entry = |entry: &CartForm| {
        let response = |event: &InstanceId| FormResponse {
            id: response_id(&cart.id, &entry.form, Some(event)),
            event: *event,
        };
        Some(OrderForm {
            form: entry.form.clone(),
            name: asked.forms.get(&entry.form)?.name.clone(),
            once_per_cart: entry.once_per_cart,
            responses: entry.events.iter().map(response).collect(),
            answers: entry.answers.clone()?,
        })
    };
    cart.forms.iter().filter_map(of_entry).collect()
}

/// What the templates of bought tickets say in the confirmation mail.
fn messages_of(cart: &Cart, templates: &[Template]) -> BTreeMap<TemplateId, String> {
    let seats = cart.seats();
    let bought = templates.iter().filter(|template| seats.keys().any(|instance| template.owns(instance)));
    let said = bought.filter(|template| !template.email_confirmation_message.trim().is_empty());
    said.map(|template| (template.id.clone(), template.email_confirmation_message.clone())).collect()
}

/// Makes the rows of an order.
struct Rows<'a, I, C> {
    ids: I,
    cards: C,
    facts: &'a OrderFacts<'a>,
}

impl<I: Iterator<Item = OrderItemId>, C: Iterator<Item = NewCard>> Rows<'_, I, C> {
    fn id(&mut self) -> Result<OrderItemId, OrderFault> {
        self.ids.next().ok_or(OrderFault::TooFewIds)
    }

    fn template(&self, instance: &InstanceId) -> Result<&Template, OrderFault> {
        let found = self.facts.asked.templates.iter().find(|template| template.owns(instance));
        found.ok_or(OrderFault::TemplateGone)
    }

    fn line(&mut self, line: &CartLine) -> Result<OrderLine, OrderFault> {
        let (id, amounts) = (self.id()?, amounts_of(line.price(), line.quantity())?);
        Ok(match line {
            CartLine::Ticket(line) => OrderLine::Ticket(self.ticket(line, id, amounts)?),
            CartLine::AddOn(line) => OrderLine::AddOn(OrderAddOnLine {
                id,
                inventory: line.inventory,
                instance: line.instance,
                name: line.name.clone(),
                amounts,
            }),
            CartLine::Donation(line) => OrderLine::Donation(Box::new(OrderDonationLine {
                id,
                inventory: line.inventory,
                kind: line.kind,
                name: line.name.clone(),
                detail: line.detail.clone(),
                amounts,
            })),
            CartLine::Combo(line) => OrderLine::Combo(Box::new(self.combo(line, id, amounts)?)),
            CartLine::Membership(line) => {
                let row = membership::order_line(line, id, self.facts, &mut self.cards)?;
                OrderLine::Membership(Box::new(row))
            }
        })
    }

    fn ticket(
        &self,
        line: &TicketLine,
        id: OrderItemId,
        amounts: OrderAmounts,
    ) -> Result<OrderTicketLine, OrderFault> {
        let template = self.template(&line.instance)?;
        Ok(OrderTicketLine {
            id,
            instance: line.instance,
            shard: 0,
            template: template.id.clone(),
            ticket_type: line.ticket_type.clone(),
            event_name: line.event_name.clone(),
            ticket_type_name: line.ticket_type_name.clone(),
            event_start: line.event_start,
            admission: line.admission,
            hide_event_date: template.ticket_details.hide_event_date,
            amounts,
            applied: Some(line.applied.clone()),
            cart_item: Some(line.id.clone()),
        })
    }

    fn combo(
        &mut self,
        line: &ComboLine,
        id: OrderItemId,
        amounts: OrderAmounts,
    ) -> Result<OrderComboLine, OrderFault> {
        let mut parts = Vec::with_capacity(line.parts.len());
        for part in line.ticket_lines()? {
            let (id, amounts) = (self.id()?, amounts_of(part.price, part.quantity)?);
            parts.push(self.ticket(&part, id, amounts)?);
        }
        Ok(OrderComboLine {
            id,
            combo: line.combo.clone(),
            kind: line.kind,
            name: line.name.clone(),
            ticket_type: line.ticket_type.clone(),
            ticket_type_name: line.ticket_type_name.clone(),
            parts,
            amounts,
        })
    }
}

fn amounts_of(price: LinePrice, quantity: u32) -> Result<OrderAmounts, MoneyOverflow> {
    let LinePrice { unit, retail_unit, amount } = price;
    Ok(OrderAmounts {
        quantity,
        retail_unit,
        unit,
        retail_amount: retail_unit.checked_mul(quantity)?,
        amount,
    })
}

/// What may be kept of a card.
#[must_use]
pub fn card_summary(card: &Card) -> CardSummary {
    CardSummary { brand: card.brand(), last_four: card.last_four().to_owned(), expiry: card.expiry }
}

/// One ticket per visitor, line by line. `draw` gives each its id and barcode.
///
/// # Errors
/// Those of `draw`.
pub fn tickets_of<E>(
    order: &Order,
    mut draw: impl FnMut() -> Result<(TicketId, TicketBarcode), E>,
) -> Result<Vec<Ticket>, E> {
    let mut tickets = Vec::new();
    for line in order.ticket_lines() {
        for _ in 0..line.amounts.quantity {
            let (id, barcode) = draw()?;
            let line = line.id.clone();
            tickets.push(Ticket { id, barcode, line, status: TicketStatus::Normal, printed: false });
        }
    }
    Ok(tickets)
}

/// The sale of a charged order, whose payment the processor knows by `reference`.
#[must_use]
pub fn sale_of(order: &Order, reference: &PaymentReference, captured_at: Timestamp) -> Option<Sale> {
    let payment = order.payment.as_ref()?;
    Some(Sale {
        id: payment.sale.clone(),
        order: order.id.clone(),
        mid: payment.mid.clone(),
        reference: Some(reference.clone()),
        amount: payment.amount,
        remainder: payment.amount,
        rate_card: payment.rate_card,
        card: payment.card.clone(),
        captured_at,
        refunds: BTreeMap::new(),
        version: 0,
    })
}

/// Whether an order charged at `paid_at` forbids the same charge to a request that arrived at `now` (contract
/// §6): from the moment of the charge to just under five minutes later. A request that arrived while the charge
/// was under way may find it finished, so the time a charge may take counts too; one from long before the
/// charge comes from a caller of a sandbox who chose an earlier clock.
#[must_use]
pub fn within_duplicate_window(paid_at: Timestamp, now: Timestamp, window_secs: i64) -> bool {
    now >= crate::time::plus_secs(paid_at, -DEADLINE_SECS)
        && now < crate::time::plus_secs(paid_at, window_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(first: &str, last: &str, email: &str) -> Person {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Person { first_name: text(first), last_name: text(last), email: text(email), ..Person::default() }
    }

    #[test]
    fn incomplete_contact_data_is_completed_from_the_billing_data() {
        let billing = person("Pat", "Payer", "pat@example.test");
        for (sent, first, last, email) in [
            (person("", "", ""), "Pat", "Payer", "pat@example.test"),
            (person("Ines", "Okafor", "ines@example.test"), "Ines", "Okafor", "ines@example.test"),
            (person("Ines", "", "ines@example.test"), "Pat", "Payer", "ines@example.test"),
            (person("Ines", "Okafor", ""), "Ines", "Okafor", "pat@example.test"),
        ] {
            let contact = contact_of(&sent, &billing);
            assert_eq!(contact.first_name.as_deref(), Some(first));
            assert_eq!(contact.last_name.as_deref(), Some(last));
            assert_eq!(contact.email.as_deref(), Some(email));
        }
    }

    #[test]
    fn an_address_of_which_a_part_was_sent_is_not_completed_from_the_billing_data() {
        let address = |address1: Option<&str>, address2: Option<&str>| Person {
            address1: address1.map(str::to_owned),
            address2: address2.map(str::to_owned),
            ..Person::default()
        };
        let billing = address(Some("18 Quay Street"), Some("Floor 1"));
        for (sent, expected) in [
            (address(None, None), (Some("18 Quay Street"), Some("Floor 1"))),
            (address(None, Some("Floor 2")), (None, Some("Floor 2"))),
            (address(Some("1 Pier Road"), None), (Some("1 Pier Road"), None)),
        ] {
            let contact = contact_of(&sent, &billing);
            assert_eq!((contact.address1.as_deref(), contact.address2.as_deref()), expected);
        }
    }

    #[test]
    fn the_duplicate_window_lasts_from_the_charge_to_just_before_five_minutes() {
        let paid_at = chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let after = |millis: i64| paid_at + chrono::Duration::milliseconds(millis);
        for (millis, within) in
            [(-60_001, false), (-60_000, true), (0, true), (299_900, true), (300_000, false)]
        {
            assert_eq!(within_duplicate_window(paid_at, after(millis), 300), within, "{millis}");
        }
    }
}
