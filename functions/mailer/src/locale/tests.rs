use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn locale(language: Language) -> Rc<Locale> {
    Locale::of(language).unwrap()
}

#[test]
fn the_texts_and_data_of_a_language_are_read_once() {
    for language in Language::ALL {
        assert!(Rc::ptr_eq(&locale(language), &locale(language)), "{language:?}");
    }
}

/// What a text is made of: the names of its values, and those of its variants.
type Parts = BTreeSet<String>;

/// The texts of a language by their names.
fn texts(language: Language) -> BTreeMap<String, Parts> {
    let mut texts: BTreeMap<String, Parts> = BTreeMap::new();
    let mut current = String::new();
    for line in texts::source(language).lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with(|first: char| first.is_ascii_lowercase()) {
            let (name, _) = line.split_once(" =").unwrap();
            current = name.to_owned();
            assert!(!texts.contains_key(name), "{name} stands twice");
        }
        let parts = texts.entry(current.clone()).or_default();
        let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        for value in line.split('$').skip(1) {
            parts.insert(format!("${}", value.split(|letter| !is_of_name(letter)).next().unwrap()));
        }
        if let Some((variant, _)) = line.trim().trim_start_matches('*').split_once(']') {
            parts.extend(variant.strip_prefix('[').map(|variant| format!("[{variant}]")));
        }
    }
    texts.retain(|name, _| !name.is_empty());
    texts
}

/// The names of the texts that the sources say.
fn said_in(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("tests") || path.ends_with("tests.rs") {
            continue;
        }
        if path.is_dir() {
            names.extend(said_in(&path));
            continue;
        }
        let source = fs::read_to_string(&path).unwrap_or_default();
        for call in ["say(\"", "says(\"", "of_codes(\""] {
            names.extend(source.split(call).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
    }
    names
}

#[test]
fn every_text_is_in_every_language_and_is_said() {
    let english = texts(Language::English);
    for language in Language::ALL {
        assert_eq!(texts(language), english, "{language:?}");
    }
    let said = said_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert_eq!(english.into_keys().collect::<BTreeSet<_>>(), said);
}

/// The longer sentences of a language, without their values.
fn sentences(language: Language) -> BTreeSet<String> {
    let lines = texts::source(language).lines().filter(|line| !line.starts_with('#'));
    let sentence = |line: &str| {
        let line = line.split_once(" = ").map_or(line, |(_, text)| text);
        let line = line.split_once(']').map_or(line, |(_, text)| text);
        let pieces = line.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, after)| after));
        pieces.collect::<String>().trim().to_owned()
    };
    lines.map(sentence).filter(|text| text.split_whitespace().count() > 3).collect()
}

#[test]
fn nothing_was_left_in_english() {
    let english = sentences(Language::English);
    assert!(english.len() > 20, "{english:?}");
    for language in Language::ALL.into_iter().filter(|language| !language.is_usual()) {
        let same: Vec<_> = sentences(language).intersection(&english).cloned().collect();
        assert_eq!(same, Vec::<String>::new(), "{language:?}");
    }
}

