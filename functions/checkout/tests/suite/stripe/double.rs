//! Something that answers as Stripe publishes it, without a socket: intents, cards, refunds, idempotency keys and
//! connected accounts; with planned faults.

use super::published;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The only key that is accepted.
pub(crate) const SECRET: &str = "sk_test_canary51H8vXGjyP";
/// What the client secret of a payment ends with, behind its id.
pub(crate) const SECRET_END: &str = "_secret_YrKJUKribcBjcG8HVhfZluoGH";
/// A card whose issuer asks for 3-D Secure.
pub(crate) const ASKS_BACK: &str = "4000002500003155";

/// The requests that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Create,
    Search,
    /// To look a payment method up, or a confirmation token.
    Token,
    Card,
    Attach,
    Confirm,
    Cancel,
    Look,
    Refunds,
    Refund,
    Dispute,
    /// To look a refund up.
    FoundRefund,
}

/// What may happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It is lost on its way.
    LostBefore,
    /// It is carried out, and the answer is lost.
    LostAfter,
    /// It is carried out, and the answer never comes.
    NoAnswer,
    /// It is refused with this status, and not carried out.
    Refused(u16),
    /// It is carried out and answered with 500, now and under its key ever after.
    FailedAfter,
    /// It is carried out, and the answer is no JSON.
    Garbage,
    /// It is carried out, and the answer breaks off.
    CutOff,
}

impl Trouble {
    pub(crate) const ALL: [Self; 10] = [
        Self::LostBefore,
        Self::LostAfter,
        Self::NoAnswer,
        Self::Refused(409),
        Self::Refused(429),
        Self::Refused(500),
        Self::Refused(503),
        Self::FailedAfter,
        Self::Garbage,
        Self::CutOff,
    ];
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    method: String,
    path: String,
    headers: BTreeMap<String, String>,
    fields: Vec<(String, String)>,
}

impl Seen {
    fn read(request: &HttpRequest) -> Self {
        let uri: http::Uri = request.uri().parse().unwrap();
        let body = request.body().bytes().unwrap_or_default();
        let form = if body.is_empty() { uri.query().unwrap_or_default().as_bytes() } else { body };
        let headers = request.headers().iter();
        Self {
            method: request.method().to_owned(),
            path: uri.path().to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            fields: form_urlencoded::parse(form).into_owned().collect(),
        }
    }

    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The request for a snapshot, one field a line.
    pub(crate) fn shown(&self) -> String {
        let mut lines = vec![format!("{} {}", self.method, self.path)];
        for name in ["idempotency-key", "stripe-account", "stripe-version", "content-type", "authorization"] {
            if let Some(value) = self.headers.get(name) {
                lines.push(format!("{name}: {value}"));
            }
        }
        lines.extend(self.fields.iter().map(|(name, value)| format!("  {name} = {value}")));
        lines.join("\n")
    }

    fn step(&self) -> Option<Step> {
        let parts: Vec<&str> = self.path.split('/').skip(2).collect();
        Some(match (self.method.as_str(), parts.as_slice()) {
            ("POST", ["payment_intents"]) => Step::Create,
            ("GET", ["payment_intents", "search"]) => Step::Search,
            ("GET", ["payment_methods" | "confirmation_tokens", _]) => Step::Token,
            ("POST", ["payment_methods"]) => Step::Card,
            ("POST", ["payment_intents", _]) => Step::Attach,
            ("POST", ["payment_intents", _, "confirm"]) => Step::Confirm,
            ("POST", ["payment_intents", _, "cancel"]) => Step::Cancel,
            ("GET", ["payment_intents", _]) => Step::Look,
            ("GET", ["refunds"]) => Step::Refunds,
            ("POST", ["refunds"]) => Step::Refund,
            ("GET", ["disputes", _]) => Step::Dispute,
            ("GET", ["refunds", _]) => Step::FoundRefund,
            _ => return None,
        })
    }

    fn intent(&self) -> &str {
        self.path.split('/').nth(3).unwrap_or_default()
    }
}

/// A payment intent.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    pub(crate) id: String,
    account: String,
    pub(crate) amount: i64,
    pub(crate) order: String,
    tenant: String,
    pub(crate) status: &'static str,
    method: Option<String>,
    charge: Option<String>,
    error: Option<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Refund {
    pub(crate) id: String,
    intent: String,
    pub(crate) amount: i64,
    pub(crate) ours: String,
    status: &'static str,
}

