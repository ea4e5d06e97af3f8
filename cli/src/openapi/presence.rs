//! Which fields of answers can be relied upon: all that are documented (contract §R, "Missing optional values").

use serde_json::Value;
use std::collections::BTreeSet;
use utoipa::openapi::schema::{ArrayItems, Schema};
use utoipa::openapi::{OpenApi, RefOr};

/// A field of an answer that may be missing, and why.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut {
    /// The name of the schema.
    pub schema: &'static str,
    /// The field; [`OWN_FACTS`] stands for all those that the schema itself does not require.
    pub field: &'static str,
    /// Why it may be missing.
    pub reason: &'static str,
}

const fn left_out(schema: &'static str, field: &'static str, reason: &'static str) -> LeftOut {
    LeftOut { schema, field, reason }
}

/// Each answer has those of these fields that are of its kind.
pub const OWN_FACTS: &str = "*";

const AT_DOOR: &str = "operations §13.4: what is not known of a code, a ticket or a card is left out";
const EXPLAINED: &str = "it is there when the request asks for it with a header";
const FAILED: &str = "spec §2.7: it appears on failed rules";
const SUMMARY: &str = "spec §4.6: a summary has no metadata and no configuration";
const SAID: &str = "contract §12: it is there where somebody said who did it";
const UNKNOWN: &str = "contract §20: what is not known of a card is left out, as a renewal sends it back";
const TAXED: &str = "contract §1: it is there where something was said of a tax";
const BY_METHOD: &str = "spec §4.10: the field sets differ between POST, PATCH and GET";

/// All of them.
pub const LEFT_OUT: [LeftOut; 49] = [
    left_out("AdmissionResultView", OWN_FACTS, AT_DOOR),
    left_out("BarcodeScanView", OWN_FACTS, AT_DOOR),
    left_out("CheckedInTicketView", OWN_FACTS, AT_DOOR),
    left_out("CartItemOutput", "priceTrace", EXPLAINED),
    left_out("ComboItemOutput", "priceTrace", EXPLAINED),
    left_out("ErrorBody", OWN_FACTS, "contract §3: the facts of a refusal are those of its kind"),
    left_out(
        "MemberListEntry",
        "holder",
        "contract §9: who holds a card is told to those who know the last name",
    ),
    left_out("MemberCardOutput", "city", UNKNOWN),
    left_out("MemberCardOutput", "constituentImportId", UNKNOWN),
    left_out("MemberCardOutput", "country", UNKNOWN),
    left_out("MemberCardOutput", "customerId", UNKNOWN),
    left_out("MemberCardOutput", "email", UNKNOWN),
    left_out("MemberCardOutput", "phoneNumber", UNKNOWN),
    left_out("MemberCardOutput", "serviceCustomerNumber", UNKNOWN),
    left_out("MemberCardOutput", "state", UNKNOWN),
    left_out("MemberCardOutput", "streetAddress1", UNKNOWN),
    left_out("MemberCardOutput", "zipCode", UNKNOWN),
    left_out("RuleApplied", "message", FAILED),
    left_out("RuleApplied", "messageCode", FAILED),
    left_out("LevelOutput", "emailConfirmationMessage", SUMMARY),
    left_out("LevelOutput", "images", SUMMARY),
    left_out("LevelOutput", "membershipLevelCollection", SUMMARY),
    left_out("LevelOutput", "rules", SUMMARY),
    left_out("LevelOutput", "salesChannels", SUMMARY),
    left_out("LevelOutput", "service", SUMMARY),
    left_out("LevelOutput", "termsAndConditions", SUMMARY),
    left_out("LevelOutput", "types", SUMMARY),
    left_out("OfferingOutput", "actions", SUMMARY),
    left_out("OfferingOutput", "rules", SUMMARY),
    left_out("OfferingOutput", "salesChannels", SUMMARY),
    left_out("OfferingOutput", "service", SUMMARY),
    left_out("OfferingOutput", "types", SUMMARY),
    left_out("OfferingPriceOutput", "salesChannels", SUMMARY),
    left_out("KeyView", "key", "the text of a key is shown once"),
    left_out("OnboardingOutput", "businessAcceptedCards", BY_METHOD),
    left_out("OnboardingOutput", "storeNumber", BY_METHOD),
    left_out("OnboardingOutput", "updatedDate", BY_METHOD),
    left_out("OrderExchangeView", "createdBy", SAID),
    left_out("OrderRefundView", "createdBy", SAID),
    left_out("PersonTypeOutput", "taxName", TAXED),
    left_out("PersonTypeOutput", "taxRate", TAXED),
    left_out("InventoryOutput", "taxName", TAXED),
    left_out("InventoryOutput", "taxRate", TAXED),
    left_out("ComboOutput", "taxName", TAXED),
    left_out("ComboOutput", "taxRate", TAXED),
    left_out("LevelOutput", "taxName", TAXED),
    left_out("LevelOutput", "taxRate", TAXED),
    left_out("Reservation", "createdBy", SAID),
    left_out("Reservation", "updatedBy", SAID),
];

/// Requires every field of every answer but those of the table.
pub(super) fn require(document: &mut OpenApi) {
    let sent = schemas_of_requests(document);
    let schemas = document.components.iter_mut().flat_map(|components| components.schemas.iter_mut());
    for (name, schema) in schemas.filter(|(name, _)| !sent.contains(*name)) {
        require_in(name, schema);
    }
}

fn require_in(name: &str, schema: &mut RefOr<Schema>) {
    let RefOr::T(schema) = schema else { return };
    match schema {
        Schema::Object(object) => {
            let is_left_out = |field: &str| {
                let mut of_schema = LEFT_OUT.iter().filter(|one| one.schema == name);
                of_schema.any(|one| one.field == field || one.field == OWN_FACTS)
            };
            for (field, inner) in &mut object.properties {
                if !is_left_out(field) && !object.required.contains(field) {
                    object.required.push(field.clone());
                }
                require_in(name, inner);
            }
        }
        Schema::Array(array) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                require_in(name, items);
            }
        }
        Schema::AllOf(all) => all.items.iter_mut().for_each(|part| require_in(name, part)),
        Schema::OneOf(one) => one.items.iter_mut().for_each(|part| require_in(name, part)),
        Schema::AnyOf(any) => any.items.iter_mut().for_each(|part| require_in(name, part)),
        // The library may come to know others.
        _ => {}
    }
}

/// The names of the schemas that requests are made of. What cannot be written as JSON has none.
fn schemas_of_requests(document: &OpenApi) -> BTreeSet<String> {
    let document = serde_json::to_value(document).unwrap_or_default();
    let mut found = BTreeSet::new();
    let items = document["paths"].as_object().into_iter().flat_map(|paths| paths.values());
    for operation in items.filter_map(Value::as_object).flat_map(|item| item.values()) {
        collect(&document, &operation["requestBody"], &mut found);
    }
    found
}

/// Notes what is referred to from here, and from there on.
fn collect(document: &Value, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let reference = fields.get("$ref").and_then(Value::as_str);
            if let Some(name) = reference.and_then(|at| at.strip_prefix("#/components/schemas/"))
                && found.insert(name.to_owned())
            {
                collect(document, &document["components"]["schemas"][name], found);
            }
            fields.values().for_each(|value| collect(document, value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(document, value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
