//! The two demo venues.

use crate::failure::Failure;
use crate::import;
use domain::Timestamp;
use platform::App;

/// The demo venues' documents, embedded so that the program runs from any directory.
const VENUES: [(&str, &str); 2] = [
    ("Harbor Museum", include_str!("../../demo/harbor-museum.json")),
    ("Bay Zoo", include_str!("../../demo/bay-zoo.json")),
];

/// Imports the demo venues. Doing it again changes nothing.
pub(crate) async fn demo(app: &App, now: Timestamp) -> Result<(), Failure> {
    for (name, document) in VENUES {
        let report = import::import(app, document, now).await;
        report
            .map_err(|fault| Failure::because(format!("the demo venue {name} was not imported"), &fault))?;
    }
    Ok(())
}
