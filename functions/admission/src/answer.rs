//! Answers to what there is nothing to decide of, and to cards.

use adapters::App;
use domain::order::ScanType;
use sagas::SagaFault;
use sagas::admission::{NotAtDoor, ScannedCard};
use web::access::Caller;
use web::{ApiError, ErrorType};
use wire::admission::{AdmissionResultView, CardChoiceView, CardResult};

/// What could not be done can be tried again at once: whoever was let in is found by the scan, and nobody twice.
pub(crate) fn busy(fault: SagaFault) -> ApiError {
    ApiError::from(fault).without_effect()
}

/// Nothing has the id in this field.
pub(crate) fn unknown(field: &str) -> ApiError {
    ApiError::new(ErrorType::NotFound).detail(field, "was not found")
}

/// The order in `field`, or what is asked of it, is not there.
pub(crate) fn not_at_door(refused: NotAtDoor, field: &str) -> ApiError {
    match refused {
        NotAtDoor::UnknownOrder | NotAtDoor::UnknownCode => unknown(field),
        NotAtDoor::UnknownEvent => unknown("/eventId"),
        NotAtDoor::UnknownItems(places) => {
            places.into_iter().fold(ApiError::new(ErrorType::NotFound), |error, place| {
                error.detail(format!("/order/items/{place}/orderItemId"), "was not found")
            })
        }
    }
}

/// The result of a card; none where the code is that of none.
pub(crate) async fn of_card(
    app: &App,
    caller: &Caller,
    scanned: &ScannedCard,
    scan_type: Option<ScanType>,
) -> Result<Option<AdmissionResultView>, ApiError> {
    match scanned {
        ScannedCard::None => Ok(None),
        ScannedCard::Several(cards) => {
            Ok(Some(AdmissionResultView::ambiguous(cards.iter().map(CardChoiceView::from).collect())))
        }
        ScannedCard::One { membership, card, decided, visits_today } => {
            let definitions = app.definitions(caller.tenant.id).await?;
            let level = definitions.levels.get(&membership.level);
            let result = CardResult {
                membership,
                card,
                decided,
                visits_today: *visits_today,
                level: level.map(|level| level.name.as_str()),
                zone: caller.tenant.zone,
            };
            Ok(Some(AdmissionResultView::of_card(&result, scan_type)))
        }
    }
}
