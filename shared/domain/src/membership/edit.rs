//! What the back office changes of a level (spec §4.6).

use super::{Level, MembershipRules, Offering};
use crate::OfferingId;

/// A change of a level or of one of its offerings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelEdit {
    /// The level becomes this one.
    Replace(Box<Level>),
    /// The level becomes this one, with the offerings that it has.
    ReplaceFields(Box<Level>),
    /// An offering more. One that is there already stays as it is: this change has happened before.
    Add(Box<Offering>),
    /// An offering takes the place of the one with its id.
    Put(Box<Offering>),
    /// An offering less.
    Remove(OfferingId),
}

/// The level has no offering with that id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchOffering;

impl Level {
    /// The offering with this id.
    #[must_use]
    pub fn offering(&self, id: &OfferingId) -> Option<&Offering> {
        self.offerings.iter().find(|offering| offering.id == *id)
    }

    /// The rules of what is bought by one of its offerings: the offering's own, else the level's (spec §2.15).
    #[must_use]
    pub fn rules_of(&self, offering: &Offering) -> MembershipRules {
        offering.rules.unwrap_or(self.rules)
    }

    /// The level after a change. The offerings keep their order.
    ///
    /// # Errors
    /// [`NoSuchOffering`] when it has not the offering that is to be replaced or removed.
    pub fn edited(&self, edit: &LevelEdit) -> Result<Self, NoSuchOffering> {
        let mut level = self.clone();
        match edit {
            LevelEdit::Replace(next) => return Ok(Self::clone(next)),
            LevelEdit::ReplaceFields(next) => {
                return Ok(Self { offerings: level.offerings, ..Self::clone(next) });
            }
            LevelEdit::Add(added) => {
                if self.offering(&added.id).is_none() {
                    level.offerings.push(Offering::clone(added));
                }
            }
            LevelEdit::Put(next) => {
                let mut offerings = level.offerings.iter_mut();
                let place = offerings.find(|offering| offering.id == next.id).ok_or(NoSuchOffering)?;
                *place = Offering::clone(next);
            }
            LevelEdit::Remove(id) => {
                self.offering(id).ok_or(NoSuchOffering)?;
                level.offerings.retain(|offering| offering.id != *id);
            }
        }
        Ok(level)
    }

    /// The offerings that this level has and another state of it has not.
    pub fn offerings_without(&self, after: &Self) -> impl Iterator<Item = &OfferingId> {
        self.offerings.iter().map(|offering| &offering.id).filter(|id| after.offering(id).is_none())
    }
}
