//! What a venue has more and more of, and how it comes to have it.

use crate::laws::growth::copies::{Model, Renamed, delete_all, part, stored};
use crate::laws::outages::{MEMBER, Venue};
use crate::laws::support::{key_of, keyed};
use crate::laws::week::{Week, zone};
use boxoffice::testing::Service;
use domain::ledger::Ledger;
use domain::tenant::Scope;
use domain::{InstanceId, OrderId, OrderNumber, SaleId, TemplateId, TenantId, Timestamp};
use std::fmt;
use store::identity::key_hash;
use store::order::{contact_hash, email_hash};
use store::{AttributeValue, Consistency, Key, Table, sortable_secs};

const TENANT: i64 = 1001;
const GALLERY: &str = "1001ee000000000000000001";
const LANTERNS: &str = "1001ee000000000000000002";
const COUPON: &str = "1001c0000000000000000001";
const COUPON_CODE: &str = "WELCOME10";
/// The demo museum's membership: its id, its number, its card and the card's holder.
const MEMBERSHIP: [&str; 4] = ["100100051", "100100031", "100100071", "100100011"];
/// The other demo venue.
const NEIGHBOUR: &str = "1002";
/// Slots that tickets are sold of. They are the first ones, since requests delete some of the others.
const SLOTS_SOLD: usize = 30;

/// Something of which there can be more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Of the slots that are asked about.
    SoldTickets,
    /// For one slot, and paid by one person.
    Orders,
    Members,
    Templates,
    /// Of the template that is asked about.
    Instances,
    Coupons,
    Keys,
    Tenants,
}

impl Axis {
    pub(crate) const ALL: [Self; 8] = [
        Self::SoldTickets,
        Self::Orders,
        Self::Members,
        Self::Templates,
        Self::Instances,
        Self::Coupons,
        Self::Keys,
        Self::Tenants,
    ];

    /// As many as a small venue has.
    pub(crate) const fn few(self) -> usize {
        match self {
            Self::SoldTickets => 100,
            Self::Orders | Self::Members | Self::Templates | Self::Coupons | Self::Tenants => 4,
            // A venue of the demo makes a hundred times as many by itself.
            Self::Instances => 45,
            Self::Keys => 14,
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::SoldTickets => "sold tickets",
            Self::Orders => "orders",
            Self::Members => "members",
            Self::Templates => "templates",
            Self::Instances => "instances",
            Self::Coupons => "coupons",
            Self::Keys => "keys",
            Self::Tenants => "tenants",
        })
    }
}

/// How much a venue has of everything.
#[derive(Debug, Clone)]
pub(crate) struct Extent {
    grown: Vec<Axis>,
    times: usize,
}

impl Extent {
    /// Few of everything.
    pub(crate) const fn small() -> Self {
        Self { grown: vec![], times: 1 }
    }

    /// So many times as much of these.
    pub(crate) fn grown(axes: &[Axis], times: usize) -> Self {
        Self { grown: axes.to_vec(), times }
    }

    fn of(&self, axis: Axis) -> usize {
        axis.few() * if self.grown.contains(&axis) { self.times } else { 1 }
    }

    fn more(&self, axis: Axis, there: usize) -> usize {
        self.of(axis).saturating_sub(there)
    }
}

pub(crate) fn tenant() -> TenantId {
    TenantId::parse(TENANT).unwrap()
}

/// A venue of this extent.
pub(crate) async fn venue(extent: &Extent, week: Week) -> Venue {
    let service = keyed(Service::start_on_this_thread().await).await;
    keep_instances(&service, week, extent.of(Axis::Instances)).await;
    sell_tickets(&service, extent.of(Axis::SoldTickets)).await;
    let store = &service.store;
    let templates = store.load_templates(tenant(), Consistency::Strong).await.unwrap().len();
    add_templates(&service, week, extent.more(Axis::Templates, templates)).await;
    let members = store.list_memberships(tenant()).await.unwrap().len();
    add_members(&service, extent.more(Axis::Members, members)).await;
    let definitions = store.load_definitions(tenant(), Consistency::Strong).await.unwrap();
    add_coupons(&service, extent.more(Axis::Coupons, definitions.coupons.len())).await;
    let keys = store.load_api_keys(tenant()).await.unwrap().len();
    add_keys(&service, extent.more(Axis::Keys, keys)).await;
    let tenants = store.load_all_tenants().await.unwrap().len();
    add_tenants(&service, extent.more(Axis::Tenants, tenants)).await;
    let mut venue = Box::pin(Venue::open(service)).await;
    add_orders(&mut venue, extent.more(Axis::Orders, 1)).await;
    venue
}

/// Deletes the slots of the gallery that come before the week, and those behind so many.
async fn keep_instances(service: &Service, week: Week, most: usize) {
    let mut slots = stored(service, Table::Reservations).await;
    let gallery = AttributeValue::S(GALLERY.to_owned());
    slots.retain(|slot| slot.get("template") == Some(&gallery));
    slots.sort_by(|one, other| part(one, "sk").cmp(part(other, "sk")));
    let begins = sortable_secs(week.begins().timestamp());
    let begun = slots.partition_point(|slot| part(slot, "sk") < begins.as_str());
    let mut gone = slots.split_off((begun + most).min(slots.len()));
    gone.extend(slots.into_iter().take(begun));
    delete_all(service, Table::Reservations, gone.into_iter()).await;
}

