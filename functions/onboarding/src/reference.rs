//! The partner's name for a merchant, and the id that follows from it.

use adapters::keyed_hash::HashKey;
use domain::onboarding::{TypeFault, Violation};
use domain::{BoardingRefId, Mid};
use web::{ApiError, ErrorType};
use wire::{Field, WireValue};

const FIELD: &str = "boardingRefId";
const FORM: &str = "must be a UUID, such as 5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";

/// Reads the name in a body.
///
/// # Errors
/// The rule it breaks. Nothing can be kept without a name, so that an application that breaks it is refused.
pub(crate) fn read(field: Field<String>) -> Result<BoardingRefId, Violation> {
    let text = match field {
        Field::Absent | Field::Null => return Err(Violation::missing(FIELD)),
        Field::Wrong => {
            return Err(TypeFault { field: FIELD.to_owned(), expected: String::EXPECTED }.into());
        }
        Field::Value(text) => text,
    };
    match text.trim() {
        "" => Err(Violation::missing(FIELD)),
        text => BoardingRefId::parse(text).map_err(|_| Violation::new(FIELD, "uuid", FORM)),
    }
}

/// Reads the name in the body of an application that is to be kept.
///
/// # Errors
/// `VALIDATION_ERROR` when there is none or it is no UUID.
pub(crate) fn sent(field: Field<String>) -> Result<BoardingRefId, ApiError> {
    read(field).map_err(|Violation { field, rule: _, message }| {
        ApiError::new(ErrorType::ValidationError).detail(format!("/{field}"), message)
    })
}

/// Reads the name in a path.
///
/// # Errors
/// `VALIDATION_ERROR` when it is no UUID (contract §11).
pub(crate) fn of_path(text: &str) -> Result<BoardingRefId, ApiError> {
    let refused = |_| ApiError::new(ErrorType::ValidationError).detail(FIELD, FORM);
    BoardingRefId::parse(text.trim()).map_err(refused)
}

/// The id of the merchant with that name: a keyed hash, so that it is found without a search and cannot be guessed
/// (decision 0061).
pub(crate) fn mid_of(reference: &BoardingRefId, key: &HashKey) -> Mid {
    let hash = key.hash("mid", &[reference.to_string().as_bytes()]);
    Mid::from_bits(hash.iter().take(8).fold(0, |bits, byte| (bits << 8) | u64::from(*byte)))
}
