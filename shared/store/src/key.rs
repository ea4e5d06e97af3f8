//! Tables and keys. Every key shape of Boxoffice is in this file, and every partition but that of an API
//! key, that of an origin and the list of tenants starts with the tenant, so that an unscoped read cannot be written.

mod doors;
mod partitions;
mod pointers;

pub(crate) use doors::*;
pub use partitions::*;
pub(crate) use pointers::*;

use crate::Item;
use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    BoardingRefId, CardId, CartId, ComboTemplateId, CouponId, CustomerId, DiscountId, FormId, InstanceId,
    InventoryId, LevelId, MembershipId, Mid, OrderId, OrderNumber, ReservationId, SaleId, StaffId,
    TemplateId, TenantId, TicketTypeId, Timestamp, instance_id::TemplateTag,
};
use domain::{entitlement::Tally, outbox::MailKind, rate_limit::Window};

/// The six tables (architecture: storage); their physical names have a prefix in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Tenants, API keys, templates, prices, inventory, coupons, membership levels.
    Catalog,
    /// Carts, idempotency records, duplicate-card guards, counts of requests; all expire.
    Carts,
    /// Capacity ledgers and reservations.
    Reservations,
    /// Orders, tickets, mails to send.
    Orders,
    /// Customers, memberships, cards.
    Members,
    /// Merchants, their applications, rate cards, sales.
    Merchants,
}

impl Table {
    /// All six.
    pub const ALL: [Self; 6] =
        [Self::Catalog, Self::Carts, Self::Reservations, Self::Orders, Self::Members, Self::Merchants];

    /// The name without the prefix.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Carts => "carts",
            Self::Reservations => "reservations",
            Self::Orders => "orders",
            Self::Members => "members",
            Self::Merchants => "merchants",
        }
    }
}

/// Where an item lives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub table: Table,
    /// Partition key.
    pub pk: String,
    /// Sort key.
    pub sk: String,
}

impl Key {
    fn of(table: Table, tenant: TenantId, partition: impl AsRef<str>, sk: impl Into<String>) -> Self {
        Self { table, pk: partition_of(tenant, partition.as_ref()), sk: sk.into() }
    }

    pub(crate) fn attributes(&self) -> Item {
        Item::from([
            ("pk".to_owned(), AttributeValue::S(self.pk.clone())),
            ("sk".to_owned(), AttributeValue::S(self.sk.clone())),
        ])
    }

    /// A tenant's settings.
    #[must_use]
    pub fn tenant(tenant: TenantId) -> Self {
        Self::of(Table::Catalog, tenant, "TENANT", "TENANT")
    }

    /// The mark that a tenant exists, for what is done to all tenants.
    #[must_use]
    pub fn tenant_mark(tenant: TenantId) -> Self {
        Self { table: Table::Catalog, pk: TENANTS.to_owned(), sk: format!("T#{tenant}") }
    }

    /// The mark that a tenant has a key, by the SHA-256 of its text, so that its keys can be listed.
    #[must_use]
    pub fn api_key_mark(tenant: TenantId, hash: &str) -> Self {
        Self::of(Table::Catalog, tenant, API_KEYS, hash)
    }

    /// An API or payment key, by the SHA-256 of its text. The tenant follows from it.
    #[must_use]
    pub fn api_key(hash: &str) -> Self {
        Self { table: Table::Catalog, pk: format!("KEY#{hash}"), sk: "KEY".to_owned() }
    }

    /// The mark that a tenant allows an origin; preflight requests, which carry no key, look for it.
    #[must_use]
    pub fn origin(origin: &str, tenant: TenantId) -> Self {
        Self { table: Table::Catalog, pk: origin_partition(origin), sk: format!("T#{tenant}") }
    }

    /// An event template.
    #[must_use]
    pub fn template(tenant: TenantId, id: &TemplateId) -> Self {
        Self::of(Table::Catalog, tenant, TEMPLATES, id.as_str())
    }

    /// How far the slots of a template have come.
    #[must_use]
    pub fn generation(tenant: TenantId, template: &TemplateId) -> Self {
        Self::of(Table::Catalog, tenant, GENERATIONS, template.as_str())
    }

