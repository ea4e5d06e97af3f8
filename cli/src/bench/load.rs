//! The requests of a case.

use super::BenchError;
use super::cases::Case;
use super::seed::{DOOR_KEY, Venue};
use super::wire::{Client, Request};
use adapters::clock::wall_now;
use chrono::{Months, NaiveDate};
use domain::InstanceId;
use serde_json::{Value, json};
use std::sync::Arc;

/// Where the requests of a case go, and how much each asks for.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) case: Case,
    pub(super) venue: Venue,
    /// Lines of a cart, or tickets of an order that is read.
    pub(super) units: u32,
    /// A slot for each line; the last ones get none where there are more lines.
    pub(super) slots: Arc<[InstanceId]>,
    /// The range that times are asked for.
    pub(super) range: String,
    /// Barcodes that nobody has scanned.
    pub(super) barcodes: Arc<[String]>,
}

impl Load {
    /// Requests for one of everything, but for all times there are.
    pub(super) fn of(case: Case, venue: &Venue) -> Self {
        Self {
            case,
            venue: venue.clone(),
            units: 1,
            slots: Arc::from([venue.instance]),
            range: EVER.to_owned(),
            barcodes: Arc::from([]),
        }
    }

    /// What a worker does once before it is measured, and what its requests name then: its own cart, or its own order.
    pub(super) async fn prepare(&self, client: &Client, number: u64) -> Result<Option<String>, BenchError> {
        let made = match self.case {
            Case::CartUpdate => client.send(Request::post("/v2/b2c/carts", json!({}))).await?,
            Case::WillCall => {
                let order =
                    client.send(checkout(&self.venue, vec![self.line(0, self.units)], number)).await?;
                order["id"].clone()
            }
            Case::SlimList
            | Case::Times
            | Case::TimesToday
            | Case::AllTimesToday
            | Case::Calendar
            | Case::AllCalendar
            | Case::CartCreate
            | Case::Reservation
            | Case::Admission
            | Case::Checkout => return Ok(None),
        };
        Ok(made.as_str().map(str::to_owned))
    }

    /// The next request of a worker; none where nothing is left to ask for. `number` makes it differ from all others
    /// where that matters.
    pub(super) fn request(&self, own: Option<&str>, number: u64) -> Option<Request> {
        let (template, own) = (&self.venue.template, own.unwrap_or_default());
        Some(match self.case {
            Case::SlimList => Request::get("/v2/b2c/event/templates/slim"),
            Case::Times => Request::get(&format!("/v2/b2c/event/templates/{template}/times?{}", self.range)),
            Case::TimesToday => Request::get(&format!("/v2/b2c/event/templates/{template}/times")),
            Case::AllTimesToday => Request::get("/v2/b2c/event/templates/times"),
            Case::Calendar => {
                Request::get(&format!("/v2/b2c/event/templates/{template}/calendar?{}", two_months()))
            }
            Case::AllCalendar => Request::get(&format!("/v2/b2c/event/templates/calendar?{}", two_months())),
            Case::CartCreate => Request::post("/v2/b2c/carts", json!({ "items": self.lines(self.units, 2) })),
            Case::CartUpdate => {
                let body = json!({ "id": own, "items": self.lines(self.units, 2) });
                Request::put(&format!("/v2/b2c/carts/{own}"), body)
            }
            Case::Reservation => Request::post(
                "/v2/b2b/reservations",
                json!({ "reservationItems": [{ "eventId": self.venue.instance, "quantity": 1 }] }),
            ),
            Case::WillCall => Request::get(&format!("/v2/b2b/willcall/orders/{own}")),
            Case::Admission => {
                let code = self.barcodes.get(usize::try_from(number).ok()?)?;
                let scan = json!({ "code": code, "eventId": self.venue.instance, "terminalId": "gate-1" });
                Request::post("/v2/b2b/admissions", scan).by(DOOR_KEY)
            }
            // A donation is one of its lines.
            Case::Checkout => {
                checkout(&self.venue, self.lines(self.units.saturating_sub(1).max(1), 1), number)
            }
        })
    }

