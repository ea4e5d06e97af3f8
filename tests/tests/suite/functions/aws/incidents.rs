//! What befalls functions while they are at work: calls that are not answered any more, things that happen
//! elsewhere in the middle of a request, and deadlines that pass.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Mutex;

use domain::Timestamp;
use store::order::{DueClock, DueKind, DueWork};
use store::{Action, Expression, Key, Store, number};

/// An action and the resource that a call needs it for.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    pub(crate) action: &'static str,
    pub(crate) resource: &'static str,
}

type Happening = Pin<Box<dyn Future<Output = ()> + Send>>;

/// After how many calls with this need nothing is answered any more.
struct Cut {
    need: Need,
    left: u32,
}

/// What is to befall each function, by its name.
#[derive(Default)]
pub(super) struct Incidents {
    cuts: Mutex<BTreeMap<String, Cut>>,
    meanwhile: Mutex<BTreeMap<String, (Need, Happening)>>,
}

impl Need {
    fn is_among(self, needed: &[(String, String)]) -> bool {
        needed.iter().any(|(action, resource)| action == self.action && resource == self.resource)
    }
}

impl Incidents {
    pub(super) fn cut(&self, function: &str, need: Need, left: u32) {
        self.cuts.lock().unwrap().insert(function.to_owned(), Cut { need, left });
    }

    pub(super) fn mend(&self, function: &str) {
        self.cuts.lock().unwrap().remove(function);
    }

    pub(super) fn meanwhile(&self, function: &str, need: Need, happening: Happening) {
        self.meanwhile.lock().unwrap().insert(function.to_owned(), (need, happening));
    }

    /// Whether a call is answered. Those are counted after which none is.
    pub(super) fn admit(&self, function: &str, needed: &[(String, String)]) -> bool {
        let mut cuts = self.cuts.lock().unwrap();
        let Some(cut) = cuts.get_mut(function) else { return true };
        if cut.left == 0 {
            return false;
        }
        if cut.need.is_among(needed) {
            cut.left -= 1;
        }
        true
    }

    /// What happens before this call is answered.
    pub(super) fn take(&self, function: &str, needed: &[(String, String)]) -> Option<Happening> {
        let mut meanwhile = self.meanwhile.lock().unwrap();
        let is_due = meanwhile.get(function).is_some_and(|(need, _)| need.is_among(needed));
        if is_due { meanwhile.remove(function).map(|(_, happening)| happening) } else { None }
    }
}

/// Work of one partition that is looked for.
const MAX_DUE: usize = 25;

/// Moves the deadline of every checkout and refund that is under way in real time.
pub(super) async fn move_deadlines(store: &Store, to: Timestamp) {
    for kind in [DueKind::Orders, DueKind::Refunds] {
        let some_day = Timestamp::MAX_UTC;
        for work in store.load_due(DueClock::Real, kind, some_day, MAX_DUE).await.unwrap() {
            let (key, states) = match &work {
                DueWork::Order(tenant, order) => (Key::order(*tenant, order), vec![vec!["state".to_owned()]]),
                DueWork::Refunds(tenant, sale) => {
                    let found = store.load_sale(*tenant, sale).await.unwrap().unwrap();
                    let state = |id: &str| ["refunds", id, "state"].map(str::to_owned).to_vec();
                    let states = found.pending().into_iter().map(|(_, _, id)| state(id.as_str())).collect();
                    (Key::sale(*tenant, sale), states)
                }
                DueWork::Mail(..) | DueWork::Slots(..) | DueWork::Merchant(..) => continue,
            };
            let mut update = Expression::new();
            for state in states {
                let path: Vec<&str> = state.iter().map(String::as_str).chain(["deadline"]).collect();
                let (path, value) = (update.path(&path), update.number(to.timestamp_millis()));
                update.set(format!("{path} = {value}"));
            }
            update.assign("due_at", number(to.timestamp()));
            store.write(&key, Action::Update(update)).await.unwrap().unwrap();
        }
    }
}
