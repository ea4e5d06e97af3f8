//! Completing and changing applications.

use crate::support::{FAULTS, REF, Told, Venue, application, application_with, get, patch, post};
use domain::merchant::MerchantStatus;
use domain::{Money, Percent};
use serde_json::json;
use testkit::tenant_id;

#[tokio::test]
async fn an_incomplete_application_is_completed_in_steps_of_two_calls() {
    let venue = Venue::open().await;
    let start = json!({"boardingRefId": REF, "dbaName": "Harbor Museum"});
    let made = venue.send(post(&start)).await;
    assert_eq!((made.status_of_merchant(), made.errors().len()), ("Incomplete", 12));
    let mut rest = application();
    let rest = rest.as_object_mut().unwrap();
    for (field, value) in rest.clone().into_iter().filter(|(field, _)| field != "businessOwners") {
        let (answer, calls) = venue.counted(patch(&json!({field.as_str(): value}))).await;
        if field == "boardingRefId" || field == "dbaName" {
            assert_eq!(calls, 1, "{field} stays as it is");
        } else {
            assert_eq!(calls, 2, "{field}");
        }
        assert_eq!(answer.status_of_merchant(), "Incomplete", "{field}: {}", answer.body);
    }
    let owners = json!({"businessOwners": rest["businessOwners"], "businessOwnershipType": "LLC"});
    let answer = venue.send(patch(&owners)).await;
    assert_eq!((answer.status_of_merchant(), answer.errors().len()), ("Pending", 0));
    assert_eq!(answer.body["updatedDate"], "2027-05-01T14:00:00Z");
    let read = venue.send(get()).await.done();
    assert_eq!(
        (&read["status"], &read["taxId"], &read["mid"]),
        (&json!("Pending"), &json!("*****4321"), &made.body["mid"])
    );
}

#[tokio::test]
async fn a_change_that_breaks_a_rule_changes_nothing() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let before = venue.send(get()).await.done();
    for (edit, errors, pointer) in [
        (json!({"dbaName": ""}), vec!["dbaName required"], "/dbaName"),
        (json!({"businessAddresses": []}), vec!["businessAddresses required"], "/businessAddresses"),
        (json!({"taxId": "111111111"}), vec!["taxId notEditable"], "/taxId"),
        (
            json!({"dbaName": "Pier", "businessBankAccount": {"routingNumber": "021000012"}}),
            vec!["businessBankAccount.routingNumber routingNumber"],
            "/businessBankAccount/routingNumber",
        ),
        (
            json!({"dbaName": "Pier", "businessOwnershipType": "LLC", "businessOwners": [{"type": "ControlOwner"}]}),
            vec![
                "businessOwners[0].firstName required",
                "businessOwners[0].lastName required",
                "businessOwners[0].ssn required",
                "businessOwners[0].dateOfBirth required",
                "businessOwners[0].addressLine1 required",
                "businessOwners[0].city required",
                "businessOwners[0].state required",
                "businessOwners[0].country required",
                "businessOwners[0].postalCode required",
            ],
            "/businessOwners/0/firstName",
        ),
    ] {
        let answer = venue.send(patch(&edit)).await;
        assert_eq!(answer.kind(), (400, "VALIDATION_ERROR"), "{edit}");
        assert_eq!(answer.errors(), errors, "{edit}");
        assert_eq!(answer.body["details"][0]["field"], pointer, "{edit}");
        assert!(!answer.text.contains("021000012"));
        assert_eq!(venue.send(get()).await.done(), before, "{edit}");
    }
    let other = json!({"boardingRefId": "00000000-93d4-4f26-8c1d-70e2a9b4f318"});
    assert_eq!(venue.send(patch(&other)).await.body["details"][0]["field"], "/boardingRefId");
}

#[tokio::test]
async fn what_is_not_edited_may_be_sent_as_it_is() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let edit = json!({
        "businessLegalName": " Harbor Museum, Inc ", "merchantCategoryCode": "7991", "taxId": "987654321",
        "dbaName": "Pier",
    });
    assert_eq!(venue.send(patch(&edit)).await.done()["dbaName"], "Pier");
    let names = ["businessLegalName", "merchantCategoryCode", "taxId"];
    for (field, other) in names.into_iter().zip(["Harbor", "8398", "111111111"]) {
        let refused = venue.send(patch(&json!({field: other}))).await;
        assert_eq!(refused.errors(), [format!("{field} notEditable")]);
    }
}

