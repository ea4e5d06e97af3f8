//! Calendars and days.

use crate::support::{Listed, Venue, daily, template};
use serde_json::{Value, json};
use testkit::Answer;

/// Seats that can be had and all seats of each day.
fn seats(answer: &Answer) -> Vec<(i64, i64)> {
    let number = |value: &Value| value.as_i64().unwrap();
    let days = answer.body["days"].as_array().unwrap().iter();
    days.map(|day| (number(&day["availableSeats"]), number(&day["capacity"]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn days_are_those_of_the_tenants_clocks() {
    let late = json!({"postStartPurchase": {"allowLateTicketPurchase": true}});
    let fields = json!({
        "startTime": "2027-07-04T20:00:00", "duration": {"hour": 4, "minutes": 0}, "ticketDetails": late,
    });
    let venue = Venue::open("America/Los_Angeles", vec![template("concert", fields)]).await;
    let range = "startTime=2027-07-04T00:00:00-07:00&endTime=2027-07-04T23:59:59-07:00";
    for path in ["/v2/b2c/event/templates/calendar", "/v2/b2c/event/templates/concert/calendar"] {
        for (now, query) in [
            ("2027-07-04T12:00:00-07:00", range),
            ("2027-07-04T22:00:00-07:00", ""),
            ("2027-07-04T22:00:00-07:00", "startTime=2027-07-04"),
            ("2027-07-04T22:00:00-07:00", "startTime=2027-07-04T07:00:00Z"),
            ("2027-07-04T22:00:00-07:00", "startTime=2027-07-04T09:00:00+02:00"),
        ] {
            let answer = venue.get(now, &format!("{path}?{query}")).await;
            assert_eq!(answer.days(), ["2027-07-04*"], "{path} {query}");
            assert_eq!(answer.body["days"][0]["date"], "2027-07-04T00:00:00-07:00");
            assert_eq!(answer.body["days"][0]["name"], "");
            assert_eq!(answer.calls.rounds, 1, "{path} {query}");
        }
    }
    let both = "/v2/b2c/event/templates/concert/calendar?startTime=2027-07-03&endTime=2027-07-05";
    let answer = venue.get("2027-07-03T12:00:00-07:00", both).await;
    assert_eq!(answer.days(), ["2027-07-03", "2027-07-04*", "2027-07-05"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_range_is_the_whole_day_where_clocks_change() {
    let entry = template("entry", json!({"schedules": daily(&[(0, 0), (10, 0), (23, 45)])}));
    let venue = Venue::open("America/New_York", vec![entry]).await;
    for (day, morning, night) in [("2027-03-14", "-05:00", "-04:00"), ("2027-11-07", "-04:00", "-05:00")] {
        let now = format!("{day}T00:00:00{morning}");
        // Sales of the first slot close as it starts.
        let times = venue.get(&now, "/v2/b2c/event/templates/entry/times").await;
        assert_eq!(times.starts(), [format!("{day}T10:00:00{night}"), format!("{day}T23:45:00{night}")]);
        let calendar = venue.get(&now, "/v2/b2c/event/templates/entry/calendar").await;
        assert_eq!(calendar.days(), [format!("{day}*")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_is_active_while_a_seat_remains() {
    let entry = template("entry", json!({"schedules": daily(&[(10, 0), (14, 0)])}));
    let venue = Venue::open("America/New_York", vec![entry]).await;
    let path = "/v2/b2c/event/templates/entry/calendar?startTime=2027-07-04&endTime=2027-07-05T23:59:59";
    let now = "2027-07-04T08:00:00-04:00";
    venue.sell_out("2027-07-04T10:00:00").await;
    let half = venue.get(now, path).await;
    assert_eq!(half.days(), ["2027-07-04*", "2027-07-05*"]);
    assert_eq!(seats(&half), [(50, 100), (100, 100)]);
    venue.sell_out("2027-07-04T14:00:00").await;
    let all = "/v2/b2c/event/templates/calendar?startTime=2027-07-04&endTime=2027-07-05T23:59:59";
    for path in [path, all] {
        let full = venue.get(now, path).await;
        assert_eq!(full.days(), ["2027-07-04", "2027-07-05*"]);
        assert_eq!(seats(&full), [(0, 100), (100, 100)]);
    }
    // What is closed is no longer shown, so that it counts neither as room nor as full.
    let noon = venue.get("2027-07-04T12:00:00-04:00", path).await;
    assert_eq!(seats(&noon), [(0, 50), (100, 100)]);
    let night = venue.get("2027-07-04T22:00:00-04:00", path).await;
    assert_eq!(seats(&night), [(0, 0), (100, 100)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_without_events_is_answered_with_two_months_from_the_first_event() {
    let ranges = json!([{"id": "august", "weekdays": ["Monday"], "hours": [{"hour": 10, "minutes": 0}],
                         "ranges": [{"start": "2027-08-01", "end": "2027-08-31"}]}]);
    let venue = Venue::open("America/New_York", vec![template("entry", json!({"schedules": ranges}))]).await;
    let answer = venue.get("2027-07-04T08:00:00-04:00", "/v2/b2c/event/templates/entry/calendar").await;
    let days = answer.days();
    assert_eq!(
        (days.first().unwrap().as_str(), days.last().unwrap().as_str()),
        ("2027-08-02*", "2027-10-02")
    );
    assert_eq!(days.iter().filter(|day| day.ends_with('*')).count(), 5);
    assert_eq!(answer.calls.rounds, 1);
    let over = venue.get("2027-09-04T08:00:00-04:00", "/v2/b2c/event/templates/entry/calendar").await;
    assert_eq!(over.days(), ["2027-09-04"]);
}
