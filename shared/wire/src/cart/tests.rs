use super::CartInput;
use crate::{Checker, Rejection, read_body};
use domain::CartId;
use domain::cart_request::{CartRequest, Wanted, WantedMembership};
use serde_json::{Value, json};

const EVENT: &str = "eed214b66b969d605f72ac74";
const CART: &str = "7b3f0e5d9a1c4827b6d0e9f3";

fn parse(body: &Value) -> Result<CartRequest, Rejection> {
    let input: CartInput = read_body(body.to_string().as_bytes()).unwrap();
    let mut checker = Checker::new();
    let request = input.parse_new(&mut checker);
    checker.finish(request)
}

/// The faults of a body, one a line, behind what kind of answer they get.
fn faults(rejection: Rejection) -> String {
    let kind = match &rejection {
        Rejection::Invalid(_) => "invalid",
        Rejection::Unknown(_) => "unknown",
    };
    let details = rejection.details().iter().map(|fault| format!("; {} {}", fault.field, fault.message));
    format!("{kind}{}", details.collect::<String>())
}

fn faults_of_line(line: Value) -> String {
    parse(&json!({ "items": [line] })).map_or_else(faults, |_| String::new())
}

#[test]
fn a_line_says_what_is_wrong_with_it() {
    let kinds = "must be Event (tickets), Inventory (add-ons and donations) or a membership action, \
                 such as MembershipPurchase";
    let of_kind = format!("invalid; /items/0/itemType {kinds}");
    let of_kind_and_quantity = format!("{of_kind}; /items/0/quantity must be an integer");
    for (line, expected) in [
        (json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1}), ""),
        (json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 999, "inventoryId": 7}), ""),
        (
            json!({"quantity": 1}),
            "invalid; /items/0/itemType is required unless eventId, inventoryId or membershipInfo is sent",
        ),
        (
            json!({"quantity": "two"}),
            "invalid; /items/0/itemType is required unless eventId, inventoryId or membershipInfo is sent; \
             /items/0/quantity must be an integer",
        ),
        (
            json!({"quantity": 1, "itemType": "MembershipPurchase"}),
            "invalid; /items/0/membershipInfo is required",
        ),
        (
            json!({"quantity": 1, "itemType": "MembershipCancel"}),
            "invalid; /items/0/itemType cannot be bought: memberships are cancelled in the back office",
        ),
        (json!({"quantity": 1, "itemType": "Bundle"}), of_kind.as_str()),
        (json!({"quantity": 1.5, "itemType": "Banana"}), of_kind_and_quantity.as_str()),
        (
            json!({"eventId": "x", "ticketingTypeId": "a", "quantity": 1000}),
            "invalid; /items/0/quantity must be between 0 and 999; /items/0/eventId was not found",
        ),
        (
            json!({"inventoryId": 7, "quantity": "two", "type": "gift"}),
            "invalid; /items/0/type must be fixedDonation or donation; /items/0/quantity must be an integer",
        ),
        (json!({"quantity": 1, "itemType": 5}), "invalid; /items/0/itemType must be a string"),
        (json!({"quantity": 1, "itemType": ""}), "invalid; /items/0/itemType must not be blank"),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1, "itemType": "   "}),
            "invalid; /items/0/itemType must not be blank",
        ),
        (
            json!({"itemType": "Event", "quantity": 1}),
            "unknown; /items/0/eventId is required; /items/0/ticketingTypeId is required",
        ),
        (
            json!({"eventId": "x", "ticketingTypeId": "a", "quantity": 1}),
            "unknown; /items/0/eventId was not found",
        ),
        (json!({"eventId": EVENT, "ticketingTypeId": "a"}), "invalid; /items/0/quantity is required"),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1000}),
            "invalid; /items/0/quantity must be between 0 and 999",
        ),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1, "isRetail": true, "couponCodes": ["A"]}),
            "invalid; /items/0/couponCodes must be empty on a line charged at full price",
        ),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1, "couponCodes": ["A", " ", 5]}),
            "invalid; /items/0/couponCodes/1 must not be blank; /items/0/couponCodes/2 must be a string",
        ),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1, "couponCodes": vec!["A"; 11]}),
            "invalid; /items/0/couponCodes must have at most 10 entries",
        ),
        (json!({"itemType": "Inventory", "quantity": 1}), "unknown; /items/0/inventoryId is required"),
        (json!({"inventoryId": 0, "quantity": 1}), "unknown; /items/0/inventoryId was not found"),
        (json!({"inventoryId": "", "quantity": 1}), "invalid; /items/0/inventoryId must be an integer"),
        (
            json!({"eventId": " ", "ticketingTypeId": "", "quantity": 1}),
            "invalid; /items/0/eventId must not be blank; /items/0/ticketingTypeId must not be blank",
        ),
        (json!({"inventoryId": "seven", "quantity": 1}), "invalid; /items/0/inventoryId must be an integer"),
        (
            json!({"inventoryId": 7, "eventId": EVENT, "quantity": 1}),
            "invalid; /items/0/eventId is an event for which the cart has no tickets",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "couponCodes": ["A"]}),
            "invalid; /items/0/couponCodes apply to event tickets and memberships only",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "gift"}),
            "invalid; /items/0/type must be fixedDonation or donation",
        ),
        (json!({"inventoryId": 7, "quantity": 1, "type": "FIXEDDONATION"}), ""),
        (json!({"inventoryId": 7, "quantity": 1, "type": "fixedDonation", "addonType": "FixedDonation"}), ""),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "fixedDonation", "addonType": "addOn"}),
            "invalid; /items/0/addonType must be the same as type, or left out",
        ),
        (
            json!({"inventoryId": 7, "quantity": 2, "type": "fixedDonation"}),
            "invalid; /items/0/quantity must be 1 for a donation",
        ),
        (
            json!({"inventoryId": 7, "quantity": 0, "addonType": "donation"}),
            "invalid; /items/0/quantity must be 1 for a donation; \
             /items/0/unitPrice is required (the amount the donor chose)",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "donation", "unitPrice": "0.00"}),
            "invalid; /items/0/unitPrice must be between 0.01 and 10000000.00",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "donation", "unitPrice": "99999999999999999999"}),
            "invalid; /items/0/unitPrice must be between 0.01 and 10000000.00",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "donation", "unitPrice": "-5.00"}),
            "invalid; /items/0/unitPrice must be between 0.01 and 10000000.00",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "donation", "unitPrice": "1.005"}),
            "invalid; /items/0/unitPrice must have at most two decimals",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "fixedDonation", "donationDetail": {"beneficiaryCity": 5}}),
            "invalid; /items/0/donationDetail/beneficiaryCity must be a string",
        ),
    ] {
        let case = line.to_string();
        assert_eq!(faults_of_line(line), expected, "{case}");
    }
}