    /// How far slots of a template lie from where their schedule put them.
    #[must_use]
    pub fn slot_reach(tenant: TenantId, template: &TemplateId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("REACH#{template}"))
    }

    /// The entitlement rules and ticket limits of a template.
    #[must_use]
    pub fn entitlements(tenant: TenantId, template: &TemplateId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("ENTITLEMENTS#{template}"))
    }

    /// A person type (ticket type, price point).
    #[must_use]
    pub fn person_type(tenant: TenantId, id: &TicketTypeId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("PERSONTYPE#{id}"))
    }

    /// An add-on or donation.
    #[must_use]
    pub fn inventory(tenant: TenantId, id: InventoryId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("INVENTORY#{id}"))
    }

    /// A coupon.
    #[must_use]
    pub fn coupon(tenant: TenantId, id: &CouponId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("COUPON#{id}"))
    }

    /// The mark that a coupon has this code, as [`domain::coupon::Coupon::folded_code`] writes it.
    #[must_use]
    pub fn coupon_code(tenant: TenantId, folded_code: &str) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("COUPONCODE#{folded_code}"))
    }

    /// A discount.
    #[must_use]
    pub fn discount(tenant: TenantId, id: &DiscountId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("DISCOUNT#{id}"))
    }

    /// A combo.
    #[must_use]
    pub fn combo(tenant: TenantId, id: &ComboTemplateId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("COMBO#{id}"))
    }

    /// A form.
    #[must_use]
    pub fn form(tenant: TenantId, id: &FormId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("FORM#{id}"))
    }

    /// A membership level with its offerings.
    #[must_use]
    pub fn level(tenant: TenantId, id: &LevelId) -> Self {
        Self::of(Table::Catalog, tenant, DEFINITIONS, format!("LEVEL#{id}"))
    }

    /// A change of a tenant's settings or keys, by when it was made and the name of the attempt.
    #[must_use]
    pub fn settings_change(tenant: TenantId, at: Timestamp, attempt: &str) -> Self {
        Self::of(Table::Catalog, tenant, SETTINGS_HISTORY, format!("{:013}#{attempt}", at.timestamp_millis()))
    }

    /// A person of the staff.
    #[must_use]
    pub fn staff(tenant: TenantId, id: &StaffId) -> Self {
        Self::of(Table::Catalog, tenant, STAFF, id.as_str())
    }

    /// The mark that a person of the staff has an e-mail address, by the SHA-256 of it.
    #[must_use]
    pub fn staff_email(tenant: TenantId, hash: &str) -> Self {
        Self::of(Table::Catalog, tenant, format!("STAFFEMAIL#{hash}"), "STAFFEMAIL")
    }

    /// A session of a person of the staff, by the SHA-256 of its text.
    #[must_use]
    pub fn staff_session(tenant: TenantId, person: &StaffId, hash: &str) -> Self {
        Self::of(Table::Catalog, tenant, staff_sessions(person), hash)
    }

    /// A cart.
    #[must_use]
    pub fn cart(tenant: TenantId, id: &CartId) -> Self {
        Self::of(Table::Carts, tenant, format!("CART#{id}"), "CART")
    }

    /// A request to log in, by the SHA-256 of what names it within its link.
    #[must_use]
    pub fn login(tenant: TenantId, hash: &str) -> Self {
        Self::of(Table::Carts, tenant, format!("LOGIN#{hash}"), "LOGIN")
    }

    /// How often something was asked for in a window of time, by the SHA-256 of the limit and of who asked.
    #[must_use]
    pub fn rate(tenant: TenantId, hash: &str, window: Window) -> Self {
        Self::of(Table::Carts, tenant, format!("RATE#{hash}"), sortable_secs(window.starts_at))
    }

    /// What a request with an idempotency key did, by the SHA-256 of that key.
    #[must_use]
    pub fn idempotency(tenant: TenantId, hash: &str) -> Self {
        Self::of(Table::Carts, tenant, format!("IDEMPOTENCY#{hash}"), "IDEMPOTENCY")
    }

    /// The mark that a card is being or was charged an exact amount, by the keyed hash of both.
    #[must_use]
    pub fn duplicate_guard(tenant: TenantId, hash: &str) -> Self {
        Self::of(Table::Carts, tenant, format!("GUARD#{hash}"), "GUARD")
    }

    /// The capacity ledger of an instance's shard. It follows from the id alone, so that no read is needed
    /// to find it.
    #[must_use]
    pub fn ledger(tenant: TenantId, id: &InstanceId, shard: u32) -> Self {
        Self::of(
            Table::Reservations,
            tenant,
            slots(id.template_tag()),
            format!("{}#{id}#{shard}", sortable_secs(id.start().timestamp())),
        )
    }

    /// A reservation.
    #[must_use]
    pub fn reservation(tenant: TenantId, id: ReservationId) -> Self {
        Self::of(Table::Reservations, tenant, format!("RESERVATION#{id}"), "RESERVATION")
    }

    /// An order; its tickets and mails share the partition.
    #[must_use]
    pub fn order(tenant: TenantId, id: &OrderId) -> Self {
        Self::of(Table::Orders, tenant, order_partition(id), "ORDER")
    }

    /// A chunk of an order's tickets.
    #[must_use]
    pub fn tickets(tenant: TenantId, id: &OrderId, chunk: usize) -> Self {
        Self::of(Table::Orders, tenant, order_partition(id), format!("TICKETS#{chunk:03}"))
    }

    /// A mail of an order that is to be sent.
    #[must_use]
    pub fn outbox(tenant: TenantId, id: &OrderId, kind: MailKind) -> Self {
        Self::of(Table::Orders, tenant, order_partition(id), format!("OUTBOX#{kind}"))
    }

    /// The guard that an order number is used once per tenant.
    #[must_use]
    pub fn order_number(tenant: TenantId, number: &OrderNumber) -> Self {
        Self::of(Table::Orders, tenant, format!("NUMBER#{number}"), "NUMBER")
    }

    /// How many receipts of a year have a number.
    #[must_use]
    pub fn receipts(tenant: TenantId, year: i32) -> Self {
        Self::of(Table::Orders, tenant, format!("RECEIPTS#{year}"), "RECEIPTS")
    }

    /// An order found by a contact detail (`kind` is `EMAIL` or `PHONE`), by the SHA-256 of that detail. The
    /// orders of a contact lie in the order of their creation.
    #[must_use]
    pub fn order_contact(
        tenant: TenantId,
        kind: &str,
        hash: &str,
        created_at: Timestamp,
        order: &OrderId,
    ) -> Self {
        let millis = created_at.timestamp_millis().max(0);
        Self::of(Table::Orders, tenant, format!("{kind}#{hash}"), format!("{millis:015}#{order}"))
    }

    /// A delivery of the sandbox's mail, by the time and a name of its own.
    #[must_use]
    pub fn sandbox_mail(tenant: TenantId, delivery: &str) -> Self {
        Self::of(Table::Orders, tenant, SANDBOX_MAILS, delivery)
    }

    /// A piece of the message of a delivery of the sandbox's mail.
    #[must_use]
    pub fn sandbox_mail_piece(tenant: TenantId, delivery: &str, piece: usize) -> Self {
        Self::of(Table::Orders, tenant, format!("{SANDBOX_MAILS}#{delivery}"), format!("{piece:03}"))
    }

    /// A customer.
    #[must_use]
    pub fn customer(tenant: TenantId, id: CustomerId) -> Self {
        Self::of(Table::Members, tenant, format!("CUSTOMER#{id}"), "CUSTOMER")
    }

    /// A membership.
    #[must_use]
    pub fn membership(tenant: TenantId, id: MembershipId) -> Self {
        Self::of(Table::Members, tenant, format!("MEMBERSHIP#{id}"), "MEMBERSHIP")
    }

    /// The current membership of a membership number, a copy of it: so that one read finds it by either.
    #[must_use]
    pub fn membership_number(tenant: TenantId, number: MembershipId) -> Self {
        Self::of(Table::Members, tenant, format!("NUMBER#{number}"), "NUMBER")
    }

    /// The membership the venue knows by a number of its own, or by a card's barcode, by the SHA-256 of that; a
    /// copy of it.
    #[must_use]
    pub fn membership_named(tenant: TenantId, kind: &str, hash: &str) -> Self {
        Self::of(Table::Members, tenant, format!("{kind}#{hash}"), kind)
    }

    /// A membership of which someone with an e-mail address holds a card, by the SHA-256 of the address.
    #[must_use]
    pub fn membership_of_email(tenant: TenantId, hash: &str, id: MembershipId) -> Self {
        Self::of(Table::Members, tenant, email(hash), id.to_string())
    }

    /// A membership of which someone with a phone number holds a card, by the SHA-256 of its digits.
    #[must_use]
    pub fn membership_of_phone(tenant: TenantId, hash: &str, id: MembershipId) -> Self {
        Self::of(Table::Members, tenant, phone(hash), id.to_string())
    }

    /// The membership that a card is of.
    #[must_use]
    pub fn member_card(tenant: TenantId, id: CardId) -> Self {
        Self::of(Table::Members, tenant, format!("CARD#{id}"), "CARD")
    }

    /// How often a coupon was used.
    #[must_use]
    pub fn coupon_uses(tenant: TenantId, id: &CouponId) -> Self {
        Self::of(Table::Members, tenant, format!("COUPON#{id}"), "USES")
    }

    /// How many units of an add-on were sold.
    #[must_use]
    pub fn units_sold(tenant: TenantId, id: InventoryId) -> Self {
        Self::of(Table::Members, tenant, format!("INVENTORY#{id}"), "SOLD")
    }

    /// What a membership number used of the rules of a template in a period.
    #[must_use]
    pub fn tally(tenant: TenantId, Tally { number, template, period }: &Tally) -> Self {
        Self::of(Table::Members, tenant, format!("NUMBER#{number}"), format!("USES#{template}#{period}"))
    }

    /// What lists look at of a membership. The memberships of a tenant lie in the order of their last change;
    /// before them all, in the order of their ids, those of which it was never noted.
    #[must_use]
    pub fn membership_listed(tenant: TenantId, updated_at: Timestamp, id: MembershipId) -> Self {
        let id = format!("{:016}", id.get());
        let place =
            if updated_at == Timestamp::UNIX_EPOCH { id } else { format!("{}{id}", changed(updated_at)) };
        Self::of(Table::Members, tenant, MEMBERSHIPS, place)
    }

    /// A customer whom someone with an e-mail address is, by the SHA-256 of the address.
    #[must_use]
    pub fn customer_of_email(tenant: TenantId, hash: &str, id: CustomerId) -> Self {
        Self::of(Table::Members, tenant, customers_of_email(hash), id.to_string())
    }

    /// The customer that fully populated data means, by the SHA-256 of what it is compared by.
    #[must_use]
    pub fn customer_match(tenant: TenantId, hash: &str) -> Self {
        Self::of(Table::Members, tenant, format!("CUSTOMERMATCH#{hash}"), "MATCH")
    }

    /// A merchant.
    #[must_use]
    pub fn merchant(tenant: TenantId, mid: &Mid) -> Self {
        Self::of(Table::Merchants, tenant, "MERCHANTS", mid.as_str())
    }

    /// The mark that a merchant has a rate card, or had one.
    #[must_use]
    pub fn priced_merchant(tenant: TenantId, mid: &Mid) -> Self {
        Self::of(Table::Merchants, tenant, PRICED_MERCHANTS, mid.as_str())
    }

    /// The application of a merchant, by the name its partner gave it.
    #[must_use]
    pub fn boarding(tenant: TenantId, reference: &BoardingRefId) -> Self {
        Self::of(Table::Merchants, tenant, format!("ONBOARD#{reference}"), "APPLICATION")
    }

    /// A captured sale.
    #[must_use]
    pub fn sale(tenant: TenantId, id: &SaleId) -> Self {
        Self::of(Table::Merchants, tenant, format!("SALE#{id}"), "SALE")
    }

    /// A payment the sandbox processor knows.
    #[must_use]
    pub fn sandbox_payment(tenant: TenantId, reference: &str) -> Self {
        Self::of(Table::Merchants, tenant, "SANDBOX#PAYMENT", reference)
    }
}

