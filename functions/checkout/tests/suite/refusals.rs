//! What keeps a cart from becoming an order; nothing of it is charged or kept.

use crate::audit::Books;
use crate::catalog::{self, COUPON, FREE, slot, template};
use crate::venue::{Venue, after, ask, pay, pay_on_page, tenant_id, tickets, tickets_for};
use domain::ledger::SlotState;
use engine::Fault;
use serde_json::{Value, json};
use testkit::catalog::{ADULT, DONATION};
use testkit::outside::{Mishap, Verb};

#[tokio::test]
async fn every_decline_gives_everything_back_and_says_why() {
    for (card, kind, code, processor, issuer) in [
        ("4000000000000002", "CARD_DECLINED", 20017, "card_declined", "card_declined"),
        ("4000000000009995", "INSUFFICIENT_FUNDS", 20020, "insufficient_funds", "insufficient_funds"),
        ("4000000000000127", "INCORRECT_CVC", 20018, "incorrect_cvc", "incorrect_cvc"),
        ("4000000000000069", "EXPIRED_CARD", 20019, "expired_card", "expired_card"),
        ("4000000000000010", "INCORRECT_ZIP", 6107, "incorrect_zip", "incorrect_zip"),
        ("4000000000000119", "PAYMENT_PROCESSOR_ERROR", 20021, "processing_error", ""),
    ] {
        let venue = Venue::open([10, 10]).await;
        venue.hold(10, &[(0, 3)], 600).await;
        let process = venue.process().await;
        let answer = process.pay(json!({"manualEntryCardNumber": card, "reservationId": 10})).await;
        assert_eq!((answer.status, answer.error()), (402, kind), "{}", answer.text);
        assert_eq!(answer.body["errorCode"], code);
        assert_eq!(answer.body["processorErrorCode"], processor);
        assert_eq!(answer.body["issuingErrorCode"].as_str().unwrap_or_default(), issuer);
        assert_eq!(venue.seats(0).await, [7, 3, 0], "{kind}");
        assert_eq!(crate::audit::audit(&venue, kind).await, []);
    }
}

#[tokio::test]
async fn all_faults_of_a_request_are_reported_at_once() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let answer = process
        .pay(json!({
            "shoppingCart": {"items": [{"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": 1.5}]},
            "billingEmail": "no address", "email": 7, "ticketDeliveryEmail": "x@", "country": "Atlantis",
            "manualEntryCardNumber": "4111111111111112", "expDate": "1320", "cvc": "12",
            "ccLastFourDigits": "123", "creditCardBrand": "Acme", "paymentMethod": "Cash",
            "sendEmail": "yes", "locale": "en_US", "expectedTotal": "1.005", "dryRun": 1,
        }))
        .await;
    insta::assert_snapshot!(answer.refusal(), @r#"
    400 VALIDATION_ERROR
    /shoppingCart/items/0/quantity must be an integer
    /manualEntryCardNumber is not a valid card number
    /expDate must begin with a month between 01 and 12
    /cvc must have 3 digits (4 for American Express)
    /creditCardBrand is not a supported card brand
    /ccLastFourDigits must be four digits
    /email must be a string
    /country is not one of the countries listed at /v2/b2c/locations/avs/countries
    /billingEmail must be an e-mail address
    /ticketDeliveryEmail must be an e-mail address
    /paymentMethod must be CreditCard
    /sendEmail must be true or false
    /locale must be the tag of a language, such as en or pt-BR
    /expectedTotal must have at most two decimals
    /dryRun must be true or false
    "#);
}

