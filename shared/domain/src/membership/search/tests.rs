//! Who is found by what.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn membership(number: i64, cards: Value) -> Membership {
    serde_json::from_value(json!({
        "id": 1_000 + number, "number": number, "external_id": format!("HM-{number}"), "level": "crew",
        "offering": "year", "price_point": "adult", "joined": "2027-01-01T05:00:00Z",
        "started": "2027-01-01T05:00:00Z", "expires": "2028-01-01T04:59:59Z", "cards": cards,
    }))
    .unwrap()
}

fn card(id: i64, first: &str, last: &str) -> Value {
    json!({"id": id, "barcode": format!("B{id}"), "person": {
        "first_name": first, "last_name": last, "email": format!("m{id}@example.test"),
        "phone_number": format!("+1 (212) 555-{id:04}"), "street_address_1": format!("{id} Quay Street"),
        "zip_code": format!("SW1A {id}AA"),
    }})
}

fn text(text: &str) -> MemberSearch {
    MemberSearch::Text(SearchText::parse(text).unwrap())
}

fn ids(search: &MemberSearch, memberships: &[Membership]) -> Vec<(i64, FoundBy)> {
    search.found(memberships).iter().map(|found| (found.card.id.get(), found.by)).collect()
}

/// The search over a list, as it is carried out: only what is found by a key or stands in the list is looked at.
fn carried_out(search: &MemberSearch, all: &[Membership]) -> Vec<(i64, FoundBy)> {
    let listed: Vec<ListedMembership> = all.iter().map(ListedMembership::of).collect();
    let candidates = if search.looks_at_list() { search.candidates(&listed) } else { BTreeSet::new() };
    let SearchKeys { number, code, email, phone } = search.keys();
    let has_key = |membership: &&Membership| {
        let codes = membership.cards.iter().map(|card| card.barcode.as_str());
        let mut codes = codes.chain(membership.external_id.as_deref());
        let mut people = membership.cards.iter().map(|card| &card.person);
        candidates.contains(&membership.id)
            || number.is_some_and(|number| [membership.id, membership.number].contains(&number))
            || code.as_deref().is_some_and(|code| codes.any(|own| is_same_code(own, code)))
            || people.any(|person| {
                let (own_email, own_phone) = (person.email.as_deref(), person.phone_number.as_deref());
                email.as_deref().is_some_and(|email| own_email.is_some_and(|own| is_same_email(own, email)))
                    || phone
                        .as_deref()
                        .is_some_and(|phone| own_phone.map(phone_digits).as_deref() == Some(phone))
            })
    };
    let read: Vec<Membership> = all.iter().filter(has_key).cloned().collect();
    ids(search, &read)
}

fn family() -> Vec<Membership> {
    let mut old = card(13, "Mateo", "Okafor");
    old["standing"] = json!("dropped");
    let mut moved = card(14, "Mateo", "Okafor");
    moved["standing"] = json!("replaced");
    let cards = json!([card(11, "Mateo", "O\u{2019}Hara"), card(12, "Zoe", "O'Hara"), old, moved]);
    vec![
        membership(7, cards),
        membership(8, json!([card(21, "Zoe", "Okafor"), card(22, "Ohara", "Zoellner")])),
    ]
}

