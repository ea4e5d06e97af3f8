use super::*;
use chrono::{TimeZone, Utc};
use domain::Language;
use mail_parser::{Message, MessageParser, MimeHeaders, PartType};
use proptest::prelude::*;
use std::collections::HashSet;

/// As the mail is written in English.
fn render(mail: &ConfirmationMail) -> Result<OutgoingMail, RenderError> {
    super::render(&Locale::of(Language::English).unwrap(), mail)
}

const MESSAGE_ID: &str = "<order-31840526.tickets@boxoffice.example>";

fn address(name: &str, address: &str) -> MailAddress {
    MailAddress { name: name.into(), address: address.into() }
}

fn ticket(barcode: &str) -> MailTicket {
    MailTicket {
        event_name: "Harbor Gallery Entry".into(),
        when: "Sat, Mar 14 2026, 10:30 AM".into(),
        ticket_type: "Adult".into(),
        holder: "Ines Okafor".into(),
        barcode: barcode.into(),
    }
}

fn mail() -> ConfirmationMail {
    ConfirmationMail {
        message_id: MESSAGE_ID.into(),
        dated: Utc.with_ymd_and_hms(2026, 3, 10, 13, 5, 0).unwrap(),
        from: address("Harbor Museum", "tickets@boxoffice.example"),
        to: address("Ines Okafor", "ines.okafor@example.org"),
        kind: RenderKind::ReceiptWithTickets,
        codes: Codes::Tickets,
        venue_name: "Harbor Museum".into(),
        order_number: "100731946".into(),
        receipt_number: String::new(),
        created: "Tue, Mar 10 2026, 9:05 AM".into(),
        buyer_name: "Ines Okafor".into(),
        currency: Currency::default(),
        lines: vec![
            MailLine {
                name: "Harbor Gallery Entry, Adult".into(),
                detail: Some("Sat, Mar 14 2026, 10:30 AM".into()),
                quantity: 2,
                unit_price: Money::from_cents(1_800),
                amount: Money::from_cents(3_600),
            },
            MailLine {
                name: "Donation to the Lighthouse Fund".into(),
                detail: None,
                quantity: 1,
                unit_price: Money::from_cents(500),
                amount: Money::from_cents(500),
            },
        ],
        total: Money::from_cents(4_100),
        paid: Money::from_cents(4_100),
        taxes: Vec::new(),
        card: Some("Visa ending in 4242".into()),
        tickets: vec![
            ticket("4f6c1f0e-8f0b-4b58-9d3a-2f6f1f3a7c11"),
            ticket("9b1f7a52-6c1d-4f0e-a3b7-0d5e8c2f4a90"),
        ],
        message: Some("Doors open at 10.\r\nPlease bring this e-mail.".into()),
    }
}

fn parsed(outgoing: &OutgoingMail) -> Message<'_> {
    MessageParser::default().parse(&outgoing.mime).unwrap()
}

fn text_of(mail: &ConfirmationMail) -> String {
    parsed(&render(mail).unwrap()).body_text(0).unwrap().replace("\r\n", "\n")
}

fn html_of(mail: &ConfirmationMail) -> String {
    parsed(&render(mail).unwrap()).body_html(0).unwrap().into_owned()
}

/// The Content-ID and bytes of each image.
fn images(message: &Message<'_>) -> Vec<(String, Vec<u8>)> {
    let mut images = Vec::new();
    for part in &message.parts {
        if let PartType::InlineBinary(bytes) | PartType::Binary(bytes) = &part.body {
            let kind = part.content_type().unwrap();
            assert_eq!((kind.ctype(), kind.subtype()), ("image", Some("png")));
            images.push((part.content_id().unwrap().to_owned(), bytes.to_vec()));
        }
    }
    images
}

/// Scans an image as a reader at the entrance would.
fn scan(image: &[u8]) -> String {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(image));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let (width, height) = (frame.width.try_into().unwrap(), frame.height.try_into().unwrap());
    let mut picture =
        rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| pixels[y * width + x]);
    let codes = picture.detect_grids();
    assert_eq!(codes.len(), 1);
    codes[0].decode().unwrap().1
}

