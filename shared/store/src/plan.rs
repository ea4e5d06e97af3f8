//! Writes as data. A pure function builds a plan; [`crate::Store::commit`] carries it out in one transaction
//! and turns a failed condition back into the refusal its write is labelled with.

use crate::{Expression, Item, Key, StoreError, StoreFault};
use std::collections::BTreeMap;

/// Writes one transaction may have.
pub const MAX_WRITES: usize = 100;

/// What is done to one item.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Puts the whole item, if the expression's condition holds for the old one.
    Put(Item, Expression),
    /// Updates the item by the expression.
    Update(Expression),
    /// Deletes the item, if the expression's condition holds.
    Delete(Expression),
    /// Only checks the expression's condition.
    Check(Expression),
}

/// One write and the refusal its failed condition means.
#[derive(Debug, Clone, PartialEq)]
pub struct Write<R> {
    /// What is done.
    pub action: Action,
    /// What it means if the condition does not hold.
    pub refusal: R,
}

/// All writes of one decision, at most one per item.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan<R> {
    writes: BTreeMap<Key, Write<R>>,
}

/// A plan that cannot be carried out: a fault of ours, found while building it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanFault {
    /// Two writes name one item.
    SameItemTwice,
    /// More than [`MAX_WRITES`] writes.
    TooManyWrites,
    /// An expression is larger than DynamoDB accepts.
    ExpressionTooLarge,
}

impl<R> Default for Plan<R> {
    fn default() -> Self {
        Self { writes: BTreeMap::new() }
    }
}

impl<R> Plan<R> {
    /// A plan without writes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a write.
    ///
    /// # Errors
    /// [`PlanFault`] when the plan could not be carried out with it.
    pub fn add(&mut self, key: Key, action: Action, refusal: R) -> Result<(), PlanFault> {
        let (Action::Put(_, expression)
        | Action::Update(expression)
        | Action::Delete(expression)
        | Action::Check(expression)) = &action;
        if !expression.is_within_limits() {
            return Err(PlanFault::ExpressionTooLarge);
        }
        if self.writes.len() >= MAX_WRITES {
            return Err(PlanFault::TooManyWrites);
        }
        match self.writes.entry(key) {
            std::collections::btree_map::Entry::Occupied(_) => Err(PlanFault::SameItemTwice),
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(Write { action, refusal });
                Ok(())
            }
        }
    }

    /// The writes in the order in which they are sent.
    pub fn writes(&self) -> impl ExactSizeIterator<Item = (&Key, &Write<R>)> {
        self.writes.iter()
    }
}

/// A write that was refused, and the item as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused<R> {
    /// The label of the write.
    pub refusal: R,
    /// The item at the time; none if there was none.
    pub old: Option<Item>,
}

impl std::fmt::Display for PlanFault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::SameItemTwice => "two writes of one plan name one item",
            Self::TooManyWrites => "a plan has more than 100 writes",
            Self::ExpressionTooLarge => "an expression has more than 300 operators",
        })
    }
}

impl std::error::Error for PlanFault {}

/// Adds a write.
///
/// # Errors
/// [`StoreError`] when the plan could not be carried out with it.
pub(crate) fn add<R>(plan: &mut Plan<R>, key: Key, action: Action, refusal: R) -> Result<(), StoreError> {
    Ok(plan.add(key, action, refusal)?)
}

/// Whoever asks for more than one transaction holds can ask for less: so many slots, or so many of them at the member
/// price.
impl From<PlanFault> for StoreError {
    fn from(fault: PlanFault) -> Self {
        let kind = match fault {
            PlanFault::TooManyWrites | PlanFault::ExpressionTooLarge => StoreFault::TooMany,
            PlanFault::SameItemTwice => StoreFault::Refused,
        };
        Self::new(kind, fault)
    }
}
