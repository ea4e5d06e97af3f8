//! Logging in by a link in a mail (spec §4.7; decision records 0052 and 0053).

use crate::email::is_same_email;
use crate::membership::{MemberCard, Membership};
use crate::order_link::ORDER_LINK_LIFE_SECS;
use crate::outbox::MailState;
use crate::staff::StaffMark;
use crate::time::plus_secs;
use crate::verification::VerifiedCard;
use crate::{LoginRequestId, OrderNumber, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How long a link can be used, in seconds.
pub const LINK_LIFE_SECS: i64 = 1_800;

/// How long a link to sign in by as staff can be used, in seconds.
pub const STAFF_LINK_LIFE_SECS: i64 = 900;

/// Bytes of the part of a link that names its request.
const SECRET_BYTES: usize = 16;
/// Bytes of the signature of a link.
const SIGNATURE_BYTES: usize = 32;

/// As whom someone wants to be let in. A link lets nobody in as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LoginParty {
    /// As a member, who is shown cards.
    #[default]
    Member,
    /// As a person of the staff, who gets a session.
    Staff,
    /// As whoever paid an order, who is shown that order. Its link says nothing of the request (decision record 0155).
    Payer,
}

impl LoginParty {
    /// How long its links can be used, in seconds.
    #[must_use]
    pub const fn link_life_secs(self) -> i64 {
        match self {
            Self::Member => LINK_LIFE_SECS,
            Self::Staff => STAFF_LINK_LIFE_SECS,
            Self::Payer => ORDER_LINK_LIFE_SECS,
        }
    }

    /// What requests were for before there was a choice.
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Someone with an e-mail address wants to log in, whether the address is known or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoginRequest {
    /// Identity. The link is made from it, and does not show it.
    pub id: LoginRequestId,
    /// As whom.
    #[serde(default, skip_serializing_if = "LoginParty::is_default")]
    pub party: LoginParty,
    /// Where the link goes, if a member or a person of the staff has this address.
    pub email: String,
    /// The order that is asked for, by its number, whether there is one or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_number: Option<OrderNumber>,
    /// When it was made.
    pub requested_at: Timestamp,
    /// When its link ends.
    pub expires_at: Timestamp,
    /// Where its mail stands.
    pub state: MailState,
    /// To whom of the staff its link was mailed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mailed_to: Option<StaffMark>,
    /// The call that used the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redeemed_by: Option<String>,
}

impl LoginRequest {
    /// A request that was just made.
    #[must_use]
    pub fn of(party: LoginParty, id: LoginRequestId, email: String, now: Timestamp) -> Self {
        let expires_at = plus_secs(now, party.link_life_secs());
        let state = MailState::Queued;
        let (order_number, mailed_to, redeemed_by) = (None, None, None);
        Self { id, party, email, order_number, requested_at: now, expires_at, state, mailed_to, redeemed_by }
    }

    /// A request for the link to an order.
    #[must_use]
    pub fn for_order(id: LoginRequestId, number: OrderNumber, email: String, now: Timestamp) -> Self {
        Self { order_number: Some(number), ..Self::of(LoginParty::Payer, id, email, now) }
    }
}

/// What names a request within its link. Nobody can make it up, and it is stored as its hash only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LoginSecret([u8; SECRET_BYTES]);

impl LoginSecret {
    /// The secret of these bytes.
    #[must_use]
    pub const fn new(bytes: [u8; SECRET_BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn expose(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }
}

impl fmt::Debug for LoginSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LoginSecret(****)")
    }
}

/// What a link carries: which request, until when, and a signature of both.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginToken {
    /// Which request.
    pub secret: LoginSecret,
    /// The second at which the link ends, since 1970.
    pub expires_secs: i64,
    /// The signature of both.
    pub signature: [u8; SIGNATURE_BYTES],
}

impl LoginToken {
    /// Reads a token as [`LoginToken::expose`] writes it; none from any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (secret, expires, signature) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let token = Self {
            secret: LoginSecret(hex::decode(secret).ok()?.try_into().ok()?),
            expires_secs: expires.parse().ok()?,
            signature: hex::decode(signature).ok()?.try_into().ok()?,
        };
        // One token has one text.
        (token.expose() == text).then_some(token)
    }

    /// The text that stands in the link: letters, digits and `-`.
    #[must_use]
    pub fn expose(&self) -> String {
        let (secret, signature) = (hex::encode(self.secret.expose()), hex::encode(self.signature));
        format!("{secret}-{}-{signature}", self.expires_secs)
    }

    /// Whether the link can still be used.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now.timestamp() < self.expires_secs
    }
}

impl fmt::Debug for LoginToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("LoginToken(****)")
    }
}

