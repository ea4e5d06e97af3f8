//! What people type, over every field of what callers send: amounts have one grammar, names and other texts of one line
//! hold no line break, and e-mail addresses are those that mail can be sent to.

use crate::cart::CartInput;
use crate::catalog::{ComboInput, CouponInput, DiscountInput, FormInput, InventoryInput, Known};
use crate::checkout::CheckoutInput;
use crate::event::{PersonTypeInput, TemplateContext, TemplateInput};
use crate::import::{MemberInput, MerchantInput, TenantInput};
use crate::membership::{LevelContext, LevelInput};
use crate::refund::RefundInput;
use crate::returns::OrderRefundInput;
use crate::{Checker, FieldError, WireValue, is_email, read_body};
use domain::{DiscountId, InventoryId, LevelId, TemplateId, TicketTypeId, Timestamp, Zone};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;

/// A body that is taken, and what reads it: the faults, and what was kept.
struct Case {
    name: &'static str,
    body: Value,
    read: fn(&str) -> (Vec<FieldError>, String),
}

fn read<T: WireValue, R: Debug>(
    text: &str,
    read: impl FnOnce(&mut Checker, T) -> Option<R>,
) -> (Vec<FieldError>, String) {
    let mut checker = Checker::new();
    let Ok(input) = read_body(text.as_bytes()) else {
        return (vec![FieldError { field: String::new(), message: "malformed".to_owned() }], String::new());
    };
    let value = read(&mut checker, input);
    let kept = format!("{value:?}");
    let faults = checker.finish(value).err().map(|refused| refused.details().to_vec());
    (faults.unwrap_or_default(), kept)
}

const TYPE: &str = "aa0000000000000000000001";
const PART: &str = "bb0000000000000000000001";
const OTHER: &str = "bb0000000000000000000002";

fn zone() -> Zone {
    Zone::parse("America/New_York").unwrap()
}

fn now() -> Timestamp {
    "2027-05-01T14:00:00Z".parse().unwrap()
}

fn types() -> BTreeSet<TicketTypeId> {
    BTreeSet::from([TicketTypeId::parse(TYPE).unwrap()])
}

fn known() -> Known {
    Known {
        ticket_types: types(),
        inventory: BTreeSet::from([InventoryId::parse(7).unwrap()]),
        discounts: BTreeSet::from([DiscountId::parse(TYPE).unwrap()]),
        levels: BTreeSet::from([LevelId::parse(TYPE).unwrap()]),
        templates: [PART, OTHER].map(|id| TemplateId::parse(id).unwrap()).into(),
        forms: BTreeSet::new(),
    }
}

fn prices() -> Value {
    json!([{"id": "list", "name": "List", "description": "Prices", "prices": [{"personType": {"id": TYPE},
        "price": "20.00", "primePrice": "25.00", "discountedPrice": "18.00",
        "salesChannels": [{"name": "Web", "channel": "Online"}]}]}])
}

fn coupon(kind: &str) -> Value {
    json!({"id": TYPE, "name": "Spring", "description": "For all", "code": "SPRING", "discountType": kind, "value": "5.00"})
}

fn read_coupon(text: &str) -> (Vec<FieldError>, String) {
    read(text, |checker, input: CouponInput| input.read(checker, zone(), &known()))
}

