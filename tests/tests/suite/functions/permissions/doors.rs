//! What the doors do.

use serde_json::{Value, json};

use crate::functions::permissions::request::{KeptEvent, Request};
use crate::functions::permissions::{GALLERY, SLOT, Stage};

const SCAN: KeptEvent = KeptEvent { function: "admission", file: "scan.v2.json" };
const TILL: KeptEvent = KeptEvent { function: "admission", file: "history.v2.json" };
const WILL_CALL: KeptEvent = KeptEvent { function: "orders", file: "will-call.v2.json" };
const EVENTS: KeptEvent = KeptEvent { function: "events", file: "list-slim.v2.json" };

const ADMISSIONS: &str = "/v2/b2b/admissions";
/// The number of a membership of one card.
const MEMBER: &str = "100100031";

fn scan(target: &str, body: &Value) -> Request {
    Request::new(SCAN, "POST", target).with_body(body)
}

impl Stage {
    pub(super) async fn doors(&mut self) {
        let order = self.sold(7).await;
        let order = order["id"].as_str().unwrap().to_owned();
        let path = format!("/v2/b2b/willcall/orders/{order}");
        let shown = self.succeed(Request::new(WILL_CALL, "GET", &path)).await;
        let tickets = shown["eventItems"][0]["items"][0]["tickets"].as_array().unwrap().clone();
        let named = |place: usize| json!({"orderId": order, "ticketId": tickets[place]["id"]});
        let code = |place: usize| json!({"code": tickets[place]["uuid"]});
        self.succeed(scan(ADMISSIONS, &code(0)).keyed("scan it")).await;
        self.succeed(scan(&format!("{ADMISSIONS}/lookup"), &code(1))).await;
        self.succeed(scan(&format!("{ADMISSIONS}/undo"), &code(0))).await;
        let block = json!({"tickets": [named(1)], "blocked": true, "reason": "Reported lost"});
        self.succeed(Request::new(TILL, "POST", &format!("{ADMISSIONS}/blocks")).with_body(&block)).await;
        self.succeed(Request::new(TILL, "GET", &format!("{ADMISSIONS}/orders/{order}"))).await;
        let list = format!("{ADMISSIONS}/events/{SLOT}");
        self.succeed(Request::new(SCAN, "GET", &list)).await;
        for card in ["/lookup", ""] {
            self.succeed(scan(&format!("{ADMISSIONS}{card}"), &json!({"code": MEMBER}))).await;
        }
        self.succeed(scan(ADMISSIONS, &json!({"code": "nobody"}))).await;
        let nowhere = json!({"tickets": [named(2)], "eventId": "ffffffffffffffffffffffff"});
        self.refuse(scan(ADMISSIONS, &nowhere).keyed("scan it nowhere"), "NOT_FOUND").await;
        self.move_at_the_door(&named(3)).await;
    }

    /// Scans a ticket into another hour of the day, to which its template has it moved.
    async fn move_at_the_door(&mut self, named: &Value) {
        let day = "startTime=2026-03-18T00:00:00&endTime=2026-03-18T23:59:59";
        let path = format!("/v2/b2c/event/templates/{GALLERY}/times?{day}");
        let times = self.succeed(Request::new(EVENTS, "GET", &path)).await;
        let body = json!({"tickets": [named], "eventId": times[2]["id"]});
        let moved = self.succeed(scan(ADMISSIONS, &body)).await;
        assert_eq!(moved["results"][0]["rebookedFrom"], SLOT, "{moved}");
    }
}