#[tokio::test]
async fn changes_at_once_do_not_lose_each_other() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let edits = [
        json!({"dbaName": "Pier Museum"}),
        json!({"billingDescriptor": "PIER"}),
        json!({"businessBankAccount": {"accountNumber": "99988877766"}}),
        json!({"businessWebsiteUrl": "pier.example"}),
    ];
    let tasks: Vec<_> = edits
        .into_iter()
        .map(|edit| {
            let venue = venue.clone();
            tokio::spawn(async move {
                loop {
                    let answer = venue.send(patch(&edit)).await;
                    if answer.status != 503 {
                        return answer.done();
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let read = venue.send(get()).await.done();
    assert_eq!(
        [&read["dbaName"], &read["billingDescriptor"], &read["websiteUrl"]],
        ["Pier Museum", "PIER", "pier.example"]
    );
    assert_eq!(read["businessBankAccount"]["accountNumber"], "*******7766");
    assert_eq!(read["businessBankAccount"]["routingNumber"], "*****0021");
    let [merchant] = <[_; 1]>::try_from(venue.merchants().await).unwrap();
    assert_eq!((merchant.name.as_str(), merchant.descriptor.as_str()), ("Pier Museum", "PIER"));
}

#[tokio::test]
async fn a_change_keeps_the_rate_card_and_where_the_merchant_stands() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    venue.pass(cleanup::PassScope::Sandbox, "2027-05-01T14:00:00Z").await;
    let [merchant] = <[_; 1]>::try_from(venue.merchants().await).unwrap();
    let rate_card = domain::merchant::RateCard {
        percentage: Percent::parse("2.90").unwrap(),
        fixed: Money::from_cents(30),
    };
    assert!(venue.store.set_rate_card(tenant_id(1), &merchant.mid, &rate_card).await.unwrap());
    let answer = venue.send(patch(&json!({"dbaName": "Pier Museum"}))).await;
    assert_eq!((answer.status_of_merchant(), &answer.body["tenantProvisioned"]), ("Approved", &json!(true)));
    let [merchant] = <[_; 1]>::try_from(venue.merchants().await).unwrap();
    assert_eq!((merchant.status, merchant.rate_card), (MerchantStatus::Approved, Some(rate_card)));
    assert_eq!(merchant.charging(), Some(&rate_card));
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_is_made_once_and_repeated_by_its_key() {
    for fault in FAULTS {
        let venue = Venue::open().await;
        venue.send(post(&application())).await.done();
        venue.faults.reset();
        venue.faults.at_operation("TransactWriteItems", 0, fault);
        let edit = json!({"dbaName": "Pier Museum"});
        let first = venue.send(patch(&edit)).await;
        assert!(matches!(first.kind(), (200, _) | (503, "TRY_AGAIN")), "{fault:?}: {}", first.body);
        assert_eq!(venue.send(patch(&edit)).await.done()["dbaName"], "Pier Museum", "{fault:?}");
    }
    for fault in FAULTS {
        // What it puts right can be put right once.
        let venue = Venue::open().await;
        venue.send(post(&application_with("taxId", json!("98765432")))).await.done();
        venue.faults.reset();
        for place in 0..5 {
            venue.faults.at_operation("TransactWriteItems", place, fault);
        }
        let edit =
            json!({"taxId": "987654321", "businessLegalName": "Harbor Museum, Inc", "dbaName": "Pier"});
        let first = venue.send(patch(&edit).keyed("k")).await;
        assert_eq!(first.kind(), (503, "TRY_AGAIN"), "{fault:?}: {}", first.body);
        venue.faults.reset();
        assert_eq!(
            venue.send(patch(&edit).keyed("k")).await.kind(),
            (409, "REQUEST_IN_PROGRESS"),
            "{fault:?}"
        );
        for replayed in [false, true] {
            let again = venue.send(patch(&edit).keyed("k").at("2027-05-01T10:01:00-04:00")).await;
            assert_eq!((again.status_of_merchant(), again.replayed), ("Pending", replayed), "{fault:?}");
            assert_eq!((&again.body["taxId"], &again.body["dbaName"]), (&json!("*****4321"), &json!("Pier")));
        }
    }
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let first = venue.send(patch(&json!({"dbaName": "One"})).keyed("k")).await;
    venue.send(patch(&json!({"dbaName": "Two"}))).await.done();
    let again = venue.send(patch(&json!({"dbaName": "One"})).keyed("k")).await;
    assert_eq!((again.replayed, &again.body), (true, &first.body));
    assert_eq!(venue.send(get()).await.done()["dbaName"], "Two");
}

#[tokio::test]
async fn what_is_empty_goes_and_what_is_left_out_stays() {
    let venue = Venue::open().await;
    venue.send(post(&application())).await.done();
    let savings = json!({"businessBankAccount": {"accountType": "savings", "achType": ""}});
    let account = venue.send(patch(&savings)).await.done()["businessBankAccount"].clone();
    let expected = json!({"ddaType": "Savings", "achType": null, "accountNumber": "*******4567", "routingNumber": "*****0021"});
    assert_eq!(account, expected);
}

#[tokio::test]
async fn an_unknown_application_cannot_be_changed() {
    let venue = Venue::open().await;
    let edit = json!({"dbaName": "Pier"});
    assert_eq!(venue.send(patch(&edit)).await.kind(), (404, "NOT_FOUND"));
    venue.send(post(&application_with("dbaName", json!("Harbor")))).await.done();
    assert_eq!(venue.send(patch(&edit).by("partner-2")).await.kind(), (404, "NOT_FOUND"));
    assert_eq!(
        venue.send(patch(&edit).to("/v1/payment/onboard/60417")).await.kind(),
        (400, "VALIDATION_ERROR")
    );
}
