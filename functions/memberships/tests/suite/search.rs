//! Finding members at the counter.

use crate::support::{self, TILL, card, save_membership};
use serde_json::{Value, json};
use store::{Action, AttributeValue, Consistency, Expression, Key};
use testkit::{Answer, Venue, delete, get, put, tenant_id};

const SEARCH: &str = "/v2/b2b/membership/summaries/search";
const ADVANCED: &str = "/v2/b2b/membership/summaries/advancedsearch";

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn searched(venue: &Venue, text: &str) -> Answer {
    venue.send(get(format!("{SEARCH}?search={}", encoded(text))).by(TILL)).await
}

async fn advanced(venue: &Venue, query: &str) -> Answer {
    venue.send(get(format!("{ADVANCED}?{query}")).by(TILL)).await
}

fn ids(answer: &Answer) -> Vec<i64> {
    answer.column("id").iter().map(|id| id.as_i64().unwrap()).collect()
}

/// A family of three cards, one of them given up, and a member whose term is over.
async fn save_members(venue: &Venue) {
    let person = |first: &str, last: &str, phone: &str, street: &str| {
        json!({"first_name": first, "last_name": last, "email": format!("{first}@example.test"),
            "phone_number": phone, "street_address_1": street, "zip_code": "10004"})
    };
    let family = "7 Pier Street";
    let cards = json!([
        card(11, json!({"barcode": "F-1", "person": person("Mateo", "O’Hara", "+1 212 555 0101", family)})),
        card(
            12,
            json!({"barcode": "F-2", "card_type": "secondary",
            "person": person("Zoe", "O'Hara", "+1 212 555 0102", family)})
        ),
        card(
            13,
            json!({"barcode": "F-3", "card_type": "secondary", "standing": "dropped",
            "person": person("Old", "Okafor", "+1 212 555 0103", family)})
        ),
    ]);
    save_membership(venue, 41, 10, json!({"external_id": "HM-41", "cards": cards})).await;
    let okafor = person("Zoe", "Okafor", "(415) 555-0142", "18 Quay Street");
    let cards = json!([card(21, json!({"barcode": "S-1", "person": okafor}))]);
    save_membership(venue, 42, 20, json!({"cards": cards, "expires": "2027-05-01T03:59:59Z"})).await;
}

#[tokio::test]
async fn members_are_found_by_what_they_say_or_show() {
    let venue = support::open().await;
    save_members(&venue).await;
    searched(&venue, "warm").await.done();
    for (text, expected, rounds) in [
        ("41", &[11, 12][..], 1),
        ("1041", &[11, 12], 1),
        ("hm-41", &[11, 12], 1),
        ("f-2", &[12], 1),
        ("F-3", &[], 1),
        ("ZOE@example.test", &[12, 21], 1),
        ("old@example.test", &[], 1),
        ("4155550142", &[21], 2),
        ("(415) 555 0142", &[21], 2),
        ("+1 212 555 0103", &[], 1),
        ("zo", &[12, 21], 2),
        ("okafor zoe", &[21], 2),
        ("zoe o`h", &[12], 2),
        ("O’HARA", &[11, 12], 2),
        ("okafor", &[21], 2),
        ("hara", &[], 1),
        ("77", &[], 1),
    ] {
        let found = searched(&venue, text).await;
        assert_eq!(ids(&found), expected, "{text}");
        assert!(found.calls.rounds <= rounds, "{text}: {:?}", found.calls);
        let pagination = json!({
            "page": 1, "pageSize": 200, "sortDirection": "asc", "sortField": "relevance",
            "count": expected.len(),
        });
        assert_eq!(found.body["pagination"], pagination, "{text}");
    }
    let theirs = venue.send(get(format!("{SEARCH}?search=zoe")).by("key-2")).await;
    assert_eq!(ids(&theirs), Vec::<i64>::new());
    // As in any other list.
    let found = searched(&venue, "S-1").await.body["list"][0].clone();
    let listed = venue.send(get(format!("{}?barcode=S-1", crate::summaries::PATH))).await;
    assert_eq!(found, listed.body["list"][0]);
    assert_eq!(found["membershipStanding"], "lapsed");
}

