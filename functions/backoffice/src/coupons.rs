//! `/v2/b2b/coupons`. No two coupons of a tenant have the same code, in whatever case it is written.

use crate::resource::{Context, Resource};
use crate::routes::routes_of;
use domain::coupon::Coupon;
use domain::{CouponId, TenantId, Zone};
use store::catalog::{Definitions, Kind};
use store::{Key, Placed};
use web::catalog::{Catalog, Needs, Use};
use web::paging::{Direction, SortField, Sorting};
use wire::Checker;
use wire::catalog::{CouponInput, CouponOutput};

struct Coupons;

const TAKEN: &str = "is already used by another coupon";

static SORTING: Sorting<Coupon> = Sorting {
    fields: &[
        SortField { name: "code", compare: |one, other| one.code.cmp(&other.code) },
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl Resource for Coupons {
    type Record = Coupon;
    type Input = CouponInput;
    type Output = CouponOutput;

    const PATH: &'static str = "/v2/b2b/coupons";
    const KIND: Kind = Kind::Coupon;
    const NEEDS: Needs =
        Needs::KindsAndTemplates(&[Kind::Coupon, Kind::Discount, Kind::PersonType, Kind::Level]);
    const NAMED_BY: Needs = Needs::Nothing;
    const TAKEN: (&'static str, &'static str) = ("/code", TAKEN);

    fn sorting() -> &'static Sorting<Coupon> {
        &SORTING
    }

    fn new_id(random: [u8; 16]) -> String {
        hex::encode(&random[..12])
    }

    fn key(tenant: TenantId, id: &str) -> Option<Key> {
        CouponId::parse(id).ok().map(|id| Coupon::place(tenant, &id))
    }

    /// A taken code is named beside the other faults here; the write itself is what keeps it from being used
    /// twice.
    fn read(input: CouponInput, checker: &mut Checker, context: &Context<'_>) -> Option<Coupon> {
        let coupon = input.read(checker, context.zone, &context.catalog.known())?;
        let mut others = context.catalog.definitions.coupons.values();
        if others.any(|other| other.id != coupon.id && other.folded_code() == coupon.folded_code()) {
            checker.invalid("code", TAKEN);
        }
        Some(coupon)
    }

    fn all(definitions: Definitions) -> Vec<Coupon> {
        definitions.coupons.into_values().collect()
    }

    /// Orders keep what a coupon took off, not the coupon.
    fn uses(_: &Coupon, _: &Catalog) -> Vec<Use> {
        Vec::new()
    }

    fn show(record: &Coupon, _: Zone) -> CouponOutput {
        record.into()
    }
}

routes_of! {
    Coupons: "/v2/b2b/coupons", "/v2/b2b/coupons/{id}", "Back office", "a coupon", "coupons",
    CouponInput, CouponOutput
}
