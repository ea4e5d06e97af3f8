//! The engine: DynamoDB on SQLite, called in process.

use crate::client::client_over;
use crate::fingerprint::fingerprint;
use crate::limits;
use crate::message::{Outcome, answer, body_of, operation_of};
use crate::storage_fault::{FileFault, StorageFault};
use crate::tokens::{RequestTokens, TokenClaim};
use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use dynoxide::actions::transact_write_items::{TransactWriteItemsRequest, TransactWriteItemsResponse};
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest token of a transaction that DynamoDB takes, in bytes.
const MAX_TOKEN_BYTES: usize = 36;

/// A DynamoDB of this process's own, in memory or in a file. Clones share the tables.
///
/// It does one request after the other, so a race has exact winners, and it never throttles,
/// conflicts, leaves a batch half done or reads stale; [`crate::Faulty`] adds those. Time to live
/// deletes nothing by itself, as on AWS for days: that is what [`Embedded::delete_expired`] is for.
#[derive(Clone)]
pub struct Embedded {
    database: Database,
    tokens: Arc<RequestTokens>,
    file: Option<Arc<Path>>,
    on_this_thread: bool,
}

/// Why an engine could not be opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The engine takes paths as text, and this one is not UTF-8.
    PathNotUtf8(PathBuf),
    /// The file itself is at fault.
    Storage(StorageFault, PathBuf, DynoxideError),
    /// The file cannot be opened, or is not a database of the engine.
    Engine(DynoxideError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PathNotUtf8(path) => write!(formatter, "the path {} is not UTF-8", path.display()),
            Self::Storage(fault, path, _) => write!(formatter, "{}", fault.told(Some(path))),
            Self::Engine(_) => formatter.write_str("the embedded DynamoDB engine cannot be opened"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::PathNotUtf8(_) => None,
            Self::Storage(_, _, cause) | Self::Engine(cause) => Some(cause),
        }
    }
}

impl OpenError {
    fn of_file(path: &Path, cause: DynoxideError) -> Self {
        match StorageFault::of(&cause) {
            Some(fault) => Self::Storage(fault, path.to_owned(), StorageFault::without_advice(cause)),
            None => Self::Engine(cause),
        }
    }
}

/// What opening says of no file.
impl From<DynoxideError> for OpenError {
    fn from(cause: DynoxideError) -> Self {
        Self::Engine(cause)
    }
}

impl Embedded {
    /// An empty engine that is gone with its last clone.
    ///
    /// # Errors
    /// [`OpenError::Engine`] when SQLite cannot start.
    pub fn memory() -> Result<Self, OpenError> {
        Ok(Self::over(Database::memory()?))
    }

    /// The engine over tables in memory.
    pub(crate) fn over(database: Database) -> Self {
        Self { database, tokens: Arc::default(), file: None, on_this_thread: false }
    }

    /// The engine stored in the file at `path`, which is made when missing; its directory is not.
    ///
    /// What was answered survives the end of the process, whatever the end. The last moments may be
    /// lost when the whole machine stops, which buys writes that are more than twice as fast.
    ///
    /// # Errors
    /// [`OpenError`] when the path is not UTF-8 or the file cannot be used.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let text = path.to_str().ok_or_else(|| OpenError::PathNotUtf8(path.to_owned()))?;
        let at_fault = |cause| OpenError::of_file(path, cause);
        let database = Database::new(text).map_err(at_fault)?;
        // The engine opens files with synchronous=FULL and has no setting for it, but leaving its
        // bulk mode sets NORMAL, which in write-ahead mode is safe against a crash of the process.
        database.enable_bulk_loading().map_err(at_fault)?;
        database.disable_bulk_loading().map_err(at_fault)?;
        Ok(Self { file: Some(path.into()), ..Self::over(database) })
    }

    /// The same tables, with all work done on the caller's thread: the same requests then always take turns in the
    /// same way. Whoever else runs on that thread waits meanwhile.
    #[must_use]
    pub fn on_this_thread(self) -> Self {
        Self { on_this_thread: true, ..self }
    }

    /// Whether any table was ever made in it.
    ///
    /// # Errors
    /// [`OpenError`] when the file cannot be read.
    pub fn holds_tables(&self) -> Result<bool, OpenError> {
        let listed = dispatch(&self.database, "ListTables", b"{}").map_err(|cause| match &self.file {
            Some(path) => OpenError::of_file(path, cause),
            None => OpenError::Engine(cause),
        })?;
        let listed: serde_json::Value = serde_json::from_slice(&listed)
            .map_err(|fault| OpenError::Engine(DynoxideError::InternalServerError(fault.to_string())))?;
        let names = listed.get("TableNames").and_then(serde_json::Value::as_array);
        Ok(names.is_some_and(|names| !names.is_empty()))
    }

    /// Deletes the items whose time to live is over by the clock of this machine, and tells how many those were. Requests
    /// have their turn in between, so it may be called beside them, on a thread that may wait.
    ///
    /// # Errors
    /// Those of the engine, after which the rest is left to the next call. What keeps it from its file is logged.
    pub fn delete_expired(&self) -> Result<usize, DynoxideError> {
        self.database.sweep_ttl().inspect_err(|error| {
            let _ = self.report(error);
        })
    }

    /// An SDK client on this engine; see [`client_over`].
    pub fn client(&self) -> Client {
        client_over(self.clone())
    }
}

/// The tables' contents are nothing for a log line.
impl fmt::Debug for Embedded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Embedded")
    }
}

