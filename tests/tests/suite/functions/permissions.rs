//! A function may do what it does, and nothing else: what the template permits each is what its calls need.

mod doors;
mod people;
mod recovery;
mod request;
mod returns;
mod staff;
mod visitors;

use std::collections::{BTreeMap, BTreeSet};

use blackbox::runtime_api::{HttpAnswer, Outcome, Player};
use blackbox::template::permissions;
use serde_json::{Value, json};

use crate::functions::aws::Cloud;
use crate::functions::permissions::request::Request;
use crate::functions::{
    CART, ORDER, SALE, TOKEN, call, cart, kept, kept_events, login_token, order_and_sale, with, with_card,
};

/// The first slot of [`GALLERY`] on 18 March 2026.
const SLOT: &str = "ab92087a69baafe0843e1d0a";
const GALLERY: &str = "1001ee000000000000000001";
const ADULT: &str = "1001aa000000000000000001";
const CREW: &str = "1001bb000000000000000001";
const VISA: &str = "4111111111111111";
const DECLINED: &str = "4000000000000002";

/// All functions, each started once.
struct Stage {
    cloud: Cloud,
    players: BTreeMap<String, Player>,
}

impl Stage {
    async fn open() -> Self {
        let (cloud, mut players) = (Cloud::start().await, BTreeMap::new());
        for directory in std::fs::read_dir(blackbox::repository().join("functions")).unwrap() {
            let function = directory.unwrap().file_name().into_string().unwrap();
            let player = cloud.function(&function).await;
            players.insert(function, player);
        }
        Self { cloud, players }
    }

    fn player(&mut self, function: &str) -> &mut Player {
        self.players.get_mut(function).unwrap()
    }

    async fn answer(&mut self, request: &Request) -> HttpAnswer {
        call(self.player(request.function), &request.event).await
    }

    /// Sends a request that is to succeed.
    async fn succeed(&mut self, request: Request) -> Value {
        let answer = self.answer(&request).await;
        assert_eq!(answer.status, 200, "{}: {}", request.line, answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    /// Sends a request that makes something, and tells its id.
    async fn make(&mut self, request: Request) -> String {
        let made = self.succeed(request).await;
        let id = made.get("id").unwrap_or(&made);
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }

    /// Sends a request that is to be refused with an error of this type.
    async fn refuse(&mut self, request: Request, kind: &str) {
        let answer = self.answer(&request).await;
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(body["type"], kind, "{}: {} {}", request.line, answer.status, answer.body);
    }

    async fn every_kept_event(&mut self) {
        let cart = cart(self.player("carts")).await;
        let (order, sale) = order_and_sale(self.player("checkout")).await;
        let token = login_token(&self.cloud).await;
        for (function, player) in &mut self.players {
            for (_, event) in kept_events(function) {
                let event = with(&with(&event, CART, &cart), ORDER, &order);
                let event = with(&with(&event, TOKEN, &token), SALE, &sale);
                let Outcome::Answered(_) = player.invoke(&event).await.unwrap() else {
                    panic!("{function} failed")
                };
            }
        }
    }
}

/// A checkout with the fields of a kept one, another cart and another card.
fn checkout(file: &str, cart: &Value, card: &str) -> Value {
    let mut body: Value = serde_json::from_str(kept("checkout", file)["body"].as_str().unwrap()).unwrap();
    let fields = body.as_object_mut().unwrap();
    fields.remove("shoppingCart");
    fields.extend(cart.as_object().unwrap().clone());
    with_card(&mut body, card);
    body["expDate"] = json!("1240");
    body
}

/// A line of tickets.
fn tickets(slot: &str, quantity: u32) -> Value {
    json!({"itemType": "Event", "eventId": slot, "ticketingTypeId": ADULT, "quantity": quantity})
}

#[tokio::test(flavor = "multi_thread")]
async fn every_permission_is_needed_by_a_request_that_is_played() {
    let mut stage = Stage::open().await;
    stage.every_kept_event().await;
    stage.visitors().await;
    stage.staff().await;
    stage.people().await;
    stage.returns().await;
    stage.doors().await;
    stage.recovery().await;
    let mut permitted = BTreeSet::new();
    for function in stage.players.keys() {
        let own = permissions(function).into_iter();
        permitted.extend(own.map(|(action, resource)| (function.clone(), action, resource)));
    }
    let unused: Vec<_> = permitted.difference(&stage.cloud.used()).cloned().collect();
    assert_eq!(unused, [], "permitted and not needed");
    assert_eq!(stage.cloud.denied(), Vec::<String>::new());
}
