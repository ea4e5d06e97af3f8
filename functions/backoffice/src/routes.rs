//! The routes that each resource has.

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
            params(web::paging::PageQuery),
            responses(
                (status = 200, description = "A page of them", body = wire::page::Page<$output>),
                (status = 400, description = "`VALIDATION_ERROR`: a page or order that does not exist", body = web::ErrorBody),
            ),
        )]
        async fn list(
            axum::extract::State(app): axum::extract::State<adapters::App>,
            staff: web::access::Staff,
            axum::extract::Query(page): axum::extract::Query<web::paging::PageQuery>,
        ) -> Result<axum::Json<wire::page::Page<$output>>, web::ApiError> {
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
                (status = 404, description = "`NOT_FOUND`", body = web::ErrorBody),
            ),
        )]
        async fn read(
            axum::extract::State(app): axum::extract::State<adapters::App>,
            staff: web::access::Staff,
            axum::extract::Path(id): axum::extract::Path<String>,
        ) -> Result<axum::response::Response, web::ApiError> {
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
                (status = 400, description = "`VALIDATION_ERROR`", body = web::ErrorBody),
                (status = 404, description = "`NOT_FOUND`: something it refers to does not exist", body = web::ErrorBody),
                (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = web::ErrorBody),
                (status = 503, description = "`TRY_AGAIN`", body = web::ErrorBody),
            ),
        )]
        async fn create(
            axum::extract::State(app): axum::extract::State<adapters::App>,
            staff: web::access::Staff,
            key: web::IdempotencyKey,
            body: web::Body<$input>,
        ) -> Result<axum::response::Response, web::ApiError> {
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
                (status = 400, description = "`VALIDATION_ERROR`", body = web::ErrorBody),
                (status = 404, description = "`NOT_FOUND`: it, or something it refers to, does not exist", body = web::ErrorBody),
                (status = 409, description = "`IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = web::ErrorBody),
                (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = web::ErrorBody),
                (status = 503, description = "`TRY_AGAIN`", body = web::ErrorBody),
            ),
        )]
        async fn update(
            axum::extract::State(app): axum::extract::State<adapters::App>,
            staff: web::access::Staff,
            target: web::authored::Target,
            body: web::Body<$input>,
        ) -> Result<axum::response::Response, web::ApiError> {
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
                (status = 404, description = "`NOT_FOUND`", body = web::ErrorBody),
                (status = 409, description = "`IN_USE`: `usedBy` says what refers to it; `IDEMPOTENCY_KEY_REUSED`, `REQUEST_IN_PROGRESS`", body = web::ErrorBody),
                (status = 412, description = "`PRECONDITION_FAILED`: it has changed since then; nothing was done", body = web::ErrorBody),
                (status = 503, description = "`TRY_AGAIN`", body = web::ErrorBody),
            ),
        )]
        async fn delete(
            axum::extract::State(app): axum::extract::State<adapters::App>,
            staff: web::access::Staff,
            target: web::authored::Target,
        ) -> Result<axum::response::Response, web::ApiError> {
            crate::write::delete::<$resource>(&app, &staff, target).await
        }

        pub(crate) fn router<R: web::routes::Routes>() -> R {
            R::new()
                .routes(web::routes!(list, create))
                .routes(web::routes!(read, update, delete))
        }
    };
}

pub(crate) use routes_of;
