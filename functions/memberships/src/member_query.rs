//! Query parameters of the lists of memberships and of their cards, with their rules (spec §4.6; contract §9).

use domain::membership::{ChangeRange, ListedMembership, MembershipFilter, ServiceFilter, SummaryFilter};
use domain::number::whole_number;
use domain::{CardId, MembershipId, Timestamp, Zone};

use serde::Deserialize;
use utoipa::IntoParams;
use web::paging::{Direction, PageQuery, Paging, SortField, Sorting};
use web::query::QueryReader;
use web::{ApiError, ErrorType};

/// Entries of one answer: each has more than 550 bytes, so that more would not fit.
const MAX_AT_ONCE: usize = 10_000;

/// What is said of a list that does not fit into an answer.
pub(crate) const TOO_LARGE: &str =
    "The response would be too large; request fewer entries with page and pageSize";

/// The parameters `updatedStartTime` and `updatedEndTime`.
fn range(reader: &mut QueryReader, start: Option<&str>, end: Option<&str>, zone: Zone) -> ChangeRange {
    let from = reader.instant("updatedStartTime", start, zone);
    let until = reader.instant("updatedEndTime", end, zone);
    if let (Some(from), Some(until)) = (from, until)
        && until < from
    {
        reader.fault("updatedEndTime", "must not be before updatedStartTime");
    }
    ChangeRange { from, until }
}

/// Which memberships are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct MembershipQuery {
    /// Memberships that were made or changed at this instant or later.
    updated_start_time: Option<String>,
    /// Memberships that were made or changed at this instant or earlier.
    updated_end_time: Option<String>,
    /// The program in the venue's own system of the level or the offering, in any case.
    program: Option<String>,
    /// Likewise the category; the same reference must have all that is asked for.
    category: Option<String>,
    /// Likewise the subcategory.
    sub_category: Option<String>,
    /// The label of the key that changed it last, in any case.
    updated_by: Option<String>,
}

/// What a list of memberships asks for.
pub(crate) struct Wanted {
    pub(crate) range: ChangeRange,
    pub(crate) filter: MembershipFilter,
    pub(crate) paging: Paging<ListedMembership>,
}

/// In the order in which they were made, the id decides where that is the same.
static MEMBERSHIPS: Sorting<ListedMembership> = Sorting {
    fields: &[
        SortField { name: "createdOn", compare: |one, other| one.created_at.cmp(&other.created_at) },
        SortField { name: "updatedOn", compare: |one, other| one.updated_at.cmp(&other.updated_at) },
        SortField { name: "membershipExpirationDate", compare: |one, other| one.expires.cmp(&other.expires) },
        SortField { name: "id", compare: |one, other| one.id.cmp(&other.id) },
    ],
    direction: Direction::Ascending,
    last: |one, other| one.id.cmp(&other.id),
};

impl MembershipQuery {
    /// Reads the parameters.
    pub(crate) fn read(self, page: &PageQuery, zone: Zone) -> Result<Wanted, ApiError> {
        let mut reader = QueryReader::new();
        let (start, end) = (self.updated_start_time.as_deref(), self.updated_end_time.as_deref());
        let range = range(&mut reader, start, end, zone);
        let service = ServiceFilter {
            program: reader.text("program", self.program.as_deref()),
            category: reader.text("category", self.category.as_deref()),
            subcategory: reader.text("subCategory", self.sub_category.as_deref()),
        };
        let updated_by = reader.text("updatedBy", self.updated_by.as_deref());
        let filter = MembershipFilter { service, updated_by };
        let paging = Paging::read(&mut reader, page, &MEMBERSHIPS);
        let paging = reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        Ok(Wanted { range, filter, paging })
    }
}

