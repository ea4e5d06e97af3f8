//! A service on the embedded engine, orders to confirm, and the mail world outside.

use crate::deliver;
use crate::locale::Locale;
use crate::render::{ConfirmationMail, render};
use crate::view::{self, Unsaid};
use crate::{DeliverError, Delivered};
use adapters::App;
use adapters::clock::wall_now;
use adapters::mail::{MailError, MailTransport, OutgoingMail};
use async_trait::async_trait;
use domain::card::{CardBrand, Expiry};
use domain::cart::DonationKind;
use domain::cart_request::DonationDetail;
use domain::catalog::AdmissionType;
use domain::merchant::RateCard;
use domain::order::{
    CardSummary, Order, OrderAddOnLine, OrderAmounts, OrderDonationLine, OrderLine, OrderPerson, OrderState,
    OrderTicketLine, Payment, Ticket, TicketStatus,
};
use domain::outbox::{MailJob, MailKind, MailState, OrderMail, OutboxMail, mails_of};
use domain::tenant::{ConsumerSite, Tenant};
use domain::{
    InstanceId, InventoryId, Language, Mid, Money, OrderId, OrderItemId, OrderNumber, Percent, SaleId,
    TemplateId, TenantId, TicketBarcode, TicketId, TicketTypeId, Timestamp, Zone,
};
use engine::FaultPlan;
use std::collections::BTreeMap;
use std::sync::Mutex;
use store::checkout::{Secure, Settlement, plan_free_order};
use testkit::Tables;

pub(crate) fn tenant_id() -> TenantId {
    testkit::tenant_id(204)
}

pub(crate) fn tenant() -> Tenant {
    Tenant {
        zone: Zone::parse("America/Los_Angeles").unwrap(),
        mail_from: Some("tickets@harbor.example".into()),
        ..testkit::tenant(204)
    }
}

/// A service, and the faults its database is to meet.
pub(crate) async fn service() -> (App, FaultPlan) {
    service_of(tenant()).await
}

/// A service whose tenant has sites that members and staff log in to.
pub(crate) async fn service_with_site() -> (App, FaultPlan) {
    let consumer_site = Some(ConsumerSite::parse("https://members.harbor.example").unwrap());
    let staff_site = Some(ConsumerSite::parse("https://staff.harbor.example").unwrap());
    service_of(Tenant { consumer_site, staff_site, ..tenant() }).await
}

async fn service_of(tenant: Tenant) -> (App, FaultPlan) {
    let tables = Tables::open().await;
    tables.save_tenant(tenant).await;
    let faults = FaultPlan::new();
    (App::new(tables.store_under(&faults), tables.adapters()), faults)
}

fn instant(text: &str) -> Timestamp {
    tenant().zone.parse_instant(text).unwrap()
}

fn amounts(quantity: u32, retail_unit: i64, unit: i64) -> OrderAmounts {
    let (retail_unit, unit) = (Money::from_cents(retail_unit), Money::from_cents(unit));
    OrderAmounts {
        quantity,
        retail_unit,
        unit,
        retail_amount: retail_unit.checked_mul(quantity).unwrap(),
        amount: unit.checked_mul(quantity).unwrap(),
    }
}

pub(crate) fn ticket_line() -> OrderTicketLine {
    OrderTicketLine {
        id: OrderItemId::parse("40177392").unwrap(),
        instance: InstanceId::parse("7a10c4e2b95d3f0816e4a2c1").unwrap(),
        shard: 0,
        template: TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap(),
        ticket_type: TicketTypeId::parse("66d1b2f0a93c4e517720bb01").unwrap(),
        event_name: "Harbor Gallery Entry".into(),
        ticket_type_name: "Adult".into(),
        event_start: instant("2026-03-16T09:00:00"),
        admission: AdmissionType::GeneralAdmission,
        hide_event_date: false,
        amounts: amounts(2, 1_800, 1_620),
        applied: None,
        cart_item: None,
        tax: None,
    }
}

