//! Persons of the staff, and the sessions in which they work (decision record 0138).

use crate::number::whole_number;
use crate::tenant::Scope;
use crate::time::plus_secs;
use crate::{StaffId, TenantId, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Persons that the staff of one tenant may have.
pub const MAX_STAFF: usize = 500;

/// How long a session lasts, in seconds: twelve hours.
pub const SESSION_LIFE_SECS: i64 = 43_200;

/// What stands before the id of a person where the label of a key is kept. No key has a label that begins so.
pub const LABEL_PREFIX: &str = "staff:";

/// Whether the label of a key looks like a person of the staff, whatever its case and whatever space stands before it.
#[must_use]
pub fn is_label_of_staff(label: &str) -> bool {
    let start = label.trim_start().get(..LABEL_PREFIX.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(LABEL_PREFIX))
}

/// Bytes of a session that nobody can guess: 192 bits.
const SECRET_BYTES: usize = 24;

/// What the text of a session starts with, so that one that leaked is recognised.
const SESSION_PREFIX: &str = "bxs_";

/// What a person may do. Each role opens the scope of one kind of key, or none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StaffRole {
    /// Everything that the back office may.
    Admin,
    /// What a till may.
    BoxOffice,
    /// What a scanning device may.
    Door,
    /// Reading reports.
    Reports,
}

impl StaffRole {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Admin, Self::BoxOffice, Self::Door, Self::Reports];

    /// The name used in requests and answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::BoxOffice => "boxOffice",
            Self::Door => "door",
            Self::Reports => "reports",
        }
    }

    /// Reads a role's name in any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        Self::ALL.into_iter().find(|role| role.name().eq_ignore_ascii_case(name))
    }

    /// The scope it opens.
    #[must_use]
    pub const fn scope(self) -> Option<Scope> {
        match self {
            Self::Admin => Some(Scope::B2b),
            Self::BoxOffice => Some(Scope::Counter),
            Self::Door => Some(Scope::Door),
            Self::Reports => None,
        }
    }
}

/// A person of the staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffMember {
    /// Identity.
    pub id: StaffId,
    /// Where links to sign in by go; no two persons of a tenant have the same.
    pub email: String,
    /// What histories show; fit to be an operator.
    pub name: String,
    /// What she may do.
    pub roles: BTreeSet<StaffRole>,
    /// Whether she may sign in and work.
    pub active: bool,
    /// Counts how often all her sessions were ended: those that began before are over.
    #[serde(default)]
    pub generation: u64,
}

impl StaffMember {
    /// Whether she is an admin who works here.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.active && self.roles.contains(&StaffRole::Admin)
    }

    /// Whether she is an admin and is none any more once she is this; none is removed.
    #[must_use]
    pub fn ceases_as_admin(&self, after: Option<&Self>) -> bool {
        self.is_admin() && !after.is_some_and(Self::is_admin)
    }

    /// The scopes that her roles open.
    #[must_use]
    pub fn scopes(&self) -> BTreeSet<Scope> {
        self.roles.iter().filter_map(|role| role.scope()).collect()
    }

    /// What becomes of her when she is changed to this. Whoever is sent home, or signs in by another address from now
    /// on, has no session left.
    #[must_use]
    pub fn changed(&self, wanted: Self) -> Self {
        let is_sent_home = self.active && !wanted.active;
        let before = Self { generation: self.generation, ..wanted };
        if is_sent_home || self.email != before.email { before.without_sessions() } else { before }
    }

    /// The same without any session.
    #[must_use]
    pub fn without_sessions(self) -> Self {
        Self { generation: self.generation.saturating_add(1), ..self }
    }
}

/// A person as she was when a link to sign in by was mailed to her.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffMark {
    /// Who.
    pub person: StaffId,
    /// The generation of the sessions that she could begin then.
    pub generation: u64,
}

impl StaffMark {
    /// That of a person as she is now.
    #[must_use]
    pub fn of(person: &StaffMember) -> Self {
        Self { person: person.id.clone(), generation: person.generation }
    }

