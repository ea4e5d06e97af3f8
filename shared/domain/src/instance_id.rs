//! The id of an event instance: a pure function of its template, schedule and local start (contract §7), so
//! that generating a schedule again finds the instances that exist instead of making new ones.
//!
//! The 12 bytes also say where the instance lives. From an id alone the key of its capacity ledger follows,
//! which spares the hot path (holding seats) a read:
//!
//! | Bytes | Meaning |
//! |---|---|
//! | 0–3 | template tag: the first 4 bytes of SHA-256(`template` ‖ template id) |
//! | 4–7 | start: seconds since 1970, big-endian |
//! | 8–9 | schedule tag: the first 2 bytes of SHA-256(`schedule` ‖ schedule id, empty without schedule) |
//! | 10–11 | check: the first 2 bytes of SHA-256(template id, schedule id, local start), a line each |
//!
//! Within a template, ids therefore sort by start. The check tells apart two local times that a clock change
//! moves onto one instant. To callers the id is opaque.

use crate::ids::{ScheduleId, TemplateId, UnreadableId};
use crate::time::{Timestamp, plus_secs};
use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// The start lies outside the seconds an instance id can hold: 1970-01-01 to 2106-02-07, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartOutOfRange;

/// An event instance, one dated slot of a template: 24 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InstanceId([u8; 12]);

/// What an instance id says about its template; leads the key of the capacity ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TemplateTag([u8; 4]);

/// What an instance id says about its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScheduleTag([u8; 2]);

impl TemplateTag {
    /// The tag of a template.
    #[must_use]
    pub fn of(template: &TemplateId) -> Self {
        let [first, second, third, fourth, ..] = sha256(&["template", template.as_str()]);
        Self([first, second, third, fourth])
    }
}

impl ScheduleTag {
    /// The tag of a schedule, or of a template that has none.
    #[must_use]
    pub fn of(schedule: Option<&ScheduleId>) -> Self {
        let [first, second, ..] = sha256(&["schedule", schedule.map_or("", ScheduleId::as_str)]);
        Self([first, second])
    }
}

impl InstanceId {
    /// The last second an id can hold.
    const LAST_SECOND: i64 = 4_294_967_295;

    /// When the last slot can start that has an id.
    #[must_use]
    pub fn last_start() -> Timestamp {
        plus_secs(Timestamp::UNIX_EPOCH, Self::LAST_SECOND)
    }

    /// The whole second nearest to an instant that an id can hold.
    #[must_use]
    pub fn nearest_start(instant: Timestamp) -> Timestamp {
        plus_secs(Timestamp::UNIX_EPOCH, instant.timestamp().clamp(0, Self::LAST_SECOND))
    }

    /// The id of the instance that starts at this local time, which is this instant. Fractions of a second do
    /// not count.
    ///
    /// # Errors
    /// [`StartOutOfRange`] before 1970 and from 2106-02-07T06:28:16Z.
    pub fn of(
        template: &TemplateId,
        schedule: Option<&ScheduleId>,
        local_start: NaiveDateTime,
        start: Timestamp,
    ) -> Result<Self, StartOutOfRange> {
        let seconds = u32::try_from(start.timestamp()).map_err(|_| StartOutOfRange)?;
        let TemplateTag([t0, t1, t2, t3]) = TemplateTag::of(template);
        let [s0, s1, s2, s3] = seconds.to_be_bytes();
        let ScheduleTag([g0, g1]) = ScheduleTag::of(schedule);
        // No id holds a line break, so no two triples read alike.
        let local = local_start.format("\n%Y-%m-%dT%H:%M:%S").to_string();
        let schedule = schedule.map_or("", ScheduleId::as_str);
        let [c0, c1, ..] = sha256(&[template.as_str(), "\n", schedule, &local]);
        Ok(Self([t0, t1, t2, t3, s0, s1, s2, s3, g0, g1, c0, c1]))
    }

    /// Reads an instance id as a caller sent it.
    ///
    /// # Errors
    /// [`UnreadableId`] for anything but 24 lower-case hexadecimal digits.
    pub fn parse(text: &str) -> Result<Self, UnreadableId> {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(UnreadableId);
        }
        let mut bytes = [0; 12];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| UnreadableId)?;
        Ok(Self(bytes))
    }

    /// The tag of the template this instance belongs to.
    #[must_use]
    pub const fn template_tag(self) -> TemplateTag {
        let [t0, t1, t2, t3, ..] = self.0;
        TemplateTag([t0, t1, t2, t3])
    }

    /// The tag of the schedule that generated this instance.
    #[must_use]
    pub const fn schedule_tag(self) -> ScheduleTag {
        let [.., g0, g1, _, _] = self.0;
        ScheduleTag([g0, g1])
    }

    /// The instant at which the instance was generated to start. Staff may move an instance later; its id and
    /// the key of its ledger stay.
    #[must_use]
    pub fn start(self) -> Timestamp {
        let [_, _, _, _, s0, s1, s2, s3, ..] = self.0;
        let seconds = u32::from_be_bytes([s0, s1, s2, s3]);
        Timestamp::from_timestamp(i64::from(seconds), 0).unwrap_or_default()
    }
}

