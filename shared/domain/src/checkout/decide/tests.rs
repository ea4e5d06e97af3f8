use super::*;
use crate::card::{Card, CardBrand, CardFields, Expiry, ToldCard, test_numbers};
use crate::card_token::{PaymentToken, TokenCard};
use crate::cart_request::{
    CartRequest, CartTerms, DonationDetail, Gift, LineRequest, Wanted, WantedAddOn, WantedDonation,
    WantedForm, WantedMembership, WantedTicket, WantedTreatment,
};
use crate::catalog::{InventoryItem, InventoryKind, PersonType};
use crate::channel::Channel;
use crate::checkout::{BuyerFacts, Goods, OrderIds, UnpricedCart, order_of};
use crate::entitlement::{Entitlements, TicketLimits};
use crate::form::{FieldKind, Form, FormField};
use crate::ledger::{Ledger, SlotState};
use crate::membership::{Level, MembershipAction};
use crate::merchant::{Merchant, MerchantStatus, RateCard};
use crate::order::OrderPerson;
use crate::reservation::{Reservation, ReservationTerms};
use crate::stripe::StripeSettings;
use crate::tax::Tax;
use crate::tenant::{DEFAULT_HOLD_SECS, DoorRules, MemberClaims, Tenant};
use crate::time::plus_secs;
use crate::{
    BarcodeTag, CartId, CartItemId, Currency, FormId, Mid, OrderId, OrderItemId, OrderNumber, Percent,
    ReservationId, SaleId, TenantId, TicketTypeId, Zone,
};
use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::json;
use std::sync::Arc;

/// Something that stands against a checkout: one for each refusal, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    UnknownEvent,
    BadAnswers,
    UselessCode,
    NothingWanted,
    NoHolder,
    HighPrice,
    Form,
    UnknownId,
    TooMany,
    Limit,
    NoCard,
    NumberNotTaken,
    NobodyMovesMoney,
    NoMerchant,
    TooLittle,
    UnknownToken,
    StrangeReservation,
    ChargeUnderWay,
    Charged,
    ReleasedReservation,
    NoSeats,
    NoUnits,
}

const ALL: [(Trouble, &str); 22] = [
    (Trouble::UnknownEvent, "NotPriced"),
    (Trouble::BadAnswers, "Answers"),
    (Trouble::UselessCode, "Coupons"),
    (Trouble::NothingWanted, "Empty"),
    (Trouble::NoHolder, "Holders"),
    (Trouble::HighPrice, "PriceRose"),
    (Trouble::Form, "FormsIncomplete"),
    (Trouble::UnknownId, "UnknownIds"),
    (Trouble::TooMany, "TooManyParts"),
    (Trouble::Limit, "Entitlements"),
    (Trouble::NoCard, "NoCard"),
    (Trouble::NumberNotTaken, "NumberNotTaken"),
    (Trouble::NobodyMovesMoney, "NoProcessor"),
    (Trouble::NoMerchant, "NotCharging"),
    (Trouble::TooLittle, "TooLittle"),
    (Trouble::UnknownToken, "Token"),
    (Trouble::StrangeReservation, "UnknownReservation"),
    (Trouble::ChargeUnderWay, "ChargeUnderWay"),
    (Trouble::Charged, "Duplicate"),
    (Trouble::ReleasedReservation, "ReservationOver"),
    (Trouble::NoSeats, "Seats"),
    (Trouble::NoUnits, "Units"),
];