#[tokio::test]
async fn names_and_addresses_are_one_line_each_and_remarks_may_be_several() {
    const FIELDS: [&str; 19] = [
        "contactFirstName",
        "contactLastName",
        "contactFullName",
        "phoneNumber",
        "address1",
        "address2",
        "city",
        "state",
        "zipCode",
        "country",
        "billingFirstName",
        "billingLastName",
        "billingPhoneNumber",
        "billingAddress1",
        "billingAddress2",
        "billingCity",
        "billingState",
        "billingZipCode",
        "billingCountry",
    ];
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    for (text, message) in [
        ("two\nlines", "must be one line, without tabs"),
        ("two\r\nlines", "must be one line, without tabs"),
        ("two\u{2028}lines", "must be one line, without tabs"),
        ("a\ttab", "must be one line, without tabs"),
        ("a\u{0}nothing", "must not have control characters"),
        ("an\u{1b}escape", "must not have control characters"),
    ] {
        let fields: serde_json::Map<String, Value> =
            FIELDS.iter().map(|field| ((*field).to_owned(), text.into())).collect();
        let told: Vec<String> = FIELDS.iter().map(|field| format!("/{field} {message}")).collect();
        let answer = process.pay(Value::Object(fields)).await;
        assert_eq!(answer.refusal(), format!("400 VALIDATION_ERROR\n{}", told.join("\n")), "{text:?}");
    }
    let remarks = json!({"notes": "Two wheelchairs.\nArriving late.", "contactFirstName": " Ines\n"});
    assert_eq!(process.pay(remarks).await.error(), "OK");
}

#[tokio::test]
async fn card_fields_are_checked_each_by_its_own_rule() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    for (fields, field) in [
        (json!({"manualEntryCardNumber": 4_111_111_111_111_111_i64}), "/manualEntryCardNumber"),
        (json!({"manualEntryCardNumber": null}), "/manualEntryCardNumber"),
        (json!({"expDate": null}), "/expDate"),
        (json!({"expDate": "0427"}), "/expDate"),
        (json!({"cvc": null}), "/cvc"),
        (json!({"creditCardBrand": "MasterCard"}), "/creditCardBrand"),
        (json!({"ccLastFourDigits": "1112"}), "/ccLastFourDigits"),
        (json!({"billingEmail": null}), "/billingEmail"),
        (json!({"shoppingCart": null}), "/shoppingCartId"),
        (json!({"shoppingCart": {"items": []}}), "/shoppingCart"),
        (json!({"shoppingCart": {"items": [tickets(0)]}}), "/shoppingCart"),
    ] {
        let answer = process.pay(fields.clone()).await;
        assert_eq!((answer.status, answer.error()), (400, "VALIDATION_ERROR"), "{fields}");
        let details = answer.body["details"].as_array().unwrap();
        assert_eq!(details.len(), 1, "{}", answer.text);
        assert_eq!(details[0]["field"], field);
    }
    let without = json!({"manualEntryCardNumber": null, "expDate": null, "cvc": null});
    insta::assert_snapshot!(process.pay(without).await.refusal(), @r#"
    400 VALIDATION_ERROR
    /manualEntryCardNumber is required
    /expDate is required
    /cvc is required
    "#);
}

#[tokio::test]
async fn an_order_that_costs_nothing_needs_no_card_and_no_processor() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = json!({"items": [{"eventId": slot(0), "ticketingTypeId": FREE, "quantity": 1}]});
    let without = json!({"shoppingCart": cart, "manualEntryCardNumber": null, "expDate": null, "cvc": null});
    // A card that is sent all the same is counted, although it is not charged, and once it is known that it is not,
    // what is given away is counted as well. What leads to the order is written before it.
    let with = json!({"shoppingCart": cart});
    for (fields, rounds, calls) in [(without, 3, 8), (with.clone(), 4, 10), (with, 4, 10)] {
        let order = process.pay(fields).await;
        assert_eq!(order.error(), "OK", "{}", order.text);
        assert_eq!(order.body["paidAmount"], "0.00");
        assert_eq!(order.body["payments"], json!([]));
        assert_eq!((order.calls.rounds, order.calls.total), (rounds, calls));
    }
    assert!(process.processor.calls().is_empty());
    assert_eq!(crate::audit::audit(&venue, "free").await.len(), 3);
}