/// Has so many more tickets sold of each of the first slots of the gallery, which have so many more seats for it.
async fn sell_tickets(service: &Service, tickets: usize) {
    let (store, tickets) = (&service.store, u32::try_from(tickets).unwrap());
    let gallery = TemplateId::parse(GALLERY).unwrap();
    let (first, last) = (Timestamp::UNIX_EPOCH, InstanceId::last_start());
    let slots = store.load_ledgers(tenant(), &gallery, first, last, SLOTS_SOLD).await.unwrap();
    assert_eq!(slots.len(), SLOTS_SOLD);
    for slot in slots {
        let sold = Ledger { size: slot.size + tickets, sold: slot.sold + tickets, ..slot };
        store.save(&Key::ledger(tenant(), &sold.instance, sold.shard), &sold).await.unwrap();
    }
}

/// Adds events of an evening of the week.
async fn add_templates(service: &Service, week: Week, more: usize) {
    let store = &service.store;
    let lanterns = TemplateId::parse(LANTERNS).unwrap();
    let evenings = store.load_ledgers(tenant(), &lanterns, week.begins(), week.ends(), 1).await.unwrap();
    let evening = evenings.first().unwrap();
    let id = |number: usize| TemplateId::parse(&format!("1001ee1{number:017}")).unwrap();
    let names = (0..more).map(|number| vec![Renamed::new(LANTERNS, id(number))]);
    Model::saying(service, Table::Catalog, &[LANTERNS]).await.copy(service, names).await;
    for template in (0..more).map(id) {
        let (schedule, start) = (evening.schedule.as_ref(), evening.start);
        let instance = InstanceId::of(&template, schedule, zone().local(start), start).unwrap();
        let slot = Ledger { instance, template, ..evening.clone() };
        store.create_ledger(tenant(), &slot).await.unwrap();
    }
}

/// Adds persons of other names and addresses, each with a membership and a card.
async fn add_members(service: &Service, more: usize) {
    let names = |number: usize| {
        let ids = MEMBERSHIP.iter().zip(4_usize..);
        let ids = ids.map(|(id, first)| Renamed::new(id, first * 100_000_000 + number));
        let others = [
            Renamed::new(email_hash(MEMBER), contact_hash(&format!("growth-{number}@example.test"))),
            Renamed::new("lindqvist", format!("growth-{number}")),
            Renamed::new("Lindqvist", format!("Growth-{number}")),
        ];
        ids.chain(others).collect::<Vec<_>>()
    };
    let model = Model::saying(service, Table::Members, &MEMBERSHIP).await;
    model.copy(service, (0..more).map(names)).await;
}

async fn add_coupons(service: &Service, more: usize) {
    let names = |number: usize| {
        let id = format!("1001c01{number:017}");
        vec![Renamed::new(COUPON, id), Renamed::new(COUPON_CODE, format!("GROWTH{number}"))]
    };
    let model = Model::saying(service, Table::Catalog, &[COUPON]).await;
    model.copy(service, (0..more).map(names)).await;
}

async fn add_keys(service: &Service, more: usize) {
    let hash = key_hash(&key_of(Scope::Door, TENANT));
    let names = |number: usize| vec![Renamed::new(&hash, key_hash(&format!("growth-{number}")))];
    let model = Model::saying(service, Table::Catalog, &[hash.as_str()]).await;
    model.copy(service, (0..more).map(names)).await;
}

/// Adds venues that allow the same origins, without anything to sell.
async fn add_tenants(service: &Service, more: usize) {
    let (partition, mark) = (format!("T#{NEIGHBOUR}#TENANT"), format!("T#{NEIGHBOUR}"));
    let names = |number: usize| vec![Renamed::new(NEIGHBOUR, 2_000 + number)];
    let model =
        Model::of(service, Table::Catalog, |item| part(item, "pk") == partition || part(item, "sk") == mark);
    model.await.copy(service, (0..more).map(names)).await;
}

/// Sells the member an order of the slot that is asked about, and adds so many more like it.
async fn add_orders(venue: &mut Venue, more: usize) {
    let id = OrderId::parse(&venue.order_of_member().await).unwrap();
    let service = &venue.service;
    let order = service.store.load_order(tenant(), &id).await.unwrap().unwrap();
    let sale = order.payment.unwrap().sale;
    let names = |number: usize| {
        let number = u64::try_from(number).unwrap();
        vec![
            Renamed::new(&order.id, OrderId::from_bits(1_000_000_000_000 + number)),
            Renamed::new(&order.number, OrderNumber::from_bits(500_000_000 + number)),
            Renamed::new(&sale, SaleId::from_bytes(u128::from(number).to_be_bytes())),
        ]
    };
    for (table, said) in [(Table::Orders, order.id.as_str()), (Table::Merchants, sale.as_str())] {
        let model = Model::saying(service, table, &[said]).await;
        model.copy(service, (0..more).map(names)).await;
    }
}