/// The membership that a line buys, or the faults of the line.
fn bought(line: Value) -> Result<WantedMembership, String> {
    let request = parse(&json!({ "items": [line] })).map_err(faults)?;
    match request.lines.into_iter().next().map(|line| line.wanted) {
        Some(Wanted::Membership(wanted)) => Ok(*wanted),
        Some(Wanted::Ticket(_) | Wanted::AddOn(_) | Wanted::Donation(_) | Wanted::Combo(_)) | None => {
            Err("no membership".to_owned())
        }
    }
}

/// A line of a membership, with these fields beside its info and these in it.
fn membership_line(beside: Value, info: Option<Value>) -> Value {
    let mut line = json!({"itemType": "MembershipPurchase", "quantity": 1});
    line.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
    if let Some(info) = info {
        line["membershipInfo"] = info;
    }
    line
}

#[test]
fn what_a_membership_line_buys_is_read_from_the_line_and_from_its_info() {
    let cards = json!([{"firstName": "Ada", "lastName": "Byron", "zipCode": "10004"}]);
    let plan = json!({
        "membershipCategoryId": EVENT, "membershipOfferingId": "77d1b2f0a93c4e517720bb0177d1b2f0",
        "pricePointId": "a",
    });
    let mut whole = plan.clone();
    whole["membershipCards"] = cards.clone();
    let expected = bought(membership_line(json!({}), Some(whole.clone()))).unwrap();
    assert_eq!((expected.plan.level.as_str(), expected.holders.len()), (EVENT, 1));
    for (beside, info) in [
        (whole.clone(), None),
        (whole.clone(), Some(json!({}))),
        (whole.clone(), Some(whole.clone())),
        (plan.clone(), Some(json!({ "cards": cards }))),
        (json!({ "membershipCards": cards }), Some(plan.clone())),
        (json!({ "cards": cards }), Some(plan.clone())),
        (json!({ "cardholders": cards, "cards": cards }), Some(plan.clone())),
        (json!({ "cardholders": cards, "membershipCategoryId": null }), Some(plan.clone())),
        (json!({ "pricepointId": "a", "membershipCards": null }), Some(whole.clone())),
    ] {
        let line = membership_line(beside, info);
        assert_eq!(bought(line.clone()), Ok(expected.clone()), "{line}");
    }
}