/// Sort keys under which all templates of a tenant lie.
const TEMPLATES: &str = "TEMPLATES";
/// Partition of the records of how far the slots of a tenant's templates have come.
const GENERATIONS: &str = "GENERATIONS";
/// Partition of the small definitions of a tenant, which are read together and cached.
const DEFINITIONS: &str = "DEFINITIONS";
/// Partition of the list of tenants.
const TENANTS: &str = "TENANTS";
/// Partition of the list of a tenant's keys.
const API_KEYS: &str = "KEYS";
/// Partition of the history of a tenant's settings and keys.
const SETTINGS_HISTORY: &str = "SETTINGSHISTORY";
/// Partition of a tenant's staff.
const STAFF: &str = "STAFF";
/// Partition of the list of a tenant's memberships.
const MEMBERSHIPS: &str = "MEMBERSHIPS";
/// Partition of the marks of a tenant's merchants that have a rate card.
const PRICED_MERCHANTS: &str = "PRICED";
/// Partition of the mails the sandbox delivered.
const SANDBOX_MAILS: &str = "SANDBOX#MAIL";

fn staff_sessions(person: &StaffId) -> String {
    format!("STAFFSESSIONS#{person}")
}

fn order_partition(id: &OrderId) -> String {
    format!("ORDER#{id}")
}

fn email(hash: &str) -> String {
    format!("EMAIL#{hash}")
}

fn phone(hash: &str) -> String {
    format!("PHONE#{hash}")
}

fn customers_of_email(hash: &str) -> String {
    format!("CUSTOMEREMAIL#{hash}")
}

/// How the places of memberships begin that were changed in a millisecond.
fn changed(at: Timestamp) -> String {
    format!("C#{:015}#", at.timestamp_millis().max(0))
}

fn slots(tag: TemplateTag) -> String {
    format!("SLOTS#{tag}")
}

/// Seconds since 1970 as ten digits, so that text order is time order.
#[must_use]
pub fn sortable_secs(secs: i64) -> String {
    format!("{:010}", secs.max(0))
}