/// A dispute of a buyer about a payment.
#[derive(Clone, Debug)]
struct Disputed {
    id: String,
    order: String,
    /// In seconds since 1970.
    created: i64,
    status: &'static str,
}

/// A card that is charged, and whose refunds are refused.
const NOT_REFUNDED: &str = "4000000000005126";

/// Status and body.
type Reply = (u16, Value);

#[derive(Debug, Default)]
struct State {
    seen: Vec<Seen>,
    troubles: Vec<(Step, Trouble)>,
    chance: Option<(fastrand::Rng, u16)>,
    intents: Vec<Intent>,
    refunds: Vec<Refund>,
    /// How new refunds stand; as a rule they have succeeded.
    refund_status: Option<&'static str>,
    cards: BTreeMap<String, String>,
    disputes: Vec<Disputed>,
    /// What was answered under a key, by account and key, with the request.
    keys: BTreeMap<(String, String), (Seen, Reply)>,
    made: usize,
}

/// The double. Copies share what it remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Double(Arc<Mutex<State>>);

impl Double {
    /// The next request of this kind meets the trouble.
    pub(crate) fn next(&self, step: Step, trouble: Trouble) {
        self.0.lock().unwrap().troubles.push((step, trouble));
    }

    /// Every request meets some trouble in so many of a thousand cases.
    pub(crate) fn by_chance(&self, seed: u64, permille: u16) {
        self.0.lock().unwrap().chance = Some((fastrand::Rng::with_seed(seed), permille));
    }

    /// From now on nothing happens but what is asked for.
    pub(crate) fn calm(&self) {
        let mut state = self.0.lock().unwrap();
        state.chance = None;
        state.troubles.clear();
    }

    /// All it remembers, as text.
    pub(crate) fn shown(&self) -> String {
        let state = self.0.lock().unwrap();
        let State { intents, refunds, refund_status, cards, disputes, keys, made, .. } = &*state;
        format!("{intents:?} {refunds:?} {refund_status:?} {cards:?} {disputes:?} {keys:?} {made}")
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.0.lock().unwrap().seen.clone()
    }

    /// The kinds of the requests, in order.
    pub(crate) fn steps(&self) -> Vec<Step> {
        self.seen().iter().filter_map(Seen::step).collect()
    }

    pub(crate) fn intents(&self) -> Vec<Intent> {
        self.0.lock().unwrap().intents.clone()
    }

    /// Amounts charged, by order, in cents.
    pub(crate) fn captured(&self) -> Vec<(String, i64)> {
        let intents = self.intents().into_iter().filter(|intent| intent.status == "succeeded");
        intents.map(|intent| (intent.order, intent.amount)).collect()
    }

    pub(crate) fn refunds(&self) -> Vec<Refund> {
        self.0.lock().unwrap().refunds.clone()
    }

    /// What was given back of an order, in cents.
    pub(crate) fn given_back(&self, order: &str) -> i64 {
        let state = self.0.lock().unwrap();
        let is_of_order = |refund: &&Refund| {
            state.intents.iter().any(|intent| intent.id == refund.intent && intent.order == order)
        };
        state.refunds.iter().filter(is_of_order).map(|refund| refund.amount).sum()
    }

    /// From now on new refunds stand like this.
    pub(crate) fn refunds_are(&self, status: &'static str) {
        self.0.lock().unwrap().refund_status = Some(status);
    }

    /// A payment method that a field of Stripe's in a page made of this card.
    pub(crate) fn tokenise(&self, number: &str) -> String {
        self.kept_under("pm", number)
    }

    /// A confirmation token of this card.
    pub(crate) fn confirmation_token(&self, number: &str) -> String {
        self.kept_under("ctoken", number)
    }

    fn kept_under(&self, start: &str, number: &str) -> String {
        let mut state = self.0.lock().unwrap();
        let id = state.new_id(start);
        state.cards.insert(id.clone(), number.to_owned());
        id
    }

