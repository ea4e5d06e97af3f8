//! What the scheduled work does about what functions left half-way. It works in real time, and so do these scenes.

use std::collections::BTreeMap;
use std::net::TcpListener;

use blackbox::runtime_api::Outcome;
use domain::stripe::{StripeAddress, StripeSettings, stripe_key_context};
use domain::tenant::ProcessorKind;
use serde_json::{Value, json};
use store::Consistency;

use crate::functions::aws::Need;
use crate::functions::kept;
use crate::functions::permissions::request::{KeptEvent, Request};
use crate::functions::permissions::returns::{dollar_of, tenant};
use crate::functions::permissions::staff::event;
use crate::functions::permissions::{Stage, VISA, checkout, tickets};

const OFFICE: KeptEvent = KeptEvent { function: "backoffice", file: "create.v2.json" };
const CHECKOUT: KeptEvent = KeptEvent { function: "checkout", file: "card.v2.json" };
const PARTNER: KeptEvent = KeptEvent { function: "onboarding", file: "create.v2.json" };

const SECURING: Need = Need { action: "dynamodb:PutItem", resource: "OrdersTable" };
/// A payment of the sandbox is put when it is opened, and again when its card is charged.
const CHARGING: Need = Need { action: "dynamodb:PutItem", resource: "MerchantsTable" };
const TAKING: Need = Need { action: "dynamodb:UpdateItem", resource: "MerchantsTable" };

/// A coupon whose uses are counted.
const COUPON: &str = "FIVEOFF";

/// The reports of the scheduled work that matter here.
fn counted(report: &Value, names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| report[name].as_u64().unwrap()).collect()
}

impl Stage {
    pub(super) async fn recovery(&mut self) {
        let slot = self.publish_a_gala().await;
        self.bring_a_merchant_to_decide_on().await;
        self.finish_checkouts(&slot).await;
        self.finish_a_refund(&slot).await;
        self.clear_a_timetable().await;
    }

    /// One run of the scheduled work, by a function that was just started: none remembers how a tenant was before.
    async fn run_scheduled_work(&mut self) -> Value {
        let mut cleanup = self.cloud.function("cleanup").await;
        let outcome = cleanup.invoke(&kept("cleanup", "every-minute.schedule.json")).await.unwrap();
        let Outcome::Answered(report) = outcome else { panic!("{outcome:?}") };
        report
    }

    /// Sends a request whose function is cut off after so many calls with this need, and so leaves its work half-way.
    async fn break_off(&mut self, request: Request, need: Need, left: u32) {
        self.cloud.cut_off(request.function, need, left);
        let answer = self.answer(&request).await;
        self.cloud.mend(request.function);
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        let kind = body["type"].as_str().unwrap();
        let left_open = ["TRY_AGAIN", "REQUEST_IN_PROGRESS", "REFUND_PENDING"];
        assert!(left_open.contains(&kind), "{}: {body}", request.line);
    }

    /// Publishes an event on one day far ahead, and tells its slot.
    async fn publish_a_gala(&mut self) -> String {
        let all = "/v2/b2b/event/templates";
        let gala = event("Gala", &json!({"startTime": "2039-06-01T20:00:00"}));
        let made = Request::new(OFFICE, "POST", all).with_body(&gala).in_real_time();
        let made = self.make(made).await;
        let day = "startTime=2039-06-01T00:00:00&endTime=2039-06-01T23:59:59";
        let listed = Request::new(OFFICE, "GET", &format!("{all}/{made}/instances?{day}"));
        let listed = self.succeed(listed.in_real_time()).await;
        listed["list"][0]["id"].as_str().unwrap().to_owned()
    }

    async fn bring_a_merchant_to_decide_on(&mut self) {
        let mut application: Value =
            serde_json::from_str(kept("onboarding", "create.v2.json")["body"].as_str().unwrap()).unwrap();
        application["boardingRefId"] = json!("0e8d6a52-41c7-4b90-9a3f-5d27c1e8b640");
        let brought = Request::new(PARTNER, "POST", "/v1/payment/onboard").with_body(&application);
        let brought = self.succeed(brought.in_real_time()).await;
        assert_eq!(brought["status"], "Pending", "{brought}");
    }

