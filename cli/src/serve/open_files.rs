//! How many connections the system lets the process have.

/// Files that are open beside connections: the database, the lock, the standard streams, the runtime's own.
#[cfg(unix)]
const OTHER_FILES: u64 = 64;

/// How many of the connections that are wanted there can be. The process may open as many files as its hard limit says;
/// most shells begin it with fewer.
#[cfg(unix)]
#[must_use]
pub(crate) fn room_for(connections: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let possible = maximum.map_or(wanted, |maximum| wanted.min(maximum));
    let mut now = current.unwrap_or(u64::MAX);
    if now < possible && setrlimit(Resource::Nofile, Rlimit { current: Some(possible), maximum }).is_ok() {
        now = possible;
    }
    let room = usize::try_from(now.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX).min(connections);
    if room < connections {
        tracing::warn!(room, "the system allows fewer connections than were asked for; see `ulimit -n`");
    }
    room
}

/// The system says nothing of it.
#[cfg(not(unix))]
#[must_use]
pub(crate) fn room_for(connections: usize) -> usize {
    connections
}