#[tokio::test]
async fn members_are_found_by_fields_that_all_agree_or_by_one_alone() {
    let venue = support::open().await;
    save_members(&venue).await;
    searched(&venue, "warm").await.done();
    for (query, expected, rounds) in [
        ("firstName=zo", &[12, 21][..], 2),
        ("firstName=zo&lastName=O%27h", &[12], 2),
        ("address=7%20pier", &[11, 12], 2),
        ("address=18%20%20QUAY&lastName=ok", &[21], 2),
        ("address=quay", &[], 1),
        ("zip=100", &[11, 12, 21], 2),
        ("zip=004", &[], 1),
        ("email=zoe@EXAMPLE.test", &[12, 21], 1),
        ("email=zoe@example.test&lastName=okafor", &[21], 1),
        ("email=zoe@example.test&zip=9", &[], 1),
        ("lastName=okafor", &[21], 2),
        ("memberId=41", &[11, 12], 1),
        ("memberId=1042", &[21], 1),
        ("memberId=77", &[], 1),
        ("cardName=zoe%20o", &[12, 21], 2),
        ("cardName=okafor%20z", &[21], 2),
    ] {
        let found = advanced(&venue, query).await;
        assert_eq!(ids(&found), expected, "{query}");
        assert!(found.calls.rounds <= rounds, "{query}: {:?}", found.calls);
    }
}

#[tokio::test]
async fn what_cannot_be_looked_for_is_refused() {
    let venue = support::open().await;
    let long = "a".repeat(101);
    for (query, fault) in [
        ("", "search is required"),
        ("search=", "search must not be blank"),
        ("search=%20a%20", "search must be 2 to 100 characters"),
        (&format!("search={long}"), "search must be 2 to 100 characters"),
    ] {
        let refused = venue.send(get(format!("{SEARCH}?{query}"))).await;
        assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"), "{query}");
        assert_eq!(refused.faults(), [fault], "{query}");
    }
    let nothing = "firstName is required, or lastName, address, zip or email, or memberId or cardName alone";
    let number = "memberId must be a positive integer below 2^53";
    for (query, faults) in [
        ("", &[nothing][..]),
        ("search=zoe", &[nothing]),
        ("memberId=x&lastName=", &["lastName must not be blank", number]),
    ] {
        let refused = advanced(&venue, query).await;
        assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"), "{query}");
        assert_eq!(refused.faults(), faults, "{query}");
    }
    let beside = |name: &str| format!("{name} must not be sent together with other parameters");
    for (query, faults) in [
        ("memberId=41&lastName=okafor", vec![beside("memberId")]),
        ("cardName=zoe&email=zoe@example.test", vec![beside("cardName")]),
        ("memberId=41&cardName=zoe", vec![beside("memberId"), beside("cardName")]),
    ] {
        let refused = advanced(&venue, query).await;
        assert_eq!(refused.kind(), (400, "COMBINATION_NOT_SUPPORTED"), "{query}");
        assert_eq!(refused.faults(), faults, "{query}");
    }
}

#[tokio::test]
async fn members_are_found_by_what_they_have_now() {
    let venue = support::open().await;
    save_members(&venue).await;
    let changed = json!({"cards": [{"id": 11, "phoneNumber": "+44 20 7946 0018", "lastName": "Byron",
        "streetAddress1": "1 Strand"}]});
    venue.send(put("/v2/b2b/memberships/41", changed)).await.done();
    for (text, expected) in [
        ("12125550101", &[][..]),
        ("442079460018", &[11]),
        ("byron", &[11]),
        ("mateo o'hara", &[]),
        ("+1 212 555 0102", &[12]),
    ] {
        assert_eq!(ids(&searched(&venue, text).await), expected, "{text}");
    }
    assert_eq!(ids(&advanced(&venue, "address=1%20strand").await), [11]);
    assert_eq!(ids(&advanced(&venue, "address=7%20pier").await), [12]);
    venue.send(delete("/v2/b2b/memberships/41/cards/12")).await.done();
    for text in ["+1 212 555 0102", "F-2", "Zoe O'Hara"] {
        assert_eq!(ids(&searched(&venue, text).await), Vec::<i64>::new(), "{text}");
    }
    assert_eq!(ids(&searched(&venue, "41").await), [11]);
}