    /// Two checkouts break off: one before its card was charged, the other behind.
    async fn finish_checkouts(&mut self, slot: &str) {
        let cart = json!({"items": [tickets(slot, 2)], "couponCodes": [COUPON]});
        self.break_off(pay(&cart), SECURING, 1).await;
        let kept = kept("checkout", "join.v2.json");
        let kept: Value = serde_json::from_str(kept["body"].as_str().unwrap()).unwrap();
        let mut cart = kept["shoppingCart"].clone();
        cart["items"].as_array_mut().unwrap().push(tickets(slot, 1));
        self.break_off(pay(&cart), CHARGING, 2).await;
        self.cloud.let_deadlines_pass().await;

        self.charge_elsewhere().await;
        let report = self.run_scheduled_work().await;
        let names = ["ordersDue", "ordersFinished", "merchantsDecided", "failed"];
        assert_eq!(counted(&report, &names), [2, 0, 1, 2], "{report}");
        self.charge_in_the_sandbox().await;
        // What was tried in vain is put off.
        self.cloud.let_deadlines_pass().await;
        let report = self.run_scheduled_work().await;
        // One of the orders was paid, so long ago that its mail is enqueued again at once.
        let names = ["ordersDue", "ordersFinished", "mailsAnnounced", "failed"];
        assert_eq!(counted(&report, &names), [2, 2, 1, 0], "{report}");
    }

    /// Has the venue's cards charged by Stripe, at an address where nobody listens.
    async fn charge_elsewhere(&mut self) {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", free.local_addr().unwrap());
        drop(free);
        let service = self.cloud.service();
        let sealed = service.app.vault.seal(&stripe_key_context(tenant()), b"sk_test_Stage").await.unwrap();
        let settings = StripeSettings {
            sealed_key: hex::encode(sealed),
            address: Some(StripeAddress::parse(&address).unwrap()),
            accounts: BTreeMap::new(),
            publishable_key: None,
            webhook_secrets: Vec::new(),
        };
        self.charge_by(ProcessorKind::Stripe(Box::new(settings))).await;
    }

    async fn charge_in_the_sandbox(&mut self) {
        self.charge_by(ProcessorKind::Sandbox).await;
    }

    async fn charge_by(&mut self, processor: ProcessorKind) {
        let store = &self.cloud.service().store;
        let venue = store.load_tenant(tenant(), Consistency::Strong).await.unwrap().unwrap();
        store.save_tenant(&domain::tenant::Tenant { processor, ..venue }).await.unwrap();
    }

    /// A refund breaks off once it is taken from its sale.
    async fn finish_a_refund(&mut self, slot: &str) {
        let order = self.succeed(pay(&json!({"items": [tickets(slot, 3)]}))).await;
        self.break_off(dollar_of(&order).in_real_time(), TAKING, 1).await;
        self.cloud.let_deadlines_pass().await;
        let report = self.run_scheduled_work().await;
        assert_eq!(counted(&report, &["refundsFinished", "failed"]), [1, 0], "{report}");
    }

    /// An event is deleted, and its slot with it.
    async fn clear_a_timetable(&mut self) {
        let all = "/v2/b2b/event/templates";
        let recital = event("Recital", &json!({"startTime": "2039-06-02T20:00:00"}));
        let made = Request::new(OFFICE, "POST", all).with_body(&recital).in_real_time();
        let made = self.make(made).await;
        self.succeed(Request::new(OFFICE, "DELETE", &format!("{all}/{made}")).in_real_time()).await;
        let report = self.run_scheduled_work().await;
        assert_eq!(counted(&report, &["slotsDeleted", "failed"]), [1, 0], "{report}");
    }
}

fn pay(cart: &Value) -> Request {
    let body = checkout("card.v2.json", &json!({"shoppingCart": cart}), VISA);
    Request::new(CHECKOUT, "POST", "/v2/b2c/checkout").with_body(&body).in_real_time()
}
