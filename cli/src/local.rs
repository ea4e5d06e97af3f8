//! The service over an embedded database, with its local adapters.

use adapters::clock::wall_now;
use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::vault::Vault;
use adapters::{Adapters, App};
use aws_smithy_runtime_api::client::http::HttpClient;
use engine::client_over;
use std::sync::Arc;
use store::{Counted, Store};

/// Names of the tables of an embedded database start so.
pub(crate) const PREFIX: &str = "boxoffice-";

/// The service whose own database calls go through `http`. The sandbox's processor is another party: it
/// keeps its payments through `processor_http`, uncounted and out of reach of planned faults.
pub(crate) fn app(
    http: impl HttpClient + Clone + 'static,
    processor_http: impl HttpClient + 'static,
    vault: Arc<dyn Vault>,
    queue: &LocalQueue,
) -> App {
    let store = Store::new(client_over(Counted(http)), PREFIX);
    let processor_store = Store::new(client_over(processor_http), PREFIX);
    let adapters = Adapters {
        queue: Arc::new(queue.clone()),
        vault,
        sandbox_processor: Arc::new(SandboxProcessor::new(processor_store, Arc::new(wall_now))),
    };
    App::new(store, adapters)
}
