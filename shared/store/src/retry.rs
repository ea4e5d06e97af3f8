//! Which calls the SDK may repeat by itself.

use aws_sdk_dynamodb::config::retry::{ClassifyRetry, RetryAction};
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;

/// Forbids to repeat a call whose answer was lost. A conditional write that has happened would be refused the
/// second time, and its caller would take its own success for someone else's. Refusals by the database, among
/// them throttling, mean that nothing has happened, and may be repeated.
#[derive(Debug)]
pub(crate) struct LostAnswersAreFinal;

impl ClassifyRetry for LostAnswersAreFinal {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let refused = context.response().is_some_and(|response| response.status().is_client_error());
        let succeeded = matches!(context.output_or_error(), Some(Ok(_)));
        if refused || succeeded { RetryAction::NoActionIndicated } else { RetryAction::RetryForbidden }
    }

    fn name(&self) -> &'static str {
        "lost answers are final"
    }
}
