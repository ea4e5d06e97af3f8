//! Bodies of requests that name what a tenant has.

use crate::laws::support::Operation;
use crate::laws::tenants::ids::Kind;
use crate::laws::tenants::things::{Things, cart_of, payer, text};
use serde_json::{Value, json};

/// Puts a value where a pointer leads, making what is missing on the way.
fn put(body: &mut Value, pointer: &str, value: &Value) {
    let mut place = body;
    for segment in pointer.split('/').skip(1) {
        if segment == "0" {
            if !place.is_array() {
                *place = json!([{}]);
            }
            place = &mut place[0];
        } else {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[segment];
        }
    }
    *place = value.clone();
}

/// A template that names only things of its tenant, and nothing beside what the pointer leads to where that is
/// another name of it.
fn template_of(own: &Things, pointer: &str) -> Value {
    // The price of the demo venue, so that carts cost what they did.
    let mut price = json!({ "personType": { "id": own.id(Kind::TicketType) }, "price": "24.00" });
    if pointer.contains("pricePoint") {
        price = json!({ "price": "24.00" });
    }
    let mut other = json!({ "eventTemplateId": own.id(Kind::Template) });
    if pointer.contains("/templateId") {
        other = json!({});
    }
    let mut body = json!({
        "name": "Law", "description": "Law", "capacity": 5, "duration": { "hour": 1 }, "type": "private",
        "reviewState": "Published", "startTime": "2026-01-01T00:00:00",
        "priceLists": [{ "id": "law", "prices": [price] }],
        "schedules": [{ "id": "law", "weekdays": ["Monday"], "hours": [{ "hour": 3 }],
            "ranges": [{ "start": "2050-01-01", "end": "2050-01-31" }] }],
        "membership": { "discounts": [{
            "category": { "id": own.id(Kind::Level) }, "discount": { "id": own.id(Kind::Discount) },
        }] },
        "resources": [{ "type": "room" }],
        "entitlementConfiguration": { "id": "law" },
    });
    if pointer.starts_with("/recommendations") {
        body["recommendations"] = json!({ "recommendations": [other] });
    } else if pointer.starts_with("/prerequisites") {
        body["prerequisites"] = json!({ "operation": "anyOf", "requires": [other] });
    }
    body
}

/// The same over the template of the demo venue, whose own schedule stays, so that its slots stay on sale.
fn changed_template(own: &Things, pointer: &str) -> Value {
    let mut body = template_of(own, pointer);
    let id = format!("{}5c000000000000000001", own.tenant);
    let kept = json!({ "id": id, "weekdays": ["Monday"], "hours": [{ "hour": 4 }] });
    body["schedules"].as_array_mut().unwrap().push(kept);
    body
}

/// An offering that names only things of its tenant.
fn offering_of(own: &Things, pointer: &str) -> Value {
    let mut price = json!({ "personType": { "id": own.id(Kind::TicketType) }, "price": "75.00" });
    if pointer.contains("pricePoint") {
        price = json!({ "price": "75.00" });
    }
    json!({
        "id": own.id(Kind::Offering), "name": "Law", "duration": 12, "priceLists": [{ "prices": [price] }],
        "actions": [{ "action": "new" }],
    })
}

/// A cart of a ticket, or of a combo or a membership where the pointer leads into one.
fn own_cart(own: &Things, pointer: &str) -> Value {
    if pointer.contains("/comboItems/") {
        own.combo_cart()
    } else if pointer.contains("/membershipInfo/") {
        membership_cart(own, pointer)
    } else {
        cart_of(&own.instance, own.tenant)
    }
}

/// A cart of a membership that names only things of its tenant: renewed where the pointer leads to the one that is,
/// given where it leads to the giver.
fn membership_cart(own: &Things, pointer: &str) -> Value {
    let mut info = json!({
        "membershipCategoryId": own.id(Kind::Level), "membershipOfferingId": own.id(Kind::Offering),
        "isGift": pointer.contains("/gifterInfo/"),
        "membershipCards": [{ "firstName": "Ada", "lastName": "Law", "zipCode": "10004" }],
    });
    if !pointer.ends_with("/pricepointId") {
        info["pricePointId"] = own.id(Kind::TicketType);
    }
    let action = if pointer.ends_with("/membershipId") { "MembershipRenewal" } else { "MembershipPurchase" };
    json!({ "items": [{ "itemType": action, "quantity": 1, "membershipInfo": info }] })
}

/// A combo that names only things of its tenant, with a discount where the pointer leads to one.
fn combo_of(own: &Things, pointer: &str) -> Value {
    let other = json!({ "eventTemplateId": format!("{}ee000000000000000002", own.tenant) });
    let part = if pointer.ends_with("/templateId") {
        json!({})
    } else {
        json!({ "eventTemplateId": own.id(Kind::Template) })
    };
    if pointer == "/discountId" {
        return json!({ "name": "Law", "comboTemplateType": "discountCode", "parts": [part, other] });
    }
    let price = json!({ "personTypeId": own.id(Kind::TicketType), "price": "1.00" });
    json!({
        "name": "Law", "comboTemplateType": "fixedPrice", "parts": [part, other], "prices": [price],
    })
}

/// What is taken back of an order, named as the pointer does.
fn returned(own: &Things, pointer: &str) -> Value {
    let mut body = json!({ "orderId": own.order, "eventId": own.instance });
    if pointer.starts_with("/items/") {
        body["items"] = json!([{ "itemId": own.order_item }]);
    } else if pointer.starts_with("/refundItems/") {
        body["refundItems"] = json!([{ "orderItemId": own.order_item }]);
    } else if pointer == "/orderId" || pointer == "/eventId" {
        body["wholeOrder"] = json!(true);
        body["itemId"] = json!(own.order_item);
    }
    body
}

