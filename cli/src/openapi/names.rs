//! What generated clients call each operation: a verb, and what it is done to.

/// Method, path and name of every operation, in the order of their paths.
const NAMES: &[(&str, &str, &str)] = &[
    ("get", "/docs", "readDocs"),
    ("get", "/docs/{file}", "readDocsFile"),
    ("get", "/errors", "listErrors"),
    ("get", "/openapi.json", "readOpenapi"),
    ("post", "/sandbox/cleanup", "runCleanup"),
    ("get", "/sandbox/outbox", "listDeliveredMails"),
    ("get", "/sandbox/outbox/{deliveryId}", "readDeliveredMail"),
    ("get", "/sandbox/processor", "listSandboxPayments"),
    ("post", "/v1/payment/onboard", "onboardMerchant"),
    ("post", "/v1/payment/onboard/validate", "validateMerchant"),
    ("get", "/v1/payment/onboard/{boardingRefId}", "readMerchant"),
    ("patch", "/v1/payment/onboard/{boardingRefId}", "changeMerchant"),
    ("post", "/v1/payment/{mid}/refund", "refundSale"),
    ("post", "/v1/payment/{mid}/refund/preview", "previewSaleRefund"),
    ("get", "/v2/b2b/addons", "listAddOns"),
    ("get", "/v2/b2b/addons/{id}", "readAddOn"),
    ("get", "/v2/b2b/combos", "listCombos"),
    ("post", "/v2/b2b/combos", "createCombo"),
    ("get", "/v2/b2b/combos/{id}", "readCombo"),
    ("put", "/v2/b2b/combos/{id}", "updateCombo"),
    ("delete", "/v2/b2b/combos/{id}", "deleteCombo"),
    ("get", "/v2/b2b/coupons", "listCoupons"),
    ("post", "/v2/b2b/coupons", "createCoupon"),
    ("get", "/v2/b2b/coupons/{id}", "readCoupon"),
    ("put", "/v2/b2b/coupons/{id}", "updateCoupon"),
    ("delete", "/v2/b2b/coupons/{id}", "deleteCoupon"),
    ("get", "/v2/b2b/customers", "findCustomers"),
    ("get", "/v2/b2b/customers/{id}", "readCustomer"),
    ("get", "/v2/b2b/discounts", "listDiscounts"),
    ("post", "/v2/b2b/discounts", "createDiscount"),
    ("get", "/v2/b2b/discounts/{id}", "readDiscount"),
    ("put", "/v2/b2b/discounts/{id}", "updateDiscount"),
    ("delete", "/v2/b2b/discounts/{id}", "deleteDiscount"),
    ("get", "/v2/b2b/event/instances/{id}", "readInstance"),
    ("put", "/v2/b2b/event/instances/{id}", "updateInstance"),
    ("delete", "/v2/b2b/event/instances/{id}", "deleteInstance"),
    ("get", "/v2/b2b/event/templates", "listTemplates"),
    ("post", "/v2/b2b/event/templates", "createTemplate"),
    ("get", "/v2/b2b/event/templates/{id}", "readTemplate"),
    ("put", "/v2/b2b/event/templates/{id}", "updateTemplate"),
    ("delete", "/v2/b2b/event/templates/{id}", "deleteTemplate"),
    ("get", "/v2/b2b/event/templates/{id}/entitlements", "readEntitlements"),
    ("post", "/v2/b2b/event/templates/{id}/entitlements", "createEntitlements"),
    ("put", "/v2/b2b/event/templates/{id}/entitlements", "updateEntitlements"),
    ("get", "/v2/b2b/event/templates/{id}/instances", "listInstances"),
    ("post", "/v2/b2b/exchanges", "exchangeTickets"),
    ("get", "/v2/b2b/forms", "listForms"),
    ("post", "/v2/b2b/forms", "createForm"),
    ("get", "/v2/b2b/forms/{id}", "readForm"),
    ("put", "/v2/b2b/forms/{id}", "updateForm"),
    ("delete", "/v2/b2b/forms/{id}", "deleteForm"),
    ("get", "/v2/b2b/inventory", "listInventoryItems"),
    ("post", "/v2/b2b/inventory", "createInventoryItem"),
    ("get", "/v2/b2b/inventory/{id}", "readInventoryItem"),
    ("put", "/v2/b2b/inventory/{id}", "updateInventoryItem"),
    ("delete", "/v2/b2b/inventory/{id}", "deleteInventoryItem"),
    ("get", "/v2/b2b/locations/avs/countries", "listCountriesForStaff"),
    ("get", "/v2/b2b/locations/states/{country}", "listStatesForStaff"),
    ("get", "/v2/b2b/membership/levels", "listLevels"),
    ("post", "/v2/b2b/membership/levels", "createLevel"),
    ("put", "/v2/b2b/membership/levels", "updateLevel"),
    ("get", "/v2/b2b/membership/levels/{id}", "readLevel"),
    ("delete", "/v2/b2b/membership/levels/{id}", "deleteLevel"),
    ("get", "/v2/b2b/membership/levels/{levelId}/membershipofferings", "listOfferings"),
    ("post", "/v2/b2b/membership/levels/{levelId}/membershipofferings", "createOffering"),
    ("put", "/v2/b2b/membership/levels/{levelId}/membershipofferings", "updateOffering"),
    ("get", "/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}", "readOffering"),
    (
        "delete",
        "/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}",
        "deleteOffering",
    ),
    ("get", "/v2/b2b/membership/summaries", "listMembershipCards"),
    ("get", "/v2/b2b/memberships", "listMemberships"),
    ("get", "/v2/b2b/memberships/checkout/validate", "quoteMembershipForStaff"),
    ("get", "/v2/b2b/memberships/{id}", "readMembership"),
    ("put", "/v2/b2b/memberships/{id}", "updateMembership"),
    ("delete", "/v2/b2b/memberships/{id}/cards/{cardId}", "deleteMembershipCard"),
    ("get", "/v2/b2b/orders/detail/{orderId}", "readOrderForStaff"),
    ("get", "/v2/b2b/persontypes", "listTicketTypes"),
    ("post", "/v2/b2b/persontypes", "createTicketType"),
    ("get", "/v2/b2b/persontypes/{id}", "readTicketType"),
    ("put", "/v2/b2b/persontypes/{id}", "updateTicketType"),
    ("delete", "/v2/b2b/persontypes/{id}", "deleteTicketType"),
    ("post", "/v2/b2b/refunds", "refundOrder"),
    ("post", "/v2/b2b/refunds/preview", "previewOrderRefund"),
    ("post", "/v2/b2b/reservations", "createReservation"),
    ("put", "/v2/b2b/reservations", "updateReservation"),
    ("get", "/v2/b2b/reservations/{id}", "readReservation"),
    ("delete", "/v2/b2b/reservations/{id}", "deleteReservation"),
    ("get", "/v2/b2b/willcall/orders/{orderId}", "readWillCallOrder"),
    ("post", "/v2/b2c/carts", "createCart"),
    ("get", "/v2/b2c/carts/{id}", "readCart"),
    ("put", "/v2/b2c/carts/{id}", "updateCart"),
    ("delete", "/v2/b2c/carts/{id}", "deleteCart"),
    ("put", "/v2/b2c/carts/{id}/forms/{formResponseId}", "answerForm"),
    ("post", "/v2/b2c/checkout", "checkout"),
    ("post", "/v2/b2c/cors/checkout", "checkoutFromPage"),
    ("post", "/v2/b2c/entitlements/validate", "validateEntitlements"),
    ("put", "/v2/b2c/entitlements/validate", "revalidateEntitlements"),
    ("get", "/v2/b2c/event/templates", "listEvents"),
    ("get", "/v2/b2c/event/templates/calendar", "readCalendar"),
    ("get", "/v2/b2c/event/templates/slim", "listEventsInShort"),
    ("get", "/v2/b2c/event/templates/times", "listTimes"),
    ("get", "/v2/b2c/event/templates/{templateId}", "readEvent"),
    ("get", "/v2/b2c/event/templates/{templateId}/calendar", "readEventCalendar"),
    ("get", "/v2/b2c/event/templates/{templateId}/times", "listEventTimes"),
    ("get", "/v2/b2c/events/{instanceId}", "readEventInstance"),
    ("get", "/v2/b2c/events/{templateId}/nextAvailable", "readNextTime"),
    ("get", "/v2/b2c/locations/avs/countries", "listCountries"),
    ("get", "/v2/b2c/locations/states/{country}", "listStates"),
    ("get", "/v2/b2c/membership/exists", "memberExists"),
    ("get", "/v2/b2c/membership/validate", "validateMember"),
    ("get", "/v2/b2c/membership/validate/login", "mailLoginLink"),
    ("post", "/v2/b2c/membership/validate/login", "useLoginLink"),
    ("get", "/v2/b2c/orders/search", "searchOrders"),
    ("get", "/v2/b2c/orders/{id}", "readOrder"),
    ("get", "/v2/memberships/b2b/checkout/validate", "quoteMembership"),
];