    /// Whether this person, as she is now, may sign in by the link: whatever ended her sessions ended it as well.
    #[must_use]
    pub fn may_sign_in(&self, person: &StaffMember) -> bool {
        person.active && *self == Self::of(person)
    }
}

/// A session as it is stored: its text is known only to its holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffSession {
    /// Who works in it.
    pub person: StaffId,
    /// The generation of her sessions that it is of.
    pub generation: u64,
    /// When it ends by itself.
    #[serde(with = "chrono::serde::ts_milliseconds")]
    pub expires_at: Timestamp,
}

impl StaffSession {
    /// A session that begins now.
    #[must_use]
    pub fn begin(person: &StaffMember, now: Timestamp) -> Self {
        let expires_at = plus_secs(now, SESSION_LIFE_SECS);
        Self { person: person.id.clone(), generation: person.generation, expires_at }
    }

    /// Whether this person, as she is now, may work in it.
    #[must_use]
    pub fn is_open_to(&self, person: &StaffMember, now: Timestamp) -> bool {
        let is_hers = self.person == person.id && self.generation == person.generation;
        is_hers && person.active && !self.is_over(now)
    }

    /// Whether its time is over.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        now >= self.expires_at
    }
}

/// The text of a session, which says where it lies and carries what nobody can guess. Whoever has it is taken for the
/// person.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken {
    /// Whose staff.
    pub tenant: TenantId,
    /// Who.
    pub person: StaffId,
    secret: [u8; SECRET_BYTES],
}

impl SessionToken {
    /// The text of these random bytes.
    #[must_use]
    pub const fn new(tenant: TenantId, person: StaffId, secret: [u8; SECRET_BYTES]) -> Self {
        Self { tenant, person, secret }
    }

