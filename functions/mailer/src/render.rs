//! Turns what a mail says into one finished mail.
//!
//! Rendering is pure: the same view gives the same bytes, so that a repeated attempt sends the same mail.
//! The mail is `multipart/alternative`: a plain text part, and an HTML part that stands in a
//! `multipart/related` with the QR code images it shows.

mod link;
mod mime;
mod page;
mod qr;
mod text;

use crate::locale::{Locale, MissingLocale};
use adapters::mail::OutgoingMail;
use domain::login::LoginParty;
use domain::{Currency, Money, Timestamp};
use std::error::Error;
use std::fmt;

/// How many tickets of one mail get a QR code; the codes of the others are listed as text, and the mail says
/// so.
///
/// Our choice: Amazon SES accepts at most 500 MIME parts, mail readers cut a page of more than about 100 KB,
/// and whoever brings more than 100 people does not open as many pictures at the entrance.
pub const QR_TICKETS: usize = 100;

/// The largest mail we send, in bytes of MIME.
///
/// Our choice: Amazon SES takes 40 MB, but many mailboxes refuse more than 10.
pub const MIME_LIMIT_BYTES: usize = 10_000_000;

/// The longest barcode: far longer than any of ours, and a QR code of it can still be scanned from a phone.
pub const BARCODE_MAX_CHARS: usize = 200;

/// What a mail of an order carries (contract §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderKind {
    /// What was bought and paid; the tickets go to another address.
    Receipt,
    /// The tickets without any prices, for the delivery address.
    Tickets,
    /// Both in one mail, the usual case.
    ReceiptWithTickets,
    /// What was given back, with the money that went back as what was paid.
    Refund,
    /// What was sold, for staff: of their events, and nothing of the buyer or the card.
    Notice,
}

/// What the codes of a mail are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codes {
    /// Tickets.
    Tickets,
    /// Member cards.
    MemberCards,
    /// Both.
    TicketsAndMemberCards,
}

impl Codes {
    /// What the texts call them.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Tickets => "tickets",
            Self::MemberCards => "member-cards",
            Self::TicketsAndMemberCards => "tickets-and-member-cards",
        }
    }
}

/// Everything a mail of an order says. Texts are plain text and may hold anything a person typed.
#[derive(Clone)]
pub struct ConfirmationMail {
    /// The Message-ID with its angle brackets, of letters, digits and `.-_` around one `@`; the same for every
    /// attempt to send this mail.
    pub message_id: String,
    /// The instant of the `Date` header, such as when the order was paid: fixed, so that a repeat has the
    /// same bytes.
    pub dated: Timestamp,
    /// Who sends it.
    pub from: MailAddress,
    /// Who gets it.
    pub to: MailAddress,
    /// What this mail carries.
    pub kind: RenderKind,
    /// The tenant's public name.
    pub venue_name: String,
    /// The order's number as the buyer knows it (spec §2.9).
    pub order_number: String,
    /// The running number of its receipt; empty where it has none.
    pub receipt_number: String,
    /// When the order was made, as local text.
    pub created: String,
    /// The buyer's name; empty when there is none.
    pub buyer_name: String,
    /// What the amounts are counted in.
    pub currency: Currency,
    /// What was bought or is given back, donations included.
    pub lines: Vec<MailLine>,
    /// What all lines come to.
    pub total: Money,
    /// What was paid, or went back.
    pub paid: Money,
    /// What that contains of taxes.
    pub taxes: Vec<MailTax>,
    /// The card in words, such as `Visa ending in 4242`; none for an order that cost nothing.
    pub card: Option<String>,
    /// The order's tickets and digital member cards; a [`RenderKind::Receipt`] only says that they follow.
    pub tickets: Vec<MailTicket>,
    /// What those are.
    pub codes: Codes,
    /// The template's own words to the buyer, `emailConfirmationMessage` (spec §2.10), shown as plain text.
    pub message: Option<String>,
}

/// A person or venue that can be written to.
#[derive(Clone)]
pub struct MailAddress {
    /// The name shown beside the address; may be empty.
    pub name: String,
    /// The bare address.
    pub address: String,
}

/// Everything a mail with a login link says.
#[derive(Clone)]
pub struct LoginLinkMail {
    /// As that of [`ConfirmationMail`].
    pub message_id: String,
    /// The instant of the `Date` header: when the link was asked for.
    pub dated: Timestamp,
    /// Who sends it.
    pub from: MailAddress,
    /// Who gets it.
    pub to: MailAddress,
    /// The tenant's public name.
    pub venue_name: String,
    /// What it is for.
    pub link: String,
    /// How long the link works.
    pub minutes: i64,
    /// As whom it lets in.
    pub party: LoginParty,
}

/// What an amount contains of a tax.
#[derive(Clone)]
pub struct MailTax {
    /// Which, such as `VAT 20%`.
    pub name: String,
    /// How much.
    pub amount: Money,
}

/// One line of the receipt.
#[derive(Clone)]
pub struct MailLine {
    /// What it is.
    pub name: String,
    /// More about it, such as `Sat, Mar 14, 2026, 10:30 AM`.
    pub detail: Option<String>,
    /// How many.
    pub quantity: u32,
    /// The price of one.
    pub unit_price: Money,
    /// The price of all.
    pub amount: Money,
}

