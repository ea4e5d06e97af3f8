//! Whom the sale of a membership makes customers, and what its offering says about the mail.

use crate::audit::audit;
use crate::catalog::FREE;
use crate::memberships::{bought, found};
use crate::venue::{
    Venue, ada, after, membership, new_membership, pay_on_page, renewal, t0, tenant_id, tickets,
};
use domain::customer::{Customer, Person};
use domain::membership::Membership;
use domain::order::Order;
use domain::{CustomerId, LevelId, OrderId, OrderNumber};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use store::Consistency;
use store::checkout::{Secure, SecureRefusal, Settlement, plan_free_order};
use testkit::cards::GOOD;
use testkit::catalog::{ADULT, LEVEL, MEMBERSHIP};

/// The ids of the customers with this e-mail address.
async fn customers(venue: &Venue, email: &str) -> Vec<CustomerId> {
    let found = venue.store.find_customers(tenant_id(), email).await.unwrap();
    found.into_iter().map(|customer| customer.id).collect()
}

/// The membership that a line of an order made.
async fn made(venue: &Venue, order: &Value, item: usize) -> Membership {
    found(venue, bought(order, item)["membershipId"].as_i64().unwrap()).await.unwrap()
}

fn gift(cards: Value, giver: Value) -> Value {
    let fields = json!({"membershipCards": cards, "isGift": true, "gifterInfo": giver});
    membership("MembershipPurchase", LEVEL, fields)
}

fn holder(first: &str, fields: Value) -> Value {
    let mut holder = json!({"firstName": first, "lastName": "Byron"});
    holder.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    holder
}

#[tokio::test]
async fn whoever_holds_a_card_or_gives_one_becomes_a_customer_if_enough_is_known() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let giver = json!({"customerSource": "online", "firstName": "Pat", "lastName": "Giver", "email": "pat@example.test"});
    let robin = holder("Robin", json!({"email": "robin@example.test"}));
    let sam = holder("Sam", json!({"email": "sam@example.test"}));
    let given = process.pay(json!({"shoppingCart": {"items": [gift(json!([robin, sam]), giver)]}})).await;
    assert_eq!(given.error(), "OK", "{}", given.text);
    let membership = made(&venue, &given.body, 0).await;
    let linked: Vec<_> = membership.cards.iter().map(|card| card.customer.unwrap()).collect();
    assert_eq!(customers(&venue, "robin@example.test").await, [linked[0]]);
    assert_eq!(customers(&venue, "sam@example.test").await, [linked[1]]);
    let giver = membership.bought.unwrap().giver.unwrap();
    assert_eq!(customers(&venue, "pat@example.test").await, [giver.customer.unwrap()]);
    // Nothing but a name is known of him.
    let tim = json!([ada(), holder("Tim", json!({}))]);
    let line = crate::venue::membership("MembershipPurchase", LEVEL, json!({ "membershipCards": tim }));
    let named = process.pay(json!({"shoppingCart": {"items": [line, new_membership()]}})).await;
    let membership = made(&venue, &named.body, 0).await;
    assert_eq!(membership.cards[1].customer, None);
    // A gift by someone who is a customer already, in a renewal that tells how to reach Tim.
    let again = json!({
        "membershipId": membership.number, "isGift": true, "gifterInfo": {"customerId": giver.customer},
        "membershipCards": [ada(), holder("Tim", json!({"phoneNumber": "555 0199", "email": "tim@example.test"}))],
    });
    let line = crate::venue::membership("MembershipRenewal", LEVEL, again);
    let by_another_card = json!({"shoppingCart": {"items": [line]}, "manualEntryCardNumber": GOOD});
    let given = process.pay(by_another_card).await;
    assert_eq!(given.error(), "OK", "{}", given.text);
    let named = |order: &Value| {
        let shown = &bought(order, 0)["gifterInfo"];
        json!([shown["customerId"], shown["firstName"], shown["lastName"]])
    };
    let id = giver.customer.unwrap().get();
    assert_eq!(named(&given.body), json!([id, "Pat", "Giver"]));
    let renewed = found(&venue, membership.id.get()).await.unwrap();
    assert_eq!(renewed.giver().unwrap().person.last_name, "Giver");
    // A page is told nothing of customers.
    let line = gift(json!([ada()]), json!({"customerId": id}));
    let on_page = json!({"shoppingCart": {"items": [line, tickets(1)]}});
    let given_there = process.send(pay_on_page(on_page)).await;
    assert_eq!(given_there.error(), "OK", "{}", given_there.text);
    assert_eq!(named(&given_there.body), json!([id, "", ""]));
    assert_eq!(renewed.cards[0].customer, membership.cards[0].customer);
    assert_eq!(customers(&venue, "tim@example.test").await, [renewed.cards[1].customer.unwrap()]);
    audit(&venue, "people").await;
}