#[test]
fn a_text_finds_by_numbers_codes_addresses_and_names_and_what_is_surest_comes_first() {
    use FoundBy::{Barcode, Email, ExternalNumber, Name, Number, Phone};
    for (sent, expected) in [
        ("1007", &[(11, Number), (12, Number)][..]),
        ("hm-7", &[(11, ExternalNumber), (12, ExternalNumber)]),
        (" b12 ", &[(12, Barcode)]),
        ("M12@EXAMPLE.test", &[(12, Email)]),
        ("12125550012", &[(12, Phone)]),
        ("+1 212-555-0012", &[(12, Phone)]),
        ("ZO", &[(12, Name), (21, Name), (22, Name)]),
        ("o`hara", &[(11, Name), (12, Name)]),
        ("zoe o\u{2019}H", &[(12, Name)]),
        ("o'hara  zoe", &[(12, Name)]),
        ("ohara", &[(22, Name)]),
        ("hara", &[]),
        ("mateo", &[(11, Name)]),
        ("okafor", &[(21, Name)]),
        ("B13", &[]),
        ("B14", &[]),
        ("m13@example.test", &[]),
        ("12125550014", &[]),
        ("m1@", &[]),
        ("77", &[]),
    ] {
        assert_eq!(ids(&text(sent), &family()), expected, "{sent}");
        assert_eq!(carried_out(&text(sent), &family()), expected, "{sent}");
    }
    // A name that is also a barcode.
    let both =
        [membership(1, json!([card(1, "B2", "Ames")])), membership(2, json!([card(2, "Ada", "Byron")]))];
    assert_eq!(ids(&text("B2"), &both), [(2, Barcode), (1, Name)]);
    let plus = membership(3, json!([{"id": 1, "barcode": "", "person": {"email": "ada+x@example.test"}}]));
    assert_eq!(ids(&text("ada x@example.test"), &[plus]), [(1, Email)]);
}

#[test]
fn a_text_has_two_characters_and_at_most_a_hundred() {
    for (sent, is_read) in [
        (String::new(), false),
        (" a ".to_owned(), false),
        ("\u{674e}".to_owned(), false),
        ("ab".to_owned(), true),
        ("\u{674e}\u{660e}".to_owned(), true),
        ("a".repeat(100), true),
        ("a".repeat(101), false),
    ] {
        assert_eq!(SearchText::parse(&sent).is_some(), is_read, "{sent}");
    }
}

#[test]
fn what_is_known_of_a_holder_has_to_agree_in_all_of_it() {
    let known = |fields: [Option<&str>; 5]| {
        let [first_name, last_name, address, zip, email] = fields.map(|field| field.map(str::to_owned));
        MemberSearch::Holder(HolderFilter { first_name, last_name, address, zip, email })
    };
    for (fields, expected) in [
        ([Some("zo"), None, None, None, None], &[12, 21][..]),
        ([Some("zo"), Some("o'"), None, None, None], &[12]),
        ([None, None, Some("1"), None, None], &[11, 12]),
        ([None, None, Some("12  quay ST"), None, None], &[12]),
        ([None, None, Some("Quay"), None, None], &[]),
        ([None, None, None, Some("sw1a2"), None], &[21, 22]),
        ([None, None, None, Some("SW1A 1"), None], &[11, 12]),
        ([None, None, None, None, Some("M21@example.test")], &[21]),
        ([Some("Ada"), None, None, None, Some("m21@example.test")], &[]),
        ([Some("Mateo"), Some("Okafor"), None, None, None], &[]),
    ] {
        let found = carried_out(&known(fields), &family());
        let found: Vec<i64> = found.into_iter().map(|(id, _)| id).collect();
        assert_eq!(found, expected, "{fields:?}");
    }
    let number = MemberSearch::Number(MembershipId::parse(8).unwrap());
    assert_eq!(carried_out(&number, &family()), [(21, FoundBy::Number), (22, FoundBy::Number)]);
    let named = MemberSearch::CardName("Okafor Z".to_owned());
    assert_eq!(carried_out(&named, &family()), [(21, FoundBy::Name)]);
}

#[test]
fn an_entry_of_before_streets_were_noted_may_be_anybodys() {
    let [one, _] = <[Membership; 2]>::try_from(family()).unwrap();
    let mut entry = ListedMembership::of(&one);
    assert!(entry.is_of(&one));
    for card in &mut entry.cards {
        (card.street, card.given_up) = (None, false);
    }
    assert!(entry.is_of(&one), "it says less, and nothing wrong");
    let wanted = HolderFilter { address: Some("12 Quay".to_owned()), ..HolderFilter::default() };
    let wanted = MemberSearch::Holder(wanted);
    assert_eq!(wanted.candidates(std::slice::from_ref(&entry)), BTreeSet::from([one.id]));
    entry.cards[0].street = Some("9 Pier".to_owned());
    assert!(!entry.is_of(&one));
}

