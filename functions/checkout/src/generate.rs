//! What a checkout generates: new customers and memberships before it is decided, and the identifiers of its order
//! afterwards.

use adapters::keyed_hash::HashKey;
use adapters::{AdapterFault, App};
use domain::cart::{Cart, CartLine};
use domain::cart_request::{LineRequest, Wanted};
use domain::checkout::{NewCard, OrderIds};
use domain::customer::{Person, match_text, plain_fields};
use domain::membership::issue::NewMembership;
use domain::{
    BarcodeTag, CardId, CustomerId, MembershipId, OrderId, OrderItemId, OrderNumber, SaleId, TenantId,
    TicketBarcode,
};
use std::collections::BTreeMap;
use web::cart::Existing;

/// The people of a checkout who may be customers already: whoever pays, holds cards or gives them.
pub(crate) fn people<'a>(
    billing: &domain::order::OrderPerson,
    lines: impl IntoIterator<Item = &'a Wanted>,
) -> Vec<Person> {
    let mut people = vec![billing.into()];
    for line in lines {
        let Wanted::Membership(wanted) = line else { continue };
        people.extend(wanted.holders.iter().map(|holder| holder.person.clone()));
        people.extend(wanted.giver.as_ref().map(|giver| giver.person.clone()));
    }
    people
}

/// The customer that data means, where nothing of it is missing (spec §2.8 rule 3). The id is a keyed hash of what
/// customers are compared by, so the same data finds the same customer without a search, and nobody can guess it.
pub(crate) fn customer_of(person: &Person, key: &HashKey) -> Option<CustomerId> {
    let fields = match_text(person)?;
    let parts = fields.each_ref().map(String::as_bytes);
    let hash = key.hash("customer", &parts);
    let bits = hash.iter().take(8).fold(0_u64, |bits, byte| (bits << 8) | u64::from(*byte));
    Some(CustomerId::from_bits(bits))
}

/// The lines with what a checkout generates for the memberships they make: their ids, and the customers that their
/// holders and givers become.
pub(crate) fn generated(
    app: &App,
    tenant: TenantId,
    existing: &Existing,
    mut lines: Vec<LineRequest>,
    key: &HashKey,
) -> Result<Vec<LineRequest>, AdapterFault> {
    let mut register = Register { app, tenant, existing, key, generated: BTreeMap::new() };
    for line in &mut lines {
        let Wanted::Membership(wanted) = &mut line.wanted else { continue };
        let holders = wanted.holders.iter().map(|holder| register.customer(holder.customer, &holder.person));
        let holders: Result<Vec<Option<CustomerId>>, AdapterFault> = holders.collect();
        let giver = wanted.giver.as_ref().map(|giver| register.customer(giver.customer, &giver.person));
        wanted.generated = Some(NewMembership {
            id: MembershipId::from_bits(app.ids.bits()?),
            number: MembershipId::number_from_bits(app.ids.bits()?),
            holders: holders?,
            giver: giver.transpose()?.flatten(),
        });
    }
    Ok(lines)
}

/// Who becomes which customer in one checkout; the same person is the same customer (decision record 0078).
struct Register<'a> {
    app: &'a App,
    tenant: TenantId,
    existing: &'a Existing,
    key: &'a HashKey,
    generated: BTreeMap<[String; 10], CustomerId>,
}

impl Register<'_> {
    /// The customer that someone becomes: the one that the data means, else a new one. Nobody becomes one who was
    /// named as one, or of whom too little is known.
    fn customer(
        &mut self,
        named: Option<CustomerId>,
        person: &Person,
    ) -> Result<Option<CustomerId>, AdapterFault> {
        if named.is_some() || !person.can_be_customer() {
            return Ok(None);
        }
        let data = plain_fields(person);
        let known = self.generated.get(&data).copied();
        let known = known.or_else(|| self.existing.customer_of(self.tenant, person));
        let customer = match known.or_else(|| customer_of(person, self.key)) {
            Some(known) => known,
            None => self.app.ids.bits().map(CustomerId::from_bits)?,
        };
        self.generated.insert(data, customer);
        Ok(Some(customer))
    }
}

/// The sale that a charge becomes.
pub(crate) fn sale(app: &App) -> Result<SaleId, AdapterFault> {
    app.ids.bytes().map(SaleId::from_bytes)
}

/// The identifiers of the order of a cart.
pub(crate) fn order_ids(app: &App, cart: &Cart) -> Result<OrderIds, AdapterFault> {
    let rows: usize = cart.lines.iter().map(CartLine::order_rows).sum();
    let items: Result<Vec<OrderItemId>, AdapterFault> =
        (0..rows).map(|_| app.ids.bits().map(OrderItemId::from_bits)).collect();
    let holders: usize = cart.lines.iter().map(CartLine::card_holders).sum();
    let card = |_| {
        let barcode = TicketBarcode::from_bytes(app.ids.bytes()?);
        Ok((CardId::from_bits(app.ids.bits()?), barcode.to_string()))
    };
    let cards: Result<Vec<NewCard>, AdapterFault> = (0..holders).map(card).collect();
    Ok(OrderIds {
        order: OrderId::from_bits(app.ids.bits()?),
        number: OrderNumber::from_bits(app.ids.bits()?),
        items: items?,
        cards: cards?,
        tag: BarcodeTag::from_bytes(app.ids.bytes()?),
    })
}