fn name(refusal: &CheckoutRefusal) -> &'static str {
    match refusal {
        CheckoutRefusal::NotPriced(_) => "NotPriced",
        CheckoutRefusal::Answers(_) => "Answers",
        CheckoutRefusal::Coupons(_) => "Coupons",
        CheckoutRefusal::Empty => "Empty",
        CheckoutRefusal::Holders(_) => "Holders",
        CheckoutRefusal::PriceRose(_) => "PriceRose",
        CheckoutRefusal::FormsIncomplete(_) => "FormsIncomplete",
        CheckoutRefusal::UnknownIds(_) => "UnknownIds",
        CheckoutRefusal::TooManyParts(_) => "TooManyParts",
        CheckoutRefusal::Entitlements(_) => "Entitlements",
        CheckoutRefusal::NoCard => "NoCard",
        CheckoutRefusal::NumberNotTaken => "NumberNotTaken",
        CheckoutRefusal::NoProcessor => "NoProcessor",
        CheckoutRefusal::NotCharging(_) => "NotCharging",
        CheckoutRefusal::TooLittle { .. } => "TooLittle",
        CheckoutRefusal::Token(_) => "Token",
        CheckoutRefusal::UnknownReservation(_) => "UnknownReservation",
        CheckoutRefusal::ChargeUnderWay => "ChargeUnderWay",
        CheckoutRefusal::Duplicate(_) => "Duplicate",
        CheckoutRefusal::ReservationOver { .. } => "ReservationOver",
        CheckoutRefusal::Seats { .. } => "Seats",
        CheckoutRefusal::Units { .. } => "Units",
    }
}

fn names(refusals: &[CheckoutRefusal]) -> Vec<&'static str> {
    refusals.iter().map(name).collect()
}

fn now() -> Timestamp {
    "2027-06-01T18:00:00Z".parse().unwrap()
}

fn template() -> Template {
    let stored = json!({
        "id": "6f2e91b0c47d5a3e18b90f42", "name": "Harbor Gallery Entry", "description": "",
        "short_description": "", "start": now(), "review_state": "Published", "duration_minutes": 60,
        "capacity": 10, "last_updated": now(),
        "price_lists": [{"id": "regular", "name": "Regular", "prices": [
            {"ticket_type": "adult", "price": 2000, "display_order": 1},
        ]}],
    });
    serde_json::from_value(stored).unwrap()
}

fn instance() -> InstanceId {
    let start = plus_secs(now(), 3_600);
    InstanceId::of(&template().id, None, start.naive_utc(), start).unwrap()
}

fn ledger() -> Ledger {
    let start = plus_secs(now(), 3_600);
    Ledger {
        instance: instance(),
        template: template().id,
        schedule: None,
        shard: 0,
        start,
        end: plus_secs(start, 3_600),
        state: SlotState::Active,
        size: 10,
        free: 10,
        sold: 0,
        holds: BTreeMap::new(),
        edited: false,
    }
}

fn line(number: u8, wanted: Wanted) -> LineRequest {
    LineRequest { id: CartItemId::from_bytes([number; 16]), wanted }
}

fn tickets(number: u8, instance: InstanceId, quantity: u32) -> LineRequest {
    let wanted = WantedTicket {
        instance,
        ticket_type: TicketTypeId::parse("adult").unwrap(),
        quantity,
        treatment: WantedTreatment::Best,
        ignore_entitlements: false,
    };
    line(number, Wanted::Ticket(wanted))
}

fn item(id: i64, kind: InventoryKind, price: i64, stock: Option<u32>) -> (InventoryId, InventoryItem) {
    let id = InventoryId::parse(id).unwrap();
    let item = InventoryItem {
        id,
        sku: String::new(),
        name: format!("item {id}"),
        description: String::new(),
        kind,
        price: Money::from_cents(price),
        stock,
        active: true,
        display_order: 1,
        sales_channels: Vec::new(),
        tax: Tax { rate: Percent::parse("7").unwrap(), name: None },
    };
    (id, item)
}

fn add_on(number: u8, id: i64, quantity: u32) -> LineRequest {
    let inventory = InventoryId::parse(id).unwrap();
    line(number, Wanted::AddOn(WantedAddOn { inventory, instance: None, quantity }))
}