#[test]
fn no_more_is_read_and_found_than_a_search_may_find() {
    let all: Vec<Membership> = (0..450)
        .map(|number| membership(number + 1, json!([card(number + 1, "Ada", &format!("Ames {number:03}"))])))
        .collect();
    let mut listed: Vec<ListedMembership> = all.iter().rev().map(ListedMembership::of).collect();
    let first = |count: i64| -> BTreeSet<MembershipId> {
        (1..=count).map(|number| MembershipId::parse(1_000 + number).unwrap()).collect()
    };
    assert_eq!(text("ames").candidates(&listed), first(200));
    let found = text("ames").found(&all);
    let found: Vec<i64> = found.iter().map(|found| found.card.id.get()).collect();
    assert_eq!(found, (1..=200).collect::<Vec<_>>());
    // Of entries that say less, some may not be found when they are read.
    for entry in &mut listed {
        for card in &mut entry.cards {
            card.street = None;
        }
    }
    assert_eq!(text("ames").candidates(&listed), first(450));
}

/// A member who has everything, and others beside.
fn members() -> impl Strategy<Value = (Membership, usize)> {
    let name = || "[A-Za-zÀ-ÖØ-öø-ÿ][A-Za-zÀ-ÖØ-öø-ÿ\u{2019}' -]{1,10}";
    let one = (
        name(),
        name(),
        "[A-Z][A-Z0-9]{3,8}",
        "[a-z]{1,6}(\\+[a-z]{1,3})?",
        "[1-9][0-9]{5,10}",
        any::<bool>(),
    );
    let cards = prop::collection::vec(one, 1..5);
    (1..1_000_i64, cards, any::<prop::sample::Index>()).prop_map(|(number, cards, index)| {
        let made = (1..).zip(&cards).map(|(id, (first, last, barcode, user, phone, given_up))| {
            let standing = if *given_up { "dropped" } else { "active" };
            json!({"id": id, "barcode": barcode, "standing": standing, "person": {
                "first_name": first, "last_name": last, "email": format!("{user}@example.test"),
                "phone_number": format!("+{phone}"),
            }})
        });
        (membership(number, made.collect()), index.index(cards.len()))
    })
}

proptest! {
    /// A membership is found by every one of its numbers, barcodes, addresses, phone numbers and beginnings of names,
    /// unless the card is given up.
    #[test]
    fn a_held_card_is_found_by_all_it_has_and_another_never((member, place) in members(), cut in 2_usize..24) {
        use FoundBy::{Barcode, Email, ExternalNumber, Name, Number, Phone};
        let card = &member.cards[place];
        let person = &card.person;
        let (first, last) = (&person.first_name, &person.last_name);
        let begun = |name: String| name.chars().take(cut).collect::<String>();
        let phone = person.phone_number.clone().unwrap();
        let (start, end) = phone.split_at(3);
        let all = std::slice::from_ref(&member);
        for (sent, by) in [
            (member.id.to_string(), Number),
            (member.number.to_string(), Number),
            (member.external_id.clone().unwrap().to_lowercase(), ExternalNumber),
            (card.barcode.to_lowercase(), Barcode),
            (person.email.clone().unwrap().to_uppercase(), Email),
            (format!("{start} ({end})"), Phone),
            (begun(first.clone()), Name),
            (begun(last.to_uppercase()), Name),
            (begun(format!("{first} {last}")), Name),
            (begun(format!("{last}  {first}")), Name),
        ] {
            let Some(read) = SearchText::parse(&sent) else { continue };
            let found = carried_out(&MemberSearch::Text(read), all);
            let own = found.iter().find(|(id, _)| *id == card.id.get());
            if card.is_held() {
                prop_assert!(own.is_some_and(|(_, found)| *found <= by), "{} by {:?}: {:?}", sent, by, found);
            } else {
                prop_assert_eq!(own, None, "{}", sent);
            }
            prop_assert!(found.is_sorted_by_key(|(_, by)| *by));
        }
    }

    /// A list leads to every membership of which a card is found by its name.
    #[test]
    fn what_is_found_by_a_name_stands_in_the_list((member, _) in members(), beginning in "[A-Za-zÀ-ÿ]{2,3}") {
        let all = std::slice::from_ref(&member);
        prop_assert_eq!(carried_out(&text(&beginning), all), ids(&text(&beginning), all));
    }
}
