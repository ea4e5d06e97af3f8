//! How the back office looks at the catalog.

use adapters::App;
use adapters::slot_summary::{Age, Reaching};
use domain::buyer::Buyer;
use domain::catalog::Template;
use domain::listing::{Audience, TemplateFilter};
use domain::{Channel, Timestamp};
use store::catalog::{Definitions, Kind};
use web::ApiError;
use web::access::Caller;
use web::catalog::Needs;
use web::slots::{Question, side_by_side};
use wire::event::View;

/// What a template is shown with.
pub(crate) const SHOWN_WITH: Needs =
    Needs::Kinds(&[Kind::PersonType, Kind::Reach, Kind::Discount, Kind::Inventory]);

/// What all templates are shown with, and the templates.
pub(crate) const LISTED_WITH: Needs =
    Needs::KindsAndTemplates(&[Kind::PersonType, Kind::Reach, Kind::Discount, Kind::Inventory]);

static NOBODY: Buyer = Buyer::nobody();

/// Everybody, online.
fn everybody(caller: &Caller) -> Audience<'static> {
    let (zone, now) = (caller.tenant.zone, caller.clock.now());
    Audience { channel: Channel::Online, types: TemplateFilter::All, buyer: &NOBODY, zone, now }
}

/// The catalog as everybody sees it online.
pub(crate) fn view<'a>(definitions: &'a Definitions, caller: &Caller) -> View<'a> {
    View {
        zone: caller.tenant.zone,
        person_types: &definitions.person_types,
        reaches: &definitions.reaches,
        audience: everybody(caller),
        discounts: &definitions.discounts,
        inventory: &definitions.inventory,
    }
}

/// When the next of the slots of each template starts that everybody can buy online now; side by side, in their order.
pub(crate) fn all_next_available<'a>(
    app: &'a App,
    caller: &'a Caller,
    definitions: &'a Definitions,
    templates: &'a [Template],
) -> Question<'a, Vec<Option<Timestamp>>> {
    let ask = |template| -> Question<'a, Option<Timestamp>> {
        let reaching = Reaching { template, reach: definitions.reaches.get(&template.id) };
        let next = app.next_available(caller.tenant.id, reaching, everybody(caller), Age::Fresh);
        Box::pin(async move { next.await.map_err(ApiError::from) })
    };
    Box::pin(side_by_side(templates.iter().map(ask).collect(), |_| 0))
}