/// The name of an operation; none of one that is not listed.
pub(super) fn name_of(method: &str, path: &str) -> Option<&'static str> {
    let of_this = NAMES.iter().find(|(of_method, of_path, _)| *of_method == method && *of_path == path);
    of_this.map(|(_, _, name)| *name)
}

/// A name made of the route alone, for one that is not listed: `getB2cCartsById`.
pub(super) fn route_name(method: &str, path: &str) -> String {
    let mut id = method.to_owned();
    for segment in path.split('/').filter(|segment| !matches!(*segment, "" | "v1" | "v2")) {
        if segment.starts_with('{') {
            id.push_str("By");
        }
        for word in segment.split(|char: char| !char.is_ascii_alphanumeric()) {
            let (first, rest) = word.split_at_checked(1).unwrap_or_default();
            id.push_str(&first.to_ascii_uppercase());
            id.push_str(rest);
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::{name_of, route_name};

    #[test]
    fn an_operation_that_is_not_listed_is_named_after_its_route() {
        assert_eq!(name_of("post", "/v2/b2c/carts"), Some("createCart"));
        assert_eq!(name_of("post", "/v2/b2c/cart"), None);
        for (method, path, id) in [
            ("get", "/v2/b2c/carts/{id}", "getB2cCartsById"),
            ("post", "/v1/payment/{mid}/refund", "postPaymentByMidRefund"),
            ("get", "/openapi.json", "getOpenapiJson"),
        ] {
            assert_eq!(route_name(method, path), id);
        }
    }
}
