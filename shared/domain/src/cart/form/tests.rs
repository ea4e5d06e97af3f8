use super::*;
use crate::cart::{AppliedPrice, LinePrice, PricedLines, TicketLine};
use crate::cart_request::CartTerms;
use crate::catalog::AdmissionType;
use crate::form::{FieldKind, FormField, Misfit, SentValue};
use crate::{Money, TemplateId, TicketTypeId};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// Templates 0, 1, … each ask the forms named by letters, such as "ab"; forms of small letters are asked for
/// each event, those of capitals once for the cart.
struct Catalog {
    templates: Vec<Template>,
    forms: BTreeMap<FormId, Form>,
}

fn now() -> Timestamp {
    chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn form_id(letter: char) -> FormId {
    FormId::parse(&letter.to_string()).unwrap()
}

fn template_id(number: usize) -> TemplateId {
    TemplateId::parse(&format!("template{number}")).unwrap()
}

/// A slot of a template.
fn event(template: usize, hour: i64) -> InstanceId {
    let start = plus_secs(now(), hour.saturating_mul(3_600));
    InstanceId::of(&template_id(template), None, start.naive_utc(), start).unwrap()
}

fn template(number: usize, forms: &str) -> Template {
    let forms: Vec<FormId> = forms.chars().map(form_id).collect();
    let stored = serde_json::json!({
        "id": template_id(number), "name": "Event", "description": "", "short_description": "", "start": now(),
        "duration_minutes": 60, "capacity": 10, "last_updated": now(), "forms": forms,
    });
    serde_json::from_value(stored).unwrap()
}

fn form(letter: char) -> Form {
    let field = FormField { name: "who".into(), label: "Who".into(), kind: FieldKind::Text, required: true };
    Form {
        id: form_id(letter),
        name: letter.to_string(),
        description: String::new(),
        once_per_cart: letter.is_ascii_uppercase(),
        required: true,
        fields: vec![field],
    }
}

impl Catalog {
    fn of(templates: &[&str]) -> Self {
        let letters = templates.iter().flat_map(|forms| forms.chars());
        Self {
            forms: letters.map(|letter| (form_id(letter), form(letter))).collect(),
            templates: (0..).zip(templates).map(|(number, forms)| template(number, forms)).collect(),
        }
    }

    fn asked(&self) -> AskedForms<'_> {
        AskedForms { templates: &self.templates, forms: &self.forms }
    }
}

fn line(id: usize, instance: InstanceId, quantity: u32) -> CartLine {
    let price = LinePrice { unit: Money::ZERO, retail_unit: Money::ZERO, amount: Money::ZERO };
    CartLine::Ticket(TicketLine {
        id: CartItemId::parse(&format!("line{id}")).unwrap(),
        instance,
        ticket_type: TicketTypeId::parse("adult").unwrap(),
        quantity,
        is_retail: false,
        ignore_entitlements: false,
        coupon_codes: Vec::new(),
        event_name: "Event".into(),
        ticket_type_name: "Adult".into(),
        admission: AdmissionType::Standard,
        event_start: now(),
        price,
        applied: AppliedPrice::FullPrice,
    })
}

/// One line for each of these events, with one ticket.
fn lines(events: &[InstanceId]) -> Vec<CartLine> {
    events.iter().enumerate().map(|(id, event)| line(id, *event, 1)).collect()
}

fn priced(lines: Vec<CartLine>) -> PricedLines {
    PricedLines { lines, total: Money::ZERO, coupon_messages: Vec::new() }
}

fn cart(lines: Vec<CartLine>, catalog: &Catalog) -> Cart {
    let id = CartId::parse("cart").unwrap();
    Cart::new(id, String::new(), CartTerms::default(), priced(lines), now()).asking(catalog.asked())
}

fn replaced(cart: &Cart, lines: Vec<CartLine>, catalog: &Catalog) -> Cart {
    cart.replaced(CartTerms::default(), priced(lines), now()).asking(catalog.asked())
}

