//! Headers, and the parts put together.

use super::text::one_line;
use super::{MailAddress, MailboxField, RenderError};
use domain::{EmailAddress, Timestamp};
use lettre::Address;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, Message, MultiPart, SinglePart};
use std::time::SystemTime;

/// Quoted-printable and base64 never hold `=_`, so that no content can end a part.
const ALTERNATIVE_BOUNDARY: &str = "=_text_or_html";
const RELATED_BOUNDARY: &str = "=_page_and_images";

/// The longest Message-ID that stays on one header line of 998 characters with room to spare.
const MESSAGE_ID_MAX_CHARS: usize = 250;

/// The last second of the year 9999, after which a `Date` header has no form.
const LAST_SECOND: i64 = 253_402_300_799;

/// The checked headers.
pub(super) struct Headers {
    pub(super) from: Mailbox,
    pub(super) to: Mailbox,
    message_id: String,
    date: SystemTime,
}

impl Headers {
    pub(super) fn parse(
        from: &MailAddress,
        to: &MailAddress,
        message_id: &str,
        dated: Timestamp,
    ) -> Result<Self, RenderError> {
        let from = mailbox(from).ok_or(RenderError::Mailbox(MailboxField::From))?;
        let to = mailbox(to).ok_or(RenderError::Mailbox(MailboxField::To))?;
        if !is_message_id(message_id) {
            return Err(RenderError::MessageId);
        }
        if !(0..=LAST_SECOND).contains(&dated.timestamp()) {
            return Err(RenderError::Date);
        }
        Ok(Self { from, to, message_id: message_id.to_owned(), date: dated.into() })
    }

    pub(super) fn message_id(&self) -> &str {
        &self.message_id
    }

    /// The Message-ID without its brackets.
    pub(super) fn content_id_stem(&self) -> &str {
        self.message_id.trim_matches(['<', '>'])
    }
}

/// Amazon SES wants the local part in ASCII and the domain as the name system spells it. What is accepted as an address
/// is judged by the same function.
fn mailbox(address: &MailAddress) -> Option<Mailbox> {
    let parsed = EmailAddress::parse(&address.address).ok()?;
    let name = one_line(&address.name);
    let name = if name.is_empty() { None } else { Some(name) };
    Some(Mailbox::new(name, Address::new(parsed.user(), parsed.domain()).ok()?))
}

fn is_message_id(text: &str) -> bool {
    let Some((user, domain)) = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'))
        .filter(|text| text.len() <= MESSAGE_ID_MAX_CHARS)
        .and_then(|text| text.split_once('@'))
    else {
        return false;
    };
    let plain = |part: &str| {
        !part.is_empty()
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(letter))
    };
    plain(user) && plain(domain)
}

/// What a message says.
pub(super) struct Content {
    pub(super) subject: String,
    pub(super) text: String,
    pub(super) html: String,
    /// The pictures that the HTML shows.
    pub(super) images: Vec<InlineImage>,
}

/// A picture within a message.
pub(super) struct InlineImage {
    /// Without angle brackets.
    pub(super) content_id: String,
    pub(super) name: String,
    pub(super) png: Vec<u8>,
}

/// The whole message.
pub(super) fn assemble(headers: &Headers, content: Content) -> Result<Vec<u8>, RenderError> {
    let Content { subject, text, html, images } = content;
    let text = quoted(ContentType::TEXT_PLAIN, text);
    let html = quoted(ContentType::TEXT_HTML, html);
    let content = MultiPart::alternative().boundary(ALTERNATIVE_BOUNDARY).singlepart(text);
    let content = if images.is_empty() {
        content.singlepart(html)
    } else {
        let related = MultiPart::related().boundary(RELATED_BOUNDARY).singlepart(html);
        let image_type =
            ContentType::parse("image/png").map_err(|cause| RenderError::Assembly(cause.into()))?;
        content.multipart(images.into_iter().fold(
            related,
            |related, InlineImage { content_id, name, png }| {
                let image = Attachment::new_inline_with_name(content_id, name).body(png, image_type.clone());
                related.singlepart(image)
            },
        ))
    };
    let message = Message::builder()
        .message_id(Some(headers.message_id.clone()))
        .date(headers.date)
        .from(headers.from.clone())
        .to(headers.to.clone())
        .subject(subject)
        // Keeps out-of-office replies away from the sender.
        .raw_header(plain_header("Auto-Submitted", "auto-generated"))
        // Amazon SES replaces the Message-ID by its own; this one arrives as it is.
        .raw_header(plain_header("X-Boxoffice-Message-ID", &headers.message_id))
        .multipart(content)
        .map_err(|cause| RenderError::Assembly(cause.into()))?;
    Ok(message.formatted())
}

fn quoted(content_type: ContentType, body: String) -> SinglePart {
    SinglePart::builder().header(content_type).header(ContentTransferEncoding::QuotedPrintable).body(body)
}

fn plain_header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}
