//! A venue says who may claim to be a member.

use crate::claims::{NUMBER, Visitor, proof, set, tickets};
use boxoffice::testing::Service;
use domain::tenant::{ClaimRule, MemberClaims};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn whom_a_venue_believes_is_its_own_setting_for_servers_and_pages() {
    let venue = Service::start().await;
    let text = proof(&venue, &Visitor::of_page()).await;
    let cart = |slot: &str| json!({"items": [tickets(slot, 1)], "membershipIds": [NUMBER]});
    for servers in ClaimRule::ALL {
        for pages in ClaimRule::ALL {
            let service = set(&venue, |tenant| tenant.member_claims = MemberClaims { servers, pages }).await;
            let slot = Visitor::of_page().slot(&service).await;
            for (visitor, rule) in [(Visitor::of_server(), servers), (Visitor::of_page(), pages)] {
                for (visitor, proves) in [(visitor.clone(), false), (visitor.proving(&text), true)] {
                    let (price, messages) = match (rule, proves) {
                        (ClaimRule::Any, _) | (ClaimRule::Proof, true) => ("0.00", json!([])),
                        (ClaimRule::Proof, false) => ("18.00", json!([{"code": "PROOF_NEEDED"}])),
                        (ClaimRule::None, _) => ("18.00", json!([{"code": "MEMBERS_NOT_ACCEPTED"}])),
                    };
                    let read = visitor.cart(&service, &cart(&slot)).await;
                    let place = format!("{servers:?} {pages:?} {visitor:?}");
                    assert_eq!(
                        (&read["items"][0]["unitPrice"], &read["memberMessages"]),
                        (&json!(price), &messages),
                        "{place}"
                    );
                }
            }
        }
    }
}