fn who(name: &str) -> Vec<SentAnswer> {
    vec![SentAnswer { name: "who".into(), value: SentValue::Text(name.into()) }]
}

/// Each entry as `form line events`, with `!` where it is completed, such as `A line0 2!`.
fn told(cart: &Cart) -> Vec<String> {
    let told = |entry: &CartForm| {
        let mark = if entry.completed { "!" } else { "" };
        format!("{} {} {}{mark}", entry.form, entry.line, entry.events.len())
    };
    cart.forms.iter().map(told).collect()
}

#[test]
fn each_rule_of_the_specification_gives_its_entries() {
    let catalog = Catalog::of(&["a", "b", "A", "A", "aA", "", "aa"]);
    for (case, events, expected) in [
        ("no event", vec![], vec![]),
        ("an event without form", vec![event(5, 0)], vec![]),
        ("different forms", vec![event(0, 0), event(1, 0)], vec!["a line0 1", "b line1 1"]),
        ("one form, once, two templates", vec![event(2, 0), event(3, 0)], vec!["A line0 2"]),
        ("one form, once, two slots", vec![event(2, 0), event(2, 1)], vec!["A line0 2"]),
        ("one form, for each of two slots", vec![event(0, 0), event(0, 1)], vec!["a line0 1", "a line1 1"]),
        ("two lines of one event", vec![event(0, 0), event(0, 0)], vec!["a line0 1"]),
        (
            "one form for each and one once",
            vec![event(4, 0), event(4, 1)],
            vec!["a line0 1", "A line0 2", "a line1 1"],
        ),
        ("a form that a template names twice", vec![event(6, 0)], vec!["a line0 1"]),
    ] {
        assert_eq!(told(&cart(lines(&events), &catalog)), expected, "{case}");
    }
}

#[test]
fn a_line_that_only_asks_for_a_price_asks_no_form() {
    let catalog = Catalog::of(&["a"]);
    let probe = vec![line(0, event(0, 0), 0), line(1, event(0, 1), 0), line(2, event(0, 1), 1)];
    assert_eq!(told(&cart(probe, &catalog)), ["a line2 1"]);
}

#[test]
fn answers_follow_their_events_from_cart_to_cart() {
    let catalog = Catalog::of(&["A", "A", "a"]);
    let (one, other, each) = (event(0, 0), event(1, 0), event(2, 0));
    let before = cart(lines(&[one, each]), &catalog);
    let wanted = ['A', 'a'].map(|letter| WantedForm {
        at: 0,
        form: form_id(letter),
        event: None,
        fields: who("Ines"),
    });
    let answered = before.answering(catalog.asked(), &wanted).unwrap();
    for (case, events, expected) in [
        ("the same", vec![one, each], vec!["A line0 1!", "a line1 1!"]),
        ("in another order", vec![each, one], vec!["a line0 1!", "A line1 1!"]),
        ("with another event of the form", vec![one, other], vec!["A line0 2!"]),
        ("with another event instead", vec![other], vec!["A line0 1"]),
        ("with another slot of an event", vec![each, event(2, 1)], vec!["a line0 1!", "a line1 1"]),
    ] {
        assert_eq!(told(&replaced(&answered, lines(&events), &catalog)), expected, "{case}");
    }
    let joined = replaced(&answered, lines(&[one, other]), &catalog);
    assert_eq!(told(&replaced(&joined, lines(&[other]), &catalog)), ["A line0 1!"], "it was for both");
    let emptied = replaced(&answered, vec![], &catalog);
    assert_eq!(told(&replaced(&emptied, lines(&[one]), &catalog)), ["A line0 1"], "dropped with its event");
}

