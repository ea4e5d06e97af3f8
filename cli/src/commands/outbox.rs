//! Mails that wait to be sent.

use super::{columns, print, tenant_id};
use crate::args::DatabaseArgs;
use crate::database::open_existing;
use crate::failure::Failure;
use clap::Args;
use domain::outbox::MailState;
use domain::{TenantId, Timestamp};
use store::order::{DueClock, DueKind, DueWork};

/// Which mails to list.
#[derive(Debug, Args)]
pub(crate) struct OutboxFilter {
    /// Of this tenant only
    #[arg(long, value_parser = tenant_id)]
    tenant: Option<TenantId>,
}

pub(crate) async fn run(args: &DatabaseArgs, filter: &OutboxFilter) -> Result<(), Failure> {
    let store = open_existing(args).await?.store;
    let mut rows = Vec::new();
    for clock in [DueClock::Real, DueClock::Chosen] {
        for work in store.load_due((clock, DueKind::Mails), Timestamp::MAX_UTC, usize::MAX).await? {
            let DueWork::Mail(tenant, order, kind) = work else { continue };
            if filter.tenant.is_some_and(|wanted| wanted != tenant) {
                continue;
            }
            if let Some(mail) = store.load_mail(tenant, &order, kind).await? {
                let state = state_text(mail.state);
                rows.push([tenant.to_string(), order.to_string(), kind.to_string(), state, mail.message_id]);
            }
        }
    }
    rows.sort();
    print(&columns(["TENANT", "ORDER", "MAIL", "STATE", "MESSAGE ID"], &rows))
}

fn state_text(state: MailState) -> String {
    match state {
        MailState::Queued => "queued".to_owned(),
        MailState::Claimed { until } => format!("being sent until {}", until.to_rfc3339()),
        MailState::Sent { at } => format!("sent {}", at.to_rfc3339()),
        MailState::Refused { at } => format!("refused {}", at.to_rfc3339()),
        MailState::Superseded { at } => format!("superseded {}", at.to_rfc3339()),
    }
}
