//! Countries and their subdivisions, for pick lists and for addresses (spec §2.17, §4.8, contract §10).
//!
//! Codes and subdivisions come from the ISO 3166 library. What that standard does not hold, the name people
//! expect to see, the Spanish name, the currency and the capital, is the table `countries.tsv` beside this
//! file.

use crate::compare::comparable;
use rust_iso3166::iso3166_2::Subdivision;
use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A country as pick lists show it (spec §2.17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country {
    /// The display name, such as `South Korea`; the value that checkout stores.
    pub name: &'static str,
    /// ISO 3166-1 alpha-2, upper case.
    pub alpha2: &'static str,
    /// ISO 3166-1 alpha-3, upper case.
    pub alpha3: &'static str,
    /// The short form that forms show. Our choice: the alpha-2 code, as in the sample rows.
    pub abbreviation: &'static str,
    /// ISO 3166-1 numeric, always three digits, such as `004`.
    pub numeric_code: &'static str,
    pub spanish_name: &'static str,
    /// The ISO 4217 code of the currency in everyday use; none in Antarctica.
    pub currency: Option<&'static str>,
    /// The capital; a few territories without inhabitants have none.
    pub capital: Option<&'static str>,
}

/// A state, province or other ISO 3166-2 subdivision of a country (spec §2.17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// The code within the country, such as `CA`.
    pub abbreviation: &'static str,
    /// The name, such as `California`; the value that checkout stores.
    pub name: &'static str,
    /// The full ISO 3166-2 code, such as `US-CA`.
    pub iso3166: &'static str,
}

/// One country a line, in the order of the pick list.
const COUNTRY_TABLE: &str = include_str!("countries.tsv");

static COUNTRIES: LazyLock<Vec<Country>> =
    LazyLock::new(|| COUNTRY_TABLE.lines().filter_map(country_from_line).collect());

/// What countries are called in the languages of the mails, and by whom they are written so.
const NAME_TABLE: &str = include_str!("country_names.tsv");

/// What people write and no list of names has.
const COMMON_NAMES: [(&str, &[&str]); 13] = [
    ("AE", &["UAE", "Emirates"]),
    ("BA", &["Bosnia-Herzegovina"]),
    ("CD", &["DR Congo"]),
    (
        "GB",
        &["Great Britain", "Britain", "England", "Scotland", "Wales", "Northern Ireland", "Großbritannien"],
    ),
    ("HK", &["Hong Kong SAR"]),
    ("IE", &["Republic of Ireland", "Ireland, Republic of"]),
    ("KR", &["Korea", "Republic of Korea"]),
    ("MK", &["Macedonia"]),
    ("MM", &["Burma"]),
    ("NL", &["Holland"]),
    ("TT", &["Trinidad"]),
    ("US", &["America"]),
    ("VA", &["Vatican"]),
];

/// A country that people live in and that ISO 3166 does not have: addresses may be there. Our choice: no pick list shows
/// it, since those rows have codes.
const KOSOVO: &str = "Kosovo";
const KOSOVO_CODES: [&str; 2] = ["XK", "XKX"];

/// What a spelling of a country means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meant {
    /// The country at this place of the list.
    Listed(usize),
    /// The one that is in no list.
    Kosovo,
}

/// Every spelling under which a country is found, as spellings are compared. Codes outrank names, and what the lists show
/// outranks what other languages call another country.
static COUNTRY_KEYS: LazyLock<HashMap<String, Meant>> = LazyLock::new(|| {
    let mut keys = HashMap::new();
    let mut add = |spelling: &str, meant: Meant| _ = keys.entry(spelling_key(spelling)).or_insert(meant);
    let listed = || COUNTRIES.iter().enumerate().map(|(place, country)| (Meant::Listed(place), country));
    for (meant, country) in listed() {
        for code in [country.alpha2, country.alpha3, country.abbreviation, country.numeric_code] {
            add(code, meant);
        }
    }
    for code in KOSOVO_CODES {
        add(code, Meant::Kosovo);
    }
    for (meant, country) in listed() {
        let official = rust_iso3166::from_alpha2(country.alpha2).map(|found| found.name);
        [Some(country.name), Some(country.spanish_name), official]
            .into_iter()
            .flatten()
            .for_each(|name| add(name, meant));
    }
    let places: HashMap<&str, Meant> = listed().map(|(meant, country)| (country.alpha2, meant)).collect();
    let meant_by = |code: &str| places.get(code).copied().unwrap_or(Meant::Kosovo);
    for line in NAME_TABLE.lines().filter(|line| !line.starts_with('#')) {
        if let Some((code, names)) = line.split_once('\t') {
            names.split('\t').for_each(|name| add(name, meant_by(code)));
        }
    }
    for (code, names) in COMMON_NAMES {
        names.iter().for_each(|name| add(name, meant_by(code)));
    }
    keys
});

