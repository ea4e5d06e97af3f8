//! The steps of every saga, in the order in which they run, each beside what undoes or finishes it. Each step names
//! itself when it begins, which tests hold against these lists, and `docs/ARCHITECTURE.md` prints them.

/// A step of a saga: one transaction, or one question to the card processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SagaStep {
    /// All that an order needs is taken.
    Secure,
    /// The payment of an order is opened.
    Open,
    /// The card is charged.
    Confirm,
    /// An order waits for its buyer, whom the issuer of the card asks.
    AskBuyer,
    /// The processor is asked what the buyer answered.
    HearBuyer,
    /// Money that came after everything had been given back is noted.
    NoteLateMoney,
    /// The processor is asked to return it.
    ReturnLateMoney,
    /// What the processor answered to that is written.
    EndLateMoney,
    /// A charged order becomes paid.
    Settle,
    /// The amount of a refund is taken from what remains of its sale.
    TakeRefund,
    /// A refund is listed with its order, and its amount taken from the sale.
    TakeReturn,
    /// The processor is asked for a refund.
    AskForRefund,
    /// What the processor answered to a refund is written.
    EndRefund,
    /// Tickets are exchanged for others.
    Exchange,
    /// Listings look further around for slots that outlive what a template said.
    WidenReach,
    /// A template is saved with the record of its slots.
    SaveTemplate,
    /// A piece of the slots is made.
    MakeSlots,
    /// Mails that an order owes go into the queue.
    EnqueueMails,
}

impl SagaStep {
    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Secure => "secure",
            Self::Open => "open",
            Self::Confirm => "confirm",
            Self::AskBuyer => "ask the buyer",
            Self::HearBuyer => "hear the buyer",
            Self::NoteLateMoney => "note",
            Self::ReturnLateMoney => "return",
            Self::EndLateMoney => "end",
            Self::Settle => "settle",
            Self::TakeRefund => "take",
            Self::TakeReturn => "list and take",
            Self::AskForRefund => "ask",
            Self::EndRefund => "end",
            Self::Exchange => "exchange",
            Self::WidenReach => "widen",
            Self::SaveTemplate => "save",
            Self::MakeSlots => "make slots",
            Self::EnqueueMails => "enqueue",
        }
    }

    /// What it does.
    #[must_use]
    pub const fn does(self) -> &'static str {
        match self {
            Self::Secure => {
                "one transaction takes seats, number, guard, cart and key, and writes the order as pending"
            }
            Self::Open => {
                "the processor opens the payment, named by the order, while what leads to the order is written; no money moves"
            }
            Self::Confirm => "the processor charges the card",
            Self::AskBuyer => {
                "one write gives the pending order the time its buyer has to answer the card's issuer"
            }
            Self::HearBuyer => "the processor says what the buyer answered",
            Self::NoteLateMoney => "one write notes with the voided order that its payment was charged",
            Self::ReturnLateMoney => "the processor gives the money back; it knows the return by its id",
            Self::EndLateMoney => "one transaction notes what the processor answered, with the mail about it",
            Self::Settle => "one transaction makes the order paid, with tickets, sale and mails",
            Self::TakeRefund => "one write takes the amount from what remains of the sale",
            Self::TakeReturn => {
                "one transaction lists the refund with its order and takes its money from the sale"
            }
            Self::AskForRefund => {
                "the processor gives the money back, or refuses; it knows the refund by its id"
            }
            Self::EndRefund => {
                "one transaction notes the refund as done, and gives back what the order lists for it"
            }
            Self::Exchange => "one transaction gives seats back, takes others and writes the new tickets",
            Self::WidenReach => {
                "listings look further around, where slots will outlive what the template says"
            }
            Self::SaveTemplate => "one transaction writes the template and the record of its slots",
            Self::MakeSlots => {
                "transactions write the slots piece by piece, the last of each with the record"
            }
            Self::EnqueueMails => "the mails that are owed go into the queue",
        }
    }

    /// What undoes it, or finishes it where it was left half-way.
    #[must_use]
    pub const fn undone_or_finished_by(self) -> &'static str {
        match self {
            Self::Secure => "`void` gives everything back",
            Self::Open => "`void`; an opened payment without a card charges nothing",
            Self::Confirm => {
                "the processor's final word: it cancels the payment, then `void`, or it was charged"
            }
            Self::AskBuyer => "`recover`, past the order's deadline of before or of then",
            Self::HearBuyer => "whoever asks next; past the deadline the payment is cancelled, then `void`",
            Self::NoteLateMoney => "nothing is done before; whoever looks next finds it",
            Self::ReturnLateMoney => {
                "`recover`, past the deadline of the return: asked again, it answers the same"
            }
            Self::EndLateMoney => "`recover`, past the deadline of the return",
            Self::Settle => "`recover`, past the order's deadline",
            Self::TakeRefund => "the end of the refund, which gives a refused amount back to the sale",
            Self::TakeReturn => "the end of the refund, which takes a refused one off the order and the sale",
            Self::AskForRefund => {
                "`recover_refunds`, past the refund's deadline: asked again, it answers the same"
            }
            Self::EndRefund => "`recover_refunds`",
            Self::Exchange => "nothing: it happens as a whole or not at all",
            Self::WidenReach => "nothing: listings look further than they need to",
            Self::SaveTemplate => "nothing: it happens as a whole or not at all",
            Self::MakeSlots => "`resume`, by the scheduled work; a later save stops it",
            Self::EnqueueMails => "the scheduled work, which enqueues what is still owed",
        }
    }

    /// Says that it begins.
    pub(crate) fn begin(self) {
        tracing::debug!(step = self.name(), "a step of a saga begins");
    }
}

