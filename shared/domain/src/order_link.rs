//! Finding an order again by a link in a mail (decision record 0155): a text that names the order, ends after a day and
//! is signed by the tenant's key, so that nothing of it has to be stored.

use crate::email::is_same_email;
use crate::order::Order;
use crate::time::plus_secs;
use crate::{OrderId, Timestamp};
use std::fmt;

/// How long a link opens its order, in seconds.
pub const ORDER_LINK_LIFE_SECS: i64 = 86_400;

/// Bytes of the signature of a link.
const SIGNATURE_BYTES: usize = 32;

/// What a link carries: which order, until when, and a signature of both.
#[derive(Clone, PartialEq, Eq)]
pub struct OrderToken {
    /// Which order.
    pub order: OrderId,
    /// The second at which the link ends, since 1970.
    pub expires_secs: i64,
    /// The signature of both.
    pub signature: [u8; SIGNATURE_BYTES],
}

impl OrderToken {
    /// Reads a token as [`OrderToken::expose`] writes it; none from any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (order, expires, signature) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let token = Self {
            order: OrderId::parse(order).ok()?,
            expires_secs: expires.parse().ok()?,
            signature: hex::decode(signature).ok()?.try_into().ok()?,
        };
        // One token has one text.
        (token.expose() == text).then_some(token)
    }

    /// The text that stands in the link: letters, digits, `-`, `_` and `.`.
    #[must_use]
    pub fn expose(&self) -> String {
        format!("{}.{}.{}", self.order, self.expires_secs, hex::encode(self.signature))
    }

    /// When the link ends.
    #[must_use]
    pub fn ends(&self) -> Timestamp {
        Timestamp::from_timestamp(self.expires_secs, 0).unwrap_or_default()
    }

    /// Whether the link still opens the order.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now.timestamp() < self.expires_secs
    }
}

impl fmt::Debug for OrderToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OrderToken(****)")
    }
}

/// The second at which a link ends that is made now.
#[must_use]
pub fn link_ends(now: Timestamp) -> i64 {
    plus_secs(now, ORDER_LINK_LIFE_SECS).timestamp()
}

/// The address of who paid an order or is its contact, as the order keeps it; none where it is not the one that was
/// typed. Where tickets were sent besides does not count: whoever got them need not see what was paid.
#[must_use]
pub fn own_address<'a>(order: &'a Order, typed: &str) -> Option<&'a str> {
    let own = [&order.billing.email, &order.contact.email].into_iter().filter_map(Option::as_deref);
    own.map(str::trim).find(|own| is_same_email(own, typed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn token(order: &str, expires_secs: i64) -> OrderToken {
        OrderToken { order: OrderId::parse(order).unwrap(), expires_secs, signature: [0xcd; 32] }
    }

    #[test]
    fn a_token_shows_nothing_when_debugging() {
        assert_eq!(format!("{:?}", token("31840526", 1)), "OrderToken(****)");
    }

    #[test]
    fn a_link_opens_its_order_for_a_day_to_the_second() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let token = token("31840526", link_ends(now));
        for (secs, live) in [(-1, true), (0, true), (86_399, true), (86_400, false), (900_000, false)] {
            assert_eq!(token.is_live(plus_secs(now, secs)), live, "{secs}");
        }
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let text = token("31840526", 1_800_000_000).expose();
        assert_eq!(&text[..20], "31840526.1800000000.");
        for wrong in [
            String::new(),
            ".".to_owned(),
            text[..19].to_owned(),
            format!("{text}."),
            format!("{text}00"),
            format!(" {text}"),
            text.to_uppercase(),
            text.replace(".18", ".+18"),
            text.replace(".18", ".018"),
            text.replace("cd", "xy"),
            text.replace("3184", "31/4"),
        ] {
            assert_eq!(OrderToken::parse(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_order_belongs_to_the_address_of_payer_and_contact_and_to_no_other() {
        let order: Order = serde_json::from_value(json!({
            "id": "1", "tenant": 204, "number": "100731946", "state": {"state": "paid", "at": 0}, "visitor": "1",
            "contact": {"email": "ada@example.test"}, "billing": {"email": "Pat@Example.test"}, "lines": [],
            "ticket_delivery_email": "gift@example.test", "total": 0, "retail_total": 0, "send_email": false,
            "created_at": 0,
        }))
        .unwrap();
        for (typed, own) in [
            ("pat@example.test", Some("Pat@Example.test")),
            ("ADA@example.test", Some("ada@example.test")),
            ("gift@example.test", None),
            ("", None),
        ] {
            assert_eq!(own_address(&order, typed), own, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn a_token_reads_back_as_it_was_written(
            order in "[A-Za-z0-9_-]{1,64}",
            expires_secs in 0_i64..i64::MAX,
            signature: [u8; 32],
        ) {
            let token = OrderToken { order: OrderId::parse(&order).unwrap(), expires_secs, signature };
            prop_assert_eq!(OrderToken::parse(&token.expose()), Some(token));
        }
    }
}
