//! A case that is ready to be measured: its host, its venue and its requests.

use super::BenchError;
use super::cases::Case;
use super::catalog::{self, Size};
use super::figures::Effort;
use super::host::Host;
use super::load::{Load, sell_barcodes};
use super::measured::Measured;
use super::meter::Meter;
use super::seed::{self, SLOT_SECS, Stocked};
use chrono::SecondsFormat;
use domain::Timestamp;
use domain::time::plus_secs;

/// Days on which the templates of a large catalog have a slot: some more than calendars are asked for.
const DAYS: u32 = 70;

/// Tickets that are sold for each millisecond of scanning. A machine that scans more is done sooner.
const TICKETS_A_MILLISECOND: usize = 2;

/// Everything a case needs.
pub(super) struct Stage {
    pub(super) host: Host,
    pub(super) load: Load,
}

impl Stage {
    pub(super) async fn open(measured: Measured, effort: Effort) -> Result<Self, BenchError> {
        Self::on(Host::open(measured.family.storage).await?, measured, effort).await
    }

    /// The same with all work done on the caller's thread, and told to a meter.
    pub(super) async fn open_metered(
        measured: Measured,
        effort: Effort,
        meter: &Meter,
    ) -> Result<Self, BenchError> {
        Self::on(Host::open_metered(measured.family.storage, meter).await?, measured, effort).await
    }

    async fn on(host: Host, measured: Measured, effort: Effort) -> Result<Self, BenchError> {
        let shop = seed::furnish(&host).await?;
        let Measured { family, units } = measured;
        if family.case.is_of_a_catalog() {
            let size = Size { templates: units, days: DAYS };
            let load = Load::of(family.case, &catalog::stock(shop, size).await?);
            return Ok(Self { host, load });
        }
        let Stocked { venue, slots, start } = seed::stock(shop, 0).await?;
        let tickets = if family.case == Case::Admission { scans(effort)? } else { 0 };
        let load = Load {
            units,
            slots: slots.into(),
            range: first_slots(start, units),
            barcodes: sell_barcodes(&venue, tickets).await?.into(),
            ..Load::of(family.case, &venue)
        };
        Ok(Self { host, load })
    }
}

/// As many scans as there can be.
fn scans(effort: Effort) -> Result<usize, BenchError> {
    let Effort { limit, concurrency, warm_up } = effort;
    let within = usize::try_from(limit.as_millis())?.saturating_mul(TICKETS_A_MILLISECOND);
    // Each worker takes a number before its first request, and some before the measurement.
    let besides = concurrency.saturating_mul(2).saturating_add(usize::try_from(warm_up)?);
    Ok(within.saturating_add(besides).saturating_add(2))
}

/// A range that the first slots of the venue overlap and the others do not.
fn first_slots(start: Timestamp, count: u32) -> String {
    let last = i64::from(count).saturating_sub(1).saturating_mul(SLOT_SECS);
    let end = plus_secs(start, last.saturating_add(1)).to_rfc3339_opts(SecondsFormat::Secs, true);
    format!("startTime=2020-01-01T00:00:00Z&endTime={end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::wire::Client;
    use serde_json::Value;
    use std::time::Duration;

    /// What the first request of a case is answered.
    async fn answer(name: &str) -> Value {
        let effort = Effort { limit: Duration::ZERO, concurrency: 1, warm_up: 0 };
        let stage = Stage::open(Measured::named(name).unwrap(), effort).await.unwrap();
        let client = Client::InProcess(stage.load.venue.service.clone());
        let own = stage.load.prepare(&client, 0).await.unwrap();
        client.send(stage.load.request(own.as_deref(), 1).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn a_case_asks_for_as_many_as_its_name_says() {
        assert_eq!(answer("template times").await.as_array().unwrap().len(), 1);
        assert_eq!(answer("template times of 11 slots").await.as_array().unwrap().len(), 11);
        let order = answer("checkout of 12 lines").await;
        assert_eq!(order["orderItems"].as_array().unwrap().len(), 12, "{order}");
        let shown = answer("will-call of 11 tickets").await;
        assert_eq!(shown["eventItems"][0]["items"][0]["tickets"].as_array().unwrap().len(), 11, "{shown}");
    }
}
