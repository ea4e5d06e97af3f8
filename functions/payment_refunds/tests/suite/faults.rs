//! Every step of a refund meets every fault. Afterwards what the scheduled work does is enough for sale, order and
//! processor to agree, and the same request with the same key never gives a second refund.

use crate::audit::audit;
use crate::shop::{Shop, after, refund};
use domain::SaleId;
use engine::{Fault, FaultPlan, Throttling};
use serde_json::json;
use std::time::Duration;
use testkit::Ask;
use testkit::cards::{GOOD, LOSES_THE_ANSWER, REFUSES_REFUNDS};
use testkit::outside::{Mishap, Verb};
use testkit::walk::Walk;

const FAULTS: [Fault; 7] = [
    Fault::CrashBefore,
    Fault::CrashAfter,
    Fault::AnswerLost,
    Fault::Throttle(Throttling::Table),
    Fault::Throttle(Throttling::Account),
    Fault::TransactionConflict,
    Fault::Slow(Duration::from_secs(5)),
];

/// A merchant's refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Keyed,
    Whole,
    Refused,
    RefusedAndKeyed,
    Lost,
    LostAndKeyed,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Plain,
        Self::Keyed,
        Self::Whole,
        Self::Refused,
        Self::RefusedAndKeyed,
        Self::Lost,
        Self::LostAndKeyed,
    ];

    fn card(self) -> &'static str {
        match self {
            Self::Plain | Self::Keyed | Self::Whole => GOOD,
            Self::Refused | Self::RefusedAndKeyed => REFUSES_REFUNDS,
            Self::Lost | Self::LostAndKeyed => LOSES_THE_ANSWER,
        }
    }

    fn is_keyed(self) -> bool {
        matches!(self, Self::Keyed | Self::Whole | Self::RefusedAndKeyed | Self::LostAndKeyed)
    }

    fn ask(self, sale: &SaleId, key: &str) -> Ask {
        let ask = refund(sale, if self == Self::Whole { json!(50) } else { json!(20) });
        if self.is_keyed() { ask.keyed(key) } else { ask }
    }

    async fn calls(self, shop: &Shop) -> usize {
        let sale = shop.sell(0, self.card(), 5_000).await;
        let process = shop.process().await;
        process.send(self.ask(&sale, &format!("calls of {self:?}"))).await;
        let calls = process.faults.calls().len();
        process.recover(&sale, 1_000).await;
        calls
    }
}

enum Strike {
    Call(usize, Fault),
    Processor(Mishap),
}

async fn run(shop: &Shop, number: u8, kind: Kind, strike: Strike) {
    let sale = shop.sell(number, kind.card(), 5_000).await;
    let process = shop.process_under(FaultPlan::new()).await;
    let case = match strike {
        Strike::Call(call, fault) => {
            process.faults.at(call, fault);
            format!("{kind:?}: call {call} meets {fault:?}")
        }
        Strike::Processor(mishap) => {
            process.processor.next(Verb::Refund, mishap);
            format!("{kind:?}: the processor meets {mishap:?}")
        }
    };
    let ask = kind.ask(&sale, &case.replace(|char: char| !char.is_ascii(), ""));
    let first = process.send(ask.clone()).await;
    assert!([200, 402, 409, 503].contains(&first.status), "{case}: {}", first.text);
    let next = shop.process().await;
    // The first answer to each refund of one card is lost, whoever asks; the next pass hears it.
    let recovered = next.recover(&sale, 1_000).await
        || (kind.card() == LOSES_THE_ANSWER && next.recover(&sale, 1_100).await);
    assert!(recovered, "{case}");
    let booked = audit(shop, &sale, &case).await;
    let given = booked.refunds.len();
    assert!(given <= 1, "{case}: {given} refunds");
    match first.status {
        200 => assert_eq!(given, 1, "{case}"),
        402 => assert_eq!(given, 0, "{case}"),
        _ => {}
    }
    if !kind.is_keyed() {
        return;
    }
    let again = next.send(ask.at_instant(after(2_000))).await;
    next.recover(&sale, 3_000).await;
    let booked = audit(shop, &sale, &case).await;
    match kind {
        Kind::RefusedAndKeyed => {
            assert_eq!((again.kind(), booked.refunds.len()), ((402, "REFUND_REFUSED"), 0), "{case}");
        }
        Kind::LostAndKeyed if again.status == 409 => assert_eq!(booked.refunds.len(), 1, "{case}"),
        Kind::Plain | Kind::Keyed | Kind::Whole | Kind::Refused | Kind::Lost | Kind::LostAndKeyed => {
            assert_eq!((again.status, booked.refunds.len()), (200, 1), "{case}: {}", again.text);
            assert_eq!(again.replayed, given == 1, "{case}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_database_call_of_a_refund_may_meet_every_fault() {
    let shop = Shop::open().await;
    let mut number = 0_u8;
    let mut walk = Walk::begin("sale-refund-calls", 9);
    for kind in Kind::ALL {
        for call in 0..kind.calls(&shop).await {
            for fault in FAULTS {
                if walk.plays((call, fault)) {
                    number += 1;
                    run(&shop, number, kind, Strike::Call(call, fault)).await;
                }
            }
        }
    }
    walk.end(100);
}

#[tokio::test(start_paused = true)]
async fn the_processor_may_meet_every_mishap() {
    let shop = Shop::open().await;
    let mut number = 0_u8;
    let mut walk = Walk::begin("sale-refund-verbs", 3);
    for kind in Kind::ALL {
        for mishap in Mishap::OF_REFUNDS {
            if walk.plays(mishap) {
                number += 1;
                run(&shop, number, kind, Strike::Processor(mishap)).await;
            }
        }
    }
    walk.end(Kind::ALL.len() * Mishap::OF_REFUNDS.len());
}