#[test]
fn a_name_shows_something_and_does_not_turn_the_direction() {
    let named = |first: &str| {
        let info = json!({
            "membershipCategoryId": EVENT, "membershipOfferingId": "77d1b2f0a93c4e517720bb0177d1b2f0",
            "pricePointId": "a", "membershipCards": [{"firstName": first}],
        });
        let wanted = bought(membership_line(json!({}), Some(info)));
        wanted.map(|wanted| wanted.holders[0].person.first_name.clone())
    };
    let place = "/items/0/membershipInfo/membershipCards/0/firstName";
    let refused = format!("invalid; {place} must not have control characters");
    for mark in ["\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}"] {
        assert_eq!(named(&format!("Ada{mark}b")), Err(refused.clone()), "{mark:?}");
    }
    for nothing in ["\u{200b}", "\u{200f}", "\u{3164}", " \u{feff} "] {
        assert_eq!(named(nothing), Err(format!("invalid; {place} must not be blank")), "{nothing:?}");
    }
    for left_out in ["", " "] {
        assert_eq!(named(left_out), Ok(String::new()), "{left_out:?}");
    }
    let family = "Ada \u{1f469}\u{200d}\u{1f467}";
    assert_eq!(named(family), Ok(family.to_owned()));
}

#[test]
fn a_membership_line_and_its_info_do_not_contradict_each_other() {
    let cards = json!([{"firstName": "Ada"}]);
    let info = json!({
        "membershipCategoryId": EVENT, "membershipOfferingId": "77d1b2f0a93c4e517720bb0177d1b2f0",
        "pricePointId": "a", "membershipId": 7, "membershipCards": cards,
    });
    for (field, value) in [
        ("membershipCategoryId", json!("eed214b66b969d605f72ac75")),
        ("membershipOfferingId", json!("77d1b2f0a93c4e517720bb0177d1b2f1")),
        ("pricePointId", json!("b")),
        ("membershipId", json!(8)),
    ] {
        let line = membership_line(json!({ (field): value }), Some(info.clone()));
        let message = format!("must be the same as membershipInfo/{field}, or left out");
        assert_eq!(bought(line), Err(format!("invalid; /items/0/{field} {message}")));
    }
    let others = json!([{"firstName": "Ben"}]);
    let same = "must have the same cards as the other list, or be left out";
    for (beside, cards_too, pointer) in [
        (json!({ "membershipCards": others }), None, "membershipCards"),
        (json!({ "cards": others }), None, "cards"),
        (json!({}), Some(&others), "membershipInfo/cardholders"),
    ] {
        let mut info = info.clone();
        if let Some(cards) = cards_too {
            info["cardholders"] = cards.clone();
        }
        let refused = bought(membership_line(beside, Some(info)));
        assert_eq!(refused, Err(format!("invalid; /items/0/{pointer} {same}")));
    }
    let beside = json!({ "membershipOfferingId": "77d1b2f0a93c4e517720bb0177d1b2f0" });
    let missing = "unknown; /items/0/membershipCategoryId is required; /items/0/pricePointId is required";
    assert_eq!(bought(membership_line(beside, None)), Err(missing.to_owned()));
    let missing = bought(membership_line(json!({ "membershipCards": cards }), None));
    assert_eq!(missing, Err("invalid; /items/0/membershipInfo is required".to_owned()));
}

