//! Loading what a cart is judged by, and judging it.
//!
//! | Cart | Round trips |
//! |---|---|
//! | within the request | 1: all that it names, and what its memberships used |
//! | by id | 2: the cart before that |
//!
//! What a membership used is counted under its number and by when the visit is. Where a membership is named by its
//! id instead, or a slot was moved to another day, that is known only once those are read, and what it used takes
//! one round trip more.

use adapters::App;
use adapters::catalog::TenantCatalog;
use adapters::rate_limit::{Guesses, count_guesses};
use domain::cart::PricedLines;
use domain::cart_request::{CartTerms, LineRequest};
use domain::catalog::Template;
use domain::checkout::CartSource;
use domain::entitlement::{Entitlements, Judgement, Judging, MemberUses, Tally, judge};
use domain::instance_id::TemplateTag;
use domain::pricing::{CatalogView, price};
use domain::{CartItemId, TemplateId, Zone};
use std::collections::BTreeSet;
use store::Consistency;
use store::counter::{take_member_uses, tally_key};
use web::access::Caller;
use web::cart::{Existing, Named, SentCart, pricing_refused};
use web::claims::{ClaimedCart, claimed_cart};
use web::{ApiError, ErrorType};
use wire::entitlement::EntitlementsResult;

/// Tallies that are looked up before it is known whether they are needed; not many more.
const MAX_GUESSES: usize = 200;

/// What is judged.
struct Question {
    lines: Vec<LineRequest>,
    terms: CartTerms,
    names: Names,
    sent: SentCart,
}

/// Where coupon codes and numbers of memberships come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// They were counted when the cart was stored.
    Stored,
    /// They may be guesses.
    Sent,
}

/// All that it is judged by.
struct Facts {
    catalog: TenantCatalog,
    existing: Existing,
    /// What was looked up of what memberships used, whether there was anything or not.
    looked_up: BTreeSet<Tally>,
    used: MemberUses,
}

/// Judges a cart at the prices of this moment.
pub(crate) async fn validate(
    app: &App,
    caller: &Caller,
    source: CartSource,
) -> Result<EntitlementsResult, ApiError> {
    let mut question = question(app, caller, source).await?;
    let judged = judged(app, caller, &mut question).await;
    judged.map_err(|refusal| question.sent.pointed(refusal))
}

async fn judged(app: &App, caller: &Caller, question: &mut Question) -> Result<EntitlementsResult, ApiError> {
    let mut facts = load(app, caller, question).await?;
    let priced = facts.existing.check_with(facts.price(caller, question), "")?;
    let mut judgements = facts.judge(caller, &priced);
    let counted = judgements.iter().filter_map(Judgement::counted).map(|(tally, _)| tally);
    let missing: BTreeSet<Tally> =
        counted.filter(|tally| !facts.looked_up.contains(tally)).cloned().collect();
    if !missing.is_empty() {
        facts.used.extend(app.store.load_member_uses(caller.tenant.id, &missing).await?);
        judgements = facts.judge(caller, &priced);
    }
    let result = EntitlementsResult::of(&judgements, facts.catalog.view().person_types);
    Ok(result.told(question.terms.refused.problem))
}

async fn question(app: &App, caller: &Caller, source: CartSource) -> Result<Question, ApiError> {
    match source {
        CartSource::Stored(id) => {
            let cart = app.store.load_cart(caller.tenant.id, &id).await?;
            let cart = cart.filter(|cart| cart.is_live(caller.clock.now()));
            let cart =
                cart.ok_or_else(|| ApiError::new(ErrorType::NotFound).detail("/id", "was not found"))?;
            let sent = SentCart::stored(&cart, "", "/id");
            Ok(Question { lines: cart.requests(), terms: cart.terms(), names: Names::Stored, sent })
        }
        CartSource::Inline(request) => {
            let fresh = || app.ids.bytes().map(CartItemId::from_bytes);
            let lines = request.lines.into_iter().map(|line| {
                // Nothing is stored, so that a line may as well have the id it was sent with.
                let id = line.id.map_or_else(fresh, Ok)?;
                Ok(LineRequest { id, wanted: line.wanted })
            });
            let lines = lines.collect::<Result<_, ApiError>>()?;
            let sent = SentCart::inline("", request.moved);
            Ok(Question { lines, terms: request.terms, names: Names::Sent, sent })
        }
    }
}

