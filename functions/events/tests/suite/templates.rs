//! Lists of templates and single ones.

use crate::support::{Listed, Venue, daily, template};
use serde_json::{Value, json};
use std::collections::BTreeSet;

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

#[tokio::test(start_paused = true)]
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
        "nextAvailable": 1815264000000,
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
async fn templates_in_short_are_the_slim_list_with_schedules_and_times_to_read() {
    let at_ten = json!({"schedules": daily(&[(10, 0)])});
    let venue = Venue::open("America/New_York", vec![template("entry", at_ten)]).await;
    let slim = venue.get(NOW, "/v2/b2c/event/templates/slim").await;
    let mut summaries = venue.get(NOW, "/v2/b2c/event/templates/summaries").await;
    assert_eq!((summaries.ids(), summaries.calls.total), (vec!["entry"], 1));
    let of_slim = slim.body[0].as_object().unwrap();
    let summary = summaries.body[0].as_object_mut().unwrap();
    let is_moment = |name: &str| name.ends_with("Time") || name == "nextAvailable";
    for (name, value) in of_slim.iter().filter(|(name, _)| !is_moment(name)) {
        assert_eq!(summary.remove(name).as_ref(), Some(value), "{name}");
    }
    let schedules = summary["schedules"].as_array().unwrap();
    let named = |schedule: &Value| schedule["id"].is_string() && schedule["name"].is_string();
    assert!(schedules.len() == 1 && schedules.iter().all(named), "{schedules:?}");
    assert_eq!(summary["startTime"], "2027-01-01T00:00:00-05:00");
    let names: BTreeSet<&str> = summary.keys().map(String::as_str).collect();
    let further = ["endTime", "lastPublished", "lastUpdated", "nextAvailable", "schedules", "startTime"];
    assert_eq!(names, BTreeSet::from(further));
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_say_when_the_next_seats_are_to_be_had_and_read_no_more_for_it() {
    let at_ten = json!({"schedules": daily(&[(10, 0), (14, 0)])});
    let venue = Venue::open("America/New_York", vec![template("entry", at_ten)]).await;
    let next = async |list: &str, now: &str| {
        let range = "startTime=2027-07-01&endTime=2027-07-31";
        let answer = venue.get(now, &format!("/v2/b2c/event/templates/{list}?{range}")).await;
        assert_eq!(answer.calls.total, 1, "{list} at {now}");
        answer.body[0]["nextAvailable"].clone()
    };
    assert_eq!(next("summaries", NOW).await, "2027-07-04T14:00:00-04:00");
    assert_eq!(next("slim", NOW).await, 1_814_724_000_000_i64);
    venue.sell_out("2027-07-04T14:00:00").await;
    assert_eq!(next("summaries", NOW).await, "2027-07-05T10:00:00-04:00");
    // The same as the event itself says.
    let one = venue.get(NOW, "/v2/b2c/events/entry/nextAvailable").await;
    assert_eq!(one.body["startTime"], "2027-07-05T10:00:00-04:00");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_is_named_is_shown_unless_it_is_a_draft_or_for_members() {
    let venue = venue().await;
    // The next slots of a template are read, and its sold seats where a list has not read them a moment ago.
    for (id, status, calls) in [
        ("july", 200, 1),
        ("private", 200, 2),
        ("members", 404, 0),
        ("draft", 404, 0),
        ("nothing", 404, 0),
        ("a%23b", 404, 0),
    ] {
        let answer = venue.get(NOW, &format!("/v2/b2c/event/templates/{id}")).await;
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
        "reentry": "never",
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
    for path in [
        "/v2/b2c/event/templates",
        "/v2/b2c/event/templates/slim",
        "/v2/b2c/event/templates/summaries",
        "/v2/b2c/event/templates/times",
        "/v2/b2c/event/templates/calendar",
        "/v2/b2c/event/templates/july/calendar",
    ] {
        let answer = venue.get(NOW, &format!("{path}?{query}")).await;
        insta::allow_duplicates! { insta::assert_snapshot!(answer.refusal(), @r#"
    400 VALIDATION_ERROR
    type must be one of standard, private, all
    saleChannel must be one of online, customerRep, pointOfSale, kiosk, manualEntry, reseller
    membershipId must be a membership number
    membershipCategoryId must be the id of a membership level
    startTime must be an ISO 8601 date and time
    endTime must be an ISO 8601 date and time
    "#); }
    }
    for path in ["/v2/b2c/event/templates/july/times", "/v2/b2c/event/templates/july/instances"] {
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
    for (end, fault) in
        [("soon", "be an ISO 8601 date and time"), ("", "not be blank"), ("%20", "not be blank")]
    {
        let answer = venue.get(NOW, &format!("/v2/b2c/event/templates?endTime={end}")).await;
        assert_eq!(answer.refusal(), format!("400 VALIDATION_ERROR\nendTime must {fault}"));
    }
    let long = "/v2/b2c/event/templates/calendar?startTime=2027-07-02&endTime=2037-07-01";
    assert_eq!(
        venue.get(NOW, long).await.refusal(),
        "400 VALIDATION_ERROR\nendTime must be at most 1098 days after startTime"
    );
}
