//! Switches of sale channels (spec §2.10 `salesChannels`).

use crate::readers::{line, word};
use crate::{Checker, Field, List, incoming};
use domain::{Channel, SalesChannel};
use serde::Serialize;
use utoipa::ToSchema;

/// A switch for one sale channel (spec §2.10 `salesChannels`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SalesChannelOutput {
    /// The author's words.
    pub name: String,
    /// The channel.
    pub channel: &'static str,
    /// Whether it sells there.
    pub enabled: bool,
}

impl From<&SalesChannel> for SalesChannelOutput {
    fn from(switch: &SalesChannel) -> Self {
        let SalesChannel { name, channel, enabled } = switch;
        Self { name: name.clone(), channel: channel.as_str(), enabled: *enabled }
    }
}

incoming! {
    /// A switch for one sale channel.
    pub struct SalesChannelInput {
        name: String,
        channel: String,
        enabled: bool,
    }
}

impl PartialEq for SalesChannelInput {
    fn eq(&self, other: &Self) -> bool {
        let Self { name, channel, enabled } = self;
        *name == other.name && *channel == other.channel && *enabled == other.enabled
    }
}

pub(crate) fn sales_channels(
    checker: &mut Checker,
    field: Field<List<SalesChannelInput>>,
    other_name: Field<List<SalesChannelInput>>,
) -> Vec<SalesChannel> {
    let sent = checker.either(["salesChannels", "saleChannel"], [field, other_name]);
    let read = checker.each("salesChannels", sent, |checker, input| {
        let SalesChannelInput { name, channel, enabled } = input;
        let missing = !channel.is_sent();
        let parse = |text: &str| Channel::parse(text).ok();
        let channel = word(checker, "channel", channel, parse, Channel::NAMES);
        if missing {
            checker.invalid("channel", "is required");
        }
        let enabled = checker.optional("enabled", enabled).unwrap_or(true);
        let name = line(checker, "name", name);
        channel.map(|channel| SalesChannel { name, channel, enabled })
    });
    read.into_iter().flatten().collect()
}
