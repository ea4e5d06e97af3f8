//! What the back office and the partner do.

use serde_json::{Value, json};

use crate::functions::permissions::request::{KeptEvent, Request};
use crate::functions::permissions::{ADULT, CREW, GALLERY, SLOT, Stage};

const OFFICE: KeptEvent = KeptEvent { function: "backoffice", file: "create.v2.json" };
const HOLDS: KeptEvent = KeptEvent { function: "reservations", file: "create.v2.json" };
const LEVELS: KeptEvent = KeptEvent { function: "memberships", file: "create.v2.json" };
const PARTNER: KeptEvent = KeptEvent { function: "onboarding", file: "create.v2.json" };

/// The application of the kept events.
const APPLICATION: &str = "/v1/payment/onboard/5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";

/// An event on some nights of a month, or on one day without schedules.
pub(super) fn event(name: &str, rest: &Value) -> Value {
    let mut event = json!({
        "name": name, "description": name, "reviewState": "Published", "capacity": 40,
        "duration": {"hour": 1, "minutes": 0},
        "priceLists": [{"name": "Admission", "prices": [{"personType": {"id": ADULT}, "price": "24.50"}]}],
    });
    event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    event
}

fn nights(weekday: &str) -> Value {
    let schedule = json!({
        "name": "Nights", "weekdays": [weekday], "hours": [{"hour": 20, "minutes": 0}],
        "ranges": [{"start": "2026-05-01", "end": "2026-05-31"}],
    });
    event("Night", &json!({"schedules": [schedule]}))
}

impl Stage {
    pub(super) async fn staff(&mut self) {
        self.write_the_catalog().await;
        self.write_a_timetable().await;
        self.hold_seats().await;
        self.look_after_members().await;
        self.bring_a_merchant().await;
    }

    async fn write_the_catalog(&mut self) {
        let kinds = "/v2/b2b/persontypes";
        let grown_up = json!({"name": "Grown-up"});
        let kind = self.make(Request::new(OFFICE, "POST", kinds).with_body(&grown_up)).await;
        self.succeed(Request::new(OFFICE, "DELETE", &format!("{kinds}/{kind}"))).await;
        let gone = Request::new(OFFICE, "DELETE", &format!("{kinds}/{kind}")).keyed("delete it again");
        self.refuse(gone, "NOT_FOUND").await;
        let rules = json!({"rules": [{
            "id": "one", "levelIds": [CREW], "pricePointIds": [ADULT], "limit": 4,
            "ruleApplies": "acrossAllItems", "timeFrame": {"period": "day"},
        }]});
        let path = format!("/v2/b2b/event/templates/{GALLERY}/entitlements");
        self.succeed(Request::new(OFFICE, "PUT", &path).with_body(&rules)).await;
    }

    /// Publishes an event, changes a night of it and then all of them, and deletes it.
    async fn write_a_timetable(&mut self) {
        let all = "/v2/b2b/event/templates";
        let night = self.make(Request::new(OFFICE, "POST", all).with_body(&nights("Friday"))).await;
        let path = format!("{all}/{night}");
        self.succeed(Request::new(OFFICE, "GET", &path)).await;
        let may = "startTime=2026-05-01T00:00:00&endTime=2026-05-31T23:59:59";
        let listed = self.succeed(Request::new(OFFICE, "GET", &format!("{path}/instances?{may}"))).await;
        let first = listed["list"][0]["id"].as_str().unwrap();
        let slot = format!("/v2/b2b/event/instances/{first}");
        self.succeed(Request::new(OFFICE, "GET", &slot)).await;
        let fees = format!("/v1/b2b/event/instance/rebook/fees?eventIds={first}");
        self.succeed(Request::new(OFFICE, "GET", &fees)).await;
        let day = format!("/v2/b2b/event/instances/summaries?{may}");
        self.succeed(Request::new(OFFICE, "GET", &day)).await;
        self.succeed(Request::new(OFFICE, "PUT", &slot).with_body(&json!({"capacity": 30}))).await;
        self.succeed(Request::new(OFFICE, "PUT", &path).with_body(&nights("Saturday"))).await;
        self.succeed(Request::new(OFFICE, "DELETE", &path)).await;
    }

    async fn hold_seats(&mut self) {
        let all = "/v2/b2b/reservations";
        let seats = |quantity: u32| json!([{"eventId": SLOT, "quantity": quantity}]);
        let few = json!({"reservationItems": seats(1)});
        let held = self.succeed(Request::new(HOLDS, "POST", all).with_body(&few)).await;
        let path = format!("{all}/{}", held["id"]);
        self.succeed(Request::new(HOLDS, "GET", &path)).await;
        let more = json!({"id": held["id"], "reservationItems": seats(2)});
        self.succeed(Request::new(HOLDS, "PUT", all).with_body(&more).keyed("hold more")).await;
        let too_many = json!({"id": held["id"], "reservationItems": seats(900)});
        let refused = Request::new(HOLDS, "PUT", all).with_body(&too_many).keyed("hold too many");
        self.refuse(refused, "NOT_ENOUGH_CAPACITY").await;
        let too_many = json!({"reservationItems": seats(900)});
        let refused = Request::new(HOLDS, "POST", all).with_body(&too_many);
        self.refuse(refused, "NOT_ENOUGH_CAPACITY").await;
        let released = self.answer(&Request::new(HOLDS, "DELETE", &path)).await;
        assert!(released.status < 300, "{}", released.body);
    }

    async fn look_after_members(&mut self) {
        let all = "/v2/b2b/membership/levels";
        let skipper = json!({"name": "Skipper"});
        let level = self.make(Request::new(LEVELS, "POST", all).with_body(&skipper)).await;
        let path = format!("{all}/{level}");
        self.succeed(Request::new(LEVELS, "DELETE", &path)).await;
        self.refuse(Request::new(LEVELS, "DELETE", &path).keyed("delete it again"), "NOT_FOUND").await;
        let card = "/v2/b2b/membership/summaries?barcode=10010000007";
        self.succeed(Request::new(LEVELS, "GET", card)).await;
        let search = "/v2/b2b/membership/summaries/search?search=lindqvist";
        self.succeed(Request::new(LEVELS, "GET", search)).await;
        let cards = "/v1/b2b/membership/cards?memberId=100100031";
        let cards = self.succeed(Request::new(LEVELS, "GET", cards)).await;
        let card = format!("/v2/b2b/membership/cards/{}", cards[0]["id"]);
        self.succeed(Request::new(LEVELS, "GET", &card)).await;
    }

    /// Completes the application of the kept events, and tries to bring another with its name.
    async fn bring_a_merchant(&mut self) {
        self.succeed(Request::new(PARTNER, "GET", APPLICATION)).await;
        let change = json!({"dbaName": "Harbor Museum Store"});
        self.succeed(Request::new(PARTNER, "PATCH", APPLICATION).with_body(&change)).await;
        let wrong = json!({"businessType": "Pirates"});
        let refused = Request::new(PARTNER, "PATCH", APPLICATION).with_body(&wrong).keyed("change it");
        self.refuse(refused, "VALIDATION_ERROR").await;
    }
}
