//! A large venue that nobody runs, for trying out and measuring: the same arguments make the same document.

mod dice;
mod words;

use crate::document::{DocumentWriter, Format, WriteFault};
use chrono::{Days, NaiveDate};
use dice::Dice;
use domain::Money;
use serde_json::{Value, json};
use std::io::Write;

/// What the venue is to be like.
#[derive(Debug, Clone, Copy)]
pub struct DemoVenue {
    /// The id of its tenant.
    pub tenant: i64,
    /// Event templates.
    pub templates: u32,
    /// Days of its season.
    pub days: u32,
    /// The first day.
    pub start: NaiveDate,
    /// What else there is to choose follows from it.
    pub seed: u64,
}

/// Writes the document of a venue.
///
/// # Errors
/// [`WriteFault`] when it cannot be written.
pub fn write(venue: &DemoVenue, format: Format, out: impl Write) -> Result<(), WriteFault> {
    let mut document = DocumentWriter::begin(out, format)?;
    let mut dice = Dice::new(venue.seed);
    for (section, record) in frame(venue, &mut dice) {
        document.record(section, &record)?;
    }
    for number in 1..=venue.templates {
        document.record("eventTemplates", &template(venue, number, &mut dice))?;
    }
    document.finish()
}

/// An id of 24 hexadecimal digits: of the venue, of its kind, by number.
fn id(venue: &DemoVenue, kind: u8, number: u32) -> String {
    format!("{:010x}{kind:02x}{number:012x}", venue.tenant)
}

/// Kinds of ids.
const TICKET_TYPE: u8 = 0xaa;
const LEVEL: u8 = 0xbb;
const PRICE_LIST: u8 = 0xcc;
const DISCOUNT: u8 = 0xdd;
const TEMPLATE: u8 = 0xee;
const OFFERING: u8 = 0xbf;
const SCHEDULE: u8 = 0x5c;
const COUPON: u8 = 0xc0;
const FORM: u8 = 0xf0;

fn cents(cents: i64) -> String {
    Money::from_cents(cents).to_string()
}

fn channels() -> Value {
    json!([
        {"name": "Online", "channel": "online", "enabled": true},
        {"name": "Box office", "channel": "pointOfSale", "enabled": true},
    ])
}

/// Ticket types of the venue, each at a share of the full price in percent.
const TICKET_TYPES: [(&str, i64); 6] = [
    ("Adult", 100),
    ("Kind", 45),
    ("学生", 70),
    ("Συνταξιούχος", 80),
    ("Сопровождающий", 50),
    ("عائلة", 260),
];

/// Everything but the event templates.
fn frame(venue: &DemoVenue, dice: &mut Dice) -> Vec<(&'static str, Value)> {
    let tenant = venue.tenant;
    let mid = (600_000_i64).wrapping_add(tenant).to_string();
    let mut records = vec![
        (
            "tenant",
            json!({
                "id": tenant, "name": "Grand Pavilion", "timeZone": dice.pick(&words::ZONES), "sandbox": true,
                "holdSeconds": 600, "allowedOrigins": ["http://localhost:3000"], "descriptorPrefix": "GP ",
            }),
        ),
        ("apiKeys", json!({"key": format!("demo-b2c-{tenant}"), "scopes": ["b2c"], "label": "Storefront"})),
        ("apiKeys", json!({"key": format!("demo-b2b-{tenant}"), "scopes": ["b2b"], "label": "Back office"})),
        (
            "merchants",
            json!({
                "mid": mid, "name": "Grand Pavilion", "status": "Approved", "descriptor": "PAVILION",
                "rateCard": {"percentageRate": "2.90", "fixedFee": "0.30"},
            }),
        ),
    ];
    for (number, (name, _)) in (1..).zip(TICKET_TYPES) {
        let id = id(venue, TICKET_TYPE, number);
        records
            .push(("personTypes", json!({"id": id, "name": name, "active": true, "displayOrder": number})));
    }
    records.extend((1..).zip(words::ADD_ONS).map(|(number, name)| {
        let price = cents(dice.between(199, 3_999));
        let kind = if number == 1 { "fixedDonation" } else { "addOn" };
        let id = tenant.wrapping_mul(1_000).wrapping_add(number);
        let order = json!({
            "id": id, "sku": format!("GP-{number}"), "name": name, "type": kind, "price": price,
            "active": true, "displayOrder": number, "salesChannels": channels(),
        });
        ("inventory", order)
    }));
    records.extend(terms(venue));
    records
}

