//! Whose work a request is, by the processor time of one thread.
//!
//! Wherever work passes from one to the other, the clock of the thread is read, and what has passed belongs to whoever
//! worked. So everything is counted once, and the parts add up to the whole. Reading the clock costs some tenth of a
//! microsecond, about ten times for each call of the database.

use super::clock::thread_cpu;
use super::instrument::{Allocated, allocated};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Whose work it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What is not measured: sending requests, reading answers, filling the tables.
    Unmeasured,
    /// Routes, decisions, keys and plans, JSON of requests and answers; and the runtime, which waits.
    Ours,
    /// A call of the database, from its input to its output, without what answers it.
    Sdk,
    /// The embedded database, from a request's bytes to an answer's.
    Engine,
    /// The sandbox's card processor with all its calls, which is somebody else's in a deployment.
    Processor,
    /// Whatever sends mails does, with all its calls.
    Mail,
}

impl Part {
    /// Whose work this is when it is done for another.
    fn within(self, outer: Self) -> Self {
        match outer {
            Self::Unmeasured => match self {
                Self::Ours | Self::Mail => self,
                Self::Unmeasured | Self::Sdk | Self::Engine | Self::Processor => Self::Unmeasured,
            },
            Self::Processor | Self::Mail => outer,
            Self::Ours | Self::Sdk | Self::Engine => self,
        }
    }
}

/// What work took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) cpu: Duration,
    pub(super) allocated: Allocated,
}

impl Cost {
    /// All of this thread until now, and allocations of the process.
    fn until_now() -> Self {
        Self { cpu: thread_cpu(), allocated: allocated() }
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_sub(earlier.cpu),
            allocated: Allocated {
                count: self.allocated.count.saturating_sub(earlier.allocated.count),
                bytes: self.allocated.bytes.saturating_sub(earlier.allocated.bytes),
            },
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.saturating_add(other.cpu),
            allocated: Allocated {
                count: self.allocated.count.saturating_add(other.allocated.count),
                bytes: self.allocated.bytes.saturating_add(other.allocated.bytes),
            },
        }
    }
}

/// What each part took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Costs {
    pub(super) ours: Cost,
    pub(super) sdk: Cost,
    pub(super) engine: Cost,
    pub(super) processor: Cost,
    pub(super) mail: Cost,
}

impl Costs {
    fn add(&mut self, part: Part, cost: Cost) {
        let sum = match part {
            Part::Unmeasured => return,
            Part::Ours => &mut self.ours,
            Part::Sdk => &mut self.sdk,
            Part::Engine => &mut self.engine,
            Part::Processor => &mut self.processor,
            Part::Mail => &mut self.mail,
        };
        *sum = sum.plus(cost);
    }
}

/// Adds up whose work one thread does. Clones share the sums; all of them have to stay on that thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Mutex<Sums>>);

#[derive(Debug, Default)]
struct Sums {
    costs: Costs,
    /// Whose work was begun and is not done, the latest last.
    begun: Vec<Part>,
    /// What had been used when the latest part took over.
    since: Cost,
}

impl Sums {
    fn latest(&self) -> Part {
        self.begun.last().copied().unwrap_or(Part::Unmeasured)
    }

    fn settle(&mut self) {
        let now = Cost::until_now();
        self.costs.add(self.latest(), now.since(self.since));
        self.since = now;
    }
}

impl Meter {
    /// From here on it is the work of this part, until it leaves.
    pub(super) fn enter(&self, part: Part) {
        let mut sums = self.sums();
        sums.settle();
        let part = part.within(sums.latest());
        sums.begun.push(part);
    }

    /// The work goes back to whoever had it before.
    pub(super) fn leave(&self) {
        let mut sums = self.sums();
        sums.settle();
        sums.begun.pop();
    }

    /// Does work as this part, but not what others do while it waits.
    pub(super) async fn spend<F: Future>(&self, part: Part, work: F) -> F::Output {
        let mut work = std::pin::pin!(work);
        std::future::poll_fn(|context| {
            self.enter(part);
            let polled = work.as_mut().poll(context);
            self.leave();
            polled
        })
        .await
    }

    /// The sums since the last time.
    pub(super) fn take(&self) -> Costs {
        std::mem::take(&mut self.sums().costs)
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(parts: &[Part]) -> Part {
        parts.iter().fold(Part::Unmeasured, |outer, part| part.within(outer))
    }

    #[test]
    fn what_is_done_for_the_processor_or_a_mail_is_theirs() {
        let expected: [(&[Part], Part); 5] = [
            (&[Part::Ours, Part::Sdk, Part::Engine], Part::Engine),
            (&[Part::Ours, Part::Processor, Part::Sdk, Part::Engine], Part::Processor),
            (&[Part::Mail, Part::Sdk], Part::Mail),
            (&[Part::Sdk, Part::Engine], Part::Unmeasured),
            (&[Part::Processor], Part::Unmeasured),
        ];
        for (parts, whose) in expected {
            assert_eq!(after(parts), whose, "{parts:?}");
        }
    }

    #[test]
    fn work_is_of_whoever_entered_last_and_returns_to_the_one_before() {
        let meter = Meter::default();
        let work = || (0..200_000_u64).fold(0, |sum, number| std::hint::black_box(sum ^ number));
        meter.enter(Part::Ours);
        work();
        meter.enter(Part::Sdk);
        work();
        meter.leave();
        meter.leave();
        work();
        let Costs { ours, sdk, engine, processor, mail } = meter.take();
        assert_eq!([engine, processor, mail], [Cost::default(); 3]);
        if cfg!(unix) {
            assert!(ours.cpu > Duration::ZERO && sdk.cpu > Duration::ZERO, "{ours:?} {sdk:?}");
        }
        assert_eq!(meter.take(), Costs::default());
    }
}
