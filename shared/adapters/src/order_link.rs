//! Links to an order: made and checked with the tenant's own key, so that nothing of a link has to be stored (decision
//! record 0155).

use crate::keyed_hash::HashKey;
use domain::order_link::OrderToken;
use domain::{OrderId, Timestamp};

const SIGNATURE: &str = "order-link";

/// The token of a link to an order that ends at this second: the same however often it is made.
#[must_use]
pub fn order_token(key: &HashKey, order: &OrderId, expires_secs: i64) -> OrderToken {
    let signature = key.hash(SIGNATURE, &[order.as_str().as_bytes(), &expires_secs.to_be_bytes()]);
    OrderToken { order: order.clone(), expires_secs, signature }
}

/// The token, if it is one of this tenant's, unaltered, and its time is not over.
#[must_use]
pub fn read_order_token(key: &HashKey, text: &str, now: Timestamp) -> Option<OrderToken> {
    let token = OrderToken::parse(text)?;
    let parts: [&[u8]; 2] = [token.order.as_str().as_bytes(), &token.expires_secs.to_be_bytes()];
    let is_ours = key.is_hash(&token.signature, SIGNATURE, &parts) && token.is_live(now);
    is_ours.then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::order_link::link_ends;
    use domain::time::plus_secs;

    #[test]
    fn a_token_is_read_for_a_day_by_its_own_tenant_and_unaltered() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let order = OrderId::parse("31840526").unwrap();
        let (key, other) = (HashKey::new([1; 32]), HashKey::new([2; 32]));
        let text = order_token(&key, &order, link_ends(now)).expose();
        let read = |key, text: &str, secs| {
            read_order_token(key, text, plus_secs(now, secs)).map(|token| token.order)
        };
        assert_eq!(read(&key, &text, 0), Some(order.clone()));
        assert_eq!(read(&key, &text, 86_399), Some(order.clone()));
        assert_eq!(read(&key, &text, 86_400), None);
        assert_eq!(read(&other, &text, 0), None);
        let later = OrderToken { expires_secs: link_ends(now) + 1, ..OrderToken::parse(&text).unwrap() };
        assert_eq!(read(&key, &later.expose(), 0), None);
        for place in (0..text.len()).filter(|place| text.as_bytes()[*place] != b'.') {
            let digit = if &text[place..=place] == "1" { "2" } else { "1" };
            let altered = format!("{}{digit}{}", &text[..place], &text[place + 1..]);
            assert_eq!(read(&key, &altered, 0), None, "{place}");
        }
    }
}
