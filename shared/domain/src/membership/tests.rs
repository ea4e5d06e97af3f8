//! Laws of levels and offerings.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

/// Benefits with ids unlike each other, as every list has them.
fn benefits() -> impl Strategy<Value = Vec<Benefit>> {
    vec(("[a-f]", "[a-z]{0,3}"), 0..7).prop_map(|pairs| {
        let mut seen = BTreeSet::new();
        let unlike = pairs.into_iter().filter(|(id, _)| seen.insert(id.clone()));
        unlike.map(|(id, description)| Benefit { id, description }).collect()
    })
}

proptest! {
    /// Everything either side has is there once, in the offering's words where it has them.
    #[test]
    fn an_offering_overrides_benefits_by_their_id_and_adds_the_others(
        of_level in benefits(),
        of_offering in benefits(),
    ) {
        let effective = effective_benefits(&of_level, &of_offering);
        let ids: Vec<&String> = effective.iter().map(|benefit| &benefit.id).collect();
        let mut expected: Vec<&String> = of_level.iter().map(|benefit| &benefit.id).collect();
        expected.extend(of_offering.iter().map(|benefit| &benefit.id).filter(|id| {
            !of_level.iter().any(|benefit| benefit.id == **id)
        }));
        prop_assert_eq!(ids, expected);
        for benefit in &effective {
            let decided = of_offering.iter().find(|own| own.id == benefit.id);
            let decided = decided.or_else(|| of_level.iter().find(|own| own.id == benefit.id));
            prop_assert_eq!(Some(benefit), decided);
        }
        prop_assert_eq!(effective_benefits(&effective, &of_offering), effective.clone());
        prop_assert_eq!(effective_benefits(&of_level, &[]), of_level);
    }
}

/// An offering as it was stored before offerings had all of their fields.
fn offering(id: &str) -> Offering {
    let actions = json!([{"action": "renew", "sales_channels": []}]);
    serde_json::from_value(json!({
        "id": id, "name": "One year", "price_lists": [{"id": "p", "name": "", "prices": []}],
        "duration_months": 12, "actions": actions,
    }))
    .unwrap()
}

fn level() -> Level {
    serde_json::from_value(json!({"id": "crew", "name": "Crew", "offerings": [offering("a"), offering("b")]}))
        .unwrap()
}

#[test]
fn a_record_of_an_earlier_version_is_stored_as_it_was() {
    let stored = serde_json::to_value(level()).unwrap();
    for name in ["service", "types", "collections"] {
        assert_eq!(stored.get(name), None, "{name}");
    }
    let offering = &stored["offerings"][0];
    for name in ["service", "types"] {
        assert_eq!(offering.get(name), None, "{name}");
    }
    assert_eq!(offering["actions"], json!([{"action": "renew", "sales_channels": []}]));
    assert_eq!(offering["price_lists"][0].get("end"), None);
}

#[test]
fn an_edit_changes_the_one_offering_it_names() {
    let level = level();
    let ids = |level: &Level| -> Vec<String> {
        level.offerings.iter().map(|offering| offering.id.to_string()).collect()
    };
    let added = level.edited(&LevelEdit::Add(Box::new(offering("c")))).unwrap();
    assert_eq!(ids(&added), ["a", "b", "c"]);
    assert_eq!(added.edited(&LevelEdit::Add(Box::new(offering("c")))).unwrap(), added);
    let longer = Offering { duration_months: 24, ..offering("a") };
    let put = added.edited(&LevelEdit::Put(Box::new(longer.clone()))).unwrap();
    assert_eq!((ids(&put), &put.offerings[0]), (ids(&added), &longer));
    let removed = put.edited(&LevelEdit::Remove(longer.id.clone())).unwrap();
    assert_eq!(ids(&removed), ["b", "c"]);
    assert_eq!(put.offerings_without(&removed).collect::<Vec<_>>(), [&longer.id]);
    assert_eq!(removed.edited(&LevelEdit::Remove(longer.id.clone())), Err(NoSuchOffering));
    assert_eq!(removed.edited(&LevelEdit::Put(Box::new(longer))), Err(NoSuchOffering));
    let renamed = Box::new(Level { name: "Captain".to_owned(), offerings: vec![], ..level });
    assert_eq!(ids(&removed.edited(&LevelEdit::ReplaceFields(renamed.clone())).unwrap()), ["b", "c"]);
    assert_eq!(removed.edited(&LevelEdit::Replace(renamed.clone())).unwrap(), *renamed);
}

#[test]
fn an_offering_allows_what_it_names_where_it_names_it_and_everything_if_it_names_nothing() {
    use OfferingActionKind::{New, Renew};
    let switch = |channel| SalesChannel { name: String::new(), channel, enabled: true };
    let mut offering = offering("a");
    assert!(offering.allows(Renew, &[Channel::Kiosk]) && !offering.allows(New, &[Channel::Kiosk]));
    offering.actions[0].sales_channels = vec![switch(Channel::Online)];
    assert!(!offering.allows(Renew, &[Channel::Kiosk]));
    assert!(offering.allows(Renew, &[Channel::Kiosk, Channel::Online]));
    offering.actions.clear();
    assert!(offering.allows(New, &[Channel::Kiosk]));
}

proptest! {
    /// What is answered in full allows exactly what the record allows, of this version or an earlier one.
    #[test]
    fn actions_in_full_say_what_the_offering_allows(
        entries in prop::collection::vec(
            (0..OfferingActionKind::ALL.len(), prop::collection::vec((0..Channel::ALL.len(), any::<bool>()), 0..3), any::<bool>()),
            0..4,
        ),
        no_actions in any::<bool>(),
    ) {
        let entry = |(kind, switches, nowhere): &(usize, Vec<(usize, bool)>, bool)| OfferingAction {
            sales_channels: switches
                .iter()
                .map(|(channel, enabled)| SalesChannel {
                    name: String::new(),
                    channel: Channel::ALL[*channel],
                    enabled: *enabled,
                })
                .collect(),
            nowhere: *nowhere && switches.is_empty(),
            ..OfferingAction::everywhere(OfferingActionKind::ALL[*kind])
        };
        let stored = Offering {
            actions: entries.iter().map(entry).collect(),
            no_actions: no_actions && entries.is_empty(),
            ..offering("a")
        };
        let full = stored.actions_in_full();
        let again = Offering { no_actions: full.is_empty(), actions: full.clone(), ..stored.clone() };
        for kind in OfferingActionKind::ALL {
            for channel in Channel::ALL {
                let said = full.iter().any(|entry| {
                    let mut of_channel =
                        entry.sales_channels.iter().filter(|switch| switch.channel == channel).peekable();
                    entry.action == kind
                        && of_channel.peek().is_some()
                        && of_channel.all(|switch| switch.enabled)
                });
                prop_assert_eq!(said, stored.allows(kind, &[channel]), "{:?} {:?}", kind, channel);
                prop_assert_eq!(said, again.allows(kind, &[channel]), "{:?} {:?}", kind, channel);
            }
        }
    }
}