    /// Refuses an answer that says in its body that it was not done.
    pub(super) fn check(&self, answer: &Value) -> Result<(), BenchError> {
        match self.case {
            Case::Admission if answer["admitted"] != 1 => {
                Err(BenchError::from(format!("a door admitted nobody: {answer}")))
            }
            Case::SlimList
            | Case::Times
            | Case::TimesToday
            | Case::AllTimesToday
            | Case::Calendar
            | Case::AllCalendar
            | Case::CartCreate
            | Case::CartUpdate
            | Case::Reservation
            | Case::WillCall
            | Case::Admission
            | Case::Checkout => Ok(()),
        }
    }

    /// What gives back what a request took: a slot takes so many holds and no more.
    pub(super) fn undo(&self, answer: &Value) -> Option<Request> {
        match self.case {
            Case::Reservation => Some(Request::delete(&format!("/v2/b2b/reservations/{}", answer["id"]))),
            Case::SlimList
            | Case::Times
            | Case::TimesToday
            | Case::AllTimesToday
            | Case::Calendar
            | Case::AllCalendar
            | Case::CartCreate
            | Case::CartUpdate
            | Case::WillCall
            | Case::Admission
            | Case::Checkout => None,
        }
    }

    /// So many lines, each with so many tickets of a slot of its own.
    fn lines(&self, count: u32, quantity: u32) -> Vec<Value> {
        let places = 0..usize::try_from(count).unwrap_or(usize::MAX);
        places.map(|place| self.line(place, quantity)).collect()
    }

    fn line(&self, place: usize, quantity: u32) -> Value {
        let slot = self.slots.get(place).unwrap_or(&self.venue.instance);
        json!({ "eventId": slot, "ticketingTypeId": self.venue.ticket_type, "quantity": quantity })
    }
}

/// Tickets of one order that a door is measured with.
const TICKETS_OF_AN_ORDER: u32 = 4;

/// Sells tickets until there are so many barcodes.
pub(super) async fn sell_barcodes(venue: &Venue, wanted: usize) -> Result<Vec<String>, BenchError> {
    let client = Client::InProcess(venue.service.clone());
    let load = Load::of(Case::WillCall, venue);
    let load = Load { units: TICKETS_OF_AN_ORDER, ..load };
    let mut barcodes = Vec::with_capacity(wanted);
    let mut number = 0;
    while barcodes.len() < wanted {
        let order = load.prepare(&client, number).await?;
        let read = load.request(order.as_deref(), number).ok_or("no order was made")?;
        let shown = client.send(read).await?;
        let before = barcodes.len();
        for item in each(&shown["eventItems"]).flat_map(|event| each(&event["items"])) {
            barcodes.extend(
                each(&item["tickets"]).filter_map(|ticket| ticket["uuid"].as_str()).map(str::to_owned),
            );
        }
        if barcodes.len() == before {
            return Err(BenchError::from("an order has no tickets"));
        }
        number += 1;
    }
    Ok(barcodes)
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// A range around everything that is seeded.
const EVER: &str = "startTime=2020-01-01T00:00:00Z&endTime=2105-01-01T00:00:00Z";

/// From today to the day in two months.
fn two_months() -> String {
    let today = wall_now().date_naive();
    let last: NaiveDate = today.checked_add_months(Months::new(2)).unwrap_or(today);
    format!("startTime={today}&endTime={last}")
}

/// A checkout of these lines and a donation that makes every total differ: the same card may pay the same amount only
/// once in five minutes.
fn checkout(venue: &Venue, mut lines: Vec<Value>, number: u64) -> Request {
    lines.push(json!({
        "itemType": "Inventory", "inventoryId": venue.donation, "type": "donation", "quantity": 1,
        "unitPrice": format!("{}.{:02}", number / 100 + 1, number % 100),
    }));
    let body = json!({
        "shoppingCart": { "items": lines },
        "billingEmail": "buyer@example.test",
        "billingFirstName": "Ines", "billingLastName": "Okafor", "billingZipCode": "94000",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1299", "cvc": "123",
    });
    Request::post("/v2/b2c/checkout", body)
}
