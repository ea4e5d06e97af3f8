//! Lines that buy memberships (spec §2.5).

use crate::support::{Venue, now, tenant_id, tickets};
use domain::time::plus_secs;
use serde_json::{Value, json};
use testkit::catalog::{self, ADULT, LEVEL, MEMBERSHIP, OFFERING};
use testkit::{ask, get, post, put};

/// A venue with a level of 120.00 a year for one card, and a member of it.
async fn open() -> Venue {
    let venue = Venue::open().await;
    let prices =
        json!([{"ticket_type": ADULT, "price": 15_000, "discounted_price": 12_000, "display_order": 1}]);
    let offering = json!({
        "id": OFFERING, "name": "A year", "duration_months": 12,
        "price_lists": [{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "Always", "prices": prices}],
    });
    let level = catalog::level(LEVEL, "Family", json!({"state": "published", "offerings": [offering]}));
    venue.store.save_level(tenant_id(), &level).await.unwrap();
    let membership = catalog::membership(json!({
        "joined": now(), "started": now(), "expires": plus_secs(now(), 86_400),
        "cards": [{"id": 1, "barcode": "b", "person": {"first_name": "Ines", "last_name": "Okafor"}}],
    }));
    venue.store.save_membership(tenant_id(), "members", &membership).await.unwrap();
    venue
}

fn line(action: &str, fields: Value) -> Value {
    let mut info = json!({
        "membershipCategoryId": LEVEL, "membershipOfferingId": OFFERING, "pricePointId": ADULT, "isGift": false,
    });
    info.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"itemType": action, "quantity": 1, "membershipInfo": info})
}

fn ines() -> Value {
    json!({
        "cardType": "Primary", "firstName": "Ines", "lastName": "Okafor", "email": "ines.okafor@example.org",
        "phoneNumber": "5555550142", "streetAddress1": "18 Quay Street", "streetAddress2": "Unit 4",
        "city": "Portview", "state": "CA", "zipCode": "94000", "country": "United States",
    })
}

#[tokio::test]
async fn a_membership_line_is_priced_and_answered_with_every_field() {
    let venue = open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let bought = line("membershippurchase", json!({"membershipCards": [ines()]}));
    let answer = venue.send(put(&path, json!({"id": id, "items": [bought, tickets(1)]}))).await;
    assert_eq!((answer.calls.rounds, answer.calls.total), (2, 2));
    assert_eq!(answer.body["membershipCategoryId"], LEVEL);
    let mut card = ines();
    card["cardType"] = "primary".into();
    card["constituentImportId"] = json!(null);
    let item = &answer.body["items"][0];
    assert_eq!(
        json!([
            item["itemType"],
            item["quantity"],
            item["unitPrice"],
            item["retailUnitPrice"],
            item["amount"]
        ]),
        json!(["MembershipPurchase", 1, "120.00", "150.00", "120.00"])
    );
    assert_eq!(
        item["membershipInfo"],
        json!({
            "membershipCategoryId": LEVEL, "membershipCategoryName": "Family",
            "membershipOfferingId": OFFERING, "membershipOfferingName": "A year", "pricePointId": ADULT,
            "startDate": "2027-06-01T00:00:00-04:00", "expirationDate": "2028-05-31T23:59:59-04:00", "membershipCards": [card],
            "isGift": false, "gifterInfo": null, "membershipId": null,
            "waiveBenefits": false, "notifyGiftRecipient": false, "donationAmount": "0.00",
            "markDonationAsAnonymous": false, "cancellationRefundAmount": "0.00", "auxiliary": false,
        })
    );
    assert_eq!(venue.send(get(&path)).await.body, answer.body);
    let again = json!({"id": id, "items": answer.body["items"]});
    let same = venue.send(put(&path, again)).await;
    assert_eq!(same.body["items"], answer.body["items"], "what a cart answers can be sent back");
}

