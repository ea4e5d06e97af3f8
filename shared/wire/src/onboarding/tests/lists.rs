//! The rules about lists and owners, and those of which one field depends on another.

use super::*;
use domain::onboarding::STRUCTURE;
use domain::onboarding::vocabulary::{CA_PROVINCES, OWNER_TYPES, US_STATES};

fn many(entry: &Value, count: usize) -> Value {
    json!(vec![entry; count])
}

/// For every rule about lists and owners an application that breaks it, and all it breaks.
fn ill_structured() -> Vec<(Value, Vec<(&'static str, &'static str)>)> {
    let sole = || application(OwnershipGroup::SoleProprietor);
    let mut physical = llc()["businessAddresses"][0].clone();
    physical["type"] = json!("Mailing");
    let contact = llc()["businessContacts"][0].clone();
    let one = llc()["businessOwners"][0]["identification"][0].clone();
    let shares = |first: i64, second: i64| {
        let mut owners = json!([owner("ControlOwner"), owner("BeneficialOwner1")]);
        owners[0]["businessOwnershipPercentage"] = json!(first);
        owners[1]["businessOwnershipPercentage"] = json!(second);
        owners
    };
    let mut crowd: Vec<Value> = OWNER_TYPES.iter().map(|kind| owner(kind)).collect();
    crowd.iter_mut().for_each(|owner| owner["businessOwnershipPercentage"] = json!(5));
    crowd.push(crowd[10].clone());
    vec![
        (with(llc(), "businessAddresses", json!([])), vec![("businessAddresses", "required")]),
        (with(llc(), "businessAddresses", json!([physical])), vec![("businessAddresses", "physicalAddress")]),
        (
            with(llc(), "businessAddresses", many(&llc()["businessAddresses"][0], 12)),
            vec![("businessAddresses", "maxItems")],
        ),
        (without(llc(), "businessBankAccount"), vec![("businessBankAccount", "required")]),
        (without(llc(), "businessContacts"), vec![("businessContacts", "required")]),
        (with(llc(), "businessContacts", many(&contact, 11)), vec![("businessContacts", "maxItems")]),
        (without(llc(), "businessOwners"), vec![("businessOwners", "required")]),
        (
            with(llc(), "businessOwners", json!([owner("BeneficialOwner1")])),
            vec![("businessOwners", "controlOwner")],
        ),
        (
            with(sole(), "businessOwners", json!([owner("BeneficialOwner2")])),
            vec![("businessOwners", "beneficialOwner"), ("businessOwners[0].type", "notAllowed")],
        ),
        (
            with(sole(), "businessOwners", json!([owner("BeneficialOwner1"), owner("ControlOwner")])),
            vec![("businessOwners[1].type", "notAllowed")],
        ),
        (
            with(llc(), "businessOwners", json!([owner("ControlOwner"), owner("controlowner")])),
            vec![("businessOwners[1].type", "unique")],
        ),
        (
            with(llc(), "businessOwners", json!(crowd)),
            vec![("businessOwners", "maxItems"), ("businessOwners[11].type", "unique")],
        ),
        (
            with(llc(), "businessOwners[0].identification", many(&one, 11)),
            vec![("businessOwners[0].identification", "maxItems")],
        ),
        (with(llc(), "businessOwners", shares(60, 41)), vec![("businessOwners", "percentageSum")]),
        (with(llc(), "businessOwners", shares(60, 40)), vec![]),
    ]
}

#[test]
fn every_rule_about_lists_and_owners_is_broken_by_what_it_forbids() {
    let mut seen = BTreeSet::new();
    for (body, expected) in ill_structured() {
        let broken = broken(&body);
        let expected: Vec<_> =
            expected.iter().map(|(field, rule)| ((*field).to_owned(), (*rule).to_owned())).collect();
        assert_eq!(broken, expected, "{body}");
        seen.extend(broken.into_iter().map(|(field, rule)| {
            let (head, tail) = field.split_once('[').unwrap_or((&field, ""));
            let tail = tail.trim_start_matches(|char: char| char.is_ascii_digit());
            (if tail.is_empty() { head.to_owned() } else { format!("{head}[{tail}") }, rule)
        }));
    }
    for structure in STRUCTURE {
        let known = seen.contains(&(structure.field.to_owned(), structure.rule.to_owned()));
        assert!(known, "nothing breaks {} of {}", structure.rule, structure.field);
    }
}

#[test]
fn an_owner_of_a_quarter_is_identified_and_one_of_less_is_not() {
    let mut body = llc();
    let beneficial = |share: i64| json!({"type": "BeneficialOwner1", "businessOwnershipPercentage": share});
    for (share, count) in [(24, 0), (25, 9)] {
        body["businessOwners"] = json!([owner("ControlOwner"), beneficial(share)]);
        let broken = broken(&body);
        assert_eq!(broken.len(), count, "{share}: {broken:?}");
        assert!(
            broken.iter().all(|(field, rule)| field.starts_with("businessOwners[1].") && rule == "required")
        );
    }
}

#[test]
fn institutions_name_no_owner_or_as_many_as_they_like() {
    let mut body = application(OwnershipGroup::Institution);
    body["businessOwners"] = json!([]);
    assert_eq!(broken(&body), []);
    let named = json!({"firstName": "A", "lastName": "B", "addressLine1": "1", "city": "C", "state": "ON",
        "country": "CA", "postalCode": "K1A 0B1"});
    let owners = OWNER_TYPES.iter().map(|kind| {
        let mut owner = named.clone();
        owner["type"] = json!(kind);
        owner
    });
    body["businessOwners"] = owners.collect();
    assert_eq!(broken(&body), []);
    body["businessOwners"] = json!([{"type": "BeneficialOwner3"}]);
    assert_eq!(broken(&body).len(), 7);
}

#[test]
fn every_state_belongs_to_its_country_and_to_no_other() {
    for (country, own, other) in [("US", US_STATES, CA_PROVINCES), ("CA", CA_PROVINCES, US_STATES)] {
        let place = |state: &str| {
            let mut body = llc();
            body["businessAddresses"][0]["country"] = json!(country);
            body["businessAddresses"][0]["state"] = json!(state.to_lowercase());
            body["businessAddresses"][0]["postalCode"] =
                json!(if country == "US" { "02145" } else { "K1A0B1" });
            broken(&body)
        };
        for state in own {
            assert_eq!(place(state), [], "{country} {state}");
        }
        for state in other {
            assert_eq!(place(state), [("businessAddresses[0].state".to_owned(), "state".to_owned())]);
        }
    }
    let official: BTreeSet<&str> = domain::locations::find_country("US")
        .map(domain::locations::states_of)
        .unwrap()
        .iter()
        .map(|state| state.abbreviation)
        .collect();
    let missing = official.difference(&US_STATES.iter().copied().collect()).copied().collect::<Vec<_>>();
    assert_eq!(missing, ["AS", "MP", "UM"], "the spec names PR, GU and VI of the territories");
    assert!(US_STATES.iter().all(|state| official.contains(state)));
}
