//! Tables that are written once by all tests of a process, and copied for each.

use crate::PREFIX;
use engine::{Embedded, Original};
use std::sync::Arc;
use store::Store;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::OnceCell;

/// The tables that many tests begin with, and whatever belongs to them, such as the vault that sealed their secrets. It
/// is meant for a `static`: the first test that asks has them written, and every test has a copy of its own.
#[derive(Debug)]
pub struct TableImage<T = ()>(OnceCell<(Original, Arc<T>)>);

impl<T> TableImage<T> {
    /// An image that no test has asked for.
    #[must_use]
    pub const fn new() -> Self {
        Self(OnceCell::const_new())
    }

    /// A copy, and what belongs to it. `write` puts into the empty tables what all copies begin with.
    pub async fn copy<F>(&self, write: impl FnOnce(Embedded) -> F) -> (Embedded, Arc<T>)
    where
        F: Future<Output = T>,
    {
        let first = async {
            let original = Original::memory().unwrap();
            let engine = original.engine().clone();
            Store::new(engine.client(), PREFIX).create_tables().await.unwrap();
            let other = write(engine).await;
            (original, Arc::new(other))
        };
        // In a box: in an unoptimised build, whoever waits for it would carry it on the stack.
        let (original, other) = self.0.get_or_init(|| Box::pin(first)).await;
        (on_the_tests_thread(original.copy().unwrap()), Arc::clone(other))
    }
}

impl<T> Default for TableImage<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Empty tables.
pub async fn tables() -> Embedded {
    static EMPTY: TableImage = TableImage::new();
    let (engine, _nothing) = EMPTY.copy(|_engine| std::future::ready(())).await;
    engine
}

/// A test with a single thread has its database on that: a second thread would only wait for the first, and would take
/// its turns as it pleases.
fn on_the_tests_thread(engine: Embedded) -> Embedded {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        engine.on_this_thread()
    } else {
        engine
    }
}
