mod combos;
mod discounts;
mod memberships;

use super::*;
use crate::cart::CouponMessage;
use crate::cart_request::{DonationDetail, WantedMembership};
use crate::catalog::ReviewState;
use crate::channel::SalesChannel;
use crate::coupon::CouponProblem;
use crate::{PriceListId, TemplateId};
use proptest::prelude::*;
use serde_json::json;

/// 18:00 in June 2027; the slot starts an hour later.
fn now() -> Timestamp {
    "2027-06-01T18:00:00Z".parse().unwrap()
}

fn start() -> Timestamp {
    plus_secs(now(), 3_600)
}

fn cents(text: &str) -> Money {
    Money::parse(text).unwrap()
}

fn ticket_type(name: &str) -> TicketTypeId {
    TicketTypeId::parse(name).unwrap()
}

fn template() -> Template {
    let stored = json!({
        "id": "6f2e91b0c47d5a3e18b90f42",
        "name": "Harbor Gallery Entry",
        "description": "",
        "short_description": "",
        "start": start(),
        "review_state": "Published",
        "duration_minutes": 60,
        "capacity": 10,
        "price_lists": [{
            "id": "regular",
            "name": "Regular",
            "prices": [
                {"ticket_type": "adult", "price": 2000, "display_order": 1},
                {"ticket_type": "child", "price": 1250, "display_order": 2},
                {"ticket_type": "counter", "price": 1500, "display_order": 3, "sales_channels": [
                    {"channel": "pointOfSale", "enabled": true},
                ]},
                {"ticket_type": "retired", "price": 900, "display_order": 4},
                {"ticket_type": "golden", "price": i64::MAX, "display_order": 5},
            ],
        }],
        "last_updated": now(),
    });
    serde_json::from_value(stored).unwrap()
}

fn instance() -> InstanceId {
    InstanceId::of(&template().id, None, start().naive_utc(), start()).unwrap()
}

fn ledger() -> Ledger {
    Ledger {
        instance: instance(),
        template: template().id,
        schedule: None,
        shard: 0,
        start: start(),
        end: plus_secs(start(), 3_600),
        state: SlotState::Active,
        size: 10,
        free: 0,
        sold: 10,
        holds: BTreeMap::new(),
        edited: false,
    }
}

/// What a tenant sells, and when; every part can be changed by a test.
struct Shop {
    templates: Vec<Template>,
    person_types: BTreeMap<TicketTypeId, PersonType>,
    inventory: BTreeMap<InventoryId, InventoryItem>,
    discounts: BTreeMap<DiscountId, Discount>,
    coupons: BTreeMap<CouponId, Coupon>,
    combos: BTreeMap<ComboTemplateId, Combo>,
    levels: BTreeMap<LevelId, Level>,
    memberships: BTreeMap<MembershipId, Membership>,
    used_up: BTreeSet<CouponId>,
    buyer: Buyer,
    ledgers: Vec<Ledger>,
    now: Timestamp,
}

fn shop() -> Shop {
    let person_types = ["adult", "child", "counter", "retired", "golden", "unpriced"].map(|name| {
        let person_type = PersonType {
            id: ticket_type(name),
            name: name.to_uppercase(),
            description: String::new(),
            active: name != "retired",
            kind: "individual".to_owned(),
            display_order: 1,
            tax: Default::default(),
        };
        (person_type.id.clone(), person_type)
    });
    let inventory = [
        (1, InventoryKind::AddOn, "4.50", true),
        (2, InventoryKind::FixedDonation, "25.00", true),
        (3, InventoryKind::Donation, "0.00", true),
        (4, InventoryKind::AddOn, "3.00", false),
        (5, InventoryKind::MembershipCardReplacement, "5.00", true),
    ];
    let inventory = inventory.map(|(id, kind, price, active)| {
        let id = InventoryId::parse(id).unwrap();
        let item = InventoryItem {
            id,
            sku: String::new(),
            name: format!("item {id}"),
            description: String::new(),
            kind,
            price: cents(price),
            stock: None,
            active,
            display_order: 1,
            sales_channels: Vec::new(),
            tax: Default::default(),
        };
        (id, item)
    });
    Shop {
        templates: vec![template()],
        person_types: person_types.into(),
        inventory: inventory.into(),
        discounts: BTreeMap::new(),
        coupons: BTreeMap::new(),
        combos: BTreeMap::new(),
        levels: BTreeMap::new(),
        memberships: BTreeMap::new(),
        used_up: BTreeSet::new(),
        buyer: Buyer::default(),
        ledgers: vec![ledger()],
        now: now(),
    }
}

