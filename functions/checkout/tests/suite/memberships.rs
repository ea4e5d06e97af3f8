//! Memberships: what selling them makes, and that nothing of it is left when it does not come to a sale.

use crate::audit::audit;
use crate::catalog::{COUPON, FREE, PATRON, slot};
use crate::venue::{
    Process, Venue, ada, after, ask, membership, new_membership, pay, renewal, tenant_id, tickets, upgrade,
};
use domain::MembershipId;
use domain::membership::Membership;
use domain::outbox::MailKind;
use serde_json::{Value, json};
use store::{Consistency, Key};
use testkit::cards::{DECLINED, GOOD, OTHER};
use testkit::catalog::{ADULT, CHILD, LEVEL, MEMBERSHIP, NUMBER, OFFERING};

/// The membership under an id or a number.
pub(crate) async fn found(venue: &Venue, id: i64) -> Option<Membership> {
    let id = MembershipId::parse(id).unwrap();
    let mut found = venue
        .store
        .get_many(store::member::membership_keys(tenant_id(), id), Consistency::Strong)
        .await
        .unwrap();
    store::member::take_membership(&mut found, tenant_id(), id).unwrap()
}

pub(crate) fn bought(order: &Value, item: usize) -> &Value {
    &order["orderItems"][item]["membershipInfo"]
}

/// A checkout of one line, with these fields of its info on top.
async fn buy(process: &Process, mut line: Value, info: Value) -> testkit::Answer {
    line["membershipInfo"].as_object_mut().unwrap().extend(info.as_object().unwrap().clone());
    process.pay(json!({"shoppingCart": {"items": [line]}})).await
}

#[tokio::test]
async fn a_new_membership_comes_with_its_number_cards_and_customer() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let second = json!({"firstName": "Ben", "lastName": "Byron"});
    let answer = buy(&process, new_membership(), json!({"membershipCards": [ada(), second]})).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    assert_eq!(answer.calls.rounds, 4);
    let item = &answer.body["orderItems"][0];
    assert_eq!(
        json!([item["itemType"], item["itemTypeNg"], item["displayName"], item["amount"]]),
        json!(["MembershipPurchase", "Membership", "Family", "100.00"])
    );
    let info = bought(&answer.body, 0);
    assert_eq!(
        json!([info["startDate"], info["expirationDate"], info["isGift"], info["membershipOfferingId"]]),
        json!(["2027-06-01T00:00:00-04:00", "2028-05-31T23:59:59-04:00", false, OFFERING])
    );
    let id = info["membershipId"].as_i64().unwrap();
    let number = info["membershipNumber"].as_i64().unwrap();
    assert_eq!(number.to_string().len(), 12);
    let by_id = found(&venue, id).await.unwrap();
    assert_eq!(found(&venue, number).await.as_ref(), Some(&by_id));
    assert_eq!((by_id.level.as_str(), by_id.cards.len()), (LEVEL, 2));
    assert_ne!(by_id.cards[0].barcode, by_id.cards[1].barcode);
    let barcode = info["membershipCards"][1]["barcode"].as_str().unwrap();
    let named = venue.store.load_memberships_named(tenant_id(), barcode).await.unwrap();
    assert_eq!(named.as_slice(), std::slice::from_ref(&by_id));
    assert_eq!(
        venue.store.find_memberships_of_email(tenant_id(), "ADA@example.test").await.unwrap().len(),
        1
    );
    let customer = Key::customer(tenant_id(), by_id.cards[0].customer.unwrap());
    let customer: Option<domain::customer::Customer> =
        venue.store.get(&customer, Consistency::Strong).await.unwrap();
    assert_eq!(customer.unwrap().person.first_name, "Ada");
    let paid = audit(&venue, "new membership").await;
    let mails: Vec<MailKind> = domain::outbox::mails_of(&paid[0]).iter().map(|mail| mail.kind).collect();
    assert_eq!(mails, [MailKind::ReceiptWithTickets], "the offering puts digital cards into the mail");
}

#[tokio::test]
async fn a_membership_in_a_stored_cart_costs_no_round_trip_of_its_own() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([renewal(), tickets(1)])).await;
    let answer = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    assert_eq!(answer.calls.rounds, 5);
}

