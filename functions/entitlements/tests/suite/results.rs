//! What carts come to.

use crate::support::{LINE, MOVED, Rules, Venue, ask, entries, members_cart, tally, tickets, tickets_for};
use serde_json::{Value, json};
use store::Consistency;
use testkit::catalog::{ADULT, CHILD, LEVEL, MEMBERSHIP, NUMBER};

/// The counter of the usual rule on the day of the visit.
const TODAY: &str = "day-2027-06-03";
const COUNTER: &str = "Adult_Child_Limit_4#";

fn line(quantity: u32) -> Value {
    let mut line = tickets(ADULT, quantity);
    line["itemId"] = LINE.into();
    line
}

#[tokio::test]
async fn a_cart_beyond_a_limit_is_told_the_limit() {
    let venue = Venue::open(Rules::usual()).await;
    let answer = venue.validate(members_cart(json!([line(6)]))).await;
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer.body).unwrap(), @r#"
    {
      "memberMessages": [],
      "messages": [
        "Rule failed:Adult_Child_Limit_4"
      ],
      "passed": [],
      "results": [
        {
          "allowedQuantity": 4,
          "items": [
            {
              "amount": "60.00",
              "eventId": "eed214b66c0166e05f729454",
              "eventName": "Harbor Gallery Entry",
              "itemId": "e4b1f7a0c2d94c5fa8e6137b90d2c516",
              "quantity": 6,
              "retailUnitPrice": "18.00",
              "ticketingTypeId": "66d1b2f0a93c4e517720bb01",
              "ticketingTypeName": "Adult",
              "unitPrice": "10.00"
            }
          ],
          "membershipId": 4820117,
          "membershipLevelId": "65c7d8e9f0a1b2c3d4e5f607",
          "pricepointIds": [
            "66d1b2f0a93c4e517720bb01",
            "66d1b2f0a93c4e517720bb02"
          ],
          "purchasedQuantity": 0,
          "reason": "Cart",
          "requestedQuantity": 6,
          "ruleSetId": "6a0607002ff0c5fd6a36d3bb",
          "ruleType": "memberBenefits",
          "rulesApplied": [
            {
              "id": "Adult_Child_Limit_4",
              "message": "Rule failed:Adult_Child_Limit_4",
              "messageCode": "Adult_Child_Limit_4-ERROR",
              "valid": false
            }
          ],
          "timeFrame": "oneDay",
          "valid": false,
          "validatedPricePointIds": []
        }
      ],
      "valid": false,
      "violations": [
        {
          "allowedQuantity": 4,
          "eventId": "eed214b66c0166e05f729454",
          "membershipId": 4820117,
          "message": "Tickets left at the member price: 4",
          "pricePointId": "66d1b2f0a93c4e517720bb01",
          "pricePointIds": [
            "66d1b2f0a93c4e517720bb01",
            "66d1b2f0a93c4e517720bb02"
          ],
          "pricePoints": [
            "Adult",
            "Child"
          ],
          "purchasedQuantity": 0,
          "reason": "Cart",
          "requestedQuantity": 6,
          "ruleType": "memberBenefits",
          "timeFrame": "day",
          "validatedPricePointIds": [],
          "validatedPricePoints": []
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn a_cart_within_a_limit_passes() {
    let venue = Venue::open(Rules::usual()).await;
    let answer = venue.validate(members_cart(json!([line(2)]))).await;
    let mut expected = json!({"valid": true, "messages": [], "memberMessages": [], "violations": []});
    expected["results"] = answer.body["results"].clone();
    expected["passed"] = answer.body["results"].clone();
    assert_eq!(answer.body, expected);
    assert_eq!(entries(&answer), ["Adult_Child_Limit_4: 0 and 2 of 4, true"]);
    assert_eq!(
        answer.body["results"][0]["rulesApplied"],
        json!([{"id": "Adult_Child_Limit_4", "valid": true}])
    );
    let counted = venue.store.get_item(&tally(TODAY), Consistency::Strong).await.unwrap();
    assert_eq!(counted, None, "nothing is written");
}

#[tokio::test]
async fn put_is_post_and_a_stored_cart_is_one_within_the_request() {
    let venue = Venue::open(Rules::usual()).await;
    venue.used(TODAY, COUNTER, 3).await;
    let cart = venue.cart(2).await;
    let mut inline = members_cart(json!([line(2)]));
    let expected = venue.validate(inline.clone()).await.body;
    for method in ["POST", "PUT"] {
        let stored = venue.send(ask(method, json!({"id": cart}))).await;
        assert_eq!(entries(&stored), ["Adult_Child_Limit_4: 3 and 2 of 4, false"]);
        assert_eq!(stored.body, expected, "{method}");
        // The cart as it is read has both its id and its items.
        inline["id"] = json!(cart);
        assert_eq!(venue.send(ask(method, inline.clone())).await.body, expected, "{method}");
    }
}

#[tokio::test]
async fn a_cart_in_the_request_takes_one_round_trip_and_a_stored_one_two() {
    let venue = Venue::open(Rules::usual()).await;
    venue.used(TODAY, COUNTER, 1).await;
    let cart = venue.cart(2).await;
    let inline = venue.validate(members_cart(json!([tickets(ADULT, 2)]))).await;
    let stored = venue.validate(json!({"id": cart})).await;
    let nobody = venue.validate(json!({"items": [tickets(ADULT, 2)]})).await;
    let rounds = [&inline, &stored, &nobody].map(|answer| answer.calls.rounds);
    assert_eq!(rounds, [1, 2, 1], "{} {}", inline.body, stored.body);
    // The number, under which uses are counted, is known once the membership is read.
    let by_id = venue.validate(json!({"membershipIds": [MEMBERSHIP], "items": [tickets(ADULT, 2)]})).await;
    assert_eq!(by_id.calls.rounds, 2);
    for answer in [inline, stored, by_id] {
        assert_eq!(entries(&answer), ["Adult_Child_Limit_4: 1 and 2 of 4, true"]);
    }
}

#[tokio::test]
async fn a_slot_that_was_moved_counts_for_the_day_it_was_moved_to() {
    let venue = Venue::open(Rules::usual()).await;
    venue.used(TODAY, COUNTER, 4).await;
    venue.used("day-2027-06-04", COUNTER, 1).await;
    let answer = venue.validate(members_cart(json!([tickets_for(MOVED, ADULT, 2)]))).await;
    assert_eq!(entries(&answer), ["Adult_Child_Limit_4: 1 and 2 of 4, true"]);
    assert_eq!(answer.calls.rounds, 2);
}

#[tokio::test]
async fn only_tickets_at_the_member_price_count_for_a_membership() {
    let venue = Venue::open(Rules::usual()).await;
    let with = |mut line: Value, fields: Value| {
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        line
    };
    for (case, items, expected) in [
        ("adults and children", json!([tickets(ADULT, 3), tickets(CHILD, 2)]), vec!["3 and 2 lines"]),
        (
            "over two slots of the day",
            json!([tickets(ADULT, 3), tickets_for(1, ADULT, 2)]),
            vec!["3 and 2 lines"],
        ),
        (
            "at full price",
            json!([tickets(ADULT, 4), with(tickets(ADULT, 9), json!({"isRetail": true}))]),
            vec!["4"],
        ),
        (
            "exempt",
            json!([tickets(ADULT, 4), with(tickets(ADULT, 9), json!({"ignoreEntitlements": true}))]),
            vec!["4"],
        ),
        ("nothing at the member price", json!([with(tickets(ADULT, 9), json!({"isRetail": true}))]), vec![]),
    ] {
        let answer = venue.validate(members_cart(items)).await;
        let requested: Vec<_> = answer.body["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| &entry["requestedQuantity"])
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|said| if said.len() > 1 { json!(5) } else { json!(4) }).collect();
        assert_eq!(requested, expected.iter().collect::<Vec<_>>(), "{case}: {}", answer.body);
    }
    let nobody = venue.validate(json!({"items": [tickets(ADULT, 9)]})).await;
    assert_eq!(
        nobody.body,
        json!({"valid": true, "messages": [], "results": [], "violations": [], "passed": [], "memberMessages": []})
    );
    let level = venue.validate(json!({"membershipCategoryId": LEVEL, "items": [tickets(ADULT, 5)]})).await;
    assert_eq!(entries(&level), ["Adult_Child_Limit_4: 0 and 5 of 4, false"]);
    let entry = &level.body["results"][0];
    assert_eq!((&entry["membershipId"], &entry["membershipLevelId"]), (&Value::Null, &json!(LEVEL)));
}

#[tokio::test]
async fn every_limit_of_a_template_has_entries_of_its_own() {
    let mut rules = Rules::usual();
    let each = json!({"id": "Each_Year", "limit": 2, "applies": "forEachItem", "period": "year"});
    rules.rules.as_array_mut().unwrap().push(each);
    rules.max_tickets = Some(3);
    rules.limits = json!({"per_order": 1, "per_type": [{"ticket_type": CHILD, "limit": 1}]});
    let venue = Venue::open(rules).await;
    venue.used("year-2027", &format!("Each_Year#{CHILD}"), 2).await;
    let mut retail = tickets(CHILD, 2);
    retail["isRetail"] = true.into();
    let answer = venue.validate(members_cart(json!([tickets(ADULT, 3), tickets(CHILD, 1), retail]))).await;
    assert_eq!(
        entries(&answer),
        [
            "Adult_Child_Limit_4: 0 and 4 of 4, true",
            "Each_Year: 0 and 3 of 2, false",
            "Each_Year: 2 and 1 of 2, false",
            "Member_Discount_Max_3: 0 and 4 of 3, false",
            "Ticket_Limit_Per_Order_1: 0 and 2 of 1, false",
            "Ticket_Limit_Per_Type_1: 0 and 2 of 1, false",
        ]
    );
    let messages = [
        "Rule failed:Each_Year",
        "Rule failed:Member_Discount_Max_3",
        "Rule failed:Ticket_Limit_Per_Order_1",
        "Rule failed:Ticket_Limit_Per_Type_1",
    ];
    assert_eq!(answer.body["messages"], json!(messages));
    let frames = |list: &str| -> Vec<String> {
        let entries = answer.body[list].as_array().unwrap().iter();
        entries
            .map(|entry| format!("{} {}", entry["timeFrame"], entry["ruleType"]).replace('"', ""))
            .collect()
    };
    assert_eq!(
        frames("results"),
        [
            "oneDay memberBenefits",
            "oneYear memberBenefits",
            "oneYear memberBenefits",
            "order memberBenefits",
            "order ticketLimits",
            "order ticketLimits",
        ]
    );
    assert_eq!(
        frames("violations"),
        [
            "year memberBenefits",
            "year memberBenefits",
            "order memberBenefits",
            "order ticketLimits",
            "order ticketLimits",
        ]
    );
    let everybody = &answer.body["results"][4];
    let nobody = json!(null);
    assert_eq!((&everybody["membershipId"], &everybody["membershipLevelId"]), (&nobody, &nobody));
    assert_eq!(answer.body["passed"].as_array().unwrap().len(), 1);
    let rule_set = &answer.body["results"][0]["ruleSetId"];
    assert!(answer.body["results"].as_array().unwrap().iter().all(|entry| entry["ruleSetId"] == *rule_set));
}

#[tokio::test]
async fn a_membership_counts_once_however_often_and_in_whatever_order_it_is_named() {
    let venue = Venue::open(Rules::usual()).await;
    let cart = |memberships: Value, items: Value| json!({"membershipIds": memberships, "items": items});
    let mut two = tickets_for(1, CHILD, 2);
    two["itemId"] = "f4b1f7a0c2d94c5fa8e6137b90d2c516".into();
    let expected = venue.validate(cart(json!([NUMBER]), json!([line(3), two]))).await.body;
    for (memberships, items) in [
        (json!([NUMBER, NUMBER]), json!([line(3), two])),
        (json!([MEMBERSHIP, NUMBER]), json!([two, line(3)])),
        (json!([NUMBER, MEMBERSHIP]), json!([two, line(3)])),
    ] {
        assert_eq!(venue.validate(cart(memberships, items)).await.body, expected);
    }
}
