//! The price of a combo. Its full price is the sum of what its tickets cost one by one; what it costs follows
//! from its definition alone, and is split over its events so that the shares add up to the cent.

use super::refusal::{ComboFault, PartFault, Unsold};
use super::rule::{PricingRule, Source, Tried};
use super::{Pass, PricedSlot, line_price, ticket_price};
use crate::cart::{ComboLine, ComboLinePart};
use crate::cart_request::WantedCombo;
use crate::combo::{Combo, ComboPart, ComboTerms};
use crate::coupon::{Reduced, Reduction};
use crate::{CartItemId, InstanceId, Money, MoneyOverflow, TemplateId};
use std::collections::BTreeSet;

/// The chosen instance of a part.
struct Chosen<'a> {
    /// Its place in the request.
    sent: usize,
    instance: InstanceId,
    slot: PricedSlot<'a>,
    part: &'a ComboPart,
}

/// What one combo costs.
struct Split {
    /// In full.
    retail: Money,
    /// By its terms.
    reduced: Reduced,
    /// What each part's tickets cost together, in the order of the definition.
    shares: Vec<Money>,
}

pub(super) fn price_combo(
    id: &CartItemId,
    wanted: &WantedCombo,
    pass: Pass<'_>,
) -> Result<(ComboLine, Vec<Tried>), Vec<ComboFault>> {
    let WantedCombo { combo, ticket_type, quantity, parts: _ } = wanted;
    let definition = pass.catalog.catalog.combos.get(combo).filter(|combo| combo.active);
    let definition = definition.ok_or(ComboFault::UnknownCombo);
    let person_type = pass.catalog.ticket_type(ticket_type).map_err(|_| ComboFault::UnknownTicketType);
    let (definition, person_type) = match (definition, person_type) {
        (Ok(definition), Ok(person_type)) => (definition, person_type),
        (definition, person_type) => {
            return Err(definition.err().into_iter().chain(person_type.err()).collect());
        }
    };
    let chosen = choose_slots(definition, wanted, pass)?;
    let terms = definition.terms_of(ticket_type, pass.catalog.catalog.discounts);
    let terms = terms.ok_or_else(|| vec![ComboFault::NotPriced])?;
    let retails = retails_of(&chosen, wanted, pass)?;
    let too_large = |MoneyOverflow| vec![ComboFault::AmountTooLarge];
    let Split { retail, reduced, shares } = split(&chosen, &retails, terms).map_err(too_large)?;
    let line = ComboLine {
        id: id.clone(),
        combo: combo.clone(),
        kind: definition.kind(),
        name: definition.name.clone(),
        ticket_type: ticket_type.clone(),
        ticket_type_name: person_type.name.clone(),
        quantity: *quantity,
        parts: parts_as_sent(&chosen, retails.into_iter().zip(shares)),
        price: line_price(retail, reduced.unit, *quantity).map_err(too_large)?,
    };
    let full = Reduced { exact: retail.exact(), unit: retail };
    let tried = |rule, source, price, chosen| Tried { rule, source, price: Ok(price), chosen };
    let traces = vec![
        tried(PricingRule::FullPrice, Source::Line, full, false),
        tried(PricingRule::Combo, Source::Combo(combo.clone()), reduced, true),
    ];
    Ok((line, traces))
}

/// The slots of all parts, in the order of the definition.
fn choose_slots<'a>(
    definition: &'a Combo,
    wanted: &WantedCombo,
    pass: Pass<'a>,
) -> Result<Vec<Chosen<'a>>, Vec<ComboFault>> {
    let mut faults = Vec::new();
    let mut chosen: Vec<Chosen<'a>> = Vec::with_capacity(definition.parts.len());
    let mut taken = BTreeSet::new();
    for (sent, instance) in wanted.parts.iter().enumerate() {
        match choose_slot(definition, *instance, &mut taken, pass) {
            Ok((slot, part)) => chosen.push(Chosen { sent, instance: *instance, slot, part }),
            Err(fault) => faults.push(ComboFault::Part { part: sent, fault }),
        }
    }
    if faults.is_empty() && chosen.len() < definition.parts.len() {
        faults.push(ComboFault::PartMissing);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let place = |chosen: &Chosen<'_>| definition.parts.iter().position(|part| part == chosen.part);
    chosen.sort_by_key(place);
    Ok(chosen)
}

