//! Query parameters of the searches for members, with their rules (contract §20).

use domain::MembershipId;
use domain::membership::search::{HolderFilter, MemberSearch, SearchText};
use domain::number::whole_number;
use serde::Deserialize;
use utoipa::IntoParams;
use web::query::QueryReader;
use web::{ApiError, ErrorType};

/// What is looked for, in one text.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TextQuery {
    /// A membership's number or id, the venue's own number of it, the barcode of a card, an e-mail address, a phone
    /// number, or how a name begins: the first, the last, or both in either order. 2 to 100 characters.
    #[param(required = true)]
    search: Option<String>,
}

/// What is known of the holder of a card, or one thing of the card.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct FieldQuery {
    /// How the first name of the holder begins; letter case, kinds of apostrophes and white space make no difference.
    first_name: Option<String>,
    /// How the last name begins, likewise.
    last_name: Option<String>,
    /// How the street and number of the holder begin, likewise.
    address: Option<String>,
    /// How the postal code of the holder begins.
    zip: Option<String>,
    /// The e-mail address of the holder, in any case.
    email: Option<String>,
    /// The membership's id or number. Alone.
    member_id: Option<String>,
    /// How the name on the card begins: first and last name in either order. Alone.
    card_name: Option<String>,
}

impl TextQuery {
    /// Reads the parameter.
    pub(crate) fn read(&self) -> Result<MemberSearch, ApiError> {
        let mut reader = QueryReader::new();
        let expected = "2 to 100 characters";
        let text = reader.required("search", self.search.as_deref(), SearchText::parse, expected);
        let text = reader.finish(text)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        Ok(MemberSearch::Text(text))
    }
}

impl FieldQuery {
    /// Reads the parameters.
    pub(crate) fn read(&self) -> Result<MemberSearch, ApiError> {
        const NUMBER: &str = "a positive integer below 2^53";
        const NOTHING: &str =
            "is required, or lastName, address, zip or email, or memberId or cardName alone";
        let number = |text: &str| whole_number(text).and_then(|id| MembershipId::parse(id).ok());
        let mut reader = QueryReader::new();
        let holder = HolderFilter {
            first_name: reader.text("firstName", self.first_name.as_deref()),
            last_name: reader.text("lastName", self.last_name.as_deref()),
            address: reader.text("address", self.address.as_deref()),
            zip: reader.text("zip", self.zip.as_deref()),
            email: reader.email("email", self.email.as_deref()),
        };
        let member = reader.optional("memberId", self.member_id.as_deref(), number, NUMBER);
        let card_name = reader.text("cardName", self.card_name.as_deref());
        let alone = self.alone();
        let groups = alone.len().saturating_add(usize::from(self.asks_of_holder()));
        if groups == 0 {
            reader.fault("firstName", NOTHING);
        }
        reader.finish(())?;
        if groups > 1 {
            let refusal = ApiError::new(ErrorType::CombinationNotSupported);
            let message = "must not be sent together with other parameters";
            return Err(alone.into_iter().fold(refusal, |refusal, name| refusal.detail(name, message)));
        }
        Ok(match (member, card_name) {
            (Some(number), _) => MemberSearch::Number(number),
            (None, Some(name)) => MemberSearch::CardName(name),
            (None, None) => MemberSearch::Holder(holder),
        })
    }

    /// The parameters that were sent of those that stand alone.
    fn alone(&self) -> Vec<&'static str> {
        let each = [("memberId", &self.member_id), ("cardName", &self.card_name)];
        each.into_iter().filter(|(_, sent)| sent.is_some()).map(|(name, _)| name).collect()
    }

    fn asks_of_holder(&self) -> bool {
        let Self { first_name, last_name, address, zip, email, member_id: _, card_name: _ } = self;
        [first_name, last_name, address, zip, email].into_iter().any(Option::is_some)
    }
}
