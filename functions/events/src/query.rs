//! Query parameters of the browsing routes, with their defaults (spec §4.4).

use adapters::App;
use adapters::rate_limit::{count_unknown_memberships, count_unproven, look_at_memberships};
use domain::buyer::Buyer;
use domain::listing::{Audience, Range, TemplateFilter};
use domain::number::whole_number;
use domain::{Channel, ComboTemplateId, LevelId, MembershipId, Timestamp};
use serde::Deserialize;
use store::Consistency;
use store::member::{membership_keys, take_membership};
use utoipa::IntoParams;
use web::ApiError;
use web::access::Caller;
use web::claims::{evidence, tell};
use web::query::QueryReader;

/// The longest range of a calendar, in days: three years.
const MAX_CALENDAR_DAYS: i64 = 1_098;

/// Parameters of routes with a range of time.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct RangeQuery {
    /// ISO 8601; an instant without offset is local time of the tenant.
    start_time: Option<String>,
    /// ISO 8601.
    end_time: Option<String>,
    /// `online` (default), `customerRep`, `pointOfSale`, `kiosk`, `manualEntry`, `reseller`. A till is always
    /// shown `pointOfSale`, and the back office by default `insideSalesIndividual`.
    sale_channel: Option<String>,
    /// `standard` (default), `private` or `all`.
    r#type: Option<String>,
    /// A membership number.
    membership_id: Option<String>,
    /// A membership level.
    membership_category_id: Option<String>,
}

/// What the times of one template are for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PartQuery {
    /// A combo: only times that can be a part of it.
    combo_template_id: Option<String>,
}

/// Parameters of routes that name what they ask for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct OfferQuery {
    /// `online` (default), `customerRep`, `pointOfSale`, `kiosk`, `manualEntry`, `reseller`. A till is always
    /// shown `pointOfSale`, and the back office by default `insideSalesIndividual`.
    sale_channel: Option<String>,
    /// A membership number.
    membership_id: Option<String>,
    /// A membership level.
    membership_category_id: Option<String>,
}

/// Whose benefits a request asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Benefits {
    membership: Option<MembershipId>,
    level: Option<LevelId>,
}

/// On whose behalf the catalog is to be read.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    channel: Channel,
    types: TemplateFilter,
    benefits: Benefits,
    pub(crate) now: Timestamp,
}

/// The times of one template that are asked for.
#[derive(Debug, Clone)]
pub(crate) struct AskedTimes {
    pub(crate) asked: Asked,
    pub(crate) range: Range,
    /// The combo that they are to be parts of.
    pub(crate) combo: Option<ComboTemplateId>,
}

impl Asked {
    /// Looks the membership up, which takes a round trip where one is named. One that does not exist gives
    /// nothing, as if it had lapsed: whether it exists is nobody's business here. One that the caller has to prove and
    /// does not is not looked up. A level that is named alone is shown at its prices to everybody, like a price list.
    pub(crate) async fn buyer(&self, app: &App, caller: &Caller) -> Result<Buyer, ApiError> {
        let Benefits { membership, level } = &self.benefits;
        let Some(sent) = *membership else { return Ok(Buyer::of([], level.as_ref(), self.now)) };
        let evidence = evidence(app, caller).await?;
        if !evidence.admits(sent) {
            tell(caller, evidence.problem());
            count_unproven(app, caller.client(), 1).await?;
            return Ok(Buyer::nobody());
        }
        let tenant = caller.tenant.id;
        let guessed = async {
            if evidence.proves(sent) { Ok(()) } else { look_at_memberships(app, caller.client()).await }
        };
        let load = app.store.get_many(membership_keys(tenant, sent), Consistency::Eventual);
        let (found, guessed) = tokio::join!(load, guessed);
        guessed?;
        let found = take_membership(&mut found?, tenant, sent)?;
        let found = found.filter(|found| evidence.agrees(sent, found));
        count_unknown_memberships(app, caller.client(), u32::from(found.is_none())).await?;
        Ok(Buyer::of(found.as_ref(), None, self.now))
    }

    pub(crate) fn audience<'a>(&self, caller: &Caller, buyer: &'a Buyer) -> Audience<'a> {
        let zone = caller.tenant.zone;
        Audience { channel: self.channel, types: self.types, buyer, zone, now: self.now }
    }
}