/// What a door asks, named as the pointer does. Where that says nothing of a ticket, the code is nobody's, so that the
/// same request twice is answered the same.
fn at_door(operation: &Operation, own: &Things, pointer: &str) -> Value {
    let named = json!({ "orderId": own.order, "ticketId": own.ticket });
    let is_beside = pointer.ends_with("/terminalId") || pointer == "/cardId";
    let code = if is_beside { "nobody" } else { own.barcode.as_str() };
    let path = operation.path.as_str();
    if path.ends_with("/blocks") {
        json!({ "tickets": [named], "blocked": false })
    } else if path.ends_with("/uploads") {
        let at = adapters::clock::wall_now().to_rfc3339();
        let mut scan = json!({ "scanId": "6f1c2a58-0b3d-4e21-9a7c-0d5e8f4b2a10", "at": at });
        if pointer.ends_with("/eventId") || is_beside {
            scan["code"] = json!("nobody");
        } else {
            scan["orderId"] = json!(own.order);
            scan["ticketId"] = json!(own.ticket);
        }
        json!({ "scans": [scan] })
    } else if path.ends_with("/admissions") && pointer.starts_with("/order") {
        let item = json!({ "orderItemId": own.order_item, "quantity": 1 });
        json!({ "order": { "orderId": own.order, "items": [item] }, "eventId": own.instance })
    } else if path.contains("/admissions") && !path.ends_with("/lookup") && !is_beside {
        json!({ "tickets": [named] })
    } else {
        json!({
            "code": code, "ticketUUID": code, "ticketUUIDs": [code], "membershipBarcode": code,
        })
    }
}

/// A request that names only things of its tenant, but for the id at that pointer.
pub(crate) fn body_with(operation: &Operation, own: &Things, pointer: &str, id: &Value) -> Value {
    let mut body = match operation.path.as_str() {
        "/v2/b2b/reservations" => {
            let item = json!({ "eventId": own.instance, "quantity": 1 });
            json!({ "id": own.reservation["id"], "reservationItems": [item] })
        }
        "/v2/b2b/refunds/preview" | "/v2/b2b/exchanges" => returned(own, pointer),
        path if path.ends_with("/b2b/refunds") => returned(own, pointer),
        "/v1/b2b/rebook/orders" => {
            let item = json!({
                "orderItemId": own.order_item, "rebookQuantity": 1, "rebookToEventId": own.instance,
            });
            json!({ "orderId": own.order, "rebookItems": [item] })
        }
        "/v2/b2b/orders/update" => {
            let item = json!({ "orderItemId": own.order_item, "quantity": 0 });
            json!({ "orderId": own.order, "orderItems": [item] })
        }
        "/v2/b2c/reservations" => {
            let item = json!({ "eventId": own.instance, "quantity": 1 });
            json!({ "id": own.held["id"], "reservationItems": [item] })
        }
        path if path.contains("/admissions") || path.contains("/willcall/") => {
            at_door(operation, own, pointer)
        }
        "/v2/b2c/checkout" | "/v2/b2c/cors/checkout" => payer(),
        path if path.starts_with("/v2/b2b/coupons") => {
            // A code of its own for every request; letters alone, since digits might make the number of a card.
            let letters: String = text(id).bytes().map(|byte| char::from(b'a' + byte % 6)).collect();
            let code = format!("LAW{}-{letters}", pointer.replace('/', "-"));
            match pointer {
                "/discountId" => json!({ "name": "Law", "code": code }),
                _ => json!({ "name": "Law", "code": code, "discountType": "percent", "value": "10" }),
            }
        }
        path if path.starts_with("/v2/b2b/discounts") => {
            json!({ "name": "Law", "values": [{ "discountType": "amount", "value": "1.00" }] })
        }
        path if path.starts_with("/v2/b2b/combos") => combo_of(own, pointer),
        path if path.ends_with("/entitlements") => {
            let rule = json!({ "id": "Law", "limit": 1, "ruleApplies": "forEachItem", "timeFrame": { "period": "day" } });
            let limit = json!({ "personTypeId": own.id(Kind::TicketType), "limit": 1 });
            json!({ "rules": [rule], "ticketLimits": { "perType": [limit] } })
        }
        "/v2/b2b/event/templates/{id}" => changed_template(own, pointer),
        path if path.starts_with("/v2/b2b/event/templates") => template_of(own, pointer),
        "/v2/b2b/membership/levels" => {
            json!({
                "id": own.id(Kind::Level), "name": "Law", "state": "published", "rules": { "canGift": true },
                "offerings": [offering_of(own, pointer)],
            })
        }
        path if path.ends_with("/membershipofferings") => offering_of(own, pointer),
        path if path.starts_with("/v2/b2b/") => json!({ "name": "Law" }),
        path if path.starts_with("/v1/payment/{mid}/refund") => json!({ "charge": { "amount": "1.00" } }),
        _ => own_cart(own, pointer),
    };
    if operation.path == "/v2/b2c/carts/{id}" {
        body["id"] = json!(own.cart);
    }
    if operation.path.ends_with("/checkout") && pointer != "/shoppingCartId" {
        body["shoppingCart"] = own_cart(own, pointer);
    }
    if let Some(line) = pointer.strip_suffix("/inventoryId") {
        put(&mut body, line, &json!({ "quantity": 1 }));
    }
    if let Some((entry, "formId" | "eventId")) = pointer.rsplit_once('/')
        && entry.ends_with("/forms/0")
    {
        put(&mut body, entry, &json!({ "formId": own.id(Kind::Form), "fields": [] }));
    }
    put(&mut body, pointer, id);
    body
}
