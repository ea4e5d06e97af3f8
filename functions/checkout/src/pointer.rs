//! How faults of the cart that is paid are pointed at: by what was sent.

use domain::cart::Cart;
use platform::ApiError;

/// How the cart was sent.
pub(crate) enum SentCart {
    /// Within the request: its own pointers are right.
    Inline,
    /// By its id. Its lines and forms were sent before, so that their places say nothing; their ids do.
    Stored(KnownIds),
}

/// The ids of a stored cart's lines and forms, in their order.
pub(crate) struct KnownIds {
    lines: Vec<String>,
    forms: Vec<String>,
}

/// Under which a cart within the request is sent, and an id in its place.
const INLINE: &str = "/shoppingCart/";
const STORED: &str = "/shoppingCartId";

impl SentCart {
    /// A cart sent by its id, as it was stored and, where it could be priced, as it is sold.
    pub(crate) fn stored(before: &Cart, sold: Option<&Cart>) -> Self {
        let forms = sold.unwrap_or(before).forms.iter();
        Self::Stored(KnownIds {
            lines: before.lines.iter().map(|line| line.id().to_string()).collect(),
            forms: forms.map(|form| form.id.to_string()).collect(),
        })
    }

    /// A refusal that points at what was sent.
    pub(crate) fn pointed(&self, refusal: ApiError) -> ApiError {
        match self {
            Self::Inline => refusal,
            Self::Stored(ids) => refusal.pointing(|field| named(field, ids)),
        }
    }
}

fn named(field: &str, ids: &KnownIds) -> Option<String> {
    let mut steps: Vec<&str> = field.strip_prefix(INLINE)?.split('/').collect();
    let known: &[String] = match *steps.first()? {
        "items" | "comboItems" => &ids.lines,
        "forms" => &ids.forms,
        _ => &[],
    };
    let place = steps.get_mut(1);
    if let Some(place) = place
        && let Some(id) = place.parse::<usize>().ok().and_then(|at| known.get(at))
    {
        *place = id;
    }
    Some(format!("{STORED}/{}", steps.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_stored_cart_is_pointed_at_by_its_id() {
        let ids = KnownIds { lines: ["aa", "bb"].map(str::to_owned).into(), forms: vec!["ff".to_owned()] };
        for (field, expected) in [
            ("/shoppingCart/items/1/eventId", Some("/shoppingCartId/items/bb/eventId")),
            (
                "/shoppingCart/comboItems/0/parts/1/eventId",
                Some("/shoppingCartId/comboItems/aa/parts/1/eventId"),
            ),
            ("/shoppingCart/forms/0/fields", Some("/shoppingCartId/forms/ff/fields")),
            ("/shoppingCart/items", Some("/shoppingCartId/items")),
            ("/shoppingCart/membershipIds/0", Some("/shoppingCartId/membershipIds/0")),
            ("/shoppingCartId", None),
            ("/billingEmail", None),
        ] {
            assert_eq!(named(field, &ids).as_deref(), expected, "{field}");
        }
    }
}
