//! Where something is sold: the closed list of sale channels and the switches authors set per channel.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The text names no sale channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownChannel;

/// A sale channel (spec §2.10, "salesChannels entry"). The channel of a sale follows from the route that made
/// it, never from the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Channel {
    /// The public site; every checkout of a browser or a site's server.
    Online,
    /// A representative on the phone.
    CustomerRep,
    /// The counter.
    PointOfSale,
    /// Typed in afterwards by staff.
    ManualEntry,
    /// A reselling partner.
    Reseller,
    /// A self-service terminal.
    Kiosk,
    /// Staff selling to one person; named by the list of membership levels only (spec §4.6).
    InsideSalesIndividual,
}

impl Channel {
    /// Every channel: those of spec §2.10 in its order, then the one of spec §4.6.
    pub const ALL: [Self; 7] = [
        Self::Online,
        Self::CustomerRep,
        Self::PointOfSale,
        Self::ManualEntry,
        Self::Reseller,
        Self::Kiosk,
        Self::InsideSalesIndividual,
    ];

    /// All of them, as refusals name them.
    pub const NAMES: &'static str =
        "online, customerRep, pointOfSale, manualEntry, reseller, kiosk, insideSalesIndividual";

    /// Reads a channel in any case (contract §1, "Enums in").
    ///
    /// # Errors
    /// [`UnknownChannel`] for any other text.
    pub fn parse(text: &str) -> Result<Self, UnknownChannel> {
        let text = text.trim();
        Self::ALL
            .into_iter()
            .find(|channel| channel.as_str().eq_ignore_ascii_case(text))
            .ok_or(UnknownChannel)
    }

    /// The spelling of the specification.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::CustomerRep => "customerRep",
            Self::PointOfSale => "pointOfSale",
            Self::ManualEntry => "manualEntry",
            Self::Reseller => "reseller",
            Self::Kiosk => "kiosk",
            Self::InsideSalesIndividual => "insideSalesIndividual",
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl TryFrom<String> for Channel {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnknownChannel| "not a sale channel")
    }
}

impl From<Channel> for &'static str {
    fn from(channel: Channel) -> Self {
        channel.as_str()
    }
}

/// One switch of a template, schedule, price, level or offering (spec §2.10, "salesChannels entry").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SalesChannel {
    /// The author's words for the channel.
    #[serde(default)]
    pub name: String,
    /// The channel this switch is about.
    pub channel: Channel,
    /// Whether it sells there.
    pub enabled: bool,
}

/// Whether a list of switches lets a channel sell.
///
/// Our choice, as the spec is silent: an empty list restricts nothing; a list that does not name the channel
/// keeps it off; of two entries for one channel the one that is off wins, so that a leftover entry can never
/// open a channel an author closed. The levels of one sale (template, schedule, price) must all allow it.
#[must_use]
pub fn channel_allowed(switches: &[SalesChannel], channel: Channel) -> bool {
    let mut of_channel = switches.iter().filter(|entry| entry.channel == channel).peekable();
    switches.is_empty() || (of_channel.peek().is_some() && of_channel.all(|entry| entry.enabled))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switch(channel: Channel, enabled: bool) -> SalesChannel {
        SalesChannel { name: String::new(), channel, enabled }
    }

    #[test]
    fn channels_are_read_in_any_case_and_written_as_specified() {
        for (text, spelled) in [
            ("ONLINE", "online"),
            ("customerrep", "customerRep"),
            ("PointOfSale", "pointOfSale"),
            ("manualEntry", "manualEntry"),
            ("Reseller", "reseller"),
            (" kiosk ", "kiosk"),
            ("INSIDESALESINDIVIDUAL", "insideSalesIndividual"),
        ] {
            assert_eq!(Channel::parse(text).map(Channel::as_str), Ok(spelled), "{text}");
        }
        for text in ["", "point of sale", "web", "onl\u{131}ne"] {
            assert_eq!(Channel::parse(text), Err(UnknownChannel), "{text}");
        }
    }

    #[test]
    fn refusals_name_every_channel() {
        assert_eq!(Channel::NAMES, Channel::ALL.map(Channel::as_str).join(", "));
    }

    #[test]
    fn an_empty_list_allows_all_a_list_only_what_it_enables() {
        use Channel::{Kiosk, Online};
        for (switches, allowed) in [
            (vec![], true),
            (vec![switch(Online, true)], true),
            (vec![switch(Online, false)], false),
            (vec![switch(Kiosk, true)], false),
            (vec![switch(Kiosk, false), switch(Online, true)], true),
            (vec![switch(Online, true), switch(Online, false)], false),
        ] {
            assert_eq!(channel_allowed(&switches, Online), allowed, "{switches:?}");
        }
    }

    #[test]
    fn a_stored_switch_reads_back() {
        let stored = r#"{"name":"Counter","channel":"pointOfSale","enabled":true}"#;
        let read: SalesChannel = serde_json::from_str(stored).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), stored);
    }
}
