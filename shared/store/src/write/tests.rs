use super::*;
use crate::{AttributeValue, Consistency, encode, text};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use domain::TenantId;
use engine::{Embedded, Fault, FaultPlan, Faulty, Throttling};

/// A store whose calls meet these faults, with the SDK's own retries as they are on AWS.
async fn store(faults: &FaultPlan) -> Store {
    let client = Faulty::new(Embedded::memory().unwrap(), faults.clone()).client();
    let retries = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
    let settings = client.config().to_builder().retry_config(retries).build();
    let store = Store::new(aws_sdk_dynamodb::Client::from_conf(settings), "test-");
    store.create_tables().await.unwrap();
    store
}

fn key() -> Key {
    Key::tenant(TenantId::parse(7).unwrap())
}

fn put(name: &str) -> Action {
    let mut absent = Expression::new();
    absent.require_no_item();
    Action::Put(encode(&key(), &std::collections::BTreeMap::from([("name", name)])).unwrap(), absent)
}

fn reason(code: &str) -> CancellationReason {
    CancellationReason::builder().code(code).build()
}

#[test]
fn the_reasons_of_a_cancelled_transaction_are_told_apart() {
    let told_of = |writes: usize, codes: &[&str]| {
        let reasons = codes.iter().map(|code| reason(code)).collect();
        match verdict(writes, reasons) {
            Verdict::Refused(failed) => {
                format!("refused {:?}", failed.iter().map(|failed| failed.place).collect::<Vec<_>>())
            }
            Verdict::Conflict => "conflict".to_owned(),
            Verdict::Fault(kind) => format!("{kind:?}"),
        }
    };
    let told = |codes: &[&str]| told_of(codes.len(), codes);
    assert_eq!(told(&["None", "ConditionalCheckFailed"]), "refused [1]");
    // A condition that failed would fail again, whatever else happened.
    assert_eq!(told(&["TransactionConflict", "ConditionalCheckFailed", "ThrottlingError"]), "refused [1]");
    assert_eq!(told(&["ConditionalCheckFailed", "None", "ConditionalCheckFailed"]), "refused [0, 2]");
    assert_eq!(told(&["None", "TransactionConflict"]), "conflict");
    assert_eq!(told(&["ThrottlingError", "TransactionConflict"]), "conflict");
    assert_eq!(told(&[]), "conflict");
    // A throttle is never a refusal, a conflict never sold out.
    assert_eq!(told(&["None", "ThrottlingError"]), "TryAgain");
    assert_eq!(told(&["ProvisionedThroughputExceeded", "ValidationError"]), "TryAgain");
    assert_eq!(told(&["None", "ValidationError"]), "Refused");
    assert_eq!(told(&["ItemCollectionSizeLimitExceeded"]), "Refused");
    assert_eq!(told(&["None"]), "TryAgain");
    // A reason that is of no write says nothing.
    assert_eq!(told_of(1, &["None", "ConditionalCheckFailed"]), "TryAgain");
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_not_sent_again() {
    let faults = FaultPlan::new();
    let store = store(&faults).await;
    faults.at_operation("PutItem", 0, Fault::AnswerLost);
    let lost = store.write(&key(), put("first")).await.unwrap_err();
    assert_eq!(lost.kind, StoreFault::TryAgain);
    assert_eq!(faults.calls().iter().filter(|call| *call == "PutItem").count(), 1);
    // It had happened.
    let refused = store.write(&key(), put("second")).await.unwrap().unwrap_err().unwrap();
    assert_eq!(refused["name"], AttributeValue::S("first".to_owned()));
}

#[tokio::test]
async fn a_read_whose_answer_is_lost_is_sent_again() {
    let faults = FaultPlan::new();
    let store = store(&faults).await;
    store.write(&key(), put("first")).await.unwrap().unwrap();
    faults.at_operation("GetItem", 0, Fault::AnswerLost);
    assert!(store.get_item(&key(), Consistency::Strong).await.unwrap().is_some());
    assert_eq!(faults.calls().iter().filter(|call| *call == "GetItem").count(), 2);
}

#[tokio::test]
async fn a_throttled_write_and_one_in_conflict_with_a_transaction_are_sent_again() {
    for fault in [Fault::Throttle(Throttling::Table), Fault::TransactionConflict] {
        let faults = FaultPlan::new();
        let store = store(&faults).await;
        faults.at_operation("PutItem", 0, fault);
        store.write(&key(), put("first")).await.unwrap().unwrap();
        assert_eq!(faults.calls().iter().filter(|call| *call == "PutItem").count(), 2, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_that_stays_in_conflict_is_given_up_and_never_a_refusal() {
    let faults = FaultPlan::new();
    let store = store(&faults).await;
    for call in 0..5 {
        faults.at_operation("PutItem", call, Fault::TransactionConflict);
    }
    assert_eq!(store.write(&key(), put("first")).await.unwrap_err().kind, StoreFault::Conflict);
}

#[tokio::test]
async fn an_item_that_is_too_large_is_refused_before_anything_is_sent() {
    let faults = FaultPlan::new();
    let store = store(&faults).await;
    let before = faults.calls().len();
    let Action::Put(mut item, _) = put("first") else { unreachable!() };
    item.insert("text".to_owned(), text("x".repeat(380_000)));
    let large = Action::Put(item.clone(), Expression::new());
    assert_eq!(store.write(&key(), large.clone()).await.unwrap_err().kind, StoreFault::TooLarge);
    let mut plan = Plan::new();
    plan.add(key(), Action::Delete(Expression::new()), 0).unwrap();
    plan.add(Key::tenant(TenantId::parse(9).unwrap()), large, 1).unwrap();
    assert_eq!(store.commit(&plan, "t").await.unwrap_err().kind, StoreFault::TooLarge);
    assert_eq!(faults.calls().len(), before);
}
