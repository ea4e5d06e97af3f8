//! `/v2/b2b/membership/levels`.

use crate::support;
use serde_json::{Value, json};
use testkit::{Venue, delete, get, made, post, put};

pub(crate) const PATH: &str = "/v2/b2b/membership/levels";

pub(crate) fn channel(name: &str) -> Value {
    json!([{"name": "", "channel": name, "enabled": true}])
}

/// An offering with every field.
pub(crate) fn year(ticket_type: &str) -> Value {
    json!({
        "name": "One year", "subtitle": "Twelve months", "description": "From today", "duration": 12,
        "priceLists": [{"id": "p1", "name": "Standard", "description": "", "startTime": "2027-01-01T00:00:00-05:00",
            "endTime": "2027-12-31T23:59:59-05:00", "prices": [{"pricePoint": {"id": ticket_type}, "price": "75.00",
            "primePrice": 80, "discountedPrice": "70.5", "displayOrder": 3, "salesChannels": channel("online")}]}],
        "benefits": [{"id": "shop", "description": "15 % off"}, {"id": "guest", "description": "A guest"}],
        "salesChannels": channel("pointOfSale"),
        "rules": {"numberOfCardHolders": 2, "canGift": true, "isStartDateBegOfMonth": true,
            "isExpiryDateEndOfMonth": true},
        "actions": [{"action": "DOWNGRADE", "ruleIds": ["r1"], "saleChannel": channel("online"),
            "confirmationEmailRestrictions": [{"saleChannel": "Kiosk", "canSendConfirmationEmail": false}],
            "printMembershipCards": true, "includeDigitalMemberCardsInConfirmationEmail": true,
            "confirmationMessage": "See you"}],
        "types": [{"id": "t1", "program": null, "category": null, "subcategory": null, "level": "Pup"}],
        "service": {"id": "s1", "program": "Friends", "category": "Full", "subcategory": "City", "level": "Otter"},
    })
}

/// A level with every field.
fn crew(ticket_type: &str) -> Value {
    json!({
        "name": "Crew", "description": "All year", "shortDescription": "Year",
        "emailConfirmationMessage": "Welcome", "membershipLevelGroup": "ORGANIZATION",
        "service": {"id": "s2", "program": "Friends", "category": null, "subcategory": null, "level": null},
        "types": [{"id": "t2", "program": null, "category": null, "subcategory": null, "level": null}],
        "saleChannel": channel("online"),
        "rules": {"numberOfCardHolders": 3, "canGift": true, "startBeginningOfMonth": true,
            "expireEndOfMonth": false},
        "benefits": [{"id": "free", "description": "Free admission"}, {"id": "shop", "description": "10 % off"}],
        "images": [{"id": "i1", "description": "An otter", "primary": true}], "termsAndConditions": "None.",
        "offerings": [year(ticket_type)], "auxiliary": true,
        "membershipLevelCollection": [{"id": "c1", "name": "Rivers"}], "state": "published",
    })
}

async fn adult(venue: &Venue) -> String {
    made(venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await
}

#[tokio::test]
async fn every_field_of_a_level_is_kept_and_shown_in_its_one_spelling() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let made = venue.send(post(PATH, crew(&adult))).await;
    let mut expected = crew(&adult);
    expected["id"] = json!(made.id());
    expected["membershipLevelGroup"] = json!("organization");
    expected["salesChannels"] = expected.as_object_mut().unwrap().remove("saleChannel").unwrap();
    let offering = &mut expected["offerings"][0];
    offering["id"] = made.body["offerings"][0]["id"].clone();
    offering["rules"] = json!({"numberOfCardHolders": 2, "canGift": true, "startBeginningOfMonth": true,
        "expireEndOfMonth": true});
    offering["effectiveBenefits"] = json!([{"id": "free", "description": "Free admission"},
        {"id": "shop", "description": "15 % off"}, {"id": "guest", "description": "A guest"}]);
    let action = offering["actions"][0].as_object_mut().unwrap();
    let channels = action.remove("saleChannel").unwrap();
    action.insert("salesChannels".to_owned(), channels);
    action.insert("action".to_owned(), json!("downGrade"));
    action["confirmationEmailRestrictions"][0]["saleChannel"] = json!("kiosk");
    let person_type = json!({"id": adult, "name": "Adult", "description": "", "active": true,
        "type": "individual", "displayOrder": 0});
    offering["priceLists"][0]["prices"][0] = json!({"personType": person_type, "pricePoint": person_type,
        "price": 75.0, "primePrice": 80.0, "discountedPrice": 70.5, "displayOrder": 3,
        "salesChannels": channel("online")});
    assert_eq!(made.body, expected);
    assert_eq!(made.id().len(), 24);
    assert_eq!(made.body["offerings"][0]["id"].as_str().unwrap().len(), 32);
    let read = venue.send(get(format!("{PATH}/{}/", made.id()))).await;
    assert_eq!((&read.body, &read.etag), (&made.body, &made.etag));
    let again = venue.send(put(PATH, made.body.clone()).if_match("\"0123456789abcdef\"")).await;
    assert_eq!((&again.body, &again.etag), (&made.body, &made.etag), "what is shown can be sent");
}

