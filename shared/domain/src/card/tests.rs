use super::brand::BRAND_RANGES;
use super::test_numbers::number;
use super::*;
use proptest::prelude::*;

fn brand_of(prefix: &str, length: usize) -> Result<CardBrand, CardNumberError> {
    CardNumber::parse(&number(prefix, length)).map(|read| read.brand())
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Good fields for a number; each test spoils what it is about.
fn fields(number: &str) -> CardFields<'_> {
    CardFields { number: Some(number), expiry: Some("0929"), cvc: Some("123"), ..CardFields::default() }
}

fn faults(fields: &CardFields<'_>) -> Vec<CardFault> {
    Card::parse(fields).map(|card| format!("{card:?}")).unwrap_err()
}

#[test]
fn the_brand_follows_from_the_leading_digits() {
    use CardBrand::{AmericanExpress, DinersClub, Discover, Jcb, MasterCard, Visa};
    for (prefix, brand) in [
        ("4", Some(Visa)),
        ("499999", Some(Visa)),
        ("222099", None),
        ("2221", Some(MasterCard)),
        ("272099", Some(MasterCard)),
        ("2721", None),
        ("50", None),
        ("51", Some(MasterCard)),
        ("559999", Some(MasterCard)),
        ("56", None),
        ("33", None),
        ("34", Some(AmericanExpress)),
        ("35", None),
        ("37", Some(AmericanExpress)),
        ("6010", None),
        ("6011", Some(Discover)),
        ("6012", None),
        ("622125", None),
        ("622126", Some(Discover)),
        ("622925", Some(Discover)),
        ("622926", None),
        ("643999", None),
        ("644", Some(Discover)),
        ("659999", Some(Discover)),
        ("66", None),
        ("352799", None),
        ("3528", Some(Jcb)),
        ("358999", Some(Jcb)),
        ("3590", None),
        ("300", Some(DinersClub)),
        ("305999", Some(DinersClub)),
        ("306", None),
        ("309499", None),
        ("3095", Some(DinersClub)),
        ("3096", None),
        ("36", Some(DinersClub)),
        ("38", Some(DinersClub)),
        ("39", Some(DinersClub)),
        ("0", None),
        ("1", None),
        ("7", None),
        ("8", None),
        ("9", None),
    ] {
        assert_eq!(brand_of(prefix, 16), brand.ok_or(CardNumberError::UnknownBrand), "{prefix}");
    }
}

#[test]
fn no_leading_digits_belong_to_two_brands() {
    for (index, (first, last, _)) in BRAND_RANGES.iter().enumerate() {
        assert!(first <= last);
        for (other_first, other_last, _) in &BRAND_RANGES[index + 1..] {
            assert!(last < other_first || other_last < first, "{first} and {other_first}");
        }
    }
}

#[test]
fn thirteen_to_nineteen_digits_are_a_card_number_and_no_others() {
    for length in 13..=19 {
        assert_eq!(brand_of("4", length), Ok(CardBrand::Visa), "{length}");
    }
    for length in [6, 12, 20, 40] {
        assert_eq!(brand_of("4", length), Err(CardNumberError::WrongLength { digits: length }));
    }
}

#[test]
fn spaces_and_dashes_do_not_matter() {
    let plain = number("4", 16);
    let spread: String = plain.chars().flat_map(|digit| [digit, ' ', '-']).collect();
    let unbroken = format!("{}\u{a0}{}\u{202f}{}", &plain[..4], &plain[4..8], &plain[8..]);
    for text in [&spread, &format!(" {plain} "), &format!("--{plain}"), &unbroken] {
        assert_eq!(CardNumber::parse(text).unwrap().expose(), plain);
    }
}

#[test]
fn only_ascii_digits_are_digits() {
    let plain = number("4", 16);
    for text in [
        format!("{}\u{ff11}", &plain[..15]),
        format!("{}\u{661}", &plain[..15]),
        format!("{}\u{2013}{}", &plain[..8], &plain[8..]),
        format!("+{plain}"),
        format!("{plain}.0"),
        format!("{plain}\0"),
        "card".to_owned(),
    ] {
        assert_eq!(CardNumber::parse(&text).unwrap_err(), CardNumberError::NotDigits, "{text}");
    }
    for text in ["", " ", " - -"] {
        assert_eq!(CardNumber::parse(text).unwrap_err(), CardNumberError::Missing, "{text}");
    }
}

#[test]
fn nothing_secret_is_printed() {
    let plain = number("5105", 16);
    let card = Card::parse(&CardFields { cvc: Some("987"), ..fields(&plain) }).unwrap();
    let last = &plain[12..];
    assert_eq!(format!("{}", card.number), format!("****{last}"));
    assert_eq!(format!("{:?}", card.number), format!("CardNumber(****{last})"));
    assert_eq!(format!("{} {:?}", card.cvc, card.cvc), "**** Cvc(****)");
    let printed = format!("{card:?} {card:#?}");
    assert!(!printed.contains("987") && !printed.contains(&plain[..8]), "{printed}");
    assert_eq!((card.number.expose(), card.cvc.expose(), card.last_four()), (plain.as_str(), "987", last));
}

