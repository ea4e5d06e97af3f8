//! The checkout request (spec §2.8; contract §6).

use crate::cart::CartInput;
use crate::{Amount, Checker, Field, IntegerId, incoming};
use domain::branding::is_language;
use domain::card::{
    Card, CardBrand, CardFault, CardFields, CardNumberError, CardText, CvcError, ExpiryError, ToldCard,
};
use domain::card_token::{PaymentToken, SentCard, UnreadableToken};
use domain::checkout::{CartSource, CheckoutRequest};
use domain::lines;
use domain::locations::{find_country, state_name};
use domain::order::OrderPerson;
use domain::{CartId, Language, ReservationId, Timestamp};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

incoming! {
    /// What a checkout needs: a cart, the payer, the card.
    pub struct CheckoutInput {
        /// The id of a cart made before; send this or `shoppingCart`.
        shopping_cart_id: String,
        /// A cart built within this call.
        shopping_cart: CartInput,
        /// Contact e-mail.
        email: String,
        /// Another name for `email`.
        contact_email: String,
        /// Contact phone.
        phone_number: String,
        /// Where the tickets go, when not to `billingEmail`.
        ticket_delivery_email: String,
        contact_first_name: String,
        contact_last_name: String,
        contact_full_name: String,
        address1: String,
        address2: String,
        country: String,
        city: String,
        state: String,
        zip_code: String,
        /// Expiry of the card, MMYY.
        exp_date: String,
        /// The card number; spaces and dashes are ignored.
        #[schema(schema_with = card_number_schema)]
        manual_entry_card_number: CardText,
        /// The card's security code.
        #[schema(schema_with = cvc_schema)]
        cvc: CardText,
        cc_last_four_digits: String,
        /// `Visa`, `MasterCard`, `AmericanExpress`, `Discover`, `Jcb` or `DinersClub`.
        credit_card_brand: String,
        /// A token of the card that a field of the card processor's own made in the visitor's page; instead of the
        /// card number, its expiry and its security code.
        #[schema(schema_with = payment_token_schema)]
        payment_token: CardText,
        /// `CreditCard`.
        payment_method: String,
        /// Internal use only; accepted and ignored.
        #[schema(deprecated)]
        service_token: serde_json::Value,
        /// Internal use only; accepted and ignored.
        #[schema(deprecated)]
        payment_processor_token: serde_json::Value,
        /// Internal use only; accepted and ignored.
        #[schema(deprecated)]
        payment_processor_finger_point: serde_json::Value,
        /// Internal use only; accepted and ignored.
        #[schema(deprecated)]
        checkout_forms: serde_json::Value,
        /// Internal use only; accepted and ignored.
        #[schema(deprecated)]
        email_analytics: serde_json::Value,
        /// Deprecated; accepted and ignored.
        #[schema(deprecated)]
        gift_card_number: serde_json::Value,
        /// Remarks on the order.
        notes: String,
        billing_first_name: String,
        billing_last_name: String,
        /// Where the confirmation goes.
        #[schema(required = true)]
        billing_email: String,
        billing_phone_number: String,
        billing_address1: String,
        billing_address2: String,
        billing_country: String,
        billing_city: String,
        billing_state: String,
        /// Needed where the bank verifies it.
        billing_zip_code: String,
        /// Whether a confirmation is mailed; default true.
        send_email: bool,
        /// What the visitor reads (BCP 47), such as `fr-CA`: mails are written in that language where there are texts in
        /// it, otherwise in that of the venue.
        locale: String,
        /// The reservation whose seats are bought; outranks the cart's.
        reservation_id: IntegerId,
        /// Refuse when the total is higher than this.
        expected_total: Amount,
        /// Only run the checks and report what they find.
        dry_run: bool,
    }
}

/// How a card number is described: as the text it is.
fn card_number_schema() -> Schema {
    card_text_schema("The card number; spaces and dashes are ignored.")
}

/// How a security code is described.
fn cvc_schema() -> Schema {
    card_text_schema("The card's security code.")
}

/// How a token is described.
fn payment_token_schema() -> Schema {
    card_text_schema(
        "A token of the card that a field of the card processor's own made in the visitor's page; instead of the \
         card number, its expiry and its security code.",
    )
}

fn card_text_schema(description: &str) -> Schema {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some(description))
        .build()
        .into()
}

