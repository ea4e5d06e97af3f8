//! Staff who are told of sales (spec §2.10 `emailNotify`; decision record 0117).

use crate::catalog::Template;
use crate::catalog::venue::StaffContact;
use crate::email::is_same_email;
use crate::{InstanceId, TemplateId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most addresses of staff that the templates of a tenant name, and so one order tells.
pub const MAX_NOTICES: usize = 10;

/// One of the staff who is told of the sale (spec §2.10 `emailNotify`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaffNotice {
    #[serde(default)]
    pub name: String,
    /// Address.
    pub email: String,
    /// The templates that name the address.
    pub templates: Vec<TemplateId>,
}

/// Whom the templates of bought tickets want told, each address once.
pub(crate) fn notices_of(seats: &BTreeMap<InstanceId, u32>, templates: &[Template]) -> Vec<StaffNotice> {
    let is_bought = |template: &&Template| seats.keys().any(|instance| template.owns(instance));
    let mut notices: Vec<StaffNotice> = Vec::new();
    for template in templates.iter().filter(is_bought) {
        for StaffContact { name, email } in &template.venue.email_notify {
            let email = email.trim();
            let known = notices.iter_mut().find(|known| is_same_email(&known.email, email));
            match known {
                Some(known) if known.templates.contains(&template.id) => {}
                Some(known) => known.templates.push(template.id.clone()),
                None if email.is_empty() => {}
                None => notices.push(StaffNotice {
                    name: name.clone(),
                    email: email.to_owned(),
                    templates: vec![template.id.clone()],
                }),
            }
        }
    }
    // No more are taken where templates are written.
    notices.truncate(MAX_NOTICES);
    notices
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn template(id: &str, told: &[(&str, &str)]) -> Template {
        let told: Vec<_> = told.iter().map(|(name, email)| json!({"name": name, "email": email})).collect();
        serde_json::from_value(json!({
            "id": id, "name": id, "description": "", "short_description": "", "start": "2027-06-01T10:00:00Z",
            "review_state": "Published", "duration_minutes": 60, "capacity": 10,
            "last_updated": "2027-01-01T00:00:00Z", "venue": {"email_notify": told},
        }))
        .unwrap()
    }

    /// The addresses that are told when tickets of these templates are bought, with the templates each is told of.
    fn told(templates: &[Template], bought: &[&str]) -> Vec<(String, Vec<String>)> {
        let start = "2027-06-01T10:00:00Z".parse().unwrap();
        let instance = |id: &&str| {
            let id = TemplateId::parse(id).unwrap();
            (InstanceId::of(&id, None, chrono::NaiveDateTime::default(), start).unwrap(), 1)
        };
        let seats = bought.iter().map(instance).collect();
        let named =
            |notice: StaffNotice| (notice.email, notice.templates.iter().map(ToString::to_string).collect());
        notices_of(&seats, templates).into_iter().map(named).collect()
    }

    #[test]
    fn each_address_is_told_once_of_all_its_events_that_were_bought() {
        let day = template("day", &[("Ann", "ann@example.org"), ("Bob", " bob@example.org ")]);
        let night = template("night", &[("Ann at night", "ANN@example.org"), ("Nobody", "")]);
        let quiet = template("quiet", &[]);
        let all = [day, night, quiet];
        let both = |one: &str, other: &str| vec![one.to_owned(), other.to_owned()];
        let (ann, bob) = ("ann@example.org".to_owned(), "bob@example.org".to_owned());
        let only_day = vec!["day".to_owned()];
        for (bought, expected) in [
            (&[][..], vec![]),
            (&["quiet"][..], vec![]),
            (&["day"], vec![(ann.clone(), only_day.clone()), (bob.clone(), only_day.clone())]),
            (&["day", "night", "quiet"], vec![(ann, both("day", "night")), (bob, only_day)]),
            (&["night"], vec![("ANN@example.org".to_owned(), vec!["night".to_owned()])]),
        ] {
            assert_eq!(told(&all, bought), expected, "{bought:?}");
        }
    }
}
