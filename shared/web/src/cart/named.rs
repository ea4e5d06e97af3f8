//! What a cart names, and what of it exists: carts and checkout look it up in the same way.

use crate::access::Caller;
use crate::{ApiError, ErrorType};
use adapters::App;
use adapters::rate_limit::{Guesses, count_unknown_memberships};
use domain::buyer::Buyer;
use domain::cart_request::{CartTerms, Wanted, WantedMembership, WantedTreatment};
use domain::catalog::InventoryItem;
use domain::claim::Evidence;
use domain::coupon::{Coupon, folded_code};
use domain::customer::{Customer, Person};
use domain::ledger::Ledger;
use domain::membership::force::MembershipStanding;
use domain::membership::{Level, Membership};
use domain::pricing::PricingContext;
use domain::reservation::Reservation;
use domain::{
    ComboTemplateId, CouponId, CustomerId, InstanceId, InventoryId, LevelId, MembershipId, ReservationId,
    TenantId, TicketTypeId, Timestamp,
};
use futures_core::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use store::counter::{coupon_uses_key, take_coupon_uses, take_units_sold, units_sold_key};
use store::customer::{customer_match_key, take_matched_customer};
use store::member::{membership_keys, take_membership};
use store::{Consistency, Found, Key, Placed, Store, StoreError};

/// What a cart names.
#[derive(Debug, Default)]
pub struct Named {
    /// Event instances of its tickets, those of combos included.
    pub instances: BTreeSet<InstanceId>,
    /// Ticket types.
    pub ticket_types: BTreeSet<TicketTypeId>,
    /// Add-ons and donations.
    pub inventory: BTreeSet<InventoryId>,
    /// The reservation whose holds it consumes.
    pub reservation: Option<ReservationId>,
    /// The coupons of its codes, as far as they are known.
    pub coupons: BTreeSet<CouponId>,
    /// How many of its codes are of no coupon; none where it has no codes.
    pub unknown_codes: Option<u32>,
    /// Combos.
    pub combos: BTreeSet<ComboTemplateId>,
    /// Those of its add-ons that have a stock, where it is to be known how much of it is left.
    stocked: BTreeSet<InventoryId>,
    /// How often those may be used whose uses are counted.
    limits: BTreeMap<CouponId, u32>,
    customer: Option<CustomerId>,
    level: Option<LevelId>,
    /// All memberships it names, as they were sent.
    sent: Vec<MembershipId>,
    /// Those of them that count.
    memberships: Vec<MembershipId>,
    /// The one of them that was sent by itself.
    single_membership: Option<MembershipId>,
    /// Memberships that do not count, so that they are not looked up.
    refused: u32,
    /// What the caller has to show for the others.
    evidence: Option<Evidence>,
    /// Levels that are bought.
    pub levels: BTreeSet<LevelId>,
    /// Memberships that lines renew or change.
    changed: BTreeSet<MembershipId>,
    /// People who may be customers already, by what is known of them: whoever pays, holds cards or gives them.
    pub people: Vec<Person>,
    /// Customers that lines name, with the pointers to them within the cart.
    holders: Vec<(CustomerId, String)>,
    /// Those of them who give memberships.
    givers: BTreeSet<CustomerId>,
}

/// What of it exists.
#[derive(Debug)]
pub struct Existing {
    /// The ledgers of its slots.
    pub ledgers: BTreeMap<InstanceId, Ledger>,
    /// The reservation, if it names one; the inner option is empty when there is no such reservation.
    pub reservation: Option<Option<Reservation>>,
    buyer: Buyer,
    /// The customers that the data of people means, by where that is written.
    people: BTreeMap<Key, CustomerId>,
    /// The memberships that lines renew or change, by the ids that were sent.
    pub memberships: BTreeMap<MembershipId, Membership>,
    /// The numbers of its memberships, by their ids.
    numbers: BTreeMap<MembershipId, MembershipId>,
    /// Those of its memberships that give nothing any more, as they were sent.
    lapsed: BTreeSet<MembershipId>,
    used_up: BTreeSet<CouponId>,
    /// The customers who give its memberships.
    givers: BTreeMap<CustomerId, Person>,
    /// How many units of its add-ons are sold, of those that have a stock and were asked about.
    pub sold: BTreeMap<InventoryId, u32>,
    /// Pointers within the cart of customer, level and memberships that do not exist.
    unknown: Vec<String>,
    /// How many memberships were looked up and do not exist.
    unknown_memberships: u32,
}