#[test]
fn a_cart_says_what_is_wrong_with_it_as_a_whole() {
    let ticket = |quantity: u32| json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": quantity});
    for (body, expected) in [
        (json!({}), ""),
        (json!({"items": null, "saleChannel": "pointOfSale", "tempVisitorId": 5}), ""),
        (json!({"items": {}}), "invalid; /items must be an array"),
        (json!({"items": [5]}), "invalid; /items/0 must be an object"),
        (json!({"items": vec![ticket(1); 100]}), ""),
        (json!({"items": vec![ticket(1); 101]}), "invalid; /items must have at most 100 entries"),
        (json!({"items": vec![ticket(999); 3]}), "invalid; /items must have at most 2000 tickets"),
        (
            json!({"membershipIds": [1, "two", 0], "verifyEntitlements": "yes"}),
            "invalid; /membershipIds/1 must be an integer; /verifyEntitlements must be true or false; \
             /membershipIds/2 was not found",
        ),
        (json!({"membershipIds": vec![1; 11]}), "invalid; /membershipIds must have at most 10 entries"),
        (
            json!({"membershipCategoryId": "a b", "reservationId": -1, "customerId": 0}),
            "unknown; /membershipCategoryId was not found; /reservationId was not found; /customerId was not found",
        ),
    ] {
        assert_eq!(parse(&body).map_or_else(faults, |_| String::new()), expected, "{body}");
    }
}

#[test]
fn an_id_that_is_sent_blank_was_forgotten() {
    let ticket = |id: &str| json!({"itemId": id, "eventId": EVENT, "ticketingTypeId": "a", "quantity": 1});
    for unknown in ["no id at all", CART] {
        assert_eq!(faults_of_line(ticket(unknown)), "", "a line of its own: {unknown}");
    }
    for blank in ["", "  ", "\u{200b}"] {
        assert_eq!(faults_of_line(ticket(blank)), "invalid; /items/0/itemId must not be blank", "{blank:?}");
        let combo = json!({"itemId": blank, "comboTemplateId": CART, "ticketingTypeId": "a", "quantity": 1,
            "parts": [{"eventId": EVENT}]});
        let told = parse(&json!({"items": [], "comboItems": [combo]})).map_or_else(faults, |_| String::new());
        assert_eq!(told, "invalid; /comboItems/0/itemId must not be blank", "{blank:?}");
        let card = json!({"firstName": "Ada", "constituentImportId": blank});
        let info = json!({
            "membershipCategoryId": EVENT, "membershipOfferingId": "77d1b2f0a93c4e517720bb0177d1b2f0",
            "pricePointId": "a", "membershipCards": [card],
        });
        let told = bought(membership_line(json!({}), Some(info)));
        let field = "/items/0/membershipInfo/membershipCards/0/constituentImportId";
        assert_eq!(told, Err(format!("invalid; {field} must not be blank")), "{blank:?}");
    }
}

#[test]
fn faults_of_lines_and_cart_are_reported_together() {
    let body = json!({
        "couponCodes": [5],
        "items": [
            {"itemId": "same", "eventId": EVENT, "ticketingTypeId": "a", "quantity": -1},
            {"itemId": "same", "eventId": EVENT, "ticketingTypeId": "a", "quantity": 1},
            {"itemId": "same", "inventoryId": 7, "quantity": 1},
        ],
    });
    assert_eq!(
        parse(&body).map_or_else(faults, |_| String::new()),
        "invalid; /items/0/quantity must be between 0 and 999; \
         /items/2/itemId is already used by another line; /couponCodes/0 must be a string"
    );
}

#[test]
fn an_update_names_its_cart_and_its_items() {
    let path = CartId::parse(CART).unwrap();
    for (body, expected) in [
        (json!({"id": CART, "items": []}), ""),
        (json!({"items": []}), "invalid; /id is required"),
        (json!({"id": "other", "items": []}), "invalid; /id must match the id in the path"),
        (json!({"id": CART}), "invalid; /items is required"),
        (json!({"id": CART, "items": "none"}), "invalid; /items must be an array"),
    ] {
        let input: CartInput = read_body(body.to_string().as_bytes()).unwrap();
        let mut checker = Checker::new();
        let request = input.parse_update(&mut checker, &path);
        let outcome = checker.finish(request).map_or_else(faults, |_| String::new());
        assert_eq!(outcome, expected, "{body}");
    }
}