/// Which cards are wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct SummaryQuery {
    /// Memberships that were made or changed at this instant or later.
    updated_start_time: Option<String>,
    /// Memberships that were made or changed at this instant or earlier.
    updated_end_time: Option<String>,
    /// Cards of the membership with this id, or of the current one with this number.
    membership_id: Option<String>,
    /// The card with this barcode, if it is held.
    barcode: Option<String>,
    /// Cards that holders with this e-mail address have, in any case.
    email: Option<String>,
    /// First name of the holder; letter case, kinds of apostrophes and white space make no difference.
    first_name: Option<String>,
    /// Last name of the holder, likewise.
    last_name: Option<String>,
    /// City of the holder, likewise.
    city: Option<String>,
    /// How the holder's postal code begins.
    zip: Option<String>,
    /// The term ends at this instant or later.
    expires_after: Option<String>,
    /// The term ends at this instant or earlier.
    expires_before: Option<String>,
}

/// By what cards are found at once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) membership: Option<MembershipId>,
    pub(crate) barcode: Option<String>,
    pub(crate) email: Option<String>,
}

/// What a list of summaries asks for.
pub(crate) struct WantedCards {
    pub(crate) range: ChangeRange,
    pub(crate) known: Known,
    pub(crate) filter: SummaryFilter,
    pub(crate) paging: Paging<CardRow>,
}

/// A card in a list.
#[derive(Debug, Clone)]
pub(crate) struct CardRow {
    pub(crate) membership: MembershipId,
    pub(crate) card: CardId,
    /// The card's place among those of its membership.
    pub(crate) place: usize,
    pub(crate) last_name: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) expires: Timestamp,
}

static CARDS: Sorting<CardRow> = Sorting {
    fields: &[
        SortField { name: "createdOn", compare: |one, other| one.created_at.cmp(&other.created_at) },
        SortField { name: "updatedOn", compare: |one, other| one.updated_at.cmp(&other.updated_at) },
        SortField { name: "membershipExpirationDate", compare: |one, other| one.expires.cmp(&other.expires) },
        SortField { name: "lastName", compare: |one, other| one.last_name.cmp(&other.last_name) },
        SortField { name: "membershipId", compare: |one, other| one.membership.cmp(&other.membership) },
    ],
    direction: Direction::Ascending,
    last: |one, other| (one.membership, one.place).cmp(&(other.membership, other.place)),
};

impl SummaryQuery {
    /// Reads the parameters.
    pub(crate) fn read(self, page: &PageQuery, zone: Zone) -> Result<WantedCards, ApiError> {
        const NUMBER: &str = "a positive integer below 2^53";
        let number = |text: &str| whole_number(text).and_then(|id| MembershipId::parse(id).ok());
        let mut reader = QueryReader::new();
        let (start, end) = (self.updated_start_time.as_deref(), self.updated_end_time.as_deref());
        let range = range(&mut reader, start, end, zone);
        let membership = reader.optional("membershipId", self.membership_id.as_deref(), number, NUMBER);
        let barcode = reader.text("barcode", self.barcode.as_deref());
        let email = reader.email("email", self.email.as_deref());
        let known = Known { membership, barcode, email };
        let first_name = reader.text("firstName", self.first_name.as_deref());
        let last_name = reader.text("lastName", self.last_name.as_deref());
        let city = reader.text("city", self.city.as_deref());
        let zip = reader.text("zip", self.zip.as_deref());
        let expires_after = reader.instant("expiresAfter", self.expires_after.as_deref(), zone);
        let expires_before = reader.instant("expiresBefore", self.expires_before.as_deref(), zone);
        if let (Some(after), Some(before)) = (expires_after, expires_before)
            && before < after
        {
            reader.fault("expiresBefore", "must not be before expiresAfter");
        }
        let paging = Paging::read(&mut reader, page, &CARDS);
        let paging = reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        let filter = SummaryFilter { first_name, last_name, city, zip, expires_after, expires_before };
        Ok(WantedCards { range, known, filter, paging })
    }
}

/// Refuses a page that cannot fit into an answer before its memberships are read.
pub(crate) fn refuse_too_many(entries: usize) -> Result<(), ApiError> {
    if entries > MAX_AT_ONCE {
        return Err(ApiError::new(ErrorType::ResponseTooLarge).message(TOO_LARGE));
    }
    Ok(())
}