#[tokio::test]
async fn a_decline_leaves_no_membership_customer_or_mark_behind() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let before = venue.scan("members").await.len();
    for line in [new_membership(), renewal()] {
        let cart = json!({"items": [line]});
        let answer = process.pay(json!({"shoppingCart": cart, "manualEntryCardNumber": DECLINED})).await;
        assert_eq!(answer.error(), "CARD_DECLINED");
    }
    assert_eq!(venue.scan("members").await.len(), before);
    audit(&venue, "declined").await;
    assert_eq!(process.pay(json!({"shoppingCart": {"items": [renewal()]}})).await.error(), "OK");
}

#[tokio::test]
async fn whoever_is_to_hold_cards_is_named_at_checkout() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let secondary = json!({"cardType": "secondary", "firstName": "Ben", "lastName": "Byron"});
    for (case, cards, refusal) in [
        ("nobody", json!([]), "must include exactly one primary card"),
        ("no primary", json!([secondary]), "must include exactly one primary card"),
        ("two primaries", json!([ada(), ada()]), "must include exactly one primary card"),
        (
            "unreachable",
            json!([{"firstName": "Ada", "lastName": "Byron"}]),
            "must have firstName, lastName and at least one of",
        ),
        (
            "no last name",
            json!([{"firstName": "Ada", "zipCode": "02145"}]),
            "must have firstName, lastName and at least one of",
        ),
        ("unnamed second", json!([ada(), {"cardType": "secondary"}]), "must have firstName and lastName"),
        (
            "too many",
            json!([ada(), secondary, {"firstName": "Cy", "lastName": "B"}]),
            "has more cards than the offering",
        ),
        ("a bad address", json!([{"email": "ada"}]), "must be an e-mail address"),
        ("a strange type", json!([{"cardType": "third"}]), "must be primary or secondary"),
    ] {
        let answer = buy(&process, new_membership(), json!({"membershipCards": cards})).await;
        assert_eq!(answer.status, 400, "{case}: {}", answer.text);
        let told = answer.refusal();
        assert!(
            told.contains(refusal) && told.contains("/shoppingCart/items/0/membershipInfo"),
            "{case}: {told}"
        );
    }
    let cart = process.cart(json!([membership("MembershipPurchase", LEVEL, json!({}))])).await;
    let answer = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(answer.error(), "VALIDATION_ERROR", "a cart may lack holders, a checkout may not");
    let dry = process.pay(json!({"shoppingCartId": cart, "dryRun": true})).await;
    assert_eq!(dry.body["findings"][0]["type"], "VALIDATION_ERROR");
    assert_eq!(venue.captured().await, [0_i64; 0]);
}

