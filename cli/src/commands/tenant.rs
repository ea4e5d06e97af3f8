//! Tenants.

use super::archive::{require_rest, unserved};
use super::{address, columns, joined, known_tenant, line, origin, print, tenant_id};
use crate::database::{DatabaseArgs, Opened, open};
use crate::failure::Failure;
use adapters::IdSource;
use adapters::app::hash_key_context;
use adapters::clock::wall_now;
use clap::{Args, Subcommand};
use domain::currency::UnfitCurrency;
use domain::rate_limit::{MAX_WINDOW_SECS, Rate, RateLimit};
use domain::tenant::{
    CardReentry, ClaimRule, ConsumerSite, DEFAULT_CHALLENGE_SECS, DEFAULT_HOLD_SECS, DoorRules,
    MAX_CHALLENGE_SECS, MAX_HOLD_SECS, MIN_CHALLENGE_SECS, MemberClaims, ProcessorKind, REST_SECS, Scope,
    Tenant,
};
use domain::time::plus_secs;
use domain::{Currency, TenantId, Zone};
use sagas::publish::keep_slots_listed;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use store::Store;
use store::archive::TenantPlace;

/// What to do with tenants.
#[derive(Debug, Subcommand)]
pub(crate) enum TenantCommand {
    /// Create a tenant
    Create {
        /// Id of the new tenant, a positive whole number
        #[arg(value_parser = tenant_id)]
        id: TenantId,
        /// Shown in mails
        #[arg(long, value_parser = line)]
        name: String,
        /// Time zone for its days and schedules, such as America/New_York
        #[arg(long, value_parser = zone)]
        zone: Zone,
        /// Make it a sandbox: callers may choose the clock, and no real money moves
        #[arg(long)]
        sandbox: bool,
        #[command(flatten)]
        settings: Settings,
    },
    /// Change a tenant's settings; what is not given stays as it is
    Set {
        /// Id of the tenant
        #[arg(value_parser = tenant_id)]
        id: TenantId,
        /// Shown in mails
        #[arg(long, value_parser = line)]
        name: Option<String>,
        /// Time zone; slots that are generated already keep their instants
        #[arg(long, value_parser = zone)]
        zone: Option<Zone>,
        /// Allow no origin at all
        #[arg(long, conflicts_with = "origins")]
        no_origins: bool,
        #[command(flatten)]
        settings: Settings,
    },
    /// Stop serving a tenant until it is opened again, so that it can be archived
    ///
    /// Its requests are refused with 503. Orders that are pending, mails and refunds wait for the tenant to be opened,
    /// here or where it was restored.
    Close {
        /// Id of the tenant
        #[arg(value_parser = tenant_id)]
        id: TenantId,
    },
    /// Open a tenant that was closed or restored
    Open {
        /// Id of the tenant
        #[arg(value_parser = tenant_id)]
        id: TenantId,
    },
    /// List all tenants
    List,
    /// Show a tenant's settings
    Show {
        /// Id of the tenant
        #[arg(value_parser = tenant_id)]
        id: TenantId,
    },
}