/// The slot of one instance with the part it is for. What the buyer may not see is unknown, whatever the combo
/// would make of it.
fn choose_slot<'a>(
    definition: &'a Combo,
    instance: InstanceId,
    taken: &mut BTreeSet<&'a TemplateId>,
    pass: Pass<'a>,
) -> Result<(PricedSlot<'a>, &'a ComboPart), PartFault> {
    let sold = pass.catalog.on_sale(&instance, pass.now);
    let slot = match sold {
        Err(Unsold::Unknown) => None,
        Ok(_) | Err(Unsold::Closed(_)) => pass.catalog.slots.get(&instance),
    };
    let slot = *slot.ok_or(PartFault::UnknownEvent)?;
    let part = definition.part_of(&slot.template.id).ok_or(PartFault::Foreign)?;
    if !taken.insert(&part.template) {
        return Err(PartFault::Duplicate);
    }
    match sold {
        Err(Unsold::Closed(closed)) => Err(PartFault::SalesClosed(closed)),
        Ok(_) | Err(Unsold::Unknown) => Ok((slot, part)),
    }
}

/// The full price of one ticket of each part.
fn retails_of(
    chosen: &[Chosen<'_>],
    wanted: &WantedCombo,
    pass: Pass<'_>,
) -> Result<Vec<Money>, Vec<ComboFault>> {
    let mut faults = Vec::new();
    let mut retails = Vec::with_capacity(chosen.len());
    for chosen in chosen {
        let Chosen { slot, instance, .. } = chosen;
        match ticket_price(*slot, instance, &wanted.ticket_type, pass.catalog.context.channel, pass.now) {
            Some(entry) => retails.push(entry.price),
            None => faults.push(ComboFault::Part { part: chosen.sent, fault: PartFault::NotPriced }),
        }
    }
    if faults.is_empty() { Ok(retails) } else { Err(faults) }
}

/// A price for all parts is shared in proportion to what they cost by themselves; a reduction applies to each
/// ticket. Neither makes a combo dearer than its tickets.
fn split(chosen: &[Chosen<'_>], retails: &[Money], terms: ComboTerms) -> Result<Split, MoneyOverflow> {
    let quantities = chosen.iter().map(|chosen| chosen.part.quantity);
    let full: Result<Vec<Money>, MoneyOverflow> = retails
        .iter()
        .zip(quantities.clone())
        .map(|(retail, quantity)| retail.checked_mul(quantity))
        .collect();
    let full = full?;
    let retail = Money::sum(full.iter().copied())?;
    match terms {
        ComboTerms::Whole(price) => {
            let reduced = Reduction::FixedPrice(price).apply(retail)?;
            let weights: Vec<u64> =
                full.iter().map(|full| u64::try_from(full.cents()).unwrap_or_default()).collect();
            Ok(Split { retail, reduced, shares: reduced.unit.allocate(&weights)? })
        }
        ComboTerms::Each(reduction) => {
            let mut exact = Money::ZERO.exact();
            let mut shares = Vec::with_capacity(retails.len());
            for (retail, quantity) in retails.iter().zip(quantities) {
                let ticket = reduction.apply(*retail)?;
                exact = exact.plus(ticket.exact, quantity)?;
                shares.push(ticket.unit.checked_mul(quantity)?);
            }
            let unit = Money::sum(shares.iter().copied())?;
            Ok(Split { retail, reduced: Reduced { exact, unit }, shares })
        }
    }
}

/// The parts with the full price of a ticket and the share of each, in the order they were sent in.
fn parts_as_sent(chosen: &[Chosen<'_>], prices: impl Iterator<Item = (Money, Money)>) -> Vec<ComboLinePart> {
    let part = |(chosen, (retail_unit, share)): (&Chosen<'_>, (Money, Money))| ComboLinePart {
        instance: chosen.instance,
        quantity: chosen.part.quantity,
        event_name: chosen.slot.template.name.clone(),
        admission: chosen.slot.template.admission,
        event_start: chosen.slot.start,
        retail_unit,
        share,
    };
    let mut parts: Vec<(usize, ComboLinePart)> =
        chosen.iter().zip(prices).map(|both| (both.0.sent, part(both))).collect();
    parts.sort_by_key(|(sent, _)| *sent);
    parts.into_iter().map(|(_, part)| part).collect()
}
