//! What visitors and their storefront do.

use blackbox::runtime_api::Outcome;
use serde_json::{Value, json};

use crate::functions::permissions::request::{KeptEvent, Request};
use crate::functions::permissions::{CREW, DECLINED, GALLERY, SLOT, Stage, VISA, checkout, tickets};

const EVENTS: KeptEvent = KeptEvent { function: "events", file: "list-slim.v2.json" };
const CARTS: KeptEvent = KeptEvent { function: "carts", file: "create.v2.json" };
const RULES: KeptEvent = KeptEvent { function: "entitlements", file: "validate.v2.json" };
const CHECKOUT: KeptEvent = KeptEvent { function: "checkout", file: "card.v2.json" };
const OFFICE: KeptEvent = KeptEvent { function: "backoffice", file: "create.v2.json" };
const COUNTER: KeptEvent = KeptEvent { function: "orders", file: "will-call.v2.json" };
const MEMBERS: KeptEvent = KeptEvent { function: "membership_validation", file: "log-in.v2.json" };

/// The number of the demo venue's member.
const MEMBER: u64 = 100_100_031;

fn pay(body: &Value) -> Request {
    Request::new(CHECKOUT, "POST", "/v2/b2c/checkout").with_body(body)
}

impl Stage {
    pub(super) async fn visitors(&mut self) {
        self.browse().await;
        self.browse_as_a_member().await;
        self.hold_seats_for_a_visitor().await;
        let cart = self.fill_carts().await;
        self.pay_for(&cart).await;
        self.join().await;
        self.read_orders().await;
        let stale = Request::new(MEMBERS, "POST", "/v2/b2c/membership/validate/login").keyed("log in");
        self.refuse(stale.with_body(&json!({"token": "stale"})), "LOGIN_TOKEN_NOT_VALID").await;
    }

    async fn browse(&mut self) {
        for path in [
            "/v2/b2c/event/templates".to_owned(),
            format!("/v2/b2c/event/templates/{GALLERY}/times"),
            // Ten minutes in which an event has at most one slot, which is read by its key.
            "/v2/b2c/event/templates/times?startTime=2026-03-18T09:50:00&endTime=2026-03-18T10:00:00"
                .to_owned(),
            format!("/v2/b2c/events/{SLOT}"),
            "/v2/b2c/membership/levels".to_owned(),
            "/v2/b2c/combos".to_owned(),
            "/v2/b2c/inventory".to_owned(),
        ] {
            self.succeed(Request::new(EVENTS, "GET", &path)).await;
        }
    }

    /// Verifies the member on a page, guesses another, and shows the proof around.
    async fn browse_as_a_member(&mut self) {
        let validate = |query: &str| {
            let path = format!("/v2/b2c/membership/validate?{query}");
            Request::new(MEMBERS, "GET", &path).on_page(None)
        };
        let found = self.succeed(validate(&format!("membershipId={MEMBER}&lastName=lindqvist"))).await;
        self.succeed(validate(&format!("membershipId={MEMBER}&lastName=smith"))).await;
        let proof = found["memberProof"].as_str();
        let path = format!("/v2/b2c/event/templates/{GALLERY}?membershipId={MEMBER}");
        for proof in [proof, None] {
            self.succeed(Request::new(EVENTS, "GET", &path).on_page(proof)).await;
        }
        // A server's word is looked up, and how much was guessed beside it.
        self.succeed(Request::new(EVENTS, "GET", &path)).await;
        let cart = json!({"items": [tickets(SLOT, 1)], "membershipIds": [MEMBER]});
        let validate = Request::new(RULES, "POST", "/v2/b2c/entitlements/validate").with_body(&cart);
        self.succeed(validate.on_page(proof)).await;
    }

    /// Holds a seat while somebody types, holds one more, and releases both.
    async fn hold_seats_for_a_visitor(&mut self) {
        let all = "/v2/b2c/reservations";
        let request = |method: &str, path: &str| Request::new(CARTS, method, path).sent_to("reservations");
        let seats = |quantity: u32| json!([{"eventId": SLOT, "quantity": quantity}]);
        let one = request("POST", all).with_body(&json!({"reservationItems": seats(1)}));
        let held = self.succeed(one).await;
        let more = json!({"id": held["id"], "reservationItems": seats(2)});
        self.succeed(request("PUT", all).with_body(&more)).await;
        self.succeed(request("DELETE", &format!("{all}/{}", held["id"]))).await;
    }

    /// Makes carts, by a level and by the member's number, and changes them. One is left, with two tickets at the
    /// price for everybody.
    async fn fill_carts(&mut self) -> String {
        let make = || Request::new(CARTS, "POST", "/v2/b2c/carts");
        let validate = || Request::new(RULES, "POST", "/v2/b2c/entitlements/validate");
        let filled = json!({"items": [tickets(SLOT, 1)], "membershipCategoryId": CREW});
        let other = self.make(make().with_body(&filled)).await;
        self.succeed(validate().with_body(&filled)).await;
        self.succeed(Request::new(CARTS, "DELETE", &format!("/v2/b2c/carts/{other}"))).await;

        let filled = json!({"items": [tickets(SLOT, 1)], "membershipIds": [MEMBER]});
        let cart = self.make(make().with_body(&filled)).await;
        let path = format!("/v2/b2c/carts/{cart}");
        self.succeed(Request::new(CARTS, "GET", &path)).await;
        let change = || Request::new(CARTS, "PUT", &path);
        let mut filled = json!({"id": cart, "items": [tickets(SLOT, 2)], "membershipIds": [MEMBER]});
        self.succeed(change().with_body(&filled).keyed("change a cart")).await;
        filled["couponCodes"] = json!(["GUESS"]);
        self.succeed(change().with_body(&filled)).await;
        let filled = json!({"id": cart, "items": [tickets(SLOT, 2)]});
        self.succeed(change().with_body(&filled)).await;
        self.succeed(validate().with_body(&json!({"id": cart}))).await;
        cart
    }