impl Shop {
    fn catalog(&self) -> PricingCatalog<'_> {
        PricingCatalog {
            templates: &self.templates,
            person_types: &self.person_types,
            inventory: &self.inventory,
            discounts: &self.discounts,
            coupons: &self.coupons,
            combos: &self.combos,
            levels: &self.levels,
        }
    }

    fn pricing_context(&self) -> PricingContext<'_> {
        let zone = Zone::parse("America/New_York").unwrap();
        let Self { buyer, used_up, memberships, .. } = self;
        PricingContext { channel: Channel::Online, buyer, zone, used_up, memberships }
    }

    fn price_as(&self, lines: &[LineRequest], terms: &CartTerms) -> Result<PricedLines, PricingRefusals> {
        let view = CatalogView::of_ledgers(self.catalog(), self.pricing_context(), &self.ledgers);
        price(lines, terms, &view, self.now)
    }

    fn price(&self, lines: &[LineRequest]) -> Result<PricedLines, PricingRefusals> {
        self.price_as(lines, &CartTerms::default())
    }

    /// Of each line, the rules that are tried.
    fn traces(&self, lines: &[LineRequest], terms: &CartTerms) -> Vec<Vec<Tried>> {
        let view = CatalogView::of_ledgers(self.catalog(), self.pricing_context(), &self.ledgers);
        price_explained(lines, terms, &view, self.now).unwrap().traces
    }

    fn fault(&self, line: LineRequest) -> Option<LineFault> {
        match self.price(&[line]) {
            Ok(_) => None,
            Err(PricingRefusals(refusals)) => match refusals.as_slice() {
                [PricingRefusal::Line { index: 0, fault }] => Some(*fault),
                other => panic!("one fault was expected: {other:?}"),
            },
        }
    }
}

fn line(number: u8, wanted: Wanted) -> LineRequest {
    LineRequest { id: CartItemId::from_bytes([number; 16]), wanted }
}

fn tickets_as(kind: &str, quantity: u32, treatment: WantedTreatment) -> LineRequest {
    let wanted = WantedTicket {
        instance: instance(),
        ticket_type: ticket_type(kind),
        quantity,
        treatment,
        ignore_entitlements: false,
    };
    line(1, Wanted::Ticket(wanted))
}

fn tickets(kind: &str, quantity: u32) -> LineRequest {
    tickets_as(kind, quantity, WantedTreatment::Best)
}

fn add_on(id: i64, quantity: u32) -> LineRequest {
    let inventory = InventoryId::parse(id).unwrap();
    line(2, Wanted::AddOn(WantedAddOn { inventory, instance: None, quantity }))
}

fn donation(id: i64, gift: Gift) -> LineRequest {
    let inventory = InventoryId::parse(id).unwrap();
    line(3, Wanted::Donation(Box::new(WantedDonation { inventory, gift, detail: DonationDetail::default() })))
}