/// Discounts, coupons, a form and the levels with what they cost.
fn terms(venue: &DemoVenue) -> Vec<(&'static str, Value)> {
    let ticket_types = (1..).zip(TICKET_TYPES).map(|(number, _)| id(venue, TICKET_TYPE, number));
    let values: Vec<Value> = ticket_types
        .map(|ticket_type| json!({"personTypeId": ticket_type, "discountType": "percent", "value": "12.5"}))
        .collect();
    let mut records = vec![
        (
            "discounts",
            json!({"id": id(venue, DISCOUNT, 1), "name": "Friends", "code": "FRIENDS", "values": values}),
        ),
        (
            "forms",
            json!({
                "id": id(venue, FORM, 1), "name": "Group visit", "oncePerCart": true,
                "fields": [
                    {"name": "group", "label": "Name of the group, as on the \"list\"", "type": "text", "required": true},
                    {"name": "language", "type": "choice", "options": ["English", "Deutsch", "日本語", "العربية"]},
                ],
            }),
        ),
        (
            "coupons",
            json!({
                "id": id(venue, COUPON, 1), "name": "Welcome", "code": "WELCOME", "discountType": "percent",
                "value": "10", "appliesTo": ["event"], "active": true,
            }),
        ),
        (
            "coupons",
            json!({
                "id": id(venue, COUPON, 2), "name": "Friends", "code": "FREUNDE",
                "discountId": id(venue, DISCOUNT, 1), "maxUses": 1_000, "active": true,
            }),
        ),
    ];
    for (number, (name, price)) in (1..).zip([("Lantern", 5_995), ("Lighthouse", 12_950)]) {
        let prices = json!([{
            "pricePoint": {"id": id(venue, TICKET_TYPE, 1)}, "price": cents(price), "displayOrder": 1,
            "salesChannels": channels(),
        }]);
        let offering = json!({
            "id": id(venue, OFFERING, number), "name": "One year", "duration": 12, "salesChannels": channels(),
            "priceLists": [{"id": id(venue, PRICE_LIST, number), "name": "Membership", "prices": prices}],
        });
        let level = json!({
            "id": id(venue, LEVEL, number), "name": name, "state": "published", "salesChannels": channels(),
            "rules": {"numberOfCardHolders": number, "expireEndOfMonth": true}, "offerings": [offering],
        });
        records.push(("membershipLevels", level));
    }
    records.extend(members(venue));
    records
}

/// A member of each level.
fn members(venue: &DemoVenue) -> Vec<(&'static str, Value)> {
    let mut records = Vec::new();
    let start = venue.start.to_string();
    let end = venue.start.checked_add_days(Days::new(u64::from(venue.days.max(1)))).unwrap_or(venue.start);
    for number in 1..=2_u32 {
        let base = venue.tenant.wrapping_mul(1_000).wrapping_add(i64::from(number).wrapping_mul(100));
        let member = json!({
            "id": base.wrapping_add(1), "membershipId": base.wrapping_add(2),
            "membershipNumber": base.wrapping_add(3), "customerId": base.wrapping_add(4),
            "categoryId": id(venue, LEVEL, number), "offeringId": id(venue, OFFERING, number),
            "pricePointId": id(venue, TICKET_TYPE, 1), "firstName": "Zoë", "lastName": "D’Angelo-Łuk",
            "email": format!("member{number}@example.test"), "barcode": format!("GP{base}"),
            "membershipStartDate": start, "membershipExpirationDate": format!("{end}T23:59:59"),
        });
        records.push(("members", member));
    }
    records
}

