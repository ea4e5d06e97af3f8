//! Trying again: a change that others overtook is decided again on what they left, and a call that failed in passing
//! is sent again. Everything that counts its tries counts them here.

use std::ops::ControlFlow;
use std::time::Duration;

/// Decides and writes until it is done, at most so many times. Each try is given what the one before it left,
/// the first one `begin`, and says what it came to: [`ControlFlow::Break`] with the answer, or
/// [`ControlFlow::Continue`] where somebody else was faster.
///
/// # Errors
/// That of a try, which ends it, or what `exhausted` makes of what the last one left.
pub async fn revise<S, T, E, F>(
    tries: usize,
    begin: S,
    exhausted: impl FnOnce(S) -> E,
    mut attempt: impl FnMut(S) -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<ControlFlow<T, S>, E>>,
{
    let mut left = begin;
    for _ in 0..tries {
        // In a box, so that what a try carries on its stack ends with it.
        match Box::pin(attempt(left)).await? {
            ControlFlow::Break(answer) => return Ok(answer),
            ControlFlow::Continue(next) => left = next,
        }
    }
    Err(exhausted(left))
}

/// The longest that is waited after the first try that others overtook, in milliseconds.
const FIRST_WAY_MILLIS: u64 = 60;
/// The shortest.
const SHORTEST_WAY_MILLIS: u64 = 5;

/// Waits for a moment after so many tries that others overtook, so that those who met do not meet again: at random, up
/// to 60 milliseconds longer after each.
pub async fn give_way(lost: u32, random: u64) {
    tokio::time::sleep(way(lost, random)).await;
}

fn way(lost: u32, random: u64) -> Duration {
    let longest = FIRST_WAY_MILLIS.saturating_mul(u64::from(lost.max(1)));
    let span = longest.saturating_sub(SHORTEST_WAY_MILLIS).saturating_add(1);
    Duration::from_millis(SHORTEST_WAY_MILLIS.saturating_add(random % span))
}

/// Sends something until it succeeds, at most so many times, while `may_pass` holds of its failure. It waits before
/// the second try, and twice as long before each further one.
///
/// # Errors
/// The failure of the last try.
pub async fn retry<T, E, F>(
    tries: u32,
    first_wait: Duration,
    may_pass: impl Fn(&E) -> bool,
    mut send: impl FnMut() -> F,
) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    let mut wait = first_wait;
    for _ in 1..tries {
        match Box::pin(send()).await {
            Err(fault) if may_pass(&fault) => {}
            ended => return ended,
        }
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
            wait = wait.saturating_mul(2);
        }
    }
    Box::pin(send()).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test]
    async fn a_change_is_decided_again_on_what_the_last_try_left() {
        let until = |wanted: u32, tries| {
            revise(
                tries,
                0,
                |left| left,
                move |left: u32| async move {
                    Ok(if left == wanted {
                        ControlFlow::Break("done")
                    } else {
                        ControlFlow::Continue(left + 1)
                    })
                },
            )
        };
        assert_eq!(until(2, 3).await, Ok("done"));
        assert_eq!(until(3, 3).await, Err(3));
        let ended: Result<(), _> = revise(3, (), |()| "exhausted", |()| async { Err("fault") }).await;
        assert_eq!(ended, Err("fault"));
    }

    #[test]
    fn who_was_overtaken_waits_at_random_and_longer_each_time() {
        for (lost, random, millis) in
            [(1, 0, 5), (1, 55, 60), (1, 56, 5), (2, 115, 120), (4, 235, 240), (4, u64::MAX, 68)]
        {
            assert_eq!(way(lost, random), Duration::from_millis(millis), "{lost} {random}");
        }
    }

    #[tokio::test]
    async fn a_failure_that_may_pass_is_tried_again() {
        for (failures, may_pass, sent, answer) in
            [(0, true, 1, Ok(1)), (2, true, 3, Ok(3)), (9, true, 3, Err(3)), (9, false, 1, Err(1))]
        {
            let count = Cell::new(0);
            let send = || {
                count.set(count.get() + 1);
                let at = count.get();
                async move { if at > failures { Ok(at) } else { Err(at) } }
            };
            assert_eq!(retry(3, Duration::ZERO, |_| may_pass, send).await, answer);
            assert_eq!(count.get(), sent);
        }
    }
}
