//! What the mail with a login link shows, or with one to an order.

use super::LoginLinkMail;
use super::text::one_line;
use crate::locale::Locale;
use askama::Template;
use domain::login::LoginParty;

/// The content of one mail; the templates only lay it out.
pub(super) struct LinkPage {
    pub(super) subject: String,
    /// The code of its language.
    language: &'static str,
    heading: String,
    /// What was asked for.
    intro: String,
    /// What the link does.
    button: String,
    /// How often and how long.
    limits: String,
    /// What whoever did not ask can do.
    ignore: String,
    /// Why it was sent.
    because: String,
    venue: String,
    link: String,
}

/// What the texts call the parties.
const fn called(party: LoginParty) -> &'static str {
    match party {
        LoginParty::Member => "member",
        LoginParty::Staff => "staff",
        LoginParty::Payer => "payer",
    }
}

/// How often a link works, and how long.
fn limits(locale: &Locale, mail: &LoginLinkMail) -> String {
    let count = |number: i64| u64::try_from(number).unwrap_or_default();
    match mail.party {
        LoginParty::Member | LoginParty::Staff => {
            let minutes = count(mail.minutes);
            let said = locale.say("login-expires").with("minutes", locale.number(minutes));
            said.with("minutes-plural", locale.plural(minutes)).text()
        }
        LoginParty::Payer => {
            let hours = count(mail.minutes / 60);
            let said = locale.say("login-works").with("hours", locale.number(hours));
            said.with("hours-plural", locale.plural(hours)).text()
        }
    }
}

#[derive(Template)]
#[template(path = "login.html")]
struct Html<'a> {
    page: &'a LinkPage,
}

#[derive(Template)]
#[template(path = "login.txt")]
struct Text<'a> {
    page: &'a LinkPage,
}

impl LinkPage {
    pub(super) fn new(locale: &Locale, mail: &LoginLinkMail) -> Self {
        let venue = one_line(&mail.venue_name);
        let says = |name| locale.say(name).with("party", called(mail.party));
        Self {
            subject: says("login-subject").with("venue", venue.clone()).text(),
            language: locale.code(),
            heading: says("login-heading").text(),
            intro: says("login-intro").text(),
            button: says("login-button").text(),
            limits: limits(locale, mail),
            ignore: locale.say("login-ignore").text(),
            because: says("login-because").with("venue", venue.clone()).text(),
            venue,
            link: one_line(&mail.link),
        }
    }

    pub(super) fn html(&self) -> Result<String, askama::Error> {
        Html { page: self }.render()
    }

    pub(super) fn text(&self) -> Result<String, askama::Error> {
        Text { page: self }.render()
    }
}
