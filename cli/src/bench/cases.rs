//! The kinds of request that are measured.

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// The reduced list of templates.
    SlimList,
    /// The times of one template.
    Times,
    /// The times of one template today.
    TimesToday,
    /// The times of all templates today.
    AllTimesToday,
    /// The calendar of one template over two months.
    Calendar,
    /// The calendar of all templates over two months.
    AllCalendar,
    /// Creating a cart with tickets.
    CartCreate,
    /// Replacing the lines of a cart.
    CartUpdate,
    /// Holding seats.
    Reservation,
    /// Reading an order with its tickets.
    WillCall,
    /// Scanning a ticket that admits.
    Admission,
    /// Paying for a cart sent with the request.
    Checkout,
}

impl Case {
    /// What browses a large catalog.
    pub(crate) const BROWSING: [Self; 4] =
        [Self::SlimList, Self::TimesToday, Self::AllTimesToday, Self::Calendar];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SlimList => "slim list",
            Self::Times => "template times",
            Self::TimesToday => "template times of today",
            Self::AllTimesToday => "all times of today",
            Self::Calendar => "two-month calendar",
            Self::AllCalendar => "two-month calendar of all",
            Self::CartCreate => "cart create",
            Self::CartUpdate => "cart update",
            Self::Reservation => "reservation and release",
            Self::WillCall => "will-call",
            Self::Admission => "admission",
            Self::Checkout => "checkout",
        }
    }

    /// Whether it looks at many templates rather than one event.
    pub(super) fn is_of_a_catalog(self) -> bool {
        match self {
            Self::TimesToday | Self::AllTimesToday | Self::Calendar | Self::AllCalendar => true,
            Self::SlimList
            | Self::Times
            | Self::CartCreate
            | Self::CartUpdate
            | Self::Reservation
            | Self::WillCall
            | Self::Admission
            | Self::Checkout => false,
        }
    }
}
