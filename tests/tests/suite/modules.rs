//! No two modules of a crate import each other, directly or round a corner.

use blackbox::modules::all_knots;
use std::collections::BTreeSet;

#[test]
fn no_modules_import_each_other_in_a_circle() {
    assert_eq!(all_knots(), BTreeSet::new());
}
