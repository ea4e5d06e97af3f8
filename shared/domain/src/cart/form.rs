//! The forms that the events of a cart ask, and their answers (spec §2.6).
//!
//! An event is a dated slot of which the cart has tickets. Which forms are asked follows from its lines and the
//! catalog alone; the id of an entry follows from the cart, the form and, unless the form is asked once for the
//! cart, the event. Answers belong to the events they were given for, and stay while one of those is in the
//! cart.

use super::{CART_TTL_SECS, Cart, CartLine};
use crate::cart_request::WantedForm;
use crate::catalog::Template;
use crate::form::{AnswerFault, Answers, Form, MAX_ANSWER_BYTES, SentAnswer};
use crate::time::plus_secs;
use crate::{CartId, CartItemId, FormId, FormResponseId, InstanceId, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A form that a cart asks of its visitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CartForm {
    /// Names the answers; see [`response_id`].
    pub id: FormResponseId,
    pub form: FormId,
    /// The first line of tickets for the first of its events.
    pub line: CartItemId,
    /// The events its answers are for, in the order of the cart: one, or all that ask a form that is asked
    /// once for the cart.
    pub events: Vec<InstanceId>,
    /// Asked once for the cart, not once for each event.
    #[serde(default)]
    pub once_per_cart: bool,
    /// Whether the cart cannot be checked out without answers.
    #[serde(default)]
    pub required: bool,
    /// What was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// True when it was answered and the answers fitted the form as it was when the cart was last written.
    #[serde(default)]
    pub completed: bool,
}

/// The part of a catalog that says which events ask which forms.
#[derive(Debug, Clone, Copy)]
pub struct AskedForms<'a> {
    /// The templates of the events.
    pub templates: &'a [Template],
    /// The forms they name.
    pub forms: &'a BTreeMap<FormId, Form>,
}

/// Why answers are not taken, in order of precedence. `at` is the place in the list of forms that was sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum FormRefusal {
    /// The answers do not fit the form.
    Faulty {
        /// Where.
        at: usize,
        /// Why.
        fault: AnswerFault,
    },
    /// The cart has no tickets for the event.
    UnknownEvent {
        /// Where.
        at: usize,
    },
    /// No such event of the cart asks the form.
    UnknownForm {
        /// Where.
        at: usize,
    },
    /// The answers to all forms of the cart have more than [`MAX_ANSWER_BYTES`] together.
    TooLarge,
}

/// A form that must be filled in and is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncompleteForm {
    pub entry: CartForm,
    /// The fields that need an answer: those that the form requires where it was not answered at all.
    pub fields: Vec<String>,
}

/// The id under which the answers to a form of a cart are known; that of the answers for one event where an
/// event is given. The same always gives the same.
#[must_use]
pub fn response_id(cart: &CartId, form: &FormId, event: Option<&InstanceId>) -> FormResponseId {
    let event = event.map(ToString::to_string).unwrap_or_default();
    // No id has a line break, so that no two lists of parts are one text.
    let text = format!("form response\n{cart}\n{form}\n{event}");
    let digest: [u8; 32] = Sha256::digest(text).into();
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = digest;
    FormResponseId::from_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
}

impl CartForm {
    fn new(cart: &CartId, form: &Form, event: InstanceId, line: &CartItemId) -> Self {
        Self {
            id: response_id(cart, &form.id, Some(&event).filter(|_| !form.once_per_cart)),
            form: form.id.clone(),
            line: line.clone(),
            events: vec![event],
            once_per_cart: form.once_per_cart,
            required: form.required,
            answers: None,
            completed: false,
        }
    }

    fn answered(&mut self, answers: Option<Answers>, form: &Form) {
        self.completed = answers.as_ref().is_some_and(|answers| form.lacks(answers).is_empty());
        self.answers = answers;
    }
}

impl<'a> AskedForms<'a> {
    /// The forms that are asked of the visitors of an event, in the order of its template.
    fn of_event(self, event: &InstanceId) -> impl Iterator<Item = &'a Form> {
        // Few templates ask anything, and to see whether one owns an event takes a hash.
        let mut asking = self.templates.iter().filter(|template| !template.forms.is_empty());
        let template = asking.find(|template| template.owns(event));
        let named = template.map(|template| template.forms.as_slice()).unwrap_or_default();
        named.iter().filter_map(move |id| self.forms.get(id))
    }

    /// The forms that a cart of these lines asks, unanswered (spec §2.6 rules 1 to 3).
    fn of_cart(self, cart: &CartId, lines: &[CartLine]) -> Vec<CartForm> {
        let mut asked: Vec<CartForm> = Vec::new();
        for (event, line) in events_of(lines) {
            for form in self.of_event(&event) {
                let is_it = |entry: &&mut CartForm| {
                    entry.form == form.id && (form.once_per_cart || entry.events.contains(&event))
                };
                match asked.iter_mut().find(is_it) {
                    Some(entry) if entry.events.contains(&event) => {}
                    Some(entry) => entry.events.push(event),
                    None => asked.push(CartForm::new(cart, form, event, line)),
                }
            }
        }
        asked
    }
}

