//! The small venue that everything happens at, and what is said in requests to it.

use crate::simulation::world::{World, staff};
use domain::{TenantId, Timestamp};
use serde_json::{Value, json};

pub(crate) const TENANT: i64 = 204;
pub(crate) const SHOP: &str = "demo-shop";
pub(crate) const STAFF: &str = "demo-staff";
pub(crate) const DOOR: &str = "demo-door";
pub(crate) const BACK_DOOR: &str = "demo-back-door";
pub(crate) const TILL: &str = "demo-till";
pub(crate) const PARTNER: &str = "demo-partner";
pub(crate) const MERCHANT: &str = "demo-merchant";
pub(crate) const MID: &str = "60417";

pub(crate) const ADULT: &str = "66d1b2f0a93c4e517720bb01";
pub(crate) const CHILD: &str = "66d1b2f0a93c4e517720bb02";
pub(crate) const INFANT: &str = "66d1b2f0a93c4e517720bb03";
/// Five seats, twice on each of three days. A ticket admits once, and is moved to the time at which it is shown.
pub(crate) const GALLERY: &str = "6f2e91b0c47d5a3e18b90f42";
/// Four seats on two evenings. Whoever left may come back.
pub(crate) const NIGHT: &str = "6f2e91b0c47d5a3e18b90f43";
/// A gallery ticket and one for the night, for less than both.
pub(crate) const COMBO: &str = "64c0000000000000000000b0";
/// Of few uses.
pub(crate) const COUPON: (&str, &str) = ("6c0000000000000000000001", "THRICE");
pub(crate) const GUIDE: i64 = 71;
/// Three units in stock.
pub(crate) const CATALOGUE: i64 = 74;
pub(crate) const DONATION: i64 = 73;
pub(crate) const FAMILY: &str = "65c7d8e9f0a1b2c3d4e5f607";
pub(crate) const PATRON: &str = "65c7d8e9f0a1b2c3d4e5f608";
pub(crate) const OFFERING: &str = "1d2c3b4a59687786a5b4c3d2e1f00f1e";
/// Memberships there are, and the numbers that follow from theirs.
pub(crate) const MEMBERSHIPS: [i64; 3] = [501, 502, 503];

pub(crate) fn number_of(membership: i64) -> i64 {
    membership + 100_000
}

/// The first card of a membership.
pub(crate) fn card_of(membership: i64) -> i64 {
    membership + 200_000
}

/// The barcode of that card.
pub(crate) fn barcode_of(membership: i64) -> String {
    format!("B{membership}")
}

/// Minutes before the start at which tickets are let in: a week, so that doors have something to do.
const MINUTES_BEFORE: u32 = 10_080;

pub(crate) fn tenant_id() -> TenantId {
    TenantId::parse(TENANT).unwrap()
}

/// The morning of the day before the first slot.
pub(crate) fn t0() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The gallery, with a price of an adult and the hours at which it opens.
pub(crate) fn gallery(adult: &str, hours: &[u32]) -> Value {
    let hours: Vec<Value> = hours.iter().map(|hour| json!({"hour": hour, "minutes": 0})).collect();
    json!({
        "id": GALLERY, "name": "Harbor Gallery Entry", "description": "All galleries",
        "startTime": "2027-06-01T00:00:00", "reviewState": "Published",
        "duration": {"hour": 1, "minutes": 0}, "capacity": 5,
        "priceLists": [{"id": "64b8a7c6d5e4f3021a2b3c4d", "name": "Regular", "prices": [
            {"personType": {"id": ADULT}, "price": adult, "displayOrder": 1},
            {"personType": {"id": CHILD}, "price": "9.00", "displayOrder": 2},
            {"personType": {"id": INFANT}, "price": "0.00", "displayOrder": 3},
        ]}],
        "schedules": [{"id": "64d000000000000000000001", "weekdays": WEEKDAYS, "hours": hours,
            "ranges": [{"start": "2027-06-02", "end": "2027-06-04"}]}],
        "membership": {"discounts": [
            {"category": {"id": FAMILY}, "discount": {"id": "6d0000000000000000000001"}},
        ]},
        "ticketDetails": {"reentry": "never", "checkInWindow": {
            "minutesBefore": MINUTES_BEFORE, "blockScan": true, "autoRebook": true,
        }},
    })
}

