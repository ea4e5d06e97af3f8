//! Persons of the staff, and how they sign in (decision record 0138).

use crate::readers::{at_most, token};
use crate::{Checker, Field, List, incoming};
use domain::operator::MAX_OPERATOR_CHARS;
use domain::staff::{SessionToken, StaffMember, StaffRole, StaffSession};
use domain::tenant::Tenant;
use domain::{StaffId, Zone};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use utoipa::ToSchema;

incoming! {
    /// A person of the staff.
    pub struct StaffInput {
        /// Where links to sign in by go; no two persons have the same.
        #[schema(required = true)]
        email: String,
        /// What histories show: one line of at most 60 characters.
        #[schema(required = true)]
        name: String,
        /// `admin`, `boxOffice`, `door`, `reports`. Without any, nothing is open to her.
        roles: Vec<String>,
        /// Whether she may sign in; `true` unless it is sent. `false` ends all her sessions.
        active: bool,
    }
    /// Who wants to sign in.
    pub struct StaffLoginInput {
        /// The address that the staff has of her.
        #[schema(required = true)]
        email: String,
    }
    /// What a link to sign in by opened.
    pub struct StaffSessionInput {
        /// The `loginToken` of the link.
        #[schema(required = true)]
        token: String,
    }
}

/// Entries of a list of roles; there are fewer roles.
const MAX_ROLES: usize = 20;

impl StaffInput {
    /// The person, unless a field is at fault.
    pub fn read(self, checker: &mut Checker, id: StaffId) -> Option<StaffMember> {
        let email = checker.required_email("email", self.email);
        let name = checker.required_typed_name("name", self.name, MAX_OPERATOR_CHARS);
        let roles = read_roles(checker, self.roles);
        let active = checker.optional("active", self.active).unwrap_or(true);
        Some(StaffMember { id, email: email?, name: name?, roles, active, generation: 0 })
    }
}

fn read_roles(checker: &mut Checker, sent: Field<List<String>>) -> BTreeSet<StaffRole> {
    let roles = checker.each("roles", sent, |checker, sent: String| {
        let role = StaffRole::parse(&sent);
        if role.is_none() {
            let names = StaffRole::ALL.map(StaffRole::name).join(", ");
            checker.invalid_here(format!("must be one of {names}"));
        }
        role
    });
    at_most(checker, "roles", &roles, MAX_ROLES);
    roles.into_iter().flatten().collect()
}

impl StaffLoginInput {
    /// The address, unless it is at fault.
    pub fn read(self, checker: &mut Checker) -> Option<String> {
        checker.required_email("email", self.email)
    }
}

impl StaffSessionInput {
    /// The token, unless it is missing.
    pub fn read(self, checker: &mut Checker) -> Option<String> {
        token(checker, self.token)
    }
}

/// A person of the staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffView {
    /// Identity.
    pub id: String,
    /// Where links to sign in by go.
    pub email: String,
    /// What histories show.
    pub name: String,
    /// `admin`, `boxOffice`, `door`, `reports`.
    pub roles: Vec<&'static str>,
    /// Whether she may sign in.
    pub active: bool,
}

impl From<&StaffMember> for StaffView {
    fn from(person: &StaffMember) -> Self {
        let StaffMember { id, email, name, roles, active, generation: _ } = person;
        Self {
            id: id.to_string(),
            email: email.clone(),
            name: name.clone(),
            roles: roles.iter().map(|role| role.name()).collect(),
            active: *active,
        }
    }
}

/// What everybody is answered who asks for a link to sign in by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffLoginView {
    /// How long a link works, should one be on its way.
    pub minutes: i64,
}

/// A session that has just begun.
#[derive(Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffSessionView {
    /// Goes into the header `x-service-session` of each request; it is not shown again.
    pub session: String,
    /// When it ends by itself.
    pub expires_at: String,
    /// Who is signed in.
    pub person: StaffView,
    /// Where.
    pub tenant: StaffTenantView,
}

/// Says nothing of the session: whoever has its text is taken for the person.
impl fmt::Debug for StaffSessionView {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("StaffSessionView").field("person", &self.person).finish_non_exhaustive()
    }
}

/// The venue whose staff is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StaffTenantView {
    /// Identity.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its time zone.
    pub time_zone: String,
}

impl StaffSessionView {
    /// A session with its text.
    #[must_use]
    pub fn new(token: &SessionToken, session: &StaffSession, person: &StaffMember, tenant: &Tenant) -> Self {
        let zone: Zone = tenant.zone;
        Self {
            session: token.expose(),
            expires_at: zone.format(session.expires_at),
            person: person.into(),
            tenant: StaffTenantView {
                id: tenant.id.get(),
                name: tenant.name.clone(),
                time_zone: zone.name().to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rejection, read_body};
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<StaffMember, Vec<String>> {
        let mut checker = Checker::new();
        let input: StaffInput = read_body(body.to_string().as_bytes()).unwrap();
        let person = input.read(&mut checker, StaffId::from_bytes([1; 12]));
        let told = |rejection: Rejection| -> Vec<String> {
            rejection.details().iter().map(|fault| format!("{} {}", fault.field, fault.message)).collect()
        };
        checker.finish(person).map_err(told)
    }

    #[test]
    fn a_person_has_an_address_a_name_and_roles() {
        let person =
            read(&json!({"email": "desk@example.test", "name": " Dana ", "roles": ["BoxOffice", "door"]}));
        let person = person.unwrap();
        assert_eq!((person.name.as_str(), person.active, person.generation), ("Dana", true, 0));
        assert_eq!(person.roles, [StaffRole::BoxOffice, StaffRole::Door].into());
        let masked = read(&json!({"email": "desk@example.test", "name": "4242 4242 4242 4242"})).unwrap();
        assert_eq!(masked.name, "****4242");
    }

    #[test]
    fn every_fault_of_a_person_is_told_once() {
        let email = "/email must be an e-mail address";
        for (body, told) in [
            (json!({}), vec!["/email is required", "/name is required"]),
            (json!({"email": "desk", "name": "\u{200b}"}), vec![email, "/name must not be blank"]),
            (
                json!({"email": 5, "name": "a\nb", "roles": ["owner", 5], "active": "yes"}),
                vec![
                    "/email must be a string",
                    "/name must be one line, without tabs",
                    "/roles/0 must be one of admin, boxOffice, door, reports",
                    "/roles/1 must be a string",
                    "/active must be true or false",
                ],
            ),
            (
                json!({"email": "desk@example.test", "name": "a".repeat(61), "roles": vec!["door"; 21]}),
                vec!["/name must have at most 60 characters", "/roles must have at most 20 entries"],
            ),
        ] {
            let mut faults = read(&body).unwrap_err();
            let mut told: Vec<String> = told.into_iter().map(str::to_owned).collect();
            faults.sort();
            told.sort();
            assert_eq!(faults, told, "{body}");
        }
    }

    #[test]
    fn a_session_is_not_printed() {
        let person = read(&json!({"email": "desk@example.test", "name": "Dana"})).unwrap();
        let view = StaffSessionView {
            session: "bxs_secret".to_owned(),
            expires_at: String::new(),
            person: (&person).into(),
            tenant: StaffTenantView { id: 1, name: String::new(), time_zone: String::new() },
        };
        assert!(!format!("{view:?}").contains("secret"));
    }
}
