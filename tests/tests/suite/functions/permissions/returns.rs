//! What is given back: money of sales, and what was bought.

use domain::time::plus_secs;
use domain::{SaleId, TenantId, Timestamp};
use serde_json::{Value, json};
use store::order::DueClock;
use store::{Action, Expression, Key};

use crate::functions::aws::{NOW, Need};
use crate::functions::permissions::request::{KeptEvent, Request};
use crate::functions::permissions::{GALLERY, SLOT, Stage, VISA, checkout, tickets};

const CHECKOUT: KeptEvent = KeptEvent { function: "checkout", file: "card.v2.json" };
const EVENTS: KeptEvent = KeptEvent { function: "events", file: "list-slim.v2.json" };
const MERCHANT: KeptEvent = KeptEvent { function: "payment_refunds", file: "refund.v2.json" };
const RETURNS: KeptEvent = KeptEvent { function: "order_refunds", file: "preview.v2.json" };

const REFUND: &str = "/v1/payment/60417/refund";
const REFUNDS: &str = "/v2/b2b/refunds";

/// A refund is overdue by then.
const LATER_SECS: i64 = 3_600;

pub(super) fn tenant() -> TenantId {
    TenantId::parse(1001).unwrap()
}

pub(super) fn sale_of(order: &Value) -> &str {
    order["payments"][0]["saleId"].as_str().unwrap()
}

/// A dollar of a sale, for its merchant.
pub(super) fn dollar_of(order: &Value) -> Request {
    let body = json!({"saleId": sale_of(order), "charge": {"amount": 1.0}});
    Request::new(MERCHANT, "POST", REFUND).with_body(&body)
}

fn whole(order: &Value, target: &str) -> Request {
    let body = json!({"orderId": order["id"], "wholeOrder": true});
    Request::new(RETURNS, "POST", target).with_body(&body)
}

impl Stage {
    pub(super) async fn returns(&mut self) {
        self.refund_a_sale().await;
        self.refund_an_order().await;
        self.refund_a_membership().await;
        self.refund_what_is_refunded_meanwhile().await;
        self.exchange().await;
    }

    /// Sells so many tickets. No two sales of one amount on one card are made here: that would be a double click.
    pub(super) async fn sold(&mut self, quantity: u32) -> Value {
        let cart = json!({"shoppingCart": {"items": [tickets(SLOT, quantity)]}});
        let body = checkout("card.v2.json", &cart, VISA);
        self.succeed(Request::new(CHECKOUT, "POST", "/v2/b2c/checkout").with_body(&body)).await
    }

    async fn refund_a_sale(&mut self) {
        let order = self.sold(3).await;
        let mut preview = dollar_of(&order);
        preview.event["rawPath"] = json!(format!("{REFUND}/preview"));
        self.succeed(preview).await;
        self.succeed(dollar_of(&order)).await;
        self.succeed(dollar_of(&order).keyed("refund a dollar")).await;
        // Sales that were written long ago do not name their payment: their order does.
        let sale = Key::sale(tenant(), &SaleId::parse(sale_of(&order)).unwrap());
        let mut update = Expression::new();
        update.remove(&["reference"]);
        self.cloud.service().store.write(&sale, Action::Update(update)).await.unwrap().unwrap();
        self.succeed(dollar_of(&order)).await;
    }

    async fn refund_an_order(&mut self) {
        let order = self.sold(4).await;
        self.succeed(whole(&order, &format!("{REFUNDS}/preview"))).await;
        self.succeed(whole(&order, REFUNDS).keyed("refund it")).await;
        self.refuse(whole(&order, REFUNDS).keyed("refund it again"), "NOT_REFUNDABLE").await;
    }

    /// Buys a membership and gives it back.
    async fn refund_a_membership(&mut self) {
        let kept = super::kept("checkout", "join.v2.json");
        let kept: Value = serde_json::from_str(kept["body"].as_str().unwrap()).unwrap();
        let cart = json!({"shoppingCart": {"items": [kept["shoppingCart"]["items"][0]]}});
        let body = checkout("join.v2.json", &cart, VISA);
        let pay = Request::new(CHECKOUT, "POST", "/v2/b2c/checkout").with_body(&body);
        let order = self.succeed(pay).await;
        self.succeed(whole(&order, "/v2/b2b/refunds/preview").later()).await;
        self.succeed(whole(&order, REFUNDS).later()).await;
    }

    /// A refund whose handler is so slow that the scheduled work finishes it first.
    async fn refund_what_is_refunded_meanwhile(&mut self) {
        let order = self.sold(5).await;
        let sale = SaleId::parse(sale_of(&order)).unwrap();
        let app = self.cloud.service().app.clone();
        let later = plus_secs(NOW.parse::<Timestamp>().unwrap(), LATER_SECS);
        let reading = Need { action: "dynamodb:GetItem", resource: "MerchantsTable" };
        self.cloud.meanwhile("order_refunds", reading, async move {
            let finished = sagas::recover_refunds(&app, tenant(), &sale, DueClock::Chosen, later, later);
            let finished = finished.await.unwrap();
            assert_eq!((finished.finished, finished.left), (1, 0));
        });
        self.succeed(whole(&order, REFUNDS)).await;
    }

    /// Exchanges a ticket for one of another hour of the day.
    async fn exchange(&mut self) {
        let day = "startTime=2026-03-18T00:00:00&endTime=2026-03-18T23:59:59";
        let path = format!("/v2/b2c/event/templates/{GALLERY}/times?{day}");
        let times = self.succeed(Request::new(EVENTS, "GET", &path)).await;
        let order = self.sold(6).await;
        let wanted = json!({
            "orderId": order["id"], "itemId": order["orderItems"][0]["itemId"], "quantity": 1,
            "eventId": times[1]["id"],
        });
        self.succeed(Request::new(RETURNS, "POST", "/v2/b2b/exchanges").with_body(&wanted)).await;
    }
}