fn night() -> Value {
    json!({
        "id": NIGHT, "name": "Lanterns", "description": "The lightship by night",
        "emailNotify": [{"name": "Night", "email": "night@example.org"}],
        "startTime": "2027-06-01T00:00:00", "reviewState": "Published",
        "duration": {"hour": 2, "minutes": 0}, "capacity": 4, "rebookingFee": "2.00",
        "priceLists": [{"id": "64b8a7c6d5e4f3021a2b3c4e", "name": "Regular", "prices": [
            {"personType": {"id": ADULT}, "price": "35.00", "displayOrder": 1},
        ]}],
        "schedules": [{"id": "64d000000000000000000002", "weekdays": WEEKDAYS, "hours": [{"hour": 21, "minutes": 0}],
            "ranges": [{"start": "2027-06-03", "end": "2027-06-04"}]}],
        "ticketDetails": {"reentry": "afterExit", "checkInWindow": {"minutesBefore": MINUTES_BEFORE}},
    })
}

fn level(id: &str, name: &str, price: &str) -> Value {
    json!({
        "id": id, "name": name, "description": name, "state": "published",
        "rules": {"numberOfCardHolders": 2, "canGift": true, "startBeginningOfMonth": false, "expireEndOfMonth": false},
        "offerings": [{
            "id": OFFERING, "name": "A year", "duration": 12,
            "priceLists": [{"id": "65c7d8e9f0a1b2c3d4e5f6ff", "name": "Always", "description": "", "prices": [
                {"pricePoint": {"id": ADULT}, "price": price, "displayOrder": 1},
            ]}],
            "actions": [{"action": "new"}, {"action": "renew"}, {"action": "upgrade"}],
        }],
    })
}

fn member(membership: i64) -> Value {
    json!({
        "id": card_of(membership), "membershipId": membership, "membershipNumber": number_of(membership),
        "categoryId": FAMILY, "offeringId": OFFERING, "pricePointId": ADULT, "cardType": "primary",
        "cardStanding": "active", "firstName": "Ada", "lastName": "Byron", "email": "ada@example.test",
        "barcode": barcode_of(membership), "membershipJoinedDate": "2026-06-20",
        "membershipStartDate": "2026-06-20", "membershipExpirationDate": "2027-06-19T23:59:59",
    })
}

/// The coupon, with the number of its uses.
pub(crate) fn coupon(max_uses: u32, active: bool) -> Value {
    json!({
        "id": COUPON.0, "name": "Three times", "code": COUPON.1, "discountType": "amount", "value": "1.00",
        "appliesTo": ["event"], "maxUses": max_uses, "active": active,
    })
}

fn document() -> Value {
    let key = |key: &str, scope: &str| json!({"key": key, "scopes": [scope], "label": scope});
    json!({
        "tenant": {"id": TENANT, "name": "Harbor Museum", "timeZone": "America/New_York", "sandbox": true,
            "holdSeconds": 600, "allowedOrigins": [], "descriptorPrefix": "HM ",
            "consumerSite": "https://harbor-museum.example/members"},
        "apiKeys": [
            key(SHOP, "b2c"), key(STAFF, "b2b"), key(PARTNER, "onboard"),
            key(DOOR, "door"), key(BACK_DOOR, "door"), key(TILL, "counter"),
            {"key": MERCHANT, "scopes": ["payment"], "mid": MID, "label": "payment"},
        ],
        "merchants": [{"mid": MID, "name": "Harbor Museum", "status": "Approved",
            "rateCard": {"percentageRate": "2.90", "fixedFee": "0.30"}, "descriptor": "HARBOR MUSEUM"}],
        "personTypes": [
            {"id": ADULT, "name": "Adult"}, {"id": CHILD, "name": "Child"}, {"id": INFANT, "name": "Infant"},
        ],
        "inventory": [
            {"id": GUIDE, "name": "Audio guide", "type": "addOn", "price": "4.50"},
            {"id": CATALOGUE, "name": "Catalogue", "type": "addOn", "price": "7.00", "stock": 3},
            {"id": DONATION, "name": "Restoration fund", "type": "donation"},
        ],
        "discounts": [{"id": "6d0000000000000000000001", "name": "Family", "values": [
            {"personTypeId": ADULT, "discountType": "fixedPrice", "value": "10.00"},
            {"personTypeId": CHILD, "discountType": "percent", "value": "100"},
        ]}],
        "coupons": [coupon(3, true)],
        "combos": [{"id": COMBO, "name": "Day and night", "active": true, "comboTemplateType": "fixedPrice",
            "parts": [{"eventTemplateId": GALLERY, "quantity": 1}, {"eventTemplateId": NIGHT, "quantity": 1}],
            "prices": [{"personTypeId": ADULT, "price": "45.00"}]}],
        "membershipLevels": [level(FAMILY, "Family", "100.00"), level(PATRON, "Patron", "250.00")],
        "members": MEMBERSHIPS.map(member),
        "eventTemplates": [gallery("18.00", &[10, 14]), night()],
    })
}