#[tokio::test]
async fn a_risen_price_is_shown_before_it_is_charged_and_a_fallen_one_passes() {
    let venue = Venue::open([10, 10]).await;
    let cart = venue.process().await.cart(json!([tickets(2)])).await;
    let fields = json!({"shoppingCartId": cart});
    catalog::reprice(&venue.store, 2500).await;
    let process = venue.process().await;
    let dry = process.pay(json!({"shoppingCartId": cart, "dryRun": true})).await;
    assert_eq!(dry.body["findings"][0]["type"], "PRICE_CHANGED", "{}", dry.text);
    let risen = process.pay(fields.clone()).await;
    assert_eq!(risen.refusal(), "409 PRICE_CHANGED");
    assert_eq!(risen.body["cart"]["items"][0]["unitPrice"], "25.00", "{}", risen.text);
    assert!(venue.captured().await.is_empty());
    catalog::reprice(&venue.store, 1500).await;
    let fallen = venue.process().await.pay(fields).await;
    assert_eq!(fallen.error(), "OK", "{}", fallen.text);
    assert_eq!(venue.captured().await, [3_000]);
}

#[tokio::test]
async fn the_second_try_accepts_the_risen_price() {
    let venue = Venue::open([10, 10]).await;
    let cart = venue.process().await.cart(json!([tickets(2)])).await;
    let fields = json!({"shoppingCartId": cart});
    catalog::reprice(&venue.store, 2500).await;
    let process = venue.process().await;
    assert_eq!(process.pay(fields.clone()).await.error(), "PRICE_CHANGED");
    assert_eq!(process.pay(fields).await.error(), "OK");
    assert_eq!(venue.captured().await, [5_000]);
}

#[tokio::test]
async fn an_expected_total_is_an_upper_limit() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    for (expected, kind) in [("35.99", "PRICE_CHANGED"), ("36.00", "OK")] {
        assert_eq!(process.pay(json!({"expectedTotal": expected})).await.error(), kind, "{expected}");
    }
    let above = process.pay(json!({"expectedTotal": 40, "manualEntryCardNumber": "4242424242424242"})).await;
    assert_eq!(above.error(), "OK");
}