/// Two tickets, an add-on and a donation, paid by card.
pub(crate) fn order(id: u64) -> Order {
    let payer = OrderPerson {
        first_name: Some("Ines".into()),
        last_name: Some("Okafor".into()),
        email: Some("ines.okafor@example.org".into()),
        ..OrderPerson::default()
    };
    let paid_at = instant("2026-03-14T10:22:05");
    Order {
        id: OrderId::from_bits(id),
        tenant: tenant_id(),
        number: OrderNumber::from_bits(id),
        receipt: None,
        state: OrderState::Paid { at: paid_at },
        visitor: "2718281".into(),
        customer: None,
        contact: payer.clone(),
        billing: payer,
        ticket_delivery_email: None,
        notes: None,
        lines: vec![OrderLine::Ticket(ticket_line()), add_on(), donation()],
        currency: Default::default(),
        total: Money::from_cents(4_940),
        retail_total: Money::from_cents(5_300),
        payment: Some(payment()),
        refunded: Money::ZERO,
        membership_ids: Vec::new(),
        coupons: Default::default(),
        stock: Default::default(),
        entitlements: Vec::new(),
        forms: Vec::new(),
        messages: [(ticket_line().template, "Doors open at 9.".to_owned())].into(),
        notices: Vec::new(),
        send_email: true,
        locale: Default::default(),
        cart: None,
        reservation: None,
        operator: None,
        created_at: paid_at,
        chosen_clock: false,
        tag: None,
        edits: Default::default(),
        challenge: None,
        late_money: None,
        dispute: None,
        failed_refunds: Vec::new(),
        after_sale: Default::default(),
        admission: Default::default(),
    }
}

fn add_on() -> OrderLine {
    OrderLine::AddOn(OrderAddOnLine {
        id: OrderItemId::parse("40177393").unwrap(),
        inventory: InventoryId::parse(7).unwrap(),
        instance: None,
        name: "Audio Guide".into(),
        amounts: amounts(1, 700, 700),
        tax: None,
    })
}

fn donation() -> OrderLine {
    OrderLine::Donation(Box::new(OrderDonationLine {
        id: OrderItemId::parse("40177394").unwrap(),
        inventory: InventoryId::parse(8).unwrap(),
        kind: DonationKind::Donation,
        name: "Lighthouse Fund".into(),
        detail: DonationDetail::default(),
        amounts: amounts(1, 1_000, 1_000),
    }))
}

fn payment() -> Payment {
    Payment {
        sale: SaleId::from_bytes([7; 16]),
        mid: Mid::parse("60417").unwrap(),
        amount: Money::from_cents(4_940),
        card: CardSummary {
            brand: CardBrand::AmericanExpress,
            last_four: "0005".into(),
            expiry: Expiry::parse("0929").unwrap(),
        },
        rate_card: RateCard { percentage: Percent::parse("2.9").unwrap(), fixed: Money::from_cents(30) },
        descriptor: "HARBOR".into(),
    }
}

/// The tickets of [`ticket_line`].
pub(crate) fn tickets() -> Vec<Ticket> {
    (1..=2_u8)
        .map(|number| Ticket {
            id: TicketId::from_bits(number.into()),
            barcode: TicketBarcode::from_bytes([number; 16]),
            line: ticket_line().id,
            status: TicketStatus::Normal,
            printed: false,
        })
        .collect()
}

/// What a mail of an order says.
pub(crate) fn said(order: &Order, tickets: &[Ticket], mail: &OutboxMail) -> Result<ConfirmationMail, Unsaid> {
    said_by(&tenant(), order, tickets, mail)
}

/// What a mail of an order of that tenant says.
pub(crate) fn said_by(
    tenant: &Tenant,
    order: &Order,
    tickets: &[Ticket],
    mail: &OutboxMail,
) -> Result<ConfirmationMail, Unsaid> {
    let locale = Locale::of(view::language(tenant, order, mail)).unwrap();
    view::mail(&locale, tenant, "tickets@harbor.example", order, tickets, mail)
}

/// A mail in a language as it is sent.
pub(crate) fn in_language(language: Language, said: &ConfirmationMail) -> OutgoingMail {
    render(&Locale::of(language).unwrap(), said).unwrap()
}

/// A mail in English as it is sent.
pub(crate) fn in_english(said: &ConfirmationMail) -> OutgoingMail {
    in_language(Language::English, said)
}

/// Stores a paid order with its tickets and the mails it owes, and tells what the queue would say of them.
pub(crate) async fn sell(app: &App, order: &Order) -> Vec<OrderMail> {
    keep(app, order, &tickets(), &mails_of(order)).await
}