/// Settings that have a default.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// What everything costs is counted in, by its ISO 4217 code (USD unless set). It cannot change once something was
    /// sold, and before that only while nobody serves the tenant: close it first, or stop the service of this machine
    #[arg(long, value_name = "CODE", value_parser = currency)]
    currency: Option<Currency>,
    /// How long a reservation holds its seats, in seconds (10 minutes unless set, at most 30)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_HOLD_SECS)))]
    hold_secs: Option<u32>,
    /// An origin whose pages may call the browser routes; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN", value_parser = origin)]
    origins: Vec<String>,
    /// Put in front of a merchant's name on card statements
    #[arg(long, value_parser = line)]
    descriptor_prefix: Option<String>,
    /// Address that mails are sent from
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    mail_from: Option<String>,
    /// Page of the venue's own site that links in login mails open, such as https://members.example.org/login
    #[arg(long, value_name = "URL", value_parser = site)]
    consumer_site: Option<ConsumerSite>,
    /// Page of the venue's own that links in mails to staff open, such as https://staff.example.org/login
    #[arg(long, value_name = "URL", value_parser = site)]
    staff_site: Option<ConsumerSite>,
    /// Whether orders get running numbers of the year, such as 2027-000123, at the price of one more write each
    #[arg(long, value_name = "TRUE|FALSE")]
    receipt_numbers: Option<bool>,
    /// How often something may be asked for, such as verifications-per-address=120/60 for 120 within 60 seconds, or
    /// verifications-per-address=default; may be repeated. `tenant show` lists all limits
    #[arg(long = "limit", value_name = "LIMIT=COUNT/SECONDS", value_parser = limit)]
    limits: Vec<(RateLimit, Option<Rate>)>,
    /// Who may claim to be a member, such as b2c=any for the keys of servers or b2c-browser=proof for those of pages;
    /// may be repeated. `none` takes nobody for a member, `proof` those who prove it, `any` all who say so
    #[arg(long = "member-claims", value_name = "SCOPE=RULE", value_parser = member_claims)]
    member_claims: Vec<(Scope, ClaimRule)>,
    /// Whether tickets of orders with a balance open the door (true unless set)
    #[arg(long, value_name = "true|false")]
    admit_unpaid: Option<bool>,
    /// Whether a member card opens the door again on the same day: always or never (always unless set)
    #[arg(long, value_name = "always|never", value_parser = card_reentry)]
    card_reentry: Option<CardReentry>,
    /// Whether card numbers are taken, and not tokens of cards alone (yes or no; a live tenant starts with no). Stripe
    /// takes numbers only with a permission of its own
    #[arg(long, value_name = "ANSWER", value_parser = yes_or_no)]
    raw_cards: Option<bool>,
    /// How long buyers may take to answer the issuer of their card, in seconds (10 minutes unless set, at most 30)
    #[arg(
        long,
        value_parser = clap::value_parser!(u32)
            .range(i64::from(MIN_CHALLENGE_SECS)..=i64::from(MAX_CHALLENGE_SECS))
    )]
    challenge_secs: Option<u32>,
}

fn zone(name: &str) -> Result<Zone, &'static str> {
    Zone::parse(name).map_err(|_| "no such time zone; use a name like America/New_York")
}

fn currency(code: &str) -> Result<Currency, UnfitCurrency> {
    Currency::parse(code)
}

fn site(text: &str) -> Result<ConsumerSite, &'static str> {
    ConsumerSite::parse(text).map_err(|_| "a site begins with https:// and has no fragment")
}

fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("the answer is yes or no"),
    }
}

/// Reads a limit and what it is set to; nothing gives it back to its default.
fn limit(text: &str) -> Result<(RateLimit, Option<Rate>), String> {
    let Some((name, rate)) = text.split_once('=') else {
        return Err("a limit looks like verifications-per-address=120/60".to_owned());
    };
    let limit = RateLimit::parse(name).map_err(|_| {
        let names: Vec<&str> = RateLimit::ALL.iter().map(|limit| limit.name()).collect();
        format!("no such limit; the limits are {}", names.join(", "))
    })?;
    if rate == "default" {
        return Ok((limit, None));
    }
    let rate = Rate::parse(rate).map_err(|_| {
        format!("a rate is a count, a slash and seconds, of which there are at most {MAX_WINDOW_SECS}")
    })?;
    Ok((limit, Some(rate)))
}

/// Reads whose claims are meant, and what they need.
fn member_claims(text: &str) -> Result<(Scope, ClaimRule), String> {
    let unfit = || {
        let rules = ClaimRule::ALL.map(ClaimRule::name).join(", ");
        format!("it looks like b2c-browser=proof: b2c or b2c-browser, and one of {rules}")
    };
    let (scope, rule) = text.split_once('=').ok_or_else(unfit)?;
    let scope = [Scope::B2c, Scope::B2cBrowser].into_iter().find(|known| known.name() == scope);
    scope.zip(ClaimRule::parse(rule)).ok_or_else(unfit)
}

fn card_reentry(text: &str) -> Result<CardReentry, &'static str> {
    CardReentry::parse(text).ok_or("it is always or never")
}