/// The channel that is asked for, or that of the caller's key.
fn channel(reader: &mut QueryReader, caller: &Caller, text: Option<&str>) -> Channel {
    let parse = |text: &str| Channel::parse(text).ok();
    caller.scope.asked_channel(reader.optional("saleChannel", text, parse, CHANNELS))
}

fn benefits(reader: &mut QueryReader, membership: Option<&str>, level: Option<&str>) -> Benefits {
    let number = |text: &str| whole_number(text).and_then(|number| MembershipId::parse(number).ok());
    let id = |text: &str| LevelId::parse(text).ok();
    Benefits {
        membership: reader.optional("membershipId", membership, number, "a membership number"),
        level: reader.optional("membershipCategoryId", level, id, "the id of a membership level"),
    }
}

const CHANNELS: &str = "one of online, customerRep, pointOfSale, kiosk, manualEntry, reseller";

impl RangeQuery {
    /// Audience and range of times, calendars and the slim list. The start defaults to 12:00 am today, the
    /// end to 11:59 pm on the day of the start, both on the tenant's clocks.
    pub(crate) fn read(&self, caller: &Caller) -> Result<(Asked, Range), ApiError> {
        let mut reader = QueryReader::new();
        let asked = self.asked(&mut reader, caller);
        let range = self.range(&mut reader, caller);
        reader.finish((asked, range))
    }

    /// Like [`Self::read`], for the times of one template.
    pub(crate) fn read_times(&self, part: &PartQuery, caller: &Caller) -> Result<AskedTimes, ApiError> {
        let mut reader = QueryReader::new();
        let asked = self.asked(&mut reader, caller);
        let id = |text: &str| ComboTemplateId::parse(text).ok();
        let sent = part.combo_template_id.as_deref();
        let combo = reader.optional("comboTemplateId", sent, id, "the id of a combination");
        let range = self.range(&mut reader, caller);
        reader.finish(AskedTimes { asked, range, combo })
    }

    /// Like [`Self::read`], for answers that have an entry for every day of the range.
    pub(crate) fn read_calendar(&self, caller: &Caller) -> Result<(Asked, Range), ApiError> {
        let mut reader = QueryReader::new();
        let asked = self.asked(&mut reader, caller);
        let range = self.range(&mut reader, caller);
        if range.until.signed_duration_since(range.from).num_days() > MAX_CALENDAR_DAYS {
            reader.fault("endTime", format!("must be at most {MAX_CALENDAR_DAYS} days after startTime"));
        }
        reader.finish((asked, range))
    }

    /// Audience and range of the list of templates for the caller's own channel: without a start, all are asked for, whatever
    /// the end. One that is no time is refused all the same.
    pub(crate) fn read_list(&self, caller: &Caller) -> Result<(Asked, Option<Range>), ApiError> {
        let mut reader = QueryReader::new();
        let asked = self.asked(&mut reader, caller);
        let asked = Asked { channel: caller.scope.channel(), ..asked };
        let range = self.start_time.is_some().then(|| self.range(&mut reader, caller));
        if range.is_none() {
            reader.instant("endTime", self.end_time.as_deref(), caller.tenant.zone);
        }
        reader.finish((asked, range))
    }

    fn asked(&self, reader: &mut QueryReader, caller: &Caller) -> Asked {
        let (sent, expected) = (self.r#type.as_deref(), "one of standard, private, all");
        let types = reader.optional("type", sent, TemplateFilter::parse, expected).unwrap_or_default();
        let channel = channel(reader, caller, self.sale_channel.as_deref());
        let (membership, level) = (self.membership_id.as_deref(), self.membership_category_id.as_deref());
        let benefits = benefits(reader, membership, level);
        Asked { channel, types, benefits, now: caller.clock.now() }
    }

    fn range(&self, reader: &mut QueryReader, caller: &Caller) -> Range {
        let (start, end) = (self.start_time.as_deref(), self.end_time.as_deref());
        reader.range(start, end, caller.tenant.zone, caller.clock.now())
    }
}

impl OfferQuery {
    /// The audience of a route that names its template or instance, which hides no type.
    pub(crate) fn read(&self, caller: &Caller) -> Result<Asked, ApiError> {
        let mut reader = QueryReader::new();
        let channel = channel(&mut reader, caller, self.sale_channel.as_deref());
        let (membership, level) = (self.membership_id.as_deref(), self.membership_category_id.as_deref());
        let benefits = benefits(&mut reader, membership, level);
        let (types, now) = (TemplateFilter::All, caller.clock.now());
        let asked = Asked { channel, types, benefits, now };
        reader.finish(asked)
    }
}
