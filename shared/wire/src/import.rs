//! The import document: one JSON object in which an operator writes what a tenant sells. It is read record
//! by record; a record with a fault is left out whole, and every fault is reported with its JSON pointer.

mod held;
mod identity;
mod membership;
mod output;

pub use identity::{ApiKeyInput, ApiKeyRecord, DEMO_PREFIX, MerchantInput, TenantInput, TenantRecord};
pub use membership::{MemberInput, MemberRecord};
pub use output::{MemberOutput, MerchantOutput, TenantOutput};

use crate::catalog::{
    ComboInput, CouponInput, DiscountInput, EntitlementsInput, FormInput, InventoryInput, Known,
};
use crate::event::{PersonTypeInput, TemplateContext, TemplateInput};
use crate::identified::identified;
use crate::membership::{LevelContext, LevelInput};
use crate::{
    Checker, Field, FieldError, Identified, List, Malformed, Rejection, WireValue, incoming, read_body,
};
use domain::catalog::{InventoryItem, PersonType};
use domain::combo::Combo;
use domain::coupon::{Coupon, Discount};
use domain::customer::Customer;
use domain::entitlement::Entitlements;
use domain::form::Form;
use domain::membership::{Level, Membership};
use domain::merchant::Merchant;
use domain::publishing::WrittenTemplate;
use domain::{Timestamp, Zone};
use std::collections::BTreeSet;

incoming! {
    /// What an operator writes; every section may be left out but the tenant.
    pub struct ImportInput {
        tenant: TenantInput,
        api_keys: Vec<ApiKeyInput>,
        merchants: Vec<MerchantInput>,
        person_types: Vec<PersonTypeInput>,
        event_templates: Vec<TemplateInput>,
        entitlements: Vec<EntitlementsInput>,
        inventory: Vec<InventoryInput>,
        discounts: Vec<DiscountInput>,
        forms: Vec<FormInput>,
        coupons: Vec<CouponInput>,
        combos: Vec<ComboInput>,
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
    /// What the tenant has already.
    pub known: Known,
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
    /// Forms.
    pub forms: Vec<Form>,
    /// Discounts.
    pub discounts: Vec<Discount>,
    /// Coupons.
    pub coupons: Vec<Coupon>,
    /// Combos.
    pub combos: Vec<Combo>,
    /// Membership levels with their offerings.
    pub levels: Vec<Level>,
    /// The customers that members are.
    pub customers: Vec<Customer>,
    /// Memberships with their cards.
    pub memberships: Vec<Membership>,
    /// Event templates.
    pub templates: Vec<WrittenTemplate>,
    /// Entitlement rules and ticket limits of templates.
    pub entitlements: Vec<Entitlements>,
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

    /// Reads every record. What others refer to comes before them.
    #[must_use]
    pub fn read(self, context: ImportContext) -> ImportRecords {
        let ImportContext { zone, now, mut known } = context;
        let mut faults = Vec::new();
        let api_keys = section(&mut faults, "apiKeys", self.api_keys, ApiKeyInput::read);
        let merchants = section(&mut faults, "merchants", self.merchants, MerchantInput::read);
        let person_types = section(&mut faults, "personTypes", self.person_types, PersonTypeInput::read);
        known.ticket_types.extend(person_types.iter().map(|found| found.id.clone()));
        let inventory = section(&mut faults, "inventory", self.inventory, InventoryInput::read);
        known.inventory.extend(inventory.iter().map(|found| found.id));
        let forms = section(&mut faults, "forms", self.forms, FormInput::read);
        known.forms.extend(forms.iter().map(|found| found.id.clone()));
        let discounts =
            section(&mut faults, "discounts", self.discounts, |input, checker| input.read(checker, &known));
        known.discounts.extend(discounts.iter().map(|found| found.id.clone()));
        let levels = section(&mut faults, "membershipLevels", self.membership_levels, |input, checker| {
            input.read(checker, LevelContext { zone, ticket_types: &known.ticket_types })
        });
        known.levels.extend(levels.iter().map(|found| found.id.clone()));
        let templates = section(&mut faults, "eventTemplates", self.event_templates, |input, checker| {
            let Known { ticket_types, inventory, .. } = &known;
            input.read(checker, TemplateContext { zone, now, ticket_types, inventory, known: None })
        });
        known.templates.extend(templates.iter().map(|found| found.template.id.clone()));
        let entitlements = section(&mut faults, "entitlements", self.entitlements, |input, checker| {
            input.read(checker, &known)
        });
        let mut memberships = Vec::new();
        let customers = section(&mut faults, "members", self.members, |input, checker| {
            let MemberRecord { membership, customer } = input.read(checker, zone)?;
            membership::gather(checker, &mut memberships, membership);
            Some(customer)
        });
        let customers = customers.into_iter().flatten().collect();
        ImportRecords {
            api_keys,
            merchants,
            coupons: section(&mut faults, "coupons", self.coupons, |input, checker| {
                input.read(checker, zone, &known)
            }),
            combos: section(&mut faults, "combos", self.combos, |input, checker| input.read(checker, &known)),
            customers,
            memberships,
            person_types,
            inventory,
            forms,
            discounts,
            levels,
            templates,
            entitlements,
            faults,
        }
    }
}

identified! {
    MerchantInput: mid;
    PersonTypeInput: id;
    TemplateInput: id;
    MemberInput: id;
    // Keys are never shown; their label names them.
    ApiKeyInput: label;
}

/// Reads the records of one section; those with faults are left out and reported.
fn section<T: WireValue + Identified, R>(
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
    let mut seen = BTreeSet::new();
    for (index, element) in list.map(|list| list.0).unwrap_or_default().into_iter().enumerate() {
        let pointer = format!("{name}/{index}");
        let mut checker = Checker::new();
        let (id, record) = match element {
            Field::Value(value) => (
                value.sent_id().filter(|id| !id.is_empty()),
                checker.within(&pointer, |checker| read(value, checker)),
            ),
            Field::Absent | Field::Null | Field::Wrong => {
                checker.invalid(&pointer, "must be an object");
                (None, None)
            }
        };
        // Keys are told apart by their text; labels may repeat.
        if name != "apiKeys" && id.as_ref().is_some_and(|id| !seen.insert(id.clone())) {
            let field = match name {
                "merchants" => "mid",
                "entitlements" => "eventTemplateId",
                _ => "id",
            };
            checker
                .invalid(format!("{pointer}/{field}"), "is already used by another record of the document");
        }
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
