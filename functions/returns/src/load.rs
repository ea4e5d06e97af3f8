//! What refunds and exchanges are decided on.

use crate::refusal::unknown_order;
use domain::membership::Membership;
use domain::order::refund::{RefundRequest, memberships_of};
use domain::order::{Order, Ticket};
use domain::sale::Sale;
use domain::{MembershipId, OrderId, Template, TemplateId};
use platform::access::Caller;
use platform::{ApiError, App};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A paid order with all that refunds of it need.
pub(crate) struct Found {
    pub(crate) order: Order,
    pub(crate) tickets: Vec<Ticket>,
    /// Where its money is; none of an order that cost nothing.
    pub(crate) sale: Option<Sale>,
    pub(crate) memberships: BTreeMap<MembershipId, Membership>,
    /// What its templates say about cancellations.
    pub(crate) messages: BTreeMap<TemplateId, String>,
}

/// A paid order with its tickets, if there is one, and the templates of its tenant.
pub(crate) async fn load_order(
    app: &App,
    caller: &Caller,
    id: &OrderId,
) -> Result<(Option<(Order, Vec<Ticket>)>, Arc<Vec<Template>>), ApiError> {
    let tenant = caller.tenant.id;
    let load = async { app.store.load_order_with_tickets(tenant, id).await.map_err(ApiError::from) };
    let (found, templates) = tokio::try_join!(load, app.templates(tenant))?;
    Ok((found.filter(|(order, _)| order.paid_at().is_some()), templates))
}

impl Found {
    pub(crate) async fn load(app: &App, caller: &Caller, request: &RefundRequest) -> Result<Self, ApiError> {
        let (found, templates) = load_order(app, caller, &request.order).await?;
        let (order, tickets) = found.ok_or_else(unknown_order)?;
        let memberships = memberships_of(&order, &request.scope);
        let sale = order.payment.as_ref().map(|payment| &payment.sale);
        let (sale, memberships) = app.store.load_returned(caller.tenant.id, (sale, &memberships)).await?;
        let sold = |template: &&Template| order.ticket_lines().any(|line| line.template == template.id);
        let said = templates.iter().filter(sold);
        let messages =
            said.map(|template| (template.id.clone(), template.email_cancellation_message.clone())).collect();
        Ok(Self { order, tickets, sale, memberships, messages })
    }
}