fn sales() -> Vec<Case> {
    vec![
        Case {
            name: "checkout",
            body: json!({"shoppingCart": {"items": [
                    {"itemType": "Inventory", "type": "donation", "inventoryId": 7, "quantity": 1, "unitPrice": "5.00",
                        "donationDetail": {"donorRecognition": "In honour of", "beneficiaryLastName": "Okafor",
                            "beneficiaryEmail": "zoe@example.org", "beneficiaryZipCode": "94000"}}],
                    "couponCodes": ["SPRING"]},
                "email": "ada@example.org", "ticketDeliveryEmail": "zoe@example.org", "billingEmail": "ada@example.org",
                "locale": "es-MX",
                "phoneNumber": "+1 415 555 0142", "contactFirstName": "Ada", "contactLastName": "Pier",
                "contactFullName": "Ada Pier", "address1": "1 Quay", "address2": "Floor 2", "city": "Portview",
                "zipCode": "94000", "state": "CA", "country": "US", "notes": "Ring twice",
                "billingFirstName": "Ada", "billingLastName": "Pier", "billingPhoneNumber": "415 555 0142",
                "billingAddress1": "1 Quay", "billingAddress2": "Floor 2", "billingCity": "Portview",
                "billingState": "CA", "billingZipCode": "94000", "billingCountry": "US", "expectedTotal": "5.00"}),
            read: |text| read(text, |checker, input: CheckoutInput| input.parse(checker, now())),
        },
        Case {
            name: "cart",
            body: json!({"items": [
                {"itemType": "Inventory", "type": "donation", "inventoryId": 7, "quantity": 1, "unitPrice": "5.00"},
                {"itemType": "MembershipPurchase", "quantity": 1, "membershipInfo": {"membershipCategoryId": TYPE,
                    "membershipOfferingId": "0123456789abcdef0123456789abcdef", "pricePointId": TYPE, "isGift": true,
                    "membershipCards": [{"cardType": "primary", "firstName": "Ada", "lastName": "Pier",
                        "email": "ada@example.org", "phoneNumber": "415", "streetAddress1": "1 Quay",
                        "streetAddress2": "Floor 2", "city": "Portview", "state": "California", "zipCode": "94000",
                        "country": "United States"}],
                    "gifterInfo": {"firstName": "Zoe", "lastName": "Pier", "email": "zoe@example.org",
                        "customerSource": "Kiosk", "phoneNumber": "415", "streetAddress1": "1 Quay",
                        "city": "Portview", "state": "California", "zipCode": "94000", "country": "Canada"}}}],
                "couponCodes": ["SPRING"]}),
            read: |text| read(text, |checker, input: CartInput| input.parse_new(checker)),
        },
        Case {
            name: "refund",
            body: json!({"saleId": "sale_00000000-0000-4000-8000-000000000000", "charge": {"amount": "5.00"}}),
            read: |text| {
                read(text, |checker, input: RefundInput| {
                    let wish = input.parse(checker)?;
                    if wish.amount.is_err() {
                        checker.invalid("charge/amount", "is not positive");
                    }
                    Some(wish)
                })
            },
        },
        Case {
            name: "order refund",
            body: json!({"orderId": "31840526", "wholeOrder": true, "amount": "5.00", "reason": "Rain"}),
            read: |text| read(text, |checker, input: OrderRefundInput| input.read(checker)),
        },
    ]
}

