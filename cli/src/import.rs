//! Importing what a tenant sells from one document: the way the demo venues are seeded and the way an
//! operator sets up a real one. Importing a document twice changes nothing; slots keep counts and holds.

mod report;
mod tenant;

pub use report::{ImportError, ImportReport, SectionCounts};

use crate::document::Document;
use adapters::App;
use adapters::catalog_limits::CatalogPart;
use domain::catalog::Template;
use domain::membership::Membership;
use domain::publishing::{Generation, Moment, NotWritten, Writing, WrittenTemplate};
use domain::tenant::{ApiKey, Tenant};
use domain::{MembershipId, TenantId, Timestamp};
use indicatif::ProgressBar;
use sagas::SagaFault;
use sagas::publish::{TemplateSaved, make_slots, save_template};
use std::ops::ControlFlow::{Break, Continue};
use store::authored::{Authored, CHANGE_TRIES, Stored, Taken};
use store::catalog::Saved;
use store::identity::key_hash;
use store::{Consistency, Key, Placed, revise};
use wire::catalog::Known;
use wire::event::idle_detail;
use wire::import::{ApiKeyRecord, ImportContext, ImportRecords, RecordFault, read_document};
use wire::{FieldError, repeated_key};

pub use domain::publishing::DAYS_AHEAD;

/// Memberships read together.
const MEMBERSHIPS_PER_READ: usize = 100;

/// Who changes memberships that are imported.
const IMPORT: &str = "Import";

/// The circumstances of an import.
#[derive(Debug, Clone)]
pub struct Run {
    /// The moment.
    pub now: Timestamp,
    /// Days ahead for which instances are made.
    pub days: u32,
    /// Moves on with every record.
    pub progress: ProgressBar,
}

impl Run {
    /// A run at this moment with instances for [`DAYS_AHEAD`], that nobody watches.
    #[must_use]
    pub fn unwatched(now: Timestamp) -> Self {
        Self { now, days: DAYS_AHEAD, progress: ProgressBar::hidden() }
    }
}

/// Imports a JSON document with instances for [`DAYS_AHEAD`].
///
/// # Errors
/// Those of [`import_document`].
pub async fn import(app: &App, text: &str, now: Timestamp) -> Result<ImportReport, ImportError> {
    import_document(app, &Document::json(text), &Run::unwatched(now)).await
}

/// Imports a JSON document with instances for so many days.
///
/// # Errors
/// Those of [`import_document`].
pub async fn import_days(
    app: &App,
    text: &str,
    now: Timestamp,
    days: u32,
) -> Result<ImportReport, ImportError> {
    import_document(app, &Document::json(text), &Run { days, ..Run::unwatched(now) }).await
}

/// Imports a document record by record. Each is stored whole or not at all, and what is there just so is left
/// alone: a run that was cut short is finished by another one.
///
/// # Errors
/// [`ImportError`] when the document or its tenant cannot be read, or the database or the vault does not
/// answer. Records with faults are no error: they are left out and are in the report.
pub async fn import_document(app: &App, document: &Document, run: &Run) -> Result<ImportReport, ImportError> {
    if let Some(pointer) = repeated_key(document.json.as_bytes()) {
        return Err(ImportError::Repeated(pointer));
    }
    let mut input = read_document(&document.json).map_err(ImportError::Malformed)?;
    if let Some(fault) = document.faults.iter().find(|fault| fault.record == "/tenant") {
        return Err(tenant_fault(document, fault.clone()));
    }
    let wanted = input.take_tenant().map_err(|fault| tenant_fault(document, fault))?;
    let mut report = ImportReport::new(wanted.id);
    let tenant = tenant::save(app, wanted, &mut report).await?;
    let known = known(app, tenant.id).await?;
    let mut records = input.read(ImportContext { zone: tenant.zone, now: run.now, known });
    report.faults.clone_from(&document.faults);
    // A row that is no record has been reported with more than that.
    records.faults.retain(|fault| !document.faults.iter().any(|found| found.record == fault.record));
    report.faults.append(&mut records.faults);
    check_limit(app, tenant.id, &records).await?;
    run.progress.set_length(u64::try_from(count(&records)).unwrap_or(u64::MAX));
    save_definitions(app, run, tenant.id, &records, &mut report).await?;
    save_api_keys(app, run, &tenant, records.api_keys, &mut report).await?;
    let moment = Moment { now: run.now, days: run.days, chosen_clock: false };
    let import = Import { app, tenant: &tenant, moment };
    run.progress.set_message("eventTemplates");
    for template in records.templates {
        import.publish(template, &mut report).await?;
        run.progress.inc(1);
    }
    for entitlements in &records.entitlements {
        let saved = app.store.save_entitlements(tenant.id, &attempt(app)?, entitlements).await?;
        report.note("entitlements", saved);
        run.progress.inc(1);
    }
    run.progress.finish_and_clear();
    app.forget_catalog(tenant.id);
    report.lines = document.locate(&mut report.faults);
    Ok(report)
}

