//! The description, read once for each process.

use crate::schemas::{Content, Lazy};
use http::Method;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// What is described.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) document: Value,
    operations: Vec<Operation>,
    /// The body of every refusal.
    pub(crate) refusal: Lazy,
}

/// One operation.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) id: String,
    segments: Vec<String>,
    /// By status.
    pub(crate) answers: BTreeMap<u16, Answer>,
}

/// An answer of one status.
#[derive(Debug)]
pub(crate) struct Answer {
    /// None where there is no body.
    pub(crate) content: Content,
    pub(crate) headers: Vec<Header>,
}

/// A header of an answer.
#[derive(Debug)]
pub(crate) struct Header {
    /// In lower case.
    pub(crate) name: String,
    /// Whether no answer of this status comes without it.
    pub(crate) always: bool,
    is_integer: bool,
    pub(crate) schema: Lazy,
}

/// The committed description.
pub(crate) fn description() -> &'static Description {
    static READ: LazyLock<Description> = LazyLock::new(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
        let text = std::fs::read_to_string(path).expect("the description is in the repository");
        Description::read(serde_json::from_str(&text).expect("the description is JSON"))
    });
    &READ
}

impl Description {
    pub(crate) fn read(document: Value) -> Self {
        let mut operations = Vec::new();
        for (path, item) in fields(&document["paths"]) {
            for (method, operation) in fields(item) {
                if let Some(id) = operation["operationId"].as_str() {
                    operations.push(Operation {
                        method: method.to_uppercase(),
                        path: path.clone(),
                        id: id.to_owned(),
                        segments: path.split('/').map(str::to_owned).collect(),
                        answers: answers(&document, &operation["responses"]),
                    });
                }
            }
        }
        // What has a fixed segment where another has a parameter is meant first.
        operations.sort_by_key(|operation| {
            operation.segments.iter().map(|segment| segment.starts_with('{')).collect::<Vec<_>>()
        });
        let refusal = Lazy::new(&json!({ "$ref": "#/components/schemas/ErrorBody" }));
        Self { document, operations, refusal }
    }

    /// The operation that answers this method at this path.
    pub(crate) fn operation(&self, method: &Method, path: &str) -> Option<&Operation> {
        self.operations_of(path).into_iter().find(|operation| operation.method == method.as_str())
    }

    pub(crate) fn operations_of(&self, path: &str) -> Vec<&Operation> {
        let sent: Vec<&str> = path.split('/').collect();
        let mut fitting = self.operations.iter().filter(|operation| operation.takes(&sent)).peekable();
        let first = fitting.peek().map(|operation| operation.path.clone());
        fitting.filter(|operation| Some(&operation.path) == first.as_ref()).collect()
    }
}

impl Operation {
    fn takes(&self, sent: &[&str]) -> bool {
        let fits = |(own, sent): (&String, &&str)| (own.starts_with('{') && !sent.is_empty()) || own == sent;
        self.segments.len() == sent.len() && self.segments.iter().zip(sent).all(fits)
    }
}

impl Header {
    /// The value as its schema means it.
    pub(crate) fn read(&self, text: &str) -> Value {
        let number = self.is_integer.then(|| text.parse::<u64>().ok()).flatten();
        number.map_or_else(|| text.into(), Value::from)
    }
}

fn answers(document: &Value, responses: &Value) -> BTreeMap<u16, Answer> {
    let read = |(status, response): (&String, &Value)| {
        let response = resolved(document, response);
        let content = fields(&response["content"]);
        let content = content.map(|(media, body)| (media.clone(), Lazy::new(&body["schema"]))).collect();
        let headers = fields(&response["headers"]).map(|(name, header)| {
            let header = resolved(document, header);
            Header {
                name: name.to_lowercase(),
                always: header["required"] == true,
                is_integer: header["schema"]["type"] == "integer",
                schema: Lazy::new(&header["schema"]),
            }
        });
        (status.parse().expect("a status is a number"), Answer { content, headers: headers.collect() })
    };
    fields(responses).map(read).collect()
}

fn fields(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object.as_object().into_iter().flat_map(Map::iter)
}

/// The thing itself where one is referred to.
fn resolved<'a>(document: &'a Value, thing: &'a Value) -> &'a Value {
    let pointer = thing["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.map_or(thing, |pointer| document.pointer(pointer).expect("what is referred to is there"))
}
