//! The import document: one JSON object in which an operator writes what a tenant sells. It is read record
//! by record; a record with a fault is left out whole, and every fault is reported with its JSON pointer.

mod discount;
mod identity;
mod inventory;
mod membership;

pub use discount::{CouponInput, DiscountInput};
pub use identity::{ApiKeyInput, ApiKeyRecord, DEMO_PREFIX, MerchantInput, TenantInput, TenantRecord};
pub use inventory::InventoryInput;
pub use membership::{LevelInput, MemberInput, MemberRecord, OfferingInput};

use crate::event::{PersonTypeInput, TemplateContext, TemplateInput};
use crate::{Checker, Field, FieldError, List, Malformed, Rejection, WireValue, incoming, read_body};
use domain::catalog::{InventoryItem, PersonType, Template};
use domain::coupon::{Coupon, Discount};
use domain::customer::Customer;
use domain::membership::{Level, Membership};
use domain::merchant::Merchant;
use domain::{InventoryId, TicketTypeId, Timestamp, Zone};
use std::collections::BTreeSet;

incoming! {
    /// What an operator writes; every section may be left out but the tenant.
    pub struct ImportInput {
        tenant: TenantInput,
        api_keys: Vec<ApiKeyInput>,
        merchants: Vec<MerchantInput>,
        person_types: Vec<PersonTypeInput>,
        event_templates: Vec<TemplateInput>,
        inventory: Vec<InventoryInput>,
        discounts: Vec<DiscountInput>,
        coupons: Vec<CouponInput>,
        membership_levels: Vec<LevelInput>,
        members: Vec<MemberInput>,
    }
}

/// A record that was left out, with everything wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFault {
    /// JSON pointer of the record.
    pub record: String,
    /// The id it gives itself.
    pub id: Option<String>,
    /// Its faults.
    pub errors: Vec<FieldError>,
}

/// What must be known before the records can be read.
#[derive(Debug, Clone)]
pub struct ImportContext {
    /// The tenant's zone.
    pub zone: Zone,
    /// The moment of the import.
    pub now: Timestamp,
    /// Ticket types the tenant has already.
    pub ticket_types: BTreeSet<TicketTypeId>,
    /// Add-ons and donations the tenant has already.
    pub inventory: BTreeSet<InventoryId>,
}

/// The records of a document that can be stored, and the faults of the others.
#[derive(Debug, Clone, Default)]
pub struct ImportRecords {
    /// Keys.
    pub api_keys: Vec<ApiKeyRecord>,
    /// Merchants.
    pub merchants: Vec<Merchant>,
    /// Ticket types.
    pub person_types: Vec<PersonType>,
    /// Add-ons and donations.
    pub inventory: Vec<InventoryItem>,
    /// Discounts.
    pub discounts: Vec<Discount>,
    /// Coupons.
    pub coupons: Vec<Coupon>,
    /// Membership levels with their offerings.
    pub levels: Vec<Level>,
    /// The customers that members are.
    pub customers: Vec<Customer>,
    /// Memberships with their cards.
    pub memberships: Vec<Membership>,
    /// Event templates.
    pub templates: Vec<Template>,
    /// Records that were left out.
    pub faults: Vec<RecordFault>,
}

/// Reads the outer shape of a document.
///
/// # Errors
/// [`Malformed`] when it is no JSON object.
pub fn read_document(text: &str) -> Result<ImportInput, Malformed> {
    read_body(text.as_bytes())
}

impl ImportInput {
    /// Takes the tenant out of the document.
    ///
    /// # Errors
    /// [`RecordFault`] with everything wrong with it.
    pub fn take_tenant(&mut self) -> Result<TenantRecord, RecordFault> {
        let mut checker = Checker::new();
        let record = match std::mem::take(&mut self.tenant) {
            Field::Absent | Field::Null => {
                checker.invalid("tenant", "is required");
                None
            }
            field @ (Field::Value(_) | Field::Wrong) => {
                checker.object("tenant", field, |checker, input| input.read(checker)).flatten()
            }
        };
        checker.finish(record).map_err(|rejection| fault("/tenant".to_owned(), None, rejection))
    }