/// The address by which whoever has an e-mail address is known, as it is kept with a card that is held; none where
/// nobody with it holds one.
#[must_use]
pub fn stored_address<'a>(found: &'a [Membership], email: &str) -> Option<&'a str> {
    let held = found.iter().flat_map(|membership| &membership.cards).filter(|card| card.is_held());
    held.filter_map(|card| card.person.email.as_deref()).find(|own| is_same_email(own, email))
}

/// The cards that whoever has an e-mail address holds, among these memberships: they may see all of them.
#[must_use]
pub fn cards_of<'a>(memberships: &'a [Membership], email: &str, now: Timestamp) -> Vec<VerifiedCard<'a>> {
    let own = |card: &&MemberCard| {
        card.is_held() && card.person.email.as_deref().is_some_and(|own| is_same_email(own, email))
    };
    let cards =
        memberships.iter().flat_map(|membership| membership.cards.iter().map(move |card| (membership, card)));
    cards
        .filter(|(_, card)| own(card))
        .map(|(membership, card)| VerifiedCard::known(membership, card, now))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn token(secret: [u8; 16], expires_secs: i64, signature: [u8; 32]) -> LoginToken {
        LoginToken { secret: LoginSecret::new(secret), expires_secs, signature }
    }

    #[test]
    fn a_token_shows_nothing_when_debugging() {
        assert_eq!(format!("{:?}", token([7; 16], 1, [9; 32])), "LoginToken(****)");
        assert_eq!(format!("{:?}", LoginSecret::new([7; 16])), "LoginSecret(****)");
    }

    #[test]
    fn a_link_ends_after_half_an_hour() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let id = LoginRequestId::from_bytes([1; 12]);
        let request = LoginRequest::of(LoginParty::Member, id, "ada@example.test".to_owned(), now);
        let token = token([7; 16], request.expires_at.timestamp(), [9; 32]);
        for (secs, live) in [(0, true), (1_799, true), (1_800, false), (90_000, false)] {
            assert_eq!(token.is_live(plus_secs(now, secs)), live, "{secs}");
        }
    }

    #[test]
    fn a_link_of_staff_ends_after_a_quarter_of_an_hour_and_says_for_whom_it_is() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let id = LoginRequestId::from_bytes([1; 12]);
        let request = LoginRequest::of(LoginParty::Staff, id.clone(), "desk@example.test".to_owned(), now);
        assert_eq!(request.expires_at, plus_secs(now, 900));
        let stored = serde_json::to_value(&request).unwrap();
        assert_eq!(stored["party"], "staff");
        assert_eq!(stored.get("mailed_to"), None, "nobody knows yet whose address it is");
        assert_eq!(serde_json::from_value::<LoginRequest>(stored).unwrap(), request);
        let of_member = LoginRequest::of(LoginParty::Member, id, "ada@example.test".to_owned(), now);
        let of_member = serde_json::to_value(of_member).unwrap();
        assert_eq!(of_member.get("party"), None, "earlier releases know of no other");
        assert_eq!(of_member.get("order_number"), None);
        assert_eq!(serde_json::from_value::<LoginRequest>(of_member).unwrap().party, LoginParty::Member);
    }

    #[test]
    fn a_link_to_an_order_ends_after_a_day_and_says_for_which_it_is() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let (id, number) = (LoginRequestId::from_bytes([1; 12]), OrderNumber::parse("100731946").unwrap());
        let request = LoginRequest::for_order(id, number, "ada@example.test".to_owned(), now);
        assert_eq!((request.party, request.expires_at), (LoginParty::Payer, plus_secs(now, 86_400)));
        let stored = serde_json::to_value(&request).unwrap();
        assert_eq!(stored["party"], "payer");
        assert_eq!(stored["order_number"], "100731946");
        assert_eq!(serde_json::from_value::<LoginRequest>(stored).unwrap(), request);
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let text = token([0xab; 16], 1_800_000_000, [0xcd; 32]).expose();
        let (secret, rest) = text.split_once('-').unwrap();
        for wrong in [
            String::new(),
            "-".to_owned(),
            secret.to_owned(),
            format!("{text}-"),
            format!("{text}-00"),
            format!(" {text}"),
            text.to_uppercase(),
            format!("{secret}00-{rest}"),
            format!("{secret}-+{rest}"),
            format!("{secret}-0{rest}"),
            text.replace("ab", "xy"),
        ] {
            assert_eq!(LoginToken::parse(&wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_token_reads_back_as_it_was_written(secret: [u8; 16], expires_secs: i64, signature: [u8; 32]) {
            let token = token(secret, expires_secs.saturating_abs(), signature);
            prop_assert_eq!(LoginToken::parse(&token.expose()), Some(token));
        }
    }
}
