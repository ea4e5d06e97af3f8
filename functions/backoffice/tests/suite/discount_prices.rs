//! Price lists with a discount.

use crate::support;
use serde_json::{Value, json};
use testkit::{get, made};

#[tokio::test]
async fn a_price_list_is_shown_as_it_is_with_a_discount() {
    let venue = support::open().await;
    let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
    let child = made(&venue, "/v2/b2b/persontypes", json!({"name": "Child"})).await;
    let senior = made(&venue, "/v2/b2b/persontypes", json!({"name": "Senior", "active": false})).await;
    let of = |id: &str, price: &str, order: i64| json!({"personType": {"id": id}, "price": price, "displayOrder": order});
    let mut kiosk = of(&senior, "12.00", 3);
    kiosk["salesChannels"] = json!([{"channel": "kiosk", "enabled": true}]);
    let mut reduced = of(&child, "20.00", 1);
    reduced["discountedPrice"] = json!("18.00");
    let template = |list: &str, prices: Value| {
        json!({"name": "Tour", "description": "Around", "duration": {"hour": 1}, "capacity": 10,
            "startTime": "2027-06-05T20:00:00",
            "priceLists": [{"id": list, "name": "Day", "description": "By day", "prices": prices}]})
    };
    let prices = json!([of(&adult, "30.05", 2), reduced, kiosk]);
    let templates = "/v2/b2b/event/templates";
    let one = made(&venue, templates, template("day", prices)).await;
    let two = made(&venue, templates, template("day", json!([of(&adult, "8.00", 1)]))).await;
    let value =
        |id: &str, kind: &str, value: &str| json!({"personTypeId": id, "discountType": kind, "value": value});
    let values = [value(&adult, "percent", "12.5"), value(&senior, "amount", "15.00")];
    let discount = made(&venue, "/v2/b2b/discounts", json!({"name": "Friends", "values": values})).await;
    let path = format!("/v2/b2b/discounts/{discount}/price/list/day");
    let ask = format!("{path}?eventTemplateId={one}");
    let shown = venue.send(get(&ask)).await;
    let told = |shown: &Value| -> Vec<Value> {
        let price = |price: &Value| {
            let name = &price["personType"]["name"];
            json!([name, price["price"], price["discount"], price["discountedPrice"], price["displayOrder"]])
        };
        shown["prices"].as_array().unwrap().iter().map(price).collect()
    };
    let head = ["priceListId", "name", "description", "startTime"].map(|name| shown.body[name].clone());
    assert_eq!(head, [json!("day"), json!("Day"), json!("By day"), Value::Null]);
    // 30.05 less an eighth is 26.29375.
    let expected = [
        json!(["Child", 18.0, 0.0, 18.0, 1]),
        json!(["Adult", 26.29, 3.76, 26.29, 2]),
        json!(["Senior", 0.0, 12.0, 0.0, 3]),
    ];
    assert_eq!(told(&shown.body), expected);
    let warm = venue.send(get(&ask)).await;
    assert_eq!((warm.calls.rounds, &warm.body), (0, &shown.body), "from the cached catalog");
    let online = venue.send(get(format!("{ask}&saleChannel=online")).by("counter-1")).await.done();
    assert_eq!(told(&online), expected[..2]);
    let older = venue.send(get(ask.replace("/v2/", "/v1/"))).await;
    assert_eq!(older.body, shown.body);
    let first = if one < two { told(&shown.body) } else { vec![json!(["Adult", 7.0, 1.0, 7.0, 1])] };
    assert_eq!(told(&venue.send(get(&path)).await.done()), first, "of the first template by its id");
    for (ask, refusal) in [
        (get(format!("/v2/b2b/discounts/{discount}/price/list/night")), "404 NOT_FOUND"),
        (get("/v2/b2b/discounts/none/price/list/day"), "404 NOT_FOUND"),
        (get(format!("{path}?eventTemplateId=none")), "404 NOT_FOUND"),
        (get(&path).by("key-2"), "404 NOT_FOUND"),
        (get(&path).by("door-1"), "403 FORBIDDEN"),
    ] {
        assert_eq!(venue.send(ask).await.refusal(), refusal);
    }
    let faulty = venue.send(get(format!("{path}?eventTemplateId=a+b&saleChannel=fax"))).await;
    assert_eq!(
        (faulty.status, faulty.pointers()),
        (400, vec!["eventTemplateId".to_owned(), "saleChannel".to_owned()])
    );
}