fn template(venue: &DemoVenue, number: u32, dice: &mut Dice) -> Value {
    let name = format!("{} {number}", dice.pick(&words::EVENTS));
    let sentences = dice.between(1, 4);
    let description: Vec<&str> = (0..sentences).map(|_| dice.pick(&words::SENTENCES)).collect();
    let season = Season::of(venue, dice);
    let minutes = dice.between(2, 9).wrapping_mul(15);
    let opening = dice.between(9, 15);
    // Nothing of a season comes before its template.
    let first = if season.kind == Kind::Dated {
        format!("{}T00:00:00", season.first)
    } else {
        format!("{}T{opening:02}:30:00", season.first)
    };
    let mut template = json!({
        "id": id(venue, TEMPLATE, number),
        "type": if dice.chance(8) { "private" } else { "standard" },
        "admissionType": if dice.chance(50) { "generalAdmission" } else { "standard" },
        "name": name,
        "description": description.join("\n"),
        "summary": dice.pick(&words::SENTENCES),
        "startTime": first,
        "reviewState": if dice.chance(4) { "Draft" } else { "Published" },
        "duration": {"hour": minutes / 60, "minutes": minutes % 60},
        "capacity": dice.between(12, 400),
        "displayOrder": dice.between(1, 1_000),
        "memberOnlyEvent": dice.chance(6),
        "colorCategory": dice.pick(&words::COLORS),
        "priceLists": [price_list(venue, number, dice)],
        "schedules": season.schedules(venue, number, dice),
        "addOns": {"inventoryIds": [venue.tenant.wrapping_mul(1_000).wrapping_add(dice.between(1, 5))]},
        "images": [{"id": format!("image-{number}"), "description": name, "primary": true}],
    });
    if dice.chance(20) {
        template["ticketDetails"] = json!({
            "purchaseAvailability": {"timeFrame": "before", "minutes": dice.between(1, 12).wrapping_mul(10)},
            "ticketPrintLines": ["Doors open \"early\", the bar later", "入口は東側です"],
        });
    }
    if dice.chance(15) {
        template["membership"] = json!({"discounts": [
            {"category": {"id": id(venue, LEVEL, 1)}, "discount": {"id": id(venue, DISCOUNT, 1)}, "maxTickets": 2},
        ]});
    }
    if dice.chance(5) {
        template["orderForms"] = json!([{"id": id(venue, FORM, 1)}]);
    }
    template
}

/// Prices with odd cents, in proportion to the full one.
fn price_list(venue: &DemoVenue, number: u32, dice: &mut Dice) -> Value {
    let full = dice.between(601, 9_900);
    let wanted = dice.between(2, 7);
    let prices: Vec<Value> = (1_u32..)
        .zip(TICKET_TYPES)
        .take(usize::try_from(wanted).unwrap_or(1))
        .map(|(order, (_, percent))| {
            json!({
                "personType": {"id": id(venue, TICKET_TYPE, order)},
                "price": cents(full.wrapping_mul(percent) / 100), "displayOrder": order, "salesChannels": channels(),
            })
        })
        .collect();
    let list = 1_000_u32.wrapping_add(number);
    json!({"id": id(venue, PRICE_LIST, list), "name": "Admission", "description": "", "prices": prices})
}

/// When an event is held.
struct Season {
    first: NaiveDate,
    last: NaiveDate,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Once, on its first date.
    Once,
    /// From its first date on, without an end.
    Ongoing,
    /// On the dates of the season.
    Dated,
}

impl Season {
    fn of(venue: &DemoVenue, dice: &mut Dice) -> Self {
        let days = i64::from(venue.days.max(1));
        let plus =
            |days: i64| venue.start.checked_add_days(Days::new(days.unsigned_abs())).unwrap_or(venue.start);
        let last = plus(days.wrapping_sub(1));
        let date = plus(dice.between(0, days));
        if dice.chance(12) {
            Self { first: date, last: date, kind: Kind::Once }
        } else if dice.chance(12) {
            Self { first: venue.start, last, kind: Kind::Ongoing }
        } else {
            Self { first: venue.start, last, kind: Kind::Dated }
        }
    }

    fn days(&self) -> i64 {
        self.last.signed_duration_since(self.first).num_days().wrapping_add(1)
    }

    fn schedules(&self, venue: &DemoVenue, number: u32, dice: &mut Dice) -> Value {
        if self.kind == Kind::Once {
            return json!([]);
        }
        let weekdays: &[&str] = dice.pick(&words::WEEKDAYS);
        // A season shorter than a week has to meet a weekday.
        let weekdays = if self.days() < 7 { words::WHOLE_WEEK } else { weekdays };
        let opening = dice.between(8, 14);
        let sittings = if self.kind == Kind::Ongoing { 1 } else { dice.between(1, 5) };
        let hours: Vec<Value> = (0..sittings)
            .map(|sitting| {
                let hour = opening.wrapping_add(sitting.wrapping_mul(2));
                let minutes = dice.pick(&["0", "15", "30", "45"]).parse::<i64>().unwrap_or_default();
                json!({"hour": hour, "minutes": minutes})
            })
            .collect();
        let mut schedule = json!({
            "id": id(venue, SCHEDULE, number), "name": "Season", "weekdays": weekdays, "hours": hours,
            "repeatCycle": if self.days() > 28 && dice.chance(10) { 2 } else { 1 },
        });
        if self.kind == Kind::Dated {
            schedule["ranges"] = json!([{"start": self.first.to_string(), "end": self.last.to_string()}]);
        }
        if dice.chance(10) {
            schedule["capacity"] = json!(dice.between(5, 40));
        }
        json!([schedule])
    }
}
