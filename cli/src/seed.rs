//! The two demo venues, with one person of the staff each.

use crate::failure::Failure;
use crate::import;
use adapters::App;
use adapters::login::secret_of;
use domain::login::{LoginParty, LoginRequest};
use domain::outbox::{LoginMail, MailJob};
use domain::staff::{StaffMember, StaffRole};
use domain::{LoginRequestId, StaffId, TenantId, Timestamp};
use store::login::login_key;
use store::{Consistency, Placed, Store, StoreError};

/// The demo venues' documents, embedded so that the program runs from any directory.
const VENUES: [(&str, &str); 2] = [
    ("Harbor Museum", include_str!("../../demo/harbor-museum.json")),
    ("Bay Zoo", include_str!("../../demo/bay-zoo.json")),
];

/// The desk of each demo venue: its tenant, and what is written of the person.
const DESKS: [(i64, &str, &str); 2] = [
    (1001, "1001ab000000000000000001", "desk@harbor-museum.example"),
    (1002, "1002ab000000000000000001", "desk@bay-zoo.example"),
];

/// What histories show of the person at the desk.
const DESK_NAME: &str = "Demo Desk";

/// The keys that the pages of the demo venues ask with.
pub(crate) fn page_keys() -> impl Iterator<Item = String> {
    DESKS.into_iter().map(|(tenant, _, _)| format!("demo-browser-{tenant}"))
}

/// Imports the demo venues, and adds the persons of their staff. Doing it again changes nothing.
pub(crate) async fn demo(app: &App, now: Timestamp) -> Result<(), Failure> {
    for (name, document) in VENUES {
        let report = import::import(app, document, now).await;
        report
            .map_err(|fault| Failure::because(format!("the demo venue {name} was not imported"), &fault))?;
    }
    for (tenant, id, email) in DESKS {
        let (Ok(tenant), Ok(id)) = (TenantId::parse(tenant), StaffId::parse(id)) else { continue };
        let desk = StaffMember {
            id,
            email: email.to_owned(),
            name: DESK_NAME.to_owned(),
            roles: [StaffRole::Admin, StaffRole::BoxOffice, StaffRole::Door].into(),
            active: true,
            generation: 0,
        };
        let known = app.store.load_authored::<StaffMember>(&StaffMember::place(tenant, &desk.id)).await?;
        if known.is_none() {
            // Whoever has the address or the id already stays.
            let attempt = app.ids.attempt_token().map_err(|fault| Failure::because("no id", &fault))?;
            let _ = app.store.change_authored(tenant, &attempt, None, Some(&desk)).await?;
        }
    }
    Ok(())
}

/// The demo venues that are in the database. Others may have their ids, but nobody else has their keys.
pub(crate) async fn venues(store: &Store) -> Result<Vec<TenantId>, StoreError> {
    let mut found = Vec::new();
    for (tenant, _, _) in DESKS {
        let key = store.load_api_key(&format!("demo-b2b-{tenant}")).await?;
        found.extend(key.map(|key| key.tenant));
    }
    Ok(found)
}

/// Has a link to sign in by sent to each desk, so that it lies in the outbox of the sandbox.
pub(crate) async fn mail_links(app: &App, now: Timestamp) -> Result<(), Failure> {
    for (tenant, _, email) in DESKS {
        let Ok(tenant) = TenantId::parse(tenant) else { continue };
        let Some(settings) = app.store.load_tenant(tenant, Consistency::Strong).await? else { continue };
        let unsent = |fault: adapters::AdapterFault| Failure::because("no link to sign in by", &fault);
        let hash_key = app.hash_key(&settings).await.map_err(unsent)?;
        let id = LoginRequestId::from_bytes(app.ids.bytes().map_err(unsent)?);
        let request = LoginRequest::of(LoginParty::Staff, id.clone(), email.to_owned(), now);
        let place = login_key(tenant, &secret_of(&hash_key, &id));
        app.store.save_login_request(&place, &request, app.wall_now()).await?;
        let job = MailJob::Login(LoginMail { tenant, request: id });
        let queued = app.queue.send(&job).await;
        queued.map_err(|fault| Failure::because("no link to sign in by", &fault))?;
    }
    Ok(())
}
