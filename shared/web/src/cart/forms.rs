//! What is answered when the forms of a cart are filled in wrongly, or not at all.

use crate::{ApiError, ErrorType};
use domain::cart::{FormRefusal, IncompleteForm};
use domain::checkout::CartSource;
use domain::form::{AnswerFault, MAX_ANSWER_BYTES, MAX_NUMBER_DIGITS, MAX_TEXT_CHARS, Misfit};
use wire::cart::IncompleteFormOutput;

/// The refusal of forms sent with a cart: `VALIDATION_ERROR`, `NOT_FOUND` or
/// `PAYLOAD_TOO_LARGE`, whichever applies first, with every fault of that type. `cart` is the pointer of the
/// cart within the body, empty for a body that is the cart.
#[must_use]
pub fn forms_refused(refusals: &[FormRefusal], cart: &str) -> ApiError {
    refused(refusals, |at| format!("{cart}/forms/{at}"))
}

/// The refusal of what was answered to one form, where that is the whole body. An entry that is not
/// there is named by the path, and no field.
#[must_use]
pub fn response_refused(refusals: &[FormRefusal]) -> ApiError {
    if refusals.iter().any(|refusal| matches!(refusal, FormRefusal::UnknownForm { .. })) {
        return ApiError::new(ErrorType::NotFound).message("This cart has no such form");
    }
    refused(refusals, |_| String::new())
}

fn refused(refusals: &[FormRefusal], place: impl Fn(usize) -> String) -> ApiError {
    let kind = refusals.iter().min().map_or(ErrorType::Internal, kind_of);
    let told = refusals.iter().filter(|refusal| kind_of(refusal) == kind);
    told.fold(ApiError::new(kind), |error, refusal| match refusal {
        FormRefusal::Faulty { at, fault } => {
            let (field, message) = fault_text(fault);
            error.detail(format!("{}/{field}", place(*at)), message)
        }
        FormRefusal::UnknownEvent { at } => error.detail(format!("{}/eventId", place(*at)), "was not found"),
        FormRefusal::UnknownForm { at } => error.detail(format!("{}/formId", place(*at)), "was not found"),
        FormRefusal::TooLarge => error.message(format!(
            "The answers to a cart's forms must not be larger than {MAX_ANSWER_BYTES} bytes in total"
        )),
    })
}

fn kind_of(refusal: &FormRefusal) -> ErrorType {
    match refusal {
        FormRefusal::Faulty { .. } => ErrorType::ValidationError,
        FormRefusal::UnknownEvent { .. } | FormRefusal::UnknownForm { .. } => ErrorType::NotFound,
        FormRefusal::TooLarge => ErrorType::PayloadTooLarge,
    }
}

/// Names of the form's own fields may be told; what was sent may not.
fn fault_text(fault: &AnswerFault) -> (String, String) {
    match fault {
        AnswerFault::UnknownField { at } => {
            (format!("fields/{at}/name"), "is not a field of the form".to_owned())
        }
        AnswerFault::Repeated { at } => (format!("fields/{at}/name"), "is already in the list".to_owned()),
        AnswerFault::Blank { at } => (format!("fields/{at}/value"), "is required".to_owned()),
        AnswerFault::Unfit { at, misfit } => (format!("fields/{at}/value"), misfit_text(*misfit)),
        AnswerFault::Missing { field } => ("fields".to_owned(), unanswered(field)),
    }
}

fn unanswered(field: &str) -> String {
    format!("must include an answer for \"{field}\"")
}

fn misfit_text(misfit: Misfit) -> String {
    match misfit {
        Misfit::NotText => "must be a string".to_owned(),
        Misfit::TooLong => format!("must have at most {MAX_TEXT_CHARS} characters"),
        Misfit::Invisible => "must not be blank".to_owned(),
        Misfit::ControlCharacters => "must not have control characters".to_owned(),
        Misfit::NotANumber => format!("must be a number of at most {MAX_NUMBER_DIGITS} digits"),
        Misfit::NotAnOption => "must be one of the options".to_owned(),
        Misfit::NotAFlag => "must be true or false".to_owned(),
        Misfit::NotADate => "must be a date, such as 2027-06-01".to_owned(),
    }
}

/// The refusal of a checkout of a cart with forms that must be filled in first: those of a stored cart by a request of
/// its own, those of a cart within the checkout by what it brings along. `FORMS_INCOMPLETE` with the forms, and what of
/// each.
#[must_use]
pub fn forms_incomplete(incomplete: &[IncompleteForm], source: &CartSource) -> ApiError {
    let forms: Vec<IncompleteFormOutput> = incomplete.iter().map(IncompleteFormOutput::from).collect();
    let error = ApiError::new(ErrorType::FormsIncomplete).fact("forms", &forms);
    forms.iter().fold(error, |error, form| {
        let (field, message) = to_fill_in(form, source);
        error.detail(field, message)
    })
}

/// Where a form is filled in, and what it needs. Names of its fields may be told.
fn to_fill_in(form: &IncompleteFormOutput, source: &CartSource) -> (&'static str, String) {
    let IncompleteFormOutput { form_id, form_response_id, item_id: _, event_ids, fields } = form;
    let fields: Vec<String> = fields.iter().map(|field| format!("\"{field}\"")).collect();
    let needs = match fields.is_empty() {
        true => String::new(),
        false => format!("; it needs an answer for {}", fields.join(", ")),
    };
    match source {
        CartSource::Stored(cart) => {
            let request = format!("PUT /v2/b2c/carts/{cart}/forms/{form_response_id}");
            ("/shoppingCartId", format!("has a form that must be filled in first, with {request}{needs}"))
        }
        CartSource::Inline(_) => {
            let events = event_ids.join(", ");
            ("/shoppingCart/forms", format!("must include form {form_id} for event {events}{needs}"))
        }
    }
}
