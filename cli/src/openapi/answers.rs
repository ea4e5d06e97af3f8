//! What every operation may answer because of what it takes, and the headers of its answers.

use serde_json::{Map, Value, json};

/// Where no key is asked for, and the database is asked all the same.
const KEYLESS: [&str; 3] = ["/sandbox/", "/v2/staff/", "/v1/payment/webhooks/"];

/// One operation of the document.
pub(super) struct Operation<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) described: &'a mut Map<String, Value>,
}

/// The refusals that are the same wherever they happen: name, status, and what they mean.
const SHARED: [(&str, &str, &str); 8] = [
    ("Unauthorized", "401", "`UNAUTHORIZED`: a valid key is required"),
    ("Forbidden", "403", "`FORBIDDEN`: the key does not have access to this route"),
    (
        "MethodNotAllowed",
        "405",
        "`METHOD_NOT_ALLOWED`: this path does not support the method; `Allow` lists those it does",
    ),
    ("RequestTimeout", "408", "`REQUEST_TIMEOUT`: the body did not arrive in time"),
    (
        "PayloadTooLarge",
        "413",
        "`PAYLOAD_TOO_LARGE`: the body is larger than accepted, or what it asks to keep is",
    ),
    ("UnsupportedMediaType", "415", "`UNSUPPORTED_MEDIA_TYPE`: the body is not declared as JSON"),
    ("TooManyRequests", "429", "`THROTTLED`: too many requests; `Retry-After` says when to try again"),
    (
        "TryAgain",
        "503",
        "`TRY_AGAIN`: the database was busy or did not answer in time; `Retry-After` says when to try again",
    ),
];

/// The headers of answers, by the name under which the document keeps them.
fn headers() -> Value {
    json!({
        "Allow": header("Allow", &json!({ "type": "string", "examples": ["GET, PUT, DELETE"] })),
        "ETag": header(
            "The revision of the record. A write with it in `If-Match` is refused if the record has changed",
            &json!({ "type": "string", "pattern": "^(W/)?\"[^\"]+\"$", "examples": ["\"3f9a1c52\""] }),
        ),
        "MemberMessage": header(
            "Only if a membership or level was named and is ignored: it needs a proof, or the venue \
                accepts no claims with this key",
            &json!({ "type": "string", "enum": ["PROOF_NEEDED", "MEMBERS_NOT_ACCEPTED"] }),
        ),
        "Replayed": header(
            "Only if the request was sent before with the same `Idempotency-Key`: this is the first response again",
            &json!({ "type": "string", "enum": ["true"] }),
        ),
        "RequestId": header(
            "Identifies this request in the service's log",
            &json!({ "type": "string", "minLength": 1, "examples": ["d2f0c4a89b1e47736f5a0c1d8e92b340"] }),
        ),
        "RetryAfter": header(
            "Seconds to wait before trying again",
            &json!({ "type": "integer", "minimum": 1, "examples": [2] }),
        ),
    })
}

fn header(description: &str, schema: &Value) -> Value {
    json!({ "description": description, "schema": schema })
}

/// What the document keeps once: headers and refusals.
pub(super) fn describe_shared(components: &mut Value) {
    let mut kept = headers();
    kept["RetryAfterAlways"] = kept["RetryAfter"].clone();
    for always in ["Allow", "RequestId", "RetryAfterAlways"] {
        kept[always]["required"] = true.into();
    }
    components["headers"] = kept;
    components["parameters"] = json!({ "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "Requests repeated with the same key and body take effect once and get the first response again. `x-service-request-uuid` is another name for this header",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "examples": ["6f1c2a58-order-1"] },
    } });
    components["parameters"]["MemberProof"] = json!({
        "name": "x-service-member-proof",
        "in": "header",
        "description": "A `memberProof` from the last two hours, or several separated by commas: the memberships it names \
            are accepted. Without one, those that a page names are ignored",
        "schema": { "type": "string", "maxLength": 8192 },
    });
    components["parameters"]["Operator"] = json!({
        "name": "x-service-operator",
        "in": "header",
        "description": "Who stands at the device, for `createdBy` and `updatedBy`. It proves nothing; of a page it is \
            ignored",
        "schema": { "type": "string", "minLength": 1, "maxLength": 60, "examples": ["Dana"] },
    });
    components["responses"] = Map::new().into();
    for (name, status, text) in SHARED {
        let mut response = refusal(text);
        response["headers"]["x-service-request-id"] = kept_header("RequestId");
        match status {
            "405" => response["headers"]["Allow"] = kept_header("Allow"),
            "429" | "503" => response["headers"]["Retry-After"] = kept_header("RetryAfterAlways"),
            _ => {}
        }
        // What is found out after a request was read.
        if matches!(status, "413" | "429" | "503") {
            response["headers"]["x-service-member-message"] = kept_header("MemberMessage");
        }
        components["responses"][name] = response;
    }
}

fn refusal(text: &str) -> Value {
    let body = json!({ "schema": { "$ref": "#/components/schemas/ErrorBody" } });
    json!({ "description": text, "content": { "application/json": body } })
}

fn kept_header(name: &str) -> Value {
    json!({ "$ref": format!("#/components/headers/{name}") })
}

