//! Reading a cart as a caller sends it.

use super::combo::ComboItemInput;
use super::donation::{DonationDetailInput, read_gift};
use super::form::{FormAnswersInput, read_forms};
use super::membership::{
    LineParts, MembershipCardInput, MembershipInfoInput, SentParts, check_memberships, read_memberships,
    sent_cards, sent_parts,
};
use super::quantity::{read_one, read_quantity};
use crate::{Amount, Checker, Field, IntegerId, List, WireValue};
use domain::cart_request::{
    CartRequest, CartTerms, Gift, MAX_CODES, MAX_INSTANCES, MAX_LINES, MAX_TICKETS, MovedField,
    RefusedClaims, SizeFault, Wanted, WantedAddOn, WantedDonation, WantedLine, WantedMembership,
    WantedTicket, WantedTreatment, has_tickets_for, size_faults,
};
use domain::catalog::InventoryKind;
use domain::checkout::CartSource;
use domain::membership::MembershipAction;
use domain::{CartId, CartItemId, CustomerId, InstanceId, InventoryId, LevelId, ReservationId, TicketTypeId};
use std::collections::BTreeSet;

/// Longest coupon code.
const MAX_CODE_CHARS: usize = 64;
/// Longest name of a vocabulary.
const MAX_NAME_CHARS: usize = 64;

crate::incoming! {
    /// A cart (spec §2.2). Fields not listed are ignored.
    pub struct CartInput {
        /// The cart's id; required in an update, and equal to the id of the path.
        id: String,
        /// The lines; an update replaces them all.
        items: Vec<CartItemInput>,
        /// Several events at one price; an update replaces them all.
        combo_items: Vec<ComboItemInput>,
        /// Membership ids or numbers that drive member prices.
        membership_ids: Vec<IntegerId>,
        /// The same for a single one; beside `membershipIds`, one more.
        membership_id: IntegerId,
        /// A level whose benefits apply without a membership.
        membership_category_id: String,
        /// Codes for all eligible lines.
        coupon_codes: Vec<String>,
        /// The reservation whose holds checkout consumes.
        reservation_id: IntegerId,
        /// Checkout verifies entitlements and refuses with the limit information.
        verify_entitlements: bool,
        /// A known customer.
        customer_id: IntegerId,
        /// Answers to forms that its events ask; entries without `fields` are ignored.
        forms: Vec<FormAnswersInput>,
    }

    /// A line of a cart (spec §2.3). Prices and names are computed; what is sent of them is ignored, but for
    /// the amount of a variable donation.
    pub struct CartItemInput {
        /// The line's id as returned before; it keeps the line's identity.
        item_id: String,
        /// `Event`, `Inventory`, or what is done with a membership, such as `MembershipPurchase`; when left out, it
        /// follows from the ids sent.
        item_type: String,
        /// The event instance.
        event_id: String,
        /// The ticket type.
        ticketing_type_id: String,
        /// 0 to 999; 0 only asks for the price. Always 1 for donations and memberships.
        #[schema(required = true)]
        quantity: i64,
        /// Charged in full whatever discounts apply.
        is_retail: bool,
        /// Exempt from entitlement rules.
        ignore_entitlements: bool,
        /// Codes for this line alone.
        coupon_codes: Vec<String>,
        /// The add-on or donation.
        inventory_id: IntegerId,
        /// `fixedDonation` or `donation`.
        #[serde(rename = "type")]
        donation_type: String,
        /// The same as `type`.
        addon_type: String,
        /// The amount of a variable donation; ignored on every other line.
        unit_price: Amount,
        /// Facts about a donation.
        donation_detail: DonationDetailInput,
        /// What a membership line buys.
        membership_info: MembershipInfoInput,
        /// The membership that is renewed or changed, where it does not stand in `membershipInfo`.
        membership_id: IntegerId,
        /// The level that a membership line buys, where it does not stand in `membershipInfo`.
        membership_category_id: String,
        /// One of the level's offerings, where it does not stand in `membershipInfo`.
        membership_offering_id: String,
        /// One of the offering's price points, where it does not stand in `membershipInfo`.
        price_point_id: String,
        /// Another spelling of `pricePointId`.
        pricepoint_id: String,
        /// Who is to hold cards of a membership, where it does not stand in `membershipInfo`.
        membership_cards: Vec<MembershipCardInput>,
        /// The same as `membershipCards`.
        cards: Vec<MembershipCardInput>,
        /// The same as `membershipCards`.
        cardholders: Vec<MembershipCardInput>,
    }
}