fn tenant_fault(document: &Document, fault: RecordFault) -> ImportError {
    let line = document.locate(&mut [fault.clone()]).get(&fault.record).copied();
    ImportError::Tenant { line, fault }
}

/// What the tenant has, for records that refer to it.
async fn known(app: &App, tenant: TenantId) -> Result<Known, ImportError> {
    let definitions = app.store.load_definitions(tenant, Consistency::Strong).await?;
    let templates = app.store.load_templates(tenant, Consistency::Strong).await?;
    Ok(Known {
        ticket_types: definitions.person_types.into_keys().collect(),
        inventory: definitions.inventory.into_keys().collect(),
        discounts: definitions.discounts.into_keys().collect(),
        forms: definitions.forms.into_keys().collect(),
        levels: definitions.levels.into_keys().collect(),
        templates: templates.into_iter().map(|template| template.id).collect(),
    })
}

/// Refuses a document with which the tenant would have more than a catalog holds, before anything of it is stored.
async fn check_limit(app: &App, tenant: TenantId, records: &ImportRecords) -> Result<(), ImportError> {
    fn places<T: Authored>(tenant: TenantId, records: &[T]) -> impl Iterator<Item = Key> {
        records.iter().map(move |record| record.key(tenant))
    }
    let definitions = places(tenant, &records.person_types)
        .chain(places(tenant, &records.inventory))
        .chain(places(tenant, &records.forms))
        .chain(places(tenant, &records.discounts))
        .chain(places(tenant, &records.coupons))
        .chain(places(tenant, &records.combos))
        .chain(places(tenant, &records.levels))
        .chain(places(tenant, &records.entitlements));
    let templates = records.templates.iter().map(|written| written.template.key(tenant));
    for (held, wanted) in
        [(CatalogPart::Definitions, definitions.collect()), (CatalogPart::Templates, templates.collect())]
    {
        match app.check_room_for(tenant, held, wanted).await {
            Ok(()) => {}
            Err(adapters::AdapterFault::LimitReached(limit)) => return Err(ImportError::TooMany(limit)),
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(())
}

/// Records to be stored.
fn count(records: &ImportRecords) -> usize {
    let ImportRecords {
        api_keys,
        merchants,
        person_types,
        inventory,
        forms,
        discounts,
        coupons,
        combos,
        levels,
        customers,
        memberships,
        templates,
        entitlements,
        faults: _,
    } = records;
    let definitions =
        [person_types.len(), inventory.len(), forms.len(), discounts.len(), coupons.len(), combos.len()];
    let people = [levels.len(), customers.len(), memberships.len()];
    let others = [api_keys.len(), merchants.len(), templates.len(), entitlements.len()];
    definitions.into_iter().chain(people).chain(others).sum()
}

async fn save_definitions(
    app: &App,
    run: &Run,
    tenant: TenantId,
    records: &ImportRecords,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let store = &app.store;
    let done = |report: &mut ImportReport, section: &'static str, saved: Saved| {
        report.note(section, saved);
        run.progress.set_message(section);
        run.progress.inc(1);
    };
    for merchant in &records.merchants {
        let saved = store.save_merchant(tenant, merchant).await?;
        done(report, "merchants", saved);
    }
    for person_type in &records.person_types {
        done(report, "personTypes", store.save_person_type(tenant, person_type).await?);
    }
    for item in &records.inventory {
        done(report, "inventory", store.save_inventory(tenant, item).await?);
    }
    for form in &records.forms {
        done(report, "forms", store.save_form(tenant, form).await?);
    }
    for discount in &records.discounts {
        done(report, "discounts", store.save_discount(tenant, discount).await?);
    }
    for coupon in &records.coupons {
        match store.save_coupon(tenant, &attempt(app)?, coupon).await? {
            Ok(saved) => done(report, "coupons", saved),
            Err(Taken) => {
                let message = "is already used by another coupon";
                report.faults.push(record_fault("/coupons", coupon.id.to_string(), "code", message));
            }
        }
    }
    for combo in &records.combos {
        done(report, "combos", store.save_combo(tenant, combo).await?);
    }
    for level in &records.levels {
        done(report, "membershipLevels", store.save_level(tenant, level).await?);
    }
    for customer in &records.customers {
        done(report, "customers", store.save_customer(tenant, &attempt(app)?, customer).await?);
    }
    save_memberships(app, run, tenant, &records.memberships, report).await
}

/// Memberships are noted as changed in the order of the document, a microsecond apart, so that lists of them keep
/// that order while they are imported.
async fn save_memberships(
    app: &App,
    run: &Run,
    tenant: TenantId,
    memberships: &[Membership],
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let mut now = run.now;
    for some in memberships.chunks(MEMBERSHIPS_PER_READ) {
        let ids: Vec<MembershipId> = some.iter().map(|membership| membership.id).collect();
        let known = app.store.load_memberships(tenant, &ids).await?;
        for membership in some {
            let before = known.iter().find(|known| known.id == membership.id);
            let membership = membership.clone().imported_over(before).stamped(before, now, IMPORT);
            let saved = app.store.save_membership(tenant, &attempt(app)?, &membership).await?;
            report.note("memberships", saved);
            run.progress.inc(1);
            now = now.checked_add_signed(chrono::Duration::microseconds(1)).unwrap_or(now);
        }
    }
    Ok(())
}

/// The name of one attempt to write.
fn attempt(app: &App) -> Result<String, ImportError> {
    Ok(app.ids.bytes::<8>().map(hex::encode)?)
}

/// Keys with a text of the document's choice are for sandbox tenants, never change hands, and stay revoked.
async fn save_api_keys(
    app: &App,
    run: &Run,
    tenant: &Tenant,
    records: Vec<ApiKeyRecord>,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    for ApiKeyRecord { key, scopes, origins, label, mid } in records {
        let hash = key_hash(&key);
        let held = app.store.find_api_key(&hash).await?;
        let refusal = if !tenant.sandbox {
            Some("is accepted for sandbox tenants only")
        } else if held.as_ref().is_some_and(|held| held.tenant != tenant.id) {
            Some("belongs to another tenant")
        } else if held.is_some_and(|held| held.revoked) {
            Some("was revoked")
        } else {
            None
        };
        if let Some(message) = refusal {
            report.faults.push(record_fault("/apiKeys", label, "key", message));
            continue;
        }
        let api_key = ApiKey { tenant: tenant.id, scopes, origins, mid, label, revoked: false };
        report.note("apiKeys", app.store.import_api_key(&hash, &api_key).await?);
        run.progress.inc(1);
    }
    Ok(())
}

/// One import while it runs.
struct Import<'a> {
    app: &'a App,
    tenant: &'a Tenant,
    moment: Moment,
}

