//! Which revision of a record a request means: `ETag` and `If-Match` (RFC 9110 §8.8.3, §13.1.1).

use crate::{ApiError, ErrorType};
use axum::extract::FromRequestParts;
use http::header::IF_MATCH;
use http::request::Parts;

/// The revisions a write is meant for, if its caller named any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfMatch(Option<Wanted>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    Any,
    OneOf(Vec<String>),
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut tags = Vec::new();
        for value in parts.headers.get_all(IF_MATCH) {
            let text = value.to_str().map_err(|_| unreadable())?;
            tags.extend(text.split(',').map(str::trim).filter(|tag| !tag.is_empty()));
        }
        Ok(Self(match tags.as_slice() {
            // Sent empty, it was meant to name something.
            [] if parts.headers.contains_key(IF_MATCH) => return Err(unreadable()),
            [] => None,
            ["*"] => Some(Wanted::Any),
            // Sent several times, the header is one list, in which `*` is no tag: it stands alone or says nothing.
            tags => Some(Wanted::OneOf(tags.iter().map(|tag| entity_tag(tag)).collect::<Result<_, _>>()?)),
        }))
    }
}

/// The revision an entity tag names. A weak one is no revision of ours, so that it matches none.
fn entity_tag(tag: &str) -> Result<String, ApiError> {
    let strong = tag.strip_prefix("W/").unwrap_or(tag);
    let quoted = strong.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let revision = quoted.filter(|revision| !revision.contains('"')).ok_or_else(unreadable)?;
    Ok(if strong.len() == tag.len() { revision.to_owned() } else { format!("W/{revision}") })
}

fn unreadable() -> ApiError {
    let message = "must be * or quoted entity tags, as sent in the ETag header";
    ApiError::new(ErrorType::ValidationError).detail(IF_MATCH.as_str(), message)
}

impl IfMatch {
    /// Checks the current revision against those that were named.
    ///
    /// # Errors
    /// `PRECONDITION_FAILED` when it is none of them.
    pub fn check(&self, current: &str) -> Result<(), ApiError> {
        match &self.0 {
            None | Some(Wanted::Any) => Ok(()),
            Some(Wanted::OneOf(wanted)) if wanted.iter().any(|revision| revision == current) => Ok(()),
            Some(Wanted::OneOf(_)) => Err(ApiError::new(ErrorType::PreconditionFailed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(values: &[&str]) -> Result<IfMatch, ApiError> {
        let request =
            values.iter().fold(http::Request::builder(), |request, value| request.header(IF_MATCH, *value));
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        IfMatch::from_request_parts(&mut parts, &()).await
    }

    #[tokio::test]
    async fn a_revision_matches_itself_and_nothing_weaker() {
        for (values, matches) in [
            (&[][..], true),
            (&["*"], true),
            (&["\"a1\""], true),
            (&["\"b2\", \"a1\""], true),
            (&["\"b2\"", "\"a1\""], true),
            (&["\"b2\""], false),
            (&["W/\"a1\""], false),
            (&["\"\""], false),
        ] {
            assert_eq!(read(values).await.unwrap().check("a1").is_ok(), matches, "{values:?}");
        }
        for values in [
            &["a1"][..],
            &[""],
            &[" "],
            &[","],
            &["\"a1"],
            &["\"a\"1\""],
            &["\u{e9}"],
            &["\"b2\"", "*"],
            &["*", "\"a1\""],
            &["*, \"a1\""],
            &["*", "*"],
        ] {
            assert_eq!(read(values).await.unwrap_err().kind(), ErrorType::ValidationError, "{values:?}");
        }
    }
}
