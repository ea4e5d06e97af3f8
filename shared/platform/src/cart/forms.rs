//! What is answered when the forms of a cart are filled in wrongly, or not at all.

use crate::{ApiError, ErrorType};
use domain::form::{
    AnswerFault, FormRefusal, IncompleteForm, MAX_ANSWER_BYTES, MAX_NUMBER_DIGITS, MAX_TEXT_CHARS, Misfit,
};
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
        return ApiError::new(ErrorType::NotFound).message("The cart asks no such form");
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
            "The answers to the forms of a cart may have at most {MAX_ANSWER_BYTES} bytes together"
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
        AnswerFault::Repeated { at } => {
            (format!("fields/{at}/name"), "stands in the list already".to_owned())
        }
        AnswerFault::Blank { at } => (format!("fields/{at}/value"), "is required".to_owned()),
        AnswerFault::Unfit { at, misfit } => (format!("fields/{at}/value"), misfit_text(*misfit)),
        AnswerFault::Missing { field } => ("fields".to_owned(), format!("must answer {field}")),
    }
}

fn misfit_text(misfit: Misfit) -> String {
    match misfit {
        Misfit::NotText => "must be a string".to_owned(),
        Misfit::TooLong => format!("must have at most {MAX_TEXT_CHARS} characters"),
        Misfit::ControlCharacters => "must not have control characters".to_owned(),
        Misfit::NotANumber => format!("must be a number of at most {MAX_NUMBER_DIGITS} digits"),
        Misfit::NotAnOption => "must be one of the options".to_owned(),
        Misfit::NotAFlag => "must be true or false".to_owned(),
        Misfit::NotADate => "must be a date, such as 2027-06-01".to_owned(),
    }
}

/// Refuses the checkout of a cart with forms that must be filled in first.
///
/// # Errors
/// `FORMS_INCOMPLETE` with the forms, and what of each.
pub fn forms_incomplete(incomplete: &[IncompleteForm<'_>]) -> Result<(), ApiError> {
    if incomplete.is_empty() {
        return Ok(());
    }
    let forms: Vec<IncompleteFormOutput> = incomplete.iter().map(IncompleteFormOutput::from).collect();
    let error = ApiError::new(ErrorType::FormsIncomplete).fact("forms", &forms);
    let told = incomplete.iter().zip(&forms);
    Err(told.fold(error, |error, (incomplete, shown)| {
        let entry = format!("/shoppingCart/forms/{}", incomplete.at);
        if shown.fields.is_empty() {
            return error.detail(entry, "must be filled in");
        }
        let lacks =
            |error: ApiError, field| error.detail(format!("{entry}/fields"), format!("must answer {field}"));
        shown.fields.iter().fold(error, lacks)
    }))
}
