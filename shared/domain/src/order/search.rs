//! What orders are looked for by, and which of those that were found are wanted (decision record 0141).

use super::{CheckIn, Order, OrderAmounts, OrderLine, OrderPerson, OrderRow, OrderTicketLine, RefundStatus};
use crate::compare::{comparable, comparable_phone};
use crate::email::comparable_email;
use crate::listing::Range;
use crate::membership::CardType;
use crate::{Channel, CustomerId, InstanceId, MembershipId, Money, OrderNumber, Timestamp};
use chrono::NaiveDate;
use std::collections::BTreeSet;

/// Letters of a last name that someone has to know to look for it.
pub const NAME_LETTERS: usize = 3;

/// The letters that a name is looked up by, as names are compared; none of one that is too short.
#[must_use]
pub fn first_letters(name: &str) -> Option<String> {
    let letters: String = comparable(name).chars().take(NAME_LETTERS).collect();
    (letters.chars().count() == NAME_LETTERS).then_some(letters)
}

/// The day of an instant, by which orders are looked up. Days are those of UTC: an order's days then follow from the
/// order alone, whatever zone its venue has by now.
#[must_use]
pub fn lookup_day(at: Timestamp) -> NaiveDate {
    at.date_naive()
}

impl Order {
    /// Everybody it is known by the name of: contact, payer, and the holders of the memberships it made or changed, as
    /// they were when it was sold.
    #[must_use]
    pub fn people(&self) -> Vec<OrderPerson> {
        let holders = self.memberships().flat_map(|line| &line.change.after.cards);
        let holders = holders.filter(|card| card.card_type == CardType::Primary);
        let holders = holders.map(|card| OrderPerson::from(&card.person));
        let sent = [&self.contact, &self.billing].map(|person| person.clone().with_names());
        sent.into_iter().chain(holders).collect()
    }

    /// Their last names, as names are compared.
    #[must_use]
    pub fn last_names(&self) -> BTreeSet<String> {
        let names = self.people().into_iter().filter_map(|person| person.last_name);
        names.map(|name| comparable(&name)).filter(|name| !name.is_empty()).collect()
    }

    /// The days on which it was made, or something was done with it.
    #[must_use]
    pub fn lookup_days(&self) -> BTreeSet<NaiveDate> {
        let refunds = self.after_sale.refunds.iter().filter_map(super::OrderRefund::done_at);
        let exchanges = self.after_sale.exchanges.iter().map(|exchange| exchange.at);
        let instants = std::iter::once(self.created_at).chain(refunds).chain(exchanges);
        instants.map(lookup_day).collect()
    }

    /// The instances it has or had tickets for.
    #[must_use]
    pub fn instances(&self) -> BTreeSet<InstanceId> {
        self.all_ticket_lines().map(|line| line.instance).collect()
    }

    /// Its tickets by their lines, those of the events of combos among them, as far as they are left.
    pub fn tickets_left(&self) -> impl Iterator<Item = TicketsLeft<'_>> {
        self.rows().flat_map(move |row| {
            row.tickets().iter().map(move |line| TicketsLeft {
                line,
                left: self.left_of_part(row, line),
                check_in: self.check_in_of_part(row, line),
            })
        })
    }

    /// What is left of the tickets of a line for one of its events.
    pub(super) fn left_of_part(&self, row: OrderRow<'_>, line: &OrderTicketLine) -> OrderAmounts {
        let left = self.left_of(row);
        match row {
            OrderRow::Sold(OrderLine::Combo(combo)) => combo.part_of(line, left.quantity),
            OrderRow::Sold(
                OrderLine::Ticket(_)
                | OrderLine::AddOn(_)
                | OrderLine::Donation(_)
                | OrderLine::Membership(_),
            )
            | OrderRow::Moved(_) => left,
        }
    }

    /// The memberships that it names, and those that it sold.
    pub fn all_membership_ids(&self) -> impl Iterator<Item = MembershipId> {
        let sold = self.memberships().map(|line| line.change.after.id);
        self.membership_ids.iter().copied().chain(sold)
    }

    /// Where it was sold: on the public site, there being no other way to check out.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        Channel::Online
    }
}

/// The tickets of a line: what is left of them after refunds and exchanges, and whom they let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TicketsLeft<'a> {
    /// The line.
    pub line: &'a OrderTicketLine,
    /// What is left.
    pub left: OrderAmounts,
    /// What the doors say of them.
    pub check_in: CheckIn,
}