fn donation(number: u8, id: i64, gift: Gift) -> LineRequest {
    let (inventory, detail) = (InventoryId::parse(id).unwrap(), DonationDetail::default());
    line(number, Wanted::Donation(Box::new(WantedDonation { inventory, gift, detail })))
}

fn membership(number: u8) -> LineRequest {
    let plan = json!({"level": "family", "offering": "family-year", "price_point": "adult"});
    let wanted = WantedMembership {
        action: MembershipAction::Purchase,
        plan: serde_json::from_value(plan).unwrap(),
        membership: None,
        holders: Vec::new(),
        giver: None,
        is_retail: false,
        coupon_codes: Vec::new(),
        generated: None,
    };
    line(number, Wanted::Membership(Box::new(wanted)))
}

fn level() -> Level {
    serde_json::from_value(json!({
        "id": "family", "name": "Family", "state": "published",
        "rules": {
            "card_holders": 3, "can_gift": false, "start_beginning_of_month": false, "expire_end_of_month": false,
        },
        "offerings": [{
            "id": "family-year", "name": "A year", "duration_months": 12, "price_lists": [{
                "id": "always", "name": "Always",
                "prices": [{"ticket_type": "adult", "price": 10_000, "display_order": 1}],
            }],
        }],
    }))
    .unwrap()
}

fn form() -> Form {
    let field = FormField { name: "who".into(), label: "Who".into(), kind: FieldKind::Text, required: true };
    Form {
        id: FormId::parse("visit").unwrap(),
        name: "Visit".into(),
        description: String::new(),
        once_per_cart: true,
        required: true,
        fields: vec![field],
    }
}

