//! What only a build with the feature `measure` tells: allocations, and where processor time goes as a flame graph.

#[cfg(all(unix, feature = "measure"))]
pub(super) use on::{COUNTS_ALLOCATIONS, allocated, profiled};

#[cfg(not(all(unix, feature = "measure")))]
pub(super) use off::{COUNTS_ALLOCATIONS, allocated, profiled};

/// What was asked of the allocator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Allocated {
    /// Times that memory was asked for, and that more of it was.
    pub(super) count: u64,
    /// How much that was.
    pub(super) bytes: u64,
}

#[cfg(all(unix, feature = "measure"))]
mod on {
    use super::Allocated;
    use crate::bench::BenchError;
    use pprof::ProfilerGuardBuilder;
    use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
    use std::alloc::System;
    use std::fs::File;
    use std::path::Path;

    #[global_allocator]
    static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

    /// Samples in a second of processor time. It divides no round number, so that nothing periodic is always met.
    const SAMPLES_A_SECOND: i32 = 997;

    /// Libraries whose own code is not looked into: a stack is not always to be followed from within them.
    const NOT_SAMPLED: [&str; 4] = ["libc", "libgcc", "pthread", "vdso"];

    pub(in crate::bench) const COUNTS_ALLOCATIONS: bool = true;

    /// By all threads since the process began. What C libraries allocate is not in it.
    pub(in crate::bench) fn allocated() -> Allocated {
        let stats = COUNTING.stats();
        Allocated {
            count: u64::try_from(stats.allocations.saturating_add(stats.reallocations)).unwrap_or(u64::MAX),
            bytes: u64::try_from(stats.bytes_allocated).unwrap_or(u64::MAX),
        }
    }

    /// Does work and, with a path, writes a flame graph of what all threads did meanwhile.
    pub(in crate::bench) async fn profiled<F: Future>(
        path: Option<&Path>,
        work: F,
    ) -> Result<F::Output, BenchError> {
        let Some(path) = path else { return Ok(work.await) };
        let profiler = ProfilerGuardBuilder::default().frequency(SAMPLES_A_SECOND);
        let profiler = profiler.blocklist(&NOT_SAMPLED).build()?;
        let done = work.await;
        let report = profiler.report().build()?;
        if report.data.is_empty() {
            return Err(BenchError::from("nothing was seen at work"));
        }
        report.flamegraph(File::create(path)?)?;
        Ok(done)
    }
}

#[cfg(not(all(unix, feature = "measure")))]
mod off {
    use super::Allocated;
    use crate::bench::BenchError;
    use std::path::Path;

    pub(in crate::bench) const COUNTS_ALLOCATIONS: bool = false;

    /// Nothing is counted.
    pub(in crate::bench) fn allocated() -> Allocated {
        Allocated::default()
    }

    /// Does work. A path is refused: there is nothing to draw with.
    pub(in crate::bench) async fn profiled<F: Future>(
        path: Option<&Path>,
        work: F,
    ) -> Result<F::Output, BenchError> {
        match path {
            None => Ok(work.await),
            Some(_) => Err(BenchError::from("this build draws no profile; build it with --features measure")),
        }
    }
}
