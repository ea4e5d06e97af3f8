//! A service on the embedded engine, with two tenants, and an order to read.

use adapters::clock::wall_now;
use adapters::order_link::order_token;
use domain::card::{CardBrand, Expiry};
use domain::cart::DonationKind;
use domain::cart_request::DonationDetail;
use domain::catalog::ticket_details::{CheckInWindow, TicketDetails};
use domain::catalog::{AdmissionType, MembershipTerms, Resource, ReviewState, TemplateKind};
use domain::ledger::{Ledger, SlotState};
use domain::merchant::RateCard;
use domain::order::{
    CardSummary, Order, OrderAddOnLine, OrderAmounts, OrderDonationLine, OrderLine, OrderPerson, OrderState,
    OrderTicketLine, Payment, Ticket, TicketStatus,
};
use domain::outbox::OutboxMail;
use domain::rate_limit::{Rate, RateLimit};
use domain::tenant::{ApiKey, Scope, Tenant};
use domain::{
    CustomerId, FormId, InstanceId, InventoryId, Mid, Money, OrderId, OrderItemId, OrderNumber, Percent,
    SaleId, Template, TemplateId, TicketBarcode, TicketId, TicketTypeId, Timestamp, Zone,
};
use serde_json::Value;
use std::collections::BTreeMap;
use store::checkout::{Secure, Settlement, plan_free_order};
use store::identity::key_hash;
use testkit::image::TableImage;
use testkit::tenants::{key, tenant};
use testkit::{Tables, Venue};

/// The running service. Its keys are called like their scopes; those of the other tenant start with `other-`.
pub(crate) struct Service(Venue);

impl Service {
    pub(crate) async fn start() -> Self {
        static IMAGE: TableImage = TableImage::new();
        let tables = Tables::copy_of(&IMAGE, write).await;
        Self(Venue::new(&tables, crate::router(), "b2b"))
    }

    /// Calls of the database so far.
    pub(crate) fn calls(&self) -> usize {
        self.0.faults.calls().len()
    }

    /// The token of a link to an order that ends at this second.
    pub(crate) async fn order_token(&self, order: &OrderId, expires_secs: i64) -> String {
        let app = &self.0.app;
        let tenant = app.tenant(tenant_of(204).id).await.unwrap();
        let key = app.hash_key(&tenant).await.unwrap();
        order_token(&key, order, expires_secs).expose()
    }

    pub(crate) async fn get_text(&self, path: &str, key: &str) -> (u16, String) {
        let answer = self.0.send(testkit::get(path).by(key).header("x-b2c-tenant-id", "")).await;
        (answer.status, answer.text)
    }

    pub(crate) async fn get(&self, path: &str, key: &str) -> (u16, Value) {
        let (status, body) = self.get_text(path, key).await;
        (status, serde_json::from_str(&body).unwrap())
    }

    pub(crate) async fn answer(&self, path: &str, key: &str) -> testkit::Answer {
        self.0.send(testkit::get(path).by(key).header("x-b2c-tenant-id", "")).await
    }

    pub(crate) async fn send(&self, ask: testkit::Ask) -> testkit::Answer {
        self.0.send(ask.header("x-b2c-tenant-id", "")).await
    }

    pub(crate) fn store(&self) -> &store::Store {
        &self.0.store
    }

    /// Lets a key search so often in a day.
    pub(crate) async fn limit_searches(&self, count: u32) {
        let limits = BTreeMap::from([(RateLimit::SearchesPerKey, Rate { count, window_secs: 86_400 })]);
        self.0.tables.save_tenant(Tenant { limits, ..tenant_of(204) }).await;
    }

    /// Keeps a key that opens what either of these scopes does.
    pub(crate) async fn keep_key(&self, text: &str, scopes: [Scope; 2]) {
        let both = ApiKey { scopes: scopes.into(), ..key(tenant_of(204).id, Scope::Door) };
        self.0.store.save_api_key(&key_hash(text), &both).await.unwrap();
    }