/// A back office may ask once for the cart what was asked for each event, or the other way round.
#[test]
fn answers_stay_when_a_form_is_asked_in_another_way() {
    for (before, after, expected) in
        [(true, false, vec!["A line0 1!", "A line1 1!"]), (false, true, vec!["A line0 2!"])]
    {
        let mut catalog = Catalog::of(&["A"]);
        let id = form_id('A');
        catalog.forms.get_mut(&id).unwrap().once_per_cart = before;
        let wanted = WantedForm { at: 0, form: id.clone(), event: None, fields: who("Ines") };
        let both = lines(&[event(0, 0), event(0, 1)]);
        let answered = cart(both.clone(), &catalog).answering(catalog.asked(), &[wanted]).unwrap();
        catalog.forms.get_mut(&id).unwrap().once_per_cart = after;
        assert_eq!(told(&replaced(&answered, both, &catalog)), expected, "{before} to {after}");
    }
}

#[test]
fn answers_are_taken_for_forms_and_events_of_the_cart_only() {
    let catalog = Catalog::of(&["a", "b"]);
    let held =
        cart(vec![line(0, event(0, 0), 1), line(1, event(0, 1), 1), line(2, event(1, 0), 0)], &catalog);
    let wanted = |form: char, event: Option<InstanceId>, fields: Vec<SentAnswer>| WantedForm {
        at: 3,
        form: form_id(form),
        event,
        fields,
    };
    let number = SentAnswer { name: "who".into(), value: SentValue::Number("7".into()) };
    let faulty = FormRefusal::Faulty { at: 3, fault: AnswerFault::Unfit { at: 0, misfit: Misfit::NotText } };
    for (case, sent, expected) in [
        ("every event", wanted('a', None, who("I")), Ok(vec!["a line0 1!", "a line1 1!"])),
        ("one event", wanted('a', Some(event(0, 1)), who("I")), Ok(vec!["a line0 1", "a line1 1!"])),
        ("faulty", wanted('a', None, vec![number]), Err(vec![faulty])),
        ("no event of it", wanted('b', None, who("I")), Err(vec![FormRefusal::UnknownForm { at: 3 }])),
        ("no form", wanted('z', None, who("I")), Err(vec![FormRefusal::UnknownForm { at: 3 }])),
        (
            "another event's",
            wanted('b', Some(event(0, 0)), who("I")),
            Err(vec![FormRefusal::UnknownForm { at: 3 }]),
        ),
        (
            "a price probe's",
            wanted('b', Some(event(1, 0)), who("I")),
            Err(vec![FormRefusal::UnknownEvent { at: 3 }]),
        ),
    ] {
        let taken = held.clone().answering(catalog.asked(), &[sent]);
        let taken = taken.map(|cart| told(&cart));
        assert_eq!(taken, expected.map(|told| told.into_iter().map(str::to_owned).collect()), "{case}");
    }
}

#[test]
fn a_cart_keeps_100_000_bytes_of_answers() {
    let mut catalog = Catalog::of(&["a"]);
    let names: Vec<String> = (10..60).map(|number| format!("field {number}")).collect();
    let field = |name: &String| FormField {
        name: name.clone(),
        label: String::new(),
        kind: FieldKind::Text,
        required: false,
    };
    catalog.forms.get_mut(&form_id('a')).unwrap().fields = names.iter().map(field).collect();
    let held = cart(lines(&[event(0, 0)]), &catalog);
    let id = held.forms[0].id.clone();
    let fill = |letters: usize| {
        let answer =
            |name: &String| SentAnswer { name: name.clone(), value: SentValue::Text("x".repeat(letters)) };
        held.filled_in(catalog.asked(), &id, &names.iter().map(answer).collect::<Vec<_>>(), now())
    };
    assert_eq!(fill(1_992).unwrap().answer_bytes(), MAX_ANSWER_BYTES);
    assert_eq!(fill(1_993).unwrap_err(), [FormRefusal::TooLarge]);
}

#[test]
fn answers_to_a_form_shown_once_count_for_each_of_its_events() {
    let catalog = Catalog::of(&["A"]);
    let bytes = |events: &[InstanceId]| {
        let held = cart(lines(events), &catalog);
        let id = held.forms[0].id.clone();
        held.filled_in(catalog.asked(), &id, &who("Ines"), now()).unwrap().answer_bytes()
    };
    assert_eq!(bytes(&[event(0, 0), event(0, 1), event(0, 2)]), 3 * bytes(&[event(0, 0)]));
}

