//! What refunds and exchanges are decided on.

use crate::refusal::unknown_order;
use adapters::App;
use domain::membership::Membership;
use domain::order::refund::{OrderRefundRequest, RelyingOrder, memberships_of, relying};
use domain::order::{Order, OrderRefund, Ticket};
use domain::sale::Sale;
use domain::{MembershipId, OrderId, Template, TemplateId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::order::ContactDetail;
use web::ApiError;
use web::access::Caller;

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
    let load = app.store.load_order_with_tickets(tenant, id);
    let (found, templates) = tokio::try_join!(load, app.templates(tenant))?;
    Ok((found.filter(|(order, _)| order.paid_at().is_some()), templates))
}

impl Found {
    pub(crate) async fn load(
        app: &App,
        caller: &Caller,
        request: &OrderRefundRequest,
    ) -> Result<Self, ApiError> {
        let (found, templates) = load_order(app, caller, &request.order).await?;
        let (order, tickets) = found.ok_or_else(unknown_order)?;
        let memberships = memberships_of(&order, &request.scope);
        let sale = order.payment.as_ref().map(|payment| &payment.sale);
        let (sale, memberships) = app.store.load_returned(caller.tenant.id, sale, &memberships).await?;
        let sold = |template: &&Template| order.ticket_lines().any(|line| line.template == template.id);
        let said = templates.iter().filter(sold);
        let messages =
            said.map(|template| (template.id.clone(), template.email_cancellation_message.clone())).collect();
        Ok(Self { order, tickets, sale, memberships, messages })
    }
}

/// The orders that were sold at the price of memberships that a refund takes back: the order itself, as it would be, and
/// those known by the addresses and phone numbers of the memberships' holders and of the order. One call for each of
/// these and one for what it finds, and none where no membership is taken back.
pub(crate) async fn relying_on(
    app: &App,
    caller: &Caller,
    order: &Order,
    wanted: &OrderRefund,
) -> Result<Vec<RelyingOrder>, ApiError> {
    let returned = &wanted.releases.memberships;
    if returned.is_empty() {
        return Ok(Vec::new());
    }
    let people = returned.iter().flat_map(|found| &found.before.cards).map(|card| &card.person);
    let mut emails: BTreeSet<&str> = people.clone().filter_map(|person| person.email.as_deref()).collect();
    let mut phones: BTreeSet<&str> = people.filter_map(|person| person.phone_number.as_deref()).collect();
    for person in [&order.contact, &order.billing] {
        emails.extend(person.email.as_deref());
        phones.extend(person.phone_number.as_deref());
    }
    let contacts =
        emails.into_iter().map(ContactDetail::Email).chain(phones.into_iter().map(ContactDetail::Phone));
    let mut orders = vec![order.clone()];
    for contact in contacts {
        let found = app.store.find_orders(caller.tenant.id, contact).await?;
        orders.extend(found.into_iter().filter(|found| found.id != order.id));
    }
    Ok(relying(&orders, returned, caller.clock.now()))
}
