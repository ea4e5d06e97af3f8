//! How faults of a cart are pointed at: by what was sent (decision record 0120).

use crate::ApiError;
use domain::cart::{Cart, CartLine};
use domain::cart_request::MovedField;

/// How a cart was sent.
#[derive(Debug)]
pub struct SentCart(Sent);

#[derive(Debug)]
enum Sent {
    Inline(InlineCart),
    Stored(StoredCart),
}

/// A cart within the request. Its own pointers are right, but for fields that were sent elsewhere than where they
/// belong.
#[derive(Debug)]
struct InlineCart {
    /// Its pointer.
    pointer: &'static str,
    moved: Vec<MovedField>,
}

/// A cart that was sent by its id. Its lines were sent before, so that their places say nothing; their ids do.
#[derive(Debug)]
struct StoredCart {
    /// Under which a cart within the request stands.
    inline: &'static str,
    /// Under which the id stands.
    sent: &'static str,
    /// The ids of its lines, in their order.
    lines: Vec<String>,
    /// The ids of its combos, which have places of their own.
    combos: Vec<String>,
}

impl SentCart {
    /// A cart within the request, at this pointer.
    #[must_use]
    pub const fn inline(pointer: &'static str, moved: Vec<MovedField>) -> Self {
        Self(Sent::Inline(InlineCart { pointer, moved }))
    }

    /// A cart sent by its id, as it was stored. `inline` is the pointer of a cart within such a request, and `sent`
    /// that of the id.
    #[must_use]
    pub fn stored(before: &Cart, inline: &'static str, sent: &'static str) -> Self {
        let is_combo = |line: &&CartLine| matches!(line, CartLine::Combo(_));
        let (combos, lines): (Vec<&CartLine>, Vec<&CartLine>) = before.lines.iter().partition(is_combo);
        let ids = |lines: Vec<&CartLine>| lines.into_iter().map(|line| line.id().to_string()).collect();
        Self(Sent::Stored(StoredCart { inline, sent, lines: ids(lines), combos: ids(combos) }))
    }

    /// A refusal that points at what was sent.
    #[must_use]
    pub fn pointed(&self, refusal: ApiError) -> ApiError {
        match &self.0 {
            Sent::Inline(cart) => refusal.pointing(|field| cart.named(field)),
            Sent::Stored(cart) => refusal.pointing(|field| cart.named(field)),
        }
    }
}

impl InlineCart {
    fn named(&self, field: &str) -> Option<String> {
        let Self { pointer, moved } = self;
        let within = field.strip_prefix(pointer)?.strip_prefix('/')?;
        moved.iter().find_map(|MovedField { from, to }| {
            let rest = within.strip_prefix(from.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{pointer}/{to}{rest}"))
        })
    }
}

impl StoredCart {
    fn named(&self, field: &str) -> Option<String> {
        let Self { inline, sent, lines, combos } = self;
        let within = field.strip_prefix(inline)?;
        if within.is_empty() {
            return Some((*sent).to_owned());
        }
        let mut steps: Vec<&str> = within.strip_prefix('/')?.split('/').collect();
        let known: &[String] = match *steps.first()? {
            "items" => lines,
            "comboItems" => combos,
            _ => &[],
        };
        let place = steps.get_mut(1);
        if let Some(place) = place
            && let Some(id) = place.parse::<usize>().ok().and_then(|at| known.get(at))
        {
            *place = id;
        }
        Some(format!("{sent}/{}", steps.join("/")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_was_sent_elsewhere_is_pointed_at_there() {
        let moved = |pointer| {
            let fields = [
                ("items/1/membershipInfo/membershipId", "items/1/membershipId"),
                ("items/1/membershipInfo/membershipCards", "items/1/cards"),
            ];
            let moved = fields.map(|(from, to)| MovedField { from: from.to_owned(), to: to.to_owned() });
            InlineCart { pointer, moved: moved.into() }
        };
        for (field, expected) in [
            ("/items/1/membershipInfo/membershipId", Some("/items/1/membershipId")),
            ("/items/1/membershipInfo/membershipCards/0/firstName", Some("/items/1/cards/0/firstName")),
            ("/items/1/membershipInfo/membershipCardsToo", None),
            ("/items/0/membershipInfo/membershipId", None),
            ("/items/11/membershipInfo/membershipId", None),
            ("/shoppingCart/items/1/membershipInfo/membershipId", None),
            ("items/1/membershipInfo/membershipId", None),
        ] {
            assert_eq!(moved("").named(field).as_deref(), expected, "{field}");
        }
        let field = "/shoppingCart/items/1/membershipInfo/membershipId";
        let named = moved("/shoppingCart").named(field);
        assert_eq!(named.as_deref(), Some("/shoppingCart/items/1/membershipId"));
    }

    #[test]
    fn a_line_of_a_stored_cart_is_pointed_at_by_its_id() {
        let lines: Vec<String> = ["aa", "bb"].map(str::to_owned).into();
        let combos = vec!["cc".to_owned()];
        let checkout = StoredCart {
            inline: "/shoppingCart",
            sent: "/shoppingCartId",
            lines: lines.clone(),
            combos: combos.clone(),
        };
        for (field, expected) in [
            ("/shoppingCart/items/1/eventId", Some("/shoppingCartId/items/bb/eventId")),
            (
                "/shoppingCart/comboItems/0/parts/1/eventId",
                Some("/shoppingCartId/comboItems/cc/parts/1/eventId"),
            ),
            ("/shoppingCart", Some("/shoppingCartId")),
            ("/shoppingCart/items", Some("/shoppingCartId/items")),
            ("/shoppingCart/couponCodes/0", Some("/shoppingCartId/couponCodes/0")),
            ("/shoppingCart/membershipIds/0", Some("/shoppingCartId/membershipIds/0")),
            ("/shoppingCartId", None),
            ("/billingEmail", None),
        ] {
            assert_eq!(checkout.named(field).as_deref(), expected, "{field}");
        }
        let whole = StoredCart { inline: "", sent: "/id", lines, combos };
        for (field, expected) in [
            ("/items/1/eventId", Some("/id/items/bb/eventId")),
            ("/comboItems/0/parts/1/eventId", Some("/id/comboItems/cc/parts/1/eventId")),
            ("/membershipIds/0", Some("/id/membershipIds/0")),
            ("x-service-member-proof", None),
        ] {
            assert_eq!(whole.named(field).as_deref(), expected, "{field}");
        }
    }
}