/// Longest name, address line or remark part.
pub(crate) const MAX_TEXT_CHARS: usize = 200;
/// Longest remark.
pub(crate) const MAX_NOTES_CHARS: usize = 2_000;
/// Longest text a card field may have before it is looked at.
const MAX_CARD_CHARS: usize = 64;
/// Longest token of a card.
const MAX_TOKEN_CHARS: usize = 255;

impl CheckoutInput {
    /// Reads a checkout. `now` decides whether the card has expired.
    pub fn parse(mut self, checker: &mut Checker, now: Timestamp) -> Option<CheckoutRequest> {
        let source = self.source(checker);
        let card = self.sent_card(checker, now);
        let told = match &card {
            Some(SentCard::Token(_)) => self.told_card(checker),
            Some(SentCard::Number(_)) | None => ToldCard::default(),
        };
        let contact = self.contact(checker);
        let billing = self.billing(checker);
        let ticket_delivery_email = checker.email("ticketDeliveryEmail", self.ticket_delivery_email);
        let notes = checker.typed_remarks("notes", self.notes, MAX_NOTES_CHARS);
        if let Some(method) = checker.optional_text("paymentMethod", self.payment_method, MAX_TEXT_CHARS)
            && !method.eq_ignore_ascii_case("CreditCard")
        {
            checker.invalid("paymentMethod", "must be CreditCard");
        }
        let send_email = checker.optional("sendEmail", self.send_email).unwrap_or(true);
        let locale = read_locale(checker, self.locale);
        let reservation = checker.optional("reservationId", self.reservation_id);
        let reservation = reservation.and_then(|number| {
            let id = ReservationId::parse(number.get()).ok();
            if id.is_none() {
                checker.unknown("reservationId");
            }
            id
        });
        let expected_total = checker.optional_money("expectedTotal", self.expected_total);
        let dry_run = checker.optional("dryRun", self.dry_run).unwrap_or(false);
        Some(CheckoutRequest {
            source: source?,
            contact,
            billing,
            ticket_delivery_email,
            card,
            told,
            notes,
            send_email,
            locale,
            reservation,
            expected_total,
            dry_run,
        })
    }

    fn source(&mut self, checker: &mut Checker) -> Option<CartSource> {
        let id = std::mem::take(&mut self.shopping_cart_id);
        let cart = std::mem::take(&mut self.shopping_cart);
        match (id.is_sent(), cart.is_sent()) {
            (true, true) => {
                checker.invalid("shoppingCart", "must not be sent together with shoppingCartId");
                None
            }
            (false, false) => {
                checker.invalid("shoppingCartId", "is required unless shoppingCart is sent");
                None
            }
            (true, false) => checker.required_id("shoppingCartId", id, CartId::parse).map(CartSource::Stored),
            (false, true) => checker
                .object("shoppingCart", cart, |checker, cart| cart.parse_new(checker))
                .flatten()
                .map(|cart| CartSource::Inline(Box::new(cart))),
        }
    }

    /// What pays: a token of a card, or else the card.
    fn sent_card(&mut self, checker: &mut Checker, now: Timestamp) -> Option<SentCard> {
        let text = std::mem::take(&mut self.payment_token);
        let Some(text) = checker.optional_card_text("paymentToken", text, MAX_TOKEN_CHARS) else {
            return self.card(checker, now).map(|card| SentCard::Number(Box::new(card)));
        };
        let is_typed = is_filled(&self.manual_entry_card_number, CardText::expose)
            || is_filled(&self.exp_date, String::as_str)
            || is_filled(&self.cvc, CardText::expose);
        if is_typed {
            checker.invalid("paymentToken", "must not be sent together with a card number");
            return None;
        }
        match PaymentToken::parse(text.expose()) {
            Ok(token) => Some(SentCard::Token(token)),
            Err(UnreadableToken) => {
                checker.invalid("paymentToken", "must be a token of a card");
                None
            }
        }
    }

    /// What is said of the card behind a token. It is compared with the card, once that is known.
    fn told_card(&mut self, checker: &mut Checker) -> ToldCard {
        let mut take = |name: &str, field: &mut Field<String>| {
            checker.optional_text(name, std::mem::take(field), MAX_CARD_CHARS)
        };
        let brand = take("creditCardBrand", &mut self.credit_card_brand);
        let last_four = take("ccLastFourDigits", &mut self.cc_last_four_digits);
        ToldCard::parse(brand.as_deref(), last_four.as_deref()).unwrap_or_else(|faults| {
            for (field, message) in faults.iter().map(card_fault) {
                checker.invalid(field, message);
            }
            ToldCard::default()
        })
    }