impl CartInput {
    /// Reads a new cart (`POST`, or the cart inside a checkout): everything may be left out.
    pub fn parse_new(self, checker: &mut Checker) -> Option<CartRequest> {
        self.parse(checker)
    }

    /// Reads an update of the cart with this id: id and items, or combos instead, are required (spec §4.1).
    pub fn parse_update(self, checker: &mut Checker, id: &CartId) -> Option<CartRequest> {
        match checker.required_text("id", self.id.clone(), MAX_NAME_CHARS) {
            Some(sent) if sent != id.as_str() => checker.invalid("id", "must match the id in the path"),
            Some(_) | None => {}
        }
        match (&self.items, &self.combo_items) {
            (Field::Absent | Field::Null, Field::Absent | Field::Null) => {
                checker.invalid("items", "is required");
            }
            (Field::Value(_) | Field::Wrong, _) | (_, Field::Value(_) | Field::Wrong) => {}
        }
        self.parse(checker)
    }

    /// Reads a cart that is to be validated: its lines, or the id of one made before (spec §4.2).
    pub fn parse_source(self, checker: &mut Checker) -> Option<CartSource> {
        let has_items = self.items.is_sent();
        let has_combos = self.combo_items.is_sent();
        if has_items || has_combos {
            return self.parse(checker).map(|cart| CartSource::Inline(Box::new(cart)));
        }
        if !self.id.is_sent() {
            checker.invalid("id", "is required unless items are sent");
            self.parse(checker);
            return None;
        }
        checker.required_id("id", self.id, CartId::parse).map(CartSource::Stored)
    }

    fn parse(self, checker: &mut Checker) -> Option<CartRequest> {
        let Self {
            id: _,
            items,
            combo_items,
            membership_ids,
            membership_id,
            membership_category_id,
            coupon_codes,
            reservation_id,
            verify_entitlements,
            customer_id,
            forms,
        } = self;
        let moved = moved_fields(&items);
        let lines = read_lines(checker, items, combo_items);
        let (membership_ids, single_membership) = read_memberships(checker, membership_ids, membership_id);
        let terms = CartTerms {
            membership_ids,
            single_membership,
            membership_category: checker.optional_id(
                "membershipCategoryId",
                membership_category_id,
                LevelId::parse,
            ),
            refused: RefusedClaims::default(),
            coupon_codes: read_codes(checker, coupon_codes),
            reservation: checker.optional_number_id("reservationId", reservation_id, ReservationId::parse),
            verify_entitlements: checker
                .optional("verifyEntitlements", verify_entitlements)
                .unwrap_or_default(),
            customer: checker.optional_number_id("customerId", customer_id, CustomerId::parse),
        };
        let forms = read_forms(checker, forms);
        Some(CartRequest { lines: lines?, terms, forms, moved })
    }
}

/// What of memberships stands elsewhere than where it belongs.
fn moved_fields(items: &Field<List<CartItemInput>>) -> Vec<MovedField> {
    let Field::Value(List(items)) = items else { return Vec::new() };
    let items = items.iter().take(MAX_LINES).enumerate();
    let moved = items.map(|(index, item)| match item {
        Field::Value(item) => item.moved(&format!("items/{index}")),
        Field::Absent | Field::Null | Field::Wrong => Vec::new(),
    });
    moved.flatten().collect()
}

