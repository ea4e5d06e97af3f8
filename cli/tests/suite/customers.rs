//! Customers, from the checkout that makes them to the back office that reads them.

#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use crate::demo::{SHOP, STAFF};
use boxoffice::testing::Service;
use serde_json::{Value, json};

const PATH: &str = "/v2/b2b/customers";

/// The order of a payer with whole billing data, but for what differs. Each pays another amount.
async fn order(service: &Service, amount: &str, changes: Value) -> Value {
    let donation = json!({"itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1,
        "unitPrice": amount});
    let mut checkout = json!({
        "shoppingCart": {"items": [donation]}, "billingFirstName": "Zoë", "billingLastName": "Okafor",
        "billingEmail": "zoe@example.test", "billingPhoneNumber": "+1 415 555 0142",
        "billingAddress1": "18 Quay Street", "billingCity": "Portview", "billingState": "CA",
        "billingZipCode": "94000", "billingCountry": "US",
        "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123",
    });
    for (name, value) in changes.as_object().unwrap() {
        checkout[name] = value.clone();
    }
    let answer = service.request("POST", "/v2/b2c/checkout", &SHOP, Some(&checkout)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn read(service: &Service, path: String) -> Value {
    service.request("GET", &path, &STAFF, None).await.body
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_billing_data_makes_a_customer_and_the_same_data_is_the_same_customer() {
    let service = Service::start().await;
    let first = order(&service, "1.00", json!({})).await["customerId"].clone();
    let spelled = json!({"billingFirstName": "ZOË", "billingPhoneNumber": "1-415-555-0142",
        "billingState": "California", "billingCountry": "United States"});
    assert_eq!(order(&service, "2.00", spelled).await["customerId"], first);
    let other =
        order(&service, "3.00", json!({"billingAddress1": "19 Quay Street"})).await["customerId"].clone();
    assert_ne!(other, first);
    let incomplete = order(&service, "4.00", json!({"billingPhoneNumber": ""})).await;
    assert_eq!(incomplete["customerId"], json!(null));
    let shown = json!({
        "id": first, "firstName": "Zoë", "lastName": "Okafor", "email": "zoe@example.test",
        "phoneNumber": "+1 415 555 0142", "streetAddress1": "18 Quay Street", "streetAddress2": null,
        "city": "Portview", "state": "California", "zipCode": "94000", "country": "United States",
        "customerSource": null,
    });
    assert_eq!(read(&service, format!("{PATH}/{first}")).await, shown);
    let found = read(&service, format!("{PATH}?email=zoe@example.test")).await;
    let mut ids: Vec<Value> =
        found["list"].as_array().unwrap().iter().map(|customer| customer["id"].clone()).collect();
    ids.sort_by_key(Value::as_i64);
    let mut expected = vec![first, other];
    expected.sort_by_key(Value::as_i64);
    assert_eq!(ids, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_pays_for_a_customers_cart_does_not_become_that_customer() {
    let service = Service::start().await;
    let before = read(&service, format!("{PATH}/100100011")).await;
    assert_eq!(before["lastName"], "Lindqvist");
    let donation = json!({"itemType": "Inventory", "inventoryId": 1_001_003, "type": "donation", "quantity": 1,
        "unitPrice": "1.00"});
    let cart = json!({"customerId": 100_100_011, "items": [donation]});
    let sold = order(&service, "1.00", json!({"shoppingCart": cart})).await;
    assert_eq!(sold["customerId"], 100_100_011);
    assert_eq!(read(&service, format!("{PATH}/100100011")).await, before);
    let found = read(&service, format!("{PATH}?email=zoe@example.test")).await;
    assert_eq!(found["list"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_that_was_imported_is_known_at_the_checkout() {
    let service = Service::start().await;
    let before = read(&service, format!("{PATH}/100100011")).await;
    let billing = json!({
        "billingFirstName": "ada", "billingLastName": "Lindqvist", "billingEmail": "Ada.Lindqvist@example.test",
        "billingPhoneNumber": "1 212 555 0107", "billingAddress1": "7 Pier Street", "billingCity": "New York",
        "billingState": "NY", "billingZipCode": "10004", "billingCountry": "US",
    });
    assert_eq!(order(&service, "1.00", billing.clone()).await["customerId"], 100_100_011);
    assert_eq!(read(&service, format!("{PATH}/100100011")).await, before);
    let card = json!({"cards": [{"id": 100_100_071, "streetAddress1": "8 Pier Street"}]});
    let moved = service.request("PUT", "/v2/b2b/memberships/100100051", &STAFF, Some(&card)).await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    let mut now = billing.clone();
    now["billingAddress1"] = json!("8 Pier Street");
    assert_eq!(order(&service, "2.00", now).await["customerId"], 100_100_011);
    assert_ne!(order(&service, "3.00", billing).await["customerId"], 100_100_011);
}