impl Settings {
    fn apply(self, tenant: &mut Tenant) {
        let Self {
            currency,
            hold_secs,
            origins,
            descriptor_prefix,
            mail_from,
            consumer_site,
            staff_site,
            receipt_numbers,
            limits,
            member_claims,
            admit_unpaid,
            card_reentry,
            raw_cards,
            challenge_secs,
        } = self;
        tenant.door.admit_unpaid = admit_unpaid.unwrap_or(tenant.door.admit_unpaid);
        tenant.door.card_reentry = card_reentry.unwrap_or(tenant.door.card_reentry);
        tenant.currency = currency.unwrap_or(tenant.currency);
        if let Some(secs) = hold_secs {
            tenant.hold_secs = secs;
        }
        if !origins.is_empty() {
            tenant.allowed_origins = origins.into_iter().collect();
        }
        if let Some(prefix) = descriptor_prefix {
            tenant.descriptor_prefix = prefix;
        }
        if mail_from.is_some() {
            tenant.mail_from = mail_from;
        }
        if consumer_site.is_some() {
            tenant.consumer_site = consumer_site;
        }
        if staff_site.is_some() {
            tenant.staff_site = staff_site;
        }
        tenant.receipt_numbers = receipt_numbers.unwrap_or(tenant.receipt_numbers);
        tenant.raw_cards = raw_cards.unwrap_or(tenant.raw_cards);
        tenant.challenge_secs = challenge_secs.unwrap_or(tenant.challenge_secs);
        for (limit, rate) in limits {
            match rate {
                Some(rate) => tenant.limits.insert(limit, rate),
                None => tenant.limits.remove(&limit),
            };
        }
        for (scope, rule) in member_claims {
            match scope {
                Scope::B2c => tenant.member_claims.servers = rule,
                Scope::B2cBrowser => tenant.member_claims.pages = rule,
                Scope::B2b | Scope::Door | Scope::Counter | Scope::Payment | Scope::Onboard => {}
            }
        }
    }
}

pub(crate) async fn run(args: &DatabaseArgs, command: TenantCommand) -> Result<(), Failure> {
    let opened = open(args).await?;
    match command {
        TenantCommand::Create { id, name, zone, sandbox, settings } => {
            create(&opened, id, name, zone, sandbox, settings).await
        }
        TenantCommand::Set { id, name, zone, no_origins, settings } => {
            let mut tenant = known_tenant(&opened.store, id).await?;
            // Held to the end, so that nobody begins to serve meanwhile.
            let _unserved = match settings.currency {
                Some(wanted) if wanted != tenant.currency => {
                    require_unsold(args, &opened.store, &tenant).await?
                }
                Some(_) | None => None,
            };
            tenant.name = name.unwrap_or(tenant.name);
            if let Some(zone) = zone.filter(|zone| *zone != tenant.zone) {
                keep_slots_listed(&opened.store, id).await?;
                tenant.zone = zone;
            }
            if no_origins {
                tenant.allowed_origins.clear();
            }
            settings.apply(&mut tenant);
            opened.store.save_tenant(&tenant).await?;
            print(&described(&tenant))
        }
        TenantCommand::Close { id } => close(&opened.store, id).await,
        TenantCommand::Open { id } => {
            let tenant = known_tenant(&opened.store, id).await?;
            opened.store.save_tenant(&Tenant { closed_at: None, ..tenant }).await?;
            print(&format!("tenant {id} is open"))
        }
        TenantCommand::List => {
            let rows: Vec<_> = opened.store.load_all_tenants().await?.iter().map(row).collect();
            print(&columns(["ID", "KIND", "STATE", "ZONE", "NAME"], &rows))
        }
        TenantCommand::Show { id } => print(&described(&known_tenant(&opened.store, id).await?)),
    }
}

fn row(tenant: &Tenant) -> [String; 5] {
    let kind = if tenant.sandbox { "sandbox" } else { "live" };
    let state = if tenant.is_closed() { "closed" } else { "open" };
    let Tenant { id, zone, name, .. } = tenant;
    [id.to_string(), kind.to_owned(), state.to_owned(), zone.name().to_owned(), name.clone()]
}

/// Closes a tenant; one that is closed stays closed since then.
async fn close(store: &Store, id: TenantId) -> Result<(), Failure> {
    let tenant = known_tenant(store, id).await?;
    let since = tenant.closed_at.unwrap_or_else(wall_now);
    if !tenant.is_closed() {
        store.save_tenant(&Tenant { closed_at: Some(since), ..tenant }).await?;
    }
    let rests = plus_secs(since, REST_SECS).format("%H:%M:%S");
    print(&format!("tenant {id} is closed; requests that began before will have ended by {rests} UTC"))
}