    /// Puts the slot on sale that the order is for.
    pub(crate) async fn open_slot(&self) {
        let (instance, start) = (instance(), instance().start());
        let ledger = Ledger {
            instance,
            template: template_id(),
            schedule: None,
            shard: 0,
            start,
            end: domain::time::plus_secs(start, 3_600),
            state: SlotState::Active,
            size: 100,
            free: 98,
            sold: 2,
            holds: BTreeMap::new(),
            edited: false,
        };
        self.0.app.store.create_ledger(tenant_of(204).id, &ledger).await.unwrap();
    }

    /// Stores a mail of the order.
    pub(crate) async fn owe(&self, mail: OutboxMail) {
        let order = order();
        let key = store::Key::outbox(order.tenant, &order.id, mail.kind);
        self.0.app.store.save(&key, &mail).await.unwrap();
    }

    /// Stores an order as a checkout leaves it.
    pub(crate) async fn sell(&self, order: &Order, tickets: &[Ticket]) {
        let secure =
            Secure { order: order.clone(), cart: None, guard: None, key: None, ledgers: BTreeMap::new() };
        let at = order.created_at;
        let settlement =
            Settlement { order, paid_at: at, settled_at: at, tickets, sale: None, mails: &[], mails_due: at };
        self.0.app.store.point_to(order).await.unwrap().unwrap();
        let plan = plan_free_order(&secure, &settlement, wall_now()).unwrap();
        self.0.app.store.commit(&plan, order.id.as_str()).await.unwrap().unwrap();
    }
}

async fn write(tables: Tables) {
    for (tenant, prefix) in [(204, ""), (205, "other-")] {
        let tenant = tenant_of(tenant);
        for scope in Scope::ALL {
            let text = format!("{prefix}{}", scope.name());
            tables.store.save_api_key(&key_hash(&text), &key(tenant.id, scope)).await.unwrap();
        }
        tables.save_tenant(tenant).await;
    }
    tables.store.save_template(tenant_of(204).id, &template()).await.unwrap();
}

fn tenant_of(id: i64) -> Tenant {
    Tenant { zone: Zone::parse("America/Los_Angeles").unwrap(), ..tenant(id) }
}

