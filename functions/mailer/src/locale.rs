//! A language as mails are written in it (decision record 0160): its sentences, and its dates, numbers and plurals by the
//! Unicode locale data.

mod money;
mod texts;

pub(crate) use texts::Sentence;

use chrono::{Datelike, NaiveDate, NaiveDateTime, Timelike};
use domain::{Currency, Language, Money, Percent};
use icu_calendar::Gregorian;
use icu_calendar::types::RataDie;
use icu_datetime::FixedCalendarDateTimeFormatter;
use icu_datetime::fieldsets::{YMD, YMDE, YMDET};
use icu_datetime::input::{Date, DateTime, Time};
use icu_decimal::DecimalFormatter;
use icu_decimal::input::Decimal;
use icu_locale_core::{Locale as Tag, locale};
use icu_plurals::{PluralCategory, PluralRules};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::rc::Rc;
use texts::Texts;

/// A language as mails are written in it.
pub(crate) struct Locale {
    language: Language,
    texts: Texts,
    plurals: PluralRules,
    decimals: DecimalFormatter,
    days: FixedCalendarDateTimeFormatter<Gregorian, YMD>,
    times: FixedCalendarDateTimeFormatter<Gregorian, YMDET>,
}

/// The texts or data of a language are not there. A test reads all of them.
#[derive(Debug)]
pub struct MissingLocale(Box<dyn Error + Send + Sync>);

impl MissingLocale {
    fn of(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

impl fmt::Display for MissingLocale {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the texts or data of a language could not be read")
    }
}

impl Error for MissingLocale {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.0.as_ref())
    }
}

/// Whose conventions the texts of a language follow.
const fn tag(language: Language) -> Tag {
    match language {
        Language::English => locale!("en"),
        Language::Spanish => locale!("es"),
        Language::French => locale!("fr"),
        Language::German => locale!("de"),
        Language::Italian => locale!("it"),
        Language::Dutch => locale!("nl"),
        Language::Portuguese => locale!("pt-PT"),
    }
}

thread_local! {
    /// Those that this thread has read. A formatter belongs to one thread.
    static READ: RefCell<BTreeMap<Language, Rc<Locale>>> = const { RefCell::new(BTreeMap::new()) };
}

impl Locale {
    /// A language, whose texts and data each thread reads once.
    pub(crate) fn of(language: Language) -> Result<Rc<Self>, MissingLocale> {
        READ.with_borrow_mut(|known| {
            if let Some(locale) = known.get(&language) {
                return Ok(Rc::clone(locale));
            }
            let locale = Rc::new(Self::read(language)?);
            known.insert(language, Rc::clone(&locale));
            Ok(locale)
        })
    }

    /// Reads the texts and data of a language.
    fn read(language: Language) -> Result<Self, MissingLocale> {
        let tag = tag(language);
        let plurals = PluralRules::try_new_cardinal((&tag).into()).map_err(MissingLocale::of)?;
        let decimals =
            DecimalFormatter::try_new((&tag).into(), Default::default()).map_err(MissingLocale::of)?;
        let days = FixedCalendarDateTimeFormatter::try_new((&tag).into(), YMD::medium());
        let times = FixedCalendarDateTimeFormatter::try_new((&tag).into(), YMDE::medium().with_time_hm());
        Ok(Self {
            language,
            texts: Texts::of(language)?,
            plurals,
            decimals,
            days: days.map_err(MissingLocale::of)?,
            times: times.map_err(MissingLocale::of)?,
        })
    }

    /// Its code, such as `es`.
    pub(crate) const fn code(&self) -> &'static str {
        self.language.code()
    }

    /// The sentence of that name, whose values are still to be put in.
    pub(crate) fn say(&self, name: &'static str) -> Sentence<'_> {
        self.texts.sentence(name)
    }

    /// A day, such as `Mar 14, 2026`.
    pub(crate) fn day(&self, day: NaiveDate) -> String {
        self.days.format(&gregorian(day)).to_string()
    }

    /// A day and time, such as `Sat, Mar 14, 2026, 10:30 AM`.
    pub(crate) fn time(&self, local: NaiveDateTime) -> String {
        let small = |number: u32| u8::try_from(number).unwrap_or_default();
        let time = Time::try_new(small(local.hour()), small(local.minute()), 0, 0);
        // The hours and minutes of a clock are always a time.
        let time = time.unwrap_or(Time::start_of_day());
        self.times.format(&DateTime { date: gregorian(local.date()), time }).to_string()
    }

    /// A number, such as `1,900`.
    pub(crate) fn number(&self, number: u64) -> String {
        self.decimals.format(&Decimal::from(number)).to_string()
    }

    /// The form of a noun that stands with a number: `one`, `other` and what else the language has.
    pub(crate) fn plural(&self, number: u64) -> &'static str {
        match self.plurals.category_for(number) {
            PluralCategory::Zero => "zero",
            PluralCategory::One => "one",
            PluralCategory::Two => "two",
            PluralCategory::Few => "few",
            PluralCategory::Many => "many",
            PluralCategory::Other => "other",
        }
    }

    /// A percentage, such as `5.5%`.
    pub(crate) fn percent(&self, rate: Percent) -> String {
        let digits = rate.short();
        let digits = Decimal::try_from_str(&digits)
            .map_or(digits, |decimal| self.decimals.format(&decimal).to_string());
        format!("{digits}{}%", money::before_percent(self.language))
    }

    /// An amount, such as `$1,234.50` or `1234,50 €`.
    pub(crate) fn money(&self, currency: Currency, amount: Money) -> String {
        money::written(self.language, currency, amount, &self.decimals)
    }
}

fn gregorian(day: NaiveDate) -> Date<Gregorian> {
    Date::from_rata_die(RataDie::new(day.num_days_from_ce().into()), Gregorian)
}

#[cfg(test)]
mod tests;