#[tokio::test]
async fn what_no_offering_allows_is_refused_with_its_field() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let with = |fields: Value| {
        let mut line = new_membership();
        line["membershipInfo"].as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        line
    };
    let act = |action: &str, level: &str, fields: Value| membership(action, level, fields);
    let own = || json!({"membershipId": MEMBERSHIP});
    let gift = |fields: Value| {
        let mut giver = json!({"customerSource": "online", "firstName": "Pat", "lastName": "G", "email": "p@example.test"});
        giver.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"isGift": true, "gifterInfo": giver})
    };
    let two_memberships = || {
        let mut line = renewal();
        line["membershipId"] = NUMBER.into();
        line
    };
    let info = "/shoppingCart/items/0/membershipInfo";
    for (case, line, status, field) in [
        (
            "unknown level",
            with(json!({"membershipCategoryId": "65c7d8e9f0a1b2c3d4e5f6aa"})),
            404,
            "membershipCategoryId",
        ),
        ("no level", with(json!({"membershipCategoryId": null})), 404, "membershipCategoryId"),
        ("unknown offering", with(json!({"membershipOfferingId": "00"})), 404, "membershipOfferingId"),
        ("unknown price point", with(json!({"pricePointId": CHILD})), 404, "pricePointId"),
        ("gift without giver", with(json!({"isGift": true})), 400, "gifterInfo"),
        ("giver without gift", with(json!({"gifterInfo": {"customerId": 1}})), 400, "gifterInfo"),
        ("nameless giver", with(gift(json!({"lastName": null}))), 400, "gifterInfo/lastName"),
        ("unreachable giver", with(gift(json!({"email": null}))), 400, "gifterInfo/email"),
        (
            "unknown giver",
            with(json!({"isGift": true, "gifterInfo": {"customerId": 1}})),
            404,
            "gifterInfo/customerId",
        ),
        (
            "giver of another shape",
            with(json!({"isGift": true, "gifterInfo": {"customerId": "me"}})),
            400,
            "gifterInfo/customerId",
        ),
        (
            "giver with a strange number",
            with(json!({"isGift": true, "gifterInfo": {"customerId": -1}})),
            404,
            "gifterInfo/customerId",
        ),
        ("two memberships", two_memberships(), 400, "membershipId"),
        ("purchase of one", with(own()), 400, "membershipId"),
        ("renewal of none", act("MembershipRenewal", LEVEL, json!({})), 400, "membershipId"),
        ("unknown one", act("MembershipRenewal", LEVEL, json!({"membershipId": 99})), 404, "membershipId"),
        ("renewed elsewhere", act("MembershipRenewal", PATRON, own()), 400, "membershipCategoryId"),
        ("moved nowhere", act("MembershipUpgrade", LEVEL, own()), 400, "membershipCategoryId"),
        (
            "strange holder",
            act(
                "MembershipRenewal",
                LEVEL,
                json!({"membershipId": MEMBERSHIP, "membershipCards": [
            {"firstName": "Eve", "lastName": "Other", "zipCode": "1"}]}),
            ),
            400,
            "membershipCards/0",
        ),
        (
            "renewed by nobody",
            act("MembershipRenewal", LEVEL, json!({"membershipId": MEMBERSHIP})),
            400,
            "membershipCards",
        ),
        (
            "strange customer",
            with(json!({"membershipCards": [
            {"firstName": "A", "lastName": "B", "zipCode": "1", "constituentImportId": "12"}]})),
            404,
            "membershipCards/0/constituentImportId",
        ),
    ] {
        let answer = process.pay(json!({"shoppingCart": {"items": [line]}})).await;
        let told = answer.refusal();
        assert_eq!(answer.status, status, "{case}: {told}");
        // What stands on the line itself is named there.
        let place = if case == "two memberships" { "/shoppingCart/items/0" } else { info };
        assert!(told.contains(&format!("\n{place}/{field} ")), "{case}: {told}");
        assert_eq!(told.lines().count(), 2, "{case}: {told}");
    }
    for (case, action, status, field) in [
        ("not offered", "MembershipDowngrade", 409, "itemType"),
        ("not over", "MembershipRejoin", 400, "itemType"),
        ("nothing to buy", "MembershipCancel", 400, "itemType"),
    ] {
        let level = if action == "MembershipDowngrade" { PATRON } else { LEVEL };
        let answer = process.pay(json!({"shoppingCart": {"items": [act(action, level, own())]}})).await;
        assert_eq!(answer.status, status, "{case}: {}", answer.refusal());
        assert!(answer.refusal().contains(&format!("/shoppingCart/items/0/{field} ")), "{case}");
    }
    let mut two = new_membership();
    two["quantity"] = 2.into();
    let answer = process.pay(json!({"shoppingCart": {"items": [two]}})).await;
    assert_eq!(
        answer.refusal(),
        "400 VALIDATION_ERROR\n/shoppingCart/items/0/quantity must be 1 for a membership"
    );
    let crowd = process.pay(json!({"shoppingCart": {"items": vec![new_membership(); 5]}})).await;
    assert!(crowd.refusal().contains("must have at most 4 memberships"), "{}", crowd.text);
    assert_eq!(venue.captured().await, [0_i64; 0]);
}

