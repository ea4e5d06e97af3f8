//! The rules for applications of merchants as a document.

use domain::onboarding::vocabulary::{CA_PROVINCES, OwnershipGroup, US_STATES};
use domain::onboarding::{Check, FieldPlace, FieldRule, Required, STRUCTURE, TABLE, TEST_NAMES, Verdict};
use std::fmt::Write as _;

const HEAD: &str = "\
# Rules of onboarding

What an application of a merchant (`POST /v1/payment/onboard`) has to be like. The tables are written by
`boxoffice onboarding` from the rules that applications are checked by.

Every rule that is broken is an entry of `errorInfo`: `{field, rule, message}`. An empty text, an empty list and null
are as good as nothing. Lengths are counted in characters, and only 0 to 9 are digits. Enumerations are read in any
letter case. Of a field that breaks several rules, the first is reported.

## Fields

| Field | Required | Rule | Message |
|---|---|---|---|
";

const LISTS: &str = "
## Lists and owners

| Field | Applies | Rule | Message |
|---|---|---|---|
";

/// The rules for applications as Markdown: the content of `docs/onboarding.md`.
#[must_use]
pub fn onboarding_rules() -> String {
    let mut text = HEAD.to_owned();
    // Writing to a string cannot fail.
    for row in TABLE {
        let field = format!("{}{}", prefix(row), row.field);
        let required = required(row.required);
        for (number, Check { rule, message }) in row.checks.iter().enumerate() {
            let (field, required) = if number == 0 { (field.as_str(), required.as_str()) } else { ("", "") };
            let _ = writeln!(text, "| {field} | {required} | {} | {message} |", rule.name());
        }
    }
    text.push_str(LISTS);
    for one in STRUCTURE {
        let _ = writeln!(text, "| {} | {} | {} | {} |", one.field, one.when, one.rule, one.message);
    }
    let _ = writeln!(
        text,
        "\n## States\n\n`US`: {}.\n\n`CA`: {}.",
        US_STATES.join(", "),
        CA_PROVINCES.join(", ")
    );
    text.push_str("\n## Test values\n\nIn the sandbox, `businessLegalName` says what the underwriter decides, in any letter case:\n\n");
    for (name, verdict) in TEST_NAMES {
        let _ = writeln!(text, "- `{name}`: {}", outcome(verdict));
    }
    let _ = writeln!(text, "- any other: {}", outcome(Verdict::Approve));
    text
}

fn prefix(row: &FieldRule) -> &'static str {
    match row.place {
        FieldPlace::Business(_) => "",
        FieldPlace::Address(_) => "businessAddresses[].",
        FieldPlace::BankAccount(_) => "businessBankAccount.",
        FieldPlace::Contact(_) => "businessContacts[].",
        FieldPlace::Owner(_) => "businessOwners[].",
        FieldPlace::Identification(_) => "businessOwners[].identification[].",
    }
}

fn required(when: Required) -> String {
    match when {
        Required::Always => "always".to_owned(),
        Required::Never => "no".to_owned(),
        Required::ForChecking => "for `Checking`".to_owned(),
        Required::WhereAStateIssues => {
            "for `DriversLicense`, `StateId`, `MilitaryId`, `CreditBureau`".to_owned()
        }
        Required::OfOwners(groups) => groups.iter().map(|group| whom(*group)).collect::<Vec<_>>().join("; "),
    }
}

/// Whom of the owners a field is required of.
fn whom(group: OwnershipGroup) -> String {
    let kinds = group.kinds().collect::<Vec<_>>().join(", ");
    let who = match group {
        OwnershipGroup::PrivatelyHeld => "of `ControlOwner` and of owners of 25 percent or more",
        OwnershipGroup::Institution => "of every owner",
        OwnershipGroup::SoleProprietor => "of `BeneficialOwner1`",
    };
    format!("{kinds}: {who}")
}

fn outcome(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approve => "`Approved`",
        Verdict::Decline => "`Declined`",
        Verdict::Wait => "stays `Pending` until the operator decides (`boxoffice merchant`)",
    }
}