impl Operation<'_> {
    fn asks_for_key(&self) -> bool {
        let ways = self.described.get("security").and_then(Value::as_array);
        ways.into_iter().flatten().any(|way| way.as_object().is_some_and(|way| !way.is_empty()))
    }

    fn has_body(&self) -> bool {
        self.described.contains_key("requestBody")
    }

    /// Whether a repetition of it with the same key has no second effect.
    fn takes_idempotency_key(&self) -> bool {
        let is_write = matches!(self.method, "post" | "put" | "patch" | "delete");
        // What a question to a buyer came to is the processor's to say, however often it is asked.
        let asks_only = ["/validate", "/preview", "/lookup", "/checkinexternal", "/complete"];
        let asks_only = asks_only.iter().any(|end| self.path.ends_with(end));
        // What a link to sign in by opens is answered once, and kept nowhere. A link to an order changes nothing.
        let is_unkept = KEYLESS.iter().any(|start| self.path.starts_with(start))
            || ["/v2/b2c/orders/link", "/v2/b2c/orders/open"].contains(&self.path);
        is_write && !asks_only && !is_unkept
    }

    /// Adds the header that makes it repeatable.
    pub(super) fn describe_idempotency_key(&mut self) {
        if !self.takes_idempotency_key() {
            return;
        }
        let parameters = self.described.entry("parameters").or_insert_with(|| json!([]));
        let Some(parameters) = parameters.as_array_mut() else { return };
        parameters.retain(|parameter| parameter["name"] != "Idempotency-Key");
        parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
    }

    /// Whether it may name memberships and levels whose benefits count.
    fn takes_member_proof(&self) -> bool {
        match self.method {
            "get" => self.path.starts_with("/v2/b2c/event"),
            "post" | "put" => {
                let exact = ["/v2/b2c/carts", "/v2/b2c/carts/{id}", "/v2/b2c/entitlements/validate"];
                exact.contains(&self.path) || self.path.ends_with("/checkout")
            }
            _ => false,
        }
    }

    /// Adds the header that proves them.
    pub(super) fn describe_member_proof(&mut self) {
        if !self.takes_member_proof() {
            return;
        }
        let parameters = self.described.entry("parameters").or_insert_with(|| json!([]));
        let Some(parameters) = parameters.as_array_mut() else { return };
        parameters.push(json!({ "$ref": "#/components/parameters/MemberProof" }));
    }

    /// Adds the header that says who does it.
    pub(super) fn describe_operator(&mut self) {
        let is_write = matches!(self.method, "post" | "put" | "patch" | "delete");
        if !self.asks_for_key() || !is_write || self.path.starts_with("/v2/staff/") {
            return;
        }
        let parameters = self.described.entry("parameters").or_insert_with(|| json!([]));
        let Some(parameters) = parameters.as_array_mut() else { return };
        parameters.push(json!({ "$ref": "#/components/parameters/Operator" }));
    }

    /// Adds the refusals that follow from what the operation takes, where it does not describe them itself.
    pub(super) fn describe_refusals(&mut self) {
        let (with_key, with_body) = (self.asks_for_key(), self.has_body());
        let is_stored = with_key || KEYLESS.iter().any(|start| self.path.starts_with(start));
        let Some(responses) = self.described.get_mut("responses").and_then(Value::as_object_mut) else {
            return;
        };
        for (applies, status, text) in [
            (with_key, "400", "Some values or headers in the request are missing or invalid"),
            (!with_key, "400", "A header or a query parameter was sent more than once"),
            (with_body, "404", "Something the request refers to does not exist"),
            (self.path.starts_with("/sandbox/"), "404", "The service has no sandbox"),
        ] {
            if applies && !responses.contains_key(status) {
                responses.insert(status.to_owned(), refusal(text));
            }
        }
        for (name, status, _) in SHARED {
            let applies = match status {
                "401" | "403" => with_key,
                "408" | "413" | "415" => with_body,
                "503" => is_stored,
                // Where it happens, its operation says so.
                "429" => responses.contains_key(status),
                _ => true,
            };
            if applies && (!responses.contains_key(status) || matches!(status, "401" | "429" | "503")) {
                let shared = json!({ "$ref": format!("#/components/responses/{name}") });
                responses.insert(status.to_owned(), shared);
            }
        }
    }

    /// Adds the headers of the answers.
    pub(super) fn describe_headers(&mut self) {
        let (repeatable, is_claiming) = (self.takes_idempotency_key(), self.takes_member_proof());
        let Some(responses) = self.described.get_mut("responses").and_then(Value::as_object_mut) else {
            return;
        };
        // A payment that was not confirmed in time is told again as well.
        let is_paid_for = responses.contains_key("402");
        for (status, response) in responses.iter_mut().filter(|(_, response)| response.get("$ref").is_none())
        {
            let is_done = status.starts_with('2');
            let is_told_again = is_done || status == "402" || (is_paid_for && status == "409");
            let has_revision = (is_done || status == "304")
                && response["description"].as_str().is_some_and(|text| text.contains("`ETag`"));
            for (applies, header, name) in [
                (true, "x-service-request-id", "RequestId"),
                (has_revision, "ETag", "ETag"),
                (repeatable && is_told_again, "x-service-replayed", "Replayed"),
                (status == "409", "Retry-After", "RetryAfter"),
                (is_claiming, "x-service-member-message", "MemberMessage"),
            ] {
                if applies {
                    response["headers"][header] = kept_header(name);
                }
            }
        }
    }
}