fn instant(text: &str) -> Timestamp {
    tenant_of(204).zone.parse_instant(text).unwrap()
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

fn template_id() -> TemplateId {
    TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap()
}

pub(crate) fn instance() -> InstanceId {
    InstanceId::parse("7a10c4e2b95d3f0816e4a2c1").unwrap()
}

fn template() -> Template {
    let window =
        CheckInWindow { minutes_before: Some(30), minutes_after: None, block_scan: true, auto_rebook: false };
    Template {
        id: template_id(),
        kind: TemplateKind::Standard,
        admission: AdmissionType::GeneralAdmission,
        name: "Harbor Gallery Entry".into(),
        description: "Entry".into(),
        short_description: "Entry".into(),
        summary: String::new(),
        email_confirmation_message: String::new(),
        email_cancellation_message: String::new(),
        start: instant("2026-01-01"),
        end: None,
        review_state: ReviewState::Published,
        duration_minutes: 60,
        capacity: 100,
        price_lists: Vec::new(),
        schedules: Vec::new(),
        ticket_details: TicketDetails {
            check_in_window: Some(window),
            ticket_print_lines: vec!["Harbor Gallery".into()],
            ..TicketDetails::default()
        },
        membership: MembershipTerms::default(),
        member_only: false,
        all_members_can_purchase: false,
        display_order: 0,
        add_ons: Vec::new(),
        forms: vec![FormId::parse("5a10c4e2b95d3f0816e4a2c1").unwrap()],
        images: Vec::new(),
        custom_fields: Vec::new(),
        resources: vec![Resource {
            kind: "guide".into(),
            resource_template_id: None,
            resource_id: None,
            quantity: 1,
            fields: Vec::new(),
        }],
        last_published: None,
        venue: domain::catalog::venue::VenueFields::default(),
        last_updated: instant("2026-01-01"),
    }
}

pub(crate) fn person(email: &str) -> OrderPerson {
    OrderPerson {
        first_name: Some("Ines".into()),
        last_name: Some("Okafor".into()),
        full_name: None,
        email: Some(email.into()),
        phone_number: Some("(555) 555-0142".into()),
        address1: Some("18 Quay Street".into()),
        address2: None,
        city: Some("Portview".into()),
        state: Some("California".into()),
        zip_code: Some("94000".into()),
        country: Some("United States".into()),
    }
}

/// Two tickets at a member price, an add-on for their event, and a donation, paid by card.
pub(crate) fn order() -> Order {
    let buyer = person("ines.okafor@example.org");
    Order {
        id: OrderId::parse("31840526").unwrap(),
        tenant: tenant_of(204).id,
        number: OrderNumber::parse("100731946").unwrap(),
        receipt: None,
        state: OrderState::Paid { at: instant("2026-03-14T10:22:07") },
        visitor: "2718281".into(),
        customer: Some(CustomerId::parse(9_053_417).unwrap()),
        contact: buyer.clone(),
        billing: buyer,
        ticket_delivery_email: None,
        notes: None,
        lines: vec![ticket_line(), add_on(), donation()],
        currency: Default::default(),
        total: Money::from_cents(4_940),
        retail_total: Money::from_cents(5_300),
        payment: Some(payment()),
        refunded: Money::ZERO,
        coupons: Default::default(),
        stock: Default::default(),
        entitlements: Vec::new(),
        forms: Default::default(),
        messages: Default::default(),
        notices: Vec::new(),
        membership_ids: vec![domain::MembershipId::parse(4_100_200).unwrap()],
        send_email: false,
        locale: Default::default(),
        cart: None,
        reservation: None,
        operator: None,
        created_at: instant("2026-03-14T10:22:05"),
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

fn ticket_line_id() -> OrderItemId {
    OrderItemId::parse("40177392").unwrap()
}

fn ticket_line() -> OrderLine {
    OrderLine::Ticket(OrderTicketLine {
        id: ticket_line_id(),
        instance: instance(),
        shard: 0,
        template: template_id(),
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
    })
}

fn add_on() -> OrderLine {
    OrderLine::AddOn(OrderAddOnLine {
        id: OrderItemId::parse("40177393").unwrap(),
        inventory: InventoryId::parse(7).unwrap(),
        instance: Some(instance()),
        name: "Audio Guide".into(),
        amounts: amounts(1, 700, 700),
        tax: None,
    })
}

fn donation() -> OrderLine {
    let detail = DonationDetail {
        donation_fund_name: Some("Lighthouse".into()),
        donor_recognition: Some("Anonymous".into()),
        ..DonationDetail::default()
    };
    OrderLine::Donation(Box::new(OrderDonationLine {
        id: OrderItemId::parse("40177394").unwrap(),
        inventory: InventoryId::parse(8).unwrap(),
        kind: DonationKind::Donation,
        name: "Lighthouse Fund".into(),
        detail,
        amounts: amounts(1, 1_000, 1_000),
    }))
}

fn payment() -> Payment {
    Payment {
        sale: SaleId::from_bytes([7; 16]),
        mid: Mid::parse("60417").unwrap(),
        amount: Money::from_cents(4_940),
        card: CardSummary {
            brand: CardBrand::Visa,
            last_four: "4242".into(),
            expiry: Expiry::parse("0929").unwrap(),
        },
        rate_card: RateCard { percentage: Percent::parse("2.9").unwrap(), fixed: Money::from_cents(30) },
        descriptor: "HARBOR".into(),
    }
}

/// So many tickets of the first line.
pub(crate) fn tickets(count: u64) -> Vec<Ticket> {
    (1..=count)
        .map(|number| Ticket {
            id: TicketId::from_bits(number),
            barcode: TicketBarcode::from_bytes(u128::from(number).to_be_bytes()),
            line: ticket_line_id(),
            status: TicketStatus::Normal,
            printed: false,
        })
        .collect()
}