fn catalog() -> Vec<Case> {
    vec![
        Case {
            name: "template",
            body: json!({"id": PART, "name": "Ships", "description": "Old ships", "shortDescription": "Ships",
                "summary": "All", "emailConfirmationMessage": "Come", "emailCancellationMessage": "Stay",
                "duration": {"hours": 1}, "capacity": 5, "priceLists": prices(), "rebookingFee": "2.00",
                "thirdPartyEvent": true, "thirdPartyPercentage": "2.50", "colorCategory": "blue", "GLCode": "4000",
                "emailNotify": [{"name": "Desk", "email": "desk@example.org"}],
                "ruleSets": {"associated": true, "ruleSetIds": ["one"]},
                "images": [{"id": "a.png", "description": "A ship"}],
                "customFields": [{"name": "Deck", "value": "Upper"}],
                "resources": [{"type": "Room", "resourceId": "r1", "fields": [{"name": "Deck", "value": "Upper"}]}],
                "ticketDetails": {"ticketPrintLines": ["Welcome"]},
                "schedules": [{"id": "s1", "name": "Summer", "description": "Daily", "weekdays": ["Monday"],
                    "hours": [{"hour": 10}], "type": "open"}]}),
            read: |text| {
                let (ticket_types, inventory) = (types(), known().inventory);
                let context = TemplateContext {
                    zone: zone(),
                    now: now(),
                    ticket_types: &ticket_types,
                    inventory: &inventory,
                    known: None,
                };
                read(text, |checker, input: TemplateInput| input.read(checker, context))
            },
        },
        Case { name: "coupon", body: coupon("amount"), read: read_coupon },
        Case { name: "coupon", body: coupon("percent"), read: read_coupon },
        Case { name: "coupon", body: coupon("fixedPrice"), read: read_coupon },
        Case {
            name: "discount",
            body: json!({"id": TYPE, "name": "Spring", "description": "For all", "code": "SP",
                "values": [{"personTypeId": TYPE, "discountType": "amount", "value": "5.00"}]}),
            read: |text| read(text, |checker, input: DiscountInput| input.read(checker, &known())),
        },
        Case {
            name: "inventory",
            body: json!({"id": 7, "sku": "A1", "name": "Map", "description": "Of it", "type": "addOn", "price": "5.00",
                "taxRate": "7.50", "taxName": "VAT"}),
            read: |text| read(text, |checker, input: InventoryInput| input.read(checker)),
        },
        Case {
            name: "form",
            body: json!({"id": TYPE, "name": "Visit", "description": "Who comes", "fields": [
                {"name": "tour", "label": "Which tour?", "type": "choice", "options": ["Ships", "Knots"]}]}),
            read: |text| read(text, |checker, input: FormInput| input.read(checker)),
        },
        Case {
            name: "combo",
            body: json!({"id": TYPE, "name": "Both", "description": "Two", "comboTemplateType": "fixedPrice",
                "parts": [{"eventTemplateId": PART}, {"eventTemplateId": OTHER}],
                "prices": [{"personTypeId": TYPE, "price": "5.00"}], "taxRate": "7.50", "taxName": "VAT"}),
            read: |text| read(text, |checker, input: ComboInput| input.read(checker, &known())),
        },
        Case {
            name: "person type",
            body: json!({"id": TYPE, "name": "Adult", "description": "Grown", "type": "individual",
                "taxRate": "7.50", "taxName": "VAT"}),
            read: |text| read(text, |checker, input: PersonTypeInput| input.read(checker)),
        },
        Case {
            name: "level",
            body: json!({"id": TYPE, "name": "Friend", "description": "Of us", "shortDescription": "Friend",
                "emailConfirmationMessage": "Welcome", "termsAndConditions": "None",
                "taxRate": "7.50", "taxName": "VAT",
                "service": {"id": "s", "program": "P", "category": "C", "subcategory": "S", "level": "L"},
                "benefits": [{"id": "b", "description": "Free"}],
                "membershipLevelCollection": [{"id": "c", "name": "Friends"}],
                "offerings": [{"id": "0123456789abcdef0123456789abcdef", "name": "Year", "subtitle": "Twelve months",
                    "description": "A year", "duration": 12, "priceLists": prices(),
                    "actions": [{"action": "new", "ruleIds": ["one"], "confirmationMessage": "Hello"}]}]}),
            read: |text| {
                let ticket_types = types();
                let context = LevelContext { zone: zone(), ticket_types: &ticket_types };
                read(text, |checker, input: LevelInput| input.read(checker, context))
            },
        },
    ]
}

fn imports() -> Vec<Case> {
    vec![
        Case {
            name: "tenant",
            body: json!({"id": 1001, "name": "Pier", "descriptorPrefix": "PIER"}),
            read: |text| read(text, |checker, input: TenantInput| input.read(checker)),
        },
        Case {
            name: "merchant",
            body: json!({"mid": "31", "name": "Pier", "status": "Approved", "descriptor": "PIER",
                "rateCard": {"percentageRate": "2.90", "fixedFee": "0.30"}}),
            read: |text| read(text, |checker, input: MerchantInput| input.read(checker)),
        },
        Case {
            name: "member",
            body: json!({"id": 8, "membershipId": 9, "categoryId": TYPE, "pricePointId": TYPE,
                "offeringId": "0123456789abcdef0123456789abcdef", "firstName": "Ada", "lastName": "Pier",
                "email": "ada@example.org", "phoneNumber": "415", "streetAddress1": "1 Quay", "streetAddress2": "2",
                "city": "Portview", "state": "California", "zipCode": "94000", "country": "United States",
                "barcode": "0123456789abcdef", "externalMembershipId": "HM-1",
                "membershipStartDate": "2027-01-01T00:00:00Z", "membershipExpirationDate": "2027-12-31T00:00:00Z",
                "purchase": {"orderId": "31840526", "planPrice": "50.00", "paidAmount": "40.00"}}),
            read: |text| read(text, |checker, input: MemberInput| input.read(checker, zone())),
        },
    ]
}