#[test]
fn the_usual_mail_has_receipt_and_tickets_as_text() {
    insta::assert_snapshot!(text_of(&mail()), @r"
    Harbor Museum
    Your tickets and receipt

    Order 100731946, Tue, Mar 10 2026, 9:05 AM
    Ordered by Ines Okafor

    Doors open at 10.
    Please bring this e-mail.

    RECEIPT

    Harbor Gallery Entry, Adult
      Sat, Mar 14 2026, 10:30 AM
      2 x $18.00 = $36.00

    Donation to the Lighthouse Fund
      1 x $5.00 = $5.00

    Total: $41.00
    Paid: $41.00, Visa ending in 4242

    TICKETS
    Show each QR code at the entrance, or read out the code below it.

    1. Harbor Gallery Entry
      Sat, Mar 14 2026, 10:30 AM
      Adult · Ines Okafor
      Code: 4f6c1f0e-8f0b-4b58-9d3a-2f6f1f3a7c11

    2. Harbor Gallery Entry
      Sat, Mar 14 2026, 10:30 AM
      Adult · Ines Okafor
      Code: 9b1f7a52-6c1d-4f0e-a3b7-0d5e8c2f4a90
    ");
}

#[test]
fn a_receipt_says_what_it_contains_of_taxes_in_the_currency_of_the_venue() {
    let tax = |name: &str, cents: i64| MailTax { name: name.into(), amount: Money::from_cents(cents) };
    let currency = Currency::parse("EUR").unwrap();
    let taxes = vec![tax("VAT 20%", 600), tax("<b>Levy</b>\r\nPaid: 5.5%", 27)];
    let mail = ConfirmationMail { currency, taxes, receipt_number: "2027-000123".into(), ..mail() };
    let text = text_of(&mail);
    let expected = "Paid: €41.00, Visa ending in 4242\nIncludes VAT 20%: €6.00\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("\nIncludes <b>Levy</b> Paid: 5.5%: €0.27\n"), "{text}");
    let html = html_of(&mail);
    assert!(html.contains("Includes VAT 20%") && !html.contains("<b>Levy"), "{html}");
    assert!(text.contains("\nRECEIPT 2027-000123\n") && html.contains("Receipt 2027-000123"), "{text}");
    let tickets = ConfirmationMail { kind: RenderKind::Tickets, ..mail };
    assert!(!text_of(&tickets).contains("2027-000123"));
}

#[test]
fn a_receipt_alone_has_no_code_and_says_that_the_tickets_follow() {
    let receipt = ConfirmationMail { kind: RenderKind::Receipt, message: None, ..mail() };
    insta::assert_snapshot!(text_of(&receipt), @r"
    Harbor Museum
    Your receipt

    Order 100731946, Tue, Mar 10 2026, 9:05 AM
    Ordered by Ines Okafor

    RECEIPT

    Harbor Gallery Entry, Adult
      Sat, Mar 14 2026, 10:30 AM
      2 x $18.00 = $36.00

    Donation to the Lighthouse Fund
      1 x $5.00 = $5.00

    Total: $41.00
    Paid: $41.00, Visa ending in 4242

    Your tickets are sent to the delivery address of this order in a separate e-mail.
    ");
    let outgoing = render(&receipt).unwrap();
    assert!(images(&parsed(&outgoing)).is_empty());
    let html = html_of(&receipt);
    assert!(html.contains("$41.00") && html.contains("separate e-mail") && !html.contains("4f6c1f0e"));
}

#[test]
fn tickets_alone_show_no_price() {
    let tickets = ConfirmationMail { kind: RenderKind::Tickets, buyer_name: String::new(), ..mail() };
    insta::assert_snapshot!(text_of(&tickets), @r"
    Harbor Museum
    Your tickets

    Order 100731946, Tue, Mar 10 2026, 9:05 AM

    Doors open at 10.
    Please bring this e-mail.

    TICKETS
    Show each QR code at the entrance, or read out the code below it.

    1. Harbor Gallery Entry
      Sat, Mar 14 2026, 10:30 AM
      Adult · Ines Okafor
      Code: 4f6c1f0e-8f0b-4b58-9d3a-2f6f1f3a7c11

    2. Harbor Gallery Entry
      Sat, Mar 14 2026, 10:30 AM
      Adult · Ines Okafor
      Code: 9b1f7a52-6c1d-4f0e-a3b7-0d5e8c2f4a90
    ");
    let html = html_of(&tickets);
    assert!(!html.contains('$') && !html.contains("Visa") && !html.contains("Ordered by"));
}

#[test]
fn an_order_without_tickets_or_card_gets_a_plain_receipt() {
    let free = ConfirmationMail {
        tickets: Vec::new(),
        lines: Vec::new(),
        total: Money::ZERO,
        paid: Money::ZERO,
        card: None,
        message: None,
        ..mail()
    };
    insta::assert_snapshot!(text_of(&free), @r"
    Harbor Museum
    Your receipt

    Order 100731946, Tue, Mar 10 2026, 9:05 AM
    Ordered by Ines Okafor

    RECEIPT

    Total: $0.00
    Paid: $0.00
    ");
    assert_eq!(render(&free).unwrap().subject, "Your receipt from Harbor Museum, order 100731946");
}

#[test]
fn every_ticket_scans_back_to_its_barcode_through_the_image_the_page_shows() {
    let mail = mail();
    let outgoing = render(&mail).unwrap();
    let message = parsed(&outgoing);
    let images = images(&message);
    let html = html_of(&mail);
    assert_eq!(images.len(), mail.tickets.len());
    for ((content_id, image), ticket) in images.iter().zip(&mail.tickets) {
        assert_eq!(scan(image), ticket.barcode);
        assert!(html.contains(&format!("src=\"cid:{content_id}\"")), "{content_id}");
        assert!(html.contains(&format!(">{}</code>", ticket.barcode)));
    }
}

#[test]
fn barcodes_of_every_length_scan() {
    // Digits, capitals and any letters are written in three ways.
    for characters in ["9aZ-", "7301", "B0X-"] {
        for length in [1, 2, 12, 19, 36, 64, 128, BARCODE_MAX_CHARS] {
            let barcode = characters.repeat(50)[..length].to_owned();
            assert_eq!(scan(&qr::png(&barcode, 0).unwrap()), barcode);
        }
    }
}

#[test]
fn the_html_page_shows_lines_totals_and_card() {
    let html = html_of(&mail());
    for expected in [
        "<b>Harbor Gallery Entry, Adult</b>",
        "2 × $18.00",
        "$36.00",
        "<b>Donation to the Lighthouse Fund</b>",
        "<b>Total</b>",
        "<b>$41.00</b>",
        "Paid, Visa ending in 4242",
        "Doors open at 10.<br>Please bring this e-mail.",
    ] {
        assert!(html.contains(expected), "{expected} is missing in {html}");
    }
}

#[test]
fn markup_in_any_text_is_shown_and_never_run() {
    let attack = "<script>alert(1)</script>\"'&";
    let mut mail = mail();
    let ticket = &mut mail.tickets[0];
    for text in [
        &mut mail.venue_name,
        &mut mail.order_number,
        &mut mail.created,
        &mut mail.buyer_name,
        &mut mail.lines[0].name,
        &mut ticket.event_name,
        &mut ticket.when,
        &mut ticket.ticket_type,
        &mut ticket.holder,
        &mut ticket.barcode,
    ] {
        *text = attack.into();
    }
    mail.lines[0].detail = Some(attack.into());
    mail.card = Some(attack.into());
    mail.message = Some(attack.into());
    let html = html_of(&mail);
    assert!(!html.contains("<script"));
    assert!(html.contains("<b>&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;</b><br>"));
    assert!(text_of(&mail).contains(attack));
}

#[test]
fn headers_are_exact_and_the_message_id_arrives_in_both_of_its_headers() {
    let outgoing = render(&mail()).unwrap();
    let head = String::from_utf8(outgoing.mime.clone()).unwrap();
    let (head, _) = head.split_once("\r\n\r\n").unwrap();
    insta::assert_snapshot!(head.replace("\r\n", "\n"), @r#"
    Message-ID: <order-31840526.tickets@boxoffice.example>
    Date: Tue, 10 Mar 2026 13:05:00 +0000
    From: "Harbor Museum" <tickets@boxoffice.example>
    To: "Ines Okafor" <ines.okafor@example.org>
    Subject: Your tickets and receipt from Harbor Museum, order 100731946
    Auto-Submitted: auto-generated
    X-Boxoffice-Message-ID: <order-31840526.tickets@boxoffice.example>
    MIME-Version: 1.0
    Content-Type: multipart/alternative; boundary="=_text_or_html"
    "#);
    assert_eq!(outgoing.message_id, MESSAGE_ID);
    assert_eq!(outgoing.from, "tickets@boxoffice.example");
    assert_eq!(outgoing.to, "ines.okafor@example.org");
    assert_eq!(outgoing.subject, "Your tickets and receipt from Harbor Museum, order 100731946");
}

#[test]
fn a_long_message_id_is_not_folded_apart() {
    let long = format!("<{}@boxoffice.example>", "a".repeat(200));
    let outgoing = render(&ConfirmationMail { message_id: long.clone(), ..mail() }).unwrap();
    assert_eq!(parsed(&outgoing).message_id().unwrap(), long.trim_matches(['<', '>']));
}

#[test]
fn names_and_subject_outside_ascii_arrive_unchanged() {
    let mail = ConfirmationMail {
        venue_name: "Müzeum 東京 “Ocean”".into(),
        from: address("Müzeum 東京, “Ocean”", "tickets@müzeum.example"),
        to: address("Zoë \"Z\" Łuczak 😀", "zoe@example.org"),
        ..mail()
    };
    let outgoing = render(&mail).unwrap();
    assert!(outgoing.mime.is_ascii());
    let message = parsed(&outgoing);
    assert_eq!(
        message.subject().unwrap(),
        "Your tickets and receipt from Müzeum 東京 “Ocean”, order 100731946"
    );
    assert_eq!(outgoing.subject, message.subject().unwrap());
    let from = message.from().unwrap().first().unwrap();
    assert_eq!(from.name().unwrap(), "Müzeum 東京, “Ocean”");
    assert_eq!(from.address().unwrap(), "tickets@xn--mzeum-kva.example");
    assert_eq!(outgoing.from, "tickets@xn--mzeum-kva.example");
    assert_eq!(message.to().unwrap().first().unwrap().name().unwrap(), "Zoë \"Z\" Łuczak 😀");
}

#[test]
fn line_breaks_in_names_start_no_header_and_forge_no_line() {
    for line_break in ["\r\n", "\n", "\r", "\u{2028}", "\u{85}", "\0"] {
        let attack = format!("Ines{line_break}Bcc: thief@example.org{line_break}{line_break}Total: $0.00");
        let mut mail = mail();
        mail.from.name = attack.clone();
        mail.to.name = attack.clone();
        mail.venue_name = attack.clone();
        mail.order_number = attack.clone();
        mail.buyer_name = attack.clone();
        mail.tickets[0].event_name = attack.clone();
        let outgoing = render(&mail).unwrap();
        let message = parsed(&outgoing);
        assert!(message.bcc().is_none());
        assert_eq!(message.to().unwrap().iter().count(), 1);
        assert_eq!(message.headers().len(), parsed(&render(&self::mail()).unwrap()).headers().len());
        assert!(outgoing.subject.contains("Ines Bcc: thief@example.org Total: $0.00"));
        let text = text_of(&mail);
        assert!(!text.lines().any(|line| line.starts_with("Bcc:") || line == "Total: $0.00"), "{text}");
    }
}

#[test]
fn a_text_that_spells_a_boundary_ends_no_part() {
    let message = "--=_text_or_html\r\nContent-Type: text/plain\r\n\r\nforged\r\n--=_page_and_images--";
    let outgoing = render(&ConfirmationMail { message: Some(message.into()), ..mail() }).unwrap();
    assert_eq!(parsed(&outgoing).parts.len(), parsed(&render(&mail()).unwrap()).parts.len());
}

#[test]
fn unusable_addresses_are_refused_by_field_and_never_quoted() {
    for bad in [
        "",
        "nobody",
        "@example.org",
        "ines@",
        "ines@example.org\r\nBcc: thief@example.org",
        "ines\r\n@example.org",
        "ines okafor@example.org",
        "ines@example.org, thief@example.org",
        "<ines@example.org>",
        "zoë@example.org",
        "ines@exam ple.org",
    ] {
        let to = render(&ConfirmationMail { to: address("", bad), ..mail() }).unwrap_err();
        assert!(matches!(to, RenderError::Mailbox(MailboxField::To)), "{bad:?}: {to:?}");
        assert_eq!(to.to_string(), "the recipient's address is no mailbox");
        let from = render(&ConfirmationMail { from: address("", bad), ..mail() }).unwrap_err();
        assert!(matches!(from, RenderError::Mailbox(MailboxField::From)), "{bad:?}: {from:?}");
    }
}

#[test]
fn malformed_message_ids_are_refused() {
    for bad in ["", "a@b", "<a@b", "<ab>", "<@b>", "<a@>", "<a@b@c>", "<a b@c>", "<a@b>\r\nBcc: x@y", "<é@b>"]
    {
        let error = render(&ConfirmationMail { message_id: bad.into(), ..mail() }).unwrap_err();
        assert!(matches!(error, RenderError::MessageId), "{bad:?}: {error:?}");
    }
}

#[test]
fn a_date_without_a_header_form_is_refused() {
    for year in [1969, 10_000] {
        let dated = Utc.with_ymd_and_hms(year, 12, 31, 23, 59, 59).unwrap();
        let error = render(&ConfirmationMail { dated, ..mail() }).unwrap_err();
        assert!(matches!(error, RenderError::Date));
    }
}

#[test]
fn an_unprintable_barcode_is_refused_by_its_place() {
    for bad in [String::new(), "a b".into(), "a\nb".into(), "é".into(), "x".repeat(BARCODE_MAX_CHARS + 1)] {
        let mut mail = mail();
        mail.tickets[1].barcode = bad;
        assert!(matches!(render(&mail), Err(RenderError::Barcode(1))));
    }
}

#[test]
fn rendering_twice_gives_the_same_bytes() {
    assert!(render(&mail()).unwrap() == render(&mail()).unwrap());
}

#[test]
fn two_thousand_tickets_stay_small_and_every_code_is_in_the_mail() {
    let barcode = |number: usize| format!("4f6c1f0e-8f0b-4b58-9d3a-{number:012}");
    let mail =
        ConfirmationMail { tickets: (0..2_000).map(|number| ticket(&barcode(number))).collect(), ..mail() };
    let outgoing = render(&mail).unwrap();
    assert!(outgoing.mime.len() < 1_000_000, "{}", outgoing.mime.len());
    let message = parsed(&outgoing);
    let images = images(&message);
    assert_eq!(images.len(), QR_TICKETS);
    assert_eq!(scan(&images[99].1), barcode(99));
    let (text, html) = (text_of(&mail), html_of(&mail));
    for part in [&text, &html] {
        let words: HashSet<&str> = part.split([' ', '\n', '<', '>']).collect();
        assert!((0..2_000).all(|number| words.contains(barcode(number).as_str())));
    }
    let stated = "This e-mail has QR codes for the first 100 tickets. The other 1,900 are just as valid: read \
                  out their codes at the entrance.";
    assert!(text.contains(stated) && html.contains(stated));
}

#[test]
fn a_page_of_a_hundred_codes_is_short_enough_for_mail_readers_not_to_cut_it() {
    let tickets = (0..QR_TICKETS).map(|number| ticket(&format!("4f6c1f0e-8f0b-4b58-9d3a-{number:012}")));
    let html = html_of(&ConfirmationMail { tickets: tickets.collect(), ..mail() });
    assert!(html.len() < 100_000, "{}", html.len());
}

#[test]
fn a_mail_over_the_limit_is_refused_with_its_size() {
    let mail = ConfirmationMail { message: Some("é".repeat(850_000)), ..mail() };
    let Err(RenderError::TooLarge { bytes }) = render(&mail) else { panic!("it was rendered") };
    assert!(bytes > MIME_LIMIT_BYTES);
}

proptest! {
    /// What is accepted as an address is exactly what a message can be addressed to, and it arrives at that address.
    #[test]
    fn an_address_is_accepted_where_a_message_can_be_written_to_it(
        text in prop_oneof![
            "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,8}@[a-z0-9-]{1,6}\\.[a-z0-9-]{1,5}",
            "[a-z]{1,3}@[a-zö例\\u{ad}ßE.-]{1,8}\\.(se|org|XN--A|xn--p1ai)",
            "[a-z@. \"\\[\\]0-9]{1,14}",
            "[a-z]{1,66}@([a-z0-9]{1,20}\\.){1,13}com",
            "\\PC{1,8}@\\PC{1,8}",
        ],
    ) {
        let rendered = render(&ConfirmationMail { to: address("Ines", &text), ..mail() });
        prop_assert_eq!(domain::EmailAddress::parse(&text).is_ok(), rendered.is_ok(), "{:?}", text);
        if let (Ok(accepted), Ok(outgoing)) = (domain::EmailAddress::parse(&text), rendered) {
            let to = format!("{}@{}", accepted.user(), accepted.domain());
            prop_assert_eq!(&outgoing.to, &to);
            let message = parsed(&outgoing);
            let shown = message.to().unwrap().first().unwrap().address.clone().unwrap();
            prop_assert_eq!(shown.as_ref(), to.as_str());
        }
    }
}
