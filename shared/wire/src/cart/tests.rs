use super::CartInput;
use crate::{Checker, Rejection, read_body};
use domain::CartId;
use domain::cart_request::CartRequest;
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
    let kinds = "must be Event (tickets), Inventory (add-ons and donations) or an action on a membership, \
                 such as MembershipPurchase";
    let of_kind = format!("invalid; /items/0/itemType {kinds}");
    for (line, expected) in [
        (json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1}), ""),
        (json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 999, "inventoryId": 7}), ""),
        (json!({"quantity": 1}), of_kind.as_str()),
        (
            json!({"quantity": 1, "itemType": "MembershipPurchase"}),
            "invalid; /items/0/membershipInfo is required",
        ),
        (
            json!({"quantity": 1, "itemType": "MembershipCancel"}),
            "invalid; /items/0/itemType is nothing that is bought: the back office ends memberships",
        ),
        (json!({"quantity": 1, "itemType": "Bundle"}), of_kind.as_str()),
        (json!({"quantity": 1, "itemType": 5}), "invalid; /items/0/itemType must be a string"),
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
            "invalid; /items/0/couponCodes must be empty on a line that is charged full price",
        ),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1, "couponCodes": ["A", " ", 5]}),
            "invalid; /items/0/couponCodes/1 must not be blank; /items/0/couponCodes/2 must be a string",
        ),
        (
            json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": 1, "couponCodes": vec!["A"; 11]}),
            "invalid; /items/0/couponCodes must have at most 10 codes",
        ),
        (json!({"itemType": "Inventory", "quantity": 1}), "unknown; /items/0/inventoryId is required"),
        (json!({"inventoryId": 0, "quantity": 1}), "unknown; /items/0/inventoryId was not found"),
        (json!({"inventoryId": "seven", "quantity": 1}), "invalid; /items/0/inventoryId must be an integer"),
        (
            json!({"inventoryId": 7, "eventId": EVENT, "quantity": 1}),
            "invalid; /items/0/eventId names an event the cart has no tickets for",
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
        (
            json!({"inventoryId": 7, "quantity": 2, "type": "fixedDonation"}),
            "invalid; /items/0/quantity must be 1 for a donation",
        ),
        (
            json!({"inventoryId": 7, "quantity": 0, "addonType": "donation"}),
            "invalid; /items/0/quantity must be 1 for a donation; \
             /items/0/unitPrice is required: the amount the donor chose",
        ),
        (
            json!({"inventoryId": 7, "quantity": 1, "type": "donation", "unitPrice": "0.00"}),
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

#[test]
fn a_cart_says_what_is_wrong_with_it_as_a_whole() {
    let ticket = |quantity: u32| json!({"eventId": EVENT, "ticketingTypeId": "a", "quantity": quantity});
    for (body, expected) in [
        (json!({}), ""),
        (json!({"items": null, "saleChannel": "pointOfSale", "tempVisitorId": 5}), ""),
        (json!({"items": {}}), "invalid; /items must be an array"),
        (json!({"items": [5]}), "invalid; /items/0 must be an object"),
        (json!({"items": vec![ticket(1); 100]}), ""),
        (json!({"items": vec![ticket(1); 101]}), "invalid; /items must have at most 100 lines"),
        (json!({"items": vec![ticket(999); 3]}), "invalid; /items must have at most 2000 tickets"),
        (
            json!({"membershipIds": [1, "two", 0], "verifyEntitlements": "yes"}),
            "invalid; /membershipIds/1 must be an integer; /verifyEntitlements must be true or false",
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
         /items/2/itemId stands on another line as well; /couponCodes/0 must be a string"
    );
}

#[test]
fn an_update_names_its_cart_and_its_items() {
    let path = CartId::parse(CART).unwrap();
    for (body, expected) in [
        (json!({"id": CART, "items": []}), ""),
        (json!({"items": []}), "invalid; /id is required"),
        (json!({"id": "other", "items": []}), "invalid; /id must equal the id of the path"),
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
