//! One process of the service.

use crate::answer::Answer;
use crate::ask::{Ask, post};
use crate::service::ServedRoutes;
use crate::tables::Tables;
use adapters::App;
use axum::Router;
use engine::FaultPlan;
use serde_json::Value;
use store::Store;

/// A process that serves a venue, and requests to it.
#[derive(Clone)]
pub struct Venue {
    /// What outlives the process.
    pub tables: Tables,
    /// The database as no fault touches it.
    pub store: Store,
    /// What the calls of the process meet at the database; nothing unless planned.
    pub faults: FaultPlan,
    /// What the handlers are given.
    pub app: App,
    routes: Router<App>,
    service: ServedRoutes,
}

impl Venue {
    /// A process that serves these routes, usually to the holder of this key.
    #[must_use]
    pub fn new(tables: &Tables, routes: Router<App>, key: &str) -> Self {
        let faults = FaultPlan::new();
        let app = App::new(tables.store_under(&faults), tables.adapters());
        let service = ServedRoutes::new(routes.clone(), &app, key);
        let (tables, store) = (tables.clone(), tables.store.clone());
        Self { tables, store, faults, app, routes, service }
    }

    /// The same where requests usually choose this clock.
    #[must_use]
    pub fn at(self, now: &str) -> Self {
        Self { service: self.service.at(now), ..self }
    }

    /// The same where the handlers are given something else.
    #[must_use]
    pub fn with_app(self, app: App) -> Self {
        Self { service: self.service.again(self.routes.clone(), &app), app, ..self }
    }

    /// Sends a request and waits for the answer, which has to be as it is described.
    pub async fn send(&self, ask: Ask) -> Answer {
        self.service.send(ask).await
    }

    /// Sends a request and counts its database calls as the faults see them.
    pub async fn counted(&self, ask: Ask) -> (Answer, usize) {
        let before = self.faults.calls().len();
        let answer = self.send(ask).await;
        (answer, self.faults.calls().len() - before)
    }
}

/// Creates a record and says its id.
pub async fn made(venue: &Venue, path: &str, body: Value) -> String {
    venue.send(post(path, body)).await.id()
}