async fn load(app: &App, caller: &Caller, question: &mut Question) -> Result<Facts, ApiError> {
    let tenant = caller.tenant.id;
    let catalog = app.catalog(tenant).await?;
    let wanted = question.lines.iter().map(|line| &line.wanted);
    let terms = std::mem::take(&mut question.terms);
    let ClaimedCart { terms, named } = claimed_cart(app, caller, terms, wanted).await?;
    question.terms = terms;
    let looked_up = guesses(&named, &catalog, caller.tenant.zone);
    let keys = named.keys(tenant).chain(looked_up.iter().map(|tally| tally_key(tenant, tally)));
    let guesses = match question.names {
        Names::Stored => Guesses::default(),
        Names::Sent => named.guesses(),
    };
    let load = app.store.get_many(keys, Consistency::Strong);
    let (found, allowed) = tokio::join!(load, count_guesses(app, caller.client(), guesses));
    allowed?;
    let mut found = found?;
    let existing = named.take(&mut found, tenant, caller.clock.now())?;
    if question.names == Names::Sent {
        existing.count_unknown(app, caller).await?;
    }
    let used = take_member_uses(&mut found, tenant, &looked_up);
    let catalog = app.catalog_of(tenant, existing.ledgers.values()).await?;
    Ok(Facts { catalog, existing, looked_up, used })
}

/// What the memberships may have used that are named by their numbers, for visits when the ids of the slots say.
fn guesses(named: &Named, catalog: &TenantCatalog, zone: Zone) -> BTreeSet<Tally> {
    let mut guesses = BTreeSet::new();
    let ruled = catalog.entitlements().values().filter(|found| !found.rules.is_empty());
    for Entitlements { template, rules, ticket_limits: _ } in ruled {
        let tag = TemplateTag::of(template);
        let visits = named.instances.iter().filter(|instance| instance.template_tag() == tag);
        for period in
            visits.flat_map(|visit| rules.iter().map(|rule| rule.period.containing(visit.start(), zone)))
        {
            let template = template.clone();
            let tally = |number| Tally { number, template: template.clone(), period: period.clone() };
            guesses.extend(named.memberships().iter().copied().map(tally));
            if guesses.len() > MAX_GUESSES {
                return guesses;
            }
        }
    }
    guesses
}

impl Facts {
    fn price(&self, caller: &Caller, question: &Question) -> Result<PricedLines, ApiError> {
        let context = self.existing.pricing_context(caller);
        let view = CatalogView::of_ledgers(self.catalog.view(), context, self.existing.ledgers.values());
        let priced = price(&question.lines, &question.terms, &view, caller.clock.now());
        priced.map_err(|refusals| pricing_refused(&refusals, &question.terms, ""))
    }

    fn judge(&self, caller: &Caller, priced: &PricedLines) -> Vec<Judgement> {
        let catalog = self.catalog.view();
        let named: BTreeSet<&TemplateId> =
            self.existing.ledgers.values().map(|ledger| &ledger.template).collect();
        let templates: Vec<&Template> =
            catalog.templates.iter().filter(|template| named.contains(&template.id)).collect();
        let judging = Judging {
            templates: &templates,
            entitlements: self.catalog.entitlements(),
            discounts: catalog.discounts,
            numbers: self.existing.numbers(),
            told: Some(self.existing.buyer()),
            zone: caller.tenant.zone,
        };
        judge(&priced.lines, judging, &self.used)
    }
}
