//! Importing what a tenant sells from one JSON document: the way the demo venues are seeded and the way an
//! operator sets up a real one. Importing a document twice changes nothing; slots keep counts and holds.

mod report;
mod tenant;

pub use report::{ImportError, ImportReport, Tally};

use domain::catalog::{ReviewState, Template};
use domain::publishing::Generation;
use domain::tenant::{ApiKey, Tenant};
use domain::{TenantId, Timestamp};
use platform::{ApiError, App, ErrorType};
use sagas::publish::{Moment, TemplateSaved, make_slots, save_template};
use store::authored::{CHANGE_TRIES, Stored, Taken, put_over};
use store::catalog::Saved;
use store::identity::key_hash;
use store::{Consistency, Key};
use wire::FieldError;
use wire::catalog::Known;
use wire::import::{ApiKeyRecord, ImportContext, ImportRecords, RecordFault, read_document};

pub use domain::publishing::DAYS_AHEAD;

/// Imports a document with instances for [`DAYS_AHEAD`].
///
/// # Errors
/// [`ImportError`] when the document or its tenant cannot be read, or the database or the vault does not
/// answer. Records with faults are no error: they are left out and are in the report.
pub async fn import(app: &App, text: &str, now: Timestamp) -> Result<ImportReport, ImportError> {
    import_days(app, text, now, DAYS_AHEAD).await
}

/// Imports a document with instances for so many days.
///
/// # Errors
/// Those of [`import`].
pub async fn import_days(
    app: &App,
    text: &str,
    now: Timestamp,
    days: u32,
) -> Result<ImportReport, ImportError> {
    let mut document = read_document(text).map_err(ImportError::Malformed)?;
    let wanted = document.take_tenant().map_err(ImportError::Tenant)?;
    let mut report = ImportReport::new(wanted.id);
    let tenant = tenant::save(app, wanted, &mut report).await?;
    let definitions = app.store.load_definitions(tenant.id, Consistency::Strong).await?;
    let templates = app.store.load_templates(tenant.id, Consistency::Strong).await?;
    let mut records = document.read(ImportContext {
        zone: tenant.zone,
        now,
        known: Known {
            ticket_types: definitions.person_types.into_keys().collect(),
            inventory: definitions.inventory.into_keys().collect(),
            discounts: definitions.discounts.into_keys().collect(),
            forms: definitions.forms.into_keys().collect(),
            levels: definitions.levels.into_keys().collect(),
            templates: templates.into_iter().map(|template| template.id).collect(),
        },
    });
    report.faults.append(&mut records.faults);
    save_definitions(app, tenant.id, &records, &mut report).await?;
    save_api_keys(app, &tenant, records.api_keys, &mut report).await?;
    let import = Import { app, tenant: &tenant, moment: Moment { now, days, chosen_clock: false } };
    for template in records.templates {
        import.publish(template, &mut report).await?;
    }
    app.forget_catalog(tenant.id).await;
    Ok(report)
}

async fn save_definitions(
    app: &App,
    tenant: TenantId,
    records: &ImportRecords,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    let store = &app.store;
    for merchant in &records.merchants {
        report.note("merchants", store.save(&Key::merchant(tenant, &merchant.mid), merchant).await?);
    }
    for person_type in &records.person_types {
        report.note("personTypes", store.save_person_type(tenant, person_type).await?);
    }
    for item in &records.inventory {
        report.note("inventory", store.save_inventory(tenant, item).await?);
    }
    for form in &records.forms {
        report.note("forms", store.save_form(tenant, form).await?);
    }
    for discount in &records.discounts {
        report.note("discounts", store.save_discount(tenant, discount).await?);
    }
    for coupon in &records.coupons {
        let attempt = app.ids.bytes::<8>().map(hex::encode)?;
        match store.save_coupon((tenant, &attempt), coupon).await? {
            Ok(saved) => report.note("coupons", saved),
            Err(Taken) => {
                let fault = ("code", "is the code of another coupon");
                report.faults.push(record_fault("/coupons", coupon.id.to_string(), fault));
            }
        }
    }
    for level in &records.levels {
        report.note("membershipLevels", store.save_level(tenant, level).await?);
    }
    for customer in &records.customers {
        report.note("customers", store.save_customer(tenant, customer).await?);
    }
    for membership in &records.memberships {
        report.note("memberships", store.save_membership(tenant, membership).await?);
    }
    Ok(())
}