/// Which of the orders that were found are wanted: those to which all of this applies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrderFilter {
    /// Its number.
    pub number: Option<OrderNumber>,
    /// The address of contact or payer.
    pub email: Option<String>,
    /// The phone number of contact or payer.
    pub phone: Option<String>,
    /// It has or had tickets for this instance.
    pub event: Option<InstanceId>,
    /// How the last name of someone begins whom it is known by.
    pub last_name: Option<String>,
    /// How the first name begins, of the same one where both are asked for.
    pub first_name: Option<String>,
    /// When it was made.
    pub created: Option<Range>,
    /// The last four digits of the card.
    pub last_four: Option<String>,
    /// Where it was sold.
    pub channel: Option<Channel>,
    /// A membership that it names or sold.
    pub membership: Option<MembershipId>,
    /// The customer it is linked to.
    pub customer: Option<CustomerId>,
    /// How much of what was paid is given back.
    pub refund_status: Option<RefundStatus>,
    /// Whether something is owed.
    pub balance_due: Option<bool>,
}

impl OrderFilter {
    /// Whether an order is wanted.
    #[must_use]
    pub fn wants(&self, order: &Order) -> bool {
        let Self {
            number,
            email,
            phone,
            event,
            last_name,
            first_name,
            created,
            last_four,
            channel,
            membership,
            customer,
            refund_status,
            balance_due,
        } = self;
        let card = order.payment.as_ref().map(|payment| payment.card.last_four.as_str());
        number.as_ref().is_none_or(|number| order.number == *number)
            && email.as_deref().is_none_or(|email| has_email(order, email))
            && phone.as_deref().is_none_or(|phone| has_phone(order, phone))
            && event.is_none_or(|event| order.all_ticket_lines().any(|line| line.instance == event))
            && has_name(order, last_name.as_deref(), first_name.as_deref())
            && created.is_none_or(|created| created.overlaps(order.created_at, Some(order.created_at)))
            && last_four.as_deref().is_none_or(|digits| card == Some(digits))
            && channel.is_none_or(|channel| order.channel() == channel)
            && membership.is_none_or(|id| order.all_membership_ids().any(|own| own == id))
            && customer.is_none_or(|customer| order.customer == Some(customer))
            && refund_status.is_none_or(|status| order.refund_status() == status)
            && balance_due.is_none_or(|due| (order.fees_due() > Money::ZERO) == due)
    }
}

fn has_email(order: &Order, email: &str) -> bool {
    let addresses = [&order.contact.email, &order.billing.email];
    let wanted = comparable_email(email);
    addresses.into_iter().flatten().any(|address| comparable_email(address) == wanted)
}

fn has_phone(order: &Order, phone: &str) -> bool {
    let numbers = [&order.contact.phone_number, &order.billing.phone_number];
    let wanted = comparable_phone(phone);
    numbers.into_iter().flatten().any(|number| comparable_phone(number) == wanted)
}

