//! The services of AWS that the functions use, played on loopback ports: DynamoDB by the embedded engine, KMS
//! by the vault that sealed the tenants' secrets, SQS and SES by lists of what they were given. Each function
//! has a port of its own, which refuses what the template does not permit that function.

mod incidents;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use blackbox::runtime_api::Player;
use blackbox::template::{environment, permissions};
use boxoffice::testing::Service;
use incidents::Incidents;
pub(crate) use incidents::Need;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Of a wait for one function; far more than it needs on a machine that has nothing else to do.
const LIMIT: Duration = Duration::from_secs(60);

/// When the demo venue was imported, and the clock of the kept events.
pub(crate) const NOW: &str = "2026-03-16T12:00:00Z";

const DAYS: u32 = 7;

/// Everything around the functions: the tables with the demo venue, and the other services.
pub(crate) struct Cloud {
    service: Arc<Service>,
    seen: Arc<Seen>,
}

/// What the tables consumed, in units of 4 KB read and 1 KB written, as DynamoDB counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Units {
    pub(crate) reads: f64,
    pub(crate) writes: f64,
}

/// What passed the other services.
#[derive(Default)]
struct Seen {
    jobs: Mutex<Vec<String>>,
    mails: Mutex<Vec<Value>>,
    denied: Mutex<Vec<String>>,
    /// Function, action and resource of every permission that was needed.
    used: Mutex<BTreeSet<(String, String, String)>>,
    units: Mutex<Units>,
    incidents: Incidents,
}

/// One function's way to the services.
struct Desk {
    function: String,
    permitted: BTreeSet<(String, String)>,
    service: Arc<Service>,
    seen: Arc<Seen>,
}

impl Cloud {
    pub(crate) async fn start() -> Self {
        let service = Service::empty().await;
        let venue = blackbox::repository().join("demo/harbor-museum.json");
        let venue = std::fs::read_to_string(venue).unwrap();
        boxoffice::import::import_days(&service.app, &venue, NOW.parse().unwrap(), DAYS).await.unwrap();
        Self { service: Arc::new(service), seen: Arc::default() }
    }