    /// The buyer answers the issuer of a card; false where nobody is asked.
    pub(crate) fn answer_issuer(&self, confirms: bool) -> bool {
        let mut state = self.0.lock().unwrap();
        let charge = state.new_id("ch");
        let Some(intent) = state.intents.iter_mut().find(|intent| intent.status == "requires_action") else {
            return false;
        };
        if confirms {
            intent.charge = Some(charge);
            intent.status = "succeeded";
        } else {
            intent.method = None;
            intent.status = "requires_payment_method";
            intent.error = Some(published::not_authenticated());
        }
        true
    }

    /// Whoever has the client secret of a payment whose buyer did not confirm tries another card.
    pub(crate) fn pay_otherwise(&self) {
        let mut state = self.0.lock().unwrap();
        let charge = state.new_id("ch");
        let of_buyer = |intent: &&mut Intent| intent.status == "requires_payment_method";
        let intent = state.intents.iter_mut().find(of_buyer).unwrap();
        intent.charge = Some(charge);
        intent.status = "succeeded";
    }

    /// Charges payments that were cancelled, as no processor should.
    pub(crate) fn break_its_word(&self) {
        let mut state = self.0.lock().unwrap();
        for intent in state.intents.iter_mut().filter(|intent| intent.status == "canceled") {
            intent.status = "succeeded";
        }
    }

    /// The buyer of an order disputes its payment, so many seconds after 1970.
    pub(crate) fn dispute(&self, id: &str, order: &str, created: i64) {
        let (id, order) = (id.to_owned(), order.to_owned());
        let disputed = Disputed { id, order, created, status: "needs_response" };
        self.0.lock().unwrap().disputes.push(disputed);
    }

    /// From now on the dispute stands like this.
    pub(crate) fn dispute_is(&self, id: &str, status: &'static str) {
        let mut state = self.0.lock().unwrap();
        state.disputes.iter_mut().find(|disputed| disputed.id == id).unwrap().status = status;
    }

    /// The bank sends back what was refunded.
    pub(crate) fn fail_refunds(&self) {
        for refund in &mut self.0.lock().unwrap().refunds {
            refund.status = "failed";
        }
    }

    /// A day passes.
    pub(crate) fn forget_keys(&self) {
        self.0.lock().unwrap().keys.clear();
    }
}

impl State {
    fn trouble(&mut self, step: Step) -> Option<Trouble> {
        if let Some(place) = self.troubles.iter().position(|(planned, _)| *planned == step) {
            return Some(self.troubles.remove(place).1);
        }
        let (random, permille) = self.chance.as_mut()?;
        let strikes = random.u16(0..1000) < *permille;
        // A failure that Stripe remembers keeps a payment open for a day; that has tests of its own.
        let passing = Trouble::ALL.into_iter().filter(|trouble| *trouble != Trouble::FailedAfter);
        let passing: Vec<Trouble> = passing.collect();
        strikes.then(|| passing[random.usize(0..passing.len())])
    }

    /// What Stripe answers, from the memory of the idempotency key if it has one.
    fn carry_out(&mut self, step: Step, seen: &Seen) -> Reply {
        if seen.header("authorization") != format!("Bearer {SECRET}") {
            return (401, published::error("invalid_request_error", None, "Invalid API Key provided"));
        }
        let key = seen.header("idempotency-key");
        let memory = (seen.header("stripe-account").to_owned(), key.to_owned());
        if let Some((first, reply)) = self.keys.get(&memory).filter(|_| !key.is_empty()) {
            if (&first.path, &first.fields) == (&seen.path, &seen.fields) {
                return reply.clone();
            }
            let message = "Keys for idempotent requests can only be used with the same parameters";
            return (400, published::error("idempotency_error", None, message));
        }
        let reply = match step {
            Step::Create => self.create(seen),
            Step::Search => self.search(seen),
            Step::Token => self.token(seen),
            Step::Card => self.card(seen),
            Step::Attach => self.attach(seen),
            Step::Confirm => self.confirm(seen),
            Step::Cancel => self.cancel(seen),
            Step::Look => self.with_intent(seen, |_| None),
            Step::Refunds => self.list_refunds(seen),
            Step::Refund => self.refund(seen),
            Step::Dispute => self.dispute(seen),
            Step::FoundRefund => self.found_refund(seen),
        };
        if !key.is_empty() {
            self.keys.insert(memory, (seen.clone(), reply.clone()));
        }
        reply
    }

