//! What may be asked for, and what is answered (cases 13 and 35 of the field).

use crate::audit::audit;
use crate::shop::{Shop, refund, refund_id, sent};
use serde_json::{Value, json};
use testkit::cards::{GOOD, REFUSES_REFUNDS};

fn body(sale: &impl std::fmt::Display, amount: &str) -> String {
    format!("{{\"saleId\":\"{sale}\",\"charge\":{{\"amount\":{amount}}}}}")
}

#[tokio::test]
async fn a_refund_is_answered_as_the_interface_shows_it() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 270).await;
    let answer = process.send(refund(&sale, json!(1.0))).await;
    let expected = json!({
        "saleId": sale,
        "refundId": refund_id(&answer),
        "currency": "USD",
        "charge": {"amount": "1.00"},
        "card": {
            "lastFour": "4242", "expirationDate": {"month": "09", "year": "2029"}, "brand": "Visa",
        },
        "amount": {
            "totalAmount": "1.00", "netAmount": "0.86",
            "fee": {
                "totalFee": "0.14", "fixedFee": "0.11", "percentageFee": "0.03", "percentageRate": "2.90",
            },
        },
        "taxes": [],
    });
    assert_eq!((answer.status, &answer.body), (200, &expected));
    assert!(refund_id(&answer).starts_with("refund_"));
    let rest = process.send(refund(&sale, json!(1.7))).await;
    let fee =
        json!({"totalFee": "0.24", "fixedFee": "0.19", "percentageFee": "0.05", "percentageRate": "2.90"});
    assert_eq!(rest.body["amount"]["fee"], fee);
    audit(&shop, &sale, "two refunds").await;
}

#[tokio::test]
async fn amounts_are_read_to_the_cent_as_number_or_text() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    for (number, (sent_amount, shown)) in (1..).zip([
        ("19.99", "19.99"),
        ("8.03", "8.03"),
        ("0.29", "0.29"),
        ("4.35", "4.35"),
        ("10", "10.00"),
        ("10.10", "10.10"),
        ("\"10.00\"", "10.00"),
        ("\"19.99\"", "19.99"),
        ("100", "100.00"),
        ("1.23", "1.23"),
        ("\".01\"", "0.01"),
    ]) {
        let sale = shop.sell(number, GOOD, 10_000).await;
        let answer = process.send(sent(body(&sale, sent_amount))).await;
        assert_eq!(answer.status, 200, "{sent_amount}: {}", answer.text);
        assert_eq!(answer.body["charge"]["amount"], shown, "{sent_amount}");
        let refunded = audit(&shop, &sale, sent_amount).await.refunded().unwrap();
        assert_eq!(refunded.to_string(), shown, "{sent_amount}");
    }
}

#[tokio::test]
async fn what_is_no_positive_amount_is_refused_and_changes_nothing() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 10_000).await;
    let invalid =
        |message: &str| (400, "VALIDATION_ERROR", json!([{"field": "/charge/amount", "message": message}]));
    let decimals = || invalid("must have at most two decimals");
    let no_amount = || invalid("must be an amount, such as \"12.50\"");
    let negative = || {
        let detail = json!({"field": "/charge/amount", "message": "must be more than 0.00"});
        (400, "NEGATIVE_REFUND_AMOUNT", json!([detail]))
    };
    for (amount, (status, kind, details)) in [
        ("0", negative()),
        ("-5", negative()),
        ("-0.0", negative()),
        ("0.00", negative()),
        ("\"-1.00\"", negative()),
        ("-1e2", no_amount()),
        ("1e1", no_amount()),
        ("\"1_0\"", no_amount()),
        ("\"+5\"", no_amount()),
        ("0.001", decimals()),
        ("10.001", decimals()),
        ("7.500", decimals()),
        ("\"1.000\"", decimals()),
        ("1e-3", no_amount()),
        ("1E400", no_amount()),
        ("-1E400", no_amount()),
        ("\"\"", no_amount()),
        ("\"ten\"", no_amount()),
        ("true", no_amount()),
        ("[1]", no_amount()),
        ("null", invalid("is required")),
    ] {
        for ask in [sent(body(&sale, amount)), sent(body(&sale, amount)).below("/preview")] {
            let answer = process.send(ask).await;
            assert_eq!(answer.kind(), (status, kind), "{amount}: {}", answer.text);
            assert_eq!(answer.body["details"], details, "{amount}");
            if kind == "NEGATIVE_REFUND_AMOUNT" {
                let told = (&answer.body["message"], &answer.body["errorCode"]);
                assert_eq!(told, (&json!("Refund amount must be positive"), &json!(10026)), "{amount}");
            }
        }
    }
    for (body, fields) in [
        (json!({"saleId": sale}), vec!["/charge"]),
        (json!({"saleId": sale, "charge": null}), vec!["/charge"]),
        (json!({"saleId": sale, "charge": {}}), vec!["/charge/amount"]),
        (json!({"saleId": sale, "charge": 5}), vec!["/charge"]),
        (json!({"saleId": 7, "charge": {}}), vec!["/saleId", "/charge/amount"]),
    ] {
        let answer = process.send(sent(body.to_string())).await;
        assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{}", answer.text);
        let details = answer.body["details"].as_array().unwrap();
        let named: Vec<&str> = details.iter().map(|detail| detail["field"].as_str().unwrap()).collect();
        assert_eq!(named, fields);
    }
    assert_eq!(audit(&shop, &sale, "refusals").await.version, 0);
}