#[test]
fn a_security_code_has_four_digits_on_american_express_and_three_elsewhere() {
    let wrong = |digits, brand| Some(CvcError::WrongLength { digits, brand });
    for brand in CardBrand::ALL {
        let amex = brand == CardBrand::AmericanExpress;
        let three = Cvc::parse("012", Some(brand)).err();
        let four = Cvc::parse("0123", Some(brand)).err();
        assert_eq!(three, if amex { wrong(3, Some(brand)) } else { None }, "{brand}");
        assert_eq!(four, if amex { None } else { wrong(4, Some(brand)) }, "{brand}");
    }
    for (text, fault) in [
        ("012", None),
        (" 0123 ", None),
        ("12", wrong(2, None)),
        ("12345", wrong(5, None)),
        ("", Some(CvcError::Missing)),
        ("  ", Some(CvcError::Missing)),
        ("12a", Some(CvcError::NotDigits)),
        ("1 2", Some(CvcError::NotDigits)),
        ("-12", Some(CvcError::NotDigits)),
        ("\u{ff11}\u{ff12}\u{ff13}", Some(CvcError::NotDigits)),
    ] {
        assert_eq!(Cvc::parse(text, None).err(), fault, "{text}");
    }
}

#[test]
fn an_expiry_is_four_digits_month_first() {
    for (text, expected) in [
        ("0929", Ok((9, 2029))),
        (" 1230 ", Ok((12, 2030))),
        ("0100", Ok((1, 2000))),
        ("1299", Ok((12, 2099))),
        ("", Err(ExpiryError::Missing)),
        (" ", Err(ExpiryError::Missing)),
        ("0029", Err(ExpiryError::NoSuchMonth { month: 0 })),
        ("1329", Err(ExpiryError::NoSuchMonth { month: 13 })),
        ("2909", Err(ExpiryError::NoSuchMonth { month: 29 })),
        ("929", Err(ExpiryError::NotMmyy)),
        ("09/29", Err(ExpiryError::NotMmyy)),
        ("092029", Err(ExpiryError::NotMmyy)),
        ("+929", Err(ExpiryError::NotMmyy)),
        ("9 29", Err(ExpiryError::NotMmyy)),
        ("é29", Err(ExpiryError::NotMmyy)),
        ("\u{661}29", Err(ExpiryError::NotMmyy)),
    ] {
        assert_eq!(Expiry::parse(text).map(|e| (e.month(), e.year())), expected, "{text}");
    }
}

#[test]
fn a_card_is_valid_until_its_month_has_ended_everywhere_on_earth() {
    for (expiry, now, valid) in [
        ("0929", "2026-01-01T00:00:00Z", true),
        ("0929", "2029-09-30T23:59:59Z", true),
        ("0929", "2029-10-01T00:00:00Z", true),
        ("0929", "2029-09-30T23:59:59-12:00", true),
        ("0929", "2029-10-01T11:59:59.999999999Z", true),
        ("0929", "2029-10-01T12:00:00Z", false),
        ("0929", "2029-10-01T00:00:00-12:00", false),
        ("0929", "2030-01-01T00:00:00Z", false),
        ("1229", "2030-01-01T11:59:59Z", true),
        ("1229", "2030-01-01T12:00:00Z", false),
        ("0228", "2028-02-29T23:59:59Z", true),
        ("0228", "2028-03-01T12:00:00Z", false),
        ("1299", "2100-01-01T11:59:59Z", true),
        ("1299", "2100-01-01T12:00:00Z", false),
    ] {
        assert_eq!(Expiry::parse(expiry).unwrap().is_valid_at(at(now)), valid, "{expiry} at {now}");
    }
}

#[test]
fn a_brand_is_read_in_any_case_and_written_as_specified() {
    let written: Vec<_> = CardBrand::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(written, ["Visa", "MasterCard", "AmericanExpress", "Discover", "Jcb", "DinersClub"]);
    for brand in CardBrand::ALL {
        for text in [brand.as_str().to_lowercase(), brand.as_str().to_uppercase(), format!(" {brand} ")] {
            assert_eq!(CardBrand::parse(&text), Ok(brand), "{text}");
        }
    }
    for text in ["", "Maestro", "Amex", "American Express", "V"] {
        assert_eq!(CardBrand::parse(text), Err(UnknownCardBrand), "{text}");
    }
}

