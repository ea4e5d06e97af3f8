//! Query parameters of the list of levels, with their rules (spec §4.6).

use domain::Channel;
use domain::membership::{CollectionFilter, Level, LevelFilter, LevelState, ListedAction};
use serde::Deserialize;
use utoipa::IntoParams;
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting};
use web::query::QueryReader;
use web::{ApiError, ErrorType};
use wire::membership::{Detail, group};

/// The channels a list of levels can ask for.
const CHANNELS: [Channel; 4] =
    [Channel::Online, Channel::PointOfSale, Channel::InsideSalesIndividual, Channel::CustomerRep];

/// Which levels are wanted, and how much of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct LevelQuery {
    /// `true` for levels on offer, `false` for drafts.
    #[param(required = true)]
    is_published: Option<String>,
    /// `online`, `pointOfSale`, `insideSalesIndividual`, `customerRep`; several are separated by commas.
    #[param(required = true)]
    sales_channels: Option<String>,
    /// `true` leaves metadata and configuration out.
    summarize: Option<String>,
    /// `individualAndFamily` or `organization`.
    membership_level_group: Option<String>,
    /// `NEW_MEMBERSHIPS`, `CANCELLATION`, `UPGRADE`, `DOWNGRADE`, `RENEW`, `AFTER_TERM_RENEW`, `REJOIN`.
    action: Option<String>,
    /// `true` for auxiliary levels alone; otherwise the others alone.
    auxiliary: Option<String>,
    /// `true` for levels in no collection. Not together with `collectionId`.
    exclude_levels_with_a_collection: Option<String>,
    /// Levels in this collection.
    collection_id: Option<String>,
}

/// What a list of levels asks for.
pub(crate) struct Wanted {
    pub(crate) filter: LevelFilter,
    pub(crate) detail: Detail,
    pub(crate) paging: Paging<Level>,
}

static SORTING: Sorting<Level> = Sorting {
    fields: &[
        SortField { name: "name", compare: |one, other| one.name.cmp(&other.name) },
        SortField {
            name: "membershipLevelGroup",
            compare: |one, other| one.group.as_str().cmp(other.group.as_str()),
        },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

/// Reads `true` or `false`, in any case.
pub(crate) fn flag(text: &str) -> Option<bool> {
    [("true", true), ("false", false)]
        .into_iter()
        .find_map(|(name, value)| name.eq_ignore_ascii_case(text).then_some(value))
}

fn channels(text: &str) -> Option<Vec<Channel>> {
    text.split(',').map(|name| Channel::parse(name).ok().filter(|found| CHANNELS.contains(found))).collect()
}

impl LevelQuery {
    /// Reads the parameters.
    pub(crate) fn read(self, page: &PageQuery) -> Result<Wanted, ApiError> {
        const FLAG: &str = "true or false";
        const CHANNEL: &str =
            "one or more of online, pointOfSale, insideSalesIndividual and customerRep, separated by commas";
        const ACTION: &str =
            "NEW_MEMBERSHIPS, CANCELLATION, UPGRADE, DOWNGRADE, RENEW, AFTER_TERM_RENEW or REJOIN";
        let mut reader = QueryReader::new();
        let is_published = reader.required("isPublished", self.is_published.as_deref(), flag, FLAG);
        let channels = reader.required("salesChannels", self.sales_channels.as_deref(), channels, CHANNEL);
        let paging = Paging::read(&mut reader, page, &SORTING);
        let summarize = reader.optional("summarize", self.summarize.as_deref(), flag, FLAG);
        let group = reader.optional(
            "membershipLevelGroup",
            self.membership_level_group.as_deref(),
            group,
            "individualAndFamily or organization",
        );
        let action = reader.optional("action", self.action.as_deref(), ListedAction::parse, ACTION);
        let auxiliary = reader.optional("auxiliary", self.auxiliary.as_deref(), flag, FLAG);
        let excludes = self.exclude_levels_with_a_collection.as_deref();
        let excludes = reader.optional("excludeLevelsWithACollection", excludes, flag, FLAG);
        let collection_id = reader.text("collectionId", self.collection_id.as_deref());
        let read = (is_published, channels, paging);
        let (Some(is_published), Some(channels), Some(paging)) = reader.finish(read)? else {
            return Err(ApiError::new(ErrorType::Internal));
        };
        let filter = LevelFilter {
            state: if is_published { LevelState::Published } else { LevelState::Draft },
            channels,
            group,
            action,
            auxiliary: auxiliary.unwrap_or(false),
            collection: collection(excludes, collection_id)?,
        };
        let detail = if summarize.unwrap_or(false) { Detail::Summary } else { Detail::Full };
        Ok(Wanted { filter, detail, paging })
    }
}

/// The two parameters about collections exclude each other.
fn collection(excludes: Option<bool>, id: Option<String>) -> Result<CollectionFilter, ApiError> {
    match (excludes, id) {
        (Some(_), Some(_)) => {
            let refusal = ApiError::new(ErrorType::CombinationNotSupported);
            let refusal =
                refusal.detail("excludeLevelsWithACollection", "must not be sent together with collectionId");
            Err(refusal.detail("collectionId", "must not be sent together with excludeLevelsWithACollection"))
        }
        (None | Some(false), None) => Ok(CollectionFilter::Any),
        (Some(true), None) => Ok(CollectionFilter::Outside),
        (None, Some(id)) => Ok(CollectionFilter::In(id)),
    }
}