#[tokio::test]
async fn a_renewal_lengthens_the_term_and_an_upgrade_costs_the_difference() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let before = found(&venue, MEMBERSHIP).await.unwrap();
    let renewed = process.pay(json!({"shoppingCart": {"items": [renewal()]}})).await;
    let info = bought(&renewed.body, 0);
    assert_eq!(
        json!([info["membershipId"], info["membershipNumber"], info["startDate"], info["expirationDate"]]),
        json!([MEMBERSHIP, NUMBER, "2027-07-02T00:00:00-04:00", "2028-07-01T23:59:59-04:00"])
    );
    assert_eq!(info["membershipCards"], json!([]), "what it had before is not told");
    let after_renewal = found(&venue, MEMBERSHIP).await.unwrap();
    assert_eq!((after_renewal.started, after_renewal.expires), (before.started, before.expires));
    assert_eq!(after_renewal.cards[0].person.email.as_deref(), Some("ada@example.test"), "a gap is filled");
    let upgraded = process.pay(json!({"shoppingCart": {"items": [upgrade()]}})).await;
    assert_eq!(upgraded.error(), "OK", "{}", upgraded.text);
    let info = bought(&upgraded.body, 0);
    assert_eq!(upgraded.body["orderItems"][0]["discountedAmount"], "150.00");
    let id = info["membershipId"].as_i64().unwrap();
    assert_ne!(id, MEMBERSHIP);
    let current = found(&venue, NUMBER).await.unwrap();
    assert_eq!((current.id.get(), current.level.as_str()), (id, PATRON));
    assert_eq!(current.expires, after_renewal.expires);
    let retired = found(&venue, MEMBERSHIP).await.unwrap();
    assert_eq!(retired.ended.unwrap().into, Some(current.id));
    assert_eq!(current.ends(), after_renewal.ends(), "what was paid ahead stays");
    assert_eq!(venue.store.load_memberships_named(tenant_id(), "HM-7").await.unwrap(), [current]);
    let refused = process.pay(json!({"shoppingCart": {"items": [renewal()]}})).await;
    assert!(refused.refusal().contains("was cancelled or replaced"), "{}", refused.text);
    audit(&venue, "upgrade").await;
}

#[tokio::test]
async fn a_membership_whose_cards_were_all_given_up_is_nobodys_to_renew() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let mut given_up = found(&venue, MEMBERSHIP).await.unwrap();
    given_up.cards[0].standing = domain::membership::CardStanding::Dropped;
    venue.store.save_membership(tenant_id(), "given-up", &given_up).await.unwrap();
    for line in [renewal(), upgrade()] {
        let refused = process.pay(json!({"shoppingCart": {"items": [line]}})).await;
        assert!(refused.refusal().contains("was cancelled or replaced"), "{}", refused.text);
    }
    assert_eq!(found(&venue, MEMBERSHIP).await, Some(given_up));
}

#[tokio::test]
async fn tickets_beside_a_new_membership_count_for_its_number() {
    let venue = Venue::open([20, 10]).await;
    let process = venue.process().await;
    let cart = |quantity: u32| json!({"items": [new_membership(), tickets(quantity)]});
    let refused = process.pay(json!({"shoppingCart": cart(5)})).await;
    assert_eq!(refused.error(), "ENTITLEMENTS_VIOLATED", "{}", refused.text);
    let joined = process.pay(json!({"shoppingCart": cart(3)})).await;
    assert_eq!(joined.body["orderItems"][1]["discountedAmount"], "30.00", "{}", joined.text);
    let number = bought(&joined.body, 0)["membershipNumber"].as_i64().unwrap();
    let more = |quantity: u32| json!({"items": [tickets(quantity)], "membershipIds": [number]});
    assert_eq!(process.pay(json!({"shoppingCart": more(2)})).await.error(), "ENTITLEMENTS_VIOLATED");
    assert_eq!(process.pay(json!({"shoppingCart": more(1)})).await.error(), "OK");
    audit(&venue, "counted").await;
}

