//! How far tests walk. Every fault at every call, or hundreds of schedules, are worth their minutes where a change is
//! checked, and too slow for whoever writes it.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where it is set, walks are whole. It names the directory in which they note how much they covered.
const LONG_WALKS: &str = "BOXOFFICE_LONG_WALKS";

/// The seed that alone is played.
const SEED: &str = "BOXOFFICE_SEED";

/// Whether walks are whole.
#[must_use]
pub fn is_whole() -> bool {
    env::var_os(LONG_WALKS).is_some()
}

/// A walk past cases. Unless it is whole, it plays the first case of each kind, and one in so many of all cases.
#[derive(Debug)]
pub struct Walk {
    name: &'static str,
    one_in: usize,
    /// Where whole walks note what they covered.
    whole: Option<PathBuf>,
    kinds: BTreeSet<String>,
    met: usize,
    played: usize,
}

impl Walk {
    /// The beginning of a walk, whose name no other has.
    #[must_use]
    pub fn begin(name: &'static str, one_in: usize) -> Self {
        let whole = env::var_os(LONG_WALKS).map(PathBuf::from);
        Self { name, one_in, whole, kinds: BTreeSet::new(), met: 0, played: 0 }
    }

    /// Whether the next case, which is of this kind, is played.
    pub fn plays(&mut self, kind: impl Debug) -> bool {
        let is_first = self.kinds.insert(format!("{kind:?}"));
        let is_due = self.met.is_multiple_of(self.one_in);
        let plays = self.whole.is_some() || is_first || is_due;
        self.met += 1;
        self.played += usize::from(plays);
        plays
    }

    /// The end of a walk that passes so many cases at least, and how many of them it played.
    ///
    /// # Panics
    /// When there were fewer, whether they were played or not.
    #[track_caller]
    pub fn end(self, least: usize) -> usize {
        assert!(self.met >= least, "{} passed {} cases, and {least} at least before", self.name, self.met);
        assert!(self.whole.is_none() || self.played == self.met, "{} left cases out", self.name);
        if let Some(directory) = self.whole {
            note(&directory, self.name, self.played);
        }
        self.played
    }
}

/// The seed that is to be played alone.
#[must_use]
pub fn chosen_seed() -> Option<u64> {
    env::var(SEED).ok().and_then(|seed| seed.parse().ok())
}

/// The seeds of a walk: all of these if it is whole, one in so many of them otherwise; of a seed that is to be played
/// alone, that one, where it is among them.
///
/// # Panics
/// When the count of a whole walk cannot be noted.
#[must_use]
pub fn seeds(name: &'static str, all: Range<u64>, one_in: u64) -> Vec<u64> {
    if let Some(chosen) = chosen_seed() {
        return all.filter(|seed| *seed == chosen).collect();
    }
    match env::var_os(LONG_WALKS) {
        Some(directory) => {
            let all: Vec<u64> = all.collect();
            note(Path::new(&directory), name, all.len());
            all
        }
        None => all.filter(|seed| seed.is_multiple_of(one_in)).collect(),
    }
}

/// Notes what a walk covered, for `.ci/walks` to tell.
fn note(directory: &Path, name: &str, covered: usize) {
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join(name), format!("{covered}\n")).unwrap();
}

#[cfg(test)]
mod tests {
    use super::Walk;
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    fn walk(one_in: usize, whole: Option<PathBuf>) -> Walk {
        Walk { name: "test", one_in, whole, kinds: BTreeSet::new(), met: 0, played: 0 }
    }

    #[test]
    fn a_share_has_the_first_of_each_kind_and_one_in_so_many_of_all() {
        let mut share = walk(4, None);
        let kinds = [1, 1, 1, 2, 1, 1, 2, 2, 1, 3];
        assert_eq!(
            kinds.map(|kind| share.plays(kind)),
            [true, false, false, true, true, false, false, false, true, true]
        );
        share.end(10);
    }

    #[test]
    fn a_whole_walk_plays_every_case_and_notes_how_many_those_were() {
        let directory = tempfile::tempdir().unwrap();
        let mut whole = walk(4, Some(directory.path().join("walks")));
        assert!((0..9).all(|_| whole.plays("the same")));
        whole.end(9);
        assert_eq!(std::fs::read_to_string(directory.path().join("walks/test")).unwrap(), "9\n");
    }
}
