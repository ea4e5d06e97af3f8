//! Lines that buy memberships (spec §2.5).

use crate::support::{ADULT, Venue, now, tenant_id, tickets};
use domain::membership::{Level, Membership};
use domain::time::plus_secs;
use serde_json::{Value, json};

const LEVEL: &str = "65c7d8e9f0a1b2c3d4e5f607";
const OFFERING: &str = "1d2c3b4a59687786a5b4c3d2e1f00f1e";
const MEMBERSHIP: i64 = 4_820_117;

/// A venue with a level of 120.00 a year for one card, and a member of it.
async fn open() -> Venue {
    let venue = Venue::open().await;
    let prices =
        json!([{"ticket_type": ADULT, "price": 15_000, "discounted_price": 12_000, "display_order": 1}]);
    let level: Level = serde_json::from_value(json!({
        "id": LEVEL, "name": "Family", "state": "published",
        "offerings": [{
            "id": OFFERING, "name": "A year", "duration_months": 12,
            "price_lists": [{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "Always", "prices": prices}],
        }],
    }))
    .unwrap();
    venue.store.save_level(tenant_id(), &level).await.unwrap();
    let membership: Membership = serde_json::from_value(json!({
        "id": MEMBERSHIP, "number": 391_150_274, "level": LEVEL, "offering": OFFERING, "price_point": ADULT,
        "joined": now(), "started": now(), "expires": plus_secs(now(), 86_400),
        "cards": [{"id": 1, "barcode": "b", "person": {"first_name": "Ines", "last_name": "Okafor"}}],
    }))
    .unwrap();
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
    let answer = venue.send("PUT", &path, json!({"id": id, "items": [bought, tickets(1)]})).await;
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
    assert_eq!(venue.send("GET", &path, Value::Null).await.body, answer.body);
    let again = json!({"id": id, "items": answer.body["items"]});
    let same = venue.send("PUT", &path, again).await;
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
        let answer = venue.send("PUT", &path, json!({"id": id, "items": [renewal]})).await;
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
    let cart = venue.send("GET", &path, Value::Null).await.body;
    assert_eq!(json!([cart["items"][0]["amount"], cart["items"][1]["amount"]]), json!(["120.00", "120.00"]));
    let refused = venue
        .send(
            "POST",
            "/v2/b2c/carts",
            json!({"items": [line("MembershipRenewal", json!({"membershipId": 9}))]}),
        )
        .await;
    assert_eq!(refused.refusal(), "404 NOT_FOUND\n/items/0/membershipInfo/membershipId was not found");
}

#[tokio::test]
async fn a_line_without_a_type_is_a_purchase_and_one_without_info_is_refused() {
    let venue = open().await;
    let mut untyped = line("MembershipPurchase", json!({}));
    untyped.as_object_mut().unwrap().remove("itemType");
    let (_, path) = venue.cart_of(json!([untyped])).await;
    let cart = venue.send("GET", &path, Value::Null).await.body;
    assert_eq!(cart["items"][0]["itemType"], "MembershipPurchase");
    for (item, refusal) in [
        (json!({"itemType": "MembershipPurchase", "quantity": 1}), "/items/0/membershipInfo is required"),
        (
            json!({"itemType": "MembershipPurchase", "quantity": 0, "membershipInfo": 7}),
            "/items/0/quantity must be 1 for a membership\n/items/0/membershipInfo must be an object",
        ),
    ] {
        let refused = venue.send("POST", "/v2/b2c/carts", json!({ "items": [item] })).await;
        assert_eq!(refused.refusal(), format!("400 VALIDATION_ERROR\n{refusal}"));
    }
}