/// The events a cart has tickets for, within combos too, each with the first of its lines. Lines that only ask for
/// a price become no tickets.
fn events_of(lines: &[CartLine]) -> Vec<(InstanceId, &CartItemId)> {
    let mut events: Vec<(InstanceId, &CartItemId)> = Vec::new();
    for line in lines.iter().filter(|line| line.quantity() > 0) {
        for (event, _) in line.seats() {
            if !events.iter().any(|(known, _)| *known == event) {
                events.push((event, line.id()));
            }
        }
    }
    events
}

impl Cart {
    /// This cart with the forms that its lines ask. Answers stay with the events they were given for; those for
    /// events that are no longer in the cart are dropped.
    #[must_use]
    pub fn asking(self, asked: AskedForms<'_>) -> Self {
        let mut forms = asked.of_cart(&self.id, &self.lines);
        for entry in &mut forms {
            let Some(form) = asked.forms.get(&entry.form) else { continue };
            let answered = self.forms.iter().find(|before| {
                before.form == entry.form
                    && before.answers.is_some()
                    && before.events.iter().any(|event| entry.events.contains(event))
            });
            entry.answered(answered.and_then(|before| before.answers.clone()), form);
        }
        Self { forms, ..self }
    }

    /// This cart, asking what it asks, with these answers. Of two answers to one form the later stands.
    ///
    /// # Errors
    /// Every [`FormRefusal`] of the most important kind.
    pub fn answering(
        mut self,
        asked: AskedForms<'_>,
        wanted: &[WantedForm],
    ) -> Result<Self, Vec<FormRefusal>> {
        let mut refusals = Vec::new();
        for answers in wanted {
            refusals.extend(self.take(asked, answers));
        }
        if refusals.is_empty() && self.answer_bytes() > MAX_ANSWER_BYTES {
            refusals.push(FormRefusal::TooLarge);
        }
        if refusals.is_empty() { Ok(self) } else { Err(refusals) }
    }

    fn take(&mut self, asked: AskedForms<'_>, wanted: &WantedForm) -> Vec<FormRefusal> {
        let WantedForm { at, form, event, fields } = wanted;
        let at = *at;
        let has_tickets = |event: &InstanceId| self.seats().contains_key(event);
        if event.as_ref().is_some_and(|event| !has_tickets(event)) {
            return vec![FormRefusal::UnknownEvent { at }];
        }
        let is_meant = |entry: &&mut CartForm| {
            entry.form == *form && event.is_none_or(|event| entry.events.contains(&event))
        };
        let mut entries = self.forms.iter_mut().filter(is_meant).peekable();
        let Some(definition) = asked.forms.get(form).filter(|_| entries.peek().is_some()) else {
            return vec![FormRefusal::UnknownForm { at }];
        };
        match definition.read(fields) {
            Ok(answers) => {
                entries.for_each(|entry| entry.answered(Some(answers.clone()), definition));
                Vec::new()
            }
            Err(faults) => faults.into_iter().map(|fault| FormRefusal::Faulty { at, fault }).collect(),
        }
    }

    /// How much room the answers take in the order, in bytes: once for each event they are for.
    fn answer_bytes(&self) -> usize {
        let of_entry = |entry: &CartForm| {
            let bytes = entry.answers.as_ref().map_or(0, Answers::bytes);
            bytes.saturating_mul(entry.events.len())
        };
        self.forms.iter().map(of_entry).fold(0, usize::saturating_add)
    }

    /// The next version of this cart, with these answers to the form of one entry. It lives on from now.
    ///
    /// # Errors
    /// Every [`FormRefusal`], with the place 0: of `UnknownForm` it is the entry that is not there.
    pub fn filled_in(
        &self,
        asked: AskedForms<'_>,
        id: &FormResponseId,
        fields: &[SentAnswer],
        now: Timestamp,
    ) -> Result<Self, Vec<FormRefusal>> {
        let mut next = self.clone().asking(asked);
        let entry = next.forms.iter_mut().find(|entry| entry.id == *id);
        let entry = entry.and_then(|entry| Some((asked.forms.get(&entry.form)?, entry)));
        let Some((form, entry)) = entry else { return Err(vec![FormRefusal::UnknownForm { at: 0 }]) };
        let faulty = |fault| FormRefusal::Faulty { at: 0, fault };
        let answers =
            form.read(fields).map_err(|faults| faults.into_iter().map(faulty).collect::<Vec<_>>())?;
        entry.answered(Some(answers), form);
        if next.answer_bytes() > MAX_ANSWER_BYTES {
            return Err(vec![FormRefusal::TooLarge]);
        }
        next.order = None;
        next.version = self.version.saturating_add(1);
        next.expires_at = plus_secs(now, CART_TTL_SECS);
        Ok(next)
    }

    /// The forms that must be filled in before this cart is sold, and are not, or no longer (contract §6).
    #[must_use]
    pub fn incomplete_forms(&self, forms: &BTreeMap<FormId, Form>) -> Vec<IncompleteForm> {
        let required = self.forms.iter().filter(|entry| entry.required);
        let incomplete = required.filter_map(|entry| {
            let form = forms.get(&entry.form)?;
            let lacking = form.lacks(entry.answers.as_ref().unwrap_or(&Answers::default()));
            let fields: Vec<String> = lacking.into_iter().map(str::to_owned).collect();
            let is_incomplete = entry.answers.is_none() || !fields.is_empty();
            is_incomplete.then(|| IncompleteForm { entry: entry.clone(), fields })
        });
        incomplete.collect()
    }
}

#[cfg(test)]
mod tests;
