//! `checkout/validate`, on both of its paths.

use crate::levels::PATH;
use crate::support::{self, noon};
use serde_json::{Value, json};
use testkit::{Answer, Venue, catalog, get, made, post, tenant_id};

const PATHS: [&str; 2] = ["/v2/memberships/b2b/checkout/validate", "/v2/b2b/memberships/checkout/validate"];

/// Two levels of a year each, and a member of the first whose term ends with May 2027.
struct Levels {
    family: String,
    patron: String,
    adult: String,
}

async fn open() -> (Venue, Levels) {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let mut plans = Vec::new();
    for (name, price) in [("Family", 150), ("Patron", 400)] {
        let prices = json!([{"personType": {"id": adult}, "price": price, "discountedPrice": price - 30}]);
        let offering = json!({
            "name": "A year", "duration": 12, "priceLists": [{"name": "Always", "prices": prices}],
            "actions": [{"action": "new"}, {"action": "renew"}, {"action": "upgrade"}],
        });
        let level = json!({"name": name, "state": "published", "offerings": [offering]});
        let level = venue.send(post(PATH, level)).await;
        let offering = level.body["offerings"][0]["id"].as_str().unwrap().to_owned();
        plans.push(format!("levelId={}&offeringId={offering}&pricePointId={adult}", level.id()));
    }
    let (patron, family) = (plans.pop().unwrap(), plans.pop().unwrap());
    let part = |name: &str| {
        let found = family.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        found.unwrap().to_owned()
    };
    let membership = catalog::membership(json!({
        "id": 51, "number": 391_150_274, "level": part("levelId"), "offering": part("offeringId"),
        "price_point": adult, "external_id": "HM-7", "joined": "2026-06-01T04:00:00Z",
        "started": "2026-06-01T04:00:00Z", "expires": "2027-06-01T03:59:59Z",
        "cards": [{"id": 1, "barcode": "b", "person": {"first_name": "Ada", "last_name": "Byron"}}],
    }));
    venue.store.save_membership(tenant_id(1), "save", &membership).await.unwrap();
    (venue, Levels { family, patron, adult })
}

async fn ask(venue: &Venue, query: &str) -> Answer {
    let [one, other] = PATHS;
    let answer = venue.send(get(format!("{one}?{query}"))).await;
    let same = venue.send(get(format!("{other}?{query}"))).await;
    assert_eq!((same.status, &same.body["details"]), (answer.status, &answer.body["details"]), "{query}");
    answer
}

#[tokio::test]
async fn a_new_membership_is_priced_in_one_call() {
    let (venue, levels) = open().await;
    let query = format!("action=MembershipPurchase&{}", levels.family);
    let (answer, calls) = venue.counted(get(format!("{}?{query}", PATHS[0]))).await;
    assert_eq!(calls, 1);
    assert_eq!(
        answer.done(),
        json!({
            "startDate": "2027-05-01T00:00:00-04:00", "expirationDate": "2028-04-30T23:59:59-04:00",
            "transactionDate": "2027-05-01T10:00:00-04:00", "now": "2027-05-01T10:00:00-04:00",
            "retailPrice": 150.0, "price": 120.0, "externalMembership": false,
        })
    );
}

#[tokio::test]
async fn every_action_is_priced_in_both_vocabularies() {
    let (venue, levels) = open().await;
    let own = "membershipId=391150274";
    for (actions, query, now, expected) in [
        (
            ["NEW_MEMBERSHIPS", "membershippurchase"],
            levels.family.clone(),
            "",
            ["2027-05-01", "2028-04-30", "120"],
        ),
        (
            ["RENEW", "MembershipRenewal"],
            format!("{own}&{}", levels.family),
            "",
            ["2027-06-01", "2028-05-31", "120"],
        ),
        (["renew", "MembershipRenewal"], own.to_owned(), "", ["2027-06-01", "2028-05-31", "120"]),
        (["RENEW", "MembershipRenewal"], own.to_owned(), "2028-07-05", ["2028-07-05", "2029-07-04", "120"]),
        (
            ["AFTER_TERM_RENEW", "MembershipPostTermRenewal"],
            own.to_owned(),
            "2027-06-20",
            ["2027-06-20", "2028-06-19", "120"],
        ),
        (["REJOIN", "MembershipRejoin"], own.to_owned(), "2028-07-05", ["2028-07-05", "2029-07-04", "120"]),
        (
            ["UPGRADE", "MembershipUpgrade"],
            format!("{own}&{}", levels.patron),
            "",
            ["2027-05-01", "2027-05-31", "250"],
        ),
        (["CANCELLATION", "MembershipCancel"], own.to_owned(), "", ["2026-06-01", "2027-05-01", "0"]),
    ] {
        for action in actions {
            let mut request = get(format!("{}?action={action}&{query}", PATHS[1]));
            if !now.is_empty() {
                request = request.at(&noon(now));
            }
            let body = venue.send(request).await.done();
            let day = |name: &str| body[name].as_str().unwrap()[..10].to_owned();
            let found =
                [day("startDate"), day("expirationDate"), body["price"].as_f64().unwrap().to_string()];
            assert_eq!(found, expected, "{action} {query}");
        }
    }
    let external = ask(&venue, "action=RENEW&membershipId=51").await.done();
    assert_eq!(
        (&external["externalMembership"], &external["retailPrice"]),
        (&Value::Bool(true), &json!(150.0))
    );
}

