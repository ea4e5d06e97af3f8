//! What a proof is good for, and for how long.

use crate::claims::{
    ADULT, CARTS, CREW, GALLERY, LOGIN, MEMBERSHIP, NUMBER, PAY, PAY_ON_PAGE, RULES, VALIDATE, Visitor,
    checkout, gift, proof, tickets,
};
use crate::demo::token_in;
use boxoffice::testing::Service;
use serde_json::{Value, json};

const NEEDED: &str = "PROOF_NEEDED";

/// What of a cart depends on whose it is.
fn told(cart: &Value) -> (Value, Value) {
    (cart["items"][0]["unitPrice"].clone(), cart["memberMessages"].clone())
}

/// What an adult pays, as a template shows it.
fn adult(template: &Value) -> String {
    format!("{:.2}", template["priceLists"][0]["prices"][0]["price"].as_f64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_told_of_a_member_no_more_than_dates_and_a_proof() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let found = page.get(&service, &format!("{VALIDATE}?membershipId={NUMBER}&lastName=LINDQVIST")).await;
    let proof = found.body["memberProof"].clone();
    let expected = json!({
        "status": "verified", "levelName": "Crew", "startDate": "2026-01-15T00:00:00-05:00",
        "expirationDate": "2030-12-31T23:59:59-05:00", "memberProof": proof,
    });
    assert_eq!((found.status, &found.body), (200, &expected));
    assert!(proof.as_str().unwrap().len() > 64);
    let nobody = json!({
        "status": "not_found", "levelName": null, "startDate": null, "expirationDate": null, "memberProof": null,
    });
    // A number of somebody else and a number of nobody are one answer, and one work.
    let mut seen = Vec::new();
    for query in
        [format!("membershipId={NUMBER}&lastName=smith"), "membershipId=77&lastName=smith".to_owned()]
    {
        service.plan.reset();
        let answer = page.get(&service, &format!("{VALIDATE}?{query}")).await;
        assert_eq!((answer.status, &answer.body), (200, &nobody), "{query}");
        let mut calls = service.plan.calls();
        calls.sort();
        seen.push((answer.bytes, calls));
    }
    assert_eq!(seen[0], seen[1]);
    let unnamed = page.get(&service, &format!("{VALIDATE}?membershipId={NUMBER}")).await;
    assert_eq!((unnamed.status, &unnamed.body["details"][0]["field"]), (400, &json!("lastName")));
    let exists = page.get(&service, "/v2/b2c/membership/exists?email=ada.lindqvist@example.test").await;
    assert_eq!(exists.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_gets_a_proof_for_its_page_where_it_knows_the_name() {
    let service = Service::start().await;
    let server = Visitor::of_server();
    let path = format!("{VALIDATE}?membershipId={NUMBER}");
    for (query, given) in [("&lastName=lindqvist", true), ("&lastName=smith", false), ("", false)] {
        let found = server.get(&service, &format!("{path}{query}")).await;
        assert_eq!(found.body[0]["memberProof"].is_string(), given, "{query}");
    }
    let slot = server.slot(&service).await;
    let page = Visitor::of_page().proving(&proof(&service, &server).await);
    let cart = json!({"items": [tickets(&slot, 1)], "membershipIds": [NUMBER]});
    assert_eq!(told(&page.cart(&service, &cart).await), (json!("0.00"), json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_link_gives_a_page_the_number_and_the_proof() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let asked = page.get(&service, &format!("{LOGIN}?email=ada.lindqvist@example.test")).await;
    assert_eq!(asked.status, 204);
    service.deliver_mail().await;
    let outbox = page.get(&service, "/sandbox/outbox").await.body;
    let mail = outbox.as_array().unwrap().last().unwrap()["deliveryId"].as_str().unwrap().to_owned();
    let mail = page.get(&service, &format!("/sandbox/outbox/{mail}")).await;
    let token = token_in(&mail, "loginToken=");
    let opened = page.ok(&service, "POST", LOGIN, &json!({"token": token})).await;
    let mut names: Vec<&String> = opened.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["expirationDate", "levelName", "memberProof", "memberships", "startDate", "status"]);
    assert_eq!(opened["memberships"][0]["membershipId"], NUMBER);
    let shown = opened.to_string();
    for secret in ["Ada", "Lindqvist", "example.test", "10010000007", "HM-0007"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    let slot = page.slot(&service).await;
    let member = page.proving(opened["memberProof"].as_str().unwrap());
    let cart = json!({"items": [tickets(&slot, 1)], "membershipIds": [NUMBER]});
    assert_eq!(told(&member.cart(&service, &cart).await).0, "0.00");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_counts_while_browsing_in_carts_in_entitlements_and_at_checkout() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let slot = page.slot(&service).await;
    let member = page.proving(&proof(&service, &page).await);
    let template = format!("/v2/b2c/event/templates/{GALLERY}");
    for (sent, free) in [(NUMBER, true), (MEMBERSHIP, true), (77, false)] {
        let path = format!("{template}?membershipId={sent}");
        for (visitor, free) in [(&member, free), (&page, false)] {
            let seen = visitor.get(&service, &path).await;
            assert_eq!(seen.header("x-service-member-message"), if free { "" } else { NEEDED });
            assert_eq!(adult(&seen.body), if free { "0.00" } else { "18.00" });
        }
        let cart = json!({"items": [tickets(&slot, 1), gift(1)], "membershipIds": [sent]});
        for (visitor, free) in [(&member, free), (&page, false)] {
            let price = if free { "0.00" } else { "18.00" };
            let messages = if free { json!([]) } else { json!([{"code": NEEDED}]) };
            let read = visitor.cart(&service, &cart).await;
            assert_eq!(told(&read), (json!(price), messages.clone()), "{sent}");
            assert_eq!(read["membershipIds"], json!([sent]));
            let judged = visitor.ok(&service, "POST", RULES, &cart).await;
            assert_eq!(judged["memberMessages"], messages);
            let mut look = checkout(&cart, Some("4242424242424242"));
            look["dryRun"] = json!(true);
            let seen = visitor.ask(&service, "POST", PAY_ON_PAGE, &look).await;
            assert_eq!(told(&seen.body["cart"]), (json!(price), messages), "{}", seen.body);
            assert_eq!(seen.header("x-service-member-message"), if free { "" } else { NEEDED });
        }
    }
    let cart = json!({"items": [tickets(&slot, 1), gift(2)], "membershipIds": [NUMBER]});
    let stranger = page.ok(&service, "POST", PAY_ON_PAGE, &checkout(&cart, Some("4242424242424242"))).await;
    assert_eq!(
        (&stranger["discountedTotalAmount"], &stranger["membershipIds"]),
        (&json!("20.00"), &json!([]))
    );
    let order = member.ok(&service, "POST", PAY_ON_PAGE, &checkout(&cart, Some("4242424242424242"))).await;
    assert_eq!(
        (&order["discountedTotalAmount"], &order["membershipIds"]),
        (&json!("2.00"), &json!([NUMBER]))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_ends_to_the_second_and_opens_nothing_of_another_tenant() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let slot = page.at("2027-05-01T12:00:00-04:00").slot(&service).await;
    let text = proof(&service, &page).await;
    let cart = json!({"items": [tickets(&slot, 1)], "membershipIds": [NUMBER]});
    for (now, price) in [("2027-05-01T11:59:59-04:00", "0.00"), ("2027-05-01T12:00:00-04:00", "18.00")] {
        let read = page.at(now).proving(&text).cart(&service, &cart).await;
        assert_eq!(told(&read).0, price, "{now}");
    }
    let (claims, signature) = text.split_once('-').unwrap();
    let (expires, named) = claims.split_once('_').unwrap();
    let later = format!("{}_{named}-{signature}", expires.parse::<i64>().unwrap() + 1);
    let other = format!("{expires}_{named}_9.77-{signature}");
    let altered = [later.clone(), other, text.to_uppercase(), format!("{text}0")];
    let unsigned = format!("{claims}-{}", "0".repeat(64));
    for wrong in altered.iter().map(String::as_str).chain(["x", unsigned.as_str()]) {
        let read = page.proving(wrong).cart(&service, &cart).await;
        assert_eq!(told(&read), (json!("18.00"), json!([{"code": NEEDED}])), "{wrong}");
    }
    // Several proofs may be sent, and one good one is enough.
    let read = page.proving(&format!("{later}, {text}")).cart(&service, &cart).await;
    assert_eq!(told(&read).0, "0.00");
    // The zoo's member is no member of the museum, and its key signs for nobody here.
    let zoo = Visitor { key: "demo-browser-1002", ..page.clone() };
    let found = zoo.get(&service, &format!("{VALIDATE}?membershipId=100200031&lastName=o'hara")).await;
    let foreign = found.body["memberProof"].as_str().unwrap();
    let mut both = cart.clone();
    both["membershipIds"] = json!([100_200_031]);
    let read = page.proving(foreign).cart(&service, &both).await;
    assert_eq!(told(&read), (json!("18.00"), json!([{"code": NEEDED}])));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_could_not_prove_is_not_made_good_by_who_pays() {
    let service = Service::start().await;
    let (page, server) = (Visitor::of_page(), Visitor::of_server());
    let slot = page.slot(&service).await;
    let cart = json!({"items": [tickets(&slot, 1), gift(3)], "membershipIds": [NUMBER]});
    let id = page.ok(&service, "POST", CARTS, &cart).await;
    let mut pay = checkout(&json!(null), Some("4242424242424242"));
    pay.as_object_mut().unwrap().remove("shoppingCart");
    pay["shoppingCartId"] = id;
    let mut look = pay.clone();
    look["dryRun"] = json!(true);
    let seen = server.ok(&service, "POST", PAY, &look).await;
    assert_eq!(told(&seen["cart"]), (json!("18.00"), json!([{"code": NEEDED}])));
    // Who proves it at checkout pays less than was shown.
    let member = page.proving(&proof(&service, &page).await);
    let order = member.ok(&service, "POST", PAY_ON_PAGE, &pay).await;
    assert_eq!(order["discountedTotalAmount"], "3.00");
    // What a server wrote, a page has to prove, and is told the price of everybody first.
    pay["shoppingCartId"] = server.ok(&service, "POST", CARTS, &cart).await;
    let refused = page.ask(&service, "POST", PAY_ON_PAGE, &pay).await;
    assert_eq!((refused.status, &refused.body["type"]), (409, &json!("PRICE_CHANGED")));
    assert_eq!(told(&refused.body["cart"]), (json!("18.00"), json!([{"code": NEEDED}])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_level_named_alone_is_shown_and_not_sold_to_a_page() {
    let service = Service::start().await;
    let (page, server) = (Visitor::of_page(), Visitor::of_server());
    let slot = page.slot(&service).await;
    let member = page.proving(&proof(&service, &page).await);
    let path = format!("/v2/b2c/event/templates/{GALLERY}?membershipCategoryId={CREW}");
    let cart = json!({"items": [tickets(&slot, 1)], "membershipCategoryId": CREW});
    for (visitor, sold) in [(&page, "18.00"), (&member, "18.00"), (&server, "0.00")] {
        let seen = visitor.get(&service, &path).await.body;
        assert_eq!(adult(&seen), "0.00");
        let messages = if sold == "0.00" { json!([]) } else { json!([{"code": NEEDED}]) };
        assert_eq!(told(&visitor.cart(&service, &cart).await), (json!(sold), messages));
    }
    // Nothing is looked up by a level that does not count.
    let unknown = json!({"items": [tickets(&slot, 1)], "membershipCategoryId": "1001bb0000000000000000ff"});
    assert_eq!(page.ask(&service, "POST", CARTS, &unknown).await.status, 200);
    assert_eq!(server.ask(&service, "POST", CARTS, &unknown).await.status, 404);
}

/// Another year of the member's own plan.
fn renewal() -> Value {
    json!({"itemType": "MembershipRenewal", "quantity": 1, "membershipInfo": {
        "membershipId": NUMBER, "membershipCategoryId": CREW, "pricePointId": ADULT,
        "membershipOfferingId": "1001bf00000000000000000000000001", "isGift": false,
        "membershipCards": [{"firstName": "Ada", "lastName": "Lindqvist", "email": "ada.lindqvist@example.test"}],
    }})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_renews_with_a_proof_and_reads_nothing_of_the_person() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let member = page.proving(&proof(&service, &page).await);
    let cart = json!({"items": [renewal()]});
    let mut refusals = Vec::new();
    for number in [NUMBER, 77] {
        let mut cart = cart.clone();
        cart["items"][0]["membershipInfo"]["membershipId"] = json!(number);
        for (path, body) in [(CARTS, cart.clone()), (PAY_ON_PAGE, checkout(&cart, Some("4242424242424242")))]
        {
            service.plan.reset();
            let refused = page.ask(&service, "POST", path, &body).await;
            assert_eq!((refused.status, refused.header("x-service-member-message")), (404, NEEDED));
            let told = &refused.body["details"][0]["message"];
            assert_eq!(told, "needs the header x-service-member-proof, or was not found");
            let mut answer = refused.body;
            answer.as_object_mut().unwrap().remove("requestId");
            let mut calls = service.plan.calls();
            calls.sort();
            refusals.push((answer, calls));
        }
    }
    assert_eq!(refusals[0].0, refusals[2].0);
    assert_eq!(refusals[1].0, refusals[3].0);
    let body = checkout(&cart, Some("4242424242424242"));
    let order = member.ok(&service, "POST", PAY_ON_PAGE, &body).await;
    assert_eq!(order["orderItems"][0]["membershipInfo"]["membershipNumber"], NUMBER);
    for secret in ["555 0107", "7 Pier Street", "HM-0007", "10010000007"] {
        assert!(!order["orderItems"].to_string().contains(secret), "{secret}: {order}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_memberships_are_the_most_a_cart_names() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let named = |count: i64| json!({"items": [], "membershipIds": (1..=count).collect::<Vec<_>>()});
    assert_eq!(page.ask(&service, "POST", CARTS, &named(10)).await.status, 200);
    let refused = page.ask(&service, "POST", CARTS, &named(11)).await;
    assert_eq!((refused.status, &refused.body["details"][0]["field"]), (400, &json!("/membershipIds")));
    assert_eq!(refused.body["details"][0]["message"], "must have at most 10 entries");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_is_in_no_item() {
    let service = Service::start().await;
    let page = Visitor::of_page();
    let slot = page.slot(&service).await;
    let text = proof(&service, &page).await;
    let member = page.proving(&text);
    let cart = json!({"items": [tickets(&slot, 1), gift(4)], "membershipIds": [NUMBER]});
    member.get(&service, &format!("/v2/b2c/event/templates/{GALLERY}?membershipId={NUMBER}")).await;
    member.cart(&service, &cart).await;
    let keyed = Visitor { idempotency_key: Some("one".to_owned()), ..member.clone() };
    keyed.ok(&service, "POST", PAY_ON_PAGE, &checkout(&cart, Some("4242424242424242"))).await;
    let (_, signature) = text.split_once('-').unwrap();
    let client = service.embedded.client();
    for table in ["carts", "orders", "members", "catalog", "reservations", "merchants"] {
        let found = client.scan().table_name(format!("boxoffice-{table}")).send().await.unwrap();
        assert!(!found.items().is_empty(), "{table}");
        for item in found.items() {
            assert!(!format!("{item:?}").contains(signature), "{table}");
        }
    }
}
