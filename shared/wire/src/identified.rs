//! Records that carry their own id.

use crate::{Checker, Field, IntegerId, WireValue};

/// A record as it was sent, with the id it gives itself.
pub trait Identified {
    /// The id as it was sent, if it is one.
    fn sent_id(&self) -> Option<String>;

    /// What the id must be, where something else was sent for it.
    fn id_fault(&self) -> Option<String>;

    /// Gives it this id, whatever it calls itself: a new record does not choose.
    fn set_id(&mut self, id: &str);

    /// Gives it the id of its path. One that it gives itself must be that one.
    fn keep_id(&mut self, checker: &mut Checker, id: &str) {
        if let Some(fault) = self.id_fault() {
            checker.invalid("id", fault);
        } else if self.sent_id().is_some_and(|sent| sent != id) {
            checker.invalid("id", "must match the id in the path");
        }
        self.set_id(id);
    }
}

/// A field that can hold an id.
pub(crate) trait IdField {
    /// The id as text, if it is one.
    fn text(&self) -> Option<String>;
    /// What it must be, where it is something else.
    fn fault(&self) -> Option<String>;
    /// The field with this id in it.
    fn holding(id: &str) -> Self;
}

fn wrong<T: WireValue>(field: &Field<T>) -> Option<String> {
    matches!(field, Field::Wrong).then(|| format!("must be {}", T::EXPECTED))
}

impl IdField for Field<String> {
    fn text(&self) -> Option<String> {
        match self {
            Self::Value(id) => Some(id.trim().to_owned()),
            Self::Absent | Self::Null | Self::Wrong => None,
        }
    }

    fn fault(&self) -> Option<String> {
        wrong(self)
    }

    fn holding(id: &str) -> Self {
        Self::Value(id.to_owned())
    }
}

impl IdField for Field<IntegerId> {
    fn text(&self) -> Option<String> {
        match self {
            Self::Value(id) => Some(id.get().to_string()),
            Self::Absent | Self::Null | Self::Wrong => None,
        }
    }

    fn fault(&self) -> Option<String> {
        wrong(self)
    }

    fn holding(id: &str) -> Self {
        IntegerId::of_digits(id).map_or(Self::Wrong, Self::Value)
    }
}

macro_rules! identified {
    ($($input:ty: $field:ident;)*) => {$(
        impl $crate::Identified for $input {
            fn sent_id(&self) -> Option<String> {
                $crate::identified::IdField::text(&self.$field)
            }
            fn id_fault(&self) -> Option<String> {
                $crate::identified::IdField::fault(&self.$field)
            }
            fn set_id(&mut self, id: &str) {
                self.$field = $crate::identified::IdField::holding(id);
            }
        }
    )*};
}

pub(crate) use identified;
