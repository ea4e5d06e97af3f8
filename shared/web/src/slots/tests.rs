use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Barrier;
use tokio::time::timeout;

/// The first question waits for the last of the others, and there are more of them than may be under way.
#[tokio::test(start_paused = true)]
async fn a_slow_answer_keeps_no_other_question_waiting() {
    let others = PARALLEL_QUESTIONS * 3;
    let answered = Arc::new(AtomicUsize::new(0));
    let last = Arc::new(Barrier::new(2));
    let mut questions: Vec<Question<'_, usize>> = Vec::new();
    for place in 0..=others {
        let (answered, last) = (Arc::clone(&answered), Arc::clone(&last));
        questions.push(Box::pin(async move {
            if place == 0 || answered.fetch_add(1, Ordering::Relaxed) + 1 == others {
                last.wait().await;
            }
            Ok(place)
        }));
    }
    // The clock is paused: it jumps to the end once every question waits.
    let found = timeout(Duration::from_secs(1), side_by_side(questions, |_| 0)).await.unwrap().unwrap();
    assert_eq!(found, (0..=others).collect::<Vec<_>>());
}

#[tokio::test]
async fn more_slots_than_an_answer_holds_end_it() {
    let of = |slots: usize| -> Question<'static, usize> { Box::pin(async move { Ok(slots) }) };
    let ask = |slots: &[usize]| side_by_side(slots.iter().copied().map(of).collect(), |slots| *slots);
    assert!(ask(&[MAX_SLOTS - 1, 1]).await.is_ok());
    assert_eq!(ask(&[MAX_SLOTS, 1]).await.unwrap_err().kind(), ErrorType::ResponseTooLarge);
}
