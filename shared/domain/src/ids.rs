//! One type per identifier (contract §1, "Id forms"). Opaque to callers; no function takes two bare strings.

use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Builder;

/// The text cannot be an identifier of this kind, so nothing with that identifier exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadableId;

/// The longest identifier text accepted from outside.
const MAX_ID_CHARS: usize = 64;

fn is_id_text(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_ID_CHARS
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Identifiers that are shown when debugging.
macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        secret_ids! { $($(#[$doc])* #[derive(Debug)] $name;)* }
    };
}

macro_rules! secret_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Reads an identifier as a caller sent it: 1 to 64 letters, digits, `-` or `_`.
            ///
            /// # Errors
            /// [`UnreadableId`] for any other text.
            pub fn parse(text: &str) -> Result<Self, UnreadableId> {
                if is_id_text(text) { Ok(Self(text.to_owned())) } else { Err(UnreadableId) }
            }

            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                if is_id_text(&text) { Ok(Self(text)) } else { Err("not an identifier") }
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )*};
}

macro_rules! bytes_ids {
    ($($name:ident <- $bytes:literal;)*) => {$(
        impl $name {
            /// The identifier made of these random bytes, in lower-case hexadecimal.
            #[must_use]
            pub fn from_bytes(bytes: [u8; $bytes]) -> Self {
                Self(hex::encode(bytes))
            }
        }
    )*};
}

macro_rules! number_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Reads an identifier as a caller sent it: a positive integer below 2^53.
            ///
            /// # Errors
            /// [`UnreadableId`] for any other number.
            pub const fn parse(number: i64) -> Result<Self, UnreadableId> {
                if number > 0 && number < MAX_NUMBER { Ok(Self(number)) } else { Err(UnreadableId) }
            }

            /// The identifier made of these random bits: the low 53 of them, never zero.
            #[must_use]
            pub const fn from_bits(bits: u64) -> Self {
                Self(positive_53_bits(bits))
            }

            /// The identifier as a number.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    )*};
}

/// Numbers from here on cannot be told apart by clients whose only number is a double.
const MAX_NUMBER: i64 = 1 << 53;

const fn positive_53_bits(bits: u64) -> i64 {
    let low = (bits & 0x001f_ffff_ffff_ffff).cast_signed();
    if low == 0 { 1 } else { low }
}

text_ids! {
    /// A scan of tickets at a door, or a block of them: 32 hexadecimal digits.
    AdmissionId;
    /// What the barcodes of all tickets of an order begin with: 16 hexadecimal digits, 64 random bits.
    BarcodeTag;
    /// A shopping cart: 24 hexadecimal digits.
    CartId;
    /// One line of a cart; kept while the line is kept: 32 hexadecimal digits.
    CartItemId;
    /// A combination of several events at one price: 24 hexadecimal digits.
    ComboTemplateId;
    /// A coupon's own id, not its code: 24 hexadecimal digits.
    CouponId;
    /// A discount definition: 24 hexadecimal digits.
    DiscountId;
    /// The name of an entitlement rule, chosen by its author and the only one of its template.
    EntitlementRuleId;
    /// A form definition: 24 hexadecimal digits.
    FormId;
    /// A filled-in form: 32 hexadecimal digits.
    FormResponseId;
    /// A membership level (category): 24 hexadecimal digits.
    LevelId;
    /// A wish to log in by mail, which its link does not show: 24 hexadecimal digits.
    LoginRequestId;
    /// A merchant id of the payments interface: digits.
    Mid;
    /// A membership offering: 32 hexadecimal digits.
    OfferingId;
    /// An order: digits.
    OrderId;
    /// One line of an order: digits.
    OrderItemId;
    /// The order number printed for people: 9 digits, unique per tenant.
    OrderNumber;
    /// A price list of an event template: 24 hexadecimal digits.
    PriceListId;
    /// The processor's own name for one payment attempt.
    PaymentReference;
    /// A refund: `refund_<uuid>`.
    RefundId;
    /// The entitlement rules of a template: 24 hexadecimal digits.
    RuleSetId;
    /// A captured sale: `sale_<uuid>`.
    SaleId;
    /// A schedule of an event template: 24 hexadecimal digits.
    ScheduleId;
    /// A member of the staff: 24 hexadecimal digits.
    StaffId;
    /// An event template: 24 hexadecimal digits.
    TemplateId;
    /// A ticket: digits.
    TicketId;
    /// A ticket type, person type or price point; the spec uses the three names for one thing:
    /// 24 hexadecimal digits.
    TicketTypeId;
}