impl Named {
    /// What a cart with these terms and lines names, where these are the tenant's coupons. The evidence is that by
    /// which it was decided which claims of the terms count; the others are left out.
    pub(crate) fn of<'a>(
        terms: &CartTerms,
        coupons: &BTreeMap<CouponId, Coupon>,
        lines: impl IntoIterator<Item = &'a Wanted>,
        evidence: Evidence,
    ) -> Self {
        let mut codes: BTreeSet<String> = terms.coupon_codes.iter().map(|code| folded_code(code)).collect();
        let mut named = Self {
            reservation: terms.reservation,
            customer: terms.customer,
            level: terms.claimed_level().cloned(),
            sent: terms.membership_ids.clone(),
            single_membership: terms.single_membership,
            memberships: terms.claimed_memberships().collect(),
            refused: u32::try_from(terms.refused.memberships.len()).unwrap_or(u32::MAX),
            evidence: Some(evidence),
            ..Self::default()
        };
        for (index, wanted) in lines.into_iter().enumerate() {
            match wanted {
                Wanted::Ticket(ticket) => {
                    named.instances.insert(ticket.instance);
                    named.ticket_types.insert(ticket.ticket_type.clone());
                    if let WantedTreatment::Coupons(sent) = &ticket.treatment {
                        codes.extend(sent.iter().map(|code| folded_code(code)));
                    }
                }
                Wanted::AddOn(add_on) => {
                    named.inventory.insert(add_on.inventory);
                }
                Wanted::Donation(donation) => {
                    named.inventory.insert(donation.inventory);
                }
                Wanted::Combo(combo) => {
                    named.combos.insert(combo.combo.clone());
                    named.instances.extend(combo.parts.iter().copied());
                    named.ticket_types.insert(combo.ticket_type.clone());
                }
                Wanted::Membership(membership) => {
                    codes.extend(membership.coupon_codes.iter().map(|code| folded_code(code)));
                    named.name_membership(index, membership, terms);
                }
            }
        }
        if !codes.is_empty() {
            for coupon in coupons.values().filter(|coupon| codes.contains(&coupon.folded_code())) {
                named.coupons.insert(coupon.id.clone());
                named.limits.extend(coupon.max_uses.map(|limit| (coupon.id.clone(), limit)));
            }
            // No two coupons have one code.
            let unknown = codes.len().saturating_sub(named.coupons.len());
            named.unknown_codes = Some(u32::try_from(unknown).unwrap_or(u32::MAX));
        }
        named
    }

    fn name_membership(&mut self, index: usize, wanted: &WantedMembership, terms: &CartTerms) {
        let WantedMembership { plan, membership, holders, giver, .. } = wanted;
        self.levels.insert(plan.level.clone());
        self.changed.extend(membership.filter(|sent| terms.counts(*sent)));
        let info = format!("items/{index}/membershipInfo");
        for (place, holder) in holders.iter().enumerate() {
            let pointer = format!("{info}/membershipCards/{place}/constituentImportId");
            self.holders.extend(holder.customer.map(|customer| (customer, pointer)));
        }
        let giver = giver.as_ref().and_then(|giver| giver.customer);
        self.givers.extend(giver);
        self.holders.extend(giver.map(|customer| (customer, format!("{info}/gifterInfo/customerId"))));
    }

    /// Makes it known how many units of its add-ons are sold, of those that have a stock.
    #[must_use]
    pub fn with_stock(mut self, inventory: &BTreeMap<InventoryId, InventoryItem>) -> Self {
        let has_stock = |id: &&InventoryId| inventory.get(id).is_some_and(|item| item.stock.is_some());
        self.stocked = self.inventory.iter().filter(has_stock).copied().collect();
        self
    }

    /// True when it names memberships or a level, or buys one.
    #[must_use]
    pub fn claims_benefits(&self) -> bool {
        !self.memberships.is_empty() || self.level.is_some() || !self.levels.is_empty()
    }

    /// Its memberships that count, as they are named: by their ids or their numbers.
    #[must_use]
    pub fn memberships(&self) -> &[MembershipId] {
        &self.memberships
    }

    /// What of it may be guesses, where the request itself names it.
    #[must_use]
    pub fn guesses(&self) -> Guesses {
        let mut looked_up = self.memberships.iter().chain(&self.changed);
        let proves = |sent| self.evidence.as_ref().is_some_and(|evidence| evidence.proves(sent));
        let on_word = looked_up.any(|sent| !proves(*sent));
        Guesses { codes: self.unknown_codes, unproven: self.refused, on_word }
    }

    /// The keys of everything that is looked up for a cart. Ticket types, inventory and combos are not among them:
    /// carts take them from the cache, and checkout reads them afresh.
    pub fn keys(&self, tenant: TenantId) -> impl Iterator<Item = Key> {
        let ledgers = self.instances.iter().map(move |id| Ledger::place(tenant, id));
        let reservation = self.reservation.map(|id| Reservation::place(tenant, &id));
        let customers = self.customer.into_iter().chain(self.holders.iter().map(|(id, _)| *id));
        let customers = customers.map(move |id| Customer::place(tenant, &id));
        let level = self.level.as_ref().map(|id| Level::place(tenant, id));
        let memberships = self.memberships.iter().chain(&self.changed);
        let memberships = memberships.flat_map(move |sent| membership_keys(tenant, *sent));
        let uses = self.limits.keys().map(move |id| coupon_uses_key(tenant, id));
        let sold = self.stocked.iter().map(move |id| units_sold_key(tenant, *id));
        ledgers
            .chain(reservation)
            .chain(customers)
            .chain(level)
            .chain(memberships)
            .chain(uses)
            .chain(sold)
            .chain(self.people_keys(tenant))
    }

    /// Where it is written which customers the people are.
    fn people_keys(&self, tenant: TenantId) -> BTreeSet<Key> {
        self.people.iter().filter_map(|person| customer_match_key(tenant, person)).collect()
    }

    fn take_people(
        &self,
        found: &mut Found,
        tenant: TenantId,
    ) -> Result<BTreeMap<Key, CustomerId>, StoreError> {
        let mut people = BTreeMap::new();
        for key in self.people_keys(tenant) {
            let customer = take_matched_customer(found, &key)?;
            people.extend(customer.map(|customer| (key, customer)));
        }
        Ok(people)
    }

    /// Reads what exists, in one round trip.
    ///
    /// # Errors
    /// [`StoreError`] when the database does not answer.
    pub fn load<'a>(
        &'a self,
        store: &'a Store,
        tenant: TenantId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Existing, StoreError>> {
        let found = store.get_many(self.keys(tenant), Consistency::Strong);
        Box::pin(async move { self.take(&mut found.await?, tenant, now) })
    }

    /// The pointers to a level and to customers that do not exist.
    fn unknown_of_venue(&self, found: &Found, tenant: TenantId) -> Vec<String> {
        let mut unknown = Vec::new();
        if self.level.as_ref().is_some_and(|id| !found.has::<Level>(tenant, id)) {
            unknown.push("membershipCategoryId".to_owned());
        }
        let known = |id| found.has::<Customer>(tenant, &id);
        if self.customer.is_some_and(|id| !known(id)) {
            unknown.push("customerId".to_owned());
        }
        let strange = self.holders.iter().filter(|(id, _)| !known(*id));
        unknown.extend(strange.map(|(_, pointer)| pointer.clone()));
        unknown
    }

    /// Takes what exists out of what was found under these keys, with what memberships give to whoever asks at `now`.
    ///
    /// # Errors
    /// [`StoreError`] when an item does not read as what it should be.
    pub fn take(&self, found: &mut Found, tenant: TenantId, now: Timestamp) -> Result<Existing, StoreError> {
        let mut unknown = self.unknown_of_venue(found, tenant);
        let mut used_up = BTreeSet::new();
        for (id, limit) in &self.limits {
            let uses = take_coupon_uses(found, tenant, id)?;
            if uses.is_some_and(|uses| uses >= *limit) {
                used_up.insert(id.clone());
            }
        }
        let mut all: BTreeMap<MembershipId, Membership> = BTreeMap::new();
        for sent in self.memberships.iter().chain(&self.changed) {
            if !all.contains_key(sent)
                && let Some(membership) = take_membership(found, tenant, *sent)?
                && self.evidence.as_ref().is_none_or(|evidence| evidence.agrees(*sent, &membership))
            {
                all.insert(*sent, membership);
            }
        }
        let missing: BTreeSet<&MembershipId> =
            self.memberships.iter().chain(&self.changed).filter(|sent| !all.contains_key(sent)).collect();
        let named = self.sent.iter().enumerate().filter(|(_, sent)| missing.contains(sent));
        unknown.extend(named.map(|(index, sent)| match self.single_membership == Some(*sent) {
            true => "membershipId".to_owned(),
            false => format!("membershipIds/{index}"),
        }));
        let numbers = all.values().map(|found| (found.id, found.number)).collect();
        let of = |ids: &mut dyn Iterator<Item = &MembershipId>| -> BTreeMap<MembershipId, Membership> {
            ids.filter_map(|sent| Some((*sent, all.get(sent)?.clone()))).collect()
        };
        let memberships = of(&mut self.memberships.iter());
        let changed = of(&mut self.changed.iter());
        let mut ledgers = found.take_all::<Ledger>(tenant, &self.instances)?;
        ledgers.retain(|_, ledger| ledger.exists());
        let sold = take_units_sold(found, tenant, &self.stocked)?;
        let givers = found.take_all::<Customer>(tenant, &self.givers)?;
        let is_lapsed = |found: &Membership| found.standing(now) == MembershipStanding::Lapsed;
        Ok(Existing {
            ledgers,
            reservation: self.reservation.map(|id| found.take_one::<Reservation>(tenant, &id)).transpose()?,
            buyer: match memberships.is_empty() && !self.memberships.is_empty() {
                // Named memberships that do not exist are refused; until then they give nothing.
                true => Buyer::default(),
                false => Buyer::of(memberships.values(), self.level.as_ref(), now),
            },
            people: self.take_people(found, tenant)?,
            memberships: changed,
            numbers,
            lapsed: memberships.iter().filter(|(_, found)| is_lapsed(found)).map(|(sent, _)| *sent).collect(),
            used_up,
            givers: givers.into_iter().map(|(id, customer)| (id, customer.person)).collect(),
            sold,
            unknown,
            unknown_memberships: u32::try_from(missing.len()).unwrap_or(u32::MAX),
        })
    }
}