#[tokio::test]
async fn a_dry_run_reports_every_finding_and_changes_nothing() {
    let venue = Venue::open([1, 10]).await;
    let process = venue.process().await;
    let before = venue.scan("reservations").await.len();
    let dry = process
        .send(
            pay(json!({
                "dryRun": true, "expectedTotal": "1.00",
                "manualEntryCardNumber": null, "expDate": null, "cvc": null,
            }))
            .keyed("k"),
        )
        .await;
    let types: Vec<_> = dry.body["findings"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(types, ["PRICE_CHANGED", "VALIDATION_ERROR", "NOT_ENOUGH_CAPACITY"], "{}", dry.text);
    assert_eq!(dry.body["valid"], false);
    assert_eq!(dry.body["totalAmount"], "36.00");
    let clean = process.pay(json!({"dryRun": true, "shoppingCart": {"items": [tickets(1)]}})).await;
    assert_eq!((&clean.body["valid"], &clean.body["findings"]), (&json!(true), &json!([])));
    assert_eq!(Books::open(&venue).await.orders, []);
    assert_eq!((venue.scan("reservations").await.len(), venue.scan("carts").await.len()), (before, 0));
    assert!(process.processor.calls().is_empty());
}

#[tokio::test]
async fn what_is_not_there_or_not_on_sale_is_refused() {
    let venue = Venue::open([1, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([tickets_for(1, 1)])).await;
    let unknown = |field: &str| json!({field: "0123456789abcdef01234567"});
    let items = |item: Value| json!({"shoppingCart": {"items": [item]}});
    for (case, ask, expected) in [
        ("cart", pay(unknown("shoppingCartId")), "404 NOT_FOUND\n/shoppingCartId was not found"),
        (
            "another tenant's cart",
            pay(json!({"shoppingCartId": cart})).by("key-205"),
            "404 NOT_FOUND\n/shoppingCartId was not found",
        ),
        (
            "cart of yesterday",
            pay(json!({"shoppingCartId": cart})).at_instant(after(86_400)),
            "404 NOT_FOUND\n/shoppingCartId was not found",
        ),
        ("slot", pay(items(tickets_for(5, 1))), "404 NOT_FOUND\n/shoppingCart/items/0/eventId was not found"),
        (
            "seats",
            pay(json!({})),
            "409 NOT_ENOUGH_CAPACITY\n/shoppingCart/items/0/quantity must be at most 1, the seats available",
        ),
        (
            "event over",
            pay(items(tickets(1))).at_instant(after(200_000)),
            "409 SALES_CLOSED\n/shoppingCart/items/0/eventId is no longer on sale",
        ),
    ] {
        assert_eq!(process.send(ask).await.refusal(), expected, "{case}");
    }
    let mut cancelled = catalog::ledger(2, 10);
    cancelled.state = SlotState::Cancelled;
    venue.store.create_ledger(crate::venue::tenant_id(), &cancelled).await.unwrap();
    let refused = process.pay(items(tickets_for(2, 1))).await;
    assert_eq!(refused.error(), "SALES_CLOSED", "{}", refused.text);
    assert!(venue.captured().await.is_empty());
}

#[tokio::test]
async fn only_the_right_key_with_the_right_headers_checks_out() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    for (case, ask, expected) in [
        ("no key", pay(json!({})).header("x-service-api-key", ""), "401 UNAUTHORIZED"),
        ("unknown key", pay(json!({})).header("x-service-api-key", "nope"), "401 UNAUTHORIZED"),
        ("staff", pay(json!({})).by("staff-204"), "403 FORBIDDEN"),
        ("browser key at the server's route", pay(json!({})).by("browser-204"), "403 FORBIDDEN"),
        ("server key at the page's route", pay_on_page(json!({})).by("key-204"), "403 FORBIDDEN"),
        ("another tenant", pay(json!({})).header("x-b2c-tenant-id", "205"), "403 FORBIDDEN"),
        (
            "no tenant",
            pay(json!({})).header("x-b2c-tenant-id", ""),
            "400 VALIDATION_ERROR\nx-b2c-tenant-id is required",
        ),
        (
            "no address",
            pay(json!({})).header("x-service-browser-ip", ""),
            "400 VALIDATION_ERROR\nx-service-browser-ip is required",
        ),
        (
            "no such address",
            pay(json!({})).header("x-service-browser-ip", "203.0.113"),
            "400 VALIDATION_ERROR\nx-service-browser-ip must be an IPv4 or IPv6 address",
        ),
        ("GET", ask("GET", "/v2/b2c/checkout", json!({})), "405 METHOD_NOT_ALLOWED"),
        ("other type", pay(json!({})).header("content-type", "text/plain"), "415 UNSUPPORTED_MEDIA_TYPE"),
    ] {
        assert_eq!(process.send(ask).await.refusal(), expected, "{case}");
    }
    assert_eq!(Books::open(&venue).await.orders, []);
}

#[tokio::test]
async fn a_live_tenant_is_not_charged_through_the_built_in_processor() {
    let venue = Venue::open([10, 10]).await;
    let tenant = venue
        .store
        .load_tenant(crate::venue::tenant_id(), store::Consistency::Strong)
        .await
        .unwrap()
        .unwrap();
    venue.store.save_tenant(&domain::tenant::Tenant { sandbox: false, ..tenant }).await.unwrap();
    let process = venue.process().await;
    let refused = process.send(pay(json!({})).header("x-service-test-now", "")).await;
    assert_eq!(refused.refusal(), "409 MERCHANT_NOT_READY");
    assert_eq!(refused.body["message"], "No card processor is set up");
    assert!(process.processor.calls().is_empty());
    assert_eq!(Books::open(&venue).await.orders, []);
}

#[tokio::test]
async fn a_risen_price_is_shown_although_the_answer_of_its_storage_is_lost() {
    let venue = Venue::open([10, 10]).await;
    let cart = venue.process().await.cart(json!([tickets(2)])).await;
    catalog::reprice(&venue.store, 2500).await;
    let process = venue.process().await;
    process.faults.at_operation("PutItem", 0, Fault::AnswerLost);
    let risen = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(risen.refusal(), "409 PRICE_CHANGED");
    assert_eq!(risen.body["cart"]["items"][0]["unitPrice"], "25.00", "{}", risen.text);
    assert_eq!(process.pay(json!({"shoppingCartId": cart})).await.error(), "OK");
}

/// Kinds of the findings of a dry run.
fn found(dry: &testkit::Answer) -> Vec<&str> {
    assert_eq!((dry.status, &dry.body["valid"]), (200, &json!(false)), "{}", dry.text);
    dry.body["findings"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_dry_run_leaves_an_abandoned_order_as_it_is() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([tickets(2)])).await;
    process.processor.next(Verb::Confirm, Mishap::CrashBefore);
    assert_eq!(process.pay(json!({"shoppingCartId": cart})).await.error(), "TRY_AGAIN");
    let next = venue.process().await;
    for (fields, findings) in [
        (json!({"shoppingCartId": cart, "dryRun": true}), vec!["REQUEST_IN_PROGRESS"; 2]),
        (json!({"dryRun": true}), vec!["REQUEST_IN_PROGRESS"]),
    ] {
        let dry = next.send(pay(fields).at_instant(after(100))).await;
        assert_eq!(found(&dry), findings, "{}", dry.text);
    }
    assert!(next.processor.calls().is_empty());
    assert_eq!(venue.seats(0).await, [8, 0, 2]);
}

#[tokio::test]
async fn an_empty_cart_and_codes_that_do_not_count_are_pointed_at_as_they_were_sent() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let empty = process.cart(json!([])).await;
    let mut line = tickets(1);
    line["couponCodes"] = json!(["NOPE"]);
    let inline = |cart: Value| json!({ "shoppingCart": cart });
    let codes = json!({"items": [tickets(1)], "couponCodes": [COUPON, "NOPE"]});
    for (fields, expected) in [
        (
            json!({"shoppingCartId": empty}),
            "400 VALIDATION_ERROR\n/shoppingCartId must contain at least one item",
        ),
        (inline(json!({"items": []})), "400 VALIDATION_ERROR\n/shoppingCart must contain at least one item"),
        (inline(codes), "400 COUPON_NOT_VALID\n/shoppingCart/couponCodes/1 There is no such coupon"),
        (
            inline(json!({"items": [line]})),
            "400 COUPON_NOT_VALID\n/shoppingCart/items/0/couponCodes/0 There is no such coupon",
        ),
    ] {
        assert_eq!(process.pay(fields).await.refusal(), expected);
    }
}

