//! What pricing alone costs: the pure function that cart and checkout share, on the largest cart there can be.

use super::BenchError;
use domain::buyer::Buyer;
use domain::cart_request::{CartTerms, LineRequest, MAX_LINES, Wanted, WantedTicket, WantedTreatment};
use domain::pricing::{CatalogView, PricingCatalog, PricingContext, price};
use domain::{CartItemId, Channel, InstanceId, TicketTypeId, Timestamp, Zone};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::time::{Duration, Instant};
use wire::catalog::Known;
use wire::import::{ImportContext, ImportRecords, read_document};

/// Events of the cart: as many as an order may touch.
const EVENTS: u32 = 50;
/// Codes of the cart, and memberships it names.
const CODES: i64 = 10;

/// Prices a cart of 100 lines over 50 events, with 10 coupon codes and 10 memberships, again and again.
pub(crate) fn measure(limit: Duration) -> Result<Value, BenchError> {
    let zone = Zone::parse("UTC").map_err(|_| BenchError::from("there is no zone UTC"))?;
    let now: Timestamp = NOW.parse()?;
    let records = read(zone, now)?;
    let lines = lines(&records)?;
    let terms = CartTerms {
        coupon_codes: (0..CODES).map(|number| format!("CODE{number}")).collect(),
        membership_ids: records.memberships.iter().map(|membership| membership.id).collect(),
        ..CartTerms::default()
    };
    let templates: Vec<_> = records.templates.into_iter().map(|written| written.template).collect();
    let catalog = PricingCatalog {
        templates: &templates,
        person_types: &by(records.person_types, |found| found.id.clone()),
        inventory: &BTreeMap::new(),
        combos: &BTreeMap::new(),
        levels: &BTreeMap::new(),
        discounts: &by(records.discounts, |found| found.id.clone()),
        coupons: &by(records.coupons, |found| found.id.clone()),
    };
    let buyer = Buyer::of(&records.memberships, None, now);
    let (used_up, memberships) = (&BTreeSet::new(), &BTreeMap::new());
    let context = PricingContext { channel: Channel::Online, buyer: &buyer, zone, used_up, memberships };
    let instances = lines.iter().filter_map(|line| match &line.wanted {
        Wanted::Ticket(wanted) => Some(wanted.instance),
        Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Combo(_) | Wanted::Membership(_) => None,
    });
    let view = CatalogView::assumed(catalog, context, instances);
    let begun = Instant::now();
    let mut rounds = 0_u32;
    while begun.elapsed() < limit {
        let priced = price(black_box(&lines), &terms, &view, now);
        black_box(priced.map_err(|refused| BenchError::from(format!("not priced: {refused:?}")))?);
        rounds = rounds.saturating_add(1);
    }
    let micros = (begun.elapsed().as_secs_f64() * 1e6 / f64::from(rounds.max(1))).round();
    Ok(json!({
        "case": format!("pricing {MAX_LINES} lines with {CODES} codes and {CODES} memberships"),
        "transport": "pure", "microsPerCart": micros, "rounds": rounds,
    }))
}

const NOW: &str = "2027-05-01T12:00:00Z";
/// Two of them per line of an event.
const TICKET_TYPES: [&str; 2] = ["aa0000000000000000000001", "aa0000000000000000000002"];
const LEVEL: &str = "bb0000000000000000000001";
const DISCOUNT: &str = "dd0000000000000000000001";

/// A venue whose every price a member and every code reduces.
fn read(zone: Zone, now: Timestamp) -> Result<ImportRecords, BenchError> {
    let percents: Vec<Value> = TICKET_TYPES
        .iter()
        .map(|id| json!({"personTypeId": id, "discountType": "percent", "value": "12.5"}))
        .collect();
    let coupons = (0..CODES).map(|number| {
        json!({"id": format!("c{number:023}"), "name": "Code", "code": format!("CODE{number}"),
            "discountType": "percent", "value": (10 + number).to_string()})
    });
    let members = (1..=CODES).map(|number| {
        json!({"id": number, "membershipId": number, "membershipNumber": number, "customerId": number,
            "categoryId": LEVEL, "offeringId": "bf", "pricePointId": TICKET_TYPES[0],
            "cardType": "primary", "cardStanding": "active", "firstName": "Ada", "lastName": "Member",
            "barcode": number.to_string(), "membershipJoinedDate": "2027-01-01",
            "membershipStartDate": "2027-01-01", "membershipExpirationDate": "2027-12-31"})
    });
    let document = json!({
        "personTypes": TICKET_TYPES.map(|id| json!({"id": id, "name": "Ticket"})),
        "discounts": [{"id": DISCOUNT, "name": "Members", "values": percents}],
        "coupons": coupons.collect::<Vec<_>>(),
        "membershipLevels": [{"id": LEVEL, "name": "Friend", "offerings": []}],
        "members": members.collect::<Vec<_>>(),
        "eventTemplates": (0..EVENTS).map(event).collect::<Vec<_>>(),
    });
    let input = read_document(&document.to_string()).map_err(|_| BenchError::from("no document"))?;
    let records = input.read(ImportContext { zone, now, known: Known::default() });
    match records.faults.first() {
        Some(fault) => Err(BenchError::from(format!("the venue has faults: {fault:?}"))),
        None => Ok(records),
    }
}

fn event(number: u32) -> Value {
    let prices = TICKET_TYPES.map(|id| json!({"personType": {"id": id}, "price": "19.95"}));
    json!({
        "id": format!("ee{number:022}"), "name": format!("Event {number}"), "description": "An evening",
        "startTime": format!("2027-06-01T{:02}:{:02}:00Z", 10 + number / 60, number % 60),
        "duration": {"hour": 1}, "capacity": 100, "reviewState": "Published",
        "priceLists": [{"id": "list", "name": "All", "prices": prices}],
        "membership": {"discounts": [{"category": {"id": LEVEL}, "discount": {"id": DISCOUNT}}]},
    })
}

/// A line for every event and ticket type; every fourth asks for coupons of its own.
fn lines(records: &ImportRecords) -> Result<Vec<LineRequest>, BenchError> {
    let mut lines = Vec::with_capacity(MAX_LINES);
    for template in records.templates.iter().map(|written| &written.template) {
        let instance = InstanceId::of(&template.id, None, template.start.naive_utc(), template.start)
            .map_err(|_| BenchError::from("the event is out of reach"))?;
        for ticket_type in TICKET_TYPES {
            let own = vec!["CODE3".to_owned(), "CODE7".to_owned()];
            let treatment =
                if lines.len() % 4 == 0 { WantedTreatment::Coupons(own) } else { WantedTreatment::Best };
            let ticket = WantedTicket {
                instance,
                ticket_type: TicketTypeId::parse(ticket_type).map_err(|_| BenchError::from("no id"))?,
                quantity: 3,
                treatment,
                ignore_entitlements: false,
            };
            let id = CartItemId::from_bytes(u128::try_from(lines.len())?.to_be_bytes());
            lines.push(LineRequest { id, wanted: Wanted::Ticket(ticket) });
        }
    }
    Ok(lines)
}

fn by<K: Ord, T>(found: Vec<T>, key: impl Fn(&T) -> K) -> BTreeMap<K, T> {
    found.into_iter().map(|one| (key(&one), one)).collect()
}
