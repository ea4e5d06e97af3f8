//! `/v2/b2b/coupons`.

use crate::support::{self, assert_refused, without_id};
use engine::Fault;
use serde_json::{Value, json};
use testkit::catalog::{self, TEMPLATE};
use testkit::{Venue, delete, get, made, post, put, tenant_id};
use tokio::task::JoinSet;

const PATH: &str = "/v2/b2b/coupons";
const LEVEL: &str = "aaaaaaaaaaaaaaaaaaaaaaaa";

fn ten_percent(code: &str) -> Value {
    json!({"name": "Ten off", "code": code, "discountType": "percent", "value": "10"})
}

/// A venue with a template, a level, a ticket type and a discount.
async fn venue() -> (Venue, String, String) {
    let venue = support::open().await;
    let tour = catalog::template(json!({"name": "Tour", "review_state": "Draft"}));
    venue.store.save_template(tenant_id(1), &tour).await.unwrap();
    let level = catalog::level(LEVEL, "Crew", json!({}));
    venue.store.save_level(tenant_id(1), &level).await.unwrap();
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let values = json!([{"personTypeId": adult, "discountType": "amount", "value": "1.00"}]);
    let discount = made(&venue, "/v2/b2b/discounts", json!({"name": "Member", "values": values})).await;
    (venue, adult, discount)
}

#[tokio::test]
async fn a_coupon_is_created_read_replaced_and_deleted() {
    let (venue, adult, discount) = venue().await;
    let channels = json!([{"name": "Web", "channel": "online", "enabled": true}]);
    let sent = json!({"name": "Spring", "description": "In spring", "code": " Spring-27 ",
        "discountId": discount, "appliesTo": ["membership", "EVENT", "event"], "eventTemplateIds": [TEMPLATE],
        "personTypeIds": [adult], "membershipCategoryIds": [LEVEL], "saleChannel": channels,
        "effectiveStart": "2027-03-01", "effectiveEnd": "2027-03-31T12:00:00-04:00", "maxUses": 100,
        "active": false});
    let first = venue.send(post(PATH, sent)).await;
    let one = format!("{PATH}/{}", first.id());
    assert_eq!(
        without_id(&first.body),
        json!({"name": "Spring", "description": "In spring", "code": "Spring-27", "discountId": discount,
            "discountType": null, "value": null, "appliesTo": ["event", "membership"], "eventTemplateIds": [TEMPLATE], "personTypeIds": [adult],
            "membershipCategoryIds": [LEVEL], "salesChannels": channels, "effectiveStart": "2027-03-01",
            "effectiveEnd": "2027-03-31", "maxUses": 100, "active": false})
    );
    assert_eq!(venue.send(get(&one)).await.body, first.body);
    assert_eq!(venue.send(put(&one, first.body.clone())).await.etag, first.etag, "what is shown can be sent");
    let changed = venue.send(put(&one, ten_percent("spring-27"))).await;
    assert_eq!(
        without_id(&changed.body),
        json!({"name": "Ten off", "description": "", "code": "spring-27", "discountId": null,
            "discountType": "percent", "value": "10.00", "effectiveStart": null, "effectiveEnd": null, "maxUses": null, "appliesTo": [], "eventTemplateIds": [], "personTypeIds": [],
            "membershipCategoryIds": [], "salesChannels": [], "active": true})
    );
    assert_eq!(venue.send(get(PATH)).await.body["list"], json!([changed.body]));
    assert_eq!(venue.send(delete(&one)).await.done(), changed.body);
    assert_eq!(venue.send(get(&one)).await.status, 404);
}

#[tokio::test]
async fn every_fault_of_a_coupon_is_named() {
    let (venue, _, _) = venue().await;
    let right = ten_percent("RIGHT");
    let one = format!("{PATH}/{}", made(&venue, PATH, right.clone()).await);
    let mut right = right;
    right["code"] = json!("OTHER");
    let nothing = "ffffffffffffffffffffffff";
    for (wrong, expected) in [
        (json!({"name": ""}), &["/name must not be blank"][..]),
        (json!({"code": null}), &["/code is required"]),
        (json!({"code": "A B"}), &["/code must have no spaces"]),
        (json!({"code": "PIER\u{200b}X"}), &["/code must have no invisible characters"]),
        (json!({"code": "PIER\u{ad}X"}), &["/code must have no invisible characters"]),
        (json!({"code": "x".repeat(65)}), &["/code must have at most 64 characters"]),
        (
            json!({"value": "101"}),
            &["/value must be a percentage between 0 and 100 with at most two decimals"],
        ),
        (
            json!({"discountType": "fixedPrice", "value": -1}),
            &["/value must be between 0.00 and 10000000.00"],
        ),
        (json!({"discountType": "amount", "value": 1.001}), &["/value must have at most two decimals"]),
        (json!({"discountType": "free"}), &["/discountType must be one of amount, percent, fixedPrice"]),
        (json!({"discountType": null, "value": null}), &["/discountType is required", "/value is required"]),
        (json!({"discountId": nothing, "discountType": null, "value": null}), &["/discountId was not found"]),
        (json!({"discountId": ""}), &["/discountId must not be blank"]),
        (json!({"discountId": 7}), &["/discountId must be a string"]),
        (
            json!({"discountId": nothing}),
            &["/discountId must not be combined with discountType and value", "/discountId was not found"],
        ),
        (
            json!({"personTypeIds": [nothing], "salesChannels": [{"channel": "fax"}]}),
            &[
                "/salesChannels/0/channel must be one of online, customerRep, pointOfSale, manualEntry, reseller, \
                 kiosk, insideSalesIndividual",
                "/personTypeIds/0 was not found",
            ],
        ),
        (json!({"appliesTo": ["event", "parking"]}), &["/appliesTo/1 must be one of event, membership"]),
        (
            json!({"eventTemplateIds": [TEMPLATE, nothing], "personTypeIds": ["a b"],
                "membershipCategoryIds": [LEVEL, nothing]}),
            &[
                "/eventTemplateIds/1 was not found",
                "/personTypeIds/0 was not found",
                "/membershipCategoryIds/1 was not found",
            ],
        ),
        (json!({"eventTemplateIds": [7]}), &["/eventTemplateIds/0 must be a string"]),
        (
            json!({"salesChannels": [{"channel": "fax"}]}),
            &[
                "/salesChannels/0/channel must be one of online, customerRep, pointOfSale, manualEntry, reseller, \
                 kiosk, insideSalesIndividual",
            ],
        ),
        (json!({"effectiveStart": ""}), &["/effectiveStart must be a date, such as 2027-07-04"]),
        (
            json!({"value": "1_0"}),
            &["/value must be a percentage between 0 and 100 with at most two decimals"],
        ),
        (json!({"effectiveStart": "soon"}), &["/effectiveStart must be a date, such as 2027-07-04"]),
        (
            json!({"effectiveStart": "2027-03-02", "effectiveEnd": "2027-03-01"}),
            &["/effectiveEnd must not be before effectiveStart"],
        ),
        (json!({"maxUses": 0}), &["/maxUses must be between 1 and 1000000"]),
        (json!({"maxUses": "1"}), &["/maxUses must be an integer"]),
        (json!({"active": 1}), &["/active must be true or false"]),
    ] {
        assert_refused(&venue, PATH, &one, &right, &wrong, expected).await;
    }
}