#[tokio::test]
async fn the_same_person_is_one_customer_in_one_order() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let giver = json!({"customerSource": "online", "firstName": "ADA", "lastName": "Byron", "email": "Ada@example.test"});
    let lines = [new_membership(), gift(json!([ada(), holder("Ben", json!({}))]), giver)];
    let answer = process.pay(json!({"shoppingCart": {"items": lines}})).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    let [first, second] = [made(&venue, &answer.body, 0).await, made(&venue, &answer.body, 1).await];
    let ada = first.cards[0].customer.unwrap();
    assert_eq!(second.cards[0].customer, Some(ada));
    assert_eq!(second.bought.unwrap().giver.unwrap().customer, Some(ada));
    assert_eq!(customers(&venue, "ada@example.test").await, [ada]);
    audit(&venue, "one person").await;
}

#[tokio::test]
async fn a_holder_whom_the_venue_knows_is_linked_and_stays_as_known() {
    let venue = Venue::open([10, 10]).await;
    let known: Person = serde_json::from_value(json!({
        "first_name": "Ada", "last_name": "Byron", "email": "ada@example.test", "phone_number": "555 0142",
        "street_address_1": "18 Quay Street", "city": "Portview", "state": "California", "zip_code": "94000",
        "country": "United States",
    }))
    .unwrap();
    let id = CustomerId::parse(93).unwrap();
    venue
        .store
        .save_customer(tenant_id(), "known", &Customer { id, person: known.clone(), source: None })
        .await
        .unwrap();
    let process = venue.process().await;
    let mut sent = ada();
    let fields = json!({
        "firstName": "ADA", "phoneNumber": "5550142", "streetAddress1": "18 quay street", "city": "Portview",
        "state": "CA", "zipCode": "94000", "country": "US",
    });
    sent.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let line = membership("MembershipPurchase", LEVEL, json!({"membershipCards": [sent]}));
    let answer = process.pay(json!({"shoppingCart": {"items": [line]}})).await;
    assert_eq!((answer.error(), answer.calls.rounds), ("OK", 4), "{}", answer.text);
    assert_eq!(made(&venue, &answer.body, 0).await.cards[0].customer, Some(id));
    let found = venue.store.find_customers(tenant_id(), "ada@example.test").await.unwrap();
    assert_eq!(found, [Customer { id, person: known, source: None }]);
}

#[tokio::test(start_paused = true)]
async fn a_membership_is_noted_as_changed_when_its_order_is_settled() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    process.processor.next(testkit::outside::Verb::Confirm, testkit::outside::Mishap::CrashAfter);
    let cart = json!({"items": [renewal(), new_membership()]});
    assert_eq!(process.pay(json!({ "shoppingCart": cart })).await.error(), "TRY_AGAIN");
    venue.new_process().clean_up(90).await;
    let [order] = audit(&venue, "settled later").await.try_into().unwrap();
    assert_eq!((order.created_at, order.paid_at()), (t0(), Some(after(60))));
    let renewed = found(&venue, MEMBERSHIP).await.unwrap();
    assert_eq!(renewed.updated_at, after(90));
    assert_ne!(renewed.created_at, after(90));
    let new = order.memberships().nth(1).unwrap().change.after.id;
    let new = found(&venue, new.get()).await.unwrap();
    assert_eq!((new.created_at, new.updated_at), (after(90), after(90)));
}