#[tokio::test]
async fn a_level_is_replaced_by_its_id_in_the_body_and_deleted_by_its_path() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let made = venue.send(post(PATH, crew(&adult))).await;
    let one = format!("{PATH}/{}", made.id());
    let renamed = json!({"id": made.id(), "name": "Captain"});
    let changed = venue.send(put(PATH, renamed.clone()).if_match(made.tag())).await;
    assert_eq!(changed.body["name"], "Captain");
    assert_eq!((&changed.body["benefits"], &changed.body["state"]), (&json!([]), &json!("draft")));
    let kept = |body: &Value| body["offerings"][0]["id"].clone();
    assert_eq!(kept(&changed.body), kept(&made.body), "without offerings a level keeps its own");
    let stale = venue.send(put(PATH, crew(&adult)).if_match(made.tag())).await;
    assert_eq!((stale.kind(), stale.faults()), ((404, "NOT_FOUND"), vec!["/id is required".to_owned()]));
    let mut stale = crew(&adult);
    stale["id"] = json!(made.id());
    let stale = venue.send(put(PATH, stale).if_match(made.tag())).await;
    assert_eq!(stale.kind(), (412, "PRECONDITION_FAILED"));
    let other = json!({"id": made.id(), "name": "Captain", "offerings": [{"name": "Month", "duration": 1}]});
    let other = venue.send(put(PATH, other)).await;
    assert_ne!(kept(&other.body), kept(&made.body), "a new offering has never the id of another one");
    let none = venue.send(put(PATH, json!({"id": made.id(), "name": "Captain", "offerings": []}))).await;
    assert_eq!(none.body["offerings"], json!([]));
    assert_eq!(venue.send(delete(&one).if_match(made.tag())).await.kind(), (412, "PRECONDITION_FAILED"));
    assert_eq!(venue.send(delete(&one)).await.done(), none.body);
    for ask in [get(&one), put(PATH, renamed), delete(&one)] {
        assert_eq!(venue.send(ask.clone()).await.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
}

#[tokio::test]
async fn every_fault_of_a_level_is_named_at_once() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let list = json!({"startTime": "2027-02-01T00:00:00Z", "endTime": "2027-01-01T00:00:00Z", "prices": [
        {"personType": {"id": adult}, "pricePoint": {"id": "other"}, "price": "1.005"}]});
    let rules =
        json!({"numberOfCardHolders": 51, "startBeginningOfMonth": true, "isStartDateBegOfMonth": false});
    let offering = json!({"name": "", "duration": 0, "priceLists": [list], "rules": rules,
        "actions": [{"action": "keep", "ruleIds": [" "], "printMembershipCards": 1,
            "confirmationEmailRestrictions": [{"saleChannel": "web"}, {}]}, {}], "types": [{}]});
    let wrong = json!({"membershipLevelGroup": "family", "service": {"program": 7}, "auxiliary": "no",
        "membershipLevelCollection": [{}], "state": "live", "saleChannel": [{"channel": "web"}],
        "benefits": [{"id": "a"}, {"id": "a"}], "offerings": [offering, 7]});
    let refused = venue.send(post(PATH, wrong)).await;
    assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
    let mut faults = refused.faults();
    faults.sort();
    assert_eq!(
        faults,
        [
            "/auxiliary must be true or false",
            "/benefits/1/id is already used by another entry",
            "/membershipLevelCollection/0/id is required",
            "/membershipLevelGroup must be one of individualAndFamily, organization",
            "/name is required",
            "/offerings/0/actions/0/action must be one of new, renew, upgrade, downGrade, cancel",
            "/offerings/0/actions/0/confirmationEmailRestrictions/0/saleChannel must be one of \
             online, customerRep, pointOfSale, manualEntry, reseller, kiosk, insideSalesIndividual",
            "/offerings/0/actions/0/confirmationEmailRestrictions/1/saleChannel is required",
            "/offerings/0/actions/0/printMembershipCards must be true or false",
            "/offerings/0/actions/0/ruleIds/0 must not be blank",
            "/offerings/0/actions/1/action is required",
            "/offerings/0/duration must be between 1 and 1200",
            "/offerings/0/name must not be blank",
            "/offerings/0/priceLists/0/endTime must not be before startTime",
            "/offerings/0/priceLists/0/prices/0/price must have at most two decimals",
            "/offerings/0/priceLists/0/prices/0/pricePoint must be the same as personType",
            "/offerings/0/rules/isStartDateBegOfMonth must be the same as startBeginningOfMonth, or left out",
            "/offerings/0/rules/numberOfCardHolders must be between 1 and 50",
            "/offerings/0/types/0/id is required",
            "/offerings/1 must be an object",
            "/salesChannels/0/channel must be one of online, customerRep, pointOfSale, manualEntry, reseller, \
             kiosk, insideSalesIndividual",
            "/service/id is required",
            "/service/program must be a string",
            "/state must be one of draft, published",
        ]
    );
    let unknown = venue.send(post(PATH, crew("ffffffffffffffffffffffff"))).await;
    assert_eq!(unknown.faults(), ["/offerings/0/priceLists/0/prices/0/personType/id was not found"]);
}

