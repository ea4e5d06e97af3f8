//! What a checkout draws before anything is decided: identifiers, barcodes and new customers.

use crate::decide::customer_of;
use domain::cart::{Cart, CartLine};
use domain::cart_request::{LineRequest, Wanted};
use domain::checkout::{NewCard, OrderIds};
use domain::customer::Person;
use domain::membership::CardType;
use domain::membership::issue::NewMembership;
use domain::{CardId, CustomerId, MembershipId, OrderId, OrderItemId, OrderNumber, TicketBarcode};
use platform::keyed_hash::HashKey;
use platform::{ApiError, App};

/// The lines with what a checkout draws for the memberships they make: their ids, and the customers that their
/// primary holders become.
pub(crate) fn drawn(
    app: &App,
    mut lines: Vec<LineRequest>,
    key: &HashKey,
) -> Result<Vec<LineRequest>, ApiError> {
    for line in &mut lines {
        if let Wanted::Membership(wanted) = &mut line.wanted {
            let mut holders = wanted.holders.iter();
            let primary = holders.find(|holder| holder.card_type == CardType::Primary);
            wanted.drawn = Some(NewMembership {
                id: MembershipId::from_bits(app.ids.bits()?),
                number: MembershipId::number_from_bits(app.ids.bits()?),
                holder: primary.map(|holder| holder_of(app, &holder.person, key)).transpose()?,
            });
        }
    }
    Ok(lines)
}

/// The customer that the primary holder of a membership becomes: the one that its data means, else a new one.
fn holder_of(app: &App, person: &Person, key: &HashKey) -> Result<CustomerId, ApiError> {
    match customer_of(person, key) {
        Some(known) => Ok(known),
        None => app.ids.bits().map(CustomerId::from_bits),
    }
}

pub(crate) fn order_ids(app: &App, cart: &Cart) -> Result<OrderIds, ApiError> {
    let rows: usize = cart.lines.iter().map(CartLine::order_rows).sum();
    let items: Result<Vec<OrderItemId>, ApiError> =
        (0..rows).map(|_| app.ids.bits().map(OrderItemId::from_bits)).collect();
    let holders: usize = cart.lines.iter().map(CartLine::card_holders).sum();
    let card = |_| {
        let barcode = TicketBarcode::from_bytes(app.ids.bytes()?);
        Ok((CardId::from_bits(app.ids.bits()?), barcode.to_string()))
    };
    let cards: Result<Vec<NewCard>, ApiError> = (0..holders).map(card).collect();
    Ok(OrderIds {
        order: OrderId::from_bits(app.ids.bits()?),
        number: OrderNumber::from_bits(app.ids.bits()?),
        items: items?,
        cards: cards?,
    })
}
