//! What the mail with a login link shows.

use super::LoginLinkMail;
use super::text::one_line;
use askama::Template;

/// The content of one mail; the templates only lay it out.
pub(super) struct LinkPage {
    pub(super) subject: String,
    venue: String,
    link: String,
    minutes: i64,
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
    pub(super) fn new(mail: &LoginLinkMail) -> Self {
        let venue = one_line(&mail.venue_name);
        Self {
            subject: format!("Log in to {venue}"),
            venue,
            link: one_line(&mail.link),
            minutes: mail.minutes,
        }
    }

    pub(super) fn html(&self) -> Result<String, askama::Error> {
        Html { page: self }.render()
    }

    pub(super) fn text(&self) -> Result<String, askama::Error> {
        Text { page: self }.render()
    }
}