/// Whether one of its people has names that begin so.
fn has_name(order: &Order, last: Option<&str>, first: Option<&str>) -> bool {
    if last.is_none() && first.is_none() {
        return true;
    }
    let begins = |name: &Option<String>, wanted: Option<&str>| {
        let name = comparable(name.as_deref().unwrap_or_default());
        wanted.is_none_or(|wanted| name.starts_with(&comparable(wanted)))
    };
    order.people().iter().any(|one| begins(&one.last_name, last) && begins(&one.first_name, first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn order(contact: &Value, billing: &Value) -> Order {
        serde_json::from_value(json!({
            "id": "1", "tenant": 204, "number": "100731946", "state": {"state": "paid", "at": 0}, "visitor": "1",
            "contact": contact, "billing": billing, "lines": [], "total": 0, "retail_total": 0,
            "send_email": false, "created_at": 1_773_500_000_000_i64,
        }))
        .unwrap()
    }

    fn wanted(contact: &Value, billing: &Value, filter: &OrderFilter) -> bool {
        filter.wants(&order(contact, billing))
    }

    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn names_are_looked_up_by_their_first_three_letters_as_they_are_compared() {
        for (name, letters) in [
            ("Okafor", Some("oka")),
            ("  O\u{2019}Hara", Some("o'h")),
            ("STRASSE", Some("str")),
            ("\u{df}", None),
            ("Ng", None),
            ("", None),
            ("de la Cruz", Some("de ")),
        ] {
            assert_eq!(first_letters(name).as_deref(), letters, "{name}");
        }
    }

    #[test]
    fn a_first_and_a_last_name_are_those_of_one_person() {
        let (ada, pat) = (
            json!({"first_name": "Ada", "last_name": "Lindqvist"}),
            json!({"first_name": "Pat", "last_name": "O\u{2019}Hara"}),
        );
        for (last, first, found) in [
            ("lind", "ad", true),
            ("O'HARA", "", true),
            ("o'h", "pat", true),
            ("lind", "pat", false),
            ("lindqvister", "", false),
            ("", "PA", true),
        ] {
            let named = |name: &str| text(name).filter(|name| !name.is_empty());
            let filter =
                OrderFilter { last_name: named(last), first_name: named(first), ..Default::default() };
            assert_eq!(wanted(&ada, &pat, &filter), found, "{last} {first}");
        }
        let of_full_name = json!({"full_name": "Ines Okafor"});
        let filter = OrderFilter { last_name: text("oka"), ..OrderFilter::default() };
        assert!(wanted(&of_full_name, &json!({}), &filter));
        let names = BTreeSet::from(["lindqvist", "okafor"].map(str::to_owned));
        assert_eq!(order(&of_full_name, &ada).last_names(), names);
    }

    #[test]
    fn each_filter_alone_keeps_an_order_out() {
        let contact = json!({"email": "Ada@Example.test", "phone_number": "(555) 555-0142"});
        let at = order(&contact, &contact).created_at;
        let none = OrderFilter::default;
        let later = crate::time::plus_secs(at, 1);
        for (filter, found) in [
            (none(), true),
            (OrderFilter { number: OrderNumber::parse("100731946").ok(), ..none() }, true),
            (OrderFilter { number: OrderNumber::parse("100731947").ok(), ..none() }, false),
            (OrderFilter { email: text("ada@example.test"), ..none() }, true),
            (OrderFilter { email: text("eda@example.test"), ..none() }, false),
            (OrderFilter { phone: text("5555550142"), ..none() }, true),
            (OrderFilter { phone: text("5550142"), ..none() }, false),
            (OrderFilter { event: InstanceId::parse("7a10c4e2b95d3f0816e4a2c1").ok(), ..none() }, false),
            (OrderFilter { created: Some(Range { from: at, until: at }), ..none() }, true),
            (OrderFilter { created: Some(Range { from: later, until: later }), ..none() }, false),
            (OrderFilter { last_four: text("4242"), ..none() }, false),
            (OrderFilter { channel: Some(Channel::Online), ..none() }, true),
            (OrderFilter { channel: Some(Channel::Kiosk), ..none() }, false),
            (OrderFilter { membership: MembershipId::parse(1).ok(), ..none() }, false),
            (OrderFilter { customer: CustomerId::parse(1).ok(), ..none() }, false),
            (OrderFilter { refund_status: Some(RefundStatus::NotRefunded), ..none() }, true),
            (OrderFilter { refund_status: Some(RefundStatus::Refunded), ..none() }, false),
            (OrderFilter { balance_due: Some(false), ..none() }, true),
            (OrderFilter { balance_due: Some(true), ..none() }, false),
        ] {
            assert_eq!(wanted(&contact, &contact, &filter), found, "{filter:?}");
        }
    }

    /// An order with all that it can be looked for by.
    fn whole() -> Order {
        let mut order = crate::order::refund::tests::mixed();
        order.contact = serde_json::from_value(json!({"last_name": "Lindqvist"})).unwrap();
        order.customer = CustomerId::parse(9_053_417).ok();
        order.membership_ids = vec![MembershipId::parse(4_100_200).unwrap()];
        order
    }

    #[test]
    fn each_filter_alone_finds_the_order_that_it_is_for_and_no_other() {
        let order = whole();
        let none = OrderFilter::default;
        let event = |id: &str| InstanceId::parse(id).ok();
        for (filter, found) in [
            (OrderFilter { event: event("7a10c4e2b95d3f0816e4a2c1"), ..none() }, true),
            // Of a combo alone.
            (OrderFilter { event: event("7a10c4e2b95d3f0816e4a2c2"), ..none() }, true),
            (OrderFilter { event: event("7a10c4e2b95d3f0816e4a2c3"), ..none() }, false),
            (OrderFilter { last_four: text("4242"), ..none() }, true),
            (OrderFilter { last_four: text("4243"), ..none() }, false),
            (OrderFilter { membership: MembershipId::parse(4_100_200).ok(), ..none() }, true),
            (OrderFilter { membership: MembershipId::parse(4_100_201).ok(), ..none() }, false),
            (OrderFilter { customer: CustomerId::parse(9_053_417).ok(), ..none() }, true),
            (OrderFilter { customer: CustomerId::parse(9_053_418).ok(), ..none() }, false),
            (OrderFilter { last_name: text("LINDQ"), ..none() }, true),
            (OrderFilter { last_name: text("okaf"), ..none() }, false),
        ] {
            assert_eq!(filter.wants(&order), found, "{filter:?}");
        }
    }

    proptest! {
        /// Whoever is found by a part of the name has the pointer that is looked under.
        #[test]
        fn whoever_a_name_begins_with_is_looked_up_by_its_letters(name in "\\PC{1,10}", length in 3_usize..8) {
            let sought: String = name.chars().take(length).collect();
            let person = json!({"last_name": name});
            let filter = OrderFilter { last_name: Some(sought.clone()), ..OrderFilter::default() };
            let names = order(&person, &json!({})).last_names();
            if let Some(letters) = first_letters(&sought) && wanted(&person, &json!({}), &filter) {
                prop_assert!(names.iter().any(|known| first_letters(known) == Some(letters.clone())));
            }
        }
    }
}