/// Stores a paid order with these tickets and mails, and tells what the queue would say of them.
pub(crate) async fn keep(
    app: &App,
    order: &Order,
    tickets: &[Ticket],
    mails: &[OutboxMail],
) -> Vec<OrderMail> {
    let secure =
        Secure { order: order.clone(), cart: None, guard: None, key: None, ledgers: BTreeMap::new() };
    let paid_at = order.created_at;
    let settlement =
        Settlement { order, paid_at, settled_at: paid_at, tickets, sale: None, mails, mails_due: paid_at };
    let plan = plan_free_order(&secure, &settlement, wall_now()).unwrap();
    app.store.commit(&plan, order.id.as_str()).await.unwrap().unwrap();
    let job = |kind| OrderMail { tenant: order.tenant, order: order.id.clone(), kind };
    mails.iter().map(|mail| job(mail.kind)).collect()
}

/// The only job of an order that owes one mail.
pub(crate) async fn sell_one(app: &App, id: u64) -> OrderMail {
    let [job] = sell(app, &order(id)).await.try_into().unwrap();
    job
}

pub(crate) async fn state(app: &App, job: &OrderMail) -> MailState {
    app.store.load_mail(job.tenant, &job.order, job.kind).await.unwrap().unwrap().state
}

pub(crate) async fn try_deliver(
    app: &App,
    outside: &Outside,
    job: &OrderMail,
) -> Result<Delivered, DeliverError> {
    try_job(app, outside, &MailJob::Order(job.clone())).await
}

pub(crate) async fn try_job(app: &App, outside: &Outside, job: &MailJob) -> Result<Delivered, DeliverError> {
    Box::pin(deliver(app, outside, job)).await
}

/// What the mail service answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Accept,
    Throttle,
    Refuse,
    Panic,
}

/// The mail service: remembers what it accepted, and answers as told for single orders.
#[derive(Default)]
pub(crate) struct Outside {
    sent: Mutex<Vec<OutgoingMail>>,
    answers: Mutex<BTreeMap<String, Answer>>,
    /// What is answered where nothing is told.
    usual: Mutex<Option<Answer>>,
}

impl Outside {
    /// From now on, mails of this order are answered so.
    pub(crate) fn answer(&self, order: &OrderId, answer: Answer) {
        self.answers.lock().unwrap().insert(mail_name(order), answer);
    }

    /// From now on, mails of which nothing else is told are answered so.
    pub(crate) fn answer_all(&self, answer: Answer) {
        *self.usual.lock().unwrap() = Some(answer);
    }

    pub(crate) fn sent(&self) -> Vec<OutgoingMail> {
        self.sent.lock().unwrap().clone()
    }

    pub(crate) fn sent_ids(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.sent().into_iter().map(|mail| mail.message_id).collect();
        ids.sort();
        ids
    }
}

#[async_trait]
impl MailTransport for Outside {
    async fn send(&self, mail: &OutgoingMail) -> Result<(), MailError> {
        tokio::task::yield_now().await;
        let name = name_in(&mail.message_id);
        let usual = self.usual.lock().unwrap().unwrap_or(Answer::Accept);
        let answer = self.answers.lock().unwrap().get(name).copied().unwrap_or(usual);
        match answer {
            Answer::Accept => {
                self.sent.lock().unwrap().push(mail.clone());
                Ok(())
            }
            Answer::Throttle => Err(MailError::retry("too many mails per second")),
            Answer::Refuse => Err(MailError::refused("the account may not write to this domain")),
            Answer::Panic => panic!("the transport broke down"),
        }
    }
}

/// The Message-ID of an order's mail.
pub(crate) fn message_id(id: u64, kind: MailKind) -> String {
    format!("<order-{}.{kind}@boxoffice.example>", mail_name(&order(id).id))
}

/// What the mails of an order have in common.
fn mail_name(id: &OrderId) -> String {
    let mails = mails_of(&Order { id: id.clone(), ..order(1) });
    name_in(&mails[0].message_id).to_owned()
}

fn name_in(message_id: &str) -> &str {
    message_id.trim_start_matches("<order-").split('.').next().unwrap()
}