    /// Reads a text as [`SessionToken::expose`] writes it; none from any other.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix(SESSION_PREFIX)?.split('.');
        let (tenant, person, secret) = (parts.next()?, parts.next()?, parts.next()?);
        let token = Self {
            tenant: TenantId::parse(whole_number(tenant)?).ok()?,
            person: StaffId::parse(person).ok()?,
            secret: hex::decode(secret).ok()?.try_into().ok()?,
        };
        // One session has one text.
        (token.expose() == text).then_some(token)
    }

    /// The text.
    #[must_use]
    pub fn expose(&self) -> String {
        let Self { tenant, person, secret } = self;
        format!("{SESSION_PREFIX}{tenant}.{person}.{}", hex::encode(secret))
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SessionToken(****)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn person(number: u8) -> StaffMember {
        StaffMember {
            id: StaffId::from_bytes([number; 12]),
            email: format!("{number}@example.test"),
            name: "Dana".to_owned(),
            roles: [StaffRole::BoxOffice].into(),
            active: true,
            generation: 0,
        }
    }

    fn now() -> Timestamp {
        "2027-05-01T14:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_label_that_looks_like_a_person_is_known_whatever_its_case() {
        for label in ["staff:1", " staff:1", "\u{a0}\tSTAFF:", "Staff:x"] {
            assert!(is_label_of_staff(label), "{label:?}");
        }
        for label in ["", "staff", "staff 1", "my staff:1", "sta\u{fb00}:1", "stäff:1"] {
            assert!(!is_label_of_staff(label), "{label:?}");
        }
    }

    #[test]
    fn roles_are_read_by_the_names_they_are_printed_with() {
        for role in StaffRole::ALL {
            assert_eq!(StaffRole::parse(role.name()), Some(role));
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
        }
        assert_eq!(StaffRole::parse(" BOXOFFICE "), Some(StaffRole::BoxOffice));
        assert_eq!(StaffRole::parse("owner"), None);
    }

    #[test]
    fn roles_open_the_scopes_of_keys_and_no_shops_or_payments() {
        let everybody = StaffMember { roles: StaffRole::ALL.into(), ..person(1) };
        assert_eq!(everybody.scopes(), [Scope::B2b, Scope::Door, Scope::Counter].into());
        let reader = StaffMember { roles: [StaffRole::Reports].into(), ..person(1) };
        assert_eq!(reader.scopes(), BTreeSet::new());
    }

    #[test]
    fn an_admin_ceases_who_is_removed_sent_home_or_has_another_role() {
        let admin = StaffMember { roles: [StaffRole::Admin, StaffRole::Door].into(), ..person(1) };
        let away = StaffMember { active: false, ..admin.clone() };
        let door = StaffMember { roles: [StaffRole::Door].into(), ..admin.clone() };
        let renamed = StaffMember { name: "Kim".to_owned(), ..admin.clone() };
        for (before, after, ceases) in [
            (&admin, None, true),
            (&admin, Some(&away), true),
            (&admin, Some(&door), true),
            (&admin, Some(&renamed), false),
            (&away, None, false),
            (&away, Some(&admin), false),
            (&door, None, false),
        ] {
            assert_eq!(before.ceases_as_admin(after), ceases, "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_session_is_open_to_its_person_for_twelve_hours() {
        let dana = person(1);
        let session = StaffSession::begin(&dana, now());
        for (secs, is_open) in [(0, true), (43_199, true), (43_200, false), (-1, true)] {
            assert_eq!(session.is_open_to(&dana, plus_secs(now(), secs)), is_open, "{secs}");
        }
        assert!(!session.is_open_to(&person(2), now()));
    }

    #[test]
    fn whoever_is_sent_home_or_moves_to_another_address_has_no_session_left() {
        let dana = person(1);
        let session = StaffSession::begin(&dana, now());
        let away = dana.changed(StaffMember { active: false, ..dana.clone() });
        assert!(!session.is_open_to(&away, now()));
        let back = away.changed(StaffMember { active: true, ..away.clone() });
        assert!(back.active && !session.is_open_to(&back, now()), "and coming back opens none");
        let moved = dana.changed(StaffMember { email: "other@example.test".to_owned(), ..dana.clone() });
        assert!(!session.is_open_to(&moved, now()));
        let renamed = dana.changed(StaffMember { name: "Dana O.".to_owned(), generation: 7, ..dana.clone() });
        assert!(session.is_open_to(&renamed, now()) && renamed.generation == 0);
        assert!(!session.is_open_to(&dana.without_sessions(), now()));
    }

    #[test]
    fn other_texts_are_no_sessions() {
        let token =
            SessionToken::new(TenantId::parse(1001).unwrap(), StaffId::from_bytes([1; 12]), [0xab; 24]);
        let text = token.expose();
        assert_eq!(format!("{token:?}"), "SessionToken(****)");
        for wrong in [
            String::new(),
            "bxs_".to_owned(),
            text.replace("bxs_", "bxo_"),
            text.replace("1001", "01001"),
            text.replace("1001", "0"),
            text.to_uppercase(),
            format!("{text}."),
            format!("{text}00"),
            format!(" {text}"),
            text.replace("ab", "xy"),
        ] {
            assert_eq!(SessionToken::parse(&wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_session_reads_back_as_it_was_written(tenant in 1_i64..1_000_000, person: [u8; 12], secret: [u8; 24]) {
            let token =
                SessionToken::new(TenantId::parse(tenant).unwrap(), StaffId::from_bytes(person), secret);
            prop_assert_eq!(SessionToken::parse(&token.expose()), Some(token));
        }

        /// Whatever is done with a person, no session of hers opens again once it was closed, and no link that was mailed
        /// to her before.
        #[test]
        fn a_session_that_was_closed_stays_closed(steps in proptest::collection::vec(0_u8..4, 0..12)) {
            let mut dana = person(1);
            let (session, link) = (StaffSession::begin(&dana, now()), StaffMark::of(&dana));
            let mut was_closed = false;
            for step in steps {
                let before = dana.clone();
                dana = match step {
                    0 => before.changed(StaffMember { active: false, ..before.clone() }),
                    1 => before.changed(StaffMember { active: true, ..before.clone() }),
                    2 => before.changed(StaffMember { name: "Kim".to_owned(), ..before.clone() }),
                    _ => before.without_sessions(),
                };
                let is_open = session.is_open_to(&dana, now());
                prop_assert!(!(was_closed && is_open));
                prop_assert_eq!(link.may_sign_in(&dana), is_open);
                was_closed |= !is_open;
            }
        }
    }
}
