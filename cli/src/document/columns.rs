//! The columns of the table, by the section whose records have them. A dot stands between the names of nested
//! fields. `docs/IMPORT.md` shows the same list.

/// What stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Text,
    /// A number, `true` or `false`.
    Plain,
    /// JSON: a list or an object.
    Json,
}

use Cell::{Json, Plain, Text};

/// A column of a section.
pub(super) type Column = (&'static str, Cell);

const SETTINGS: &[Column] = &[
    ("id", Plain),
    ("name", Text),
    ("timeZone", Text),
    ("currency", Text),
    ("sandbox", Plain),
    ("holdSeconds", Plain),
    ("allowedOrigins", Json),
    ("descriptorPrefix", Text),
    ("consumerSite", Text),
    ("staffSite", Text),
    ("memberClaims.b2c", Text),
    ("memberClaims.b2c-browser", Text),
];

const API_KEYS: &[Column] =
    &[("key", Text), ("scopes", Json), ("origins", Json), ("label", Text), ("mid", Text)];

const MERCHANTS: &[Column] = &[
    ("mid", Text),
    ("name", Text),
    ("status", Text),
    ("rateCard.percentageRate", Text),
    ("rateCard.fixedFee", Text),
    ("descriptor", Text),
];

const PERSON_TYPES: &[Column] = &[
    ("id", Text),
    ("name", Text),
    ("description", Text),
    ("active", Plain),
    ("type", Text),
    ("displayOrder", Plain),
    ("taxRate", Text),
    ("taxName", Text),
];

const INVENTORY: &[Column] = &[
    ("id", Plain),
    ("sku", Text),
    ("name", Text),
    ("description", Text),
    ("type", Text),
    ("price", Text),
    ("stock", Plain),
    ("active", Plain),
    ("displayOrder", Plain),
    ("salesChannels", Json),
    ("taxRate", Text),
    ("taxName", Text),
];

const DISCOUNTS: &[Column] =
    &[("id", Text), ("name", Text), ("description", Text), ("code", Text), ("values", Json)];

const FORMS: &[Column] = &[
    ("id", Text),
    ("name", Text),
    ("description", Text),
    ("oncePerCart", Plain),
    ("required", Plain),
    ("fields", Json),
];

const COUPONS: &[Column] = &[
    ("id", Text),
    ("name", Text),
    ("description", Text),
    ("code", Text),
    ("discountId", Text),
    ("discountType", Text),
    ("value", Text),
    ("appliesTo", Json),
    ("eventTemplateIds", Json),
    ("personTypeIds", Json),
    ("membershipCategoryIds", Json),
    ("salesChannels", Json),
    ("effectiveStart", Text),
    ("effectiveEnd", Text),
    ("maxUses", Plain),
    ("active", Plain),
];

const COMBOS: &[Column] = &[
    ("id", Text),
    ("name", Text),
    ("description", Text),
    ("active", Plain),
    ("comboTemplateType", Text),
    ("parts", Json),
    ("prices", Json),
    ("discountId", Text),
    ("taxRate", Text),
    ("taxName", Text),
];

const LEVELS: &[Column] = &[
    ("id", Text),
    ("name", Text),
    ("description", Text),
    ("shortDescription", Text),
    ("emailConfirmationMessage", Text),
    ("membershipLevelGroup", Text),
    ("service", Json),
    ("types", Json),
    ("salesChannels", Json),
    ("rules.numberOfCardHolders", Plain),
    ("rules.canGift", Plain),
    ("rules.startBeginningOfMonth", Plain),
    ("rules.expireEndOfMonth", Plain),
    ("benefits", Json),
    ("images", Json),
    ("termsAndConditions", Text),
    ("offerings", Json),
    ("auxiliary", Plain),
    ("membershipLevelCollection", Json),
    ("state", Text),
    ("taxRate", Text),
    ("taxName", Text),
];

const MEMBERS: &[Column] = &[
    ("id", Plain),
    ("membershipId", Plain),
    ("membershipNumber", Plain),
    ("categoryId", Text),
    ("offeringId", Text),
    ("pricePointId", Text),
    ("cardType", Text),
    ("cardStanding", Text),
    ("firstName", Text),
    ("lastName", Text),
    ("email", Text),
    ("phoneNumber", Text),
    ("streetAddress1", Text),
    ("streetAddress2", Text),
    ("city", Text),
    ("state", Text),
    ("zipCode", Text),
    ("country", Text),
    ("barcode", Text),
    ("externalMembershipId", Text),
    ("customerId", Plain),
    ("membershipJoinedDate", Text),
    ("membershipStartDate", Text),
    ("membershipExpirationDate", Text),
    ("termAnchorDay", Plain),
    ("laterTerms", Json),
    ("membershipEndedDate", Text),
    ("replacedByMembershipId", Plain),
    ("purchase", Json),
];

const TEMPLATES: &[Column] = &[
    ("id", Text),
    ("type", Text),
    ("admissionType", Text),
    ("name", Text),
    ("description", Text),
    ("shortDescription", Text),
    ("summary", Text),
    ("emailConfirmationMessage", Text),
    ("emailCancellationMessage", Text),
    ("startTime", Text),
    ("endTime", Text),
    ("reviewState", Text),
    ("duration.hour", Plain),
    ("duration.minutes", Plain),
    ("capacity", Plain),
    ("displayOrder", Plain),
    ("memberOnlyEvent", Plain),
    ("allMembersCanPurchase", Plain),
    ("priceLists", Json),
    ("schedules", Json),
    ("ticketDetails.ticketDurationDays", Plain),
    ("ticketDetails.checkInWindow.minutesBefore", Plain),
    ("ticketDetails.checkInWindow.minutesAfter", Plain),
    ("ticketDetails.checkInWindow.blockScan", Plain),
    ("ticketDetails.checkInWindow.autoRebook", Plain),
    ("ticketDetails.postStartPurchase.allowLateTicketPurchase", Plain),
    ("ticketDetails.purchaseAvailability.timeFrame", Text),
    ("ticketDetails.purchaseAvailability.minutes", Plain),
    ("ticketDetails.ticketPrintLines", Json),
    ("ticketDetails.doNotPrint", Plain),
    ("ticketDetails.expireFromEventDate", Plain),
    ("ticketDetails.hideEventDate", Plain),
    ("ticketDetails.reentry", Text),
    ("membership.restrictions.categories", Json),
    ("membership.discounts", Json),
    ("addOns.inventoryIds", Json),
    ("orderForms", Json),
    ("images", Json),
    ("customFields", Json),
    ("resources", Json),
    ("rebookingFee", Text),
    ("thirdPartyEvent", Plain),
    ("thirdPartyPercentage", Text),
    ("ruleSets.associated", Plain),
    ("ruleSets.ruleSetIds", Json),
    ("colorCategory", Text),
    ("entitlementConfiguration", Json),
    ("stars", Plain),
    ("ratings", Plain),
    ("publishSoldQuantity", Plain),
    ("emailNotify", Json),
    ("recommendations.recommendations", Json),
    ("prerequisites", Json),
    ("GLCode", Text),
];

const ENTITLEMENTS: &[Column] = &[
    ("eventTemplateId", Text),
    ("rules", Json),
    ("ticketLimits.perOrder", Plain),
    ("ticketLimits.perType", Json),
];

/// The sections with their columns, in the order of the document.
pub(super) const SECTIONS: [(&str, &[Column]); 13] = [
    ("tenant", SETTINGS),
    ("apiKeys", API_KEYS),
    ("merchants", MERCHANTS),
    ("personTypes", PERSON_TYPES),
    ("inventory", INVENTORY),
    ("discounts", DISCOUNTS),
    ("forms", FORMS),
    ("coupons", COUPONS),
    ("combos", COMBOS),
    ("membershipLevels", LEVELS),
    ("members", MEMBERS),
    ("eventTemplates", TEMPLATES),
    ("entitlements", ENTITLEMENTS),
];

pub(super) fn of(section: &str) -> Option<(&'static str, &'static [Column])> {
    SECTIONS.into_iter().find(|(name, _)| *name == section)
}

/// The first column, which names the section of a row.
pub(super) const RECORD: &str = "record";

/// Every column once, those of the sections in their order behind the one that names the section.
pub(super) fn header() -> Vec<&'static str> {
    let mut header = vec![RECORD];
    for (_, columns) in SECTIONS {
        for (path, _) in columns {
            if !header.contains(path) {
                header.push(path);
            }
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_columns_are_those_of_the_program() {
        let document = include_str!("../../../docs/IMPORT.md");
        for (section, columns) in SECTIONS {
            let cells = columns.iter().map(|(path, cell)| match cell {
                Text => format!("`{path}`"),
                Plain => format!("`{path}` (plain)"),
                Json => format!("`{path}` (JSON)"),
            });
            let row = format!("| `{section}` | {} |", cells.collect::<Vec<_>>().join(", "));
            assert!(document.contains(&row), "docs/IMPORT.md lacks the row\n{row}");
        }
    }
}