secret_ids! {
    /// The barcode of a ticket (`uuid` in will-call): 32 hexadecimal digits. The first half is the same for all tickets
    /// of an order, the other 64 random bits of its own. It opens a door, so that it is not shown when debugging.
    TicketBarcode;
}

impl fmt::Debug for TicketBarcode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("TicketBarcode(..)")
    }
}

bytes_ids! {
    AdmissionId <- 16;
    BarcodeTag <- 8;
    CartId <- 12;
    CartItemId <- 16;
    ComboTemplateId <- 12;
    CouponId <- 12;
    DiscountId <- 12;
    FormId <- 12;
    FormResponseId <- 16;
    LevelId <- 12;
    LoginRequestId <- 12;
    OfferingId <- 16;
    PriceListId <- 12;
    RuleSetId <- 12;
    ScheduleId <- 12;
    StaffId <- 12;
    TemplateId <- 12;
    TicketBarcode <- 16;
    TicketTypeId <- 12;
}

number_ids! {
    /// A member card.
    CardId;
    /// A customer of a tenant.
    CustomerId;
    /// An add-on or donation of the catalog.
    InventoryId;
    /// A membership, or a membership number where the spec lets the two stand for each other.
    MembershipId;
    /// A hold of event capacity.
    ReservationId;
    /// One line of a reservation.
    ReservationItemId;
    /// The owner of the data; leads every key.
    TenantId;
}

/// Digits of a barcode that all tickets of an order have in common.
const TAG_DIGITS: usize = 16;

impl TicketBarcode {
    /// Reads a barcode as it was scanned or typed: in any case, with white space around it.
    ///
    /// # Errors
    /// [`UnreadableId`] for a text that is no barcode.
    pub fn scanned(text: &str) -> Result<Self, UnreadableId> {
        Self::parse(&text.trim().to_ascii_lowercase())
    }

    /// A barcode of the order whose barcodes begin so, that goes on with these random bytes.
    #[must_use]
    pub fn beginning_with(tag: &BarcodeTag, rest: [u8; 8]) -> Self {
        Self(format!("{tag}{}", hex::encode(rest)))
    }

    /// What it begins with. Tickets of before barcodes had a half in common each have one of their own.
    #[must_use]
    pub fn tag(&self) -> BarcodeTag {
        BarcodeTag(self.0.chars().take(TAG_DIGITS).collect())
    }
}

/// Digits of a membership number, the check digit included: too few to be taken for a card number.
const NUMBER_DIGITS: u32 = 12;

impl MembershipId {
    /// The membership number made of these random bits: twelve digits, the last of them the check digit of
    /// ISO 7064, MOD 11,10: a number that is misread in one digit is found wrong, and nearly every one with two
    /// neighbours swapped.
    #[must_use]
    pub fn number_from_bits(bits: u64) -> Self {
        let lowest = 10_u64.pow(NUMBER_DIGITS.saturating_sub(2));
        let digits = (bits % lowest.saturating_mul(9)).saturating_add(lowest);
        let text = digits.to_string();
        let number = digits.saturating_mul(10).saturating_add(u64::from(check_digit(&text)));
        Self(number.cast_signed())
    }
}

/// The check digit of ISO 7064, MOD 11,10.
fn check_digit(digits: &str) -> u8 {
    let product = digits.bytes().filter(u8::is_ascii_digit).fold(10_u8, |product, digit| {
        let sum = (product.saturating_add(digit.saturating_sub(b'0'))) % 10;
        (if sum == 0 { 10 } else { sum }).saturating_mul(2) % 11
    });
    11_u8.saturating_sub(product) % 10
}

macro_rules! digit_ids {
    ($($name:ident;)*) => {$(
        impl $name {
            /// The identifier made of these random bits: up to 16 digits, below 2^53.
            #[must_use]
            pub fn from_bits(bits: u64) -> Self {
                Self(positive_53_bits(bits).to_string())
            }
        }
    )*};
}

digit_ids! { Mid; OrderId; OrderItemId; TicketId; }