#[test]
fn answers_make_the_next_version_of_a_cart_and_nothing_else_of_it_new() {
    let catalog = Catalog::of(&["a"]);
    let mut held = cart(lines(&[event(0, 0)]), &catalog);
    held.order = crate::OrderId::parse("4711").ok();
    let later = plus_secs(now(), 60);
    let id = held.forms[0].id.clone();
    let next = held.filled_in(catalog.asked(), &id, &who("Ines"), later).unwrap();
    let answers = form('a').read(&who("Ines")).unwrap();
    let mut expected = held.clone();
    expected.forms[0].answers = Some(answers);
    expected.forms[0].completed = true;
    expected.order = None;
    expected.version = 2;
    expected.expires_at = plus_secs(later, CART_TTL_SECS);
    assert_eq!(next, expected);
    let other = response_id(&held.id, &form_id('z'), None);
    let refused = held.filled_in(catalog.asked(), &other, &who("Ines"), later);
    assert_eq!(refused.unwrap_err(), [FormRefusal::UnknownForm { at: 0 }]);
}

#[test]
fn a_required_form_is_incomplete_until_its_answers_fit_the_form_as_it_is_now() {
    let mut catalog = Catalog::of(&["a"]);
    let id = form_id('a');
    let missing = |cart: &Cart, catalog: &Catalog| -> Vec<Vec<String>> {
        let incomplete = cart.incomplete_forms(&catalog.forms).into_iter();
        incomplete.map(|form| form.fields).collect()
    };
    let empty = cart(lines(&[event(0, 0)]), &catalog);
    assert_eq!(missing(&empty, &catalog), [["who"]]);
    let wanted = WantedForm { at: 0, form: id.clone(), event: None, fields: who("Ines") };
    let answered = empty.clone().answering(catalog.asked(), &[wanted]).unwrap();
    assert_eq!(missing(&answered, &catalog), [[""; 0]; 0]);
    catalog.forms.get_mut(&id).unwrap().fields[0].kind = FieldKind::Number;
    let asked_anew = answered.asking(catalog.asked());
    assert_eq!(missing(&asked_anew, &catalog), [["who"]]);
    catalog.forms.get_mut(&id).unwrap().fields[0].required = false;
    assert_eq!(missing(&empty.clone().asking(catalog.asked()), &catalog), [[""; 0]], "not filled in at all");
    catalog.forms.get_mut(&id).unwrap().required = false;
    assert_eq!(missing(&empty.asking(catalog.asked()), &catalog), [[""; 0]; 0], "nobody has to");
}

/// Templates with up to three of four forms, and lines for slots of them.
fn any_cart() -> impl Strategy<Value = (Catalog, Vec<CartLine>)> {
    let templates = proptest::collection::vec("[abAB]{0,3}", 1..4);
    let wanted = proptest::collection::vec((0..4_usize, 0..3_i64, 0..3_u32), 0..8);
    (templates, wanted).prop_map(|(templates, wanted)| {
        let named: Vec<&str> = templates.iter().map(String::as_str).collect();
        let events = wanted.into_iter().enumerate();
        let lines = events.map(|(id, (template, hour, quantity))| line(id, event(template, hour), quantity));
        (Catalog::of(&named), lines.collect())
    })
}

fn bought(cart: &Cart) -> BTreeSet<InstanceId> {
    cart.seats().into_keys().collect()
}

/// Which event asks which form, said from scratch.
fn asks(catalog: &Catalog, event: &InstanceId, form: &FormId) -> bool {
    catalog.templates.iter().any(|template| template.owns(event) && template.forms.contains(form))
}

impl std::fmt::Debug for Catalog {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.templates.iter().map(|template| &template.forms)).finish()
    }
}