    fn new_id(&mut self, start: &str) -> String {
        self.made += 1;
        format!("{start}_3MtwBwLkdIwHu7ix28a{:05}", self.made)
    }

    fn create(&mut self, seen: &Seen) -> Reply {
        let intent = Intent {
            id: self.new_id("pi"),
            account: seen.header("stripe-account").to_owned(),
            amount: seen.field("amount").parse().unwrap(),
            order: seen.field("metadata[order]").to_owned(),
            tenant: seen.field("metadata[tenant]").to_owned(),
            status: "requires_payment_method",
            method: None,
            charge: None,
            error: None,
        };
        let reply = (200, intent.shown());
        self.intents.push(intent);
        reply
    }

    fn search(&self, seen: &Seen) -> Reply {
        let query = seen.field("query");
        let is_meant = |intent: &&Intent| {
            let Intent { order, tenant, account, .. } = intent;
            query == format!("metadata['order']:'{order}' AND metadata['tenant']:'{tenant}'")
                && seen.header("stripe-account") == account
        };
        let data: Vec<Value> = self.intents.iter().filter(is_meant).map(Intent::shown).collect();
        (200, json!({"object": "search_result", "url": seen.path, "has_more": false, "data": data}))
    }

    fn dispute(&self, seen: &Seen) -> Reply {
        assert_eq!(seen.field("expand[]"), "payment_intent");
        let id = seen.path.rsplit('/').next().unwrap();
        let disputed = self.disputes.iter().find(|disputed| disputed.id == id);
        let intent =
            disputed.and_then(|disputed| self.intents.iter().find(|one| one.order == disputed.order));
        let Some((intent, Disputed { created, status, .. })) = intent.zip(disputed) else {
            let message = format!("No such dispute: '{id}'");
            return (404, published::error("invalid_request_error", Some("resource_missing"), &message));
        };
        let intent = intent.shown();
        let shown = json!({
            "id": id, "object": "dispute", "created": created, "status": status, "payment_intent": intent,
        });
        (200, shown)
    }

    fn found_refund(&self, seen: &Seen) -> Reply {
        assert_eq!(seen.field("expand[]"), "payment_intent");
        let id = seen.path.rsplit('/').next().unwrap();
        let refund = self.refunds.iter().find(|refund| refund.id == id);
        let found = refund.and_then(|refund| {
            Some((refund, self.intents.iter().find(|intent| intent.id == refund.intent)?))
        });
        let Some((refund, intent)) = found else {
            let message = format!("No such refund: '{id}'");
            return (404, published::error("invalid_request_error", Some("resource_missing"), &message));
        };
        let mut shown = refund.shown();
        shown["payment_intent"] = intent.shown();
        (200, shown)
    }

    fn token(&self, seen: &Seen) -> Reply {
        let id = seen.path.rsplit('/').next().unwrap();
        let Some(number) = self.cards.get(id) else {
            let message = format!("No such token: '{id}'");
            return (404, published::error("invalid_request_error", Some("resource_missing"), &message));
        };
        let card = published::card(number);
        if id.starts_with("ctoken_") {
            let preview = json!({"type": "card", "card": card});
            return (
                200,
                json!({"id": id, "object": "confirmation_token", "payment_method_preview": preview}),
            );
        }
        (200, json!({"id": id, "object": "payment_method", "type": "card", "card": card}))
    }

    fn card(&mut self, seen: &Seen) -> Reply {
        let number = seen.field("card[number]").to_owned();
        if number == "4000000000000069" && seen.field("card[exp_year]") < "2027" {
            let message = "Your card's expiration year is invalid.";
            return (402, published::error("card_error", Some("invalid_expiry_year"), message));
        }
        let id = self.new_id("pm");
        let last_four = &number[number.len() - 4..];
        let reply = (200, json!({"id": id, "object": "payment_method", "card": {"last4": last_four}}));
        self.cards.insert(id, number);
        reply
    }

    fn with_intent(&mut self, seen: &Seen, change: impl FnOnce(&mut Intent) -> Option<Reply>) -> Reply {
        let account = seen.header("stripe-account");
        let found = self.intents.iter_mut().find(|one| one.id == seen.intent() && one.account == account);
        let Some(intent) = found else {
            let message = format!("No such payment_intent: '{}'", seen.intent());
            return (404, published::error("invalid_request_error", Some("resource_missing"), &message));
        };
        let refused = change(intent);
        refused.unwrap_or_else(|| (200, intent.shown()))
    }

