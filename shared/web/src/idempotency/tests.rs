use super::*;
use crate::context::RequestContext;
use adapters::Adapters;
use adapters::clock::RequestClock;
use adapters::processor::SandboxProcessor;
use adapters::queue::LocalQueue;
use adapters::vault::LocalVault;
use domain::tenant::{DEFAULT_CHALLENGE_SECS, DEFAULT_HOLD_SECS, ProcessorKind, Tenant};
use domain::time::plus_secs;
use domain::{Currency, TenantId, Zone};
use engine::{Embedded, Fault, FaultPlan, Faulty};
use std::sync::Arc;
use store::Store;

fn t0() -> Timestamp {
    "2027-06-01T14:00:00Z".parse().unwrap()
}

async fn service() -> (App, FaultPlan) {
    let plan = FaultPlan::new();
    let store = Store::new(Faulty::new(Embedded::memory().unwrap(), plan.clone()).client(), "test-");
    store.create_tables().await.unwrap();
    plan.reset();
    let adapters = Adapters {
        queue: Arc::new(LocalQueue::default()),
        vault: Arc::new(LocalVault::in_memory().unwrap()),
        sandbox_processor: Arc::new(SandboxProcessor::new(store.clone(), Arc::new(t0))),
    };
    (App::new(store, adapters), plan)
}

fn tenant_id() -> TenantId {
    TenantId::parse(204).unwrap()
}

fn caller(secs: i64) -> Caller {
    let tenant = Tenant {
        id: tenant_id(),
        name: "Harbor Museum".to_owned(),
        zone: Zone::parse("America/New_York").unwrap(),
        currency: Currency::default(),
        sandbox: true,
        hold_secs: DEFAULT_HOLD_SECS,
        allowed_origins: Default::default(),
        descriptor_prefix: String::new(),
        processor: ProcessorKind::Sandbox,
        mail_from: None,
        consumer_site: None,
        staff_site: None,
        branding: Default::default(),
        receipt_numbers: false,
        settings_version: 0,
        limits: Default::default(),
        member_claims: Default::default(),
        door: Default::default(),
        raw_cards: true,
        challenge_secs: DEFAULT_CHALLENGE_SECS,
        sealed_hash_key: String::new(),
        closed_at: None,
    };
    Caller {
        scope: domain::tenant::Scope::B2c,
        operator: None,
        proofs: None,
        tenant: Arc::new(tenant),
        mid: None,
        key_label: String::new(),
        key_hash: String::new(),
        clock: RequestClock::chosen(plus_secs(t0(), secs)),
        ip: None,
        context: RequestContext::new("request".to_owned()),
    }
}

/// How a request with the key ends that is made so many seconds after [`t0`]: answered for the first time,
/// answered again, or refused.
async fn ask(app: &App, secs: i64, outcome: Result<u32, ErrorType>) -> Result<&'static str, ErrorType> {
    let key = IdempotencyKey(Some("key".to_owned()));
    let run = async { outcome.map_err(ApiError::new) };
    let answer = once(app, &caller(secs), &key, "fingerprint", run).await;
    let answer = answer.map_err(|refusal| refusal.kind())?;
    Ok(if answer.headers().contains_key(REPLAYED) { "replayed" } else { "first" })
}

const OPEN: [ErrorType; 4] =
    [ErrorType::TryAgain, ErrorType::Internal, ErrorType::RequestInProgress, ErrorType::RefundPending];

#[tokio::test]
async fn a_request_whose_effect_is_unknown_keeps_its_key_until_it_is_taken_for_dead() {
    for unknown in OPEN {
        let (app, _) = service().await;
        assert_eq!(ask(&app, 0, Err(unknown)).await, Err(unknown));
        assert_eq!(ask(&app, CLAIM_SECS - 1, Ok(1)).await, Err(ErrorType::RequestInProgress));
        assert_eq!(ask(&app, CLAIM_SECS, Ok(1)).await, Ok("first"));
        assert_eq!(ask(&app, CLAIM_SECS, Ok(1)).await, Ok("replayed"));
    }
}

