//! Two tenants with a partner each, and requests of these.

use adapters::vault::Vault;
use cleanup::PassReport;
use domain::merchant::Merchant;
use domain::tenant::{Scope, Tenant};
use engine::{Fault, Throttling};
use serde_json::{Value, json};
use std::ops::Deref;
use std::sync::Arc;
use store::{Consistency, Item};
use testkit::image::TableImage;
use testkit::{Answer, Ask, Tables, tenant, tenant_id};

pub(crate) const T0: &str = "2027-05-01T10:00:00-04:00";
pub(crate) const REF: &str = "5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318";
pub(crate) const PATH: &str = "/v1/payment/onboard";
/// What may happen to a transaction whose caller goes on.
pub(crate) const FAULTS: [Fault; 3] =
    [Fault::AnswerLost, Fault::Throttle(Throttling::Account), Fault::TransactionConflict];

/// What an answer says of an application.
pub(crate) trait Told {
    /// Field and rule of each entry of `errorInfo`.
    fn errors(&self) -> Vec<String>;

    fn status_of_merchant(&self) -> &str;
}

impl Told for Answer {
    fn errors(&self) -> Vec<String> {
        let entries = self.body["errorInfo"].as_array().into_iter().flatten();
        let text = |entry: &Value| {
            format!("{} {}", entry["field"].as_str().unwrap(), entry["rule"].as_str().unwrap())
        };
        entries.map(text).collect()
    }

    fn status_of_merchant(&self) -> &str {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["status"].as_str().unwrap()
    }
}

pub(crate) fn get() -> Ask {
    testkit::get(format!("{PATH}/{REF}"))
}

pub(crate) fn post(body: &Value) -> Ask {
    testkit::post(PATH, body.clone())
}

pub(crate) fn patch(body: &Value) -> Ask {
    testkit::patch(format!("{PATH}/{REF}"), body.clone())
}

pub(crate) fn validate(body: &Value) -> Ask {
    testkit::post(format!("{PATH}/validate"), body.clone())
}

/// An application that breaks no rule.
pub(crate) fn application() -> Value {
    json!({
        "boardingRefId": REF, "billingDescriptor": "HARBOR*MUSEUM", "businessLegalName": "Harbor Museum, Inc",
        "dbaName": "Harbor Museum", "businessType": "Retail", "businessOwnershipType": "LLC",
        "merchantCategoryCode": "7991", "taxId": "987654321", "businessEstablishedDate": "1998-02-28",
        "businessWebsiteUrl": "https://harbor.example/tickets",
        "businessAddresses": [{
            "type": "Physical", "addressLine1": "1 Pier #4", "city": "New York", "country": "US", "state": "NY",
            "postalCode": "10004",
        }],
        "businessBankAccount": {
            "accountNumber": "55501234567", "accountType": "Checking", "achType": "CommercialChecking",
            "routingNumber": "021000021",
        },
        "businessContacts": [{
            "type": "Primary", "email": "ines@harbor.example", "firstName": "Ines", "lastName": "Okafor",
            "phoneNumber": "2125550101",
        }],
        "businessOwners": [{
            "type": "ControlOwner", "firstName": "Zoe", "lastName": "Lindqvist", "ssn": "123456789",
            "dateOfBirth": "1980-05-17", "businessOwnershipPercentage": 40, "addressLine1": "4 Pier Road",
            "city": "New York", "state": "NY", "country": "US", "postalCode": "10004",
            "identification": [{"idType": "Passport", "idNumber": "X7654321Z", "issuedCountry": "US"}],
        }],
    })
}

/// The application with another value in a field.
pub(crate) fn application_with(field: &str, value: Value) -> Value {
    let mut body = application();
    body[field] = value;
    body
}

async fn write(tables: Tables) {
    for (number, sandbox) in [(1, true), (2, true), (3, false)] {
        tables.save_tenant(Tenant { sandbox, ..tenant(number) }).await;
        tables.save_key(&format!("partner-{number}"), Scope::Onboard).await;
        tables.save_key(&format!("staff-{number}"), Scope::B2b).await;
    }
}

/// A process that takes applications.
#[derive(Clone)]
pub(crate) struct Venue(testkit::Venue);

impl Deref for Venue {
    type Target = testkit::Venue;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Venue {
    pub(crate) async fn open() -> Self {
        static IMAGE: TableImage = TableImage::new();
        Self::of(&Tables::copy_of(&IMAGE, write).await).await
    }

    pub(crate) async fn over(vault: Arc<dyn Vault>) -> Self {
        let tables = Tables::sealed_by(vault).await;
        write(tables.clone()).await;
        Self::of(&tables).await
    }

    /// Another process over the same tables, with a vault of its own.
    pub(crate) async fn with_vault(&self, vault: Arc<dyn Vault>) -> Self {
        Self::of(&Tables { vault, ..self.tables.clone() }).await
    }

    /// Another process over the same tables, whose calls meet faults of its own.
    pub(crate) async fn again(&self) -> Self {
        Self::of(&self.tables).await
    }

    async fn of(tables: &Tables) -> Self {
        let venue = Self(testkit::Venue::new(tables, onboarding::router(), "partner-1").at(T0));
        // The first request fills the caches of keys and secrets.
        venue.send(get()).await;
        venue
    }

    /// One pass of the scheduled work, with that clock.
    pub(crate) async fn pass(&self, scope: cleanup::PassScope, now: &str) -> PassReport {
        cleanup::pass(&self.app, scope, now.parse().unwrap()).await.unwrap()
    }

    /// The same by a process that may die on the way.
    pub(crate) async fn try_pass(&self, scope: cleanup::PassScope, now: &str) -> Option<PassReport> {
        cleanup::pass(&self.app, scope, now.parse().unwrap()).await.ok()
    }

    pub(crate) async fn merchants(&self) -> Vec<Merchant> {
        self.store.load_merchants(tenant_id(1), Consistency::Strong).await.unwrap()
    }

    /// Every item of a table, as it is stored.
    pub(crate) async fn scan(&self, table: &str) -> Vec<Item> {
        self.tables.scan(table).await
    }
}