impl Existing {
    /// On whose behalf the cart is priced.
    #[must_use]
    pub fn pricing_context(&self, caller: &Caller) -> PricingContext<'_> {
        let Self { buyer, used_up, memberships, .. } = self;
        let (channel, zone) = (caller.scope.channel(), caller.tenant.zone);
        PricingContext { channel, buyer, zone, used_up, memberships }
    }

    /// Whether a membership that the cart names gives anything from now on.
    #[must_use]
    pub fn gives(&self, sent: MembershipId) -> bool {
        !self.lapsed.contains(&sent)
    }

    /// Whose benefits count.
    #[must_use]
    pub const fn buyer(&self) -> &Buyer {
        &self.buyer
    }

    /// The customer that this data means, if it is that of one of the people who were looked for.
    #[must_use]
    pub fn customer_of(&self, tenant: TenantId, person: &Person) -> Option<CustomerId> {
        self.people.get(&customer_match_key(tenant, person)?).copied()
    }

    /// The customers who give its memberships, as far as the caller may know them: a page is told nothing of them
    /// (contract §2).
    #[must_use]
    pub fn givers(&self, caller: &Caller) -> BTreeMap<CustomerId, Person> {
        if caller.scope.is_page() { BTreeMap::new() } else { self.givers.clone() }
    }

    /// Counts the memberships that the request named and that are nobody's.
    ///
    /// # Errors
    /// `THROTTLED` when there are too many.
    pub async fn count_unknown(&self, app: &App, caller: &Caller) -> Result<(), ApiError> {
        Ok(count_unknown_memberships(app, caller.client(), self.unknown_memberships).await?)
    }

    /// The numbers of the cart's memberships, by their ids.
    #[must_use]
    pub fn numbers(&self) -> &BTreeMap<MembershipId, MembershipId> {
        &self.numbers
    }

    /// Pointers within the cart of customer, level and memberships that do not exist.
    #[must_use]
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// What came of pricing a cart, refused also where its customer, level, memberships or reservation do not
    /// exist. Ids that name nothing are told together, after lines that are wrong and before events that are
    /// not on sale.
    ///
    /// # Errors
    /// `NOT_FOUND` with every such field, or the refusal of pricing.
    pub fn check_with<T>(&self, priced: Result<T, ApiError>, cart: &str) -> Result<T, ApiError> {
        let reservation = matches!(self.reservation, Some(None)).then_some("reservationId");
        let fields = self.unknown.iter().map(String::as_str).chain(reservation);
        match priced {
            Err(refusal) if refusal.kind() == ErrorType::ValidationError => Err(refusal),
            Err(refusal) if refusal.kind() == ErrorType::NotFound => {
                Err(unknown(Some(refusal.clone()), cart, fields).unwrap_or(refusal))
            }
            priced => unknown(None, cart, fields).map_or(priced, Err),
        }
    }
}

fn unknown<'a>(
    other: Option<ApiError>,
    cart: &str,
    fields: impl Iterator<Item = &'a str>,
) -> Option<ApiError> {
    fields.fold(other, |error, field| {
        let error = error.unwrap_or_else(|| ApiError::new(ErrorType::NotFound));
        Some(error.detail(format!("{cart}/{field}"), "was not found"))
    })
}