#[tokio::test]
async fn what_is_missing_wrong_or_contradictory_is_named() {
    let (venue, levels) = open().await;
    let Levels { family, patron, adult } = &levels;
    let own = "membershipId=51";
    for (query, kind, faults) in [
        (String::new(), (400, "VALIDATION_ERROR"), vec!["action is required"]),
        (
            "action=NEW_MEMBERSHIPS&levelId=%20".to_owned(),
            (400, "VALIDATION_ERROR"),
            vec!["levelId must not be blank", "offeringId is required", "pricePointId is required"],
        ),
        (
            format!("action=NEW_MEMBERSHIPS&levelId={}&offeringId=y&pricePointId=z", "x".repeat(300)),
            (400, "VALIDATION_ERROR"),
            vec!["levelId must be an id"],
        ),
        (
            "action=RENEW".to_owned(),
            (400, "VALIDATION_ERROR"),
            vec!["membershipId is required to renew or change a membership"],
        ),
        (
            format!("action=UPGRADE&{own}"),
            (400, "VALIDATION_ERROR"),
            vec!["levelId is required", "offeringId is required", "pricePointId is required"],
        ),
        (
            "action=RENEW&membershipId=me".to_owned(),
            (400, "VALIDATION_ERROR"),
            vec!["membershipId must be a number"],
        ),
        (
            format!("action=UPGRADE&{own}&levelId=x"),
            (400, "VALIDATION_ERROR"),
            vec!["offeringId is required", "pricePointId is required"],
        ),
        (
            "action=BUY&levelId=x&offeringId=y&pricePointId=z&membershipId=me".to_owned(),
            (400, "VALIDATION_ERROR"),
            vec![
                "action must be an action, such as MembershipPurchase or RENEW",
                "membershipId must be a number",
            ],
        ),
        (
            "action=CANCELLATION".to_owned(),
            (400, "VALIDATION_ERROR"),
            vec!["membershipId is required to end a membership"],
        ),
        (
            format!("action=RENEW&{family}"),
            (400, "VALIDATION_ERROR"),
            vec!["membershipId is required to renew or change a membership"],
        ),
        (
            format!("action=RENEW&membershipId=99&{family}"),
            (404, "NOT_FOUND"),
            vec!["membershipId was not found"],
        ),
        (
            format!("action=NEW_MEMBERSHIPS&{own}&{family}"),
            (400, "VALIDATION_ERROR"),
            vec!["membershipId must not be sent when buying a new membership"],
        ),
        (
            format!("action=RENEW&{own}&{patron}"),
            (400, "VALIDATION_ERROR"),
            vec!["levelId must be the membership's current level unless it is upgraded or downgraded"],
        ),
        (
            format!("action=UPGRADE&{own}&{family}"),
            (400, "VALIDATION_ERROR"),
            vec!["levelId must be a different level from the current one"],
        ),
        (
            format!("action=REJOIN&{own}&{family}"),
            (400, "VALIDATION_ERROR"),
            vec!["action must be MembershipRenewal: the membership has not expired"],
        ),
        (
            format!("action=DOWNGRADE&{own}&{patron}"),
            (409, "SALES_CLOSED"),
            vec!["action is not offered here"],
        ),
        (
            format!("action=NEW_MEMBERSHIPS&levelId=none&offeringId=o&pricePointId={adult}"),
            (404, "NOT_FOUND"),
            vec!["levelId was not found"],
        ),
    ] {
        let answer = ask(&venue, &query).await;
        assert_eq!(
            (answer.kind(), answer.faults()),
            (kind, faults.iter().map(|fault| (*fault).to_owned()).collect()),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_plan_that_only_the_membership_names_is_at_fault_under_the_membership() {
    let (venue, levels) = open().await;
    let membership = catalog::membership(json!({
        "id": 52, "number": 391_150_275, "level": "bb0000000000000000000009",
        "offering": "0123456789abcdef0123456789abcdef", "price_point": levels.adult,
        "joined": "2026-06-01T04:00:00Z", "started": "2026-06-01T04:00:00Z", "expires": "2027-06-01T03:59:59Z",
        "cards": [{"id": 2, "barcode": "c", "person": {"first_name": "Ada", "last_name": "Byron"}}],
    }));
    venue.store.save_membership(tenant_id(1), "no-longer-on-offer", &membership).await.unwrap();
    let answer = ask(&venue, "action=RENEW&membershipId=52").await;
    assert_eq!(answer.kind(), (404, "NOT_FOUND"));
    let told = "membershipId is of a level, offering or price point that is no longer on offer";
    assert_eq!(answer.faults(), [told]);
}

#[tokio::test]
async fn another_tenants_level_and_membership_are_unknown() {
    let (venue, levels) = open().await;
    for query in
        [format!("action=NEW_MEMBERSHIPS&{}", levels.family), "action=RENEW&membershipId=51".to_owned()]
    {
        let answer = venue.send(get(format!("{}?{query}", PATHS[0])).by("key-2")).await;
        assert_eq!(answer.kind(), (404, "NOT_FOUND"), "{query}");
    }
}