#[tokio::test]
async fn a_gift_belongs_to_who_gets_it_and_its_papers_to_who_gives_it() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let robin = json!({"firstName": "Robin", "lastName": "Recipient", "email": "robin@example.test"});
    let pat = json!({"customerSource": "online", "firstName": "Pat", "lastName": "Giver", "email": "pat@example.test"});
    let gift = json!({"membershipCards": [robin], "isGift": true, "gifterInfo": pat});
    let line = membership("MembershipPurchase", LEVEL, gift);
    let nobody = json!({
        "shoppingCart": {"items": [line]}, "contactFirstName": null, "contactLastName": null, "email": null,
    });
    let given = process.pay(nobody.clone()).await;
    assert_eq!(given.error(), "OK", "{}", given.text);
    assert_eq!(bought(&given.body, 0)["isGift"], true);
    assert_eq!(bought(&given.body, 0)["membershipCards"][0]["firstName"], "Robin");
    assert_eq!(
        json!([given.body["contactFirstName"], given.body["email"]]),
        json!(["Robin", "robin@example.test"]),
        "the contact is whoever holds the primary card"
    );
    assert_eq!(bought(&given.body, 0)["gifterInfo"]["firstName"], "Pat");
    assert_eq!(bought(&given.body, 0)["gifterInfo"]["customerSource"], "online");
    // The giver wrote her own address on the card, too.
    let mut same = nobody.clone();
    let card = &mut same["shoppingCart"]["items"][0]["membershipInfo"]["membershipCards"][0];
    card["email"] = "pat@example.test".into();
    same["manualEntryCardNumber"] = GOOD.into();
    let same = process.pay(same).await;
    assert_eq!(same.error(), "OK", "{}", same.text);
    assert_eq!(bought(&same.body, 0)["membershipCards"][0]["firstName"], "Robin");
    assert_eq!(same.body["contactFirstName"], "Robin");
    let mut own = nobody;
    own["shoppingCart"] =
        json!({"items": [membership("MembershipPurchase", PATRON, json!({"membershipCards": [ada()]}))]});
    let taken = process.pay(own).await;
    assert_eq!(
        json!([taken.body["contactFirstName"], taken.body["email"]]),
        json!(["Ada", "ada@example.test"])
    );
    let paid = audit(&venue, "gift").await;
    assert_eq!(paid.len(), 3);
    for order in &paid {
        let kinds = domain::outbox::mails_of(order);
        assert_eq!(kinds.len(), 1);
        assert!(
            kinds
                .iter()
                .all(|mail| domain::outbox::recipient(order, mail.kind) == Some("buyer@example.test"))
        );
    }
}

#[tokio::test]
async fn a_membership_that_costs_nothing_needs_no_card_and_counts_its_coupon() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let free =
        membership("MembershipPurchase", LEVEL, json!({"membershipCards": [ada()], "pricePointId": FREE}));
    let cardless = json!({
        "shoppingCart": {"items": [free]}, "manualEntryCardNumber": null, "expDate": null, "cvc": null,
    });
    assert_eq!(process.pay(cardless).await.error(), "OK");
    let cart = json!({"items": [new_membership()], "couponCodes": [COUPON]});
    let answer = process.pay(json!({ "shoppingCart": cart })).await;
    assert_eq!(answer.body["orderItems"][0]["discountedAmount"], "99.00", "{}", answer.text);
    audit(&venue, "free").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_renewals_at_once_each_has_a_term_of_its_own() {
    let venue = Venue::open([100, 10]).await;
    let process = venue.process().await;
    let mut tries = tokio::task::JoinSet::new();
    for buyer in 0..8_u32 {
        // Other tickets for each, so that no two look like one buyer.
        let children =
            json!({"eventId": slot(0), "ticketingTypeId": ADULT, "quantity": buyer + 1, "isRetail": true});
        let cart = json!({"items": [renewal(), children]});
        let process = process.clone();
        tries.spawn(async move { process.pay(json!({ "shoppingCart": cart })).await });
    }
    let mut sold = 0;
    for answer in tries.join_all().await {
        sold += i32::from(answer.error() == "OK");
        assert!(["OK", "TRY_AGAIN", "REQUEST_IN_PROGRESS"].contains(&answer.error()), "{}", answer.text);
    }
    assert!(sold >= 1, "none was sold");
    let paid = audit(&venue, "renewals").await;
    let mut ends: Vec<_> =
        paid.iter().flat_map(|order| order.memberships().map(|line| (line.starts, line.ends))).collect();
    ends.sort_unstable();
    assert_eq!(i32::try_from(ends.len()).unwrap(), sold);
    assert!(ends.windows(2).all(|pair| pair[0].1 < pair[1].0), "terms overlap: {ends:?}");
    assert_eq!(found(&venue, MEMBERSHIP).await.unwrap().ends(), ends.last().unwrap().1);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_renewal_is_finished_by_the_next_one() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    process.processor.next(testkit::outside::Verb::Confirm, testkit::outside::Mishap::CrashAfter);
    let first = process.pay(json!({"shoppingCart": {"items": [renewal()]}})).await;
    assert_eq!(first.error(), "TRY_AGAIN");
    let next = venue.process().await;
    let again = |secs| {
        let cart = json!({"items": [renewal(), tickets(1)]});
        pay(json!({ "shoppingCart": cart })).at_instant(after(secs))
    };
    assert_eq!(next.send(again(30)).await.error(), "REQUEST_IN_PROGRESS");
    assert_eq!(next.send(again(100)).await.error(), "TRY_AGAIN", "it finished the other order");
    assert_eq!(next.send(again(101)).await.error(), "OK");
    let paid = audit(&venue, "abandoned").await;
    assert_eq!(paid.len(), 2);
}