    /// Starts the binary of `functions/<name>` with the settings that the template gives it.
    pub(crate) async fn function(&self, name: &str) -> Player {
        let desk = Arc::new(Desk {
            function: name.to_owned(),
            permitted: permissions(name),
            service: Arc::clone(&self.service),
            seen: Arc::clone(&self.seen),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let database = boxoffice::dynamodb_routes(self.service.embedded.clone());
        let routes = database.layer(from_fn_with_state(desk, answer));
        tokio::spawn(async move { axum::serve(listener, routes).await });

        let mut settings = vec![("AWS_ENDPOINT_URL".to_owned(), endpoint)];
        settings.extend(environment(name).into_iter().map(|variable| {
            let value = match variable.as_str() {
                "BOXOFFICE_TABLE_PREFIX" => "boxoffice-",
                "BOXOFFICE_MAIL_QUEUE_URL" => {
                    "https://sqs.us-east-1.amazonaws.com/123456789012/boxoffice-mail"
                }
                "BOXOFFICE_VAULT_KEY_ID" => "vault",
                "BOXOFFICE_MAIL_FROM" => "tickets@example.org",
                other => panic!("{other} has no value to test with"),
            };
            (variable, value.to_owned())
        }));
        let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (&**key, &**value)).collect();
        let binary = blackbox::function_binary(name);
        Player::start(&binary, name, &settings, LIMIT).await.unwrap()
    }

    /// The bodies of the messages in the mail queue, in the order in which they were sent.
    pub(crate) fn jobs(&self) -> Vec<String> {
        self.seen.jobs.lock().unwrap().clone()
    }

    /// The mails that SES accepted, as it was asked to send them.
    pub(crate) fn mails(&self) -> Vec<Value> {
        self.seen.mails.lock().unwrap().clone()
    }

    /// What functions asked for without being permitted to.
    pub(crate) fn denied(&self) -> Vec<String> {
        self.seen.denied.lock().unwrap().clone()
    }

    /// What the tables consumed since this was last asked, without what the sandbox's card processor keeps there.
    pub(crate) fn take_units(&self) -> Units {
        std::mem::take(&mut *self.seen.units.lock().unwrap())
    }

    /// The service itself, over the tables of the functions.
    pub(crate) fn service(&self) -> &Service {
        &self.service
    }

    /// Cuts a function off after so many more calls with this need: from then on, it gets no answer from anybody.
    pub(crate) fn cut_off(&self, function: &str, need: Need, left: u32) {
        self.seen.incidents.cut(function, need, left);
    }

    /// Ends [`Cloud::cut_off`].
    pub(crate) fn mend(&self, function: &str) {
        self.seen.incidents.mend(function);
    }

    /// Has something happen before the next call of a function with this need is answered.
    pub(crate) fn meanwhile(
        &self,
        function: &str,
        need: Need,
        happening: impl Future<Output = ()> + Send + 'static,
    ) {
        self.seen.incidents.meanwhile(function, need, Box::pin(happening));
    }

    /// Has the deadlines pass of all checkouts and refunds that are under way in real time.
    pub(crate) async fn let_deadlines_pass(&self) {
        incidents::move_deadlines(&self.service.store, NOW.parse().unwrap()).await;
    }

    /// Function, action and resource of every permission that was needed.
    pub(crate) fn used(&self) -> BTreeSet<(String, String, String)> {
        self.seen.used.lock().unwrap().clone()
    }
}

async fn answer(State(desk): State<Arc<Desk>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap();
    let mut message: Value = serde_json::from_slice(&bytes).unwrap();
    // SES is the only one that names its operation by the path.
    let target = parts.headers.get("x-amz-target").map_or(parts.uri.path(), |name| name.to_str().unwrap());
    let target = target.to_owned();
    let needed = needed(&target, &message);
    if !desk.seen.incidents.admit(&desk.function, &needed) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    for (action, resource) in &needed {
        let permitted = |(other, place): &&(String, String)| {
            // The address that may be sent from is a condition, which the message meets or not.
            other == action && (place == resource || action.starts_with("ses:"))
        };
        let Some((action, resource)) = desk.permitted.iter().find(permitted) else {
            let denied = format!("{} may not {action} {resource}", desk.function);
            desk.seen.denied.lock().unwrap().push(denied);
            return refusal("AccessDeniedException");
        };
        let used = (desk.function.clone(), action.clone(), resource.clone());
        desk.seen.used.lock().unwrap().insert(used);
    }
    if let Some(happening) = desk.seen.incidents.take(&desk.function, &needed) {
        happening.await;
    }
    match target.as_str() {
        "TrentService.Decrypt" => desk.decrypt(&message).await,
        "TrentService.Encrypt" => desk.encrypt(&message).await,
        "AmazonSQS.SendMessage" => {
            let body = message["MessageBody"].as_str().unwrap().to_owned();
            desk.seen.jobs.lock().unwrap().push(body);
            Json(json!({"MessageId": "1"})).into_response()
        }
        "/v2/email/outbound-emails" => {
            desk.seen.mails.lock().unwrap().push(message);
            Json(json!({"MessageId": "1"})).into_response()
        }
        other => {
            message["ReturnConsumedCapacity"] = json!("TOTAL");
            let body = message.to_string();
            let operation = if body.contains("SANDBOX#PAYMENT") { "" } else { other };
            parts.headers.remove(CONTENT_LENGTH);
            let request = Request::from_parts(parts, Body::from(body));
            desk.count(operation, next.run(request).await).await
        }
    }
}

impl Desk {
    /// Adds up what an answer of the database says it consumed.
    async fn count(&self, operation: &str, answer: Response) -> Response {
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let consumed = &body["ConsumedCapacity"];
        let one = std::slice::from_ref(consumed);
        let each = consumed.as_array().map_or(one, Vec::as_slice).iter();
        let sum = each.filter_map(|table| table["CapacityUnits"].as_f64()).sum::<f64>();
        let mut units = self.seen.units.lock().unwrap();
        match operation.strip_prefix("DynamoDB_20120810.").unwrap_or_default() {
            "GetItem" | "BatchGetItem" | "Query" => units.reads += sum,
            "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" => units.writes += sum,
            "" => {}
            other => panic!("{other} is not counted"),
        }
        drop(units);
        (parts, bytes).into_response()
    }

