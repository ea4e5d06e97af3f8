//! What a checkout asks for and the order it becomes (spec §2.8, §4.3; contract §6).

use crate::card::{Card, ToldCard};
use crate::card_token::SentCard;
use crate::cart::{AskedForms, Cart, CartForm, CartLine, ComboLine, LinePrice, TicketLine, response_id};
use crate::cart_request::CartRequest;
use crate::catalog::Template;
use crate::order::edit::OrderEdits;
use crate::order::{
    Admissions, AfterSale, CardSummary, FormResponse, Order, OrderAddOnLine, OrderAmounts, OrderComboLine,
    OrderDonationLine, OrderForm, OrderLine, OrderPerson, OrderState, OrderTicketLine, Payment, Ticket,
    TicketStatus, notices_of,
};
use crate::sale::Sale;
use crate::tax::{Tax, TaxShare};
use crate::tenant::Tenant;
use crate::{
    BarcodeTag, CartId, InstanceId, Language, Money, MoneyOverflow, OrderId, OrderItemId, OrderNumber,
    PaymentReference, ReservationId, TemplateId, TicketBarcode, TicketId, Timestamp,
};
use std::collections::BTreeMap;

mod decide;
mod facts;
mod membership;
mod refusal;

pub use decide::{Decision, Unread, decide, priced, refusals, tallies};
pub use facts::{
    BuyerFacts, CartOrigin, Contended, EarlierCharge, Facts, Goods, MerchantsRead, UnpricedCart,
};
pub use membership::{HolderFault, HolderRefusal, NewCard};
pub use refusal::{
    CheckoutRefusal, CodePlace, CouponRefusal, ReservationEnd, ReservationNamed, Stage, TokenRefusal,
};

/// Seconds from securing an order until whoever finds it may settle or void it.
pub const DEADLINE_SECS: i64 = 60;

/// The longest a charge may take; none begins later than this before the deadline.
pub const CHARGE_SECS: i64 = 20;

/// The longest the processor is given for an answer that moves no money. Opening, charging and asking for the
/// outcome stay together below the gateway's limit of 30 seconds.
pub const ANSWER_SECS: i64 = 4;

/// By when a checkout that began at an instant is finished, where its buyer is asked by the issuer of the card.
#[must_use]
pub fn challenge_deadline(tenant: &Tenant, begun: Timestamp) -> Timestamp {
    crate::time::plus_secs(begun, DEADLINE_SECS.max(i64::from(tenant.challenge_secs)))
}

/// The latest at which the card of a checkout that began at an instant can be charged.
#[must_use]
pub fn charged_by(request: &CheckoutRequest, tenant: &Tenant, begun: Timestamp) -> Timestamp {
    match &request.card {
        Some(SentCard::Token(_)) => challenge_deadline(tenant, begun),
        Some(SentCard::Number(_)) | None => crate::time::plus_secs(begun, DEADLINE_SECS),
    }
}

/// Seconds from a checkout until nobody is told any more what became of a question to its buyer.
pub const COMPLETION_SECS: i64 = 3_600;

/// Seconds the duplicate guard looks back, from the moment of the charge (spec §8).
pub const DUPLICATE_WINDOW_SECS: i64 = 300;

/// What is being bought.
#[derive(Debug)]
pub enum CartSource {
    /// A cart made before.
    Stored(CartId),
    /// A cart within the request.
    Inline(Box<CartRequest>),
}

/// A checkout as the caller asked for it.
#[derive(Debug)]
pub struct CheckoutRequest {
    /// What is being bought.
    pub source: CartSource,
    /// Whom the venue talks to.
    pub contact: OrderPerson,
    /// Who pays.
    pub billing: OrderPerson,
    /// Where tickets go, when not to the payer.
    pub ticket_delivery_email: Option<String>,
    /// The card, or a token of it; may be left out of an order that costs nothing.
    pub card: Option<SentCard>,
    /// What is said of the card behind a token.
    pub told: ToldCard,
    /// The visitor's remarks, without card numbers.
    pub notes: Option<String>,
    /// Whether a confirmation is mailed.
    pub send_email: bool,
    /// What the visitor reads; none where nothing was said, or there are no texts in it.
    pub locale: Option<Language>,
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
pub fn contact_of(sent: &OrderPerson, billing: &OrderPerson) -> OrderPerson {
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
    let OrderPerson { address1, address2, city, state, country, .. } = &contact;
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

/// The identifiers a new order needs, generated once it is decided what it sells.
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
    /// What the barcodes of its tickets begin with.
    pub tag: BarcodeTag,
}

/// Why a priced cart does not make an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderRefusal {
    /// Its full prices do not add up to an amount.
    TooLarge,
    /// The template of one of its tickets is not among the facts.
    TemplateGone,
    /// A membership that is renewed or changed is not among the facts.
    MembershipGone,
    /// Fewer identifiers were generated than it has rows and card holders.
    TooFewIds,
}