fn tenant() -> Tenant {
    Tenant {
        id: TenantId::parse(204).unwrap(),
        name: "Harbor Museum".into(),
        zone: Zone::parse("America/New_York").unwrap(),
        currency: Currency::default(),
        sandbox: true,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: BTreeSet::new(),
        descriptor_prefix: "HM*".into(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        staff_site: None,
        branding: Default::default(),
        receipt_numbers: false,
        settings_version: 0,
        limits: BTreeMap::new(),
        member_claims: MemberClaims::default(),
        door: DoorRules::default(),
        raw_cards: true,
        challenge_secs: 600,
        sealed_hash_key: String::new(),
        closed_at: None,
    }
}

fn merchants(troubles: &[Trouble]) -> Vec<Merchant> {
    let merchant = Merchant {
        mid: Mid::parse("60417").unwrap(),
        name: "Harbor Museum".into(),
        status: MerchantStatus::Approved,
        rate_card: Some(RateCard {
            percentage: Percent::parse("2.90").unwrap(),
            fixed: Money::from_cents(30),
        }),
        descriptor: "TICKETS".into(),
    };
    if troubles.contains(&Trouble::NoMerchant) { Vec::new() } else { vec![merchant] }
}

fn card() -> SentCard {
    let number = test_numbers::number("4", 16);
    let fields =
        CardFields { number: Some(&number), expiry: Some("1240"), cvc: Some("123"), ..CardFields::default() };
    SentCard::Number(Box::new(Card::parse(&fields).unwrap()))
}

fn token() -> SentCard {
    SentCard::Token(PaymentToken::parse("tok_visa").unwrap())
}

/// A card behind a token.
fn token_card() -> TokenCard {
    TokenCard {
        brand: CardBrand::Visa,
        last_four: "4242".into(),
        expiry: Expiry::of(12, 2050).unwrap(),
        fingerprint: "fp_1".into(),
    }
}

fn released() -> Reservation {
    Reservation {
        id: ReservationId::parse(20_418).unwrap(),
        created_at: now(),
        terms: ReservationTerms { expires_at: plus_secs(now(), 600), items: Vec::new() },
        first: None,
        revision: 0,
        released: true,
        placed: false,
        fingerprint: None,
        storefront: None,
        created_by: None,
        updated_by: None,
    }
}

fn goods() -> Goods {
    let adult = PersonType {
        id: TicketTypeId::parse("adult").unwrap(),
        name: "Adult".into(),
        description: String::new(),
        active: true,
        kind: "individual".into(),
        display_order: 1,
        tax: Tax { rate: Percent::parse("20").unwrap(), name: Some("VAT".into()) },
    };
    let (audio, fixed, chosen) =
        (InventoryKind::AddOn, InventoryKind::FixedDonation, InventoryKind::Donation);
    Goods {
        templates: vec![template()],
        person_types: [(adult.id.clone(), adult)].into(),
        inventory: [item(1, audio, 450, Some(5)), item(2, fixed, 2_500, None), item(3, chosen, 0, None)]
            .into(),
        levels: [(level().id, level())].into(),
        ..Goods::default()
    }
}

/// A checkout of two tickets and an audio guide, with these troubles. What other orders take was not read.
fn checkout(troubles: &[Trouble]) -> (Facts, CheckoutRequest) {
    let mut request = CheckoutRequest {
        source: CartSource::Inline(Box::default()),
        contact: OrderPerson::default(),
        billing: OrderPerson::default(),
        ticket_delivery_email: None,
        card: Some(card()),
        told: ToldCard::default(),
        notes: None,
        send_email: true,
        locale: None,
        reservation: None,
        expected_total: None,
        dry_run: false,
    };
    let visitor = "1".to_owned();
    let mut facts = Facts {
        tenant: Arc::new(tenant()),
        channel: Channel::Online,
        operator: None,
        chosen_clock: false,
        sale: SaleId::from_bytes([1; 16]),
        cart: UnpricedCart {
            lines: vec![tickets(1, instance(), 2), add_on(2, 1, 1)],
            terms: CartTerms::default(),
            origin: CartOrigin::Inline { id: CartId::from_bytes([1; 12]), visitor },
        },
        goods: goods(),
        context: BuyerFacts::default(),
        ledgers: [(instance(), ledger())].into(),
        reservation: None,
        merchants: MerchantsRead::Priced(merchants(troubles)),
        token: None,
        contended: Contended::default(),
    };
    for trouble in troubles {
        befall(*trouble, &mut facts, &mut request);
    }
    (facts, request)
}

fn befall(trouble: Trouble, facts: &mut Facts, request: &mut CheckoutRequest) {
    match trouble {
        Trouble::UnknownEvent => {
            let unknown = InstanceId::parse("0123456789abcdef01234567").unwrap();
            facts.cart.lines.push(tickets(3, unknown, 1));
        }
        Trouble::BadAnswers => {
            let form = FormId::parse("none").unwrap();
            let forms = vec![WantedForm { at: 0, form, event: None, fields: Vec::new() }];
            request.source = CartSource::Inline(Box::new(CartRequest { forms, ..CartRequest::default() }));
        }
        Trouble::UselessCode => facts.cart.terms.coupon_codes = vec!["NOBODY".to_owned()],
        Trouble::NothingWanted => facts.cart.lines = vec![tickets(1, instance(), 0), add_on(2, 1, 0)],
        Trouble::NoHolder => facts.cart.lines.push(membership(4)),
        Trouble::HighPrice => request.expected_total = Some(Money::from_cents(1)),
        Trouble::Form => {
            facts.goods.templates[0].forms = vec![form().id];
            facts.goods.forms = [(form().id, form())].into();
        }
        Trouble::UnknownId => facts.context.unknown = vec!["customerId".to_owned()],
        Trouble::TooMany => {
            for number in 100..200_u8 {
                let id = 1_000 + i64::from(number);
                facts.goods.inventory.extend([item(id, InventoryKind::AddOn, 1, Some(1_000))]);
                facts.cart.lines.push(add_on(number, id, 1));
            }
        }
        Trouble::Limit => {
            let template = template().id;
            let ticket_limits = TicketLimits { per_order: Some(1), per_type: Vec::new() };
            let limited = Entitlements { template: template.clone(), rules: Vec::new(), ticket_limits };
            facts.goods.entitlements = [(template, limited)].into();
        }
        Trouble::NoCard => request.card = None,
        // Each keeps what another did of the tenant and of the card.
        Trouble::NumberNotTaken => {
            facts.tenant = Arc::new(Tenant { raw_cards: false, ..Tenant::clone(&facts.tenant) });
        }
        Trouble::NobodyMovesMoney => {
            facts.tenant = Arc::new(Tenant { sandbox: false, ..Tenant::clone(&facts.tenant) });
        }
        Trouble::TooLittle => {
            let settings = StripeSettings {
                sealed_key: String::new(),
                address: None,
                accounts: BTreeMap::new(),
                publishable_key: None,
                webhook_secrets: Vec::new(),
            };
            let processor = ProcessorKind::Stripe(Box::new(settings));
            let currency = Currency::parse("HUF").unwrap();
            facts.tenant = Arc::new(Tenant { processor, currency, ..Tenant::clone(&facts.tenant) });
        }
        Trouble::UnknownToken if request.card.is_some() && facts.tenant.raw_cards => {
            request.card = Some(token());
        }
        Trouble::StrangeReservation => facts.reservation = Some(None),
        Trouble::ReleasedReservation if facts.reservation.is_none() => {
            facts.reservation = Some(Some(released()));
        }
        Trouble::NoSeats => facts.ledgers = [(instance(), Ledger { free: 0, sold: 10, ..ledger() })].into(),
        Trouble::ReleasedReservation
        | Trouble::NoMerchant
        | Trouble::UnknownToken
        | Trouble::ChargeUnderWay
        | Trouble::Charged
        | Trouble::NoUnits => {}
    }
}

/// Reads what a refusal rests on.
fn read(facts: &mut Facts, unread: Unread, troubles: &[Trouble]) {
    match unread {
        Unread::Merchants => facts.merchants = MerchantsRead::All(merchants(troubles)),
        Unread::Token => {
            let is_unknown = troubles.contains(&Trouble::UnknownToken);
            facts.token =
                Some(if is_unknown { TokenAnswer::Unknown } else { TokenAnswer::Card(token_card()) });
        }
        Unread::Uses => facts.contended.uses = Some(MemberUses::new()),
        Unread::Charge => {
            facts.contended.charge = Some(if troubles.contains(&Trouble::ChargeUnderWay) {
                EarlierCharge::UnderWay
            } else if troubles.contains(&Trouble::Charged) {
                EarlierCharge::Paid { order: OrderId::from_bits(7), at: now() }
            } else {
                EarlierCharge::Free
            });
        }
    }
}

/// What a checkout with these troubles is refused by, and what a dry run tells of it.
fn both(troubles: &[Trouble]) -> (Result<Decision, CheckoutRefusal>, Vec<CheckoutRefusal>) {
    let (mut facts, request) = checkout(troubles);
    let mut decided = decide(&facts, &request, now());
    while let Some(unread) = decided.as_ref().err().and_then(|refusal| facts.unread(refusal)) {
        read(&mut facts, unread, troubles);
        decided = decide(&facts, &request, now());
    }
    for unread in [Unread::Merchants, Unread::Token, Unread::Uses, Unread::Charge] {
        read(&mut facts, unread, troubles);
    }
    let sold = if troubles.contains(&Trouble::NoUnits) { 5 } else { 0 };
    facts.contended.sold = Some([(InventoryId::parse(1).unwrap(), sold)].into());
    let told = refusals(&facts, &request, now());
    assert_eq!(decide(&facts, &request, now()).err().as_ref(), told.first());
    (decided, told)
}

#[test]
fn each_trouble_alone_is_told_by_a_refusal_of_its_own() {
    for (trouble, expected) in ALL {
        let (_, told) = both(&[trouble]);
        assert_eq!(names(&told), [expected], "{trouble:?}");
    }
    assert_eq!(both(&[]).1, []);
}

#[test]
fn a_decision_says_all_that_is_taken_and_its_order_is_what_was_decided() {
    let (facts, request) = checkout(&[]);
    let decision = decide(&facts, &request, now()).unwrap();
    let total = Money::from_cents(4_450);
    assert_eq!(decision.cart.shown_total, total);
    let payment = decision.payment.as_ref().unwrap();
    assert_eq!((payment.amount, payment.mid.as_str()), (total, "60417"));
    assert_eq!(payment.descriptor, "HM*TICKETS");
    assert_eq!(decision.ledgers, BTreeMap::from([(instance(), LedgerChange::sell(2, None))]));
    let audio = InventoryId::parse(1).unwrap();
    assert_eq!(decision.stock, BTreeMap::from([(audio, StockUnits { quantity: 1, stock: 5 })]));
    let ids = OrderIds {
        order: OrderId::from_bits(1),
        number: OrderNumber::from_bits(1),
        items: [1, 2].map(OrderItemId::from_bits).into(),
        cards: Vec::new(),
        tag: BarcodeTag::from_bytes([7; 8]),
    };
    let order = order_of(&request, &facts, &decision, ids, now()).unwrap();
    assert_eq!((order.total, &order.stock, &order.cart), (total, &decision.stock, &None));
    // 40.00 with 20 % and 4.50 with 7 %.
    let contained = order.taxes();
    let told: Vec<String> = contained.iter().map(|tax| format!("{} {}", tax.tax.rate, tax.amount)).collect();
    assert_eq!(told, ["20.00 6.67", "7.00 0.29"]);
    assert_eq!(order.seats(), BTreeMap::from([(instance(), 2)]));
    assert_eq!(order.tag, Some(BarcodeTag::from_bytes([7; 8])));
}

#[test]
fn the_smallest_amount_that_is_charged_passes_and_a_cent_less_does_not() {
    // 44.50 in both.
    for (code, passes) in [("SEK", true), ("CZK", true), ("HUF", false), ("KES", true)] {
        let (mut facts, request) = checkout(&[Trouble::TooLittle]);
        let currency = Currency::parse(code).unwrap();
        facts.tenant = Arc::new(Tenant { currency, ..facts.tenant.as_ref().clone() });
        let decided = decide(&facts, &request, now());
        assert_eq!(decided.is_ok(), passes, "{code}");
        let ids = OrderIds {
            order: OrderId::from_bits(1),
            number: OrderNumber::from_bits(1),
            items: [1, 2].map(OrderItemId::from_bits).into(),
            cards: Vec::new(),
            tag: BarcodeTag::from_bytes([7; 8]),
        };
        let Ok(decision) = decided else { continue };
        let order = order_of(&request, &facts, &decision, ids, now()).unwrap();
        assert_eq!(order.currency, currency);
    }
    let tenant = checkout(&[Trouble::TooLittle]).0.tenant;
    let smallest = tenant.smallest_charge().unwrap();
    for (total, passes) in [(smallest, true), (smallest.checked_sub(Money::from_cents(1)).unwrap(), false)] {
        let (mut facts, request) = checkout(&[Trouble::TooLittle]);
        let chosen = Gift::Chosen(total);
        facts.cart.lines = vec![donation(5, 3, chosen)];
        assert_eq!(decide(&facts, &request, now()).is_ok(), passes, "{total}");
    }
    let free =
        Tenant { currency: Currency::USUAL, processor: ProcessorKind::Sandbox, ..tenant.as_ref().clone() };
    assert_eq!(free.smallest_charge(), None);
}

#[test]
fn a_token_is_looked_up_before_anything_is_decided_and_its_card_is_kept_with_the_payment() {
    let (mut facts, mut request) = checkout(&[]);
    request.card = Some(token());
    let unread = decide(&facts, &request, now()).unwrap_err();
    assert_eq!(unread, CheckoutRefusal::Token(TokenRefusal::Unread));
    assert_eq!(facts.unread(&unread), Some(Unread::Token));
    for (answer, refusal) in
        [(TokenAnswer::Unknown, TokenRefusal::Unknown), (TokenAnswer::OtherBrand, TokenRefusal::OtherBrand)]
    {
        facts.token = Some(answer);
        assert_eq!(decide(&facts, &request, now()).unwrap_err(), CheckoutRefusal::Token(refusal));
    }
    facts.token = Some(TokenAnswer::Card(token_card()));
    // Numbers need not be taken where a token is sent.
    facts.tenant = Arc::new(Tenant { raw_cards: false, ..tenant() });
    let payment = decide(&facts, &request, now()).unwrap().payment.unwrap();
    assert_eq!(payment.card, token_card().summary());
    for (brand, last_four) in [(None, None), (Some(CardBrand::Visa), Some("4242"))] {
        request.told = ToldCard { brand, last_four: last_four.map(str::to_owned) };
        assert!(decide(&facts, &request, now()).is_ok(), "{brand:?} {last_four:?}");
    }
    for (brand, last_four) in [(true, false), (false, true), (true, true)] {
        let told = if brand { CardBrand::Discover } else { CardBrand::Visa };
        let digits = if last_four { "4243" } else { "4242" };
        request.told = ToldCard { brand: Some(told), last_four: Some(digits.to_owned()) };
        let refused = CheckoutRefusal::Token(TokenRefusal::OtherCard { brand, last_four });
        assert_eq!(decide(&facts, &request, now()).unwrap_err(), refused);
    }
    request.told = ToldCard::default();
    // What is too little to charge is refused without a look at the token.
    let (mut facts, _) = checkout(&[Trouble::TooLittle]);
    let smallest = facts.tenant.smallest_charge().unwrap();
    assert_eq!(decide(&facts, &request, now()).unwrap_err(), CheckoutRefusal::TooLittle { smallest });
    facts.tenant = Arc::new(Tenant { raw_cards: false, ..Tenant::clone(&facts.tenant) });
    assert_eq!(decide(&facts, &request, now()).unwrap_err(), CheckoutRefusal::TooLittle { smallest });
}

#[test]
fn a_cart_says_of_every_line_what_was_asked_for() {
    let (mut facts, request) = checkout(&[]);
    let chosen = Gift::Chosen(Money::from_cents(777));
    facts.cart.lines.extend([donation(5, 2, Gift::Fixed), donation(6, 3, chosen), membership(7)]);
    let cart = priced(&facts, &request, now()).unwrap();
    assert_eq!(cart.requests(), facts.cart.lines);
}

fn troubles() -> impl Strategy<Value = Vec<Trouble>> {
    subsequence(ALL.map(|(trouble, _)| trouble).to_vec(), 0..=ALL.len())
}

proptest! {
    /// A checkout reads less than a dry run does, and leaves the rest to the transaction that secures it.
    #[test]
    fn a_checkout_is_refused_by_the_first_thing_that_a_dry_run_tells(troubles in troubles()) {
        let (decided, told) = both(&troubles);
        match decided {
            Err(refusal) => prop_assert_eq!(Some(&refusal), told.first()),
            Ok(_) => {
                let left = ["ChargeUnderWay", "Duplicate", "Seats", "Units"];
                prop_assert!(names(&told).iter().all(|name| left.contains(name)), "{:?}", told);
            }
        }
    }

    #[test]
    fn refusals_are_told_in_their_order(troubles in troubles()) {
        let (_, told) = both(&troubles);
        let place = |refusal: &CheckoutRefusal| ALL.iter().position(|(_, known)| *known == name(refusal));
        prop_assert!(told.iter().map(place).is_sorted(), "{:?}", told);
        prop_assert!(told.iter().map(CheckoutRefusal::stage).is_sorted(), "{:?}", told);
    }
}