    /// Reads every record. Ticket types and inventory come first, since the others refer to them.
    #[must_use]
    pub fn read(self, context: ImportContext) -> ImportRecords {
        let ImportContext { zone, now, mut ticket_types, mut inventory } = context;
        let mut faults = Vec::new();
        let person_types = section(&mut faults, "personTypes", self.person_types, PersonTypeInput::read);
        ticket_types.extend(person_types.iter().map(|found| found.id.clone()));
        let items = section(&mut faults, "inventory", self.inventory, InventoryInput::read);
        inventory.extend(items.iter().map(|found| found.id));
        let context = TemplateContext { zone, now, ticket_types: &ticket_types, inventory: &inventory };
        let types = &ticket_types;
        let mut memberships = Vec::new();
        let customers = section(&mut faults, "members", self.members, |input, checker| {
            let MemberRecord { membership, customer } = input.read(checker, zone)?;
            membership::gather(checker, &mut memberships, membership);
            Some(customer)
        });
        let customers = customers.into_iter().flatten().collect();
        ImportRecords {
            api_keys: section(&mut faults, "apiKeys", self.api_keys, ApiKeyInput::read),
            merchants: section(&mut faults, "merchants", self.merchants, MerchantInput::read),
            discounts: section(&mut faults, "discounts", self.discounts, |input, checker| {
                input.read(checker, types)
            }),
            coupons: section(&mut faults, "coupons", self.coupons, |input, checker| {
                input.read(checker, zone)
            }),
            levels: section(&mut faults, "membershipLevels", self.membership_levels, |input, checker| {
                input.read(checker, (zone, types))
            }),
            customers,
            memberships,
            templates: section(&mut faults, "eventTemplates", self.event_templates, |input, checker| {
                input.read(checker, context)
            }),
            person_types,
            inventory: items,
            faults,
        }
    }
}

/// A record that can name itself in a report, faulty or not.
pub(crate) trait Named {
    /// The id as it was sent.
    fn sent_id(&self) -> Option<String>;
}

macro_rules! named {
    ($($input:ty: $field:ident;)*) => {$(
        impl Named for $input {
            fn sent_id(&self) -> Option<String> {
                self.$field.clone().value().map(|id| id.to_string())
            }
        }
    )*};
}

named! {
    MerchantInput: mid;
    PersonTypeInput: id;
    TemplateInput: id;
    InventoryInput: id;
    DiscountInput: id;
    CouponInput: id;
    LevelInput: id;
    MemberInput: id;
}

/// Keys are never shown; their label names them.
impl Named for ApiKeyInput {
    fn sent_id(&self) -> Option<String> {
        self.label.clone().value()
    }
}

/// Reads the records of one section; those with faults are left out and reported.
fn section<T: WireValue + Named, R>(
    faults: &mut Vec<RecordFault>,
    name: &str,
    field: Field<List<T>>,
    mut read: impl FnMut(T, &mut Checker) -> Option<R>,
) -> Vec<R> {
    let mut checker = Checker::new();
    let list = checker.optional(name, field);
    if let Err(rejection) = checker.finish(Some(())) {
        faults.push(fault(format!("/{name}"), None, rejection));
    }
    let mut records = Vec::new();
    for (index, element) in list.map(|list| list.0).unwrap_or_default().into_iter().enumerate() {
        let pointer = format!("{name}/{index}");
        let mut checker = Checker::new();
        let (id, record) = match element {
            Field::Value(value) => {
                (value.sent_id(), checker.within(&pointer, |checker| read(value, checker)))
            }
            Field::Absent | Field::Null | Field::Wrong => {
                checker.invalid(&pointer, "must be an object");
                (None, None)
            }
        };
        match checker.finish(record) {
            Ok(record) => records.push(record),
            Err(rejection) => faults.push(fault(format!("/{pointer}"), id, rejection)),
        }
    }
    records
}

fn fault(record: String, id: Option<String>, rejection: Rejection) -> RecordFault {
    RecordFault { record, id, errors: rejection.details().to_vec() }
}