/// Four tickets at the member price on one day.
fn entitlements() -> Value {
    json!({"rules": [{"id": "Limit_4", "levelIds": [FAMILY], "pricePointIds": [], "limit": 4,
        "ruleApplies": "acrossAllItems", "timeFrame": {"period": "day"}}]})
}

/// Sets the venue up, and lists its slots.
pub(crate) async fn furnish(world: &World) {
    let process = world.healthy();
    let report = boxoffice::import::import(&process.app, &document().to_string(), t0()).await.unwrap();
    assert_eq!(report.faults, []);
    let rules = staff("PUT", format!("/v2/b2b/event/templates/{GALLERY}/entitlements"), Some(entitlements()));
    assert!(world.send_to(&process, &rules).await.unwrap().is_ok());
    for template in [GALLERY, NIGHT] {
        let range = "startTime=2027-06-01T00:00:00&endTime=2027-06-30T00:00:00&pageSize=50";
        let path = format!("/v2/b2b/event/templates/{template}/instances?{range}");
        let listed = world.send_to(&process, &staff("GET", path, None)).await.unwrap();
        for slot in listed.body["list"].as_array().unwrap() {
            world.list_slot(template, slot["id"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!((world.slots_of(GALLERY).len(), world.slots_of(NIGHT).len()), (6, 2));
}

/// A line that does something with a membership.
pub(crate) fn membership(action: &str, level: &str, membership: Option<i64>) -> Value {
    let holder = json!({
        "cardType": "primary", "firstName": "Ada", "lastName": "Byron", "email": "ada@example.test",
    });
    let mut info = json!({
        "membershipCategoryId": level, "membershipOfferingId": OFFERING, "pricePointId": ADULT,
        "isGift": false, "membershipCards": [holder],
    });
    if let Some(membership) = membership {
        info["membershipId"] = json!(membership);
    }
    json!({"itemType": action, "quantity": 1, "membershipInfo": info})
}

/// The body of a checkout by this buyer with this card.
pub(crate) fn checkout(buyer: u64, card: &str) -> Value {
    let mut body = json!({
        "billingFirstName": "Pat", "billingLastName": "Payer",
        "billingEmail": format!("buyer{buyer}@example.test"), "billingZipCode": "94000",
        "billingPhoneNumber": "415 555 0142", "billingAddress1": "18 Quay Street", "billingCity": "Portview",
        "billingState": "California", "billingCountry": "United States",
    });
    let fields = if card.starts_with("tok_") {
        json!({"paymentToken": card})
    } else {
        json!({"manualEntryCardNumber": card, "expDate": "1230", "cvc": "123"})
    };
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

/// An application of a merchant that breaks no rule.
pub(crate) fn application(reference: &str) -> Value {
    json!({
        "boardingRefId": reference, "billingDescriptor": "HARBOR*MUSEUM", "businessLegalName": "Harbor Museum, Inc",
        "dbaName": "Harbor Museum", "businessType": "Retail", "businessOwnershipType": "LLC",
        "merchantCategoryCode": "7991", "taxId": "987654321", "businessEstablishedDate": "1998-02-28",
        "businessWebsiteUrl": "https://harbor.example/tickets",
        "businessAddresses": [{
            "type": "Physical", "addressLine1": "1 Pier #4", "city": "New York", "country": "US", "state": "NY",
            "postalCode": "10004",
        }],
        "businessBankAccount": {
            "accountNumber": "55501234567", "accountType": "Checking", "achType": "CommercialChecking",
            "routingNumber": "021000021",
        },
        "businessContacts": [{
            "type": "Primary", "email": "ines@harbor.example", "firstName": "Ines", "lastName": "Okafor",
            "phoneNumber": "2125550101",
        }],
        "businessOwners": [{
            "type": "ControlOwner", "firstName": "Zoe", "lastName": "Lindqvist", "ssn": "123456789",
            "dateOfBirth": "1980-05-17", "businessOwnershipPercentage": 40, "addressLine1": "4 Pier Road",
            "city": "New York", "state": "NY", "country": "US", "postalCode": "10004",
            "identification": [{"idType": "Passport", "idNumber": "X7654321Z", "issuedCountry": "US"}],
        }],
    })
}