impl From<MoneyOverflow> for OrderRefusal {
    fn from(_: MoneyOverflow) -> Self {
        Self::TooLarge
    }
}

/// What the rows of an order are made by.
struct Making<'a> {
    facts: &'a Facts,
    order: OrderId,
    now: Timestamp,
}

/// The order of a checkout that was decided at `now`, as it is secured. Lines of quantity 0 asked for a price and are
/// left out. Of the memberships that were named, it lists those that still give something.
///
/// # Errors
/// [`OrderRefusal`] when the cart and its templates do not make an order.
pub fn order_of(
    request: &CheckoutRequest,
    facts: &Facts,
    decision: &Decision,
    ids: OrderIds,
    now: Timestamp,
) -> Result<Order, OrderRefusal> {
    let Decision { cart, customer, payment, reservation, coupons, stock, entitlements, .. } = decision;
    let OrderIds { order: id, number, items, cards, tag } = ids;
    let asked = facts.goods.asked();
    let bought = cart.lines.iter().filter(|line| line.quantity() > 0);
    let making = Making { facts, order: id.clone(), now };
    let mut rows = Rows { ids: items.into_iter(), cards: cards.into_iter(), making: &making };
    let lines: Vec<OrderLine> = bought.map(|line| rows.line(line)).collect::<Result<_, OrderRefusal>>()?;
    let of_memberships = membership::contact_of_memberships(cart);
    let contact = of_memberships.map(|holder| contact_of(&request.contact, &holder));
    let named = cart.terms();
    let giving = named.claimed_memberships().filter(|sent| !facts.context.lapsed.contains(sent));
    Ok(Order {
        id,
        tenant: facts.tenant.id,
        number,
        receipt: None,
        state: state_of(payment.as_ref(), now),
        visitor: cart.visitor.clone(),
        customer: *customer,
        contact: contact_of(contact.as_ref().unwrap_or(&request.contact), &request.billing),
        billing: request.billing.clone(),
        ticket_delivery_email: request.ticket_delivery_email.clone(),
        notes: request.notes.clone(),
        currency: facts.tenant.currency,
        total: Money::sum(lines.iter().map(|line| line.amounts().amount))?,
        retail_total: Money::sum(lines.iter().map(|line| line.amounts().retail_amount))?,
        lines,
        payment: payment.clone(),
        refunded: Money::ZERO,
        coupons: coupons.clone(),
        stock: stock.clone(),
        entitlements: entitlements.clone(),
        forms: forms_of(cart, asked),
        messages: messages_of(cart, asked.templates),
        notices: notices_of(&cart.seats(), asked.templates),
        membership_ids: giving.collect(),
        send_email: request.send_email,
        locale: request.locale.unwrap_or_else(|| facts.tenant.branding.language()),
        cart: stored(facts, cart),
        reservation: reservation.clone(),
        operator: facts.operator.clone(),
        tag: Some(tag),
        edits: OrderEdits::default(),
        created_at: now,
        chosen_clock: facts.chosen_clock,
        challenge: None,
        late_money: None,
        dispute: None,
        failed_refunds: Vec::new(),
        after_sale: AfterSale::default(),
        admission: Admissions::default(),
    })
}

/// The state of an order that is secured now: one that costs nothing is paid with it.
fn state_of(payment: Option<&Payment>, now: Timestamp) -> OrderState {
    match payment {
        Some(_) => OrderState::Pending { deadline: crate::time::plus_secs(now, DEADLINE_SECS) },
        None => OrderState::Paid { at: now },
    }
}

/// The cart, where it was stored.
fn stored(facts: &Facts, cart: &Cart) -> Option<CartId> {
    match facts.cart.origin {
        CartOrigin::Stored(_) => Some(cart.id.clone()),
        CartOrigin::Inline { .. } => None,
    }
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
    making: &'a Making<'a>,
}

