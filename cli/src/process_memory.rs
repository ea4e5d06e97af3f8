//! The memory of a process, as Linux tells it.

/// A field of `/proc/…/status`, such as `VmRSS`, in KiB.
pub(crate) fn kib_in(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let status = "VmPeak:\t  900 kB\nVmRSS:\t   4608 kB\nThreads:\t9\n";
        assert_eq!(kib_in(status, "VmRSS"), Some(4_608));
        assert_eq!([kib_in(status, "VmR"), kib_in("", "VmRSS")], [None, None]);
    }
}