proptest! {
    /// Rules 1 to 3: every event and form it asks stand in exactly one entry, and no other; a form that is
    /// asked once has one entry, any other one for each event.
    #[test]
    fn every_form_of_every_event_is_asked_exactly_as_its_rule_says((catalog, lines) in any_cart()) {
        let cart = cart(lines, &catalog);
        for id in catalog.forms.keys() {
            let entries: Vec<&CartForm> = cart.forms.iter().filter(|entry| entry.form == *id).collect();
            let mut events: Vec<InstanceId> =
                entries.iter().flat_map(|entry| entry.events.clone()).collect();
            events.sort();
            let asking: Vec<InstanceId> =
                bought(&cart).into_iter().filter(|event| asks(&catalog, event, id)).collect();
            prop_assert_eq!(&events, &asking, "each event once");
            let once = catalog.forms[id].once_per_cart;
            let expected = if once { usize::from(!asking.is_empty()) } else { asking.len() };
            prop_assert_eq!(entries.len(), expected);
        }
        let ids: BTreeSet<&FormResponseId> = cart.forms.iter().map(|entry| &entry.id).collect();
        prop_assert_eq!(ids.len(), cart.forms.len(), "no id stands twice");
        for entry in &cart.forms {
            let first = cart.lines.iter().find(|line| match line {
                CartLine::Ticket(line) => line.quantity > 0 && line.instance == entry.events[0],
                CartLine::AddOn(_)
                | CartLine::Donation(_)
                | CartLine::Combo(_)
                | CartLine::Membership(_) => false,
            });
            prop_assert_eq!(first.map(CartLine::id), Some(&entry.line));
        }
    }

    /// The order of lines changes which line an entry is shown with, and nothing else.
    #[test]
    fn ids_do_not_depend_on_the_order_of_lines(
        ((catalog, lines), seed) in (any_cart(), any::<proptest::sample::Index>()),
    ) {
        let mut turned = lines.clone();
        if !turned.is_empty() {
            turned.rotate_left(seed.index(lines.len()));
        }
        let ids = |cart: Cart| -> BTreeSet<FormResponseId> {
            cart.forms.into_iter().map(|entry| entry.id).collect()
        };
        prop_assert_eq!(ids(cart(lines, &catalog)), ids(cart(turned, &catalog)));
    }

    #[test]
    fn asking_again_changes_nothing((catalog, lines) in any_cart()) {
        let answered = answered_one_by_one(cart(lines.clone(), &catalog), &catalog);
        prop_assert_eq!(&answered.clone().asking(catalog.asked()), &answered);
        let again = replaced(&answered, lines, &catalog);
        prop_assert_eq!(again.forms, answered.forms);
    }

    /// Whatever a cart becomes, no answer is lost whose event stays, and none is kept for events that all left.
    #[test]
    fn answers_stay_exactly_with_their_events(
        ((catalog, lines), kept) in (any_cart(), proptest::collection::vec(any::<bool>(), 8)),
    ) {
        let before = answered_one_by_one(cart(lines.clone(), &catalog), &catalog);
        let rest = lines.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(line, _)| line).collect();
        let after = replaced(&before, rest, &catalog);
        let answers: HashMap<&FormResponseId, &CartForm> =
            before.forms.iter().map(|entry| (&entry.id, entry)).collect();
        for entry in &after.forms {
            let earlier = answers[&entry.id];
            let shared = entry.events.iter().any(|event| earlier.events.contains(event));
            prop_assert_eq!(entry.answers.as_ref(), earlier.answers.as_ref().filter(|_| shared));
        }
    }
}

/// Every entry answered with its own id.
fn answered_one_by_one(cart: Cart, catalog: &Catalog) -> Cart {
    let ids: Vec<FormResponseId> = cart.forms.iter().map(|entry| entry.id.clone()).collect();
    ids.into_iter()
        .fold(cart, |cart, id| cart.filled_in(catalog.asked(), &id, &who(id.as_str()), now()).unwrap())
}