/// How a repetition ends, under a key whose first request did not answer, by what it finds of that.
#[tokio::test]
async fn a_repetition_is_told_what_the_first_request_made_and_waits_only_for_nothing() {
    type Found = Result<Option<u32>, ErrorType>;
    let pending: Found = Err(ErrorType::RefundPending);
    for (secs, found, expected) in [
        (0, Ok(None), Err(ErrorType::RequestInProgress)),
        (0, pending, Err(ErrorType::RefundPending)),
        (CLAIM_SECS, pending, Err(ErrorType::RefundPending)),
        (0, Ok(Some(1)), Ok((StatusCode::OK, true))),
        (0, Err(ErrorType::RefundRefused), Ok((StatusCode::PAYMENT_REQUIRED, true))),
        (CLAIM_SECS, Ok(None), Ok((StatusCode::OK, false))),
    ] {
        let (app, _) = service().await;
        assert_eq!(ask(&app, 0, Err(ErrorType::TryAgain)).await, Err(ErrorType::TryAgain));
        let key = IdempotencyKey(Some("key".to_owned()));
        let again = async |found: Found| {
            let resume = async { found.map_err(ApiError::new) };
            let run = async { Ok(2) };
            let answer = once_or_resume(&app, &caller(secs), &key, "fingerprint", resume, run).await;
            let answer = answer.map_err(|refusal| refusal.kind());
            answer.map(|answer| (answer.status(), answer.headers().contains_key(REPLAYED)))
        };
        assert_eq!(again(found).await, expected, "{secs} {found:?}");
        // What was answered is kept, and found without another look.
        if let Ok((status, _)) = expected {
            assert_eq!(again(Err(ErrorType::Internal)).await, Ok((status, true)), "{secs} {found:?}");
        }
    }
}

#[tokio::test]
async fn a_refusal_gives_the_key_free_at_once() {
    let (app, _) = service().await;
    assert_eq!(ask(&app, 0, Err(ErrorType::NotFound)).await, Err(ErrorType::NotFound));
    assert_eq!(ask(&app, 0, Ok(1)).await, Ok("first"));
}

#[tokio::test]
async fn what_one_scope_was_answered_is_not_for_another() {
    let (app, _) = service().await;
    assert_eq!(ask(&app, 0, Ok(1)).await, Ok("first"));
    let key = IdempotencyKey(Some("key".to_owned()));
    for scope in Scope::ALL.into_iter().filter(|scope| *scope != Scope::B2c) {
        let other = Caller { scope, ..caller(0) };
        let refused = once(&app, &other, &key, "fingerprint", async { Ok(2) }).await;
        assert_eq!(refused.unwrap_err().kind(), ErrorType::IdempotencyKeyReused, "{scope:?}");
        let refused = tie(&app, &other, &key, "fingerprint").await;
        assert_eq!(refused.unwrap_err().kind(), ErrorType::IdempotencyKeyReused, "{scope:?}");
    }
    assert_eq!(ask(&app, 0, Ok(1)).await, Ok("replayed"));
}

#[tokio::test]
async fn so_does_whatever_says_that_it_did_nothing() {
    for kind in OPEN {
        let (app, _) = service().await;
        let key = IdempotencyKey(Some("key".to_owned()));
        let run = async { Err::<u32, _>(ApiError::new(kind).without_effect()) };
        let refused = once(&app, &caller(0), &key, "fingerprint", run).await;
        assert_eq!(refused.unwrap_err().kind(), kind);
        assert_eq!(ask(&app, 0, Ok(1)).await, Ok("first"), "{kind:?}");
    }
}