#[test]
fn lines_are_priced_at_retail_and_add_up() {
    let coupon = || WantedTreatment::Coupons(vec!["SPRING".to_owned()]);
    for (case, line, unit, amount) in [
        ("tickets", tickets("adult", 3), "20.00", "60.00"),
        ("tickets at full price", tickets_as("adult", 2, WantedTreatment::FullPrice), "20.00", "40.00"),
        ("tickets with a code that names nothing", tickets_as("child", 2, coupon()), "12.50", "25.00"),
        ("a price probe", tickets("adult", 0), "20.00", "0.00"),
        ("the largest quantity", tickets("adult", 999), "20.00", "19980.00"),
        ("an add-on", add_on(1, 4), "4.50", "18.00"),
        ("a replacement of a card", add_on(5, 1), "5.00", "5.00"),
        ("a fixed donation", donation(2, Gift::Fixed), "25.00", "25.00"),
        ("a donation of any amount", donation(3, Gift::Chosen(cents("7.77"))), "7.77", "7.77"),
    ] {
        let priced = shop().price(&[line]).unwrap();
        let price = LinePrice { unit: cents(unit), retail_unit: cents(unit), amount: cents(amount) };
        assert_eq!(priced.lines[0].price(), price, "{case}");
        assert_eq!(priced.total, cents(amount), "{case}");
    }
}

#[test]
fn a_line_says_what_it_is_for_and_keeps_what_was_asked() {
    let line = tickets_as("adult", 2, WantedTreatment::Coupons(vec!["SPRING".to_owned()]));
    let priced = shop().price(std::slice::from_ref(&line)).unwrap();
    let CartLine::Ticket(ticket) = &priced.lines[0] else { panic!("not a ticket line") };
    assert_eq!(
        (ticket.event_name.as_str(), ticket.ticket_type_name.as_str()),
        ("Harbor Gallery Entry", "ADULT")
    );
    assert_eq!(ticket.event_start, start());
    let unknown = CouponMessage { code: "SPRING".to_owned(), problem: CouponProblem::Unknown };
    assert_eq!(priced.coupon_messages, [unknown]);
    assert_eq!(LineRequest::from(&priced.lines[0]), line);
}

#[test]
fn a_line_that_cannot_be_priced_says_why() {
    use InventoryKind::{AddOn, Donation, FixedDonation};
    let gift = || Gift::Chosen(cents("5.00"));
    let other = |kind| LineFault::OtherInventoryKind { kind };
    let mut foreign = tickets("adult", 1);
    let Wanted::Ticket(ticket) = &mut foreign.wanted else { panic!("not a ticket line") };
    ticket.instance = InstanceId::parse("0123456789abcdef01234567").unwrap();
    for (case, line, fault) in [
        ("an event that does not exist", foreign, LineFault::UnknownEvent),
        ("a ticket type that does not exist", tickets("nobody", 1), LineFault::UnknownTicketType),
        ("a ticket type no longer offered", tickets("retired", 1), LineFault::UnknownTicketType),
        ("a ticket type without a price", tickets("unpriced", 1), LineFault::NotPriced),
        ("a price of another channel", tickets("counter", 1), LineFault::NotPriced),
        ("an amount beyond money", tickets("golden", 2), LineFault::AmountTooLarge),
        ("an item that does not exist", add_on(9, 1), LineFault::UnknownInventory),
        ("an item no longer offered", add_on(4, 1), LineFault::UnknownInventory),
        ("a donation bought as an add-on", add_on(2, 1), other(FixedDonation)),
        ("a donation of any amount bought as an add-on", add_on(3, 1), other(Donation)),
        ("an add-on given as a donation", donation(1, Gift::Fixed), other(AddOn)),
        ("a fixed donation of a chosen amount", donation(2, gift()), other(FixedDonation)),
        ("a donation of any amount without one", donation(3, Gift::Fixed), other(Donation)),
    ] {
        assert_eq!(shop().fault(line), Some(fault), "{case}");
    }
}