    async fn encrypt(&self, message: &Value) -> Response {
        let plain = BASE64_STANDARD.decode(message["Plaintext"].as_str().unwrap()).unwrap();
        let context = message["EncryptionContext"]["boxoffice"].as_str().unwrap();
        let sealed = self.service.app.vault.seal(context, &plain).await.unwrap();
        let sealed = BASE64_STANDARD.encode(sealed);
        Json(json!({"KeyId": message["KeyId"], "CiphertextBlob": sealed})).into_response()
    }

    async fn decrypt(&self, message: &Value) -> Response {
        let sealed = BASE64_STANDARD.decode(message["CiphertextBlob"].as_str().unwrap()).unwrap();
        let context = message["EncryptionContext"]["boxoffice"].as_str().unwrap();
        match self.service.app.vault.open(context, &sealed).await {
            Ok(plain) => {
                let plain = BASE64_STANDARD.encode(plain.as_slice());
                Json(json!({"KeyId": message["KeyId"], "Plaintext": plain})).into_response()
            }
            Err(_) => refusal("InvalidCiphertextException"),
        }
    }
}

fn refusal(kind: &str) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({"__type": kind}))).into_response()
}

/// The permissions a call takes, as IAM sees it: a transaction takes those of its parts.
fn needed(target: &str, message: &Value) -> Vec<(String, String)> {
    let table = |name: &Value| {
        let name = name.as_str().unwrap().strip_prefix("boxoffice-").unwrap();
        format!("{}{}Table", name[..1].to_uppercase(), &name[1..])
    };
    let one = |action: &str, resource: &str| vec![(action.to_owned(), resource.to_owned())];
    match target {
        "TrentService.Decrypt" => one("kms:Decrypt", "VaultKey"),
        "TrentService.Encrypt" => one("kms:Encrypt", "VaultKey"),
        "AmazonSQS.SendMessage" => one("sqs:SendMessage", "MailQueue"),
        // The operation has the one name; a refusal to send raw MIME by it has the other.
        "/v2/email/outbound-emails" if message["Content"]["Raw"].is_object() => {
            ["ses:SendEmail", "ses:SendRawEmail"].map(|action| (action.to_owned(), String::new())).into()
        }
        "/v2/email/outbound-emails" => one("ses:SendEmail", ""),
        "DynamoDB_20120810.BatchGetItem" => {
            let tables = message["RequestItems"].as_object().unwrap().keys();
            tables.map(|name| ("dynamodb:BatchGetItem".to_owned(), table(&json!(name)))).collect()
        }
        "DynamoDB_20120810.TransactWriteItems" => {
            let parts = message["TransactItems"].as_array().unwrap().iter();
            let part = |(kind, write): (&String, &Value)| {
                let action =
                    if kind == "ConditionCheck" { "ConditionCheckItem" } else { &format!("{kind}Item") };
                (format!("dynamodb:{action}"), table(&write["TableName"]))
            };
            parts.flat_map(|item| item.as_object().unwrap().iter().map(part)).collect()
        }
        other => {
            let action = other.strip_prefix("DynamoDB_20120810.").unwrap_or(other);
            let index = message["IndexName"].as_str().map(|index| format!("/index/{index}"));
            let resource = format!("{}{}", table(&message["TableName"]), index.unwrap_or_default());
            one(&format!("dynamodb:{action}"), &resource)
        }
    }
}