    fn attach(&mut self, seen: &Seen) -> Reply {
        let is_known = self.cards.contains_key(seen.field("payment_method"));
        self.with_intent(seen, |intent| {
            if matches!(intent.status, "succeeded" | "canceled" | "processing") {
                return Some(intent.unexpected_state());
            }
            if !is_known {
                let message = format!("No such PaymentMethod: '{}'", seen.field("payment_method"));
                let error = published::error("invalid_request_error", Some("resource_missing"), &message);
                return Some((400, error));
            }
            intent.method = Some(seen.field("payment_method").to_owned());
            intent.status = "requires_confirmation";
            // Stripe clears it whenever the intent is updated.
            intent.error = None;
            None
        })
    }

    fn confirm(&mut self, seen: &Seen) -> Reply {
        let charge = self.new_id("ch");
        let cards = self.cards.clone();
        let token = seen.field("confirmation_token");
        self.with_intent(seen, |intent| {
            if intent.status == "requires_payment_method" && cards.contains_key(token) {
                intent.method = Some(token.to_owned());
                intent.status = "requires_confirmation";
            }
            let number = intent.method.as_ref().and_then(|method| cards.get(method));
            let Some(number) = number.filter(|_| intent.status == "requires_confirmation") else {
                return Some(intent.unexpected_state());
            };
            if number == ASKS_BACK {
                intent.status = "requires_action";
                return None;
            }
            intent.charge = Some(charge);
            let Some(error) = published::decline(number) else {
                intent.status = "succeeded";
                return None;
            };
            intent.status = "requires_payment_method";
            intent.method = None;
            intent.error = Some(error.clone());
            let mut body = json!({"error": error});
            body["error"]["payment_intent"] = intent.shown();
            Some((402, body))
        })
    }

    /// A page of the refunds of an intent, the newest first.
    fn list_refunds(&self, seen: &Seen) -> Reply {
        let limit: usize = seen.field("limit").parse().unwrap();
        let mut found: Vec<&Refund> = self
            .refunds
            .iter()
            .rev()
            .filter(|refund| refund.intent == seen.field("payment_intent"))
            .collect();
        if let Some(place) = found.iter().position(|refund| refund.id == seen.field("starting_after")) {
            found.drain(..=place);
        }
        let data: Vec<Value> = found.iter().take(limit).map(|refund| refund.shown()).collect();
        (200, json!({"object": "list", "url": seen.path, "has_more": found.len() > limit, "data": data}))
    }

    fn refund(&mut self, seen: &Seen) -> Reply {
        let id = self.new_id("re");
        let account = seen.header("stripe-account");
        let meant = seen.field("payment_intent");
        let found = self.intents.iter().find(|one| one.id == meant && one.account == account);
        let Some(intent) = found.filter(|intent| intent.status == "succeeded") else {
            let message = format!("No such payment_intent: '{meant}'");
            return (404, published::error("invalid_request_error", Some("resource_missing"), &message));
        };
        let amount: i64 = seen.field("amount").parse().unwrap();
        let before: i64 = self.refunds.iter().filter(|one| one.intent == meant).map(|one| one.amount).sum();
        let number = intent.method.as_ref().and_then(|method| self.cards.get(method));
        if number.is_some_and(|number| number == NOT_REFUNDED) || before + amount > intent.amount {
            let message = "Charge ch_3MtwBwLkdIwHu7ix2 has already been refunded.";
            let code = Some("charge_already_refunded");
            return (400, published::error("invalid_request_error", code, message));
        }
        let refund = Refund {
            id,
            intent: meant.to_owned(),
            amount,
            ours: seen.field("metadata[refund]").to_owned(),
            status: self.refund_status.unwrap_or("succeeded"),
        };
        let reply = (200, refund.shown());
        self.refunds.push(refund);
        reply
    }

    fn cancel(&mut self, seen: &Seen) -> Reply {
        self.with_intent(seen, |intent| {
            if matches!(intent.status, "succeeded" | "canceled" | "processing") {
                return Some(intent.unexpected_state());
            }
            intent.status = "canceled";
            None
        })
    }
}