#[test]
fn a_slot_is_priced_only_while_it_is_on_sale() {
    let change = |change: fn(&mut Shop)| {
        let mut shop = shop();
        change(&mut shop);
        shop.fault(tickets("adult", 1))
    };
    let closed_at = start();
    for (case, fault, expected) in [
        ("a full slot is", change(|_| {}), None),
        (
            "a draft is unknown",
            change(|shop| shop.templates[0].review_state = ReviewState::Draft),
            Some(LineFault::UnknownEvent),
        ),
        (
            "an event of a deleted template is unknown",
            change(|shop| shop.templates.clear()),
            Some(LineFault::UnknownEvent),
        ),
        (
            "a cancelled one is not",
            change(|shop| shop.ledgers[0].state = SlotState::Cancelled),
            Some(LineFault::SalesClosed(Closed::Cancelled)),
        ),
        ("the last instant is", change(|shop| shop.now = plus_secs(start(), -1)), None),
        (
            "from the start on it is not",
            change(|shop| shop.now = start()),
            Some(LineFault::SalesClosed(Closed::Window { closed_at })),
        ),
    ] {
        assert_eq!(fault, expected, "{case}");
    }
}

#[test]
fn a_schedule_that_is_off_for_the_channel_closes_its_slots() {
    let mut shop = shop();
    let schedule = json!({"id": "morning", "sales_channels": [{"channel": "kiosk", "enabled": true}]});
    shop.templates[0].schedules = vec![serde_json::from_value(schedule).unwrap()];
    let schedule = shop.templates[0].schedules[0].id.clone();
    let of_schedule = InstanceId::of(&template().id, Some(&schedule), start().naive_utc(), start()).unwrap();
    shop.ledgers[0].instance = of_schedule;
    let mut line = tickets("adult", 1);
    let Wanted::Ticket(ticket) = &mut line.wanted else { panic!("not a ticket line") };
    ticket.instance = of_schedule;
    assert_eq!(shop.fault(line), Some(LineFault::SalesClosed(Closed::ChannelOff)));
}

#[test]
fn every_fault_of_every_line_is_reported_and_the_gravest_kind_answers() {
    let mut shop = shop();
    shop.now = start();
    let mut unknown = tickets("nobody", 1);
    let Wanted::Ticket(ticket) = &mut unknown.wanted else { panic!("not a ticket line") };
    ticket.instance = InstanceId::parse("0123456789abcdef01234567").unwrap();
    let lines = [tickets("adult", 1), add_on(1, 1), unknown, donation(1, Gift::Fixed)];
    let closed = LineFault::SalesClosed(Closed::Window { closed_at: start() });
    let refusals = shop.price(&lines).unwrap_err();
    assert_eq!(
        refusals.0,
        [
            PricingRefusal::Line { index: 0, fault: closed },
            PricingRefusal::Line { index: 2, fault: LineFault::UnknownEvent },
            PricingRefusal::Line { index: 2, fault: LineFault::UnknownTicketType },
            PricingRefusal::Line {
                index: 3,
                fault: LineFault::OtherInventoryKind { kind: InventoryKind::AddOn }
            },
        ]
    );
    assert_eq!(refusals.class(), RefusalClass::Invalid);
    assert_eq!(shop.price(&lines[..3]).unwrap_err().class(), RefusalClass::Unknown);
    assert_eq!(shop.price(&lines[..2]).unwrap_err().class(), RefusalClass::Closed);
}

#[test]
fn a_sum_beyond_money_is_refused() {
    let lines = [tickets("golden", 1), tickets("golden", 1)];
    assert_eq!(shop().price(&lines), Err(PricingRefusals(vec![PricingRefusal::TotalTooLarge])));
}

#[test]
fn the_price_list_in_force_at_the_moment_of_sale_counts() {
    let mut shop = shop();
    let mut later = shop.templates[0].price_lists[0].clone();
    later.id = PriceListId::parse("summer").unwrap();
    later.start = Some(now());
    later.prices[0].price = cents("25.00");
    shop.templates[0].price_lists.push(later);
    for (secs, unit) in [(-1, "20.00"), (0, "25.00")] {
        shop.now = plus_secs(now(), secs);
        let priced = shop.price(&[tickets("adult", 1)]).unwrap();
        assert_eq!(priced.total, cents(unit), "{secs} s");
    }
}

