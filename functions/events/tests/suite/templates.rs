//! Lists of templates and single ones.

use crate::support::{Venue, template};
use serde_json::json;

const NOW: &str = "2027-07-04T12:00:00-04:00";

async fn venue() -> Venue {
    let once = |start: &str| json!({"startTime": start, "endTime": start});
    Venue::open(
        "America/New_York",
        vec![
            template("july", once("2027-07-10T20:00:00")),
            template("august", once("2027-08-10T20:00:00")),
            template("over", once("2027-07-04T11:00:00")),
            template("private", json!({"type": "private", "startTime": "2027-07-11T20:00:00"})),
            template("members", json!({"memberOnlyEvent": true, "startTime": "2027-07-12T20:00:00"})),
            template("draft", json!({"reviewState": "Draft", "startTime": "2027-07-13T20:00:00"})),
        ],
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_filter_by_range_and_type_and_read_the_catalog_and_the_next_slots() {
    let venue = venue().await;
    for (query, expected) in [
        ("", vec!["august", "july"]),
        ("?endTime=2027-07-31", vec!["august", "july"]),
        ("?startTime=2027-07-10", vec!["july"]),
        ("?startTime=2027-07-10T20:00:00-04:00", vec!["july"]),
        ("?startTime=2027-07-10T20:00:01-04:00", vec![]),
        ("?startTime=2027-07-01&endTime=2027-08-10T20:00:00", vec!["august", "july"]),
        ("?startTime=2027-07-01&endTime=2027-08-10T19:59:59", vec!["july"]),
        ("?endTime=1999-01-01", vec!["august", "july"]),
        ("?endTime=2999-01-01", vec!["august", "july"]),
        ("?endTime=soon", vec!["august", "july"]),
        ("?type=private", vec!["private"]),
        ("?type=ALL", vec!["august", "july", "private"]),
    ] {
        let answer = venue.get(NOW, &format!("/v2/b2c/event/templates{query}")).await;
        assert_eq!(answer.ids(), expected, "{query}");
        assert!(answer.calls.rounds <= 2, "{query}: {:?}", answer.calls);
        let again = venue.get(NOW, &format!("/v2/b2c/event/templates{query}")).await;
        assert_eq!(again.ids(), expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_slim_list_is_of_today_and_has_epoch_milliseconds() {
    let venue = venue().await;
    let today = venue.get("2027-07-10T09:00:00-04:00", "/v2/b2c/event/templates/slim").await;
    insta::assert_json_snapshot!(today.body, @r#"
    [
      {
        "admissionType": "standard",
        "available": true,
        "capacity": 50,
        "colorCategory": null,
        "discountAvailable": false,
        "displayOrder": 0,
        "duration": {
          "hour": 2,
          "minutes": 0
        },
        "endTime": 1815264000000,
        "id": "july",
        "images": [],
        "memberOnlyEvent": false,
        "name": "Harbor Gallery Entry",
        "shortDescription": "The permanent collection.",
        "startTime": 1815264000000,
        "summary": "",
        "type": "standard"
      }
    ]
    "#);
    assert_eq!(today.calls.total, 1, "the next slots of the one that is listed");
    let tomorrow = venue.get("2027-07-09T09:00:00-04:00", "/v2/b2c/event/templates/slim").await;
    assert!(tomorrow.ids().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_is_named_is_shown_unless_it_is_a_draft_or_for_members() {
    let venue = venue().await;
    for (id, status) in
        [("july", 200), ("private", 200), ("members", 404), ("draft", 404), ("nothing", 404), ("a%23b", 404)]
    {
        let answer = venue.get(NOW, &format!("/v2/b2c/event/templates/{id}")).await;
        // Its next slots and its sold seats are read beside each other.
        let calls = if status == 200 { 2 } else { 0 };
        assert_eq!((answer.status, answer.calls.total), (status, calls), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_has_the_fields_of_the_specification() {
    let venue = venue().await;
    let answer = venue.get(NOW, "/v2/b2c/event/templates/july").await;
    insta::assert_json_snapshot!(answer.body, @r#"
    {
      "GLCode": null,
      "addOns": {
        "inventoryAddOns": [],
        "inventoryIds": []
      },
      "admissionType": "standard",
      "allMembersCanPurchase": false,
      "available": true,
      "capacity": 50,
      "colorCategory": null,
      "customFields": [],
      "description": "The permanent collection.",
      "discountAvailable": false,
      "displayOrder": 0,
      "duration": {
        "hour": 2,
        "minutes": 0
      },
      "emailCancellationMessage": "",
      "emailConfirmationMessage": "",
      "emailNotify": [],
      "endTime": "2027-07-10T20:00:00-04:00",
      "entitlementConfiguration": null,
      "id": "july",
      "images": [],
      "lastPublished": null,
      "lastUpdated": "2026-12-31T19:00:00-05:00",
      "memberOnlyEvent": false,
      "membership": {
        "discounts": [],
        "restrictions": {
          "categories": []
        }
      },
      "name": "Harbor Gallery Entry",
      "orderForms": [],
      "prerequisites": null,
      "priceLists": [
        {
          "description": "",
          "id": "july-prices",
          "name": "Admission",
          "prices": [
            {
              "discount": null,
              "discountedPrice": null,
              "displayOrder": 1,
              "personType": {
                "active": true,
                "description": "18 and over",
                "displayOrder": 1,
                "id": "adult",
                "name": "Adult",
                "type": "individual"
              },
              "price": 18.0,
              "primePrice": null,
              "salesChannels": [
                {
                  "channel": "online",
                  "enabled": true,
                  "name": "Online"
                }
              ]
            }
          ],
          "startTime": null
        }
      ],
      "publishSoldQuantity": true,
      "ratings": null,
      "rebookingFee": null,
      "recommendations": {
        "recommendations": []
      },
      "resources": [],
      "reviewState": "Published",
      "ruleSets": null,
      "schedules": [],
      "shortDescription": "The permanent collection.",
      "soldQuantity": 0,
      "stars": null,
      "startTime": "2027-07-10T20:00:00-04:00",
      "summary": "",
      "thirdPartyEvent": false,
      "thirdPartyPercentage": null,
      "ticketDetails": {
        "checkInWindow": null,
        "doNotPrint": false,
        "expireFromEventDate": false,
        "hideEventDate": false,
        "postStartPurchase": {
          "allowLateTicketPurchase": false
        },
        "purchaseAvailability": null,
        "ticketDurationDays": null,
        "ticketPrintLines": []
      },
      "type": "standard"
    }
    "#);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_parameter_is_named() {
    let venue = venue().await;
    let query = "startTime=soon&endTime=2027-02-30&type=public&saleChannel=fax&membershipId=x\
                 &membershipCategoryId=a%20b&comboTemplateId=%23";
    for path in
        ["/v2/b2c/event/templates", "/v2/b2c/event/templates/slim", "/v2/b2c/event/templates/july/times"]
    {
        let answer = venue.get(NOW, &format!("{path}?{query}")).await;
        insta::allow_duplicates! { insta::assert_snapshot!(answer.refusal(), @r#"
    400 VALIDATION_ERROR
    type must be one of standard, private, all
    saleChannel must be one of online, customerRep, pointOfSale, kiosk, manualEntry, reseller
    membershipId must be a membership number
    membershipCategoryId must be the id of a membership level
    comboTemplateId must be the id of a combination
    startTime must be an ISO 8601 date and time
    endTime must be an ISO 8601 date and time
    "#); }
    }
    let inverted = "/v2/b2c/event/templates/slim?startTime=2027-07-02&endTime=2027-07-01";
    assert_eq!(
        venue.get(NOW, inverted).await.refusal(),
        "400 VALIDATION_ERROR\nendTime must not be before startTime"
    );
    let long = "/v2/b2c/event/templates/calendar?startTime=2027-07-02&endTime=2037-07-01";
    assert_eq!(
        venue.get(NOW, long).await.refusal(),
        "400 VALIDATION_ERROR\nendTime must be at most 1098 days after startTime"
    );
}