#[tokio::test]
async fn a_refusal_by_the_processor_is_kept_for_a_day_with_what_it_says() {
    let (app, _) = service().await;
    let key = IdempotencyKey(Some("key".to_owned()));
    let refuse = async || {
        let refusal = ApiError::new(ErrorType::RefundRefused).fact("processorErrorCode", "no_balance");
        once(&app, &caller(0), &key, "fingerprint", async { Err::<u32, _>(refusal) }).await
    };
    assert_eq!(refuse().await.unwrap_err().kind(), ErrorType::RefundRefused);
    let again = refuse().await.unwrap();
    assert_eq!(
        (again.status(), again.headers().contains_key(REPLAYED)),
        (StatusCode::PAYMENT_REQUIRED, true)
    );
    let kept = again.extensions().get::<ApiError>().unwrap().body("another request");
    let expected = serde_json::json!({
        "message": "The refund was refused", "errorCode": 20063, "type": "REFUND_REFUSED",
        "requestId": "another request", "processorErrorCode": "no_balance",
    });
    assert_eq!(kept, expected);
    let other = once(&app, &caller(0), &key, "another", async { Ok(1) }).await;
    assert_eq!(other.unwrap_err().kind(), ErrorType::IdempotencyKeyReused);
    assert_eq!(ask(&app, 86_400, Ok(1)).await, Ok("first"));
}

#[tokio::test]
async fn a_refusal_stays_what_it_is_when_it_cannot_be_kept() {
    let (app, plan) = service().await;
    plan.at_operation("UpdateItem", 0, Fault::AnswerLost);
    assert_eq!(ask(&app, 0, Err(ErrorType::RefundRefused)).await, Err(ErrorType::RefundRefused));
    assert_eq!(plan.injected().len(), 1);
}

#[tokio::test]
async fn a_refusal_stays_what_it_is_when_the_key_cannot_be_given_free() {
    let (app, plan) = service().await;
    plan.at_operation("DeleteItem", 0, Fault::AnswerLost);
    assert_eq!(ask(&app, 0, Err(ErrorType::NotFound)).await, Err(ErrorType::NotFound));
    assert_eq!(plan.injected().len(), 1);
}

fn kept(text: &str) -> KeptAnswer<'_> {
    KeptAnswer { text, revision: None, refusal: None }
}

fn record(secs: i64, nonce: &str) -> IdempotencyRecord {
    IdempotencyRecord {
        fingerprint: "fingerprint".to_owned(),
        claimed_at: plus_secs(t0(), secs).timestamp(),
        nonce: nonce.to_owned(),
        answer: None,
        revision: None,
        refusal: None,
        order: None,
        refund: None,
    }
}

#[tokio::test]
async fn a_claim_that_is_sent_again_after_its_answer_was_lost_is_still_its_own() {
    let (app, _) = service().await;
    let key = Key::idempotency(tenant_id(), "hash");
    let own = record(0, "a");
    for _ in 0..2 {
        assert_eq!(app.store.claim_idempotency_key(&key, &own, None, t0()).await.unwrap(), Ok(()));
    }
    let other = record(0, "b");
    assert_eq!(app.store.claim_idempotency_key(&key, &other, None, t0()).await.unwrap(), Err(own.clone()));
    app.store.keep_answer(&key, &own, kept("1")).await.unwrap();
    let again = app.store.claim_idempotency_key(&key, &own, None, t0()).await.unwrap();
    assert_eq!(again.unwrap_err().answer.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_request_taken_for_dead_neither_answers_nor_frees_the_key_of_its_successor() {
    for later in [0, CLAIM_SECS] {
        let (app, _) = service().await;
        let key = Key::idempotency(tenant_id(), "hash");
        let (dead, successor) = (record(0, "a"), record(later, "b"));
        app.store.claim_idempotency_key(&key, &dead, None, t0()).await.unwrap().unwrap();
        let taken = app.store.claim_idempotency_key(&key, &successor, Some(&dead), t0()).await.unwrap();
        assert_eq!(taken, Ok(()));
        app.store.release_idempotency_key(&key, &dead).await.unwrap();
        app.store.keep_answer(&key, &dead, kept("1")).await.unwrap();
        assert_eq!(app.store.load_idempotency(tenant_id(), "hash").await.unwrap(), Some(successor.clone()));
        app.store.keep_answer(&key, &successor, kept("2")).await.unwrap();
        app.store.release_idempotency_key(&key, &successor).await.unwrap();
        let kept = app.store.load_idempotency(tenant_id(), "hash").await.unwrap().unwrap();
        assert_eq!(kept.answer.as_deref(), Some("2"));
    }
}