    /// The card, when any of its fields was sent. None of the faults quotes a field.
    fn card(&mut self, checker: &mut Checker, now: Timestamp) -> Option<Card> {
        let said = [
            ("manualEntryCardNumber", Said::of(&self.manual_entry_card_number, CardText::expose)),
            ("expDate", Said::of(&self.exp_date, String::as_str)),
            ("cvc", Said::of(&self.cvc, CardText::expose)),
        ];
        let number = std::mem::take(&mut self.manual_entry_card_number);
        let number = checker.optional_card_text("manualEntryCardNumber", number, MAX_CARD_CHARS);
        let expiry = checker.optional_text("expDate", std::mem::take(&mut self.exp_date), MAX_CARD_CHARS);
        let cvc = checker.optional_card_text("cvc", std::mem::take(&mut self.cvc), MAX_CARD_CHARS);
        let mut take = |name: &str, field: &mut Field<String>| {
            checker.optional_text(name, std::mem::take(field), MAX_CARD_CHARS)
        };
        let brand = take("creditCardBrand", &mut self.credit_card_brand);
        let last_four = take("ccLastFourDigits", &mut self.cc_last_four_digits);
        if number.is_none() && expiry.is_none() && cvc.is_none() {
            return None;
        }
        let zip = match &self.billing_zip_code {
            Field::Value(zip) => Some(zip.trim()).filter(|zip| !zip.is_empty()),
            Field::Absent | Field::Null | Field::Wrong => None,
        };
        let fields = CardFields {
            number: number.as_ref().map(CardText::expose),
            expiry: expiry.as_deref(),
            cvc: cvc.as_ref().map(CardText::expose),
            brand: brand.as_deref(),
            last_four: last_four.as_deref(),
            zip,
            holder_name: None,
        };
        match Card::parse(&fields) {
            Ok(card) => {
                if !card.expiry.is_valid_at(now) {
                    checker.invalid("expDate", "has passed");
                }
                Some(card)
            }
            Err(faults) => {
                for fault in faults {
                    let (field, message) = card_fault(&fault);
                    match said.iter().find(|(name, _)| *name == field) {
                        Some((_, Said::Faulty)) => {}
                        Some((_, Said::Blank)) => checker.invalid(field, "must not be blank"),
                        Some((_, Said::Other)) | None => checker.invalid(field, message),
                    }
                }
                None
            }
        }
    }

    fn contact(&mut self, checker: &mut Checker) -> OrderPerson {
        let mut take = |name: &str, field: &mut Field<String>| match name.ends_with("Name") {
            true => checker.typed_name(name, std::mem::take(field), MAX_TEXT_CHARS),
            false => checker.optional_text(name, std::mem::take(field), MAX_TEXT_CHARS),
        };
        let person = OrderPerson {
            first_name: take("contactFirstName", &mut self.contact_first_name),
            last_name: take("contactLastName", &mut self.contact_last_name),
            full_name: take("contactFullName", &mut self.contact_full_name),
            phone_number: take("phoneNumber", &mut self.phone_number),
            address1: take("address1", &mut self.address1),
            address2: take("address2", &mut self.address2),
            city: take("city", &mut self.city),
            state: take("state", &mut self.state),
            zip_code: take("zipCode", &mut self.zip_code),
            country: take("country", &mut self.country),
            email: None,
        };
        let sent = [&mut self.email, &mut self.contact_email].map(std::mem::take);
        let sent = checker.either_word(["email", "contactEmail"], sent);
        let email = checker.email("email", sent);
        located(checker, "country", OrderPerson { email, ..person })
    }

    fn billing(&mut self, checker: &mut Checker) -> OrderPerson {
        let mut take = |name: &str, field: &mut Field<String>| match name.ends_with("Name") {
            true => checker.typed_name(name, std::mem::take(field), MAX_TEXT_CHARS),
            false => checker.optional_text(name, std::mem::take(field), MAX_TEXT_CHARS),
        };
        let person = OrderPerson {
            first_name: take("billingFirstName", &mut self.billing_first_name),
            last_name: take("billingLastName", &mut self.billing_last_name),
            full_name: None,
            phone_number: take("billingPhoneNumber", &mut self.billing_phone_number),
            address1: take("billingAddress1", &mut self.billing_address1),
            address2: take("billingAddress2", &mut self.billing_address2),
            city: take("billingCity", &mut self.billing_city),
            state: take("billingState", &mut self.billing_state),
            zip_code: take("billingZipCode", &mut self.billing_zip_code),
            country: take("billingCountry", &mut self.billing_country),
            email: None,
        };
        let email = checker.required_email("billingEmail", std::mem::take(&mut self.billing_email));
        located(checker, "billingCountry", OrderPerson { email, ..person })
    }
}

