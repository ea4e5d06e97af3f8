//! The list of what is measured, at which sizes, and what each may cost.

use super::cases::Case;
use super::host::Storage;
use serde_json::{Value, json};

/// A case, at its sizes.
#[derive(Debug)]
pub(super) struct Family {
    name: &'static str,
    pub(super) case: Case,
    pub(super) storage: Storage,
    /// What it is asked for more or less of, in one word.
    unit: &'static str,
    /// How many of them, the smallest number first.
    sizes: &'static [u32],
    budget: Option<Budget>,
    /// What the smallest size may take in all, whoever works, in microseconds of processor time.
    whole_budget_micros: Option<u32>,
}

/// What may be ours and the SDK's of a request, in microseconds of processor time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Budget {
    base: u32,
    per_unit: u32,
}

impl Budget {
    /// For a request of so many units.
    fn of(self, units: u32) -> u32 {
        self.base.saturating_add(self.per_unit.saturating_mul(units))
    }
}

impl Family {
    const fn new(case: Case, unit: &'static str, sizes: &'static [u32]) -> Self {
        Self {
            name: case.name(),
            case,
            storage: Storage::Memory,
            unit,
            sizes,
            budget: None,
            whole_budget_micros: None,
        }
    }

    const fn within(self, base: u32, per_unit: u32) -> Self {
        Self { budget: Some(Budget { base, per_unit }), ..self }
    }
}

/// One, and ten more.
const FEW_AND_MORE: &[u32] = &[1, 11];
/// A ticket and a donation, and ten more tickets.
const OF_AN_ORDER: &[u32] = &[2, 12];

/// All that is measured.
pub(super) static FAMILIES: [Family; 11] = [
    Family::new(Case::SlimList, "list", &[1]),
    Family::new(Case::Times, "slot", FEW_AND_MORE).within(100, 6),
    Family::new(Case::AllTimesToday, "slot", &[20, 100]).within(0, 20),
    Family::new(Case::AllCalendar, "template", &[20]),
    Family::new(Case::CartCreate, "line", FEW_AND_MORE).within(150, 15),
    Family::new(Case::CartUpdate, "line", FEW_AND_MORE).within(250, 20),
    Family::new(Case::Reservation, "slot", &[1]).within(150, 0),
    Family::new(Case::WillCall, "ticket", FEW_AND_MORE).within(150, 6),
    Family::new(Case::Admission, "ticket", &[1]).within(400, 0),
    Family::new(Case::Checkout, "line", OF_AN_ORDER).within(700, 40),
    // The whole of it: the checkout on a database in a file, with its mail.
    Family {
        name: "order",
        storage: Storage::File,
        whole_budget_micros: Some(2_000),
        ..Family::new(Case::Checkout, "line", OF_AN_ORDER).within(700, 40)
    },
];

/// A case at one of its sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub(super) family: &'static Family,
    pub(super) units: u32,
}

impl Measured {
    /// Everything, in the order in which it is printed.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        FAMILIES.iter().flat_map(Family::measured)
    }

    /// What has this name.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        Self::all().find(|measured| measured.name() == name).ok_or_else(|| {
            let names: Vec<String> = Self::all().map(|measured| measured.name()).collect();
            format!("no case has this name; there are: {}", names.join(", "))
        })
    }

    /// The smallest size has the name of its family.
    pub(super) fn name(self) -> String {
        let Self { family, units } = self;
        if self.is_smallest() {
            return family.name.to_owned();
        }
        format!("{} of {units} {}", family.name, family.units_name())
    }

    pub(super) fn is_smallest(self) -> bool {
        self.family.sizes.first() == Some(&self.units)
    }

    /// What may be ours and the SDK's.
    pub(super) fn budget_micros(self) -> Option<u32> {
        self.family.budget.map(|budget| budget.of(self.units))
    }

    /// What it may take in all.
    pub(super) fn whole_budget_micros(self) -> Option<u32> {
        self.family.whole_budget_micros.filter(|_| self.is_smallest())
    }
}

impl Family {
    pub(super) fn units_name(&self) -> String {
        format!("{}s", self.unit)
    }

    /// The case at each of its sizes.
    pub(super) fn measured(&'static self) -> impl Iterator<Item = Measured> {
        self.sizes.iter().map(move |units| Measured { family: self, units: *units })
    }

    /// What no unit and each further one takes of the part that has a budget, as one line of JSON; none where the case has
    /// one size.
    pub(super) fn slope_line(&self, points: &[Point]) -> Option<Value> {
        let [first, .., last] = points else { return None };
        let Line { base, slope } = Line::through(*first, *last);
        Some(json!({
            "slope": self.name,
            "over": self.units_name(),
            "oursAndSdkBaseMicros": base,
            "oursAndSdkMicrosPerUnit": slope,
            "budgetBaseMicros": self.budget.map(|budget| budget.base),
            "budgetMicrosPerUnit": self.budget.map(|budget| budget.per_unit),
        }))
    }
}

/// What a request of so many units takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) units: u32,
    pub(super) micros: f64,
}

#[derive(Debug, PartialEq)]
struct Line {
    base: f64,
    slope: f64,
}

impl Line {
    /// In tenths of a microsecond.
    fn through(first: Point, last: Point) -> Self {
        let slope = (last.micros - first.micros) / (f64::from(last.units) - f64::from(first.units));
        let base = first.micros - slope * f64::from(first.units);
        Self { base: (base * 10.0).round() / 10.0, slope: (slope * 10.0).round() / 10.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_is_found_again_and_no_two_are_the_same() {
        let names: Vec<String> = Measured::all().map(Measured::name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        for name in &names {
            assert_eq!(&Measured::named(name).unwrap().name(), name);
        }
        assert!(Measured::named("chekout").unwrap_err().contains("checkout of 12 lines"));
    }

    #[test]
    fn a_budget_grows_with_what_is_asked_for() {
        let budget = |name: &str| Measured::named(name).unwrap().budget_micros();
        for (name, micros) in [
            ("slim list", None),
            ("template times", Some(106)),
            ("template times of 11 slots", Some(166)),
            ("all times of today", Some(400)),
            ("cart create of 11 lines", Some(315)),
            ("cart update", Some(270)),
            ("will-call of 11 tickets", Some(216)),
            ("admission", Some(400)),
            ("order", Some(780)),
            ("order of 12 lines", Some(1_180)),
        ] {
            assert_eq!(budget(name), micros, "{name}");
        }
        let whole = |name: &str| Measured::named(name).unwrap().whole_budget_micros();
        assert_eq!(
            [whole("order"), whole("order of 12 lines"), whole("checkout")],
            [Some(2_000), None, None]
        );
    }

    #[test]
    fn two_sizes_tell_what_no_unit_and_each_further_one_takes() {
        let [few, more] = [(1, 165.0), (11, 315.0)].map(|(units, micros)| Point { units, micros });
        assert_eq!(Line::through(few, more), Line { base: 150.0, slope: 15.0 });
        let family = Measured::named("cart create").unwrap().family;
        let line = family.slope_line(&[few, more]).unwrap();
        assert_eq!((&line["budgetBaseMicros"], &line["budgetMicrosPerUnit"]), (&json!(150), &json!(15)));
        assert_eq!(family.slope_line(&[few]), None);
    }
}