#[tokio::test]
async fn a_dry_run_finds_what_is_wrong_with_the_cart_itself() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let unknown = json!({"items": [tickets_for(5, 1)]});
    for (cart, expected, total) in [
        (json!({"items": []}), vec!["VALIDATION_ERROR"], json!("0.00")),
        (
            json!({"items": [tickets(1)], "couponCodes": ["NOPE"]}),
            vec!["COUPON_NOT_VALID", "PRICE_CHANGED"],
            json!("18.00"),
        ),
        (unknown, vec!["NOT_FOUND"], Value::Null),
    ] {
        let dry = process.pay(json!({"dryRun": true, "expectedTotal": "1.00", "shoppingCart": cart})).await;
        assert_eq!((found(&dry), &dry.body["totalAmount"]), (expected, &total), "{}", dry.text);
    }
}

#[tokio::test]
async fn what_was_published_a_moment_ago_is_sold_at_once() {
    for way in ["cart", "cart with key", "update", "checkout"] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let open = process.cart(json!([tickets(1)])).await;
        let mut template = catalog::template(1800);
        template.id = domain::TemplateId::parse("6f2e91b0c47d5a3e18b90f99").unwrap();
        let old = catalog::ledger(0, 10);
        let instance = domain::InstanceId::of(&template.id, None, old.start.naive_utc(), old.start).unwrap();
        let ledger = domain::ledger::Ledger { instance, template: template.id.clone(), ..old };
        venue.store.save_template(crate::venue::tenant_id(), &template).await.unwrap();
        venue.store.create_ledger(crate::venue::tenant_id(), &ledger).await.unwrap();
        let items = json!([{"eventId": instance, "ticketingTypeId": ADULT, "quantity": 1}]);
        let new = ask("POST", "/v2/b2c/carts", json!({"items": items}));
        let sent = match way {
            "cart" => new,
            "cart with key" => new.keyed("a"),
            "update" => ask("PUT", &format!("/v2/b2c/carts/{open}"), json!({"id": open, "items": items})),
            _ => pay(json!({"shoppingCart": {"items": items}})),
        };
        let answer = process.send(sent).await;
        assert_eq!(answer.status, 200, "{way}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_cart_whose_order_is_past_its_deadline_can_be_changed_and_deleted() {
    for method in ["PUT", "DELETE"] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let cart = process.cart(json!([tickets(2)])).await;
        process.processor.next(Verb::Confirm, Mishap::CrashBefore);
        assert_eq!(process.pay(json!({"shoppingCartId": cart})).await.error(), "TRY_AGAIN");
        let next = venue.process().await;
        let body = json!({"id": cart, "items": [tickets(1)]});
        let change = ask(method, &format!("/v2/b2c/carts/{cart}"), body);
        let early = next.send(change.clone().at_instant(after(59))).await;
        assert_eq!(early.error(), "REQUEST_IN_PROGRESS", "{method}");
        let late = next.send(change.at_instant(after(60))).await;
        assert_eq!(late.status, 200, "{method}: {}", late.text);
        assert_eq!(venue.seats(0).await, [10, 0, 0], "{method}");
        assert!(venue.captured().await.is_empty());
    }
}

