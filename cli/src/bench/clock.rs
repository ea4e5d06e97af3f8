//! Processor time that was used, where the system tells.

use std::time::Duration;

/// Of all threads of this process together.
pub(super) fn process_cpu() -> Duration {
    used(Whose::Process)
}

/// Of the calling thread.
pub(super) fn thread_cpu() -> Duration {
    used(Whose::Thread)
}

#[derive(Debug, Clone, Copy)]
enum Whose {
    Process,
    Thread,
}

#[cfg(unix)]
fn used(whose: Whose) -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let clock = match whose {
        Whose::Process => ClockId::ProcessCPUTime,
        Whose::Thread => ClockId::ThreadCPUTime,
    };
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// It is not told here.
#[cfg(not(unix))]
fn used(whose: Whose) -> Duration {
    match whose {
        Whose::Process | Whose::Thread => Duration::ZERO,
    }
}