fn cases() -> Vec<Case> {
    sales().into_iter().chain(catalog()).chain(imports()).collect()
}

/// The pointers of the texts within a body.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, value)| leaves(value, &format!("{at}/{index}"), found));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{at}/{name}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn field_of(pointer: &str) -> &str {
    pointer.rsplit('/').find(|step| step.parse::<usize>().is_err()).unwrap_or_default()
}

/// The amounts that the types of this crate declare.
fn declared_amounts(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            declared_amounts(&path, found);
        } else if path.file_name().is_some_and(|name| name != "tests.rs" && name != "field.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text.lines().filter_map(|line| line.trim().strip_suffix(": Amount,"));
            found.extend(names.map(|name| name.trim_start_matches("pub ").replace('_', "").to_lowercase()));
        }
    }
}

/// Every amount of every body, as the body and its pointer.
fn amounts() -> Vec<(Case, String)> {
    let mut declared = BTreeSet::new();
    declared_amounts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut declared);
    let mut found = Vec::new();
    for make in [sales, catalog, imports] {
        for at in 0..make().len() {
            let mut pointers = Vec::new();
            leaves(&make()[at].body, "", &mut pointers);
            for pointer in
                pointers.into_iter().filter(|pointer| declared.contains(&field_of(pointer).to_lowercase()))
            {
                // A field's custom value is text.
                if !pointer.contains("ields/") {
                    found.push((make().swap_remove(at), pointer));
                }
            }
        }
    }
    let tried: BTreeSet<String> = found.iter().map(|(_, pointer)| field_of(pointer).to_lowercase()).collect();
    assert_eq!(declared, tried, "an amount is in no body of the table");
    found
}

fn with_raw(body: &Value, pointer: &str, raw: &str) -> String {
    let mut body = body.clone();
    *body.pointer_mut(pointer).unwrap() = "@@".into();
    body.to_string().replace("\"@@\"", raw)
}

fn is_at(fault: &FieldError, pointer: &str) -> bool {
    fault.field == pointer
}

/// The grammar of contract §R: digits with at most one point, white space around them aside.
fn is_typed(text: &str) -> bool {
    let text = text.trim();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits > 0
        && text.matches('.').count() <= 1
        && text.chars().all(|char| char.is_ascii_digit() || char == '.')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Every field for an amount takes exactly the grammar, as text and, where JSON has it, as a number.
    #[test]
    fn every_amount_has_the_one_grammar(
        text in prop_oneof![
            "[1-9][0-9]?(\\.[0-9]{0,2})?", "[0-9]{1,2}[_ ,eE'+-][0-9]{1,2}", "[-+0-9.eE_]{1,5}", "[ \\.0-9a-f]{0,5}",
        ],
    ) {
        for (case, pointer) in amounts() {
            let quoted = serde_json::to_string(&text).unwrap();
            let (faults, _) = (case.read)(&with_raw(&case.body, &pointer, &quoted));
            let is_taken = !faults.iter().any(|fault| is_at(fault, &pointer));
            prop_assert!(is_typed(&text) || !is_taken, "{} {pointer} takes {text:?}", case.name);
            let plain = text.trim().trim_start_matches('0');
            let fits = plain.parse::<f64>().is_ok_and(|value| (0.01..=50.0).contains(&value))
                && text.trim().split_once('.').is_none_or(|(_, cents)| cents.len() <= 2);
            prop_assert!(is_taken || !(is_typed(&text) && fits), "{} {pointer} refuses {text:?}: {faults:?}", case.name);
            let is_number = serde_json::from_str::<Value>(&text).is_ok_and(|value| value.is_number());
            if is_number {
                let (faults, _) = (case.read)(&with_raw(&case.body, &pointer, text.trim()));
                let is_number_taken = !faults.iter().any(|fault| is_at(fault, &pointer));
                prop_assert_eq!(is_number_taken, is_taken, "{} {} {}", case.name, pointer, text);
            }
        }
    }

    /// The door takes exactly the addresses that mail can be sent to, in every field for one.
    #[test]
    fn every_address_is_one_that_mail_can_be_sent_to(
        text in prop_oneof![
            "[a-z0-9.+'-]{1,8}@[a-zö0-9.-]{1,8}\\.[a-z]{2,3}", "[0-9]{13}@example\\.org",
            "[a-z@. \"]{1,12}", "[a-z]@xn--[a-z0-9]{1,6}\\.org",
        ],
    ) {
        for case in cases() {
            let mut pointers = Vec::new();
            leaves(&case.body, "", &mut pointers);
            for pointer in pointers.iter().filter(|pointer| field_of(pointer).to_lowercase().ends_with("email")) {
                if pointer.ends_with("beneficiaryEmail") {
                    continue;
                }
                let quoted = serde_json::to_string(&text).unwrap();
                let (faults, kept) = (case.read)(&with_raw(&case.body, pointer, &quoted));
                let is_taken = !faults.iter().any(|fault| is_at(fault, pointer));
                prop_assert!(is_taken == is_email(&text) || text.trim().is_empty(), "{pointer} {text:?} {faults:?}");
                prop_assert!(!is_email(&text) || kept.contains(text.trim()), "{pointer} {text:?} is not kept as typed");
            }
        }
    }
}