impl HttpClient for Embedded {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Embedded {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let engine = self.clone();
        if self.on_this_thread {
            return HttpConnectorFuture::new(async move {
                tokio::task::yield_now().await;
                engine.answer(&request)
            });
        }
        // SQLite blocks, so its work leaves the runtime's threads alone where there is a runtime.
        match tokio::runtime::Handle::try_current() {
            Err(_) => HttpConnectorFuture::ready(engine.answer(&request)),
            Ok(runtime) => HttpConnectorFuture::new(async move {
                let work = runtime.spawn_blocking(move || engine.answer(&request));
                // A network never answers within one poll. Neither may the engine, or calls made side by
                // side would not overlap.
                tokio::task::yield_now().await;
                work.await.unwrap_or_else(|error| Err(ConnectorError::other(error.into(), None)))
            }),
        }
    }
}

impl Embedded {
    fn answer(&self, request: &HttpRequest) -> Outcome {
        self.respond(&operation_of(request), body_of(request))
    }

    /// Does at once what is asked, on this thread.
    pub(crate) fn respond(&self, operation: &str, body: &[u8]) -> Outcome {
        let result = match limits::refusal_for(body) {
            Some(message) => Err(DynoxideError::ValidationException(message)),
            None if operation == "TransactWriteItems" => self.transact(body),
            None => dispatch(&self.database, operation, body),
        };
        match result {
            Ok(body) => answer(200, body),
            Err(error) => match self.report(&error) {
                Some(fault) => Err(ConnectorError::other(fault.into(), None)),
                None => answer(error.status_code(), error.to_json()),
            },
        }
    }

    /// Carries a transaction out, unless its token says that it was. The engine is not told the token: see
    /// [`RequestTokens`].
    fn transact(&self, body: &[u8]) -> Result<Vec<u8>, DynoxideError> {
        let mut request: TransactWriteItemsRequest = decoded(body)?;
        // One that is too long is left for the engine to refuse.
        let token = request.client_request_token.take_if(|token| token.len() <= MAX_TOKEN_BYTES);
        let Some(token) = token else { return encoded(&self.database.transact_write_items(request)?) };
        match self.tokens.claim(&token, fingerprint(&request.transact_items)) {
            TokenClaim::New(token) => {
                let response = self.database.transact_write_items(request)?;
                token.keep();
                encoded(&response)
            }
            TokenClaim::Repeated => encoded(&TransactWriteItemsResponse::default()),
            TokenClaim::OfAnother => Err(DynoxideError::IdempotentParameterMismatchException(
                "An error occurred (IdempotentParameterMismatchException)".to_owned(),
            )),
        }
    }

    /// Tells whoever runs the machine what keeps the engine from its file; nothing where the request is at fault.
    fn report(&self, error: &DynoxideError) -> Option<FileFault> {
        let fault = FileFault::of(error, self.file.as_ref())?;
        tracing::error!(cause = %error, "{}", fault.told());
        Some(fault)
    }
}

/// Runs the engine's method for the named operation on the decoded body and encodes what it returns.
macro_rules! operations {
    ($database:ident, $operation:ident, $body:ident; $($name:literal => $method:ident),* $(,)?) => {
        match $operation {
            $($name => {
                let response = $database.$method(decoded($body)?)?;
                encoded(&response)
            })*
            other => Err(DynoxideError::ValidationException(format!(
                "the embedded engine has no operation {other:?}"
            ))),
        }
    };
}

fn dispatch(database: &Database, operation: &str, body: &[u8]) -> Result<Vec<u8>, DynoxideError> {
    operations!(database, operation, body;
        "CreateTable" => create_table,
        "DeleteTable" => delete_table,
        "DescribeTable" => describe_table,
        "ListTables" => list_tables,
        "UpdateTable" => update_table,
        "UpdateTimeToLive" => update_time_to_live,
        "DescribeTimeToLive" => describe_time_to_live,
        "PutItem" => put_item,
        "GetItem" => get_item,
        "UpdateItem" => update_item,
        "DeleteItem" => delete_item,
        "Query" => query,
        "Scan" => scan,
        "BatchGetItem" => batch_get_item,
        "BatchWriteItem" => batch_write_item,
        "TransactGetItems" => transact_get_items,
    )
}

fn decoded<T: DeserializeOwned>(body: &[u8]) -> Result<T, DynoxideError> {
    serde_json::from_slice(body).map_err(|error| decode_error(&error.to_string()))
}

fn encoded(response: &impl Serialize) -> Result<Vec<u8>, DynoxideError> {
    serde_json::to_vec(response).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// The engine's request types report a refusal as a decoding error that starts with a marker, which
/// only its HTTP server turns into a DynamoDB error. In process that falls to us.
fn decode_error(message: &str) -> DynoxideError {
    const VALIDATION: [&str; 3] = ["VALIDATION_REQUEST:", "VALIDATION_AS_READ:", "VALIDATION:"];
    const SERIALIZATION: [&str; 2] = ["SERIALIZATION_AS_READ:", "SERIALIZATION:"];
    const INVALID: [&str; 4] = ["missing field", "unknown variant", "invalid type: null", "AttributeValue"];

    let bare = message.rsplit_once(" at line ").map_or(message, |(text, _position)| text);
    if let Some(text) = VALIDATION.iter().find_map(|marker| bare.strip_prefix(marker)) {
        return DynoxideError::ValidationException(text.to_owned());
    }
    if let Some(text) = SERIALIZATION.iter().find_map(|marker| bare.strip_prefix(marker)) {
        return DynoxideError::SerializationException(text.to_owned());
    }
    if INVALID.iter().any(|hint| bare.contains(hint)) {
        return DynoxideError::ValidationException(bare.to_owned());
    }
    DynoxideError::SerializationException(bare.to_owned())
}
