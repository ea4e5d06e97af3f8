//! How what a request costs grows with what its venue has: processor time, over two decades of each.

use super::cases::Case;
use super::catalog::{self, Size};
use super::figures::{Effort, measure_load};
use super::load::Load;
use super::measured::Point;
use super::seed::{self, Shop, Venue};
use super::{BenchError, verify, wire};
use adapters::clock::wall_now;
use domain::coupon::{Coupon, CouponReduction, Reduction};
use domain::customer::Person;
use domain::membership::{CardStanding, CardType, MemberCard, Membership};
use domain::tenant::{ApiKey, Scope, Tenant};
use domain::time::plus_secs;
use domain::{
    CardId, CouponId, LevelId, MembershipId, OfferingId, Percent, TenantId, TicketTypeId, Timestamp,
};
use serde_json::json;
use std::collections::BTreeSet;
use store::Consistency;
use store::identity::key_hash;

/// What a storefront asks for.
const MAIN: [Case; 5] = [Case::SlimList, Case::Times, Case::CartCreate, Case::Reservation, Case::Checkout];
/// Templates of a venue that has more and more instances, and days of one that has more and more templates.
const TEMPLATES: u32 = 20;
const DAYS: u32 = 40;
/// Seconds of a membership's term.
const TERM_SECS: i64 = 365 * 86_400;

/// What there is more and more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Axis {
    SoldTickets,
    Orders,
    Members,
    Coupons,
    Keys,
    Tenants,
    Templates,
    Instances,
}

impl Axis {
    const ALL: [Self; 8] = [
        Self::SoldTickets,
        Self::Orders,
        Self::Members,
        Self::Coupons,
        Self::Keys,
        Self::Tenants,
        Self::Templates,
        Self::Instances,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::SoldTickets => "tickets sold",
            Self::Orders => "orders",
            Self::Members => "members",
            Self::Coupons => "coupons",
            Self::Keys => "keys",
            Self::Tenants => "tenants",
            Self::Templates => "templates",
            Self::Instances => "instances of each template",
        }
    }

    const fn sizes(self) -> [u32; 3] {
        match self {
            Self::SoldTickets => [1_000, 10_000, 100_000],
            Self::Orders | Self::Members | Self::Keys => [100, 1_000, 10_000],
            Self::Coupons => [50, 500, 5_000],
            Self::Tenants => [10, 100, 1_000],
            Self::Templates => [20, 200, 2_000],
            Self::Instances => [16, 160, 1_600],
        }
    }

    /// The main cases, and those that browse where it is the catalog that grows.
    fn cases(self) -> Vec<Case> {
        let browsing: &[Case] = match self {
            Self::Templates | Self::Instances => &Case::BROWSING,
            Self::SoldTickets | Self::Orders | Self::Members | Self::Coupons | Self::Keys | Self::Tenants => {
                &[]
            }
        };
        let others = browsing.iter().copied().filter(|case| !MAIN.contains(case));
        MAIN.into_iter().chain(others).collect()
    }

    /// A fresh venue in memory that has so much of it.
    async fn venue(self, size: u32) -> Result<Venue, BenchError> {
        match self {
            Self::Templates => return catalog::venue(Size { templates: size, days: DAYS }).await,
            Self::Instances => return catalog::venue(Size { templates: TEMPLATES, days: size }).await,
            Self::SoldTickets => return seed::venue(size).await,
            Self::Orders | Self::Members | Self::Coupons | Self::Keys | Self::Tenants => {}
        }
        let shop = seed::open().await?;
        let venue = seed::stock(shop.clone(), 0).await?.venue;
        match self {
            Self::Orders => {
                let template = seed::template(wall_now())?;
                verify::sell_orders(&shop, &template, venue.instance, size).await?;
            }
            Self::Members => add_members(&shop, size).await?,
            Self::Coupons => add_coupons(&shop, size).await?,
            Self::Keys => add_keys(&shop, size).await?,
            Self::Tenants => add_tenants(&shop, size).await?,
            Self::SoldTickets | Self::Templates | Self::Instances => {}
        }
        Ok(venue)
    }
}