/// Texts of several lines.
const PROSE: [&str; 12] = [
    "description",
    "shortDescription",
    "summary",
    "emailConfirmationMessage",
    "emailCancellationMessage",
    "termsAndConditions",
    "confirmationMessage",
    "notes",
    "reason",
    "value",
    "terms",
    "message",
];

#[test]
fn no_text_of_one_line_holds_a_line_break_and_no_text_anything_that_controls() {
    let mut tried = 0;
    for case in cases() {
        let (faults, _) = (case.read)(&case.body.to_string());
        assert_eq!(faults, [], "{} is taken as it is", case.name);
        let mut pointers = Vec::new();
        leaves(&case.body, "", &mut pointers);
        for pointer in pointers {
            let prose = PROSE.contains(&field_of(&pointer));
            for breaking in [
                "\r\n", "\n", "\r", "\t", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}", "\0", "\u{7}",
                "\u{1b}", "\u{7f}", "\u{9b}",
            ] {
                let mut body = case.body.clone();
                let leaf = body.pointer_mut(&pointer).unwrap();
                let typed = leaf.as_str().unwrap();
                let middle = typed.char_indices().nth(1).map_or(typed.len(), |(at, _)| at);
                *leaf = format!("{}{breaking}Bcc{}", &typed[..middle], &typed[middle..]).into();
                let (faults, kept) = (case.read)(&body.to_string());
                let place = format!("{} {pointer} {breaking:?}", case.name);
                tried += 1;
                if !faults.is_empty() {
                    assert!(
                        faults.iter().any(|fault| pointer.starts_with(&fault.field)),
                        "{place}: {faults:?}"
                    );
                    continue;
                }
                let kept = if prose { kept.replace("\\nBcc", " Bcc") } else { kept };
                for trace in ["\\r", "\\n", "\\t", "\\u{", "\\0"] {
                    assert!(!kept.contains(trace), "{place} keeps {trace}: {kept}");
                }
                assert!(prose || !kept.contains("Bcc"), "{place} is kept: {kept}");
            }
        }
    }
    assert!(tried > 2_000, "{tried}");
}

#[test]
fn a_text_of_which_nothing_can_be_seen_is_refused_wherever_one_is_read() {
    for case in cases() {
        let (_, as_it_was) = (case.read)(&case.body.to_string());
        let mut pointers = Vec::new();
        leaves(&case.body, "", &mut pointers);
        for pointer in pointers {
            for nothing in ["\u{200b}", " \u{3164}\u{feff} "] {
                let mut body = case.body.clone();
                *body.pointer_mut(&pointer).unwrap() = nothing.into();
                let (faults, kept) = (case.read)(&body.to_string());
                let is_told = faults.iter().any(|fault| pointer.starts_with(&fault.field));
                let is_not_read = faults.is_empty() && kept == as_it_was;
                assert!(is_told || is_not_read, "{} {pointer}: {faults:?} {kept}", case.name);
            }
        }
    }
}

