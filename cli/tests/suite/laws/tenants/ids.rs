//! Which ids can be sent, and what each of them names.

use crate::laws::support::NOTHING;
use serde_json::{Value, json};

/// What an id names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Cart,
    Line,
    Reservation,
    ReservationItem,
    /// A reservation that a storefront made.
    HeldSeats,
    Order,
    Instance,
    Template,
    TicketType,
    Inventory,
    Discount,
    PriceList,
    Coupon,
    Form,
    Level,
    Offering,
    Membership,
    Card,
    Customer,
    Combo,
    Delivery,
    /// The application of a merchant.
    Application,
    /// One that is paid.
    Merchant,
    Sale,
    OrderItem,
    Ticket,
    /// An answered form.
    Response,
    StaffMember,
    ApiKey,
    /// The same for everybody.
    Common,
}

/// The parameter of every path that has one.
pub(crate) const PATHS: [(&str, Kind); 54] = [
    ("/docs/{file}", Kind::Common),
    ("/sandbox/outbox/{deliveryId}", Kind::Delivery),
    ("/v1/b2b/discounts/{id}/price/list/{priceListId}", Kind::Discount),
    ("/v1/b2b/membership/cards/{id}", Kind::Card),
    ("/v1/payment/onboard/{boardingRefId}", Kind::Application),
    ("/v1/payment/{mid}/refund", Kind::Merchant),
    ("/v1/payment/{mid}/refund/preview", Kind::Merchant),
    ("/v2/b2b/admissions/events/{eventId}", Kind::Instance),
    ("/v2/b2b/admissions/orders/{orderId}", Kind::Order),
    ("/v2/b2b/combos/{id}", Kind::Combo),
    ("/v2/b2b/coupons/{id}", Kind::Coupon),
    ("/v2/b2b/customers/{id}", Kind::Customer),
    ("/v2/b2b/discounts/{id}", Kind::Discount),
    ("/v2/b2b/discounts/{id}/price/list/{priceListId}", Kind::Discount),
    ("/v2/b2b/event/instances/{id}", Kind::Instance),
    ("/v2/b2b/event/instances/{id}/manifest", Kind::Instance),
    ("/v2/b2b/event/templates/{id}", Kind::Template),
    ("/v2/b2b/event/templates/{id}/instances", Kind::Template),
    ("/v2/b2b/event/templates/{id}/entitlements", Kind::Template),
    // Who it is for, a message says by its signature.
    ("/v1/payment/webhooks/stripe/{tenantId}", Kind::Common),
    ("/v2/b2b/forms/{id}", Kind::Form),
    ("/v2/b2b/addons/{id}", Kind::Inventory),
    ("/v2/b2b/inventory/{id}", Kind::Inventory),
    ("/v2/b2b/keys/{id}", Kind::ApiKey),
    ("/v2/b2b/locations/states/{country}", Kind::Common),
    ("/v2/b2b/membership/cards/{id}", Kind::Card),
    ("/v2/b2b/membership/levels/{id}", Kind::Level),
    ("/v2/b2b/membership/levels/{levelId}/membershipofferings", Kind::Level),
    ("/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}", Kind::Level),
    ("/v2/b2b/memberships/{id}", Kind::Membership),
    ("/v2/b2b/memberships/{id}/cards/{cardId}", Kind::Membership),
    ("/v2/b2b/orders/detail/{orderId}", Kind::Order),
    ("/v2/b2b/orders/event/{eventId}", Kind::Instance),
    ("/v2/b2b/orders/{orderId}", Kind::Order),
    ("/v2/b2b/orders/{orderNumber}/email", Kind::Order),
    ("/v2/b2b/persontypes/{id}", Kind::TicketType),
    ("/v2/b2b/reservations/{id}", Kind::Reservation),
    ("/v2/b2b/staff/{id}", Kind::StaffMember),
    ("/v2/b2b/staff/{id}/sessions", Kind::StaffMember),
    ("/v2/b2b/willcall/orders/{orderId}", Kind::Order),
    ("/v2/b2c/checkout/{orderId}/complete", Kind::Order),
    ("/v2/b2c/carts/{id}", Kind::Cart),
    // Its second parameter names a part of the cart, and is looked for there alone.
    ("/v2/b2c/carts/{id}/forms/{formResponseId}", Kind::Cart),
    ("/v2/b2c/event/templates/{templateId}", Kind::Template),
    ("/v2/b2c/event/templates/{templateId}/calendar", Kind::Template),
    ("/v2/b2c/event/templates/{templateId}/instances", Kind::Template),
    ("/v2/b2c/event/templates/{templateId}/times", Kind::Template),
    ("/v2/b2c/events/{instanceId}", Kind::Instance),
    ("/v2/b2c/events/{templateId}/nextAvailable", Kind::Template),
    ("/v2/b2c/forms/responses/{id}", Kind::Response),
    ("/v2/b2c/locations/states/{country}", Kind::Common),
    ("/v2/b2c/orders/event/{eventId}", Kind::Instance),
    ("/v2/b2c/orders/{id}", Kind::Order),
    ("/v2/b2c/reservations/{id}", Kind::HeldSeats),
];