/// Keys with a text of the document's choice are for sandbox tenants, never change hands, and stay revoked.
async fn save_api_keys(
    app: &App,
    tenant: &Tenant,
    records: Vec<ApiKeyRecord>,
    report: &mut ImportReport,
) -> Result<(), ImportError> {
    for ApiKeyRecord { key, scopes, origins, label, mid } in records {
        let hash = key_hash(&key);
        let held: Option<ApiKey> = app.store.get(&Key::api_key(&hash), Consistency::Strong).await?;
        let refusal = if !tenant.sandbox {
            Some("is honoured for sandbox tenants only")
        } else if held.as_ref().is_some_and(|held| held.tenant != tenant.id) {
            Some("belongs to another tenant")
        } else if held.is_some_and(|held| held.revoked) {
            Some("was revoked")
        } else {
            None
        };
        if let Some(message) = refusal {
            report.faults.push(record_fault("/apiKeys", label, ("key", message)));
            continue;
        }
        let api_key = ApiKey { tenant: tenant.id, scopes, origins, mid, label, revoked: false };
        app.store.mark_api_key(tenant.id, &hash).await?;
        report.note("apiKeys", app.store.save(&Key::api_key(&hash), &api_key).await?);
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
    async fn publish(&self, template: Template, report: &mut ImportReport) -> Result<(), ImportError> {
        let tenant = self.tenant.id;
        let key = Key::template(tenant, &template.id);
        for _ in 0..CHANGE_TRIES {
            let before: Option<Stored<Template>> = self.app.store.load_authored(&key).await?;
            let known = before.as_ref().map(|before| &before.value);
            let Some(merged) = self.merged(template.clone(), known, report) else { return Ok(()) };
            let write = put_over(tenant, before.as_ref(), &merged)?;
            let saved = save_template(self.app, (self.tenant, &merged), write, self.moment).await?;
            let TemplateSaved::Saved(record) = saved else { continue };
            let tally = match known {
                None => Saved::Created,
                Some(known) if *known == merged => Saved::Unchanged,
                Some(_) => Saved::Updated,
            };
            report.note("eventTemplates", tally);
            if let Some(record) = record {
                report.slots = report.slots.saturating_add(self.make_slots(&merged, record).await?);
            }
            return Ok(());
        }
        Err(ImportError::Service(ApiError::new(ErrorType::TryAgain)))
    }

    async fn make_slots(&self, template: &Template, record: Generation) -> Result<usize, ImportError> {
        let whole = (self.moment.now, usize::MAX);
        let done = make_slots(self.app, (self.tenant, Some(template)), record, whole).await?;
        Ok(done.made.saturating_add(done.changed).saturating_add(done.deleted))
    }

    /// The template as it is to be stored; none when it is refused.
    fn merged(
        &self,
        mut template: Template,
        before: Option<&Template>,
        report: &mut ImportReport,
    ) -> Option<Template> {
        let published = template.review_state == ReviewState::Published;
        if !published && before.is_some_and(|found| found.review_state == ReviewState::Published) {
            let fault = ("reviewState", "a published template cannot return to draft");
            report.faults.push(record_fault("/eventTemplates", template.id.to_string(), fault));
            return None;
        }
        let published_before = before.and_then(|found| found.last_published);
        template.last_published = published.then(|| published_before.unwrap_or(self.moment.now));
        let Some(before) = before else { return Some(template) };
        let written = std::mem::replace(&mut template.last_updated, before.last_updated);
        let started = std::mem::replace(&mut template.start, before.start);
        // A start that was left out is the moment of the first import, and stays so.
        if started != self.moment.now {
            template.start = started;
        }
        if template != *before {
            template.last_updated = written;
        }
        Some(template)
    }
}

fn record_fault(record: &str, id: String, (field, message): (&str, &str)) -> RecordFault {
    let error = FieldError { field: format!("{record}/{field}"), message: message.to_owned() };
    RecordFault { record: record.to_owned(), id: Some(id), errors: vec![error] }
}