#[tokio::test]
async fn more_text_than_an_order_can_keep_is_refused_and_nothing_happens() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let texts = [
        "donationAppealName",
        "donationCampaignName",
        "donationFundName",
        "donorRecognition",
        "dedicationLastName",
        "dedicationFirstName",
        "beneficiaryLastName",
        "beneficiaryFirstName",
        "beneficiaryStreetAddress1",
        "beneficiaryStreetAddress2",
        "beneficiaryCity",
        "beneficiaryState",
    ];
    let detail: serde_json::Map<_, _> =
        texts.map(|name| (name.to_owned(), json!("\u{1f418}".repeat(200)))).into_iter().collect();
    let donation = json!({
        "inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": "1.00",
        "donationDetail": detail,
    });
    let items = json!({"items": vec![donation; 100]});
    let answer = process.pay(json!({"shoppingCart": items})).await;
    assert_eq!((answer.status, answer.error()), (413, "PAYLOAD_TOO_LARGE"), "{}", answer.text);
    let stored = process.send(crate::venue::ask("POST", "/v2/b2c/carts", items)).await;
    assert_eq!((stored.status, stored.error()), (413, "PAYLOAD_TOO_LARGE"), "{}", stored.text);
    assert!(crate::audit::audit(&venue, "too large").await.is_empty());
}

#[tokio::test]
async fn a_long_message_on_every_line_is_kept_once() {
    let venue = Venue::open([500, 10]).await;
    let message = "Bring a coat. ".repeat(1_400);
    let template = domain::Template { email_confirmation_message: message, ..template(1_800) };
    venue.store.save_template(tenant_id(), &template).await.unwrap();
    let process = venue.process().await;
    let order = process.pay(json!({"shoppingCart": {"items": vec![tickets(1); 100]}})).await;
    assert_eq!(order.error(), "OK", "{}", order.text);
}