impl<I: Iterator<Item = OrderItemId>, C: Iterator<Item = NewCard>> Rows<'_, I, C> {
    fn id(&mut self) -> Result<OrderItemId, OrderRefusal> {
        self.ids.next().ok_or(OrderRefusal::TooFewIds)
    }

    fn goods(&self) -> &Goods {
        &self.making.facts.goods
    }

    fn template(&self, instance: &InstanceId) -> Result<&Template, OrderRefusal> {
        let mut templates = self.goods().templates.iter();
        let found = templates.find(|template| template.owns(instance));
        found.ok_or(OrderRefusal::TemplateGone)
    }

    fn line(&mut self, line: &CartLine) -> Result<OrderLine, OrderRefusal> {
        let (id, amounts) = (self.id()?, amounts_of(line.price(), line.quantity())?);
        Ok(match line {
            CartLine::Ticket(line) => OrderLine::Ticket(self.ticket(line, id, amounts)?),
            CartLine::AddOn(line) => OrderLine::AddOn(OrderAddOnLine {
                id,
                inventory: line.inventory,
                instance: line.instance,
                name: line.name.clone(),
                amounts,
                tax: tax_in(self.goods().inventory.get(&line.inventory).map(|known| &known.tax), amounts)?,
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
                let row = membership::order_line(line, id, self.making, &mut self.cards)?;
                OrderLine::Membership(Box::new(row))
            }
        })
    }

    fn ticket(
        &self,
        line: &TicketLine,
        id: OrderItemId,
        amounts: OrderAmounts,
    ) -> Result<OrderTicketLine, OrderRefusal> {
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
            tax: tax_in(self.goods().person_types.get(&line.ticket_type).map(|known| &known.tax), amounts)?,
        })
    }

    fn combo(
        &mut self,
        line: &ComboLine,
        id: OrderItemId,
        amounts: OrderAmounts,
    ) -> Result<OrderComboLine, OrderRefusal> {
        let mut parts = Vec::with_capacity(line.parts.len());
        for part in line.ticket_lines()? {
            let (id, amounts) = (self.id()?, amounts_of(part.price, part.quantity)?);
            parts.push(self.ticket(&part, id, amounts)?);
        }
        let tax = tax_in(self.goods().combos.get(&line.combo).map(|known| &known.tax), amounts)?;
        share_tax(tax.as_ref(), &mut parts)?;
        Ok(OrderComboLine {
            id,
            combo: line.combo.clone(),
            kind: line.kind,
            name: line.name.clone(),
            ticket_type: line.ticket_type.clone(),
            ticket_type_name: line.ticket_type_name.clone(),
            parts,
            amounts,
            tax,
        })
    }
}

/// What a line contains of the tax of what it sells; none where that is gone.
fn tax_in(tax: Option<&Tax>, amounts: OrderAmounts) -> Result<Option<TaxShare>, MoneyOverflow> {
    tax.map_or(Ok(None), |tax| tax.in_amount(amounts.amount))
}

/// Shares the tax of a combo over its events, in proportion to what they cost.
fn share_tax(tax: Option<&TaxShare>, parts: &mut [OrderTicketLine]) -> Result<(), MoneyOverflow> {
    let Some(TaxShare { tax, amount }) = tax else {
        parts.iter_mut().for_each(|part| part.tax = None);
        return Ok(());
    };
    let weight = |part: &OrderTicketLine| u64::try_from(part.amounts.amount.cents()).unwrap_or_default();
    let weights: Vec<u64> = parts.iter().map(weight).collect();
    for (part, amount) in parts.iter_mut().zip(amount.allocate(&weights)?) {
        part.tax = Some(TaxShare { tax: tax.clone(), amount });
    }
    Ok(())
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

/// One ticket per visitor, line by line. `generate` gives each its id and barcode.
///
/// # Errors
/// Those of `generate`.
pub fn tickets_of<E>(
    order: &Order,
    mut generate: impl FnMut() -> Result<(TicketId, TicketBarcode), E>,
) -> Result<Vec<Ticket>, E> {
    let mut tickets = Vec::new();
    for line in order.ticket_lines() {
        for _ in 0..line.amounts.quantity {
            let (id, barcode) = generate()?;
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
        currency: order.currency,
        taxes: order.taxes(),
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
fn within_duplicate_window(paid_at: Timestamp, now: Timestamp) -> bool {
    now >= crate::time::plus_secs(paid_at, -DEADLINE_SECS)
        && now < crate::time::plus_secs(paid_at, DUPLICATE_WINDOW_SECS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(first: &str, last: &str, email: &str) -> OrderPerson {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        OrderPerson {
            first_name: text(first),
            last_name: text(last),
            email: text(email),
            ..OrderPerson::default()
        }
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
        let address = |address1: Option<&str>, address2: Option<&str>| OrderPerson {
            address1: address1.map(str::to_owned),
            address2: address2.map(str::to_owned),
            ..OrderPerson::default()
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
            assert_eq!(within_duplicate_window(paid_at, after(millis)), within, "{millis}");
        }
    }
}
