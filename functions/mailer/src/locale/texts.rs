//! The sentences of mails, in Fluent files that translators read.

use super::MissingLocale;
use domain::Language;
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource};

/// The sentences of one language.
pub(super) struct Texts(FluentBundle<FluentResource>);

/// The file of a language.
pub(super) const fn source(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../../texts/en.ftl"),
        Language::Spanish => include_str!("../../texts/es.ftl"),
        Language::French => include_str!("../../texts/fr.ftl"),
        Language::German => include_str!("../../texts/de.ftl"),
        Language::Italian => include_str!("../../texts/it.ftl"),
        Language::Dutch => include_str!("../../texts/nl.ftl"),
        Language::Portuguese => include_str!("../../texts/pt.ftl"),
    }
}

impl Texts {
    pub(super) fn of(language: Language) -> Result<Self, MissingLocale> {
        let file = FluentResource::try_new(source(language).to_owned());
        let file = file.map_err(|(_, faults)| MissingLocale::of(format!("{faults:?}")))?;
        // It knows no plurals: what a number asks for is put in as a word.
        let mut bundle = FluentBundle::default();
        // Values are cleaned of marks that turn the direction of reading, and subjects should have none.
        bundle.set_use_isolating(false);
        bundle.add_resource(file).map_err(|faults| MissingLocale::of(format!("{faults:?}")))?;
        Ok(Self(bundle))
    }

    pub(super) fn sentence(&self, name: &'static str) -> Sentence<'_> {
        Sentence { texts: self, name, values: FluentArgs::new() }
    }
}

/// A sentence whose values are being put in.
pub(crate) struct Sentence<'a> {
    texts: &'a Texts,
    name: &'static str,
    values: FluentArgs<'static>,
}

impl Sentence<'_> {
    /// Puts in a value.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        let value: String = value.into();
        self.values.set(name, value);
        self
    }

    /// The finished sentence. A test sees to it that there is one of each name, with no value missing.
    pub(crate) fn text(self) -> String {
        let Texts(bundle) = self.texts;
        let Some(pattern) = bundle.get_message(self.name).and_then(|message| message.value()) else {
            debug_assert!(false, "no text is called {}", self.name);
            return self.name.to_owned();
        };
        let mut faults = Vec::new();
        let text = bundle.format_pattern(pattern, Some(&self.values), &mut faults).into_owned();
        debug_assert!(faults.is_empty(), "{}: {faults:?}", self.name);
        text
    }
}