fn read_lines(
    checker: &mut Checker,
    items: Field<List<CartItemInput>>,
    combos: Field<List<ComboItemInput>>,
) -> Option<Vec<WantedLine>> {
    let items = checker.optional("items", items).map(|list| list.0).unwrap_or_default();
    let combos = checker.optional("comboItems", combos).map(|list| list.0).unwrap_or_default();
    if items.len() > MAX_LINES {
        checker.too_many("items", MAX_LINES);
        return None;
    }
    let events = combos.iter().map(ComboItemInput::events).sum::<usize>();
    if items.len().saturating_add(events) > MAX_LINES {
        let message =
            format!("must have at most {MAX_LINES} entries together with items, counting one for each event");
        checker.invalid("comboItems", message);
        return None;
    }
    let mut ids = BTreeSet::new();
    let mut lines = read_list(checker, "items", items, &mut ids, CartItemInput::parse);
    let others = lines.len();
    lines.extend(read_list(checker, "comboItems", combos, &mut ids, ComboItemInput::parse));
    checker.within("items", |checker| check_add_ons(checker, &lines));
    check_size(checker, &lines, others);
    check_memberships(checker, &lines);
    lines.into_iter().collect()
}

/// The lines of one of the two lists; no id stands on two lines of both.
fn read_list<T: WireValue>(
    checker: &mut Checker,
    name: &str,
    list: Vec<Field<T>>,
    ids: &mut BTreeSet<CartItemId>,
    parse: impl Fn(T, &mut Checker) -> Option<WantedLine>,
) -> Vec<Option<WantedLine>> {
    checker.within(name, |checker| {
        let mut lines = Vec::with_capacity(list.len());
        for (index, element) in list.into_iter().enumerate() {
            let line = match element {
                Field::Value(element) => checker.within(index, |checker| parse(element, checker)),
                Field::Absent | Field::Null | Field::Wrong => {
                    checker.invalid(index, "must be an object");
                    None
                }
            };
            if let Some(id) = line.as_ref().and_then(|line| line.id.clone())
                && !ids.insert(id)
            {
                checker.invalid(format!("{index}/itemId"), "is already used by another line");
            }
            lines.push(line);
        }
        lines
    })
}

fn check_add_ons(checker: &mut Checker, lines: &[Option<WantedLine>]) {
    for (index, line) in lines.iter().enumerate() {
        if let Some(WantedLine { id: _, wanted: Wanted::AddOn(add_on) }) = line
            && !has_tickets_for(add_on, lines.iter().flatten())
        {
            checker.invalid(format!("{index}/eventId"), "is an event for which the cart has no tickets");
        }
    }
}

/// The limits of all lines, of which so many are no combos. Where those alone keep within a limit, it is the
/// combos that exceed it.
fn check_size(checker: &mut Checker, lines: &[Option<WantedLine>], others: usize) {
    let by_others = size_faults(lines.iter().take(others).flatten());
    for fault in size_faults(lines.iter().flatten()) {
        let message = match fault {
            SizeFault::TooManyInstances => {
                format!("must be for no more than {MAX_INSTANCES} different events")
            }
            SizeFault::TooManyTickets => format!("must have at most {MAX_TICKETS} tickets"),
        };
        checker.invalid(if by_others.contains(&fault) { "items" } else { "comboItems" }, message);
    }
}

/// What kind of line was sent.
enum LineKind {
    Event,
    Inventory,
    Membership(MembershipAction),
}

impl CartItemInput {
    /// What of a membership stands elsewhere than in the info of this line, of which this is the pointer.
    fn moved(&self, line: &str) -> Vec<MovedField> {
        let info = match &self.membership_info {
            Field::Value(info) => Some(info),
            Field::Absent | Field::Null | Field::Wrong => None,
        };
        sent_parts!(self).moved(line, info)
    }

