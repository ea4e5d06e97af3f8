//! What visitors find: the demo venue with limits that nobody reaches, and an event that does not sell out.

use super::client::{Answer, Caller, Client, Request};
use crate::failure::Failure;
use adapters::clock::wall_now;
use chrono::{Days, NaiveDate};
use domain::rate_limit::RateLimit;
use serde_json::{Value, json};

/// The ticket types and the donation of the demo venue, an event of its own, and its member.
pub(super) const ADULT: &str = "1001aa000000000000000001";
pub(super) const CHILD: &str = "1001aa000000000000000002";
pub(super) const DONATION: i64 = 1_001_003;
pub(super) const GALLERY: &str = "1001ee000000000000000001";
pub(super) const MEMBERSHIP: i64 = 100_100_051;
pub(super) const MEMBERSHIP_NUMBER: i64 = 100_100_031;
pub(super) const MEMBER_NAME: &str = "lindqvist";
pub(super) const MEMBER_EMAIL: &str = "ada.lindqvist@example.test";

/// Seats of each time: as many as a time may have.
const SEATS: u32 = 1_000_000;

/// The hours at which the event begins each day.
const HOURS: [u32; 8] = [9, 10, 11, 12, 13, 14, 15, 16];

/// The first and the last day that is sold, counted from today: far enough ahead that none begins meanwhile, and few
/// enough that each is sold often.
const FIRST_DAY: u64 = 2;
const LAST_DAY: u64 = 5;

/// Minutes before the start from which on tickets are let in: two weeks, so that doors have something to do.
const MINUTES_BEFORE: u32 = 20_160;

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// Where those who prepare the venue come from.
const OFFICE: &str = "203.0.113.24";

/// What is sold, and on which days.
#[derive(Debug)]
pub(super) struct SoldEvent {
    pub(super) template: String,
    /// Its times, several of them.
    pub(super) slots: Vec<String>,
    today: NaiveDate,
}

impl SoldEvent {
    /// Makes the venue ready for visitors, with this event on sale.
    pub(super) async fn prepare(client: &Client) -> Result<Self, Failure> {
        raise_limits(client).await?;
        let today = wall_now().date_naive();
        let published = Request::post(Caller::Staff, "/v2/b2b/event/templates", event(today));
        let template = sent(client, published).await?["id"].as_str().unwrap_or_default().to_owned();
        let on_sale = days(today, FIRST_DAY, LAST_DAY);
        let times = format!("/v2/b2c/event/templates/{template}/times?{on_sale}");
        let times = sent(client, Request::get(Caller::Shop, times)).await?;
        let ids = times.as_array().into_iter().flatten().filter_map(|time| time["id"].as_str());
        let slots: Vec<String> = ids.map(str::to_owned).collect();
        if slots.len() < HOURS.len() {
            return Err(Failure::new(format!("the event that is sold has {} times", slots.len())));
        }
        Ok(Self { template, slots, today })
    }

    /// The days from the one to the other, counted from today, as parameters of a request.
    pub(super) fn days(&self, first: u64, last: u64) -> String {
        days(self.today, first, last)
    }
}

fn days(today: NaiveDate, first: u64, last: u64) -> String {
    format!("startTime={}&endTime={}", day(today, first), day(today, last))
}

fn day(today: NaiveDate, ahead: u64) -> NaiveDate {
    today.checked_add_days(Days::new(ahead)).unwrap_or(today)
}

/// Sets the limits of the venue so high that no visitor is refused.
async fn raise_limits(client: &Client) -> Result<(), Failure> {
    const SETTINGS: &str = "/v2/b2b/settings";
    let settings = sent(client, Request::get(Caller::Staff, SETTINGS)).await?;
    let high = |limit: &RateLimit| json!({ "limit": limit.name(), "count": u32::MAX, "seconds": 60 });
    let limits: Vec<Value> = RateLimit::ALL.iter().map(high).collect();
    let raised = json!({ "name": settings["name"], "limits": limits });
    sent(client, Request::put(Caller::Staff, SETTINGS, raised)).await?;
    Ok(())
}

/// An event on each of the next days. Its prices are multiples of 100, so that donations below make amounts differ.
fn event(today: NaiveDate) -> Value {
    let hours = HOURS.map(|hour| json!({ "hour": hour, "minutes": 0 }));
    let price =
        |person_type: &str, price: &str| json!({ "personType": { "id": person_type }, "price": price });
    json!({
        "name": "Endurance", "description": "A ship that sails for as long as there are visitors.",
        "reviewState": "Published", "duration": { "hour": 1, "minutes": 0 }, "capacity": SEATS,
        "schedules": [{
            "id": "10015c0000000000000000f0", "weekdays": WEEKDAYS, "hours": hours,
            "ranges": [{ "start": today, "end": day(today, LAST_DAY.saturating_add(1)) }],
        }],
        "priceLists": [{ "id": "1001cc0000000000000000f0", "name": "Admission", "prices": [
            price(ADULT, "200.00"), price(CHILD, "100.00"),
        ] }],
        "ticketDetails": { "checkInWindow": { "minutesBefore": MINUTES_BEFORE } },
    })
}

/// Sends what must succeed.
async fn sent(client: &Client, request: Request) -> Result<Value, Failure> {
    let answer = client.send(&request, OFFICE).await?;
    if !request.is_answered_rightly(&answer) {
        let Answer { status, body, took: _ } = answer;
        return Err(Failure::new(format!("{request} was answered {status}: {body}")));
    }
    Ok(answer.body)
}
