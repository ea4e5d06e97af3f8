//! Visitors at once, for as long as was asked for.

use super::service::Service;
use super::tally::TallyTotal;
use super::usage::Usage;
use super::visit::{Visit, VisitContext};
use super::window::{Span, Window};
use crate::commands::print;
use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::{JoinError, JoinSet};

/// Windows whose figures are shown and compared.
const WINDOWS: u32 = 20;

/// Windows before them, in which caches fill.
const WARM_UP: u32 = 1;

/// How long visitors come, and how many at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) duration: Duration,
    pub(super) visitors: usize,
}

/// What came of the load.
#[derive(Debug)]
pub(super) struct LoadOutcome {
    pub(super) windows: Vec<Window>,
    pub(super) total: TallyTotal,
}

/// Lets visitors come and go, and prints a line for each window.
pub(super) async fn run(
    context: VisitContext,
    pace: Pace,
    service: &Service,
) -> Result<LoadOutcome, Failure> {
    let begun = Instant::now();
    let mut crowd = Crowd { context: Arc::new(context), visitors: JoinSet::new() };
    crowd.enter(pace, begun + pace.duration);
    let length = pace.duration / (WARM_UP + WINDOWS);
    crowd.wait_for(begun + length * WARM_UP).await?;
    crowd.context.tally.take_window();
    let mut before = Reading { at: Instant::now(), usage: service.usage()? };
    let mut windows = Vec::new();
    for number in 1..=WINDOWS {
        crowd.wait_for(begun + length * (WARM_UP + number)).await?;
        let (counts, after) = (crowd.context.tally.take_window(), service.usage()?);
        let span = Span { elapsed: before.at.elapsed(), before: before.usage, after };
        let window = Window::of(number, counts, span);
        print(&window.line().to_string())?;
        windows.push(window);
        before = Reading { at: Instant::now(), usage: after };
    }
    crowd.leave().await?;
    Ok(LoadOutcome { windows, total: crowd.context.tally.take_total() })
}

/// What the service had taken by an instant.
struct Reading {
    at: Instant,
    usage: Usage,
}

/// Those who visit at once.
struct Crowd {
    context: Arc<VisitContext>,
    visitors: JoinSet<Result<(), Failure>>,
}

impl Crowd {
    fn enter(&mut self, pace: Pace, until: Instant) {
        let numbers = Arc::new(AtomicU64::new(0));
        for _ in 0..pace.visitors {
            let (context, numbers) = (Arc::clone(&self.context), Arc::clone(&numbers));
            self.visitors.spawn(async move {
                while Instant::now() < until {
                    Visit::new(&context, numbers.fetch_add(1, Ordering::Relaxed)).play().await?;
                }
                Ok::<_, Failure>(())
            });
        }
    }

    /// Waits until an instant, and fails as soon as somebody is left without an answer.
    async fn wait_for(&mut self, instant: Instant) -> Result<(), Failure> {
        let mut timer = std::pin::pin!(tokio::time::sleep_until(instant.into()));
        loop {
            tokio::select! {
                () = &mut timer => return Ok(()),
                Some(ended) = self.visitors.join_next() => outcome_of(ended)?,
            }
        }
    }

    /// Waits until all have ended their visits.
    async fn leave(&mut self) -> Result<(), Failure> {
        while let Some(ended) = self.visitors.join_next().await {
            outcome_of(ended)?;
        }
        Ok(())
    }
}

fn outcome_of(ended: Result<Result<(), Failure>, JoinError>) -> Result<(), Failure> {
    ended.map_err(|fault| Failure::because("a visit was cut short", &fault))?
}
