//! A function may do what it does, and nothing else: what the template permits each is what its calls need.

use std::collections::{BTreeMap, BTreeSet};

use blackbox::runtime_api::{HttpAnswer, Player};
use blackbox::template::permissions;
use serde_json::{Value, json};

use crate::aws::Cloud;
use crate::{CART, ORDER, TOKEN, at, call, cart, kept, kept_events, login_token, order, with, with_card};

const SLOT: &str = "ab92087a69baafe0843e1d0a";
const GALLERY: &str = "1001ee000000000000000001";
const ADULT: &str = "1001aa000000000000000001";
const DECLINED: &str = "4000000000000002";

/// Permissions that none of the requests here needs: function, action, resource. They are for what is not played
/// here, such as checkouts that broke off, changed timetables, refunds and keys that are given back after a refusal. The
/// list is exact: what is played one day has to leave it, and a new permission has to be played or written down.
const NOT_PLAYED: [(&str, &str, &str); 66] = [
    ("backoffice", "dynamodb:BatchGetItem", "CatalogTable"),
    ("backoffice", "dynamodb:ConditionCheckItem", "CatalogTable"),
    ("backoffice", "dynamodb:DeleteItem", "CartsTable"),
    ("backoffice", "dynamodb:DeleteItem", "ReservationsTable"),
    ("backoffice", "dynamodb:GetItem", "ReservationsTable"),
    ("backoffice", "dynamodb:PutItem", "ReservationsTable"),
    ("backoffice", "dynamodb:Query", "ReservationsTable"),
    ("backoffice", "dynamodb:UpdateItem", "ReservationsTable"),
    ("carts", "dynamodb:BatchGetItem", "CatalogTable"),
    ("carts", "dynamodb:UpdateItem", "CartsTable"),
    ("checkout", "dynamodb:DeleteItem", "MembersTable"),
    ("checkout", "dynamodb:GetItem", "CartsTable"),
    ("cleanup", "dynamodb:DeleteItem", "CatalogTable"),
    ("cleanup", "dynamodb:DeleteItem", "MembersTable"),
    ("cleanup", "dynamodb:DeleteItem", "ReservationsTable"),
    ("cleanup", "dynamodb:GetItem", "MerchantsTable"),
    ("cleanup", "dynamodb:GetItem", "OrdersTable"),
    ("cleanup", "dynamodb:PutItem", "MembersTable"),
    ("cleanup", "dynamodb:PutItem", "MerchantsTable"),
    ("cleanup", "dynamodb:PutItem", "OrdersTable"),
    ("cleanup", "dynamodb:UpdateItem", "MembersTable"),
    ("cleanup", "dynamodb:UpdateItem", "MerchantsTable"),
    ("cleanup", "dynamodb:UpdateItem", "OrdersTable"),
    ("cleanup", "dynamodb:UpdateItem", "ReservationsTable"),
    ("cleanup", "kms:Decrypt", "VaultKey"),
    ("cleanup", "sqs:SendMessage", "MailQueue"),
    ("entitlements", "dynamodb:BatchGetItem", "CatalogTable"),
    ("entitlements", "dynamodb:GetItem", "CartsTable"),
    (
        "mailer",
        "ses:SendRawEmail",
        "arn:AWS::Partition}:ses:AWS::Region}:AWS::AccountId}:identity/MailIdentity}",
    ),
    ("members", "dynamodb:DeleteItem", "CartsTable"),
    ("memberships", "dynamodb:DeleteItem", "CartsTable"),
    ("memberships", "dynamodb:GetItem", "MembersTable"),
    ("onboarding", "dynamodb:BatchGetItem", "MerchantsTable"),
    ("onboarding", "dynamodb:DeleteItem", "CartsTable"),
    ("onboarding", "dynamodb:UpdateItem", "MerchantsTable"),
    ("orders", "dynamodb:BatchGetItem", "OrdersTable"),
    ("orders", "dynamodb:GetItem", "OrdersTable"),
    ("refunds", "dynamodb:GetItem", "MerchantsTable"),
    ("refunds", "dynamodb:GetItem", "OrdersTable"),
    ("refunds", "dynamodb:PutItem", "CartsTable"),
    ("refunds", "dynamodb:PutItem", "MerchantsTable"),
    ("refunds", "dynamodb:UpdateItem", "MerchantsTable"),
    ("refunds", "dynamodb:UpdateItem", "OrdersTable"),
    ("reservations", "dynamodb:DeleteItem", "CartsTable"),
    ("reservations", "dynamodb:DeleteItem", "ReservationsTable"),
    ("reservations", "dynamodb:PutItem", "CartsTable"),
    ("reservations", "dynamodb:UpdateItem", "CartsTable"),
    ("returns", "dynamodb:BatchGetItem", "MembersTable"),
    ("returns", "dynamodb:DeleteItem", "CartsTable"),
    ("returns", "dynamodb:DeleteItem", "MembersTable"),
    ("returns", "dynamodb:GetItem", "CartsTable"),
    ("returns", "dynamodb:GetItem", "MerchantsTable"),
    ("returns", "dynamodb:GetItem", "OrdersTable"),
    ("returns", "dynamodb:GetItem", "ReservationsTable"),
    ("returns", "dynamodb:PutItem", "CartsTable"),
    ("returns", "dynamodb:PutItem", "MembersTable"),
    ("returns", "dynamodb:PutItem", "MerchantsTable"),
    ("returns", "dynamodb:PutItem", "OrdersTable"),
    ("returns", "dynamodb:Query", "MerchantsTable"),
    ("returns", "dynamodb:UpdateItem", "CartsTable"),
    ("returns", "dynamodb:UpdateItem", "MembersTable"),
    ("returns", "dynamodb:UpdateItem", "MerchantsTable"),
    ("returns", "dynamodb:UpdateItem", "OrdersTable"),
    ("returns", "dynamodb:UpdateItem", "ReservationsTable"),
    ("returns", "kms:Decrypt", "VaultKey"),
    ("returns", "sqs:SendMessage", "MailQueue"),
];

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

    /// Sends a request with the headers of a kept event. Whatever is answered, it is no fault of ours.
    async fn ask(
        &mut self,
        (function, file): (&str, &str),
        (method, path): (&str, &str),
        body: Option<&Value>,
    ) -> HttpAnswer {
        let event = at(&kept(function, file), (method, path), body);
        let answer = call(self.player(function), &event).await;
        assert!(answer.status < 500, "{method} {path}: {} {}", answer.status, answer.body);
        answer
    }

    /// The same for a success, of which the id is wanted.
    async fn make(&mut self, from: (&str, &str), path: &str, body: &Value) -> String {
        let answer = self.ask(from, ("POST", path), Some(body)).await;
        let made: Value = serde_json::from_str(&answer.body).unwrap();
        let id = made.get("id").unwrap_or(&made);
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    }

    async fn every_kept_event(&mut self) {
        let cart = cart(self.player("carts")).await;
        let order = order(self.player("checkout")).await;
        let token = login_token(&self.cloud).await;
        for (function, player) in &mut self.players {
            for (_, event) in kept_events(function) {
                let event = with(&with(&with(&event, (CART, &cart)), (ORDER, &order)), (TOKEN, &token));
                player.invoke(&event).await.unwrap();
            }
        }
    }

    async fn visitors(&mut self) {
        let events = ("events", "list-slim.v2.json");
        for path in [
            "/v2/b2c/event/templates".to_owned(),
            format!("/v2/b2c/event/templates/{GALLERY}/times"),
            format!("/v2/b2c/events/{SLOT}"),
        ] {
            self.ask(events, ("GET", &path), None).await;
        }
        let lines = json!([{"eventId": SLOT, "ticketingTypeId": ADULT, "quantity": 1}]);
        let carts = ("carts", "create.v2.json");
        let filled = json!({"items": lines, "membershipIds": [100100031]});
        let cart = self.make(carts, "/v2/b2c/carts", &filled).await;
        let path = format!("/v2/b2c/carts/{cart}");
        self.ask(carts, ("GET", &path), None).await;
        let mut pay: Value =
            serde_json::from_str(kept("checkout", "card.v2.json")["body"].as_str().unwrap()).unwrap();
        pay.as_object_mut().unwrap().remove("shoppingCart");
        pay["shoppingCartId"] = json!(cart);
        for card in [DECLINED, "4111111111111111"] {
            with_card(&mut pay, card);
            self.ask(("checkout", "card.v2.json"), ("POST", "/v2/b2c/checkout"), Some(&pay)).await;
        }
        for method in ["GET", "DELETE"] {
            self.ask(carts, (method, &path), None).await;
        }
        let other = self.make(carts, "/v2/b2c/carts", &json!({"items": []})).await;
        self.ask(carts, ("DELETE", &format!("/v2/b2c/carts/{other}")), None).await;
        let mut join: Value =
            serde_json::from_str(kept("checkout", "join.v2.json")["body"].as_str().unwrap()).unwrap();
        with_card(&mut join, DECLINED);
        self.ask(("checkout", "join.v2.json"), ("POST", "/v2/b2c/checkout"), Some(&join)).await;
    }

    async fn staff(&mut self) {
        let held = ("reservations", "create.v2.json");
        let seats = json!({"reservationItems": [{"eventId": SLOT, "quantity": 1}]});
        let id = self.make(held, "/v2/b2b/reservations", &seats).await;
        let path = format!("/v2/b2b/reservations/{id}");
        self.ask(held, ("GET", &path), None).await;
        self.ask(held, ("DELETE", &path), None).await;
        let office = ("backoffice", "create.v2.json");
        let kind = self.make(office, "/v2/b2b/persontypes", &json!({"name": "Grown-up"})).await;
        self.ask(office, ("DELETE", &format!("/v2/b2b/persontypes/{kind}")), None).await;
        let night = json!({
            "name": "Night", "reviewState": "Published", "duration": {"hour": 1, "minutes": 0}, "capacity": 40,
            "schedules": [{"id": "nights", "weekdays": ["Friday"], "hours": [{"hour": 20, "minutes": 0}]}],
            "priceLists": [{"id": "nights", "name": "Nights", "prices": [
                {"personType": {"id": ADULT}, "price": "24.50"}]}],
        });
        let night = self.make(office, "/v2/b2b/event/templates", &night).await;
        let path = format!("/v2/b2b/event/templates/{night}");
        self.ask(office, ("GET", &format!("{path}/instances")), None).await;
        self.ask(office, ("DELETE", &path), None).await;
        let levels = ("memberships", "create.v2.json");
        let level = self.make(levels, "/v2/b2b/membership/levels", &json!({"name": "Skipper"})).await;
        self.ask(levels, ("DELETE", &format!("/v2/b2b/membership/levels/{level}")), None).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_permission_is_needed_by_a_request_that_is_played_or_is_written_down() {
    let mut stage = Stage::open().await;
    stage.every_kept_event().await;
    stage.visitors().await;
    stage.staff().await;
    let mut permitted = BTreeSet::new();
    for function in stage.players.keys() {
        let own = permissions(function).into_iter();
        permitted.extend(own.map(|(action, resource)| (function.clone(), action, resource)));
    }
    let unused: Vec<_> = permitted.difference(&stage.cloud.used()).cloned().collect();
    let unused: Vec<(&str, &str, &str)> =
        unused.iter().map(|(function, action, resource)| (&**function, &**action, &**resource)).collect();
    assert_eq!(unused, NOT_PLAYED);
    assert_eq!(stage.cloud.denied(), Vec::<String>::new());
}
