//! Every fault at every step of refunds and exchanges.

use crate::catalog::FREE;
use crate::returns::books::{check_books, orders};
use crate::returns::{exchange, id, item, limited, refund, sold};
use crate::venue::{Charging, Process, Venue, after, renewal, tickets, upgrade};
use crate::writes::Seen;
use engine::{Fault, Throttling};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::cards::REFUSES_REFUNDS;
use testkit::outside::{Mishap, Verb};
use testkit::walk::Walk;
use testkit::{Answer, Ask};

const FAULTS: [Fault; 6] = [
    Fault::CrashBefore,
    Fault::CrashAfter,
    Fault::AnswerLost,
    Fault::Throttle(Throttling::Table),
    Fault::TransactionConflict,
    Fault::Slow(Duration::from_secs(5)),
];

/// What the back office does.
#[derive(Clone, Copy, Debug)]
enum Wish {
    Part,
    Whole,
    Membership,
    Upgrade,
    Refused,
    Free,
    Exchange,
}

impl Wish {
    async fn prepare(self, process: &Process) -> Ask {
        let of = |line: Value| json!({"shoppingCart": {"items": [line]}});
        let fields = match self {
            Self::Part | Self::Whole => limited(),
            Self::Membership => of(renewal()),
            Self::Upgrade => of(upgrade()),
            Self::Refused => json!({"manualEntryCardNumber": REFUSES_REFUNDS}),
            Self::Free => {
                let mut free = tickets(2);
                free["ticketingTypeId"] = FREE.into();
                of(free)
            }
            Self::Exchange => json!({}),
        };
        let order = sold(process, fields).await;
        process.faults.reset();
        let ask = match self {
            Self::Part => refund(id(&order), json!({"items": [{"itemId": item(&order, 0), "quantity": 2}]})),
            Self::Exchange => exchange(id(&order), json!({"itemId": item(&order, 0), "quantity": 1})),
            Self::Whole | Self::Membership | Self::Upgrade | Self::Refused | Self::Free => {
                refund(id(&order), json!({"wholeOrder": true}))
            }
        };
        ask.keyed("the-key")
    }

    fn kind(self) -> &'static str {
        if matches!(self, Self::Refused) { "REFUND_REFUSED" } else { "OK" }
    }

    /// What the order lists in the end.
    fn listed(self) -> (usize, usize) {
        match self {
            Self::Refused => (0, 0),
            Self::Exchange => (0, 1),
            Self::Part | Self::Whole | Self::Membership | Self::Upgrade | Self::Free => (1, 0),
        }
    }
}

async fn check_listed(venue: &Venue, wish: Wish, case: &str) {
    let orders = orders(venue).await;
    let after = &orders[0].0.after_sale;
    assert_eq!((after.refunds.len(), after.exchanges.len()), wish.listed(), "{case}: in the end");
}

async fn run(wish: Wish, strike: impl FnOnce(&Process), case: &str, seen: &mut Seen) {
    let venue = Venue::alike(Charging::Sandbox).await;
    let process = venue.process().await;
    let ask = wish.prepare(&process).await;
    strike(&process);
    let first: Answer = process.send(ask.clone()).await;
    let expected = [wish.kind(), "TRY_AGAIN", "REQUEST_IN_PROGRESS", "REFUND_PENDING"];
    assert!(expected.contains(&first.error()), "{case}: {}", first.text);

    if !seen.insert(format!("{wish:?} {}", venue.left_behind(&first))) {
        return;
    }

    // Whether the process lives or not, another one finds what it left.
    let next = venue.new_process();
    venue.finish_work(&next, 100).await;
    check_books(&venue, case).await;
    let again = next.send(ask.at_instant(after(100))).await;
    assert_eq!(again.error(), wish.kind(), "{case}: {}", again.text);
    if first.error() == "OK" {
        let same = ["refundId", "tickets"].map(|name| first.body[name] == again.body[name]);
        assert_eq!(same, [true, true], "{case}: one effect, {} {}", first.text, again.text);
    }
    venue.finish_work(&next, 300).await;
    check_books(&venue, case).await;
    check_listed(&venue, wish, case).await;
}

/// Every fault at every database call of these wishes.
async fn meet_every_fault(wishes: &[Wish], mut walk: Walk) -> Walk {
    let mut seen = Seen::new();
    for wish in wishes {
        let calls = {
            let venue = Venue::open([10, 10]).await;
            let process = venue.process().await;
            let ask = wish.prepare(&process).await;
            let answer = process.send(ask).await;
            assert_eq!(answer.error(), wish.kind(), "{wish:?}: {}", answer.text);
            process.faults.calls().len()
        };
        for call in 0..calls {
            for fault in FAULTS {
                if walk.plays((call, fault)) {
                    let case = format!("{wish:?} {call} {fault:?}");
                    run(*wish, |process| _ = process.faults.at(call, fault), &case, &mut seen).await;
                }
            }
        }
    }
    walk
}

// Two tests, so that two processors share the work.

#[tokio::test(start_paused = true)]
async fn every_database_call_of_a_refund_may_meet_every_fault() {
    let wishes = [Wish::Refused, Wish::Free, Wish::Whole];
    meet_every_fault(&wishes, Walk::begin("refund-calls", 11)).await.end(80);
}

#[tokio::test(start_paused = true)]
async fn every_database_call_of_an_exchange_or_a_refund_of_memberships_may_meet_every_fault() {
    let wishes = [Wish::Exchange, Wish::Upgrade, Wish::Membership];
    meet_every_fault(&wishes, Walk::begin("exchange-calls", 11)).await.end(80);
}

#[tokio::test(start_paused = true)]
async fn every_refund_by_the_processor_may_meet_every_mishap() {
    let mut walk = Walk::begin("refund-verbs", 4);
    let mut seen = Seen::new();
    for wish in [Wish::Part, Wish::Membership, Wish::Refused] {
        for mishap in Mishap::ALL {
            if walk.plays(mishap) {
                let case = format!("{wish:?} {mishap:?}");
                run(wish, |process| process.processor.next(Verb::Refund, mishap), &case, &mut seen).await;
            }
        }
    }
    walk.end(15);
}