    fn parse(mut self, checker: &mut Checker) -> Option<WantedLine> {
        let id = std::mem::take(&mut self.item_id);
        // An id that names no line of the cart gets a new one, and text that is no id names none.
        let id = checker.optional_id("itemId", id, |text| Ok(CartItemId::parse(text).ok())).flatten();
        let Some(kind) = self.kind(checker) else {
            self.check_common(checker);
            return None;
        };
        let wanted = match kind {
            LineKind::Event => self.parse_ticket(checker).map(Wanted::Ticket),
            LineKind::Inventory => self.parse_inventory(checker),
            LineKind::Membership(action) => {
                self.parse_membership(checker, action).map(|wanted| Wanted::Membership(Box::new(wanted)))
            }
        };
        Some(WantedLine { id, wanted: wanted? })
    }

    fn kind(&mut self, checker: &mut Checker) -> Option<LineKind> {
        const EXPECTED: &str = "must be Event (tickets), Inventory (add-ons and donations) or a membership \
                                action, such as MembershipPurchase";
        let sent = std::mem::take(&mut self.item_type);
        if !sent.is_sent() {
            if self.membership_info.is_sent() {
                return Some(LineKind::Membership(MembershipAction::Purchase));
            }
            return match (
                self.event_id.is_sent(),
                self.ticketing_type_id.is_sent(),
                self.inventory_id.is_sent(),
            ) {
                (true, true, _) | (true, false, false) | (false, true, false) => Some(LineKind::Event),
                (_, _, true) => Some(LineKind::Inventory),
                (false, false, false) => {
                    let message = "is required unless eventId, inventoryId or membershipInfo is sent";
                    checker.invalid("itemType", message);
                    None
                }
            };
        }
        let name = checker.required_text("itemType", sent, MAX_NAME_CHARS)?;
        if name.eq_ignore_ascii_case("Event") {
            Some(LineKind::Event)
        } else if name.eq_ignore_ascii_case("Inventory") {
            Some(LineKind::Inventory)
        } else if let Some(action) = MembershipAction::parse(&name) {
            Some(LineKind::Membership(action))
        } else if name.eq_ignore_ascii_case("MembershipCancel") {
            checker.invalid("itemType", "cannot be bought: memberships are cancelled in the back office");
            None
        } else {
            checker.invalid("itemType", EXPECTED);
            None
        }
    }

    /// What is wrong with a line of no known kind, in the fields that lines of every kind have.
    fn check_common(self, checker: &mut Checker) {
        read_quantity(checker, self.quantity);
        read_codes(checker, self.coupon_codes);
    }

    fn parse_ticket(self, checker: &mut Checker) -> Option<WantedTicket> {
        let instance = checker.required_id("eventId", self.event_id, InstanceId::parse);
        let ticket_type = checker.required_id("ticketingTypeId", self.ticketing_type_id, TicketTypeId::parse);
        let quantity = read_quantity(checker, self.quantity);
        let is_retail = checker.optional("isRetail", self.is_retail).unwrap_or_default();
        let ignore_entitlements =
            checker.optional("ignoreEntitlements", self.ignore_entitlements).unwrap_or_default();
        let codes = read_codes(checker, self.coupon_codes);
        let treatment = match (is_retail, codes.is_empty()) {
            (false, true) => WantedTreatment::Best,
            (false, false) => WantedTreatment::Coupons(codes),
            (true, true) => WantedTreatment::FullPrice,
            (true, false) => {
                checker.invalid("couponCodes", "must be empty on a line charged at full price");
                return None;
            }
        };
        Some(WantedTicket {
            instance: instance?,
            ticket_type: ticket_type?,
            quantity: quantity?,
            treatment,
            ignore_entitlements,
        })
    }