fn meant(text: &str) -> Option<Meant> {
    let key = spelling_key(text);
    let found = COUNTRY_KEYS.get(&key).or_else(|| COUNTRY_KEYS.get(key.strip_prefix("the ")?));
    found.copied()
}

/// The form in which spellings are compared: case, accents, apostrophes, points, hyphens and brackets do not matter.
fn spelling_key(text: &str) -> String {
    let plain = comparable(text).replace(['.', '\''], "").replace('&', " and ");
    let spaced = plain.replace(['-', '\u{2010}', '\u{2011}', '\u{2013}', ',', '(', ')'], " ");
    folded_name(&spaced).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The United States, Canada, then all other countries by name, accents aside (contract §10).
#[must_use]
pub fn countries() -> &'static [Country] {
    &COUNTRIES
}

/// The country that a text means: its alpha-2, alpha-3 or numeric code, its abbreviation, its name, its name in ISO 3166
/// (`Korea (Republic of)`), or what it is commonly called in the languages of the mails. Case, accents, apostrophes, points
/// and hyphens do not matter (contract §10, §R).
#[must_use]
pub fn find_country(text: &str) -> Option<&'static Country> {
    match meant(text)? {
        Meant::Listed(place) => COUNTRIES.get(place),
        Meant::Kosovo => None,
    }
}

/// The subdivisions of a country by name, accents aside; none for a country without subdivisions
/// (contract §10).
#[must_use]
pub fn states_of(country: &Country) -> Vec<State> {
    let mut states: Vec<State> = subdivisions(country).iter().map(State::from).collect();
    states.sort_by_cached_key(|state| (folded_name(state.name), state.iso3166));
    states
}

/// The subdivision of a country that a text means: its code within the country, its full code or its name.
/// Case, accents and surrounding blanks do not matter. A code outranks a name.
#[must_use]
pub fn find_state(country: &Country, text: &str) -> Option<State> {
    let wanted = folded_name(text);
    let is_code = |found: &&Subdivision| {
        wanted.eq_ignore_ascii_case(found.region_code) || wanted.eq_ignore_ascii_case(found.code)
    };
    let found = subdivisions(country);
    found
        .iter()
        .find(is_code)
        .or_else(|| found.iter().find(|entry| folded_name(entry.name) == wanted))
        .map(State::from)
}

/// The country name that an order stores for what a buyer sent, a code or a name (contract §10).
#[must_use]
pub fn country_name(text: &str) -> Option<&'static str> {
    match meant(text)? {
        Meant::Listed(place) => COUNTRIES.get(place).map(|country| country.name),
        Meant::Kosovo => Some(KOSOVO),
    }
}

/// The state name that an order stores for what a buyer sent, a code or a name (contract §10).
#[must_use]
pub fn state_name(country: &Country, text: &str) -> Option<&'static str> {
    find_state(country, text).map(|state| state.name)
}

impl From<&Subdivision> for State {
    fn from(found: &Subdivision) -> Self {
        Self { abbreviation: found.region_code, name: found.name, iso3166: found.code }
    }
}

fn subdivisions(country: &Country) -> &'static [Subdivision] {
    rust_iso3166::iso3166_2::SUBDIVISION_COUNTRY_MAP.get(country.alpha2).copied().unwrap_or_default()
}

/// Reads a line of the table and adds the codes. Comments give nothing; a test holds the table to having
/// every country of the standard, so that no line can be lost here unnoticed.
fn country_from_line(line: &'static str) -> Option<Country> {
    let mut fields = line.split('\t');
    let alpha2 = fields.next()?;
    let codes = rust_iso3166::ALPHA2_MAP.get(alpha2)?;
    let (numeric_code, _) = rust_iso3166::NUMERIC_MAP.entries().find(|(_, entry)| entry.alpha2 == alpha2)?;
    Some(Country {
        name: fields.next()?,
        alpha2: codes.alpha2,
        alpha3: codes.alpha3,
        abbreviation: codes.alpha2,
        numeric_code,
        spanish_name: fields.next()?,
        currency: fields.next().filter(|field| !field.is_empty()),
        capital: fields.next().filter(|field| !field.is_empty()),
    })
}