/// One ticket.
#[derive(Clone)]
pub struct MailTicket {
    /// The event's name.
    pub event_name: String,
    /// When it admits, as local text; may be empty.
    pub when: String,
    /// The ticket type's name.
    pub ticket_type: String,
    /// Who holds it; may be empty.
    pub holder: String,
    /// The code that is scanned at the entrance.
    pub barcode: String,
}

/// Which address cannot be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailboxField {
    /// The sender's.
    From,
    /// The recipient's.
    To,
}

/// Why there is no mail. None of them quotes what the view holds; they are checked in this order.
#[derive(Debug)]
pub enum RenderError {
    /// This address is no mailbox that Amazon SES can write to.
    Mailbox(MailboxField),
    /// The Message-ID is not of its form.
    MessageId,
    /// The date does not lie between the years 1970 and 9999.
    Date,
    /// The barcode of the ticket at this place, counted from 0, is empty, longer than
    /// [`BARCODE_MAX_CHARS`] or more than printable ASCII.
    Barcode(usize),
    /// A QR code could not be written as an image.
    Image(png::EncodingError),
    /// There is nothing to say it with.
    Locale(MissingLocale),
    /// A template failed.
    Template(askama::Error),
    /// The parts could not be put together.
    Assembly(Box<dyn Error + Send + Sync>),
    /// The mail has more than [`MIME_LIMIT_BYTES`].
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
    },
}

impl fmt::Display for RenderError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mailbox(MailboxField::From) => out.write_str("the sender's address is no mailbox"),
            Self::Mailbox(MailboxField::To) => out.write_str("the recipient's address is no mailbox"),
            Self::MessageId => out.write_str("the Message-ID is malformed"),
            Self::Date => out.write_str("the date is out of range"),
            Self::Barcode(place) => write!(out, "the barcode of ticket {place} cannot be a QR code"),
            Self::Image(_) => out.write_str("a QR code could not be drawn"),
            Self::Locale(missing) => write!(out, "{missing}"),
            Self::Template(_) => out.write_str("a mail template failed"),
            Self::Assembly(_) => out.write_str("the mail could not be put together"),
            Self::TooLarge { bytes } => write!(out, "the mail has {bytes} bytes, over {MIME_LIMIT_BYTES}"),
        }
    }
}

impl Error for RenderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Image(cause) => Some(cause),
            Self::Locale(missing) => missing.source(),
            Self::Template(cause) => Some(cause),
            Self::Assembly(cause) => Some(cause.as_ref()),
            Self::Mailbox(_) | Self::MessageId | Self::Date | Self::Barcode(_) | Self::TooLarge { .. } => {
                None
            }
        }
    }
}

/// Renders the mail, in the language that it was put into words in: subject, text, HTML, QR codes and headers.
///
/// Line breaks and other control characters in names and titles become spaces, so that none can start a
/// header or forge a line of the text; in an address, in the Message-ID and in a barcode they are refused.
///
/// # Errors
/// [`RenderError`] when an address, the Message-ID, the date or a barcode cannot be written, or when the mail
/// is too large.
pub(crate) fn render(locale: &Locale, mail: &ConfirmationMail) -> Result<OutgoingMail, RenderError> {
    let headers = mime::Headers::parse(&mail.from, &mail.to, &mail.message_id, mail.dated)?;
    if let Some(place) = mail.tickets.iter().position(|ticket| !is_barcode(&ticket.barcode)) {
        return Err(RenderError::Barcode(place));
    }
    let page = page::MailPage::new(locale, mail, headers.content_id_stem());
    let images = page
        .scannable
        .iter()
        .enumerate()
        .map(|(place, ticket)| qr::png(&ticket.barcode, place))
        .collect::<Result<Vec<_>, _>>()?;
    let content = mime::Content {
        text: page.text().map_err(RenderError::Template)?,
        html: page.html().map_err(RenderError::Template)?,
        images: page.scannable.iter().zip(images).map(|(ticket, png)| ticket.image(png)).collect(),
        subject: page.subject,
    };
    finished(&headers, content)
}

/// Renders the mail with a login link; as [`render`] does, and without pictures.
///
/// # Errors
/// [`RenderError`] when an address, the Message-ID or the date cannot be written.
pub(crate) fn render_login(locale: &Locale, mail: &LoginLinkMail) -> Result<OutgoingMail, RenderError> {
    let headers = mime::Headers::parse(&mail.from, &mail.to, &mail.message_id, mail.dated)?;
    let page = link::LinkPage::new(locale, mail);
    let content = mime::Content {
        text: page.text().map_err(RenderError::Template)?,
        html: page.html().map_err(RenderError::Template)?,
        images: Vec::new(),
        subject: page.subject,
    };
    finished(&headers, content)
}

fn finished(headers: &mime::Headers, content: mime::Content) -> Result<OutgoingMail, RenderError> {
    let subject = content.subject.clone();
    let mime = mime::assemble(headers, content)?;
    if mime.len() > MIME_LIMIT_BYTES {
        return Err(RenderError::TooLarge { bytes: mime.len() });
    }
    Ok(OutgoingMail {
        message_id: headers.message_id().to_owned(),
        from: headers.from.email.to_string(),
        to: headers.to.email.to_string(),
        subject,
        mime,
    })
}

fn is_barcode(text: &str) -> bool {
    (1..=BARCODE_MAX_CHARS).contains(&text.len()) && text.chars().all(|letter| letter.is_ascii_graphic())
}

#[cfg(test)]
mod tests;