/// Fails unless nothing was sold so far, and nothing can be sold meanwhile; the lock that sees to it, where one does.
async fn require_unsold(
    args: &DatabaseArgs,
    store: &Store,
    tenant: &Tenant,
) -> Result<Option<File>, Failure> {
    let Tenant { id, currency, .. } = tenant;
    let unserved = unserved(args);
    if unserved.is_none() {
        if !tenant.is_closed() {
            return Err(Failure::new(format!(
                "tenant {id} is open and may sell something in {currency} meanwhile; close it first"
            )));
        }
        require_rest(tenant, wall_now())?;
    }
    if store.has_sold(*id).await? {
        return Err(Failure::new(format!("tenant {id} has sold in {currency}, which stays its currency")));
    }
    Ok(unserved)
}

async fn create(
    opened: &Opened,
    id: TenantId,
    name: String,
    zone: Zone,
    sandbox: bool,
    settings: Settings,
) -> Result<(), Failure> {
    let hash_key =
        IdSource::default().bytes::<32>().map_err(|fault| Failure::because("there is no key", &fault))?;
    let sealed = opened.vault.seal(&hash_key_context(id), &hash_key).await;
    let sealed = sealed.map_err(|fault| Failure::because("the tenant's key cannot be sealed", &fault))?;
    let mut tenant = Tenant {
        id,
        name,
        zone,
        currency: Currency::default(),
        sandbox,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: BTreeSet::new(),
        descriptor_prefix: String::new(),
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
        raw_cards: sandbox,
        challenge_secs: DEFAULT_CHALLENGE_SECS,
        sealed_hash_key: hex::encode(sealed),
        closed_at: None,
    };
    settings.apply(&mut tenant);
    if !opened.store.create_tenant(&tenant).await? {
        if let TenantPlace::Restoring(_) = opened.store.load_place(id).await? {
            return Err(Failure::new(format!("tenant {id} is being restored from an archive")));
        }
        return Err(Failure::new(format!("tenant {id} already exists; change it with `tenant set`")));
    }
    print(&described(&tenant))
}

fn described(tenant: &Tenant) -> String {
    let Tenant {
        id,
        name,
        zone,
        currency,
        sandbox,
        hold_secs,
        allowed_origins,
        descriptor_prefix,
        processor,
        mail_from,
        consumer_site,
        staff_site,
        branding: _,
        receipt_numbers,
        settings_version: _,
        limits,
        member_claims: MemberClaims { servers, pages },
        door: DoorRules { admit_unpaid, card_reentry },
        raw_cards,
        challenge_secs,
        sealed_hash_key: _,
        closed_at,
    } = tenant;
    let state = closed_at.map(|since| format!("closed since {}", since.format("%F %T UTC")));
    let processor = match processor {
        ProcessorKind::Sandbox => "sandbox",
        ProcessorKind::Stripe(_) => "Stripe",
    };
    let rows = [
        ["id", &id.to_string()],
        ["name", name],
        ["kind", if *sandbox { "sandbox" } else { "live" }],
        ["state", state.as_deref().unwrap_or("open")],
        ["zone", zone.name()],
        ["currency", currency.code()],
        ["hold", &format!("{hold_secs} s")],
        ["origins", &joined(allowed_origins)],
        ["descriptor prefix", descriptor_prefix],
        ["processor", processor],
        ["asked buyers", &format!("{challenge_secs} s")],
        ["card numbers", if *raw_cards { "taken" } else { "not taken, tokens only" }],
        ["mail from", mail_from.as_deref().unwrap_or("the deployment's address")],
        ["consumer site", consumer_site.as_ref().map_or("none, so no login mails", ConsumerSite::as_str)],
        ["staff site", staff_site.as_ref().map_or("none, so no mails to staff", ConsumerSite::as_str)],
        ["receipt numbers", if *receipt_numbers { "yes" } else { "no" }],
        ["member claims", &format!("{} by servers, {} by pages", servers.name(), pages.name())],
        ["unpaid tickets", if *admit_unpaid { "open the door" } else { "do not open the door" }],
        ["member cards", &format!("open the door again on the same day: {}", card_reentry.name())],
    ];
    let rows = rows.map(|[setting, value]| format!("{setting:18} {value}").trim_end().to_owned());
    let limits = RateLimit::ALL.iter().map(|limit| {
        let own = if limits.contains_key(limit) { ", set for this tenant" } else { "" };
        format!("{limit:30} {} within {} s{own}", tenant.rate(*limit).count, tenant.rate(*limit).window_secs)
    });
    let limits = limits.map(|limit| format!("  {limit}"));
    let lines: Vec<String> = rows.into_iter().chain(["limits".to_owned()]).chain(limits).collect();
    lines.join("\n")
}
