//! What one visitor does. It follows from the seed and the visitor's number, and from nothing else but the answers.

mod buyer;
mod guest;

use super::client::{Answer, Client, Request};
use super::tally::Tally;
use super::venue::SoldEvent;
use crate::failure::Failure;
use fastrand::Rng;
use serde_json::Value;
use std::time::{Duration, Instant};

/// The longest pause after an answer, in milliseconds: a few of them at once keep a small machine busy, and leave it
/// time for mails and scheduled work.
const LONGEST_PAUSE_MS: u64 = 15;

/// How long somebody who is put off asks again, and the pause between. An order that was put off is finished or given
/// up within two minutes.
const PERSISTENCE: Duration = Duration::from_secs(180);
const PAUSE_WHEN_PUT_OFF: Duration = Duration::from_secs(2);

/// What all visits share.
#[derive(Debug)]
pub(super) struct VisitContext {
    client: Client,
    event: SoldEvent,
    seed: u64,
    pub(super) tally: Tally,
}

impl VisitContext {
    pub(super) fn new(client: Client, event: SoldEvent, seed: u64) -> Self {
        Self { client, event, seed, tally: Tally::default() }
    }
}

/// Why a visit ends early.
#[derive(Debug)]
enum Cut {
    /// Something was not as it should be, which the tally has.
    Unexpected,
    /// There was no answer.
    Lost(Failure),
}

/// One visitor.
pub(super) struct Visit<'a> {
    context: &'a VisitContext,
    number: u64,
    random: Rng,
    address: String,
}

impl<'a> Visit<'a> {
    pub(super) fn new(context: &'a VisitContext, number: u64) -> Self {
        // The numbers are in the low bits, and the seeds in the high ones.
        let random = Rng::with_seed(context.seed.rotate_left(32) ^ number);
        let [.., high, middle, low] = number.to_be_bytes();
        Self { context, number, random, address: format!("10.{high}.{middle}.{low}") }
    }

    /// The whole visit. It ends early where something is not as it should be.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) async fn play(mut self) -> Result<(), Failure> {
        let ended = match self.random.u8(0..100) {
            0..20 => self.look(3).await,
            20..75 => self.buy().await,
            75..82 => self.hold_and_release().await,
            82..91 => self.be_a_member().await,
            _ => self.work_at_the_desk().await,
        };
        match ended {
            Ok(()) | Err(Cut::Unexpected) => Ok(()),
            Err(Cut::Lost(failure)) => Err(failure),
        }
    }

    /// Sends a request, again while it is put off, and waits a moment, as people do. An answer that should be another
    /// one ends the visit.
    async fn ask(&mut self, request: &Request) -> Result<Answer, Cut> {
        let VisitContext { client, tally, .. } = self.context;
        let begun = Instant::now();
        let mut answer = client.send(request, &self.address).await.map_err(Cut::Lost)?;
        let mut is_put_off = answer.is_put_off();
        while is_put_off && begun.elapsed() < PERSISTENCE {
            tally.note_put_off(request, &answer);
            tokio::time::sleep(PAUSE_WHEN_PUT_OFF).await;
            answer = client.send(request, &self.address).await.map_err(Cut::Lost)?;
            is_put_off = answer.is_put_off() || answer.is_still_open();
        }
        let is_right = tally.note(request, &answer);
        tokio::time::sleep(Duration::from_millis(self.random.u64(0..=LONGEST_PAUSE_MS))).await;
        if is_right { Ok(answer) } else { Err(Cut::Unexpected) }
    }

    /// A text that an answer must have.
    fn text_in(&self, answer: &Value, field: &str) -> Result<String, Cut> {
        answer[field]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.wrong(format!("an answer has no {field}")))
    }

    /// Notes what should not be.
    fn wrong(&self, what: String) -> Cut {
        self.context.tally.note_unexpected(what);
        Cut::Unexpected
    }

    /// True in so many cases of a hundred.
    fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(0..100) < percent
    }

    /// A time of the event that is sold.
    fn any_slot(&mut self) -> String {
        let event = &self.context.event;
        self.random.choice(&event.slots).cloned().unwrap_or_default()
    }
}