#[tokio::test]
async fn an_order_that_is_settled_at_once_takes_no_membership_that_is_there() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let free =
        membership("MembershipPurchase", LEVEL, json!({"membershipCards": [ada()], "pricePointId": FREE}));
    let cardless = json!({
        "shoppingCart": {"items": [free]}, "manualEntryCardNumber": null, "expDate": null, "cvc": null,
    });
    assert_eq!(process.pay(cardless).await.error(), "OK");
    let [first] = audit(&venue, "free").await.try_into().unwrap();
    let before = venue.scan("members").await;
    let again = Order { id: OrderId::from_bits(7), number: OrderNumber::from_bits(7), ..first };
    let at = again.created_at;
    let secure = Secure { order: again, cart: None, guard: None, key: None, ledgers: BTreeMap::new() };
    let settlement = Settlement {
        order: &secure.order,
        paid_at: at,
        settled_at: at,
        tickets: &[],
        sale: None,
        mails: &[],
        mails_due: at,
    };
    let plan = plan_free_order(&secure, &settlement, at).unwrap();
    let refused = venue.store.commit(&plan, "again").await.unwrap().unwrap_err();
    assert!(refused.iter().all(|refused| refused.refusal == SecureRefusal::MembershipMoved), "{refused:?}");
    assert_eq!(venue.scan("members").await.len(), before.len());
}

#[tokio::test]
async fn the_mail_says_what_the_offering_says_of_the_channel() {
    let venue = Venue::open([10, 10]).await;
    let id = LevelId::parse(LEVEL).unwrap();
    let mut level = venue.store.load_definitions(tenant_id(), Consistency::Strong).await.unwrap().levels;
    let mut level = level.remove(&id).unwrap();
    let on = |channel: &str| json!([{"name": channel, "channel": channel, "enabled": true}]);
    level.offerings[0].actions = serde_json::from_value(json!([
        {"action": "new", "sales_channels": on("pointOfSale"), "confirmation_message": "At the desk.",
            "mail_restrictions": [{"channel": "online", "can_send": false}]},
        {"action": "new", "sales_channels": on("online"), "confirmation_message": "From the sofa.",
            "digital_cards_in_mail": true, "mail_restrictions": [{"channel": "kiosk", "can_send": false}]},
        {"action": "renew", "confirmation_message": "Once more.",
            "mail_restrictions": [{"channel": "online", "can_send": false}]},
    ]))
    .unwrap();
    venue.store.save_level(tenant_id(), &level).await.unwrap();
    let process = venue.process().await;
    for line in [new_membership(), renewal()] {
        let ticket = json!({"eventId": crate::catalog::slot(0), "ticketingTypeId": ADULT, "quantity": 1});
        let items = if line["itemType"] == "MembershipRenewal" { vec![line, ticket] } else { vec![line] };
        assert_eq!(process.pay(json!({"shoppingCart": {"items": items}})).await.error(), "OK");
    }
    let paid = audit(&venue, "mails").await;
    let mut said: Vec<_> = paid
        .iter()
        .flat_map(Order::memberships)
        .map(|line| (line.confirmation.clone(), line.action.as_str()))
        .map(|(said, action)| (action, said.silent, said.digital_cards, said.messages.join(" ")))
        .collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            ("MembershipPurchase", false, true, "Welcome, Family. From the sofa.".to_owned()),
            ("MembershipRenewal", true, false, "Welcome, Family. Once more.".to_owned()),
        ]
    );
}

#[tokio::test]
async fn whoever_renews_to_another_level_is_found_by_the_level_to_be_renewed_next() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let fields = json!({"membershipId": MEMBERSHIP, "membershipCards": [ada()]});
    let line = membership("MembershipRenewalUpgrade", crate::catalog::PATRON, fields);
    let answer = process.pay(json!({"shoppingCart": {"items": [line]}})).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    let levels = venue.store.find_memberships_of_email(tenant_id(), "ada@example.test").await.unwrap();
    let levels: Vec<LevelId> = levels.iter().map(|found| found.last_plan().level).collect();
    assert_eq!(levels, [LevelId::parse(crate::catalog::PATRON).unwrap()]);
}