/// Every card of many memberships by all that it has; those that were given up by nothing.
#[tokio::test]
async fn every_member_is_found_by_all_they_have() {
    let venue = support::open().await;
    let names = ["Ada", "Zoë", "Ángel", "李明", "O’Neil", "de la Cruz", "Strauß", "Jo-Ann"];
    let name = |place: i64| names[usize::try_from(place).unwrap() % names.len()];
    let mut cards = Vec::new();
    for number in 10..26_i64 {
        let of_one = [1, 2, 3].map(|place| {
            let id = number * 10 + place;
            let standing = if (number + place) % 5 == 0 { "dropped" } else { "active" };
            let person = json!({
                "first_name": name(id), "last_name": name(id / 3), "email": format!("m+{id}@example.test"),
                "phone_number": format!("+1 (212) 555-{id:04}"),
            });
            card(id, json!({"standing": standing, "barcode": format!("Card {id}"), "person": person}))
        });
        save_membership(
            &venue,
            number,
            number,
            json!({"external_id": format!("HM-{number}"), "cards": of_one}),
        )
        .await;
        cards.extend(of_one.map(|card| (number, card)));
    }
    for (number, card) in cards {
        let (id, person) = (card["id"].as_i64().unwrap(), &card["person"]);
        let text = |name: &str| person[name].as_str().unwrap().to_owned();
        let (first, last) = (text("first_name"), text("last_name"));
        let ways = [
            number.to_string(),
            (1_000 + number).to_string(),
            format!("hm-{number}"),
            card["barcode"].as_str().unwrap().to_lowercase(),
            text("email").to_uppercase(),
            format!("1212555{id:04}"),
            format!("{first} {last}"),
            format!("{last}  {first}"),
            first.chars().take(2).collect(),
            last.to_uppercase(),
        ];
        for way in ways {
            let found = ids(&searched(&venue, &way).await);
            assert_eq!(found.contains(&id), card["standing"] == "active", "{id} by {way}: {found:?}");
        }
    }
}

#[tokio::test]
async fn a_search_finds_two_hundred_cards_at_most_and_exact_ones_first() {
    let venue = support::open().await;
    for number in 1_000..1_205 {
        let person = json!({"first_name": "Ada", "last_name": format!("Ames {number}")});
        let fields = json!({"cards": [card(20_000 + number, json!({"person": person}))]});
        save_membership(&venue, number, number, fields).await;
    }
    let last =
        json!([card(9, json!({"barcode": "AMES", "person": {"first_name": "Zoe", "last_name": "Zuse"}}))]);
    save_membership(&venue, 2_000, 1, json!({"cards": last})).await;
    let found = searched(&venue, "ames").await;
    let expected: Vec<i64> = std::iter::once(9).chain(21_000..21_199).collect();
    assert_eq!(ids(&found), expected);
    assert_eq!(found.body["pagination"]["count"], 200);
}

/// What an entry of the list says less, the membership itself says.
#[tokio::test]
async fn entries_of_before_streets_were_noted_hide_nobody() {
    let venue = support::open().await;
    save_members(&venue).await;
    for (number, second) in [(41, 10), (42, 20)] {
        let id = domain::MembershipId::parse(1_000 + number).unwrap();
        let at = domain::time::plus_secs("2027-04-01T00:00:00Z".parse().unwrap(), second);
        let place = Key::membership_listed(tenant_id(1), at, id);
        let mut entry = venue.store.get_item(&place, Consistency::Strong).await.unwrap().unwrap();
        let AttributeValue::L(cards) = entry.get_mut("cards").unwrap() else { panic!("cards are a list") };
        for card in cards {
            let AttributeValue::M(card) = card else { panic!("a card is a map") };
            assert!(card.remove("street").is_some());
            card.remove("given_up");
        }
        venue.store.write(&place, Action::Put(entry, Expression::new())).await.unwrap().unwrap();
    }
    for (query, expected) in
        [("address=18%20quay", &[21][..]), ("lastName=okafor", &[21]), ("address=7", &[11, 12])]
    {
        assert_eq!(ids(&advanced(&venue, query).await), expected, "{query}");
    }
    let found: Value = searched(&venue, "okafor").await.done();
    assert_eq!(found["pagination"]["count"], 1);
}
