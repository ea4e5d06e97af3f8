//! The log of the whole process, for tests of what does not stand in it.

use serde_json::Value;
use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, Once, OnceLock};
use tracing_subscriber::filter::{Targets, dynamic_filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;

/// How much is logged: all, but for the SDK, which the service keeps quiet the same way. At its lowest levels it prints
/// requests.
const QUIET: &str = "trace,aws_smithy_runtime=warn,aws_sdk_dynamodb=warn,aws_runtime=warn";

/// All that was logged since it was begun. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Begins the log of the whole process, so that what other tests log meanwhile is looked through as well.
    ///
    /// # Panics
    /// When it was begun before.
    #[must_use]
    pub fn begin() -> Self {
        let log = Self::default();
        OF_THE_PROCESS.set(log.clone()).unwrap();
        subscribe();
        log
    }

    /// Begins the log of this thread, whatever others log meanwhile. Another one ends it.
    #[must_use]
    pub fn of_this_thread() -> Self {
        let log = Self::default();
        OF_THIS_THREAD.set(Some(log.clone()));
        subscribe();
        log
    }

    /// The fields of all that one module logged.
    ///
    /// # Panics
    /// When a line is no JSON.
    #[must_use]
    pub fn fields_of(&self, module: &str) -> Vec<Value> {
        let text = self.text();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["target"] == module).map(|mut line| line["fields"].take()).collect()
    }

    /// What is in it by now.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

static OF_THE_PROCESS: OnceLock<Log> = OnceLock::new();

thread_local! {
    static OF_THIS_THREAD: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// One subscriber for all threads, and for good: where subscribers come and go, what another thread logs at that moment
/// for the first time may be taken for something that nobody wants.
fn subscribe() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let subscriber = tracing_subscriber::registry()
            .with(tracing_subscriber::fmt::layer().json().with_writer(Logs::wanted))
            .with(QUIET.parse::<Targets>().unwrap())
            .with(dynamic_filter_fn(|_, _| Logs::wanted().any()));
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
}

/// The logs that want what a thread logs.
struct Logs(Option<Log>, Option<Log>);

impl Logs {
    fn wanted() -> Self {
        Self(OF_THE_PROCESS.get().cloned(), OF_THIS_THREAD.with_borrow(Clone::clone))
    }

    fn any(&self) -> bool {
        self.0.is_some() || self.1.is_some()
    }
}

impl io::Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for log in [&self.0, &self.1].into_iter().flatten() {
            log.0.lock().unwrap().extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
