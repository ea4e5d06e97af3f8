//! Links to log in by: made and checked with the tenant's own key, so that nothing of a link has to be stored
//! (decision record 0052).

use crate::keyed_hash::HashKey;
use domain::login::{LoginRequest, LoginSecret, LoginToken};
use domain::{LoginRequestId, Timestamp};

const SECRET: &str = "login-secret";
const SIGNATURE: &str = "login-signature";

/// What names a request within its link.
#[must_use]
pub fn secret_of(key: &HashKey, request: &LoginRequestId) -> LoginSecret {
    let hash = key.hash(SECRET, &[request.as_str().as_bytes()]);
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
    LoginSecret::new(bytes)
}

/// The token of a request's link: the same however often it is made.
#[must_use]
pub fn token_of(key: &HashKey, request: &LoginRequest) -> LoginToken {
    let secret = secret_of(key, &request.id);
    let expires_secs = request.expires_at.timestamp();
    let signature = key.hash(SIGNATURE, &[secret.expose(), &expires_secs.to_be_bytes()]);
    LoginToken { secret, expires_secs, signature }
}

/// What a token names, if it is one of this tenant's, unaltered, and its time is not over.
#[must_use]
pub fn read_token(key: &HashKey, text: &str, now: Timestamp) -> Option<LoginSecret> {
    let token = LoginToken::parse(text)?;
    let parts: [&[u8]; 2] = [token.secret.expose(), &token.expires_secs.to_be_bytes()];
    (key.is_hash(&token.signature, SIGNATURE, &parts) && token.is_live(now)).then_some(token.secret)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::login::LoginParty;
    use domain::time::plus_secs;

    #[test]
    fn a_token_is_read_until_its_time_is_over_by_its_own_tenant_and_unaltered() {
        let now: Timestamp = "2027-05-01T14:00:00Z".parse().unwrap();
        let id = LoginRequestId::from_bytes([1; 12]);
        let request = LoginRequest::of(LoginParty::Member, id.clone(), "ada@example.test".to_owned(), now);
        let (key, other) = (HashKey::new([1; 32]), HashKey::new([2; 32]));
        let token = token_of(&key, &request);
        let text = token.expose();
        assert_eq!(token_of(&key, &request).expose(), text);
        assert!(!text.contains(id.as_str()));
        assert_eq!(read_token(&key, &text, plus_secs(now, 1_799)), Some(secret_of(&key, &id)));
        assert_eq!(read_token(&key, &text, plus_secs(now, 1_800)), None);
        assert_eq!(read_token(&other, &text, now), None);
        let later = LoginToken { expires_secs: token.expires_secs + 1, ..token.clone() };
        assert_eq!(read_token(&key, &later.expose(), now), None);
        for place in (0..text.len()).filter(|place| text.as_bytes()[*place] != b'-') {
            let digit = if &text[place..=place] == "0" { "1" } else { "0" };
            let altered = format!("{}{digit}{}", &text[..place], &text[place + 1..]);
            assert_eq!(read_token(&key, &altered, now), None, "{place}");
        }
    }

    #[test]
    fn no_two_requests_have_one_secret() {
        let key = HashKey::new([1; 32]);
        let secret = |byte| *secret_of(&key, &LoginRequestId::from_bytes([byte; 12])).expose();
        assert_ne!(secret(1), secret(2));
        assert_ne!(secret(1), [0; 16]);
    }
}
