//! Proving that all that is stored of sales agrees.

use super::{known_tenant, print, tenant_id};
use crate::database::{DatabaseArgs, open_existing};
use crate::failure::Failure;
use adapters::clock::wall_now;
use clap::Args;
use domain::TenantId;
use domain::reconciliation::Checked;
use sagas::reconcile::{ReconciliationReport, ReconciliationRequest, reconcile};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Something does not agree.
const DIFFERS: u8 = 1;
/// It could not be found out.
const UNKNOWN: u8 = 2;

/// What to prove.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Check this tenant only
    #[arg(long, value_parser = tenant_id)]
    tenant: Option<TenantId>,
    /// Milliseconds to wait before each page of 1,000 records, which leaves a busy table to others
    #[arg(long, value_name = "MILLIS", default_value_t = 0)]
    pause: u64,
}

/// Proves it and prints what differs; the exit code says whether something does.
pub(crate) async fn run(args: &DatabaseArgs, wanted: &VerifyArgs) -> ExitCode {
    match verify(args, wanted).await {
        Ok(report) if !report.is_clean() => ExitCode::from(DIFFERS),
        Ok(report) if !report.unsettled.is_empty() => ExitCode::from(UNKNOWN),
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("boxoffice: {failure}");
            ExitCode::from(UNKNOWN)
        }
    }
}

async fn verify(
    args: &DatabaseArgs,
    VerifyArgs { tenant, pause }: &VerifyArgs,
) -> Result<ReconciliationReport, Failure> {
    let store = open_existing(args).await?.store;
    if let Some(tenant) = tenant {
        known_tenant(&store, *tenant).await?;
    }
    let pause = Duration::from_millis(*pause);
    let wanted = ReconciliationRequest { tenant: *tenant, now: wall_now(), chosen_now: None, pause };
    let begun = Instant::now();
    let report = reconcile(&store, &wanted).await?;
    print(&described(&report, begun.elapsed()))?;
    Ok(report)
}

/// A line for each finding, and what was looked at.
fn described(report: &ReconciliationReport, elapsed: Duration) -> String {
    let ReconciliationReport { findings, unsettled, checked, left_out } = report;
    let mut lines: Vec<String> =
        findings.iter().map(|(tenant, finding)| format!("tenant {tenant}: {finding}")).collect();
    lines.sort();
    let changing = unsettled.iter().map(|(tenant, count)| {
        format!("tenant {tenant}: {count}: kept changing and could not be checked; try again later")
    });
    lines.extend(changing);
    if *left_out > 0 {
        let records = if *left_out == 1 { "record seems" } else { "records seem" };
        lines.push(format!("{left_out} more {records} to differ; not checked again"));
    }
    let found = if findings.len() == 1 { "finding" } else { "findings" };
    lines.push(format!("{} {found} among {}", findings.len(), records(checked)));
    let seconds = elapsed.as_secs_f64();
    let rate = per_second(checked.orders, elapsed);
    lines.push(format!("{seconds:.2} s, {rate:.0} orders/s"));
    lines.join("\n")
}

fn records(checked: &Checked) -> String {
    let Checked {
        orders,
        tickets,
        mails,
        sales,
        refunds,
        payments,
        ledgers,
        counters,
        customers,
        memberships,
        idle_lookups,
        disputes,
        failed_refunds,
    } = checked;
    format!(
        "{orders} orders, {tickets} tickets, {mails} mails, {sales} sales, {refunds} refunds, {payments} payments, {ledgers} ledgers, \
         {counters} counters, {customers} customers, {memberships} memberships, {idle_lookups} lookups of orders that are not paid, \
         {disputes} disputes, {failed_refunds} failed refunds"
    )
}

/// So many in so long.
pub(crate) fn per_second(records: u64, elapsed: Duration) -> f64 {
    let micros = elapsed.as_micros().max(1);
    let rate = u128::from(records).saturating_mul(1_000_000) / micros;
    u32::try_from(rate).map_or(f64::INFINITY, f64::from)
}
