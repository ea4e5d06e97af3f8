//! Chance that follows from a seed (SplitMix64, by Sebastiano Vigna).

/// A die.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from the first up to the second, which is left out.
    pub(super) fn between(&mut self, from: i64, until: i64) -> i64 {
        let width = until.saturating_sub(from).unsigned_abs().max(1);
        from.saturating_add_unsigned(self.next() % width)
    }

    /// True in so many cases of a hundred.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// One of these, of which there is at least one.
    pub(super) fn pick<T: Copy, const N: usize>(&mut self, list: &[T; N]) -> T {
        const { assert!(N > 0) };
        let count = u64::try_from(N).unwrap_or(1);
        let place = usize::try_from(self.next() % count).unwrap_or_default();
        list[place]
    }
}