impl Import<'_> {
    /// Stores a template over whatever revision is there, and makes its slots to the last one.
    async fn publish(&self, written: WrittenTemplate, report: &mut ImportReport) -> Result<(), ImportError> {
        let tenant = self.tenant.id;
        let (key, written) = (&Template::place(tenant, &written.template.id), &written);
        let contended = |()| ImportError::Service(SagaFault::Contended);
        let saved = revise(CHANGE_TRIES, (), contended, |()| async move {
            let before: Option<Stored<Template>> = self.app.store.load_authored(key).await?;
            let known = before.as_ref().map(|before| &before.value);
            let writing = Writing { now: self.moment.now, zone: self.tenant.zone, may_be_over: true };
            let template = match written.clone().over(known, writing) {
                Ok(template) => template,
                Err(refusal) => return Ok(Break(Err(refusal))),
            };
            let saved = save_template(self.app, self.tenant, &template, before.as_ref(), self.moment).await?;
            let TemplateSaved::Saved(record) = saved else { return Ok(Continue(())) };
            let tally = match known {
                None => Saved::Created,
                Some(known) if *known == template => Saved::Unchanged,
                Some(_) => Saved::Updated,
            };
            Ok(Break(Ok((template, record, tally))))
        });
        let (template, record, tally) = match saved.await? {
            Ok(saved) => saved,
            Err(refusal) => {
                report.faults.push(not_written(&written.template, refusal));
                return Ok(());
            }
        };
        report.note("eventTemplates", tally);
        if let Some(record) = record {
            report.slots = report.slots.saturating_add(self.make_slots(&template, record).await?);
        }
        Ok(())
    }

    async fn make_slots(&self, template: &Template, record: Generation) -> Result<usize, ImportError> {
        let now = self.moment.now;
        let done = make_slots(self.app, self.tenant, Some(template), record, now, usize::MAX).await?;
        Ok(done.made.saturating_add(done.changed).saturating_add(done.deleted))
    }
}

fn not_written(template: &Template, refusal: NotWritten) -> RecordFault {
    let details = match refusal {
        NotWritten::ReturnsToDraft => {
            vec![("/reviewState".to_owned(), "a published template cannot return to draft")]
        }
        NotWritten::NothingToCome(idle) => idle.into_iter().map(idle_detail).collect(),
    };
    let record = "/eventTemplates";
    let error = |(field, message): (String, &str)| FieldError {
        field: format!("{record}{field}"),
        message: message.to_owned(),
    };
    let errors = details.into_iter().map(error).collect();
    RecordFault { record: record.to_owned(), id: Some(template.id.to_string()), errors }
}

fn record_fault(record: &str, id: String, field: &str, message: &str) -> RecordFault {
    let error = FieldError { field: format!("{record}/{field}"), message: message.to_owned() };
    RecordFault { record: record.to_owned(), id: Some(id), errors: vec![error] }
}