/// The second parameter of every path that has two.
pub(crate) const SECOND: [(&str, Kind); 4] = [
    ("/v1/b2b/discounts/{id}/price/list/{priceListId}", Kind::PriceList),
    ("/v2/b2b/discounts/{id}/price/list/{priceListId}", Kind::PriceList),
    ("/v2/b2b/membership/levels/{levelId}/membershipofferings/{membershipOfferingId}", Kind::Offering),
    ("/v2/b2b/memberships/{id}/cards/{cardId}", Kind::Card),
];

/// Where an unknown id is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Everywhere,
    Nowhere,
}

/// The ids of every body.
pub(crate) const FIELDS: [(&str, Kind, Refused); 117] = [
    ("OrderRefundInput.orderId", Kind::Order, Refused::Everywhere),
    ("OrderRefundItemInput.itemId", Kind::OrderItem, Refused::Everywhere),
    ("OrderRefundItemInput.ticketIds", Kind::Ticket, Refused::Everywhere),
    ("GivenRefundInput.orderId", Kind::Order, Refused::Everywhere),
    ("GivenRefundItemInput.orderItemId", Kind::OrderItem, Refused::Everywhere),
    ("OrderUpdateInput.orderId", Kind::Order, Refused::Everywhere),
    ("OrderUpdateItemInput.orderItemId", Kind::OrderItem, Refused::Everywhere),
    ("RebookInput.orderId", Kind::Order, Refused::Everywhere),
    ("RebookItemInput.orderItemId", Kind::OrderItem, Refused::Everywhere),
    ("RebookItemInput.rebookToEventId", Kind::Instance, Refused::Everywhere),
    ("ExchangeInput.orderId", Kind::Order, Refused::Everywhere),
    ("ExchangeInput.itemId", Kind::OrderItem, Refused::Everywhere),
    ("ExchangeInput.ticketIds", Kind::Ticket, Refused::Everywhere),
    ("ExchangeInput.eventId", Kind::Instance, Refused::Everywhere),
    ("AdmissionInput.eventId", Kind::Instance, Refused::Everywhere),
    ("AdmissionOrderInput.orderId", Kind::Order, Refused::Everywhere),
    ("AdmissionItemInput.orderItemId", Kind::OrderItem, Refused::Everywhere),
    // One stale id keeps nobody out: at a door, a ticket that is not there is a result of its own.
    ("AdmissionTicketInput.orderId", Kind::Order, Refused::Nowhere),
    ("AdmissionTicketInput.ticketId", Kind::Ticket, Refused::Nowhere),
    ("AdmissionInput.cardId", Kind::Card, Refused::Nowhere),
    // What happened while a device was offline is noted as far as it is known.
    ("UploadedScanInput.orderId", Kind::Order, Refused::Nowhere),
    ("UploadedScanInput.ticketId", Kind::Ticket, Refused::Nowhere),
    ("UploadedScanInput.eventId", Kind::Instance, Refused::Nowhere),
    // A device names itself and its scans.
    ("UploadedScanInput.scanId", Kind::Common, Refused::Nowhere),
    ("ScanUploadInput.terminalId", Kind::Common, Refused::Nowhere),
    ("AdmissionInput.terminalId", Kind::Common, Refused::Nowhere),
    ("UndoAdmissionsInput.terminalId", Kind::Common, Refused::Nowhere),
    ("BarcodeScanInput.terminalId", Kind::Common, Refused::Nowhere),
    ("UndoCheckInInput.terminalId", Kind::Common, Refused::Nowhere),
    ("RefundInput.saleId", Kind::Sale, Refused::Everywhere),
    // A new cart has no id yet, and one that is checked out at once never has.
    ("CartInput.id", Kind::Cart, Refused::Nowhere),
    ("CartInput.membershipIds", Kind::Membership, Refused::Everywhere),
    ("CartInput.membershipId", Kind::Membership, Refused::Everywhere),
    ("CartInput.membershipCategoryId", Kind::Level, Refused::Everywhere),
    ("CartInput.reservationId", Kind::Reservation, Refused::Everywhere),
    ("CartInput.customerId", Kind::Customer, Refused::Everywhere),
    // A line that is not in the cart is a new one.
    ("CartItemInput.itemId", Kind::Line, Refused::Nowhere),
    ("CartItemInput.eventId", Kind::Instance, Refused::Everywhere),
    ("CartItemInput.ticketingTypeId", Kind::TicketType, Refused::Everywhere),
    ("CartItemInput.inventoryId", Kind::Inventory, Refused::Everywhere),
    ("ComboItemInput.itemId", Kind::Line, Refused::Nowhere),
    ("ComboItemInput.comboTemplateId", Kind::Combo, Refused::Everywhere),
    ("ComboItemInput.ticketingTypeId", Kind::TicketType, Refused::Everywhere),
    ("ComboEventInput.eventId", Kind::Instance, Refused::Everywhere),
    ("FormAnswersInput.formId", Kind::Form, Refused::Everywhere),
    ("FormAnswersInput.eventId", Kind::Instance, Refused::Everywhere),
    // Of a line that buys no membership it says nothing.
    ("CartItemInput.membershipId", Kind::Membership, Refused::Nowhere),
    ("CartItemInput.membershipCategoryId", Kind::Level, Refused::Nowhere),
    ("CartItemInput.membershipOfferingId", Kind::Offering, Refused::Nowhere),
    ("CartItemInput.pricePointId", Kind::TicketType, Refused::Nowhere),
    ("CartItemInput.pricepointId", Kind::TicketType, Refused::Nowhere),
    ("MembershipInfoInput.membershipCategoryId", Kind::Level, Refused::Everywhere),
    ("MembershipInfoInput.membershipOfferingId", Kind::Offering, Refused::Everywhere),
    ("MembershipInfoInput.pricePointId", Kind::TicketType, Refused::Everywhere),
    // Another name of `pricePointId`, which complaints go by.
    ("MembershipInfoInput.pricepointId", Kind::TicketType, Refused::Nowhere),
    ("MembershipInfoInput.membershipId", Kind::Membership, Refused::Everywhere),
    // The number of a customer as text.
    ("MembershipCardInput.constituentImportId", Kind::Customer, Refused::Nowhere),
    ("GifterInput.customerId", Kind::Customer, Refused::Everywhere),
    ("CheckoutInput.shoppingCartId", Kind::Cart, Refused::Everywhere),
    ("CheckoutInput.reservationId", Kind::Reservation, Refused::Everywhere),
    ("ReservationItemInput.eventId", Kind::Instance, Refused::Everywhere),
    ("ReservationUpdateInput.id", Kind::Reservation, Refused::Everywhere),
    ("ReservationItemUpdateInput.id", Kind::ReservationItem, Refused::Everywhere),
    ("ReservationItemUpdateInput.reservationId", Kind::Reservation, Refused::Everywhere),
    ("ReservationItemUpdateInput.eventId", Kind::Instance, Refused::Everywhere),
    // A new record does not choose its id, and another than that of the path is a fault of its own.
    ("ComboInput.id", Kind::Combo, Refused::Nowhere),
    ("CouponInput.id", Kind::Coupon, Refused::Nowhere),
    ("DiscountInput.id", Kind::Discount, Refused::Nowhere),
    ("FormInput.id", Kind::Form, Refused::Nowhere),
    ("InventoryInput.id", Kind::Inventory, Refused::Nowhere),
    ("PersonTypeInput.id", Kind::TicketType, Refused::Nowhere),
    ("ComboInput.discountId", Kind::Discount, Refused::Everywhere),
    ("ComboPartInput.eventTemplateId", Kind::Template, Refused::Everywhere),
    // Another name of `eventTemplateId`, which complaints go by.
    ("ComboPartInput.templateId", Kind::Template, Refused::Nowhere),
    ("ComboPriceInput.personTypeId", Kind::TicketType, Refused::Everywhere),
    ("CouponInput.discountId", Kind::Discount, Refused::Everywhere),
    ("CouponInput.eventTemplateIds", Kind::Template, Refused::Everywhere),
    ("CouponInput.membershipCategoryIds", Kind::Level, Refused::Everywhere),
    ("CouponInput.personTypeIds", Kind::TicketType, Refused::Everywhere),
    ("DiscountValueInput.personTypeId", Kind::TicketType, Refused::Everywhere),
    ("InstanceInput.id", Kind::Instance, Refused::Nowhere),
    ("NamedInstanceInput.id", Kind::Instance, Refused::Everywhere),
    ("TemplateInput.id", Kind::Template, Refused::Nowhere),
    ("ReferenceInput.personType", Kind::TicketType, Refused::Everywhere),
    // Another name of `personType`, which complaints go by.
    ("ReferenceInput.pricePoint", Kind::TicketType, Refused::Nowhere),
    ("ReferenceInput.priceLists", Kind::Common, Refused::Everywhere),
    ("ReferenceInput.category", Kind::Level, Refused::Everywhere),
    ("ReferenceInput.discount", Kind::Discount, Refused::Everywhere),
    ("ReferenceInput.orderForms", Kind::Form, Refused::Everywhere),
    ("AddOnsInput.inventoryIds", Kind::Inventory, Refused::Everywhere),
    ("RecommendationInput.eventTemplateId", Kind::Template, Refused::Everywhere),
    // Another name of `eventTemplateId`, which complaints go by.
    ("RecommendationInput.templateId", Kind::Template, Refused::Nowhere),
    // The path outranks what a body says of its template.
    ("EntitlementsInput.eventTemplateId", Kind::Template, Refused::Nowhere),
    ("EntitlementsInput.templateId", Kind::Template, Refused::Nowhere),
    // A rule names itself.
    ("EntitlementRuleInput.id", Kind::Common, Refused::Nowhere),
    ("EntitlementRuleInput.levelIds", Kind::Level, Refused::Everywhere),
    ("EntitlementRuleInput.pricePointIds", Kind::TicketType, Refused::Everywhere),
    // Another name of `pricePointIds`, which complaints go by.
    ("EntitlementRuleInput.pricepointIds", Kind::TicketType, Refused::Nowhere),
    ("TypeLimitInput.personTypeId", Kind::TicketType, Refused::Everywhere),
    // Parts of a template name themselves, and what is kept for the venue names nothing of ours.
    ("PriceListInput.id", Kind::Common, Refused::Nowhere),
    ("ScheduleInput.id", Kind::Common, Refused::Nowhere),
    ("ImageInput.id", Kind::Common, Refused::Nowhere),
    ("RuleSetsInput.ruleSetIds", Kind::Common, Refused::Nowhere),
    ("EntitlementReferenceInput.id", Kind::Common, Refused::Nowhere),
    ("EntitlementReferenceInput.salesRuleSetId", Kind::Common, Refused::Nowhere),
    ("ResourceInput.resourceTemplateId", Kind::Common, Refused::Nowhere),
    ("ResourceInput.resourceId", Kind::Common, Refused::Nowhere),
    // The venue's own.
    ("MembershipInput.externalMembershipId", Kind::Common, Refused::Nowhere),
    ("MemberCardInput.id", Kind::Card, Refused::Everywhere),
    // A new level or offering does not choose its id; a change names it in the body.
    ("LevelInput.id", Kind::Level, Refused::Nowhere),
    ("OfferingInput.id", Kind::Offering, Refused::Nowhere),
    // Parts of a level name themselves, and what is kept for the venue names nothing of ours.
    ("OfferingPriceListInput.id", Kind::Common, Refused::Nowhere),
    ("BenefitInput.id", Kind::Common, Refused::Nowhere),
    ("ServiceInput.id", Kind::Common, Refused::Nowhere),
    ("LevelCollectionInput.id", Kind::Common, Refused::Nowhere),
    ("OfferingActionInput.ruleIds", Kind::Common, Refused::Nowhere),
    // A partner names what it brings, each for itself; a tax authority does.
    ("OnboardingInput.boardingRefId", Kind::Application, Refused::Nowhere),
];

