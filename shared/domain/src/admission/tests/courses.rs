//! A model in small: everything that can happen to one ticket, in every order.

use super::*;
use crate::order::refund::tests::given_back;

/// What happens to a ticket that admits once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Enter,
    Leave,
    TakeBack,
    /// It is blocked, or that is taken back.
    Block,
    /// A device that was offline, and whose clock is two hours slow, tells of an entry.
    Upload,
    /// It tells of that once more.
    UploadAgain,
    Refund,
}

impl Step {
    const ALL: [Self; 7] = [
        Self::Enter,
        Self::Leave,
        Self::TakeBack,
        Self::Block,
        Self::Upload,
        Self::UploadAgain,
        Self::Refund,
    ];
}

/// Steps of a whole course.
const STEPS: usize = 5;

#[derive(Clone)]
struct Course {
    door: Door,
    steps: Vec<Step>,
    uploaded: Option<UploadedScan>,
}

impl Course {
    fn go(&mut self, step: Step) {
        self.steps.push(step);
        let number = u8::try_from(self.steps.len()).unwrap();
        let now = plus_secs(at(MORNING), i64::from(number) * 60);
        match step {
            Step::Enter => {
                let was_blocked = self.door.states()[0].is_blocked();
                let verdict = self.door.scan(&request(number, ScanType::Entry, now), 0);
                assert!(!(was_blocked && verdict.is_admitted()), "let in while blocked: {:?}", self.steps);
            }
            Step::Leave => {
                self.door.scan(&request(number, ScanType::Exit, now), 0);
            }
            Step::TakeBack => {
                let _ = self.door.undo(0, UndoRight::Any, now);
            }
            Step::Block => {
                let reason = if self.door.states()[0].is_blocked() { None } else { Some("lost") };
                self.door.block(&[0], reason, now);
            }
            Step::Upload => {
                let told = UploadedScan {
                    id: AdmissionId::from_bytes([100 + number; 16]),
                    ticket: self.door.tickets()[0].id.clone(),
                    event: None,
                    kind: ScanType::Entry,
                    at: plus_secs(now, -7_200),
                    decision: DeviceDecision::Admitted,
                    note: None,
                };
                self.upload(&told, now);
                self.uploaded = Some(told);
            }
            Step::UploadAgain => {
                let Some(told) = self.uploaded.clone() else { return };
                let before = self.door.states();
                let outcome = self.upload(&told, now);
                assert_eq!(
                    (outcome, self.door.states()),
                    (UploadOutcome::Duplicate, before),
                    "{:?}",
                    self.steps
                );
            }
            Step::Refund => {
                let ticket = self.door.tickets().remove(0);
                if let Some(order) = given_back(&self.door.order, &ticket) {
                    self.door.order = order;
                }
            }
        }
    }

    fn upload(&mut self, told: &UploadedScan, now: Timestamp) -> UploadOutcome {
        let (known, told) = (self.door.scans.clone(), std::slice::from_ref(told));
        let decided = self.door.asked(|facts| decide_upload(facts, &known, told, &Actor::default(), now));
        let outcome = decided.outcomes[0];
        self.door.take(decided.change);
        outcome
    }

    fn check(&self) {
        let steps = &self.steps;
        let entries = self.door.scans.iter().filter(|scan| scan.kind == ScanKind::Entry);
        let counting: Vec<&ScannedTicket> =
            entries.flat_map(|scan| &scan.tickets).filter(|scanned| scanned.counts()).collect();
        let done = counting.iter().filter(|scanned| scanned.result == ScanResult::Done).count();
        assert!(done <= 1, "let in {done} times: {steps:?}");
        let noted = self.door.states()[0];
        assert_eq!(usize::try_from(noted.entries).unwrap(), counting.len(), "{steps:?}");
        let status = self.door.tickets()[0].status;
        assert!(status.admits() || !noted.is_admitted(), "let in and given back: {steps:?}");
        assert!(self.door.is_explained(), "{steps:?}");
    }

    /// Goes on in every way, and says how many courses that were.
    fn go_on(&self) -> usize {
        if self.steps.len() == STEPS {
            return 1;
        }
        let ways = Step::ALL.into_iter().map(|step| {
            let mut next = self.clone();
            next.go(step);
            next.check();
            next.go_on()
        });
        ways.sum()
    }
}

#[test]
fn in_every_course_a_ticket_lets_in_once_and_is_not_given_back_after_that() {
    let beginning = Course { door: Door::of(&reentry("never")), steps: Vec::new(), uploaded: None };
    assert_eq!(beginning.go_on(), Step::ALL.len().pow(u32::try_from(STEPS).unwrap()));
}
