//! Transactions that were carried out under a token, so that a repetition writes nothing again.
//!
//! The engine has this as well, but looks at every token of the last ten minutes at each transaction, so it is given
//! none.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long DynamoDB knows a token.
const KEPT: Duration = Duration::from_secs(600);

/// The tokens of one engine. Its clones share them, as they share the tables.
#[derive(Debug, Default)]
pub(crate) struct RequestTokens {
    state: Mutex<State>,
    /// Rings when a transaction under a token has ended.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    known: HashMap<Arc<str>, Known>,
    /// The tokens of transactions that were carried out, oldest first.
    by_age: VecDeque<Aged>,
    /// How many wait for the end of a transaction under their token.
    waiting: usize,
}

/// What is known of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// A transaction under it is being carried out.
    UnderWay,
    /// The transaction with this fingerprint was carried out.
    Done(u64),
}

#[derive(Debug)]
struct Aged {
    since: Instant,
    token: Arc<str>,
}

/// What a token says of the transaction that comes with it.
#[derive(Debug)]
pub(crate) enum TokenClaim<'a> {
    /// It has to be carried out.
    New(TokenInUse<'a>),
    /// It was carried out already.
    Repeated,
    /// Another transaction was carried out under the token.
    OfAnother,
}

/// A token whose transaction is being carried out. Unless it is kept, nothing is known of the token afterwards.
#[derive(Debug)]
pub(crate) struct TokenInUse<'a> {
    tokens: &'a RequestTokens,
    token: Option<Arc<str>>,
    fingerprint: u64,
}

impl RequestTokens {
    /// Asks for a token on behalf of the transaction with this fingerprint. Waits while one is under way, since it may
    /// be this one and may fail.
    pub(crate) fn claim(&self, token: &str, fingerprint: u64) -> TokenClaim<'_> {
        let mut state = self.state();
        loop {
            state.expire(Instant::now());
            match state.known.get(token).copied() {
                None => {
                    let token: Arc<str> = token.into();
                    state.known.insert(Arc::clone(&token), Known::UnderWay);
                    return TokenClaim::New(TokenInUse { tokens: self, token: Some(token), fingerprint });
                }
                Some(Known::Done(before)) if before == fingerprint => return TokenClaim::Repeated,
                Some(Known::Done(_)) => return TokenClaim::OfAnother,
                Some(Known::UnderWay) => {
                    state.waiting = state.waiting.saturating_add(1);
                    state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.waiting = state.waiting.saturating_sub(1);
                }
            }
        }
    }

    /// Notes the end of a transaction: its fingerprint, or none where it was not carried out.
    fn end(&self, token: Arc<str>, done: Option<u64>) {
        let mut state = self.state();
        match done {
            Some(fingerprint) => state.keep(token, fingerprint, Instant::now()),
            None => {
                state.known.remove(&token);
            }
        }
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.ended.notify_all();
        }
    }

    /// No code that holds the lock can panic half way, so a poisoned lock still guards a whole state.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets the tokens that are old, and looks at one that is not.
    fn expire(&mut self, now: Instant) {
        while let Some(oldest) = self.by_age.front()
            && now.saturating_duration_since(oldest.since) >= KEPT
            && let Some(oldest) = self.by_age.pop_front()
        {
            self.known.remove(&oldest.token);
        }
    }

    fn keep(&mut self, token: Arc<str>, fingerprint: u64, now: Instant) {
        self.known.insert(Arc::clone(&token), Known::Done(fingerprint));
        self.by_age.push_back(Aged { since: now, token });
    }
}

impl TokenInUse<'_> {
    /// The transaction was carried out.
    pub(crate) fn keep(mut self) {
        if let Some(token) = self.token.take() {
            self.tokens.end(token, Some(self.fingerprint));
        }
    }
}

impl Drop for TokenInUse<'_> {
    fn drop(&mut self) {
        if let Some(token) = self.token.take() {
            self.tokens.end(token, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_new(claim: &TokenClaim<'_>) -> bool {
        matches!(claim, TokenClaim::New(_))
    }

    fn carry_out(tokens: &RequestTokens, token: &str, fingerprint: u64) {
        let TokenClaim::New(in_use) = tokens.claim(token, fingerprint) else { panic!("known already") };
        in_use.keep();
    }

    /// Unwinds like a panic and prints nothing.
    fn fail_under(tokens: &RequestTokens, token: &str) {
        let _claim = tokens.claim(token, 7);
        std::panic::resume_unwind(Box::new(()));
    }

    /// Returns when somebody waits for a transaction to end.
    fn until_one_waits(tokens: &RequestTokens) {
        while tokens.state().waiting == 0 {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_token_stands_for_one_transaction() {
        let tokens = RequestTokens::default();
        carry_out(&tokens, "sale-1", 7);
        assert!(matches!(tokens.claim("sale-1", 7), TokenClaim::Repeated));
        assert!(matches!(tokens.claim("sale-1", 8), TokenClaim::OfAnother));
        assert!(is_new(&tokens.claim("sale-2", 7)));
    }

    #[test]
    fn a_transaction_that_failed_leaves_its_token_to_any_other() {
        let tokens = RequestTokens::default();
        for fingerprint in [7, 7, 8] {
            assert!(is_new(&tokens.claim("sale-1", fingerprint)));
            assert_eq!(tokens.state().known.len(), 0);
        }
    }

    #[test]
    fn a_second_call_under_a_token_waits_for_the_first_and_is_told_what_became_of_it() {
        for done in [true, false] {
            let tokens = RequestTokens::default();
            let TokenClaim::New(first) = tokens.claim("sale-1", 7) else { panic!("known already") };
            std::thread::scope(|scope| {
                let second = scope.spawn(|| is_new(&tokens.claim("sale-1", 7)));
                until_one_waits(&tokens);
                if done {
                    first.keep();
                } else {
                    drop(first);
                }
                assert_eq!(second.join().unwrap(), !done);
            });
        }
    }

    #[test]
    fn a_panic_while_a_transaction_is_under_way_frees_its_token() {
        let tokens = RequestTokens::default();
        std::thread::scope(|scope| {
            scope.spawn(|| fail_under(&tokens, "sale-1")).join().unwrap_err();
        });
        assert!(is_new(&tokens.claim("sale-1", 7)));
    }

    #[test]
    fn tokens_are_known_for_ten_minutes_and_leave_no_trace() {
        let (mut state, start) = (State::default(), Instant::now());
        let since = |number: u64| start + Duration::from_millis(number);
        for number in 0..1_000 {
            state.keep(number.to_string().into(), number, since(number));
        }
        state.expire(start + KEPT - Duration::from_millis(1));
        assert_eq!((state.known.len(), state.by_age.len()), (1_000, 1_000));
        state.expire(since(499) + KEPT);
        assert_eq!((state.known.len(), state.by_age.len()), (500, 500));
        assert_eq!((state.known.get("499"), state.known.get("500")), (None, Some(&Known::Done(500))));
        state.expire(since(999) + KEPT);
        assert!(state.known.is_empty() && state.by_age.is_empty());
    }
}