    fn parse_membership(self, checker: &mut Checker, action: MembershipAction) -> Option<WantedMembership> {
        read_one(checker, self.quantity, "a membership");
        let is_retail = checker.optional("isRetail", self.is_retail).unwrap_or_default();
        let coupon_codes = read_codes(checker, self.coupon_codes);
        if is_retail && !coupon_codes.is_empty() {
            checker.invalid("couponCodes", "must be empty on a line charged at full price");
        }
        let sent = [self.price_point_id, self.pricepoint_id];
        let line = LineParts {
            action,
            is_retail,
            coupon_codes,
            level: self.membership_category_id,
            offering: self.membership_offering_id,
            price_point: checker.either(["pricePointId", "pricepointId"], sent),
            membership_id: self.membership_id,
            cards: sent_cards(self.membership_cards, self.cards, self.cardholders),
        };
        if !self.membership_info.is_sent() && line.names_plan() {
            return line.parse(checker, None);
        }
        let info = checker.required("membershipInfo", self.membership_info)?;
        line.parse(checker, Some(info))
    }

    fn parse_inventory(self, checker: &mut Checker) -> Option<Wanted> {
        let inventory = match self.inventory_id {
            Field::Absent | Field::Null => {
                checker.missing_id("inventoryId");
                None
            }
            sent @ (Field::Value(_) | Field::Wrong) => {
                checker.optional_number_id("inventoryId", sent, InventoryId::parse)
            }
        };
        if !read_codes(checker, self.coupon_codes).is_empty() {
            checker.invalid("couponCodes", "apply to event tickets and memberships only");
        }
        let kind = checker.either_word(["type", "addonType"], [self.donation_type, self.addon_type]);
        let Some(kind) = read_inventory_kind(checker, kind) else {
            read_quantity(checker, self.quantity);
            return None;
        };
        match kind {
            InventoryKind::AddOn | InventoryKind::MembershipCardReplacement => {
                let instance = checker.optional_id("eventId", self.event_id, InstanceId::parse);
                let quantity = read_quantity(checker, self.quantity);
                Some(Wanted::AddOn(WantedAddOn { inventory: inventory?, instance, quantity: quantity? }))
            }
            kind @ (InventoryKind::FixedDonation | InventoryKind::Donation) => {
                read_one(checker, self.quantity, "a donation");
                let gift = if kind == InventoryKind::Donation {
                    read_gift(checker, self.unit_price).map(Gift::Chosen)
                } else {
                    Some(Gift::Fixed)
                };
                let detail = checker
                    .object("donationDetail", self.donation_detail, |checker, detail| detail.parse(checker))
                    .unwrap_or_default();
                let donation = WantedDonation { inventory: inventory?, gift: gift?, detail };
                Some(Wanted::Donation(Box::new(donation)))
            }
        }
    }
}

/// A line without a type is an add-on; the catalog's own names are understood in any case.
fn read_inventory_kind(checker: &mut Checker, field: Field<String>) -> Option<InventoryKind> {
    if let Field::Wrong = field {
        checker.optional("type", field);
        return None;
    }
    let Some(name) = checker.optional_text("type", field, MAX_NAME_CHARS) else {
        return Some(InventoryKind::AddOn);
    };
    let known = [
        ("fixedDonation", InventoryKind::FixedDonation),
        ("donation", InventoryKind::Donation),
        ("addOn", InventoryKind::AddOn),
        ("membershipCardReplacement", InventoryKind::MembershipCardReplacement),
    ];
    let kind = known.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(&name)).map(|(_, kind)| kind);
    if kind.is_none() {
        checker.invalid("type", "must be fixedDonation or donation");
    }
    kind
}

/// Codes without surrounding white space, each once.
fn read_codes(checker: &mut Checker, field: Field<List<String>>) -> Vec<String> {
    let sent = checker.optional("couponCodes", field).map(|list| list.0).unwrap_or_default();
    if sent.len() > MAX_CODES {
        checker.too_many("couponCodes", MAX_CODES);
        return Vec::new();
    }
    checker.within("couponCodes", |checker| {
        let mut codes: Vec<String> = Vec::with_capacity(sent.len());
        for (index, element) in sent.into_iter().enumerate() {
            let code = checker.required_text(&index.to_string(), element, MAX_CODE_CHARS);
            codes.extend(code.filter(|code| !codes.contains(code)));
        }
        codes
    })
}
