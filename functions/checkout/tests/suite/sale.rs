//! What is sold, to whom, for how much, with how many calls.

use crate::catalog::slot;
use crate::venue::{Venue, pay, pay_on_page, tenant_id, tickets, tickets_for};
use domain::OrderId;
use serde_json::json;
use testkit::catalog::{ADD_ON, CHILD, DONATION, FIXED_DONATION};

#[tokio::test]
async fn a_cart_within_the_request_becomes_an_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let answer = process.pay(json!({})).await;
    insta::assert_snapshot!(answer.shown(), @r#"
    200 OK
    {
      "address1": null,
      "address2": null,
      "balanceAmount": "0.00",
      "billingAddress1": null,
      "billingAddress2": null,
      "billingCity": null,
      "billingCountry": null,
      "billingEmail": "buyer@example.test",
      "billingFirstName": "Pat",
      "billingLastName": "Payer",
      "billingPhoneNumber": null,
      "billingState": null,
      "billingZipCode": "94000",
      "ccLastFourDigits": "1111",
      "checkInStatus": "NotCheckedIn",
      "city": null,
      "contactFirstName": "Ines",
      "contactFullName": null,
      "contactLastName": "Okafor",
      "country": null,
      "createdBy": "online",
      "createdOn": "2027-06-01T10:00:00-04:00",
      "creationDate": "2027-06-01T10:00:00-04:00",
      "currency": "USD",
      "customerId": null,
      "discountedOriginalTotalAmount": "36.00",
      "discountedTotalAmount": "36.00",
      "email": "ines@example.test",
      "exchanges": [],
      "forms": [],
      "hideEventDate": false,
      "id": "[id]",
      "invoiceAfter": false,
      "legacy": false,
      "locale": "en",
      "membershipId": null,
      "membershipIds": [],
      "notes": null,
      "obfuscated": false,
      "orderItems": [
        {
          "amount": "36.00",
          "balanceAmount": "0.00",
          "basicOriginalQuantity": 2,
          "basicQuantity": 2,
          "checkInDate": null,
          "checkInQuantity": 0,
          "checkInStatus": "NotCheckedIn",
          "checkedInQuantity": 0,
          "comboTemplateId": null,
          "comboTemplateType": "fixedPrice",
          "conversionStatus": "NoConversion",
          "discountedAmount": "36.00",
          "discountedOriginalAmount": "36.00",
          "discountedUnitPrice": "18.00",
          "displayName": "Adult",
          "donationDetail": null,
          "eventId": "eed214b66c0166e05f729454",
          "eventName": "Harbor Gallery Entry",
          "eventStartTime": 1812031200000,
          "inventoryId": null,
          "inventoryName": null,
          "itemDetailId": "[itemDetailId]",
          "itemId": "[itemId]",
          "itemType": "Event",
          "itemTypeId": "66d1b2f0a93c4e517720bb01",
          "itemTypeName": "Adult",
          "itemTypeNg": "Event",
          "membershipInfo": null,
          "originalAmount": "36.00",
          "originalQuantity": 2,
          "originalTaxAmount": "0.00",
          "parentItemId": "0",
          "quantity": 2,
          "taxAmount": "0.00",
          "taxName": null,
          "taxRate": null,
          "ticketingTypeId": "66d1b2f0a93c4e517720bb01",
          "ticketingTypeName": "Adult",
          "unitPrice": "18.00"
        }
      ],
      "orderNumber": "[orderNumber]",
      "originalTotalAmount": "36.00",
      "paidAmount": "36.00",
      "paymentDueDate": "2027-06-01T10:00:00-04:00",
      "payments": [
        {
          "amount": "36.00",
          "cardBrand": "Visa",
          "currency": "USD",
          "disputed": null,
          "lastFour": "1111",
          "mid": "60417",
          "saleId": "[saleId]"
        }
      ],
      "phoneNumber": null,
      "receiptNumber": null,
      "refundAmount": "0.00",
      "refunds": [],
      "saleChannel": "Online",
      "state": null,
      "taxes": [],
      "tenantId": 204,
      "totalAmount": "36.00",
      "updatedBy": "online",
      "updatedOn": "2027-06-01T10:00:00-04:00",
      "visitorId": "[visitorId]",
      "zipCode": null
    }
    "#);
    assert_eq!(venue.seats(0).await, [8, 0, 2]);
    assert_eq!(venue.captured().await, [3_600]);
    assert_eq!(venue.queue.depth(), 1);
}