impl Intent {
    fn shown(&self) -> Value {
        let Self { id, account: _, amount, order, tenant, status, method, charge, error } = self;
        json!({
            "id": id, "object": "payment_intent", "amount": amount, "amount_received": 0,
            "capture_method": "automatic_async", "client_secret": format!("{id}{SECRET_END}"), "currency": "usd", "last_payment_error": error,
            "latest_charge": charge, "livemode": false, "metadata": {"order": order, "tenant": tenant},
            "next_action": null, "payment_method": method, "payment_method_types": ["card"],
            "status": status,
        })
    }

    fn unexpected_state(&self) -> Reply {
        let message = format!("This PaymentIntent has a status of {}.", self.status);
        let code = Some("payment_intent_unexpected_state");
        let mut body = published::error("invalid_request_error", code, &message);
        body["error"]["payment_intent"] = self.shown();
        (400, body)
    }
}

impl Refund {
    fn shown(&self) -> Value {
        let Self { id, intent, amount, ours, status } = self;
        let failure_reason = (*status == "failed").then_some("lost_or_stolen_card");
        json!({
            "id": id, "object": "refund", "amount": amount, "charge": "ch_3MtwBwLkdIwHu7ix2",
            "currency": "usd", "metadata": {"refund": ours}, "payment_intent": intent, "reason": null,
            "status": status, "failure_reason": failure_reason,
        })
    }
}

/// How long the slow card takes.
const SLOW: Duration = Duration::from_secs(8);

impl HttpConnector for Double {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let seen = Seen::read(&request);
        let double = self.clone();
        HttpConnectorFuture::new(async move { double.answer(seen).await })
    }
}

impl Double {
    async fn answer(&self, seen: Seen) -> Result<HttpResponse, ConnectorError> {
        let step = seen.step().unwrap_or_else(|| panic!("Stripe has no {} {}", seen.method, seen.path));
        let trouble = {
            let mut state = self.0.lock().unwrap();
            state.seen.push(seen.clone());
            state.trouble(step)
        };
        match trouble {
            Some(Trouble::LostBefore) => return Err(lost()),
            Some(Trouble::Refused(status)) => {
                let body = published::error("api_error", None, "Something went wrong on Stripe's end");
                return Ok(response(status, body.to_string()));
            }
            _ => {}
        }
        let number = self.number_of(&seen);
        if step == Step::Confirm && number.as_deref() == Some("4000000000000341") {
            tokio::time::sleep(SLOW).await;
        }
        let (status, body) = self.0.lock().unwrap().carry_out(step, &seen);
        if step == Step::Confirm && number.as_deref() == Some("4000000000000259") {
            return Err(lost());
        }
        match trouble {
            None => Ok(response(status, body.to_string())),
            Some(Trouble::Garbage) => Ok(response(200, "<html>upstream</html>".to_owned())),
            Some(Trouble::CutOff) => {
                let body = body.to_string();
                Ok(response(status, body[..body.len() / 2].to_owned()))
            }
            Some(Trouble::FailedAfter) => Ok(self.failed(&seen)),
            Some(Trouble::NoAnswer) => std::future::pending().await,
            Some(Trouble::LostAfter | Trouble::LostBefore | Trouble::Refused(_)) => Err(lost()),
        }
    }

    fn number_of(&self, seen: &Seen) -> Option<String> {
        let state = self.0.lock().unwrap();
        let intent = state.intents.iter().find(|intent| intent.id == seen.intent())?;
        state.cards.get(intent.method.as_ref()?).cloned()
    }

    fn failed(&self, seen: &Seen) -> HttpResponse {
        let body = published::error("api_error", None, "Something went wrong on Stripe's end");
        let memory = (seen.header("stripe-account").to_owned(), seen.header("idempotency-key").to_owned());
        if let Some((_, reply)) = self.0.lock().unwrap().keys.get_mut(&memory) {
            *reply = (500, body.clone());
        }
        response(500, body.to_string())
    }
}

fn lost() -> ConnectorError {
    ConnectorError::io("the connection was reset, by plan".into())
}

fn response(status: u16, body: String) -> HttpResponse {
    let mut response = HttpResponse::new(status.try_into().unwrap(), SdkBody::from(body));
    response.headers_mut().insert("request-id", "req_7dXrMFuu3oQ2hL");
    response
}
