//! Donation details on the wire (spec §2.4): the same names on the way in and out, all optional.

use crate::amount::{is_negative, is_too_large};
use crate::{Amount, Checker, Field};
use domain::Money;
use domain::cart_request::DonationDetail;
use serde::Serialize;

/// Longest text of a donation detail.
const MAX_DETAIL_CHARS: usize = 200;

/// One line as it was typed; in the names of people, card numbers are masked.
fn detail(checker: &mut Checker, name: &str, sent: Field<String>) -> Option<String> {
    if name.ends_with("FirstName") || name.ends_with("LastName") {
        return checker.typed_name(name, sent, MAX_DETAIL_CHARS);
    }
    checker.optional_text(name, sent, MAX_DETAIL_CHARS)
}

/// The amount that the donor chose.
pub(super) fn read_gift(checker: &mut Checker, unit_price: Field<Amount>) -> Option<Money> {
    if !unit_price.is_sent() {
        checker.invalid("unitPrice", "is required (the amount the donor chose)");
        return None;
    }
    let is_beyond = is_negative(&unit_price) || is_too_large(&unit_price);
    let amount = if is_beyond { None } else { Some(checker.optional_money("unitPrice", unit_price)?) };
    let fits = |amount: &Money| *amount > Money::ZERO && *amount <= Money::MAX_INPUT;
    if amount.is_none_or(|amount| !fits(&amount)) {
        checker.invalid("unitPrice", format!("must be between 0.01 and {}", Money::MAX_INPUT));
    }
    amount.filter(fits)
}

macro_rules! donation_detail {
    ($($field:ident = $name:literal,)*) => {
        crate::incoming! {
            /// Facts about a donation (spec §2.4).
            pub struct DonationDetailInput {
                $(
                    #[doc = concat!("`", $name, "` of spec §2.4.")]
                    $field: String,
                )*
            }
        }

        impl DonationDetailInput {
            pub(super) fn parse(self, checker: &mut Checker) -> DonationDetail {
                let Self { $($field,)* } = self;
                DonationDetail {
                    $($field: detail(checker, $name, $field),)*
                }
            }
        }

        /// Facts about a donation (spec §2.4).
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct DonationDetailOutput {
            $(
                #[doc = concat!("`", $name, "` of spec §2.4.")]
                pub $field: Option<String>,
            )*
        }

        impl From<&DonationDetail> for DonationDetailOutput {
            fn from(detail: &DonationDetail) -> Self {
                let DonationDetail { $($field,)* } = detail.clone();
                Self { $($field,)* }
            }
        }
    };
}

donation_detail! {
    donation_appeal_name = "donationAppealName",
    donation_campaign_name = "donationCampaignName",
    donation_fund_name = "donationFundName",
    donor_recognition = "donorRecognition",
    donor_recognition_type = "donorRecognitionType",
    dedication_last_name = "dedicationLastName",
    dedication_first_name = "dedicationFirstName",
    beneficiary_type = "beneficiaryType",
    beneficiary_last_name = "beneficiaryLastName",
    beneficiary_first_name = "beneficiaryFirstName",
    beneficiary_email = "beneficiaryEmail",
    beneficiary_phone_number = "beneficiaryPhoneNumber",
    beneficiary_street_address1 = "beneficiaryStreetAddress1",
    beneficiary_street_address2 = "beneficiaryStreetAddress2",
    beneficiary_city = "beneficiaryCity",
    beneficiary_state = "beneficiaryState",
    beneficiary_zip_code = "beneficiaryZipCode",
    beneficiary_country = "beneficiaryCountry",
}