    /// Pays for a cart, after a look and with the second card.
    async fn pay_for(&mut self, cart: &str) {
        let named = json!({"shoppingCartId": cart});
        let mut look = checkout("card.v2.json", &named, VISA);
        look["dryRun"] = json!(true);
        let looked = self.succeed(pay(&look)).await;
        assert_eq!(looked["valid"], true, "{looked}");
        let declined = checkout("card.v2.json", &named, DECLINED);
        self.refuse(pay(&declined), "CARD_DECLINED").await;
        self.succeed(pay(&checkout("card.v2.json", &named, VISA))).await;
        let path = format!("/v2/b2c/carts/{cart}");
        self.refuse(Request::new(CARTS, "DELETE", &path), "CART_ALREADY_CHECKED_OUT").await;
    }

    /// Buys a membership and renews another, with the second card.
    async fn join(&mut self) {
        let kept: Value = super::kept("checkout", "join.v2.json");
        let kept: Value = serde_json::from_str(kept["body"].as_str().unwrap()).unwrap();
        let cart = json!({"shoppingCart": kept["shoppingCart"]});
        self.refuse(pay(&checkout("join.v2.json", &cart, DECLINED)), "CARD_DECLINED").await;
        // Not at the moment at which the membership was changed before: what lists find it by is another place then.
        self.succeed(pay(&checkout("join.v2.json", &cart, VISA)).later()).await;
    }

    async fn read_orders(&mut self) {
        let found = "/v2/b2c/orders/search?email=zoe.okafor@example.org";
        let found = self.succeed(Request::new(CHECKOUT, "GET", found).sent_to("orders")).await;
        let path = format!("/v2/b2c/orders/{}", found["list"][0]["id"].as_str().unwrap());
        self.succeed(Request::new(CHECKOUT, "GET", &path).sent_to("orders")).await;
        // Whoever paid for it gets a link to it by its number.
        let link = json!({"orderNumber": found["list"][0]["orderNumber"], "email": "zoe.okafor@example.org"});
        let link = Request::new(CHECKOUT, "POST", "/v2/b2c/orders/link").with_body(&link);
        assert_eq!(self.answer(&link.sent_to("orders")).await.status, 204);
        let job = self.cloud.jobs().pop().unwrap();
        self.send_mail(&job).await;
        // Staff look for them too, and for those of an event.
        self.succeed(Request::new(COUNTER, "GET", "/v2/b2b/orders/search?lastName=oka")).await;
        let of_event = Request::new(COUNTER, "GET", &format!("/v2/b2b/orders/event/{SLOT}"));
        let of_event = self.succeed(of_event).await;
        self.put_right(of_event[0]["id"].as_str().unwrap()).await;
    }

    /// Puts the contacts of an order right and has its mail sent again.
    async fn put_right(&mut self, order: &str) {
        let path = format!("/v2/b2b/orders/{order}");
        let right = json!({
            "contactLastName": "Lindqvist", "billingLastName": "Lindqvist",
            "email": "zoe@example.org", "billingEmail": "zoe@example.org",
        });
        self.succeed(
            Request::new(OFFICE, "PUT", &path).sent_to("orders").with_body(&right).keyed("put it right"),
        )
        .await;
        let gone = Request::new(OFFICE, "PUT", "/v2/b2b/orders/7").sent_to("orders").with_body(&right);
        self.refuse(gone.keyed("put nothing right"), "NOT_FOUND").await;
        let again = Request::new(OFFICE, "POST", &format!("{path}/email")).sent_to("orders");
        self.succeed(again.with_body(&json!({"kind": "receipt"}))).await;
        let detail = format!("/v2/b2b/orders/detail/{order}");
        let detail = self.succeed(Request::new(COUNTER, "GET", &detail)).await;
        assert!(detail["mails"].as_array().unwrap().iter().any(|mail| mail["again"] == true));
        let job = self.cloud.jobs().pop().unwrap();
        assert!(job.contains("again-"), "{job}");
        self.send_mail(&job).await;
    }

    /// Sends the mail of a job, which is one that is owed.
    async fn send_mail(&mut self, job: &str) {
        let before = self.cloud.mails().len();
        let mut batch = super::kept("mailer", "batch.sqs.json");
        let records = batch["Records"].as_array_mut().unwrap();
        records.truncate(1);
        records[0]["body"] = json!(job);
        let Outcome::Answered(_) = self.player("mailer").invoke(&batch).await.unwrap() else {
            panic!("the mail was not sent")
        };
        assert_eq!(self.cloud.mails().len(), before + 1, "{job}");
    }
}