/// The language that a tag begins with; none where there are no texts in it.
fn read_locale(checker: &mut Checker, sent: Field<String>) -> Option<Language> {
    let tag = checker.optional_text("locale", sent, MAX_TEXT_CHARS)?;
    if !is_language(&tag) {
        checker.invalid("locale", "must be the tag of a language, such as en or pt-BR");
    }
    Language::of_tag(&tag)
}

/// What a field of the card says, before its rules are looked at.
enum Said {
    /// It is no text, or one of which nothing can be seen: it is told so already, and that it says nothing is no second
    /// fault.
    Faulty,
    /// White space alone.
    Blank,
    /// Nothing was sent, or something that can be seen.
    Other,
}

impl Said {
    fn of<T>(field: &Field<T>, text: impl Fn(&T) -> &str) -> Self {
        match field {
            Field::Wrong => Self::Faulty,
            Field::Value(value) if text(value).trim().is_empty() => Self::Blank,
            Field::Value(value) if lines::is_blank(text(value)) => Self::Faulty,
            Field::Value(_) | Field::Absent | Field::Null => Self::Other,
        }
    }
}

/// Whether something was sent in a field of the card.
fn is_filled<T>(field: &Field<T>, text: impl Fn(&T) -> &str) -> bool {
    match field {
        Field::Wrong => true,
        Field::Value(value) => !text(value).trim().is_empty(),
        Field::Absent | Field::Null => false,
    }
}

/// Countries and states are stored by name, whether sent as name or code (contract §10). A state the lists
/// do not have, such as a military post office, is kept as it was written.
fn located(checker: &mut Checker, country: &str, mut person: OrderPerson) -> OrderPerson {
    let Some(sent) = person.country.take() else { return person };
    let Some(name) = checker.listed_country(country, &sent) else { return person };
    if let (Some(known), Some(state)) = (find_country(&sent), person.state.as_deref())
        && let Some(state) = state_name(known, state)
    {
        person.state = Some(state.to_owned());
    }
    person.country = Some(name.to_owned());
    person
}

fn card_fault(fault: &CardFault) -> (&'static str, &'static str) {
    match fault {
        CardFault::Number(fault) => ("manualEntryCardNumber", number_fault(fault)),
        CardFault::Expiry(ExpiryError::Missing) => ("expDate", "is required"),
        CardFault::Expiry(ExpiryError::NotMmyy) => ("expDate", "must be four digits, MMYY"),
        CardFault::Expiry(ExpiryError::NoSuchMonth { month: _ }) => {
            ("expDate", "must begin with a month between 01 and 12")
        }
        CardFault::Cvc(CvcError::Missing) => ("cvc", "is required"),
        CardFault::Cvc(CvcError::NotDigits) => ("cvc", "must have digits only"),
        CardFault::Cvc(CvcError::WrongLength { digits: _, brand }) => ("cvc", cvc_length(*brand)),
        CardFault::UnknownBrand => ("creditCardBrand", "is not a supported card brand"),
        CardFault::BrandContradictsNumber { .. } => ("creditCardBrand", "does not match the card number"),
        CardFault::LastFourNotFourDigits => ("ccLastFourDigits", "must be four digits"),
        CardFault::LastFourContradictsNumber => {
            ("ccLastFourDigits", "must match the last four digits of the card number")
        }
    }
}

const fn cvc_length(brand: Option<CardBrand>) -> &'static str {
    match brand {
        Some(CardBrand::AmericanExpress) => "must have 4 digits",
        Some(
            CardBrand::Visa
            | CardBrand::MasterCard
            | CardBrand::Discover
            | CardBrand::Jcb
            | CardBrand::DinersClub,
        ) => "must have 3 digits",
        None => "must have 3 digits (4 for American Express)",
    }
}

const fn number_fault(fault: &CardNumberError) -> &'static str {
    match fault {
        CardNumberError::Missing => "is required",
        CardNumberError::NotDigits => "must have digits, spaces and dashes only",
        CardNumberError::WrongLength { digits: _ } => "must have 13 to 19 digits",
        CardNumberError::WrongChecksum => "is not a valid card number",
        CardNumberError::UnknownBrand => "is not from a supported card brand",
    }
}