#[test]
fn days_times_numbers_and_percentages_follow_the_language() {
    let noon = NaiveDate::from_ymd_opt(2026, 3, 14).unwrap().and_hms_opt(15, 5, 59).unwrap();
    let said = |language| {
        let locale = locale(language);
        let rate = locale.percent(Percent::parse("5.50").unwrap());
        let said = [locale.time(noon), locale.day(noon.date()), locale.number(12_900), rate];
        format!("{}: {}", locale.code(), said.join(" | ").replace('\u{a0}', "_").replace('\u{202f}', "~"))
    };
    insta::assert_snapshot!(Language::ALL.map(said).join("\n"), @r"
    en: Sat, Mar 14, 2026, 3:05~PM | Mar 14, 2026 | 12,900 | 5.5%
    es: sáb, 14 mar 2026, 15:05 | 14 mar 2026 | 12.900 | 5,5_%
    fr: sam. 14 mars 2026, 15:05 | 14 mars 2026 | 12~900 | 5,5_%
    de: Sa., 14.03.2026, 15:05 | 14.03.2026 | 12.900 | 5,5_%
    it: sab 14 mar 2026, 15:05 | 14 mar 2026 | 12.900 | 5,5%
    nl: za 14 mrt 2026, 15:05 | 14 mrt 2026 | 12.900 | 5,5%
    pt: sábado, 14/03/2026, 15:05 | 14/03/2026 | 12_900 | 5,5%
    ");
}

#[test]
fn nouns_stand_in_the_form_that_the_number_asks_for() {
    let forms = |language| [0, 1, 2, 21].map(|number| locale(language).plural(number));
    assert_eq!(forms(Language::English), ["other", "one", "other", "other"]);
    assert_eq!(forms(Language::French), ["one", "one", "other", "other"]);
    assert_eq!(forms(Language::Portuguese), ["other", "one", "other", "other"]);
}

#[test]
fn amounts_are_written_as_the_language_writes_the_currency() {
    let said = |language| {
        let locale = locale(language);
        let amounts = [("EUR", 123_450), ("USD", -1_234_567), ("CHF", 5), ("XCG", 100), ("CAD", 0)];
        let said = amounts
            .map(|(code, cents)| locale.money(Currency::parse(code).unwrap(), Money::from_cents(cents)));
        format!("{}: {}", locale.code(), said.join(" | ").replace('\u{a0}', "_").replace('\u{202f}', "~"))
    };
    insta::assert_snapshot!(Language::ALL.map(said).join("\n"), @r"
    en: €1,234.50 | -$12,345.67 | CHF_0.05 | Cg._1.00 | CA$0.00
    es: 1234,50_€ | -12.345,67_US$ | 0,05_CHF | 1,00_Cg. | 0,00_CAD
    fr: 1~234,50_€ | -12~345,67_$US | 0,05_CHF | 1,00_Cg. | 0,00_$CA
    de: 1.234,50_€ | -12.345,67_$ | 0,05_CHF | 1,00_Cg. | 0,00_CA$
    it: 1234,50_€ | -12.345,67_USD | 0,05_CHF | 1,00_Cf | 0,00_CA$
    nl: €_1.234,50 | US$_-12.345,67 | CHF_0,05 | Cg._1,00 | C$_0,00
    pt: 1234,50_€ | -12_345,67_US$ | 0,05_CHF | 1,00_Cg. | 0,00_CA$
    ");
}

/// The table has a row for each currency with a symbol, and no two currencies share one.
#[test]
fn no_two_currencies_look_the_same_in_a_language() {
    for language in Language::ALL {
        let symbols: BTreeSet<String> =
            Currency::all().map(|currency| money::symbol(language, currency.code()).to_owned()).collect();
        assert_eq!(symbols.len(), Currency::all().count(), "{language:?}");
    }
    assert_eq!(money::symbol(Language::French, "GBP"), "£GB");
    assert_eq!(money::symbol(Language::Spanish, "GBP"), "GBP");
}

/// The amount and the currency that a text names: of its digits, the last two are the hundredths.
fn read(language: Language, text: &str) -> (Option<Currency>, Money) {
    let is_of_number = |letter: char| letter.is_ascii_digit() || ".,\u{a0}\u{202f}-".contains(letter);
    let symbol: String = match text.contains("Cg.") {
        true => "Cg.".to_owned(),
        false => text.chars().filter(|letter| !is_of_number(*letter)).collect(),
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let cents: i64 = digits.parse().unwrap();
    let amount = Money::from_cents(if text.contains('-') { -cents } else { cents });
    (Currency::all().find(|currency| money::symbol(language, currency.code()) == symbol), amount)
}

proptest! {
    #[test]
    fn what_is_written_in_any_language_and_currency_reads_as_the_amount(
        language in proptest::sample::select(Language::ALL.to_vec()),
        currency in proptest::sample::select(Currency::all().collect::<Vec<_>>()),
        cents in prop_oneof![-1_000_000_000_000_i64..1_000_000_000_000, -100_000_i64..100_000],
    ) {
        let amount = Money::from_cents(cents);
        let text = locale(language).money(currency, amount);
        prop_assert_eq!(read(language, &text), (Some(currency), amount), "{}", &text);
        let plain = text.replace("Cg.", "");
        let (whole, rest) = plain.rsplit_once(['.', ',']).unwrap_or_default();
        let whole = whole.chars().filter(char::is_ascii_digit).count();
        let hundredths = rest.chars().take_while(char::is_ascii_digit).count();
        prop_assert!(whole > 0 && hundredths == 2, "{}", &text);
        if language == Language::English {
            prop_assert_eq!(text, currency.print(amount));
        }
    }
}