#[tokio::test]
async fn exactly_what_remains_is_refunded_and_not_a_cent_more() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 5_000).await;
    for (amount, kind, remainder) in [
        ("50.01", "REFUND_EXCEEDS_REMAINDER", json!("50.00")),
        ("92233720368547758.07", "REFUND_EXCEEDS_REMAINDER", json!("50.00")),
        ("19.99", "OK", Value::Null),
        ("30.02", "REFUND_EXCEEDS_REMAINDER", json!("30.01")),
        ("30.01", "OK", Value::Null),
        ("0.01", "REFUND_EXCEEDS_REMAINDER", json!("0.00")),
    ] {
        let preview = process.send(sent(body(&sale, amount)).below("/preview")).await;
        let answer = process.send(sent(body(&sale, amount))).await;
        assert_eq!(answer.kind().1, kind, "{amount}: {}", answer.text);
        assert_eq!(preview.kind().1, kind, "{amount}: {}", preview.text);
        assert_eq!(answer.body["remainder"], remainder, "{amount}");
        let field = if kind == "OK" { Value::Null } else { json!("/charge/amount") };
        assert_eq!(answer.body["details"][0]["field"], field, "{amount}");
        if kind == "OK" {
            assert_eq!(preview.body["amount"], answer.body["amount"], "{amount}");
            assert_eq!(preview.body["remainder"], shop.sale(&sale).await.remainder.to_string());
        }
    }
    audit(&shop, &sale, "exactly").await;
}

#[tokio::test]
async fn a_preview_changes_nothing() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 5_000).await;
    let before = shop.sale(&sale).await;
    let answer = process.send(refund(&sale, json!("20.00")).below("/preview").keyed("k")).await;
    let expected = json!({
        "saleId": sale, "currency": "USD", "charge": {"amount": "20.00"},
        "card": {"lastFour": "4242", "expirationDate": {"month": "09", "year": "2029"}, "brand": "Visa"},
        "amount": {
            "totalAmount": "20.00", "netAmount": "19.30",
            "fee": {
                "totalFee": "0.70", "fixedFee": "0.12", "percentageFee": "0.58", "percentageRate": "2.90",
            },
        },
        "taxes": [],
        "remainder": "30.00",
    });
    assert_eq!((answer.status, answer.body), (200, expected));
    assert_eq!((shop.sale(&sale).await, answer.calls.total), (before, 1));
}

#[tokio::test]
async fn a_refusal_of_the_bank_is_passed_on_with_its_codes_and_gives_the_amount_back() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, REFUSES_REFUNDS, 5_000).await;
    let answer = process.send(refund(&sale, json!(20))).await;
    assert_eq!(answer.kind(), (402, "REFUND_REFUSED"));
    for (field, value) in [
        ("processorErrorCode", "refund_declined"),
        ("processorErrorMessage", "The issuer refused the refund."),
        ("issuingErrorCode", "refund_declined"),
        ("issuingErrorMessage", "The issuer refused the refund."),
    ] {
        assert_eq!(answer.body[field], value, "{field}");
    }
    assert_eq!(audit(&shop, &sale, "refused").await.remainder.to_string(), "50.00");
}

#[tokio::test]
async fn a_sale_takes_two_hundred_refunds() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let sale = shop.sell(1, GOOD, 5_000).await;
    for _ in 0..200 {
        assert_eq!(process.send(refund(&sale, json!(0.01))).await.status, 200);
    }
    for ask in [refund(&sale, json!(0.01)), refund(&sale, json!(0.01)).below("/preview")] {
        assert_eq!(process.send(ask).await.kind(), (409, "TOO_MANY_REFUNDS"));
    }
    audit(&shop, &sale, "two hundred").await;
}
