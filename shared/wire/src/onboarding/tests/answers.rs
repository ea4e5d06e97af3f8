//! What partners are answered.

use super::*;
use crate::onboarding::{OnboardingOutput, OnboardingView, ValidationOutput};
use domain::merchant::MerchantStatus;
use domain::onboarding::vocabulary::OWNERSHIP_TYPES;
use domain::{BoardingRefId, Mid, TenantId};

#[test]
fn every_ownership_type_belongs_to_a_group() {
    assert!(OWNERSHIP_TYPES.iter().all(|kind| OwnershipGroup::of(kind).is_some()));
    assert_eq!(OwnershipGroup::of("Club"), None);
}

#[test]
fn answers_mask_every_secret_and_differ_by_verb() {
    let application = kept(&llc());
    let reference = BoardingRefId::parse("5b0c7a1e-93d4-4f26-8c1d-70e2a9b4f318").unwrap();
    let mid = Mid::parse("60500").unwrap();
    let merchant = application.merchant(&reference, mid, MerchantStatus::Approved);
    let at = |text: &str| text.parse().unwrap();
    let view = OnboardingView {
        tenant: TenantId::parse(1001).unwrap(),
        reference: &reference,
        merchant: &merchant,
        application: &application,
        violations: &[],
        dates: (at("2027-05-01T14:00:00Z"), Some(at("2027-05-01T15:00:00Z"))),
    };
    let json = |output: OnboardingOutput| serde_json::to_value(output).unwrap();
    let (made, changed, read) = (
        json(OnboardingOutput::created(view)),
        json(OnboardingOutput::changed(view)),
        json(OnboardingOutput::read(view)),
    );
    for answer in [&made, &changed, &read] {
        for secret in ["123456789", "1980-05-17", "987654321", "000123456789", "021000021", "X1234567"] {
            assert!(!answer.to_string().contains(secret), "{secret}: {answer}");
        }
    }
    let masked = [
        &read["taxId"],
        &read["businessBankAccount"]["accountNumber"],
        &read["businessBankAccount"]["routingNumber"],
        &read["businessOwners"][0]["ssn"],
        &read["businessOwners"][0]["dateOfBirth"],
        &read["businessOwners"][0]["identification"][0]["idNumber"],
    ];
    assert_eq!(masked, ["*****4321", "********6789", "*****0021", "*****6789", "****-05-17", "****4567"]);
    let names = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let more = |one: &Value, other: &Value| names(one).difference(&names(other)).cloned().collect::<Vec<_>>();
    assert_eq!(more(&changed, &made), ["updatedDate"]);
    assert_eq!(more(&read, &changed), ["businessAcceptedCards", "storeNumber"]);
    assert_eq!(
        (&made["createDate"], &read["updatedDate"]),
        (&json!("2027-05-01T14:00:00Z"), &json!("2027-05-01T15:00:00Z"))
    );
    assert_eq!((&made["tenantId"], &made["tenantProvisioned"]), (&json!("1001"), &json!(false)));
    assert_eq!(
        read["businessAcceptedCards"][0],
        json!({"type": "Visa", "attributes": [{"name": "Acquired", "value": "true"}]})
    );
    assert_eq!(
        (&read["websiteUrl"], &read["ownershipType"], &read["legalName"]),
        (&llc()["businessWebsiteUrl"], &json!("LLC"), &llc()["businessLegalName"])
    );
    assert_eq!(read["businessBankAccount"]["ddaType"], "Checking");
}

#[test]
fn a_validation_lists_what_is_missing() {
    let body =
        json!({"businessOwnershipType": "LLC", "businessOwners": [{"type": "ControlOwner", "ssn": "1"}]});
    let output = serde_json::to_value(ValidationOutput::of(&found(&body))).unwrap();
    assert_eq!(output["valid"], false);
    let missing: Vec<&str> =
        output["missing"].as_array().unwrap().iter().map(|field| field.as_str().unwrap()).collect();
    assert!(
        missing.contains(&"businessOwners[0].dateOfBirth") && !missing.contains(&"businessOwners[0].ssn"),
        "{missing:?}"
    );
    assert_eq!(
        serde_json::to_value(ValidationOutput::of(&[])).unwrap(),
        json!({"valid": true, "errorInfo": [], "missing": []})
    );
}
