//! Those who buy, and what they come back for.

use super::{Cut, Visit};
use crate::soak::client::{Answer, Caller, Request};
use crate::soak::venue::{ADULT, CHILD, DONATION};
use domain::OrderId;
use http::StatusCode;
use serde_json::{Value, json};

const CHECKOUT: &str = "/v2/b2c/checkout";
const ADMISSIONS: &str = "/v2/b2b/admissions";

/// Cards of the sandbox that are charged.
const CARDS: [&str; 8] = [
    "4242424242424242",
    "4111111111111111",
    "5555555555554444",
    "2223003122003222",
    "6011111111111117",
    "3566002020360505",
    "3056930009020004",
    "36227206271667",
];

/// One that is declined.
const DECLINED_CARD: &str = "4000000000000002";

/// Donations differ by a cent from visitor to visitor, up to so many; then comes the next card. The same card pays the
/// same amount once in five minutes.
const DONATIONS: u64 = 9_999;

/// What somebody wants.
struct Basket {
    slot: String,
    seats: u32,
    lines: Vec<Value>,
}

impl Visit<'_> {
    /// Looks, chooses, pays, and comes back.
    pub(super) async fn buy(&mut self) -> Result<(), Cut> {
        self.look(1).await?;
        let basket = self.choose();
        let form = self.fill_in(&basket).await?;
        let order = self.pay(form).await?;
        self.find_again(&order).await?;
        self.come_back(&order, &basket).await
    }

    fn choose(&mut self) -> Basket {
        let (slot, adults) = (self.any_slot(), self.random.u32(1..=3));
        let children = if self.chance(30) { self.random.u32(1..=2) } else { 0 };
        let line =
            |of: &str, quantity: u32| json!({ "eventId": slot, "ticketingTypeId": of, "quantity": quantity });
        let mut lines = vec![line(ADULT, adults)];
        if children > 0 {
            lines.push(line(CHILD, children));
        }
        let cents = self.number % DONATIONS + 1;
        lines.push(json!({
            "itemType": "Inventory", "inventoryId": DONATION, "type": "donation", "quantity": 1,
            "unitPrice": format!("{}.{:02}", cents / 100, cents % 100),
        }));
        Basket { seats: adults.saturating_add(children), slot, lines }
    }

    /// The checkout of a basket: of a cart, or with the lines in it; now and then of seats that are held.
    async fn fill_in(&mut self, basket: &Basket) -> Result<Value, Cut> {
        let mut form = json!({
            "billingFirstName": "Ines", "billingLastName": "Okafor", "billingZipCode": "94000",
            "billingEmail": self.email(), "manualEntryCardNumber": self.card(), "expDate": "1299", "cvc": "123",
        });
        if self.chance(70) {
            form["shoppingCartId"] = self.fill_cart(basket).await?;
        } else {
            form["shoppingCart"] = json!({ "items": basket.lines });
        }
        if self.chance(30) {
            let seats = json!([{ "eventId": basket.slot, "quantity": basket.seats }]);
            let held = json!({ "reservationItems": seats });
            let held = self.ask(&Request::post(Caller::Shop, "/v2/b2c/reservations", held)).await?;
            form["reservationId"] = held.body["id"].clone();
        }
        Ok(form)
    }

    fn email(&self) -> String {
        format!("visitor{}@example.test", self.number)
    }

    /// The idempotency key of something that a visitor does once.
    fn key(&self, of: &str) -> String {
        format!("soak-{}-{of}", self.number)
    }

    fn card(&self) -> &'static str {
        let turn = usize::try_from(self.number / DONATIONS).unwrap_or_default() % CARDS.len();
        CARDS.get(turn).copied().unwrap_or_default()
    }

    /// The id of a new cart with these lines.
    async fn fill_cart(&mut self, basket: &Basket) -> Result<Value, Cut> {
        const CARTS: &str = "/v2/b2c/carts";
        let cart = self.ask(&Request::post(Caller::Shop, CARTS, json!({}))).await?.body;
        let path = format!("{CARTS}/{}", cart.as_str().unwrap_or_default());
        let filled = json!({ "id": cart, "items": basket.lines });
        self.ask(&Request::put(Caller::Shop, path.as_str(), filled)).await?;
        if self.chance(30) {
            self.ask(&Request::get(Caller::Shop, path)).await?;
        }
        Ok(cart)
    }

    /// Pays, now and then after a card that is declined. Some send the same again.
    async fn pay(&mut self, form: Value) -> Result<Value, Cut> {
        if self.chance(5) {
            let mut declined = form.clone();
            declined["manualEntryCardNumber"] = json!(DECLINED_CARD);
            let request = Request::post(Caller::Shop, CHECKOUT, declined).keyed(self.key("declined"));
            self.ask(&request.expecting(StatusCode::PAYMENT_REQUIRED)).await?;
        }
        let request = Request::post(Caller::Shop, CHECKOUT, form).keyed(self.key("paid"));
        let Answer { body: order, took, status: _ } = self.ask(&request).await?;
        match OrderId::parse(&self.text_in(&order, "id")?) {
            Ok(id) => self.context.tally.note_order(id, took),
            Err(_) => return Err(self.wrong("an order has no id".to_owned())),
        }
        if self.chance(5) {
            self.ask(&request).await?;
        }
        Ok(order)
    }

    /// Staff find the order, and so does who bought it.
    async fn find_again(&mut self, order: &Value) -> Result<(), Cut> {
        let number = self.text_in(order, "orderNumber")?;
        if self.chance(50) {
            let search = format!("/v2/b2b/orders/search?orderNumber={number}");
            self.ask(&Request::get(Caller::Staff, search)).await?;
        }
        if self.chance(30) {
            let search = format!("/v2/b2c/orders/search?email={}", self.email());
            self.ask(&Request::get(Caller::Shop, search)).await?;
        }
        Ok(())
    }

    /// Fetches the tickets; some come to the door, some want their money back, and some another time.
    async fn come_back(&mut self, order: &Value, basket: &Basket) -> Result<(), Cut> {
        let id = self.text_in(order, "id")?;
        let fetched = Request::get(Caller::Till, format!("/v2/b2b/willcall/orders/{id}"));
        let tickets = self.ask(&fetched).await?.body;
        match self.random.u8(0..100) {
            0..30 => self.enter(&tickets).await,
            30..50 => self.give_back(order).await,
            50..55 => self.exchange(order, basket).await,
            _ => Ok(()),
        }
    }

    /// Is let in at one gate, and not once more at another one.
    async fn enter(&mut self, tickets: &Value) -> Result<(), Cut> {
        let code = self.text_in(&tickets["eventItems"][0]["items"][0]["tickets"][0], "uuid")?;
        for (gate, admitted) in [("gate-1", 1), ("gate-2", 0)] {
            let scan = Request::post(Caller::Door, ADMISSIONS, json!({ "code": code, "terminalId": gate }));
            let answer = self.ask(&scan.keyed(self.key(gate))).await?.body;
            if answer["admitted"] != admitted {
                return Err(self.wrong(format!("a ticket that was shown at {gate} was answered {answer}")));
            }
        }
        Ok(())
    }

    async fn give_back(&mut self, order: &Value) -> Result<(), Cut> {
        let (id, line) = (self.text_in(order, "id")?, self.ticket_line(order)?);
        let refund = if self.chance(50) {
            json!({ "orderId": id, "items": [{ "itemId": line, "quantity": 1 }], "reason": "A cold" })
        } else {
            json!({ "orderId": id, "wholeOrder": true })
        };
        self.ask(&Request::post(Caller::Staff, "/v2/b2b/refunds/preview", refund.clone())).await?;
        let refund = Request::post(Caller::Staff, "/v2/b2b/refunds", refund);
        self.ask(&refund.keyed(self.key("refund"))).await?;
        Ok(())
    }

    /// Moves a ticket to another time, unless chance has it that it is the same.
    async fn exchange(&mut self, order: &Value, basket: &Basket) -> Result<(), Cut> {
        let (id, line, slot) = (self.text_in(order, "id")?, self.ticket_line(order)?, self.any_slot());
        if slot == basket.slot {
            return Ok(());
        }
        let exchange = json!({ "orderId": id, "itemId": line, "quantity": 1, "eventId": slot });
        let exchange = Request::post(Caller::Staff, "/v2/b2b/exchanges", exchange);
        self.ask(&exchange.keyed(self.key("exchange"))).await?;
        Ok(())
    }

    /// The first line of an order that has tickets.
    fn ticket_line(&self, order: &Value) -> Result<String, Cut> {
        let mut lines = order["orderItems"].as_array().into_iter().flatten();
        match lines.find(|line| line["itemType"] == "Event") {
            Some(line) => self.text_in(line, "itemId"),
            None => Err(self.wrong("an order has no line of tickets".to_owned())),
        }
    }
}
