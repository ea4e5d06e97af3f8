//! Member cards at a door.

use crate::fault::SagaFault;
use adapters::App;
use domain::admission::{
    Actor, CardChoice, CardFacts, CardShown, ForcedVisit, ScannedCode, ToldVisit, UploadOutcome, Visit,
    VisitVerdict, choose_card, decide_visit, told_visit,
};
use domain::membership::{MemberCard, Membership};
use domain::order::ScanType;
use domain::tenant::{CardReentry, Tenant};
use domain::{AdmissionId, CardId, Timestamp};
use store::admission::{NewVisit, UnnotedVisit};

/// What is asked of a card.
#[derive(Debug, Clone)]
pub struct CardScan<'a> {
    /// The code that was read: a barcode, or a number of a membership.
    pub code: &'a ScannedCode,
    /// The card that is meant, where the device asked.
    pub card: Option<CardId>,
    /// In or out: who leaves visits no more often.
    pub kind: ScanType,
    /// Why staff insist, if they do.
    pub force: Option<&'a str>,
    /// The identity of the scan.
    pub id: AdmissionId,
    /// Who scans.
    pub actor: &'a Actor,
    /// The moment.
    pub now: Timestamp,
}

/// What came of a code that may be that of a card.
#[derive(Debug)]
pub enum ScannedCard {
    /// It is none.
    None,
    /// It is one of these.
    Several(Vec<MemberCard>),
    /// It is this one.
    One {
        /// Its membership.
        membership: Box<Membership>,
        /// The card.
        card: Box<MemberCard>,
        /// What was decided.
        decided: VisitVerdict,
        /// Visits of the card today, this one included.
        visits_today: u32,
    },
}

/// What a card would be answered now; nothing is written.
///
/// # Errors
/// [`SagaFault`] when the database does not answer.
pub async fn look_at_card(app: &App, tenant: &Tenant, scan: &CardScan<'_>) -> Result<ScannedCard, SagaFault> {
    let memberships = app.store.load_memberships_named(tenant.id, scan.code.expose()).await?;
    let facts = match choose_card(&memberships, scan.code, scan.card) {
        CardChoice::None => return Ok(ScannedCard::None),
        CardChoice::Several(found) => return Ok(several(&found)),
        CardChoice::One(facts) => facts,
    };
    let date = tenant.zone.date(scan.now);
    let visit = app.store.load_visit(tenant.id, date, facts.card.id).await?;
    let earlier = visit.as_ref().filter(|_| scan.kind == ScanType::Entry);
    let decided = decide_visit(facts, earlier, scan.shown(tenant));
    Ok(one(facts, decided, visit.map_or(0, |visit| visit.visits)))
}

/// Lets a member in by a card, and counts the visit; on the way out nothing is counted. A visit that staff insisted on
/// says so.
///
/// # Errors
/// [`SagaFault`] when it is not known whether it is counted.
pub async fn scan_card(app: &App, tenant: &Tenant, scan: &CardScan<'_>) -> Result<ScannedCard, SagaFault> {
    match scan.kind {
        ScanType::Entry => {}
        ScanType::Exit => return look_at_card(app, tenant, scan).await,
    }
    let memberships = app.store.load_memberships_named(tenant.id, scan.code.expose()).await?;
    let facts = match choose_card(&memberships, scan.code, scan.card) {
        CardChoice::None => return Ok(ScannedCard::None),
        CardChoice::Several(found) => return Ok(several(&found)),
        CardChoice::One(facts) => facts,
    };
    let shown = scan.shown(tenant);
    let alone = decide_visit(facts, None, shown);
    if !alone.verdict.is_admitted() {
        return Ok(one(facts, alone, 0));
    }
    let new = NewVisit {
        date: tenant.zone.date(scan.now),
        card: facts.card.id,
        id: &scan.id,
        at: scan.now,
        terminal: scan.actor.terminal.as_deref(),
        only_first: shown.reentry == CardReentry::Never,
        offline: false,
        forced: None,
    };
    let mut visit = of_day(app.store.note_visit(tenant.id, &new).await?);
    if let Some(reason) = scan.force.filter(|_| visit.last != scan.id) {
        // Only now there is something that they insist against.
        let (actor, reason) = (scan.actor.clone(), reason.to_owned());
        let forced = ForcedVisit { id: scan.id.clone(), at: scan.now, actor, reason };
        let new = NewVisit { only_first: false, forced: Some(&forced), ..new };
        visit = of_day(app.store.note_visit(tenant.id, &new).await?);
    }
    let visits_today = visit.visits;
    // One that was counted finds those before it; one that was not, all of them.
    let is_counted = visit.last == scan.id;
    let before = if is_counted { visits_today.saturating_sub(1) } else { visits_today };
    let earlier = Visit { visits: before, ..visit };
    Ok(one(facts, decide_visit(facts, Some(&earlier), shown), visits_today))
}

/// The visits of a day, whether or not one more was noted.
fn of_day(noted: Result<Visit, UnnotedVisit>) -> Visit {
    noted.unwrap_or_else(|unnoted| unnoted.of_day)
}

/// A scan of a card that a device made while it was offline.
#[derive(Debug, Clone)]
pub struct CardUpload<'a> {
    /// The code that was read.
    pub code: &'a ScannedCode,
    /// What the device tells of it.
    pub told: ToldVisit,
    /// The identity of the scan, which follows from the device's own.
    pub id: AdmissionId,
    /// The device.
    pub terminal: Option<&'a str>,
}

/// Counts a visit that a device tells of on its day, whatever the rules say; none where the code is that of no card.
///
/// # Errors
/// [`SagaFault`] when it is not known whether it is counted; the same again counts it once.
pub async fn upload_visit(
    app: &App,
    tenant: &Tenant,
    upload: &CardUpload<'_>,
) -> Result<Option<UploadOutcome>, SagaFault> {
    let CardUpload { code, told, id, terminal } = upload;
    let memberships = app.store.load_memberships_named(tenant.id, code.expose()).await?;
    let facts = match choose_card(&memberships, code, None) {
        CardChoice::None => return Ok(None),
        // Nobody asked which of them it was.
        CardChoice::Several(_) => return Ok(Some(UploadOutcome::NotValid)),
        CardChoice::One(facts) => facts,
    };
    if let Err(outcome) = told_visit(facts, *told) {
        return Ok(Some(outcome));
    }
    let new = NewVisit {
        date: tenant.zone.date(told.at),
        card: facts.card.id,
        id,
        at: told.at,
        terminal: *terminal,
        only_first: false,
        offline: true,
        forced: None,
    };
    Ok(Some(match app.store.note_visit(tenant.id, &new).await? {
        Err(unnoted) if unnoted.is_known => UploadOutcome::Duplicate,
        Err(_) => UploadOutcome::NotValid,
        Ok(visit) if visit.visits > 1 && tenant.door.card_reentry == CardReentry::Never => {
            UploadOutcome::Conflict
        }
        Ok(_) => UploadOutcome::Recorded,
    }))
}

impl CardScan<'_> {
    fn shown(&self, tenant: &Tenant) -> CardShown {
        CardShown { reentry: tenant.door.card_reentry, insists: self.force.is_some(), now: self.now }
    }
}

fn several(found: &[CardFacts<'_>]) -> ScannedCard {
    ScannedCard::Several(found.iter().map(|facts| facts.card.clone()).collect())
}

fn one(facts: CardFacts<'_>, decided: VisitVerdict, visits_today: u32) -> ScannedCard {
    ScannedCard::One {
        membership: Box::new(facts.membership.clone()),
        card: Box::new(facts.card.clone()),
        decided,
        visits_today,
    }
}