#[tokio::test]
async fn a_repeated_write_has_one_effect_and_the_first_answer() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let made = venue.send(post(PATH, crew(&adult)).keyed("a")).await;
    let again = venue.send(post(PATH, crew(&adult)).keyed("a")).await;
    assert_eq!((again.replayed, &again.body, &again.etag), (true, &made.body, &made.etag));
    let below = format!("{PATH}/{}/membershipofferings/", made.id());
    let added = venue.send(post(&below, year(&adult)).keyed("b")).await;
    let again = venue.send(post(&below, year(&adult)).keyed("b")).await;
    assert_eq!((again.replayed, &again.body, &again.etag), (true, &added.body, &added.etag));
    let other = venue.send(post(&below, json!({"name": "B", "duration": 1})).keyed("b")).await;
    assert_eq!(other.kind(), (409, "IDEMPOTENCY_KEY_REUSED"));
    let read = venue.send(get(format!("{PATH}/{}", made.id()))).await;
    assert_eq!((read.body["offerings"].as_array().unwrap().len(), &read.etag), (2, &added.etag));
}

#[tokio::test]
async fn another_tenants_level_is_unknown() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let made = venue.send(post(PATH, crew(&adult))).await;
    let one = format!("{PATH}/{}", made.id());
    let offering = made.body["offerings"][0]["id"].as_str().unwrap();
    let (below, way) =
        (format!("{one}/membershipofferings"), format!("{one}/membershipofferings/{offering}"));
    let named = json!({"id": offering, "name": "B", "duration": 1});
    for ask in [
        get(&one),
        put(PATH, json!({"id": made.id(), "name": "B"})),
        delete(&one),
        get(&below),
        post(&below, json!({"name": "B", "duration": 1})),
        put(&below, named),
        get(&way),
        delete(&way),
    ] {
        assert_eq!(venue.send(ask.clone().by("key-2")).await.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
    let theirs = venue.send(post(PATH, crew(&adult)).by("key-2")).await;
    assert_eq!(theirs.faults(), ["/offerings/0/priceLists/0/prices/0/personType/id was not found"]);
    assert_eq!(venue.send(get(&one)).await.body, made.body);
}

#[tokio::test]
async fn every_request_makes_as_many_calls_as_it_is_said_to() {
    let venue = support::open().await;
    let adult = adult(&venue).await;
    let (made, calls) = venue.counted(post(PATH, crew(&adult))).await;
    assert_eq!(calls, 2);
    let one = format!("{PATH}/{}", made.id());
    // The level and the definitions beside it.
    assert_eq!(venue.counted(get(&one)).await.1, 2);
    assert_eq!(venue.counted(put(PATH, json!({"id": made.id(), "name": "B"}))).await.1, 3);
    let below = format!("{one}/membershipofferings");
    let (added, calls) = venue.counted(post(&below, json!({"name": "B", "duration": 1}))).await;
    assert_eq!(calls, 3);
    // Who bought it, before it goes.
    assert_eq!(venue.counted(delete(format!("{below}/{}", added.id()))).await.1, 4);
    // The level, three kinds of definitions, templates and memberships at once, then the removal.
    assert_eq!(venue.counted(delete(&one)).await.1, 7);
}