#[tokio::test]
async fn a_cart_that_is_sent_back_as_it_was_answered_is_paid_for() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([new_membership(), tickets(1)])).await;
    let path = format!("/v2/b2c/carts/{cart}");
    let answered = process.send(ask("GET", &path, Value::Null).raw("")).await;
    assert_eq!(answered.body["membershipCategoryId"], LEVEL);
    assert_eq!(process.send(ask("PUT", &path, answered.body)).await.error(), "OK");
    let answer = process.pay(json!({"shoppingCartId": cart})).await;
    assert_eq!(answer.error(), "OK", "{}", answer.text);
    let id = bought(&answer.body, 0)["membershipId"].clone();
    assert_eq!(answer.body["membershipIds"], json!([id]));
}

#[tokio::test]
async fn an_upgrade_costs_the_same_in_cart_and_checkout() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let cart = process.cart(json!([upgrade()])).await;
    let shown = process.send(ask("GET", &format!("/v2/b2c/carts/{cart}"), Value::Null).raw("")).await;
    assert_eq!(shown.body["items"][0]["amount"], "150.00");
    assert_eq!(process.pay(json!({"shoppingCartId": cart})).await.error(), "OK");
    assert_eq!(venue.captured().await, [15_000]);
}

#[tokio::test]
async fn the_largest_order_of_memberships_settles() {
    let venue = Venue::open([10, 10]).await;
    let process = venue.process().await;
    let mut level = venue.store.load_definitions(tenant_id(), Consistency::Strong).await.unwrap().levels;
    let mut family = level.remove(&domain::LevelId::parse(LEVEL).unwrap()).unwrap();
    family.rules.card_holders = 15;
    venue.store.save_level(tenant_id(), &family).await.unwrap();
    let next = venue.process().await;
    let holders = |line: usize, cards: usize| -> Vec<Value> {
        let holder = |card: usize| json!({"firstName": format!("F{card}"), "lastName": "Byron", "email": format!("{line}-{card}@example.test")});
        (0..cards).map(holder).collect()
    };
    let line = |line: usize, cards: usize| {
        membership("MembershipPurchase", LEVEL, json!({"membershipCards": holders(line, cards)}))
    };
    let most = json!({"items": [line(1, 4), line(2, 4), line(3, 4), line(4, 3)]});
    assert_eq!(next.pay(json!({ "shoppingCart": most })).await.error(), "OK");
    let more = json!({"items": [line(1, 4), line(2, 4), line(3, 4), line(4, 4)]});
    let refused = next.pay(json!({ "shoppingCart": more })).await;
    assert!(refused.refusal().contains("more than 15"), "{}", refused.text);
    // With telephones of their own, holders are found by more, and one transaction holds fewer of them.
    let with_phones = |line: usize, cards: usize| {
        let mut holders = holders(line + 4, cards);
        for (card, holder) in holders.iter_mut().enumerate() {
            holder["phoneNumber"] = json!(format!("+1 212 555 {line}{card:03}"));
        }
        membership("MembershipPurchase", LEVEL, json!({"membershipCards": holders}))
    };
    let more = json!({"items": [with_phones(1, 4), with_phones(2, 4), with_phones(3, 4), with_phones(4, 3)]});
    let refused = next.pay(json!({ "shoppingCart": more })).await;
    assert_eq!(refused.kind(), (409, "LIMIT_REACHED"), "{}", refused.text);
    assert_eq!(venue.captured().await.len(), 1, "nothing was charged");
    let most = json!({"items": [with_phones(1, 4), with_phones(2, 4), with_phones(3, 4)]});
    let other = json!({ "shoppingCart": most, "manualEntryCardNumber": OTHER });
    assert_eq!(next.pay(other).await.error(), "OK");
    drop(process);
    assert_eq!(audit(&venue, "largest").await.len(), 2);
}
