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
/// A card whose issuer asks for 3-D Secure.
pub(crate) const ASKS_BACK: &str = "4000002500003155";

/// The requests that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Create,
    Search,
    Card,
    Attach,
    Confirm,
    Cancel,
    Look,
    Refunds,
    Refund,
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
            ("POST", ["payment_methods"]) => Step::Card,
            ("POST", ["payment_intents", _]) => Step::Attach,
            ("POST", ["payment_intents", _, "confirm"]) => Step::Confirm,
            ("POST", ["payment_intents", _, "cancel"]) => Step::Cancel,
            ("GET", ["payment_intents", _]) => Step::Look,
            ("GET", ["refunds"]) => Step::Refunds,
            ("POST", ["refunds"]) => Step::Refund,
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

/// A refund.
#[derive(Clone, Debug)]
pub(crate) struct Refund {
    id: String,
    intent: String,
    pub(crate) amount: i64,
    pub(crate) ours: String,
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
            Step::Card => self.card(seen),
            Step::Attach => self.attach(seen),
            Step::Confirm => self.confirm(seen),
            Step::Cancel => self.cancel(seen),
            Step::Look => self.with_intent(seen, |_| None),
            Step::Refunds => self.list_refunds(seen),
            Step::Refund => self.refund(seen),
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
        self.with_intent(seen, |intent| {
            if matches!(intent.status, "succeeded" | "canceled" | "processing") {
                return Some(intent.unexpected_state());
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
        self.with_intent(seen, |intent| {
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
            "capture_method": "automatic_async", "currency": "usd", "last_payment_error": error,
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