#[test]
fn a_brand_or_last_four_digits_that_contradict_the_number_are_refused() {
    use CardFault::{BrandContradictsNumber, LastFourContradictsNumber, LastFourNotFourDigits, UnknownBrand};
    let visa = number("4", 16);
    let last = &visa[12..];
    let (sent, derived) = (CardBrand::MasterCard, CardBrand::Visa);
    for (brand, last_four, expected) in [
        (None, None, vec![]),
        (Some("visa"), Some(last), vec![]),
        (Some(""), Some("  "), vec![]),
        (Some("mastercard"), None, vec![BrandContradictsNumber { sent, derived }]),
        (Some("Maestro"), None, vec![UnknownBrand]),
        (None, Some("9999"), vec![LastFourContradictsNumber]),
        (None, Some("999"), vec![LastFourNotFourDigits]),
        (None, Some("99999"), vec![LastFourNotFourDigits]),
        (None, Some("12a4"), vec![LastFourNotFourDigits]),
        (
            Some("MasterCard"),
            Some("9999"),
            vec![BrandContradictsNumber { sent, derived }, LastFourContradictsNumber],
        ),
    ] {
        let read = Card::parse(&CardFields { brand, last_four, ..fields(&visa) });
        assert_eq!(read.err().unwrap_or_default(), expected, "{brand:?} {last_four:?}");
    }
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_fields() {
    assert_eq!(
        faults(&CardFields::default()),
        [
            CardFault::Number(CardNumberError::Missing),
            CardFault::Expiry(ExpiryError::Missing),
            CardFault::Cvc(CvcError::Missing),
        ]
    );
    let unreadable = CardFields {
        number: Some("4"),
        expiry: Some("1329"),
        cvc: Some("12"),
        brand: Some("Maestro"),
        last_four: Some("x"),
        ..CardFields::default()
    };
    assert_eq!(
        faults(&unreadable),
        [
            CardFault::Number(CardNumberError::WrongLength { digits: 1 }),
            CardFault::Expiry(ExpiryError::NoSuchMonth { month: 13 }),
            CardFault::Cvc(CvcError::WrongLength { digits: 2, brand: None }),
            CardFault::UnknownBrand,
            CardFault::LastFourNotFourDigits,
        ]
    );
    let amex = number("34", 15);
    assert_eq!(
        faults(&fields(&amex)),
        [CardFault::Cvc(CvcError::WrongLength { digits: 3, brand: Some(CardBrand::AmericanExpress) })]
    );
}

#[test]
fn a_number_that_cannot_be_read_contradicts_nothing() {
    let unreadable = CardFields { brand: Some("Visa"), last_four: Some("1234"), ..fields("5") };
    assert_eq!(faults(&unreadable), [CardFault::Number(CardNumberError::WrongLength { digits: 1 })]);
}

#[test]
fn the_holder_and_zip_keep_no_card_number_and_blank_counts_as_absent() {
    let visa = number("4", 16);
    let typed = format!("Ann {visa}");
    let card = Card::parse(&CardFields { zip: Some(" 02139 "), holder_name: Some(&typed), ..fields(&visa) })
        .unwrap();
    assert_eq!(card.zip.as_deref(), Some("02139"));
    assert_eq!(card.holder_name, Some(format!("Ann ****{}", &visa[12..])));
    assert_eq!(card.brand(), CardBrand::Visa);
    let card = Card::parse(&CardFields { zip: Some(" "), holder_name: Some(""), ..fields(&visa) }).unwrap();
    assert_eq!((card.zip, card.holder_name), (None, None));
}

proptest! {
    #[test]
    fn one_mistyped_digit_is_always_noticed(body in "4[0-9]{11,17}", at in 0_usize..13, by in 1_u8..10) {
        let right = number(&body, body.len() + 1);
        let mut wrong = right.clone().into_bytes();
        wrong[at] = b'0' + (wrong[at] - b'0' + by) % 10;
        let wrong = String::from_utf8(wrong).unwrap();
        prop_assert!(CardNumber::parse(&right).is_ok());
        prop_assert_eq!(CardNumber::parse(&wrong).err(), Some(CardNumberError::WrongChecksum));
    }

    #[test]
    fn any_texts_are_read_without_a_fault(text in "\\PC*", digits in "[0-9 -]{0,30}") {
        for text in [&text, &digits] {
            let _ = Card::parse(&CardFields {
                number: Some(text),
                expiry: Some(text),
                cvc: Some(text),
                brand: Some(text),
                last_four: Some(text),
                zip: Some(text),
                holder_name: Some(text),
            });
        }
    }

    #[test]
    fn an_expiry_is_valid_in_its_own_month_and_not_a_month_later(month in 1_u32..=12, year in 0_u16..100) {
        let expiry = Expiry::parse(&format!("{month:02}{year:02}")).unwrap();
        let start = NaiveDate::from_ymd_opt(2000 + i32::from(year), month, 1).unwrap();
        let end = start.checked_add_months(chrono::Months::new(1)).unwrap();
        let noon = |date: NaiveDate| date.and_hms_opt(12, 0, 0).unwrap().and_utc();
        prop_assert!(expiry.is_valid_at(noon(start)));
        prop_assert!(expiry.is_valid_at(noon(end.pred_opt().unwrap())));
        prop_assert!(!expiry.is_valid_at(noon(end)));
    }
}
