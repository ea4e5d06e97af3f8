use super::*;
use domain::Timestamp;
use serde_json::{Value, json};

fn order() -> Order {
    serde_json::from_value(json!({
        "id": "31840526", "tenant": 204, "number": "100731946", "state": {"state": "paid", "at": 0},
        "visitor": "", "contact": {}, "billing": {"email": "pays@example.org"}, "lines": [], "total": 0, "retail_total": 0,
        "send_email": true, "created_at": 0,
    }))
    .unwrap()
}

/// A refund of seats of so many instances, with what its mail says, if there is one.
fn refund(state: &Value, mail: &Value, instances: u16) -> OrderRefund {
    let seats: BTreeMap<InstanceId, u32> = (0..instances).map(|number| (instance(number), 1)).collect();
    serde_json::from_value(json!({
        "id": "refund_1", "number": 0, "at": 0, "state": state, "amount": 100, "items": [], "by": "",
        "given_back": {"seats": seats}, "mail": mail,
    }))
    .unwrap()
}

fn instance(number: u16) -> InstanceId {
    let template = domain::TemplateId::parse("6f2e91b0c47d5a3e18b90f42").unwrap();
    let start = plus_secs(Timestamp::UNIX_EPOCH, i64::from(number) * 3_600);
    InstanceId::of(&template, None, start.naive_utc(), start).unwrap()
}

/// The end of a refund is one transaction, which has the sale, the order, a day that leads to it
/// and perhaps a mail beside what is given back:
/// what does not fit there is refused before any money moves.
#[test]
fn a_refund_is_taken_only_if_its_end_can_be_written() {
    let pending = json!({"state": "pending"});
    let done = json!({"state": "done", "at": 0});
    // One that moves no money is its own end, without a sale.
    for (state, mail, most) in [
        (&pending, json!(null), 97),
        (&pending, json!([]), 96),
        (&done, json!(null), 98),
        (&done, json!([]), 97),
    ] {
        let plan = |instances: u16| plan_take(&order(), &refund(state, &mail, instances), None);
        assert!(plan(most).is_ok(), "{state} {mail} {most}");
        assert_eq!(plan(most + 1).err().map(|fault| fault.kind), Some(StoreFault::TooMany), "{state} {mail}");
    }
}
