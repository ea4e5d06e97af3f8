//! How the back office looks at the catalog.

use domain::Channel;
use domain::buyer::Buyer;
use domain::listing::{Audience, TemplateFilter};
use store::catalog::{Definitions, Kind};
use web::access::Caller;
use web::catalog::Needs;
use wire::event::View;

/// What a template is shown with.
pub(crate) const SHOWN_WITH: Needs =
    Needs::Kinds(&[Kind::PersonType, Kind::Reach, Kind::Discount, Kind::Inventory]);

static NOBODY: Buyer = Buyer::nobody();

/// The catalog as everybody sees it online.
pub(crate) fn view<'a>(definitions: &'a Definitions, caller: &Caller) -> View<'a> {
    let (zone, now) = (caller.tenant.zone, caller.clock.now());
    View {
        zone,
        person_types: &definitions.person_types,
        reaches: &definitions.reaches,
        audience: Audience {
            channel: Channel::Online,
            types: TemplateFilter::All,
            buyer: &NOBODY,
            zone,
            now,
        },
        discounts: &definitions.discounts,
        inventory: &definitions.inventory,
    }
}