fn sha256(parts: &[&str]) -> [u8; 32] {
    parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize().into()
}

impl fmt::Display for InstanceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex::encode(self.0))
    }
}

impl fmt::Display for TemplateTag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex::encode(self.0))
    }
}

impl fmt::Display for ScheduleTag {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&hex::encode(self.0))
    }
}

impl TryFrom<String> for InstanceId {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).map_err(|UnreadableId| "not an instance id")
    }
}

impl From<InstanceId> for String {
    fn from(id: InstanceId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use proptest::prelude::*;

    const LAST: i64 = InstanceId::LAST_SECOND;

    fn template(text: &str) -> TemplateId {
        TemplateId::parse(text).unwrap()
    }

    fn schedule(text: &str) -> ScheduleId {
        ScheduleId::parse(text).unwrap()
    }

    fn instant(seconds: i64) -> Timestamp {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn at(template: &TemplateId, schedule: Option<&ScheduleId>, seconds: i64) -> InstanceId {
        let start = instant(seconds);
        InstanceId::of(template, schedule, start.naive_utc(), start).unwrap()
    }

    /// Computed once with another SHA-256. A change of these values orphans every stored instance.
    #[test]
    fn an_id_never_changes_between_releases() {
        let template = template("6f2e91b0c47d5a3e18b90f42");
        let start: Timestamp = "2027-03-14T14:00:00Z".parse().unwrap();
        let local = "2027-03-14T10:00:00".parse().unwrap();
        let morning = schedule("65aa01bb02cc03dd04ee05ff");
        let id = InstanceId::of(&template, Some(&morning), local, start).unwrap();
        assert_eq!(id.to_string(), "eed214b66b969d60bd803fd6");
        let id = InstanceId::of(&template, None, local, start).unwrap();
        assert_eq!(id.to_string(), "eed214b66b969d605f72ac74");
    }

    #[test]
    fn anything_but_24_lower_case_hexadecimal_digits_is_unreadable() {
        let good = "0123456789abcdef01234567";
        assert_eq!(InstanceId::parse(good).map(|id| id.to_string()), Ok(good.to_owned()));
        for text in [
            "",
            "0123456789abcdef0123456",
            "0123456789abcdef012345678",
            "0123456789abcdef012345678a",
            "0123456789ABCDEF01234567",
            "0123456789abcdeg01234567",
            " 0123456789abcdef0123456",
            "0x23456789abcdef01234567",
            "\u{ff10}0123456789abcdef01234",
            "0123456789ab#def01234567",
        ] {
            assert_eq!(InstanceId::parse(text), Err(UnreadableId), "{text:?}");
        }
    }

    #[test]
    fn starts_before_1970_and_after_2106_have_no_id() {
        let template = template("a");
        for (seconds, fits) in [(-1, false), (0, true), (LAST, true), (LAST + 1, false)] {
            let start = instant(seconds);
            assert_eq!(InstanceId::of(&template, None, start.naive_utc(), start).is_ok(), fits, "{seconds}");
        }
    }

    #[test]
    fn two_local_times_on_one_instant_are_two_instances() {
        let template = template("a");
        let start = instant(1_805_000_000);
        let skipped = "2027-03-14T02:30:00".parse().unwrap();
        let shown = "2027-03-14T03:30:00".parse().unwrap();
        let first = InstanceId::of(&template, None, skipped, start).unwrap();
        let second = InstanceId::of(&template, None, shown, start).unwrap();
        assert_ne!(first, second);
        assert_eq!(first.start(), second.start());
    }

    #[test]
    fn a_stored_id_is_its_text() {
        let id = at(&template("a"), None, 0);
        let stored = serde_json::to_string(&id).unwrap();
        assert_eq!(stored, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<InstanceId>(&stored).unwrap(), id);
        assert!(serde_json::from_str::<InstanceId>("\"a#b\"").is_err());
    }

    proptest! {
        #[test]
        fn an_id_reads_back_and_says_where_it_lives(
            template_text in "[0-9a-f]{24}",
            schedule_text in proptest::option::of("[0-9a-f]{24}"),
            seconds in 0..=LAST,
        ) {
            let template = template(&template_text);
            let schedule = schedule_text.as_deref().map(schedule);
            let id = at(&template, schedule.as_ref(), seconds);
            prop_assert_eq!(InstanceId::parse(&id.to_string()), Ok(id));
            prop_assert_eq!(id.template_tag(), TemplateTag::of(&template));
            prop_assert_eq!(id.schedule_tag(), ScheduleTag::of(schedule.as_ref()));
            prop_assert_eq!(id.start(), instant(seconds));
        }

        #[test]
        fn ids_of_one_template_sort_by_start(first in 0..=LAST, second in 0..=LAST) {
            prop_assume!(first != second);
            let template = template("a");
            let ordered = at(&template, None, first) < at(&template, Some(&schedule("b")), second);
            prop_assert_eq!(ordered, first < second);
        }
    }
}
