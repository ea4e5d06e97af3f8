//! What the back office's resources have in common, and their reads.

use adapters::App;
use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::{TenantId, Zone};
use serde::Serialize;
use store::authored::{Authored, Stored};
use store::catalog::{Definitions, Kind};
use store::{Consistency, Key};
use web::ApiError;
use web::access::Caller;
use web::authored::not_found;
use web::catalog::{Catalog, Needs, Use};
use web::idempotency::Tagged;
use web::paging::{PageQuery, Paging, Sorting, page_of};
use wire::page::Page;
use wire::{Checker, Identified, WireValue};

/// What reading a record's fields needs to know.
pub(crate) struct Context<'a> {
    pub(crate) zone: Zone,
    /// As much as the resource [`Resource::NEEDS`].
    pub(crate) catalog: &'a Catalog,
}

/// A kind of record that the back office writes.
pub(crate) trait Resource: 'static {
    /// The record as it is stored.
    type Record: Authored + Send + Sync;
    /// The record as it is sent.
    type Input: WireValue + Identified + Send;
    /// The record as it is shown.
    type Output: Serialize + Send;

    /// The path of the list.
    const PATH: &'static str;
    /// Which of the small definitions it is.
    const KIND: Kind;
    /// What its fields refer to.
    const NEEDS: Needs;
    /// What may name it.
    const NAMED_BY: Needs = Needs::Everything;
    /// The field that no two records may have the same, and what is said of one that is taken.
    const TAKEN: (&'static str, &'static str) = ("", "is taken");

    /// The orders of its lists.
    fn sorting() -> &'static Sorting<Self::Record>;

    /// A new id of these random bytes.
    fn new_id(random: [u8; 16]) -> String;

    /// Where the record with the id of a path lives; none for text that is no id.
    fn key(tenant: TenantId, id: &str) -> Option<Key>;

    /// Reads the fields.
    fn read(input: Self::Input, checker: &mut Checker, context: &Context<'_>) -> Option<Self::Record>;

    /// All of them.
    fn all(definitions: Definitions) -> Vec<Self::Record>;

    /// What names a record.
    fn uses(record: &Self::Record, catalog: &Catalog) -> Vec<Use>;

    /// The record as callers see it.
    fn show(record: &Self::Record, zone: Zone) -> Self::Output;
}

/// A page of those of which this holds.
pub(crate) async fn list<R: Resource>(
    app: &App,
    caller: &Caller,
    query: &PageQuery,
    is_wanted: impl Fn(&R::Record) -> bool,
) -> Result<Json<Page<R::Output>>, ApiError> {
    let paging = Paging::parse(query, R::sorting())?;
    let definitions =
        app.store.load_definitions_of(caller.tenant.id, &[R::KIND], Consistency::Strong).await?;
    let (page, pagination) = paging.cut(R::all(definitions).into_iter().filter(is_wanted).collect());
    let list: Vec<R::Output> = page.iter().map(|record| R::show(record, caller.tenant.zone)).collect();
    page_of(list, pagination)
}

/// The record with the id of the path.
pub(crate) async fn read<R: Resource>(app: &App, caller: &Caller, id: &str) -> Result<Response, ApiError> {
    read_of::<R>(app, caller, id, |_| true).await
}

/// The record with the id of the path, if this holds of it.
pub(crate) async fn read_of<R: Resource>(
    app: &App,
    caller: &Caller,
    id: &str,
    is_wanted: impl Fn(&R::Record) -> bool,
) -> Result<Response, ApiError> {
    let key = R::key(caller.tenant.id, id).ok_or_else(not_found)?;
    let found: Option<Stored<R::Record>> = app.store.load_authored(&key).await?;
    let found = found.filter(|stored| is_wanted(&stored.value));
    let Stored { value, revision, .. } = found.ok_or_else(not_found)?;
    let body = R::show(&value, caller.tenant.zone);
    Ok(Tagged { body, revision: Some(revision) }.into_response())
}