#[tokio::test]
async fn a_stored_cart_of_every_kind_of_line_becomes_an_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let child = json!({"eventId": slot(1), "ticketingTypeId": CHILD, "quantity": 3});
    let items = json!([
        tickets(2), child, tickets_for(1, 0),
        {"inventoryId": ADD_ON, "quantity": 2},
        {"inventoryId": FIXED_DONATION, "quantity": 1, "type": "fixedDonation"},
        {"inventoryId": DONATION, "quantity": 1, "type": "donation", "unitPrice": "12.34"},
    ]);
    let cart = process.cart(items).await;
    let answer = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    assert_eq!(answer.body["discountedTotalAmount"], "109.34");
    assert_eq!(answer.body["orderItems"].as_array().unwrap().len(), 5);
    assert_eq!((venue.seats(0).await, venue.seats(1).await), ([8, 0, 2], [7, 0, 3]));
    assert_eq!(venue.captured().await, [10_934]);
}

#[tokio::test]
async fn a_declined_card_is_counted_beside_what_is_given_back() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let declined = process.pay(json!({"manualEntryCardNumber": "4000000000000002"})).await;
    assert_eq!(declined.error(), "CARD_DECLINED", "{}", declined.text);
    let paid = process.pay(json!({})).await;
    // Five of the calls write what leads to the order, and five more delete it where the card was declined. Those may
    // begin while it is still counted that it was.
    assert_eq!((paid.calls.rounds, paid.calls.total), (4, 10));
    assert_eq!(declined.calls.total, 17);
    assert!([4, 5].contains(&declined.calls.rounds), "{:?}", declined.calls);
}

#[tokio::test]
async fn a_checkout_makes_five_round_trips_by_cart_id_and_four_with_a_cart_inside() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let inline = process.pay(json!({})).await;
    let cart = process.cart(json!([tickets(3)])).await;
    let stored = process.pay(json!({"shoppingCartId": cart})).await;
    let calls = |answer: &testkit::Answer| (answer.calls.rounds, answer.calls.total);
    // One of them writes what leads to the order, beside the card processor's first answer.
    assert_eq!((calls(&inline), calls(&stored)), ((4, 10), (5, 11)), "{}", stored.text);
}

#[tokio::test(start_paused = true)]
async fn a_slow_card_and_a_lost_answer_still_become_orders_in_one_request() {
    for card in ["4000000000000341", "4000000000000259"] {
        let venue = Venue::open([10, 10]).await;
        let process = venue.process().await;
        let order = process.pay(json!({"manualEntryCardNumber": card})).await;
        assert_eq!(order.error(), "OK", "{card}: {}", order.text);
        assert_eq!(venue.captured().await, [3_600]);
        assert_eq!(crate::audit::audit(&venue, card).await.len(), 1);
    }
}

#[tokio::test]
async fn an_order_keeps_what_its_visitor_reads_or_else_the_language_of_the_venue() {
    let venue = Venue::open([10, 10]).await;
    venue.set(|tenant| tenant.branding.languages = vec!["ja".to_owned(), "pt-BR".to_owned()]).await;
    let process = venue.process().await;
    let of_tickets =
        |quantity, locale| json!({"shoppingCart": {"items": [tickets(quantity)]}, "locale": locale});
    for (asked, expected) in [
        (pay(of_tickets(1, json!("de-AT"))), "de"),
        (pay_on_page(of_tickets(2, json!("FR"))), "fr"),
        (pay(of_tickets(3, json!("zh-Hant-TW"))), "pt"),
        (pay(of_tickets(4, json!(null))), "pt"),
    ] {
        let sold = process.send(asked).await;
        assert_eq!((sold.error(), &sold.body["locale"]), ("OK", &json!(expected)), "{}", sold.text);
        let id = OrderId::parse(&sold.id()).unwrap();
        let kept = venue.store.load_order(tenant_id(), &id).await.unwrap().unwrap();
        assert_eq!(kept.locale.code(), expected);
    }
}
