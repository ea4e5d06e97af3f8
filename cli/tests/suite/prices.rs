//! Member prices and coupons, from the back office that defines them to the order that uses them.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{ADULT, SHOP, STAFF, ask, ok};
use boxoffice::testing::Service;
use serde_json::{Value, json};
use testkit::Answer;

const LEVEL: &str = "1001bb000000000000000001";
const MEMBERSHIP: i64 = 100_100_051;
const NUMBER: i64 = 100_100_031;

fn payer(cart: Value) -> Value {
    json!({
        "shoppingCart": cart, "billingEmail": "buyer@example.test", "billingZipCode": "10004",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    })
}

/// A member event of three slots at 20.05 for an adult, with a third off for members.
async fn member_event(service: &Service) -> (String, String) {
    let third = json!({"name": "A third", "values": [
        {"personTypeId": ADULT, "discountType": "percent", "value": "33.33"},
    ]});
    let discount = ok(service, "POST", "/v2/b2b/discounts", &STAFF, third).await["id"].clone();
    let template = json!({
        "name": "Members’ Evening", "description": "With the curator.", "reviewState": "Published",
        "duration": {"hour": 1, "minutes": 30}, "capacity": 3, "memberOnlyEvent": true,
        "startTime": "2028-05-06T19:00:00", "endTime": "2028-05-06T23:00:00",
        "priceLists": [{"id": "evening", "name": "Evening", "prices": [
            {"personType": {"id": ADULT}, "price": "20.05", "displayOrder": 1},
        ]}],
        "membership": {"discounts": [{"category": {"id": LEVEL}, "discount": {"id": discount}}]},
    });
    let made = ok(service, "POST", "/v2/b2b/event/templates", &STAFF, template).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let times = format!("/v2/b2c/event/templates/{id}/times?startTime=2028-05-06");
    let seen = ok(service, "GET", &format!("{times}&membershipId={NUMBER}"), &SHOP, Value::Null).await;
    (id, seen[0]["id"].as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_for_members_shows_and_sells_at_one_price_to_them_alone() {
    let service = Service::start().await;
    let (template, instance) = member_event(&service).await;
    let range = "startTime=2028-05-06";
    let paths = [
        format!("/v2/b2c/event/templates/{template}/times?{range}"),
        format!("/v2/b2c/event/templates/{template}?"),
        format!("/v2/b2c/event/templates/{template}/calendar?{range}"),
        format!("/v2/b2c/events/{template}/nextAvailable?"),
        format!("/v2/b2c/events/{instance}?"),
    ];
    for path in &paths {
        let stranger = ask(&service, "GET", path, &SHOP, Value::Null).await;
        assert_eq!(stranger.status, 404, "{path}: {}", stranger.body);
        let unknown = ask(&service, "GET", &format!("{path}&membershipId=77"), &SHOP, Value::Null).await;
        assert_eq!(unknown.body["type"], stranger.body["type"], "{path}");
        for buyer in [
            format!("membershipId={NUMBER}"),
            format!("membershipId={MEMBERSHIP}"),
            format!("membershipCategoryId={LEVEL}"),
        ] {
            ok(&service, "GET", &format!("{path}&{buyer}"), &SHOP, Value::Null).await;
        }
    }
    let seen = |path: String| {
        let service = &service;
        async move { ok(service, "GET", &path, &SHOP, Value::Null).await }
    };
    let time = seen(format!("{}&membershipId={NUMBER}", paths[0])).await;
    let price = &time[0]["event"]["priceList"]["prices"][0];
    assert_eq!((&price["price"], &price["discount"]), (&json!(13.37), &json!(6.68)));
    let whole = seen(format!("{}&membershipCategoryId={LEVEL}", paths[1])).await;
    assert_eq!(whole["priceLists"][0]["prices"][0]["price"], json!(13.37));
    for list in ["", "/slim", "/times"] {
        let path = format!("/v2/b2c/event/templates{list}?{range}");
        let lists = async |path: String| seen(path).await.to_string().contains(&template);
        assert!(!lists(path.clone()).await, "{list}");
        assert!(lists(format!("{path}&membershipId={NUMBER}")).await, "{list}");
    }
    // The cart charges what browsing shows, and strangers nothing.
    let line = json!({"eventId": instance, "ticketingTypeId": ADULT, "quantity": 2});
    let stranger = ask(&service, "POST", "/v2/b2c/carts", &SHOP, json!({"items": [line]})).await;
    assert_eq!(stranger.body["details"][0]["field"], "/items/0/eventId", "{}", stranger.body);
    let cart = json!({"items": [line], "membershipIds": [NUMBER]});
    let id = ok(&service, "POST", "/v2/b2c/carts", &SHOP, cart.clone()).await;
    let read =
        ok(&service, "GET", &format!("/v2/b2c/carts/{}", id.as_str().unwrap()), &SHOP, Value::Null).await;
    assert_eq!(read["items"][0]["unitPrice"], "13.37", "a new cart is priced for its members too");
    let order = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, payer(cart)).await;
    assert_eq!(
        (&order["totalAmount"], &order["orderItems"][0]["unitPrice"]),
        (&json!("40.10"), &json!("20.05"))
    );
    assert_eq!(order["discountedTotalAmount"], "26.74");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_that_were_tried_are_explained_on_request() {
    let service = Service::start().await;
    let (_, instance) = member_event(&service).await;
    let id = ok(&service, "POST", "/v2/b2c/carts", &SHOP, json!({})).await;
    let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
    let line = json!({"eventId": instance, "ticketingTypeId": ADULT, "quantity": 1});
    let cart = json!({"id": id, "items": [line], "membershipIds": [MEMBERSHIP], "couponCodes": ["welcome10", "NIX"]});
    let explain = [SHOP[0], SHOP[1], SHOP[2], ("x-service-explain", "true")];
    let told = ok(&service, "PUT", &path, &explain, cart.clone()).await;
    insta::assert_json_snapshot!(told["items"][0]["priceTrace"], @r#"
    [
      {
        "comboTemplateId": null,
        "couponCode": null,
        "exactUnitPrice": null,
        "membershipCategoryId": null,
        "membershipId": null,
        "reason": null,
        "result": "outranked",
        "rule": "fullPrice",
        "specification": "§2.3",
        "unitPrice": "20.05"
      },
      {
        "comboTemplateId": null,
        "couponCode": null,
        "exactUnitPrice": "13.367335",
        "membershipCategoryId": "1001bb000000000000000001",
        "membershipId": 100100051,
        "reason": null,
        "result": "outranked",
        "rule": "memberPrice",
        "specification": "§4.1 rule 1",
        "unitPrice": "13.37"
      },
      {
        "comboTemplateId": null,
        "couponCode": "welcome10",
        "exactUnitPrice": "18.045",
        "membershipCategoryId": null,
        "membershipId": null,
        "reason": null,
        "result": "applied",
        "rule": "cartCoupon",
        "specification": "§4.1 rule 4",
        "unitPrice": "18.05"
      },
      {
        "comboTemplateId": null,
        "couponCode": "NIX",
        "exactUnitPrice": null,
        "membershipCategoryId": null,
        "membershipId": null,
        "reason": "There is no such coupon",
        "result": "notApplicable",
        "rule": "cartCoupon",
        "specification": "§4.1 rule 4",
        "unitPrice": null
      }
    ]
    "#);
    assert_eq!(told["couponMessages"], json!([{"code": "NIX", "reason": "There is no such coupon"}]));
    let plain = ok(&service, "PUT", &path, &SHOP, cart).await;
    assert_eq!(plain["items"][0].get("priceTrace"), None);
    assert_eq!(plain["items"][0]["unitPrice"], told["items"][0]["unitPrice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coupon_is_used_as_often_as_it_may_be_and_given_back_when_the_card_is_declined() {
    let service = Service::start().await;
    let once =
        json!({"name": "Once", "code": "ONCE", "discountType": "amount", "value": "1.00", "maxUses": 1});
    let coupon = ok(&service, "POST", "/v2/b2b/coupons", &STAFF, once.clone()).await;
    let next = "/v2/b2c/events/1001ee000000000000000001/nextAvailable";
    let instance = ok(&service, "GET", next, &SHOP, Value::Null).await["id"].clone();
    let cart = |quantity: u32| {
        json!({
            "items": [{"eventId": instance, "ticketingTypeId": ADULT, "quantity": quantity}],
            "couponCodes": ["once"],
        })
    };
    let mut declined = payer(cart(1));
    declined["manualEntryCardNumber"] = json!("4000000000000002");
    let refused = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, declined).await;
    assert_eq!(refused.body["type"], "CARD_DECLINED");
    // Of many at once, one gets it.
    let races = (1..=12).map(|quantity| {
        let body = payer(cart(quantity));
        let service = &service;
        async move { ask(service, "POST", "/v2/b2c/checkout", &SHOP, body).await }
    });
    let answers = futures_of(races).await;
    let orders = answers.iter().filter(|answer| answer.status == 200).count();
    let kinds: Vec<&Value> = answers.iter().map(|answer| &answer.body["type"]).collect();
    assert_eq!(orders, 1, "{kinds:?}");
    assert!(kinds.iter().all(|kind| kind.is_null() || *kind == "COUPON_USED_UP"), "{kinds:?}");
    let id = ok(&service, "POST", "/v2/b2c/carts", &SHOP, json!({})).await;
    let mut stored = cart(1);
    stored["id"] = id.clone();
    let path = format!("/v2/b2c/carts/{}", id.as_str().unwrap());
    let told = ok(&service, "PUT", &path, &SHOP, stored).await;
    assert_eq!(told["couponMessages"][0]["reason"], "The coupon has reached its usage limit");
    assert_eq!(told["items"][0]["unitPrice"], "18.00");
    // The limit can be raised afterwards.
    let mut twice = once;
    twice["maxUses"] = json!(2);
    let path = format!("/v2/b2b/coupons/{}", coupon["id"].as_str().unwrap());
    ok(&service, "PUT", &path, &STAFF, twice).await;
    let order = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, payer(cart(13))).await;
    assert_eq!(order["discountedTotalAmount"], "221.00");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_pieces_of_an_add_on_are_sold_than_there_are() {
    let service = Service::start().await;
    let audio = json!({"name": "Audio guide", "sku": "AG", "type": "addOn", "price": "4.50", "stock": 5});
    let made = ok(&service, "POST", "/v2/b2b/inventory", &STAFF, audio).await;
    let buy = |quantities: &[u32]| {
        let items: Vec<Value> = quantities
            .iter()
            .map(|quantity| json!({"inventoryId": made["id"], "itemType": "Inventory", "quantity": quantity}))
            .collect();
        payer(json!({ "items": items }))
    };
    for (quantities, finding) in [(&[4, 2][..], Some("NOT_ENOUGH_CAPACITY")), (&[5], None)] {
        let mut looked_at = buy(quantities);
        looked_at["dryRun"] = json!(true);
        let report = ok(&service, "POST", "/v2/b2c/checkout", &SHOP, looked_at).await;
        assert_eq!(report["findings"][0]["type"].as_str(), finding, "{report}");
    }
    let refused = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, buy(&[4, 2])).await;
    assert_eq!(
        (&refused.body["type"], &refused.body["inventoryId"]),
        (&json!("NOT_ENOUGH_CAPACITY"), &made["id"])
    );
    let mut declined = buy(&[5]);
    declined["manualEntryCardNumber"] = json!("4000000000000002");
    let declined = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, declined).await;
    assert_eq!(declined.body["type"], "CARD_DECLINED");
    // Different totals, so that no two look like one charge made twice.
    let quantities = [[2, 0], [1, 0], [3, 0], [4, 0]];
    let races = quantities.iter().map(|quantities| {
        let (service, body) = (&service, buy(quantities));
        async move { ask(service, "POST", "/v2/b2c/checkout", &SHOP, body).await }
    });
    let answers = futures_of(races).await;
    let sold: u32 = answers
        .iter()
        .zip(quantities)
        .filter(|(answer, _)| answer.status == 200)
        .map(|(_, [quantity, _])| quantity)
        .sum();
    assert!((2..=5).contains(&sold), "{sold}");
    let rest = ask(&service, "POST", "/v2/b2c/checkout", &SHOP, buy(&[6 - sold])).await;
    assert_eq!(rest.body["type"], "NOT_ENOUGH_CAPACITY", "{}", rest.body);
}

/// Runs the requests at once.
async fn futures_of(requests: impl Iterator<Item = impl Future<Output = Answer>>) -> Vec<Answer> {
    let mut running: Vec<_> = requests.map(Box::pin).collect();
    let mut answers: Vec<Option<Answer>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (request, answer) in running.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let std::task::Poll::Ready(found) = request.as_mut().poll(context)
            {
                *answer = Some(found);
            }
        }
        if answers.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    answers.into_iter().flatten().collect()
}
