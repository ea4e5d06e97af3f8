//! Mails that wait to be sent.

use super::{columns, print, tenant_id};
use crate::database::{DatabaseArgs, open_existing};
use crate::failure::Failure;
use clap::Args;
use domain::outbox::MailState;
use domain::{TenantId, Timestamp};
use store::order::{DueClock, DueKind, DueWork};

/// Which mails to list.
#[derive(Debug, Args)]
pub(crate) struct OutboxFilter {
    /// List this tenant's emails only
    #[arg(long, value_parser = tenant_id)]
    tenant: Option<TenantId>,
}

pub(crate) async fn run(args: &DatabaseArgs, filter: &OutboxFilter) -> Result<(), Failure> {
    let store = open_existing(args).await?.store;
    let mut waiting = Vec::new();
    for clock in [DueClock::Real, DueClock::Chosen] {
        for work in store.load_due(clock, DueKind::Mails, Timestamp::MAX_UTC, usize::MAX).await? {
            let DueWork::Mail(tenant, order, kind) = work else { continue };
            if filter.tenant.is_none_or(|wanted| wanted == tenant) {
                waiting.push((tenant, order, kind));
            }
        }
    }
    waiting.sort();
    let mut rows = Vec::new();
    for (tenant, order, kind) in &waiting {
        if let Some(mail) = store.load_mail(*tenant, order, *kind).await? {
            let state = state_text(mail.state);
            rows.push([tenant.to_string(), order.to_string(), kind.to_string(), state, mail.message_id]);
        }
    }
    let listed = columns(["TENANT", "ORDER", "MAIL", "STATE", "MESSAGE ID"], &rows);
    print(&format!("{listed}\n{}", counted(rows.len())))
}

/// How many there are.
fn counted(mails: usize) -> String {
    let emails = if mails == 1 { "email is" } else { "emails are" };
    format!("{mails} {emails} waiting to be sent")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_mails_are_counted() {
        assert_eq!(counted(0), "0 emails are waiting to be sent");
        assert_eq!(counted(1), "1 email is waiting to be sent");
        assert_eq!(counted(16_000), "16000 emails are waiting to be sent");
    }
}