/// The ids of query strings.
pub(crate) const QUERY: [(&str, Kind); 15] = [
    // A collection is nothing but its name.
    ("collectionId", Kind::Common),
    ("levelId", Kind::Level),
    ("offeringId", Kind::Offering),
    ("pricePointId", Kind::TicketType),
    ("comboTemplateId", Kind::Combo),
    ("templateId", Kind::Template),
    ("eventTemplateId", Kind::Template),
    ("memberId", Kind::Membership),
    ("membershipId", Kind::Membership),
    ("membershipCategoryId", Kind::Level),
    ("eventId", Kind::Instance),
    ("formId", Kind::Form),
    ("customerId", Kind::Customer),
    // The storefront's own names of its visitors.
    ("visitorId", Kind::Common),
    ("tempVisitorId", Kind::Common),
];

/// An id that nothing of anybody has.
pub(crate) fn unknown(kind: Kind) -> Value {
    match kind {
        Kind::Reservation
        | Kind::ReservationItem
        | Kind::HeldSeats
        | Kind::Inventory
        | Kind::Membership
        | Kind::Card
        | Kind::Customer => json!(4_503_599_627_370_001_i64),
        Kind::Line => json!(NOTHING.repeat(2)[..32]),
        Kind::Offering | Kind::Response => json!("e".repeat(32)),
        Kind::Order | Kind::OrderItem | Kind::Ticket => json!("450359962737"),
        Kind::Delivery => json!("0000000000001-z"),
        Kind::Application => json!("ffffffff-ffff-4fff-bfff-ffffffffffff"),
        Kind::Merchant => json!("99999"),
        Kind::Sale => json!("sale_ffffffff-ffff-4fff-bfff-ffffffffffff"),
        Kind::Cart
        | Kind::Instance
        | Kind::Template
        | Kind::TicketType
        | Kind::Discount
        | Kind::PriceList
        | Kind::Coupon
        | Kind::Form
        | Kind::Level
        | Kind::Combo
        | Kind::StaffMember
        | Kind::ApiKey
        | Kind::Common => json!(NOTHING),
    }
}