/// Digits of an order's number.
const ORDER_NUMBER_DIGITS: usize = 9;

impl OrderNumber {
    /// The number that a text is as it is printed: nine digits.
    #[must_use]
    pub fn printed(text: &str) -> Option<Self> {
        let is_number = text.len() == ORDER_NUMBER_DIGITS && text.bytes().all(|digit| digit.is_ascii_digit());
        Self::parse(text).ok().filter(|_| is_number)
    }

    /// Nine digits made of these random bits, the first of them not zero.
    #[must_use]
    pub fn from_bits(bits: u64) -> Self {
        Self((bits % 900_000_000).saturating_add(100_000_000).to_string())
    }
}

impl SaleId {
    /// `sale_<uuid>` of these random bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(format!("sale_{}", Builder::from_random_bytes(bytes).into_uuid()))
    }
}

impl RefundId {
    /// `refund_<uuid>` of these random bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(format!("refund_{}", Builder::from_random_bytes(bytes).into_uuid()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_could_leave_its_key_is_no_identifier() {
        for text in ["", "a#b", "a/b", "a b", "é", &"x".repeat(65)] {
            assert_eq!(CartId::parse(text), Err(UnreadableId), "{text:?}");
        }
    }

    #[test]
    fn numbers_stay_within_what_a_double_can_tell_apart() {
        assert_eq!(ReservationId::from_bits(u64::MAX).get(), (1 << 53) - 1);
        assert_eq!(ReservationId::from_bits(0).get(), 1);
        assert_eq!(ReservationId::parse(0), Err(UnreadableId));
        assert_eq!(ReservationId::parse(1 << 53), Err(UnreadableId));
    }

    #[test]
    fn membership_numbers_have_twelve_digits_and_the_check_digit_of_the_standard() {
        // The example of ISO 7064 for MOD 11,10.
        assert_eq!(check_digit("0794"), 5);
        for bits in [0, 1, 89_999_999_999, u64::MAX] {
            let number = MembershipId::number_from_bits(bits).to_string();
            assert_eq!(number.len(), 12);
            let (digits, last) = number.split_at(11);
            assert_eq!(check_digit(digits).to_string(), last);
        }
    }

    #[test]
    fn barcodes_of_an_order_have_their_first_half_in_common() {
        let tag = BarcodeTag::from_bytes([0xa7; 8]);
        let [one, other] = [1, 2].map(|rest| TicketBarcode::beginning_with(&tag, [rest; 8]));
        assert_eq!(one.as_str(), "a7a7a7a7a7a7a7a70101010101010101");
        assert_ne!(one, other);
        assert_eq!([one.tag(), other.tag()], [tag.clone(), tag]);
        // One of before, and a text that is none of ours.
        assert_eq!(TicketBarcode::from_bytes([0x5c; 16]).tag().as_str(), "5c5c5c5c5c5c5c5c");
        assert_eq!(TicketBarcode::parse("0042").unwrap().tag().as_str(), "0042");
    }

    #[test]
    fn a_barcode_is_read_in_any_case_and_never_shown_when_debugging() {
        let barcode = TicketBarcode::from_bytes([0xa7; 16]);
        let sent = format!(" {} ", barcode.as_str().to_uppercase());
        assert_eq!(TicketBarcode::scanned(&sent), Ok(barcode.clone()));
        assert_eq!(TicketBarcode::scanned("nobody's"), Err(UnreadableId));
        assert_eq!(format!("{barcode:?}"), "TicketBarcode(..)");
    }

    #[test]
    fn a_printed_number_of_an_order_has_nine_digits() {
        assert_eq!(OrderNumber::printed("100731946"), OrderNumber::parse("100731946").ok());
        for text in ["", "10073194", "1007319460", "10073194x", " 00731946"] {
            assert_eq!(OrderNumber::printed(text), None, "{text}");
        }
    }

    #[test]
    fn order_numbers_have_nine_digits() {
        for bits in [0, 1, 899_999_999, u64::MAX] {
            assert_eq!(OrderNumber::from_bits(bits).as_str().len(), 9);
        }
    }

    #[test]
    fn sale_ids_are_version_4_uuids() {
        assert_eq!(SaleId::from_bytes([0xff; 16]).as_str(), "sale_ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
