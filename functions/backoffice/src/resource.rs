//! What the back office's resources have in common: their reads, and the routes of each.

use axum::Json;
use axum::response::{IntoResponse, Response};
use domain::{TenantId, Zone};
use platform::access::Caller;
use platform::authored::not_found;
use platform::catalog::{Catalog, Needs, Use};
use platform::idempotency::Tagged;
use platform::paging::{PageQuery, Paging, Sorting, page_of};
use platform::{ApiError, App};
use serde::Serialize;
use store::authored::{Authored, Stored};
use store::catalog::{Definitions, Kind};
use store::{Consistency, Key};
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

/// The five routes of a resource.
macro_rules! routes_of {
    ($resource:ident: $list_path:literal, $path:literal, $tag:literal, $one:literal, $many:literal,
     $input:ident, $output:ident) => {
        #[utoipa::path(
            get,
            path = $list_path,
            tag = $tag,
            summary = concat!("List ", $many),
            description = "One page of all that the tenant has, active or not, in the order asked for.",
            params(platform::paging::PageQuery),
            responses(
                (status = 200, description = "A page of them", body = wire::page::Page<$output>),
                (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = platform::ErrorBody),
            ),
        )]
        async fn list(
            axum::extract::State(app): axum::extract::State<platform::App>,
            staff: platform::access::Staff,
            axum::extract::Query(page): axum::extract::Query<platform::paging::PageQuery>,
        ) -> Result<axum::Json<wire::page::Page<$output>>, platform::ApiError> {
            crate::resource::list::<$resource>(&app, &staff, &page, |_| true).await
        }

        #[utoipa::path(
            get,
            path = $path,
            tag = $tag,
            summary = concat!("Read ", $one),
            description = "As it stands now; `ETag` names the revision, which a write can be bound to.",
            params(("id" = String, Path, description = "Its id")),
            responses(
                (status = 200, description = "The record, with its revision in `ETag`", body = $output),
                (status = 404, description = "`NOT_FOUND`", body = platform::ErrorBody),
            ),
        )]
        async fn read(
            axum::extract::State(app): axum::extract::State<platform::App>,
            staff: platform::access::Staff,
            axum::extract::Path(id): axum::extract::Path<String>,
        ) -> Result<axum::response::Response, platform::ApiError> {
            crate::resource::read::<$resource>(&app, &staff, &id).await
        }

        #[utoipa::path(
            post,
            path = $list_path,
            tag = $tag,
            summary = concat!("Create ", $one),
            description = "The service chooses the id; one in the body is ignored.",
            request_body = $input,
            responses(
                (status = 200, description = "The record, with its revision in `ETag`", body = $output),
                (status = 400, description = "`VALIDATION_ERROR`", body = platform::ErrorBody),
                (status = 404, description = "`NOT_FOUND`: something it refers to does not exist", body = platform::ErrorBody),
                (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = platform::ErrorBody),
                (status = 503, description = "`TRY_AGAIN`", body = platform::ErrorBody),
            ),
        )]
        async fn create(
            axum::extract::State(app): axum::extract::State<platform::App>,
            staff: platform::access::Staff,
            key: platform::IdempotencyKey,
            body: platform::Body<$input>,
        ) -> Result<axum::response::Response, platform::ApiError> {
            crate::write::create::<$resource>(&app, &staff, &key, body).await
        }

        #[utoipa::path(
            put,
            path = $path,
            tag = $tag,
            summary = concat!("Replace ", $one),
            description = "What the body leaves out gets its default. With `If-Match`, only the revision it names is replaced.",
            params(
                ("id" = String, Path, description = "Its id"),
                ("If-Match" = Option<String>, Header, description = "The revision to replace, as sent in `ETag`"),
            ),
            request_body = $input,
            responses(
                (status = 200, description = "The record, with its revision in `ETag`", body = $output),
                (status = 400, description = "`VALIDATION_ERROR`", body = platform::ErrorBody),
                (status = 404, description = "`NOT_FOUND`: it, or something it refers to, does not exist", body = platform::ErrorBody),
                (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = platform::ErrorBody),
                (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = platform::ErrorBody),
                (status = 503, description = "`TRY_AGAIN`", body = platform::ErrorBody),
            ),
        )]
        async fn update(
            axum::extract::State(app): axum::extract::State<platform::App>,
            staff: platform::access::Staff,
            target: platform::authored::Target,
            body: platform::Body<$input>,
        ) -> Result<axum::response::Response, platform::ApiError> {
            crate::write::update::<$resource>(&app, &staff, target, body).await
        }

        #[utoipa::path(
            delete,
            path = $path,
            tag = $tag,
            summary = concat!("Delete ", $one),
            description = "What something else refers to cannot be deleted.",
            params(
                ("id" = String, Path, description = "Its id"),
                ("If-Match" = Option<String>, Header, description = "The revision to delete, as sent in `ETag`"),
            ),
            responses(
                (status = 200, description = "The record as it was", body = $output),
                (status = 404, description = "`NOT_FOUND`", body = platform::ErrorBody),
                (status = 409, description = "`IN_USE`: `usedBy` says what refers to it; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = platform::ErrorBody),
                (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = platform::ErrorBody),
                (status = 503, description = "`TRY_AGAIN`", body = platform::ErrorBody),
            ),
        )]
        async fn delete(
            axum::extract::State(app): axum::extract::State<platform::App>,
            staff: platform::access::Staff,
            target: platform::authored::Target,
        ) -> Result<axum::response::Response, platform::ApiError> {
            crate::write::delete::<$resource>(&app, &staff, target).await
        }

        pub(crate) fn router<R: platform::routes::Routes>() -> R {
            R::new()
                .routes(platform::routes!(list, create))
                .routes(platform::routes!(read, update, delete))
        }
    };
}

pub(crate) use routes_of;