/// A workflow of several steps.
#[derive(Debug, Clone, Copy)]
pub struct Saga {
    /// What it is called.
    pub name: &'static str,
    /// When it has fewer steps.
    pub shorter: &'static str,
    /// Its steps, in the order in which they run.
    pub steps: &'static [SagaStep],
}

/// Paying for a cart.
pub const CHECKOUT: Saga = Saga {
    name: "Checkout",
    shorter: "An order that costs nothing is settled as it is secured.",
    steps: &[SagaStep::Secure, SagaStep::Open, SagaStep::Confirm, SagaStep::Settle, SagaStep::EnqueueMails],
};

/// Paying for a cart with a card whose issuer asks the buyer.
pub const CHECKOUT_ASKING: Saga = Saga {
    name: "Checkout whose card asks its buyer",
    shorter: "What the buyer answers is heard by a later request, by an event of the processor's or by the schedule.",
    steps: &[
        SagaStep::Secure,
        SagaStep::Open,
        SagaStep::Confirm,
        SagaStep::AskBuyer,
        SagaStep::HearBuyer,
        SagaStep::Settle,
        SagaStep::EnqueueMails,
    ],
};

/// Returning money that came after an order had given everything back.
pub const LATE_MONEY: Saga = Saga {
    name: "Return of late money",
    shorter: "",
    steps: &[
        SagaStep::NoteLateMoney,
        SagaStep::ReturnLateMoney,
        SagaStep::EndLateMoney,
        SagaStep::EnqueueMails,
    ],
};

/// Giving money of a sale back.
pub const REFUND_OF_A_SALE: Saga = Saga {
    name: "Refund of a sale",
    shorter: "",
    steps: &[SagaStep::TakeRefund, SagaStep::AskForRefund, SagaStep::EndRefund],
};

/// Taking back what was bought.
pub const REFUND_OF_AN_ORDER: Saga = Saga {
    name: "Refund of an order",
    shorter: "Where no money moves, the first step does all but the mail.",
    steps: &[SagaStep::TakeReturn, SagaStep::AskForRefund, SagaStep::EndRefund, SagaStep::EnqueueMails],
};

/// Exchanging tickets for others.
pub const EXCHANGE: Saga =
    Saga { name: "Exchange", shorter: "", steps: &[SagaStep::Exchange, SagaStep::EnqueueMails] };

/// Saving a template and making its slots.
pub const PUBLISHING: Saga = Saga {
    name: "Publishing",
    shorter: "The reach is widened where schedules change or slots become shorter.",
    steps: &[SagaStep::WidenReach, SagaStep::SaveTemplate, SagaStep::MakeSlots],
};

/// All sagas.
pub const SAGAS: [Saga; 7] =
    [CHECKOUT, CHECKOUT_ASKING, LATE_MONEY, REFUND_OF_A_SALE, REFUND_OF_AN_ORDER, EXCHANGE, PUBLISHING];

/// The sagas as Markdown: for each a table of its steps.
#[must_use]
pub fn saga_tables() -> String {
    let mut text = String::new();
    for Saga { name, shorter, steps } in SAGAS {
        text.push_str(format!("**{name}.** {shorter}").trim_end());
        text.push_str("\n\n| Step | What it does | What undoes or finishes it |\n|---|---|---|\n");
        for step in steps {
            let row = [step.name(), step.does(), step.undone_or_finished_by()];
            text.push_str(&format!("| {} |\n", row.join(" | ")));
        }
        text.push('\n');
    }
    text
}
