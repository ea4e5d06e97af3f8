//! Why lines cannot be priced.

use crate::catalog::InventoryKind;
use crate::membership::lifecycle::LifecycleFault;
use crate::{MoneyOverflow, Timestamp};

/// Everything that keeps lines from being priced, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricingRefusals(pub Vec<PricingRefusal>);

/// One reason why lines cannot be priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PricingRefusal {
    /// A fault of one line.
    Line {
        /// Its place in the request, from 0: of a combo among the combos, of any other line among the others.
        index: usize,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// The amounts do not add up to an amount of money.
    TotalTooLarge,
    /// The memberships of the cart have more than [`crate::cart_request::MAX_MEMBERSHIP_CARDS`].
    TooManyCards,
    /// With the tickets of its combos, the cart has more than [`crate::cart_request::MAX_TICKETS`].
    TooManyTickets,
}

/// What keeps a line from being priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineFault {
    /// The line treats an add-on as a donation or the other way round.
    OtherInventoryKind {
        /// What the catalog says it is.
        kind: InventoryKind,
    },
    /// The amount is no amount of money.
    AmountTooLarge,
    /// There is no such event instance, or its template is a draft.
    UnknownEvent,
    /// There is no such ticket type on offer.
    UnknownTicketType,
    /// The event has no price for this ticket type on this channel.
    NotPriced,
    /// There is no such add-on or donation on offer on this channel.
    UnknownInventory,
    /// The slot exists and cannot be bought.
    SalesClosed(Closed),
    /// A fault of a combo.
    Combo(ComboFault),
    /// A fault of a membership.
    Membership(MembershipSaleFault),
}

impl From<MoneyOverflow> for LineFault {
    fn from(_: MoneyOverflow) -> Self {
        Self::AmountTooLarge
    }
}

impl From<LifecycleFault> for LineFault {
    fn from(fault: LifecycleFault) -> Self {
        Self::Membership(MembershipSaleFault::Lifecycle(fault))
    }
}

/// What keeps a combo from being priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComboFault {
    /// Its amount is no amount of money.
    AmountTooLarge,
    /// Not every event of the combo has its instance.
    PartMissing,
    /// There is no such combo on offer.
    UnknownCombo,
    /// There is no such ticket type on offer.
    UnknownTicketType,
    /// The combo is not sold for this ticket type.
    NotPriced,
    /// A fault of one of its parts.
    Part {
        /// The place of the part in the request, from 0.
        part: usize,
        /// What is wrong with it.
        fault: PartFault,
    },
}

/// What keeps an event instance from being a part of a combo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartFault {
    /// It is of no event of the combo.
    Foreign,
    /// Another part is of the same event.
    Duplicate,
    /// There is no such event instance, or its template is a draft.
    UnknownEvent,
    /// The event has no price for the ticket type on this channel.
    NotPriced,
    /// The slot exists and cannot be bought.
    SalesClosed(Closed),
}

/// What keeps a membership from being sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipSaleFault {
    /// It is not sold in this way.
    Lifecycle(LifecycleFault),
    /// It would have more cards than its offering gives.
    TooManyCards {
        /// How many it gives.
        limit: u32,
    },
    /// It cannot be given.
    NoGift,
    /// Another line does something with the same membership.
    ChangedTwice,
}

/// Why a slot is not sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsold {
    /// There is none, as far as the buyer may know.
    Unknown,
    /// It exists and cannot be bought.
    Closed(Closed),
}

impl From<Unsold> for LineFault {
    fn from(unsold: Unsold) -> Self {
        match unsold {
            Unsold::Unknown => Self::UnknownEvent,
            Unsold::Closed(closed) => Self::SalesClosed(closed),
        }
    }
}

/// Why a slot cannot be bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// It was cancelled.
    Cancelled,
    /// Its template or its schedule has ended before it.
    Ended,
    /// It is not sold on this channel.
    ChannelOff,
    /// Its sale window has closed.
    Window {
        /// When it closed.
        closed_at: Timestamp,
    },
}

/// What refusals amount to, in order of precedence: the first that applies answers the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalClass {
    /// Lines contradict the catalog or have no sum.
    Invalid,
    /// Ids name nothing that is sold.
    Unknown,
    /// Slots cannot be bought.
    Closed,
}

impl PricingRefusals {
    /// What answers the request.
    #[must_use]
    pub fn class(&self) -> RefusalClass {
        self.0.iter().map(|refusal| refusal.class()).min().unwrap_or(RefusalClass::Invalid)
    }
}

impl PricingRefusal {
    /// What the refusal amounts to.
    #[must_use]
    pub fn class(&self) -> RefusalClass {
        match self {
            Self::TotalTooLarge | Self::TooManyCards | Self::TooManyTickets => RefusalClass::Invalid,
            Self::Line { index: _, fault } => match fault {
                LineFault::OtherInventoryKind { kind: _ } | LineFault::AmountTooLarge => {
                    RefusalClass::Invalid
                }
                LineFault::UnknownEvent
                | LineFault::UnknownTicketType
                | LineFault::NotPriced
                | LineFault::UnknownInventory => RefusalClass::Unknown,
                LineFault::SalesClosed(_) => RefusalClass::Closed,
                LineFault::Combo(fault) => fault.class(),
                LineFault::Membership(fault) => fault.class(),
            },
        }
    }
}

impl ComboFault {
    /// What it amounts to.
    const fn class(self) -> RefusalClass {
        match self {
            Self::AmountTooLarge
            | Self::PartMissing
            | Self::Part { part: _, fault: PartFault::Foreign | PartFault::Duplicate } => {
                RefusalClass::Invalid
            }
            Self::UnknownCombo
            | Self::UnknownTicketType
            | Self::NotPriced
            | Self::Part { part: _, fault: PartFault::UnknownEvent | PartFault::NotPriced } => {
                RefusalClass::Unknown
            }
            Self::Part { part: _, fault: PartFault::SalesClosed(_) } => RefusalClass::Closed,
        }
    }
}

impl MembershipSaleFault {
    /// What the fault amounts to.
    const fn class(self) -> RefusalClass {
        match self {
            Self::Lifecycle(fault) => match fault {
                LifecycleFault::UnknownLevel
                | LifecycleFault::UnknownOffering
                | LifecycleFault::UnknownPricePoint
                | LifecycleFault::UnknownMembership => RefusalClass::Unknown,
                LifecycleFault::ActionNotOffered => RefusalClass::Closed,
                LifecycleFault::MembershipMissing
                | LifecycleFault::MembershipSent
                | LifecycleFault::OtherLevel
                | LifecycleFault::SameLevel
                | LifecycleFault::OtherDuration
                | LifecycleFault::MembershipEnded
                | LifecycleFault::TermNotOver
                | LifecycleFault::TermOver => RefusalClass::Invalid,
            },
            Self::TooManyCards { limit: _ } | Self::NoGift | Self::ChangedTwice => RefusalClass::Invalid,
        }
    }
}
