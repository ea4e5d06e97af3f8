//! `/v2/b2b/discounts`.

use crate::resource::{Context, Resource};
use crate::routes::routes_of;
use domain::coupon::{CouponReduction, Discount};
use domain::{DiscountId, TenantId, Zone};
use store::catalog::{Definitions, Kind};
use store::{Key, Placed};
use web::catalog::{Catalog, Needs, Use};
use web::paging::{Direction, SortField, Sorting};
use wire::Checker;
use wire::catalog::{DiscountInput, DiscountOutput};

struct Discounts;

static SORTING: Sorting<Discount> = Sorting {
    fields: &[
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField { name: "code", compare: |one, other| one.code.cmp(&other.code) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl Resource for Discounts {
    type Record = Discount;
    type Input = DiscountInput;
    type Output = DiscountOutput;

    const PATH: &'static str = "/v2/b2b/discounts";
    const KIND: Kind = Kind::Discount;
    const NEEDS: Needs = Needs::Kinds(&[Kind::PersonType]);

    fn sorting() -> &'static Sorting<Discount> {
        &SORTING
    }

    fn new_id(random: [u8; 16]) -> String {
        hex::encode(&random[..12])
    }

    fn key(tenant: TenantId, id: &str) -> Option<Key> {
        DiscountId::parse(id).ok().map(|id| Discount::place(tenant, &id))
    }

    fn read(input: DiscountInput, checker: &mut Checker, context: &Context<'_>) -> Option<Discount> {
        input.read(checker, &context.catalog.known())
    }

    fn all(definitions: Definitions) -> Vec<Discount> {
        definitions.discounts.into_values().collect()
    }

    fn uses(Discount { id, .. }: &Discount, catalog: &Catalog) -> Vec<Use> {
        let mut uses = Use::by_templates(catalog, |template| {
            template.membership.discounts.iter().any(|member| member.discount == *id)
        });
        uses.extend(Use::by_coupons(catalog, |coupon| match &coupon.reduction {
            CouponReduction::Discount(named) => named == id,
            CouponReduction::Same(_) => false,
        }));
        uses.extend(Use::by_combos(catalog, |combo| combo.discount() == Some(id)));
        uses
    }

    fn show(record: &Discount, _: Zone) -> DiscountOutput {
        record.into()
    }
}

routes_of! {
    Discounts: "/v2/b2b/discounts", "/v2/b2b/discounts/{id}", "Back office", "a discount", "discounts",
    DiscountInput, DiscountOutput
}