/// The form in which names are compared and sorted: lower case, without accents and surrounding blanks.
fn folded_name(text: &str) -> String {
    text.trim().nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use keshvar::CountryIterator;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn country(text: &str) -> &'static Country {
        find_country(text).unwrap_or_else(|| panic!("{text} is no country"))
    }

    fn codes_and_names(text: &str) -> BTreeMap<&'static str, &'static str> {
        states_of(country(text)).into_iter().map(|state| (state.abbreviation, state.name)).collect()
    }

    #[test]
    fn the_sample_rows_come_out_as_documented() {
        let rows: Vec<_> = countries()
            .iter()
            .take(3)
            .map(|c| {
                [c.name, c.alpha2, c.alpha3, c.abbreviation, c.numeric_code, c.spanish_name]
                    .into_iter()
                    .chain([c.currency.unwrap(), c.capital.unwrap()])
                    .collect::<Vec<_>>()
                    .join("|")
            })
            .collect();
        assert_eq!(
            rows,
            [
                "United States|US|USA|US|840|Estados Unidos|USD|Washington, D.C.",
                "Canada|CA|CAN|CA|124|Canadá|CAD|Ottawa",
                "Afghanistan|AF|AFG|AF|004|Afganistán|AFN|Kabul",
            ]
        );
    }

    #[test]
    fn after_the_united_states_and_canada_countries_are_alphabetical_whatever_their_accents() {
        let names: Vec<_> = countries().iter().map(|country| country.name).collect();
        assert_eq!(names[..2], ["United States", "Canada"]);
        let rest: Vec<_> = names[2..].iter().map(|name| folded_name(name)).collect();
        assert!(rest.is_sorted(), "{rest:?}");
        let aland = names.iter().position(|name| *name == "Åland Islands").unwrap();
        assert_eq!((names[aland - 1], names[aland + 1]), ("Afghanistan", "Albania"));
    }

    #[test]
    fn the_table_has_every_country_of_the_standard_once() {
        let ours: BTreeSet<_> = countries().iter().map(|country| country.alpha2).collect();
        let standard: BTreeSet<_> = rust_iso3166::ALL.iter().map(|entry| entry.alpha2).collect();
        assert_eq!(ours, standard);
        assert_eq!(countries().len(), 249);
        let lines = COUNTRY_TABLE.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.clone().count(), 249);
        assert!(lines.into_iter().all(|line| line.split('\t').count() == 5));
    }

    #[test]
    fn codes_agree_with_an_independent_source_for_every_country() {
        let other: BTreeSet<_> = CountryIterator::new()
            .map(|c| (c.alpha2().to_string(), c.alpha3().to_string(), c.number().to_owned()))
            .filter(|(alpha2, _, _)| alpha2 != "XK")
            .collect();
        let ours: BTreeSet<_> = countries()
            .iter()
            .map(|c| (c.alpha2.to_owned(), c.alpha3.to_owned(), c.numeric_code.to_owned()))
            .collect();
        assert_eq!(ours, other);
    }

    /// The other source lags behind: it has a currency for Antarctica, and money that has been replaced.
    #[test]
    fn currencies_agree_with_an_independent_source_but_for_known_changes() {
        let other: BTreeMap<_, _> =
            CountryIterator::new().map(|c| (c.alpha2().to_string(), c.currency_code().to_string())).collect();
        let differing: Vec<_> = countries()
            .iter()
            .filter(|c| other.get(c.alpha2).map(String::as_str) != c.currency)
            .map(|c| format!("{} {}", c.alpha2, c.currency.unwrap_or("-")))
            .collect();
        assert_eq!(differing, ["AQ -", "TL USD", "ZW ZWG"]);
    }

    #[test]
    fn subdivisions_of_the_united_states_and_canada_agree_with_an_independent_source() {
        for (text, other) in [("US", keshvar::Alpha2::US), ("CA", keshvar::Alpha2::CA)] {
            let other = other.to_country();
            let theirs: BTreeSet<_> = other.subdivisions().keys().copied().collect();
            let ours: BTreeSet<_> = codes_and_names(text).into_keys().collect();
            assert_eq!(ours, theirs, "{text}");
            let differing: Vec<_> = codes_and_names(text)
                .into_iter()
                .filter(|(code, name)| other.subdivisions()[code].name() != *name)
                .map(|(code, name)| format!("{code} {name}"))
                .collect();
            assert_eq!(differing, [""; 0], "{text}");
        }
    }

    #[test]
    fn the_pick_list_has_fifty_states_the_district_and_the_territories_that_onboarding_names() {
        let expected = "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND \
                        NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY";
        let states = codes_and_names("US");
        assert_eq!(expected.split(' ').count(), 51);
        for code in expected.split(' ').chain(["PR", "GU", "VI"]) {
            assert!(states.contains_key(code), "{code}");
        }
        let others: Vec<_> = states.keys().copied().filter(|code| !expected.contains(code)).collect();
        assert_eq!(others, ["AS", "GU", "MP", "PR", "UM", "VI"]);
    }

    #[test]
    fn canada_has_its_thirteen_provinces_and_territories() {
        let codes: Vec<_> = codes_and_names("CA").into_keys().collect();
        assert_eq!(codes, ["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"]);
    }

    #[test]
    fn states_are_listed_by_name_and_belong_to_their_country() {
        for country in countries() {
            let states = states_of(country);
            assert!(states.iter().map(|state| folded_name(state.name)).is_sorted(), "{}", country.name);
            for state in states {
                assert_eq!(state.iso3166, format!("{}-{}", country.alpha2, state.abbreviation));
                assert!(!state.name.is_empty());
            }
        }
        assert_eq!(
            states_of(country("US"))[5],
            State { abbreviation: "CA", name: "California", iso3166: "US-CA" }
        );
    }

    #[test]
    fn a_country_without_subdivisions_has_an_empty_list() {
        for text in ["HK", "AQ", "PR", "GI"] {
            assert_eq!(states_of(country(text)), [], "{text}");
            assert_eq!(find_state(country(text), "CA"), None, "{text}");
        }
    }

    #[test]
    fn a_country_is_found_by_code_abbreviation_or_name_in_any_case() {
        for (text, alpha2) in [
            ("US", "US"),
            ("us", "US"),
            ("usa", "US"),
            (" USA ", "US"),
            ("united states", "US"),
            ("United States of America", "US"),
            ("can", "CA"),
            ("CANADA", "CA"),
            ("South Korea", "KR"),
            ("Korea (Republic of)", "KR"),
            ("Curaçao", "CW"),
            ("curacao", "CW"),
            ("Reunion", "RE"),
            ("CÔTE D'IVOIRE", "CI"),
            ("Ivory Coast", "CI"),
            ("turkiye", "TR"),
        ] {
            assert_eq!(find_country(text).map(|found| found.alpha2), Some(alpha2), "{text}");
        }
        for text in ["", " ", "XX", "ZZZ", "84", "Atlantis", "U", "United", "U S", "XK"] {
            assert_eq!(find_country(text), None, "{text}");
        }
    }

    #[test]
    fn countries_are_found_as_people_write_them() {
        for (text, name) in [
            ("UK", "United Kingdom"),
            ("U.K.", "United Kingdom"),
            ("U.S.A.", "United States"),
            ("England", "United Kingdom"),
            ("Turkey", "Türkiye"),
            ("Türkei", "Türkiye"),
            ("Czech Republic", "Czechia"),
            ("Tschechien", "Czechia"),
            ("Kosovo", "Kosovo"),
            ("xk", "Kosovo"),
            ("C\u{f4}te d\u{2019}Ivoire", "Ivory Coast"),
            ("cote d`ivoire", "Ivory Coast"),
            ("Elfenbeinküste", "Ivory Coast"),
            ("The Netherlands", "Netherlands"),
            ("Pays-Bas", "Netherlands"),
            ("Holland", "Netherlands"),
            ("DR Congo", "Democratic Republic of the Congo"),
            ("Hong Kong SAR", "Hong Kong"),
            ("Bosnia-Herzegovina", "Bosnia and Herzegovina"),
            ("Trinidad", "Trinidad and Tobago"),
            ("Großbritannien", "United Kingdom"),
            ("Ireland, Republic of", "Ireland"),
            ("276", "Germany"),
            ("004", "Afghanistan"),
            ("Deutschland", "Germany"),
            ("Allemagne", "Germany"),
            ("España", "Spain"),
            ("Bosnia and Herzegovina", "Bosnia and Herzegovina"),
            ("RU", "Russia"),
            ("\u{ff35}\u{ff33}", "United States"),
        ] {
            assert_eq!(country_name(text), Some(name), "{text}");
        }
        for text in ["", "Atlantis", "the", "EU", "419", "Yugoslavia"] {
            assert_eq!(country_name(text), None, "{text}");
        }
    }

    /// Every name of the table means its country, however it is written, unless it is the code of another.
    #[test]
    fn every_name_of_every_language_means_its_country() {
        let mut names = 0;
        for line in NAME_TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (code, spellings) = line.split_once('\t').unwrap();
            let expected = country_name(code).unwrap();
            for spelling in spellings.split('\t') {
                let typewritten = spelling.replace('\u{2019}', "'");
                let upper = spelling.to_uppercase();
                for text in [spelling, &typewritten, &upper, &format!("  {spelling} ")] {
                    assert_eq!(country_name(text), Some(expected), "{text} is {code}");
                }
                names += 1;
            }
        }
        assert!(names > 900, "{names}");
        let codes: BTreeSet<&str> = NAME_TABLE
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split('\t').next())
            .collect();
        assert!(COUNTRIES.iter().all(|country| codes.contains(country.alpha2)));
        assert_eq!(codes.len(), 250);
    }

    #[test]
    fn no_spelling_means_two_countries() {
        for country in countries() {
            for text in [country.name, country.alpha2, country.alpha3, country.abbreviation] {
                for text in [text.to_lowercase(), text.to_uppercase()] {
                    assert_eq!(find_country(&text), Some(country), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_state_is_found_by_code_or_name_within_its_country() {
        for (place, text, iso3166) in [
            ("US", "ca", Some("US-CA")),
            ("US", "US-CA", Some("US-CA")),
            ("US", " california ", Some("US-CA")),
            ("US", "Puerto Rico", Some("US-PR")),
            ("CA", "qc", Some("CA-QC")),
            ("CA", "Québec", Some("CA-QC")),
            ("CA", "Newfoundland and Labrador", Some("CA-NL")),
            ("CA", "TX", None),
            ("CA", "US-TX", None),
            ("US", "ON", None),
            ("US", "", None),
            ("US", "Cal", None),
        ] {
            assert_eq!(
                find_state(country(place), text).map(|found| found.iso3166),
                iso3166,
                "{place} {text}"
            );
        }
    }

    #[test]
    fn checkout_stores_the_name_whether_it_was_sent_a_code_or_a_name() {
        for text in ["US", "usa", "United States"] {
            assert_eq!(country_name(text), Some("United States"));
        }
        for text in ["ma", "US-MA", "massachusetts"] {
            assert_eq!(state_name(country("US"), text), Some("Massachusetts"));
        }
        assert_eq!(country_name("Atlantis"), None);
        assert_eq!(state_name(country("US"), "Ontario"), None);
    }

    #[test]
    fn every_state_is_found_by_each_of_its_codes() {
        for country in countries() {
            for state in states_of(country) {
                assert_eq!(find_state(country, state.abbreviation), Some(state));
                assert_eq!(find_state(country, &state.iso3166.to_lowercase()), Some(state));
                assert!(find_state(country, state.name).is_some());
            }
        }
    }

    #[test]
    fn facts_have_their_forms() {
        let letters = |text: &str| text.chars().all(|letter| letter.is_ascii_uppercase());
        for c in countries() {
            assert!(c.alpha2.len() == 2 && letters(c.alpha2), "{}", c.name);
            assert!(c.alpha3.len() == 3 && letters(c.alpha3), "{}", c.name);
            assert!(c.numeric_code.len() == 3 && c.numeric_code.parse::<u16>().is_ok(), "{}", c.name);
            assert!(c.currency.is_none_or(|code| code.len() == 3 && letters(code)), "{}", c.name);
            for text in [c.name, c.spanish_name].into_iter().chain(c.capital) {
                assert!(!text.is_empty() && text == text.trim(), "{}", c.name);
                assert!(!text.contains(['\u{fffd}', 'Ã', '&']), "{text} is garbled");
            }
        }
        let without = |fact: fn(&Country) -> bool| -> Vec<_> {
            countries().iter().filter(|country| fact(country)).map(|country| country.alpha2).collect()
        };
        assert_eq!(without(|country| country.currency.is_none()), ["AQ"]);
        assert_eq!(without(|country| country.capital.is_none()), ["AQ", "BV", "IO", "HM", "TK", "UM"]);
    }

    #[test]
    fn spanish_names_are_real_text() {
        for (alpha2, spanish) in [
            ("ES", "España"),
            ("MX", "México"),
            ("JP", "Japón"),
            ("DE", "Alemania"),
            ("KR", "Corea del Sur"),
            ("GB", "Reino Unido"),
            ("CI", "Costa de Marfil"),
            ("TR", "Turquía"),
        ] {
            assert_eq!(country(alpha2).spanish_name, spanish);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_up_without_a_fault(text in "\\PC*") {
            if let Some(found) = find_country(&text) {
                prop_assert!(states_of(found).len() < 300);
            }
            let _ = find_state(country("US"), &text);
        }
    }
}
