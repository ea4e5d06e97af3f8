//! Who may refund what (case 31 of the field).

use crate::shop::{MID, Shop, refund};
use domain::SaleId;
use serde_json::json;
use testkit::cards::GOOD;

#[tokio::test]
async fn only_the_key_of_the_merchant_refunds_its_sales() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let own = shop.sell(1, GOOD, 5_000).await;
    let of_other_mid = shop.sell_as(1, "60418", 2, GOOD, 5_000).await;
    let of_other_tenant = shop.sell_as(2, "70001", 3, GOOD, 5_000).await;
    let unknown = SaleId::from_bytes([9; 16]);
    let ask = |sale: &SaleId| refund(sale, json!(1));
    let path = |mid: &str| format!("/v1/payment/{mid}/refund");
    let not_found = (404, "NOT_FOUND");
    for (ask, expected) in [
        (ask(&unknown), not_found),
        (ask(&of_other_mid), not_found),
        (ask(&of_other_tenant), not_found),
        (ask(&own).to(path("60418")), not_found),
        (ask(&own).to(path("99999")), not_found),
        (ask(&own).by("pay-60418"), not_found),
        (ask(&own).by("pay-60418").to(path("60418")), not_found),
        (ask(&own).by("pay-70001").to(path("70001")), not_found),
        (ask(&own).by("pay-nobody"), not_found),
        (ask(&own).by("partner-1"), (403, "FORBIDDEN")),
        (ask(&own).by("b2b-1"), (403, "FORBIDDEN")),
        (ask(&own).by("pay-unknown"), (401, "UNAUTHORIZED")),
        (ask(&own), (200, "OK")),
        (ask(&own).to(format!("/payments{}", path(MID))), (200, "OK")),
        (ask(&of_other_mid).by("pay-60418").to(path("60418")), (200, "OK")),
        (ask(&of_other_tenant).by("pay-70001").to(path("70001")), (200, "OK")),
    ] {
        let shown = format!("{ask:?}");
        let preview = process.send(ask.clone().below("/preview")).await;
        assert_eq!(preview.kind(), expected, "preview, {shown}: {}", preview.text);
        let answer = process.send(ask).await;
        assert_eq!(answer.kind(), expected, "{shown}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_sale_of_another_is_told_like_one_that_does_not_exist() {
    let shop = Shop::open().await;
    let process = shop.process().await;
    let others = [
        shop.sell_as(1, "60418", 2, GOOD, 5_000).await,
        shop.sell_as(2, "70001", 3, GOOD, 5_000).await,
        SaleId::from_bytes([9; 16]),
    ];
    let mut told = Vec::new();
    for sale in &others {
        // More than anybody has, which a sale of its own would say.
        let mut answer = process.send(refund(sale, json!(1_000_000))).await;
        answer.body.as_object_mut().unwrap().remove("requestId");
        told.push((answer.status, answer.body));
    }
    assert!(told.iter().all(|answer| *answer == told[0]), "{told:?}");
    assert_eq!(told[0].1["details"], json!([{"field": "/saleId", "message": "was not found"}]));
}