/// Prints a line for each case and axis.
pub(super) async fn measure(effort: Effort) -> Result<(), BenchError> {
    for axis in Axis::ALL {
        let cases = axis.cases();
        let mut points = vec![Vec::new(); cases.len()];
        for size in axis.sizes() {
            let venue = axis.venue(size).await?;
            let client = wire::Client::over(wire::Transport::InProcess, venue.service.clone()).await?;
            for (case, points) in cases.iter().zip(&mut points) {
                let figures = measure_load(&Load::of(*case, &venue), &client, effort, None).await?;
                points.push(Point { units: size, micros: figures.cpu_per_request.as_secs_f64() * 1e6 });
            }
        }
        for (case, points) in cases.iter().zip(points) {
            let micros: Vec<f64> = points.iter().map(|point| (point.micros * 10.0).round() / 10.0).collect();
            let line = json!({
                "growth": case.name(), "over": axis.name(), "sizes": axis.sizes(),
                "cpuMicrosPerRequest": micros, "exponent": exponent(&points),
            });
            println!("{line}");
        }
    }
    Ok(())
}

/// The slope of cost over size, both in logarithms: 0 is constant, 1 is linear.
fn exponent(points: &[Point]) -> f64 {
    let log = |point: &Point| (f64::from(point.units).ln(), point.micros.ln());
    let logs: Vec<(f64, f64)> = points.iter().map(log).collect();
    let count = logs.iter().fold(0.0, |count, _| count + 1.0);
    let (sum_x, sum_y) = logs.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (over, under) = logs.iter().fold((0.0, 0.0), |(over, under), (x, y)| {
        (over + (x - mean_x) * (y - mean_y), under + (x - mean_x).powi(2))
    });
    (over / under * 1_000.0).round() / 1_000.0
}

async fn add_members(shop: &Shop, members: u32) -> Result<(), BenchError> {
    let now = wall_now();
    for number in 1..=members {
        let membership = membership(number, now);
        shop.app.store.save_membership(shop.tenant, &number.to_string(), &membership).await?;
    }
    Ok(())
}

fn membership(number: u32, now: Timestamp) -> Membership {
    let id = MembershipId::from_bits(u64::from(number));
    let person = Person {
        first_name: "Ada".to_owned(),
        last_name: format!("Member {number}"),
        email: Some(format!("member-{number}@example.test")),
        ..Person::default()
    };
    let card = MemberCard {
        id: CardId::from_bits(u64::from(number)),
        card_type: CardType::Primary,
        standing: CardStanding::Active,
        person,
        barcode: format!("BENCH{number}"),
        customer: None,
    };
    Membership {
        id,
        number: id,
        level: LevelId::from_bytes([6; 12]),
        offering: OfferingId::from_bytes([7; 16]),
        price_point: TicketTypeId::from_bytes([1; 12]),
        external_id: None,
        joined: now,
        started: now,
        expires: plus_secs(now, TERM_SECS),
        anchor_day: None,
        later: Vec::new(),
        ended: None,
        bought: None,
        cards: vec![card],
        created_at: now,
        updated_at: now,
        updated_by: None,
    }
}

async fn add_coupons(shop: &Shop, coupons: u32) -> Result<(), BenchError> {
    let ten = Percent::parse("10").map_err(|_| BenchError::from("10 is no percentage"))?;
    for number in 1..=coupons {
        let [a, b, c, d] = number.to_be_bytes();
        let coupon = Coupon {
            id: CouponId::from_bytes([5, 0, 0, 0, 0, 0, 0, 0, a, b, c, d]),
            name: format!("Coupon {number}"),
            description: String::new(),
            code: format!("BENCH{number}"),
            reduction: CouponReduction::Same(Reduction::Percent(ten)),
            applies_to: Vec::new(),
            templates: Vec::new(),
            ticket_types: Vec::new(),
            levels: Vec::new(),
            sales_channels: Vec::new(),
            effective_start: None,
            effective_end: None,
            max_uses: None,
            active: true,
        };
        let saved = shop.app.store.save_coupon(shop.tenant, &number.to_string(), &coupon).await?;
        saved.map_err(|_| BenchError::from("two coupons have one code"))?;
    }
    Ok(())
}

async fn add_keys(shop: &Shop, keys: u32) -> Result<(), BenchError> {
    for number in 1..=keys {
        let key = ApiKey {
            tenant: shop.tenant,
            scopes: BTreeSet::from([Scope::B2c]),
            origins: BTreeSet::new(),
            mid: None,
            label: format!("Key {number}"),
            revoked: false,
        };
        shop.app.store.save_api_key(&key_hash(&format!("bench-key-{number}")), &key).await?;
    }
    Ok(())
}

async fn add_tenants(shop: &Shop, tenants: u32) -> Result<(), BenchError> {
    let store = &shop.app.store;
    let own = store.load_tenant(shop.tenant, Consistency::Strong).await?.ok_or("there is no tenant")?;
    for number in 1..=u64::from(tenants) {
        let id = TenantId::from_bits(number.saturating_add(1_000));
        store.save_tenant(&Tenant { id, ..own.clone() }).await?;
    }
    Ok(())
}
