//! What is measured, as requests.

use super::BenchError;
use super::seed::Venue;
use super::wire::{Client, Request};
use adapters::clock::wall_now;
use chrono::{Months, NaiveDate};
use serde_json::{Value, json};

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// The reduced list of templates.
    SlimList,
    /// The times of one template.
    Times,
    /// The times of one template today.
    TimesToday,
    /// The times of all templates today.
    AllTimesToday,
    /// The calendar of one template over two months.
    Calendar,
    /// Creating a cart with tickets.
    CartCreate,
    /// Replacing the lines of a cart.
    CartUpdate,
    /// Holding seats.
    Reservation,
    /// Paying for a cart sent with the request.
    Checkout,
}

impl Case {
    pub(crate) const ALL: [Self; 6] =
        [Self::SlimList, Self::Times, Self::CartCreate, Self::CartUpdate, Self::Reservation, Self::Checkout];

    /// What browses a large catalog.
    pub(crate) const BROWSING: [Self; 4] =
        [Self::SlimList, Self::TimesToday, Self::AllTimesToday, Self::Calendar];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SlimList => "slim list",
            Self::Times => "template times",
            Self::TimesToday => "template times of today",
            Self::AllTimesToday => "all times of today",
            Self::Calendar => "two-month calendar",
            Self::CartCreate => "cart create",
            Self::CartUpdate => "cart update",
            Self::Reservation => "reservation and release",
            Self::Checkout => "checkout",
        }
    }

    /// What a worker does once before it is measured: its own cart, where it needs one.
    pub(crate) async fn prepare(self, client: &Client) -> Result<Option<String>, BenchError> {
        match self {
            Self::CartUpdate => {
                let cart = client.send(Request::post("/v2/b2c/carts", json!({}))).await?;
                Ok(cart.as_str().map(str::to_owned))
            }
            Self::SlimList
            | Self::Times
            | Self::TimesToday
            | Self::AllTimesToday
            | Self::Calendar
            | Self::CartCreate
            | Self::Reservation
            | Self::Checkout => Ok(None),
        }
    }

    /// What gives back what a request took: a slot takes so many holds and no more.
    pub(crate) fn undo(self, answer: &Value) -> Option<Request> {
        match self {
            Self::Reservation => Some(Request::delete(&format!("/v2/b2b/reservations/{}", answer["id"]))),
            Self::SlimList
            | Self::Times
            | Self::TimesToday
            | Self::AllTimesToday
            | Self::Calendar
            | Self::CartCreate
            | Self::CartUpdate
            | Self::Checkout => None,
        }
    }

    /// The next request of a worker. `number` makes it differ from all others where that matters.
    pub(crate) fn request(self, venue: &Venue, cart: Option<&str>, number: u64) -> Request {
        match self {
            Self::SlimList => Request::get("/v2/b2c/event/templates/slim"),
            Self::Times => Request::get(&format!("/v2/b2c/event/templates/{}/times?{RANGE}", venue.template)),
            Self::TimesToday => Request::get(&format!("/v2/b2c/event/templates/{}/times", venue.template)),
            Self::AllTimesToday => Request::get("/v2/b2c/event/templates/times"),
            Self::Calendar => {
                let (first, last) = two_months();
                let range = format!("startTime={first}&endTime={last}");
                Request::get(&format!("/v2/b2c/event/templates/{}/calendar?{range}", venue.template))
            }
            Self::CartCreate => Request::post("/v2/b2c/carts", json!({ "items": [line(venue, 2)] })),
            Self::CartUpdate => {
                let id = cart.unwrap_or_default();
                let body = json!({ "id": id, "items": [line(venue, 2)] });
                Request::put(&format!("/v2/b2c/carts/{id}"), body)
            }
            Self::Reservation => Request::post(
                "/v2/b2b/reservations",
                json!({ "reservationItems": [{ "eventId": venue.instance, "quantity": 1 }] }),
            ),
            Self::Checkout => Request::post("/v2/b2c/checkout", checkout(venue, number)),
        }
    }
}

/// A range around everything that is seeded.
const RANGE: &str = "startTime=2020-01-01T00:00:00Z&endTime=2105-01-01T00:00:00Z";

/// Today and the day in two months.
fn two_months() -> (NaiveDate, NaiveDate) {
    let today = wall_now().date_naive();
    (today, today.checked_add_months(Months::new(2)).unwrap_or(today))
}

fn line(venue: &Venue, quantity: u32) -> Value {
    json!({ "eventId": venue.instance, "ticketingTypeId": venue.ticket_type, "quantity": quantity })
}

/// One ticket and a donation that makes every total differ: the same card may pay the same amount only once
/// in five minutes.
fn checkout(venue: &Venue, number: u64) -> Value {
    let donation = json!({
        "itemType": "Inventory", "inventoryId": venue.donation, "type": "donation", "quantity": 1,
        "unitPrice": format!("{}.{:02}", number / 100 + 1, number % 100),
    });
    json!({
        "shoppingCart": { "items": [line(venue, 1), donation] },
        "billingEmail": "buyer@example.test",
        "billingFirstName": "Ines", "billingLastName": "Okafor", "billingZipCode": "94000",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1299", "cvc": "123",
    })
}