#[tokio::test]
async fn a_code_is_one_coupons_own_in_whatever_case() {
    let venue = support::open().await;
    let first = made(&venue, PATH, ten_percent("Welcome")).await;
    let second = made(&venue, PATH, ten_percent("Other")).await;
    let taken = ["/code is already used by another coupon"];
    for ask in [post(PATH, ten_percent("WELCOME")), put(format!("{PATH}/{second}"), ten_percent("welcome"))] {
        let refused = venue.send(ask.clone()).await;
        assert_eq!(
            (refused.kind(), refused.faults()),
            ((400, "VALIDATION_ERROR"), taken.map(str::to_owned).into()),
            "{ask:?}"
        );
    }
    // Another tenant has codes of its own.
    venue.send(post(PATH, ten_percent("WELCOME")).by("key-2")).await.done();
    // A code that is given up is free again, and so is that of a coupon that is gone.
    venue.send(put(format!("{PATH}/{first}"), ten_percent("Hello"))).await.done();
    venue.send(put(format!("{PATH}/{second}"), ten_percent("welcome"))).await.done();
    venue.send(delete(format!("{PATH}/{first}"))).await.done();
    made(&venue, PATH, ten_percent("HELLO")).await;
    let mut codes = venue.send(get(PATH)).await.column("code");
    codes.sort_by_key(ToString::to_string);
    assert_eq!(codes, ["HELLO", "welcome"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_coupons_that_want_one_code_at_once_exactly_one_gets_it() {
    let venue = support::open().await;
    let mut ids = Vec::new();
    for number in 0..8 {
        ids.push(made(&venue, PATH, ten_percent(&format!("CODE-{number}"))).await);
    }
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let (venue, id) = (venue.clone(), ids.get(number).cloned());
        tasks.spawn(async move {
            venue
                .send(match id {
                    Some(id) => put(format!("{PATH}/{id}"), ten_percent("wanted")),
                    None => post(PATH, ten_percent("Wanted")),
                })
                .await
        });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert!([400, 503].contains(&answer.status), "{}", answer.body);
    }
    let codes = venue.send(get(format!("{PATH}?pageSize=-1"))).await.column("code");
    let wanted = codes.iter().filter(|code| code.as_str().unwrap().eq_ignore_ascii_case("wanted"));
    assert_eq!(wanted.count(), 1);
}

/// Whatever strikes whichever call, the coupon and its code go together.
#[tokio::test]
async fn whatever_strikes_a_coupon_its_code_goes_with_it() {
    for call in 0..5 {
        for fault in [Fault::AnswerLost, Fault::CrashBefore, Fault::CrashAfter, Fault::TransactionConflict] {
            let venue = support::open().await;
            let strike = |call: usize| {
                venue.faults.reset();
                venue.faults.at(call, fault);
            };
            strike(call);
            venue.send(post(PATH, ten_percent("A"))).await;
            venue.faults.heal();
            let codes = venue.send(get(PATH)).await.column("code");
            let again = venue.send(post(PATH, ten_percent("a"))).await;
            assert_eq!(again.status, if codes.is_empty() { 200 } else { 400 }, "{call} {fault:?}");
            let id = venue.send(get(PATH)).await.column("id")[0].as_str().unwrap().to_owned();
            let one = format!("{PATH}/{id}");
            strike(call);
            venue.send(put(&one, ten_percent("B"))).await;
            venue.faults.heal();
            let (free, held) = match venue.send(get(&one)).await.body["code"].as_str().unwrap() {
                "B" => ("a", "b"),
                _ => ("b", "a"),
            };
            assert_eq!(venue.send(post(PATH, ten_percent(held))).await.status, 400, "{call} {fault:?}");
            let other = made(&venue, PATH, ten_percent(free)).await;
            venue.send(delete(format!("{PATH}/{other}"))).await.done();
            strike(call);
            venue.send(delete(&one)).await;
            venue.faults.heal();
            let gone = venue.send(get(&one)).await.status == 404;
            let taken = venue.send(post(PATH, ten_percent(held))).await.status == 400;
            assert_ne!(gone, taken, "{call} {fault:?}");
        }
    }
}