#[tokio::test]
async fn a_renewal_names_its_membership_in_its_info_or_on_the_line() {
    let venue = open().await;
    let (id, path) = venue.cart_of(json!([])).await;
    let inside = line("MembershipRenewal", json!({"membershipId": MEMBERSHIP}));
    let mut outside = line("MembershipRenewal", json!({}));
    outside["membershipId"] = json!(391_150_274);
    for (renewal, sent) in [(inside, MEMBERSHIP), (outside, 391_150_274)] {
        let answer = venue.send(put(&path, json!({"id": id, "items": [renewal]}))).await;
        let info = &answer.body["items"][0]["membershipInfo"];
        assert_eq!(
            json!([info["membershipId"], info["startDate"]]),
            json!([sent, "2027-06-03T00:00:00-04:00"]),
            "{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn a_cart_created_with_a_membership_is_priced_at_once() {
    let venue = open().await;
    let renewal = line("MembershipRenewal", json!({"membershipId": MEMBERSHIP}));
    let (_, path) = venue.cart_of(json!([renewal, line("MembershipPurchase", json!({}))])).await;
    let cart = venue.send(get(&path)).await.body;
    assert_eq!(json!([cart["items"][0]["amount"], cart["items"][1]["amount"]]), json!(["120.00", "120.00"]));
    let refused = venue
        .send(post(
            "/v2/b2c/carts",
            json!({"items": [line("MembershipRenewal", json!({"membershipId": 9}))]}),
        ))
        .await;
    assert_eq!(refused.refusal(), "404 NOT_FOUND\n/items/0/membershipInfo/membershipId was not found");
}

#[tokio::test]
async fn what_is_wrong_is_pointed_at_where_it_was_sent() {
    let venue = open().await;
    let unknown = "0123456789abcdef01234567";
    let plan =
        json!({"membershipCategoryId": LEVEL, "membershipOfferingId": OFFERING, "pricePointId": ADULT});
    let beside = |action: &str, fields: Value| {
        let mut line = json!({"itemType": action, "quantity": 1});
        for part in [&plan, &fields] {
            line.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        }
        line
    };
    let two =
        json!([{"firstName": "Ines", "lastName": "Okafor"}, {"firstName": "Zoe", "lastName": "Okafor"}]);
    let stranger = json!([{"firstName": "Ines", "lastName": "Okafor", "constituentImportId": "12"}]);
    let giver = json!({"firstName": "Zoe", "lastName": "Okafor", "email": "zoe@example.org",
        "customerSource": "Kiosk", "country": "Neverland"});
    let mut in_both = line("MembershipPurchase", json!({"membershipOfferingId": null}));
    in_both["membershipOfferingId"] = json!("0123456789abcdef0123456789abcdef");
    for (line, expected) in [
        (
            beside("MembershipRenewal", json!({"membershipId": 9})),
            "404 NOT_FOUND\n/items/0/membershipId was not found",
        ),
        (
            beside("MembershipPurchase", json!({"membershipCategoryId": unknown})),
            "404 NOT_FOUND\n/items/0/membershipCategoryId was not found",
        ),
        (in_both, "404 NOT_FOUND\n/items/0/membershipOfferingId was not found"),
        (
            beside("MembershipPurchase", json!({"cards": two})),
            "400 VALIDATION_ERROR\n/items/0/cards has more cards than the offering allows",
        ),
        (
            line("MembershipPurchase", json!({"cardholders": two})),
            "400 VALIDATION_ERROR\n/items/0/membershipInfo/cardholders has more cards than the offering allows",
        ),
        (
            line("MembershipPurchase", json!({"membershipCards": [{"country": "Neverland"}]})),
            "400 VALIDATION_ERROR\n/items/0/membershipInfo/membershipCards/0/country is not one of the countries \
             listed at /v2/b2c/locations/avs/countries",
        ),
        (
            line("MembershipPurchase", json!({"isGift": true, "gifterInfo": giver})),
            "400 VALIDATION_ERROR\n/items/0/membershipInfo/gifterInfo/country is not one of the countries listed \
             at /v2/b2c/locations/avs/countries",
        ),
        (
            beside("MembershipPurchase", json!({"cardholders": stranger})),
            "404 NOT_FOUND\n/items/0/cardholders/0/constituentImportId was not found",
        ),
        (
            line("MembershipPurchase", json!({"membershipCards": stranger})),
            "404 NOT_FOUND\n/items/0/membershipInfo/membershipCards/0/constituentImportId was not found",
        ),
    ] {
        let (id, path) = venue.cart_of(json!([])).await;
        for (method, path) in [("POST", "/v2/b2c/carts"), ("PUT", path.as_str())] {
            let refused = venue.send(ask(method, path, json!({"id": id, "items": [line]}))).await;
            assert_eq!(refused.refusal(), expected, "{method} {line}");
        }
    }
}

#[tokio::test]
async fn a_line_without_a_type_is_a_purchase_and_one_without_info_is_refused() {
    let venue = open().await;
    let mut untyped = line("MembershipPurchase", json!({}));
    untyped.as_object_mut().unwrap().remove("itemType");
    let (_, path) = venue.cart_of(json!([untyped])).await;
    let cart = venue.send(get(&path)).await.body;
    assert_eq!(cart["items"][0]["itemType"], "MembershipPurchase");
    for (item, refusal) in [
        (json!({"itemType": "MembershipPurchase", "quantity": 1}), "/items/0/membershipInfo is required"),
        (
            json!({"itemType": "MembershipPurchase", "quantity": 0, "membershipInfo": 7}),
            "/items/0/quantity must be 1 for a membership\n/items/0/membershipInfo must be an object",
        ),
    ] {
        let refused = venue.send(post("/v2/b2c/carts", json!({ "items": [item] }))).await;
        assert_eq!(refused.refusal(), format!("400 VALIDATION_ERROR\n{refusal}"));
    }
}