#[test]
fn a_card_that_cannot_be_seen_is_told_once() {
    let body = json!({"shoppingCart": {}, "billingEmail": "ada@example.org", "expDate": "1230", "cvc": "123",
        "manualEntryCardNumber": "\u{200b}"});
    let (faults, _) = read(&body.to_string(), |checker, input: CheckoutInput| input.parse(checker, now()));
    let told: Vec<_> = faults.iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect();
    assert_eq!(told, ["/manualEntryCardNumber must not be blank"]);
}

#[test]
fn a_token_takes_the_place_of_a_card_and_stands_beside_none() {
    for (fields, told) in [
        (json!({"paymentToken": "tok_visa"}), vec![]),
        (json!({"paymentToken": " pm_1MtwBwLkdIwHu7ix28a3tqPa ", "cvc": "", "expDate": null}), vec![]),
        (
            json!({"paymentToken": " ", "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123"}),
            vec![],
        ),
        // Internal (spec §4.3): taken and ignored.
        (json!({"paymentToken": "tok_visa", "paymentProcessorToken": "tok_declined"}), vec![]),
        (
            json!({"paymentProcessorToken": "tok_visa", "manualEntryCardNumber": "4242424242424242", "expDate": "1230", "cvc": "123"}),
            vec![],
        ),
        (json!({"paymentToken": 7}), vec!["/paymentToken must be a string"]),
        (json!({"paymentToken": "pm_1/confirm"}), vec!["/paymentToken must be a token of a card"]),
        (json!({"paymentToken": "4242424242424242"}), vec!["/paymentToken must be a token of a card"]),
        (
            json!({"paymentToken": "tok_visa", "manualEntryCardNumber": "4242424242424242"}),
            vec!["/paymentToken must not be sent together with a card number"],
        ),
        (
            json!({"paymentToken": "tok_visa", "cvc": "12"}),
            vec!["/paymentToken must not be sent together with a card number"],
        ),
    ] {
        let mut body = json!({"shoppingCart": {}, "billingEmail": "ada@example.org"});
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let (faults, kept) =
            read(&body.to_string(), |checker, input: CheckoutInput| input.parse(checker, now()));
        let faults: Vec<_> =
            faults.iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect();
        assert_eq!(faults, told, "{fields}");
        assert!(!kept.contains("tok_visa") && !kept.contains("pm_1"), "{kept}");
        let is_token = kept.contains("Token(PaymentToken(****))");
        let is_number = kept.contains("Number(");
        assert!(!told.is_empty() || is_token != is_number, "{fields}: {kept}");
    }
}

#[test]
fn numbers_that_are_no_cards_stay_and_those_in_names_are_masked() {
    let number = "4111 1111 1111 1111";
    for case in sales() {
        let mut pointers = Vec::new();
        leaves(&case.body, "", &mut pointers);
        for pointer in pointers {
            let field = field_of(&pointer);
            let is_name = ["FirstName", "LastName", "FullName", "firstName", "lastName"]
                .iter()
                .any(|end| field.ends_with(end));
            let is_masked = is_name || ["notes", "reason"].contains(&field);
            let mut body = case.body.clone();
            *body.pointer_mut(&pointer).unwrap() = number.into();
            let (faults, kept) = (case.read)(&body.to_string());
            if faults.is_empty() {
                assert_eq!(kept.contains("****1111"), is_masked, "{} {pointer}", case.name);
                assert_eq!(kept.contains(number), !is_masked, "{} {pointer}", case.name);
            }
        }
    }
    let address = "8613800045603@example.org";
    let mut body = sales().swap_remove(0).body;
    body["billingEmail"] = address.into();
    let (faults, kept) = (sales().swap_remove(0).read)(&body.to_string());
    assert!(faults.is_empty() && kept.contains(address), "{faults:?} {kept}");
}
