//! What a tenant has, for records that refer to each other.

use crate::{ApiError, ErrorType};
use adapters::App;
use domain::catalog::{PriceList, Template};
use domain::combo::Combo;
use domain::coupon::{Coupon, Discount};
use domain::entitlement::Entitlements;
use domain::membership::Level;
use domain::{InstanceId, MembershipId, TemplateId, TenantId};
use serde::Serialize;
use store::Consistency;
use store::catalog::{Definitions, Kind};
use wire::catalog::Known;

/// Records named that use the one that was to be deleted.
pub const MAX_USES_NAMED: usize = 20;

/// How much of the catalog a write looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Nothing but the record itself.
    Nothing,
    /// Small definitions of these kinds.
    Kinds(&'static [Kind]),
    /// Small definitions of these kinds, and the event templates.
    KindsAndTemplates(&'static [Kind]),
    /// All small definitions, and the event templates.
    Everything,
}

impl Needs {
    /// The kinds of small definitions.
    const fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Nothing => &[],
            Self::Kinds(kinds) | Self::KindsAndTemplates(kinds) => kinds,
            Self::Everything => &Kind::ALL,
        }
    }
}

/// What a tenant has, with every earlier write.
#[derive(Debug, Default)]
pub struct Catalog {
    /// The small definitions.
    pub definitions: Definitions,
    /// Event templates.
    pub templates: Vec<Template>,
}

impl Catalog {
    /// What a write needs.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn load(app: &App, tenant: TenantId, needs: Needs) -> Result<Self, ApiError> {
        let definitions = async {
            match needs {
                Needs::Everything => app.store.load_definitions(tenant, Consistency::Strong).await,
                Needs::Nothing | Needs::Kinds(_) | Needs::KindsAndTemplates(_) => {
                    app.store.load_definitions_of(tenant, needs.kinds(), Consistency::Strong).await
                }
            }
        };
        let templates = async {
            match needs {
                Needs::Nothing | Needs::Kinds(_) => Ok(Vec::new()),
                Needs::KindsAndTemplates(_) | Needs::Everything => {
                    app.store.load_templates(tenant, Consistency::Strong).await
                }
            }
        };
        let (definitions, templates) = tokio::join!(definitions, templates);
        Ok(Self { definitions: definitions?, templates: templates? })
    }

    /// What records can refer to.
    #[must_use]
    pub fn known(&self) -> Known {
        let Definitions {
            person_types,
            inventory,
            discounts,
            coupons: _,
            combos: _,
            forms,
            levels,
            entitlements: _,
            reaches: _,
        } = &self.definitions;
        Known {
            ticket_types: person_types.keys().cloned().collect(),
            inventory: inventory.keys().copied().collect(),
            discounts: discounts.keys().cloned().collect(),
            forms: forms.keys().cloned().collect(),
            levels: levels.keys().cloned().collect(),
            templates: self.templates.iter().map(|template| template.id.clone()).collect(),
        }
    }
}

/// A record that names another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Use {
    /// What it is, such as `eventTemplate`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Its id.
    id: String,
    /// Its name.
    name: String,
}

impl std::fmt::Display for Use {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut kind = String::new();
        for char in self.kind.chars() {
            if char.is_ascii_uppercase() {
                kind.push(' ');
            }
            kind.push(char.to_ascii_lowercase());
        }
        write!(out, "the {kind} \"{}\" ({})", self.name, self.id)
    }
}

impl Use {
    /// The templates of which this holds.
    pub fn by_templates(catalog: &Catalog, names: impl Fn(&Template) -> bool) -> Vec<Self> {
        let found = catalog.templates.iter().filter(|template| names(template));
        found.map(|template| Self::new("eventTemplate", &template.id, &template.name)).collect()
    }

    /// The discounts of which this holds.
    pub fn by_discounts(catalog: &Catalog, names: impl Fn(&Discount) -> bool) -> Vec<Self> {
        let found = catalog.definitions.discounts.values().filter(|discount| names(discount));
        found.map(|discount| Self::new("discount", &discount.id, &discount.name)).collect()
    }

    /// The coupons of which this holds.
    pub fn by_coupons(catalog: &Catalog, names: impl Fn(&Coupon) -> bool) -> Vec<Self> {
        let found = catalog.definitions.coupons.values().filter(|coupon| names(coupon));
        found.map(|coupon| Self::new("coupon", &coupon.id, &coupon.name)).collect()
    }

    /// The combos of which this holds.
    pub fn by_combos(catalog: &Catalog, names: impl Fn(&Combo) -> bool) -> Vec<Self> {
        let found = catalog.definitions.combos.values().filter(|combo| names(combo));
        found.map(|combo| Self::new("combo", &combo.id, &combo.name)).collect()
    }

    /// The membership levels of which this holds.
    pub fn by_levels(catalog: &Catalog, names: impl Fn(&Level) -> bool) -> Vec<Self> {
        let found = catalog.definitions.levels.values().filter(|level| names(level));
        found.map(|level| Self::new("membershipLevel", &level.id, &level.name)).collect()
    }

    /// What is used is not deleted.
    ///
    /// # Errors
    /// `IN_USE` naming what uses it.
    pub fn refuse(mut uses: Vec<Self>) -> Result<(), ApiError> {
        if uses.is_empty() {
            return Ok(());
        }
        uses.truncate(MAX_USES_NAMED);
        let named: Vec<String> = uses.iter().map(ToString::to_string).collect();
        let message = format!("It is in use by {}", named.join(", "));
        Err(ApiError::new(ErrorType::InUse).message(message).fact("usedBy", uses))
    }

    /// The templates whose entitlement rules or ticket limits are such that this holds.
    pub fn by_entitlements(catalog: &Catalog, names: impl Fn(&Entitlements) -> bool) -> Vec<Self> {
        let found = catalog.definitions.entitlements.values().filter(|found| names(found));
        let named = |id: &TemplateId| catalog.templates.iter().find(|template| template.id == *id);
        found
            .map(|Entitlements { template, .. }| {
                let name = named(template).map_or("", |template| template.name.as_str());
                Self::new("entitlements", template, name)
            })
            .collect()
    }

    /// An instance of a template.
    #[must_use]
    pub fn by_instance(instance: InstanceId, template: &Template) -> Self {
        Self::new("eventInstance", instance, &template.name)
    }

    /// A membership of a level.
    #[must_use]
    pub fn by_membership(id: MembershipId, level: &Level) -> Self {
        Self::new("membership", id, &level.name)
    }

    fn new(kind: &'static str, id: impl std::fmt::Display, name: &str) -> Self {
        Self { kind, id: id.to_string(), name: name.to_owned() }
    }
}

/// True when one of the lists has a price of which this holds.
#[must_use]
pub fn any_price(lists: &[PriceList], names: impl Fn(&domain::catalog::Price) -> bool) -> bool {
    lists.iter().flat_map(|list| &list.prices).any(names)
}