#[test]
fn what_an_id_says_of_a_slot_prices_it_as_its_ledger_does() {
    let shop = shop();
    let view = CatalogView::assumed(shop.catalog(), shop.pricing_context(), [instance()]);
    let lines = [tickets("adult", 2)];
    assert_eq!(price(&lines, &CartTerms::default(), &view, now()), shop.price(&lines));
    let other = InstanceId::of(&TemplateId::parse("other").unwrap(), None, start().naive_utc(), start());
    let view = CatalogView::assumed(shop.catalog(), shop.pricing_context(), [other.unwrap()]);
    assert!(price(&lines, &CartTerms::default(), &view, now()).is_err());
}

#[test]
fn codes_of_cart_and_lines_are_each_named_once() {
    let coupons =
        |codes: &[&str]| WantedTreatment::Coupons(codes.iter().map(|code| (*code).to_owned()).collect());
    let lines = [tickets_as("adult", 1, coupons(&["B", "A"])), tickets_as("child", 1, coupons(&["C", "B"]))];
    let terms = CartTerms { coupon_codes: vec!["A".to_owned()], ..CartTerms::default() };
    let shop = shop();
    let messages = shop.price_as(&lines, &terms).unwrap().coupon_messages;
    let codes: Vec<&str> = messages.iter().map(|message| message.code.as_str()).collect();
    assert_eq!(codes, ["A", "B", "C"]);
}

#[test]
fn an_item_that_is_off_for_the_channel_is_unknown() {
    let mut shop = shop();
    let id = InventoryId::parse(1).unwrap();
    let switch = SalesChannel { name: String::new(), channel: Channel::Kiosk, enabled: true };
    shop.inventory.get_mut(&id).unwrap().sales_channels = vec![switch];
    assert_eq!(shop.fault(add_on(1, 1)), Some(LineFault::UnknownInventory));
}

fn any_line() -> impl Strategy<Value = Wanted> {
    let kind = prop_oneof![Just("adult"), Just("child")];
    prop_oneof![
        (kind, 0..=999_u32).prop_map(|(kind, quantity)| tickets(kind, quantity).wanted),
        (0..=999_u32).prop_map(|quantity| add_on(1, quantity).wanted),
        Just(donation(2, Gift::Fixed).wanted),
        (1..1_000_000_000_i64).prop_map(|gift| donation(3, Gift::Chosen(Money::from_cents(gift))).wanted),
    ]
}

fn any_lines() -> impl Strategy<Value = Vec<LineRequest>> {
    proptest::collection::vec(any_line(), 0..100)
        .prop_map(|lines| (0..).zip(lines).map(|(number, wanted)| line(number, wanted)).collect())
}

proptest! {
    #[test]
    fn the_order_of_lines_never_changes_a_line_or_the_total(lines in any_lines(), turn in 0..100_usize) {
        let mut turned = lines.clone();
        turned.rotate_left(turn.min(lines.len()));
        let (priced, turned) = (shop().price(&lines).unwrap(), shop().price(&turned).unwrap());
        prop_assert_eq!(priced.total, turned.total);
        for line in &priced.lines {
            prop_assert!(turned.lines.contains(line));
        }
    }

    #[test]
    fn a_line_is_its_unit_price_times_its_quantity_and_the_total_is_their_sum(lines in any_lines()) {
        let priced = shop().price(&lines).unwrap();
        let mut total = 0;
        for line in &priced.lines {
            let LinePrice { unit, retail_unit, amount } = line.price();
            prop_assert!(unit <= retail_unit);
            prop_assert_eq!(amount.cents(), unit.cents() * i64::from(line.quantity()));
            total += amount.cents();
        }
        prop_assert_eq!(priced.total.cents(), total);
    }

    #[test]
    fn pricing_the_priced_lines_again_changes_nothing(lines in any_lines()) {
        let priced = shop().price(&lines).unwrap();
        let again: Vec<LineRequest> = priced.lines.iter().map(LineRequest::from).collect();
        prop_assert_eq!(&again, &lines);
        prop_assert_eq!(shop().price(&again).unwrap(), priced);
    }
}
