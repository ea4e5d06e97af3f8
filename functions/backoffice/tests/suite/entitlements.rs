//! Entitlement rules and ticket limits of a template.

use crate::support;
use engine::Fault;
use serde_json::{Value, json};
use testkit::catalog::{self, LEVEL};
use testkit::{Venue, delete, get, made, post, put, tenant_id};

/// A venue with a level and two ticket types, and the path of the rules of its template.
struct Setting {
    venue: Venue,
    template: String,
    path: String,
    adult: String,
    child: String,
}

impl Setting {
    async fn open() -> Self {
        let venue = support::open().await;
        let level = catalog::level(LEVEL, "Family", json!({}));
        venue.store.save_level(tenant_id(1), &level).await.unwrap();
        let adult = made(&venue, "/v2/b2b/persontypes", json!({"name": "Adult"})).await;
        let child = made(&venue, "/v2/b2b/persontypes", json!({"name": "Child"})).await;
        let tour = json!({"name": "Tour", "description": "Decks", "capacity": 5, "duration": {"hour": 1}});
        let template = made(&venue, "/v2/b2b/event/templates", tour).await;
        let path = format!("/v2/b2b/event/templates/{template}/entitlements");
        Self { venue, template, path, adult, child }
    }

    fn rules(&self) -> Value {
        json!({
            "rules": [self.rule()],
            "ticketLimits": {"perOrder": 10, "perType": [{"personTypeId": self.child, "limit": 0}]},
        })
    }

    fn rule(&self) -> Value {
        json!({
            "id": "Adult_Child_Limit_4", "levelIds": [LEVEL], "pricePointIds": [self.adult, self.child],
            "limit": 4, "ruleApplies": "acrossAllItems", "timeFrame": {"period": "day"},
        })
    }
}

#[tokio::test]
async fn rules_are_written_read_and_replaced() {
    let setting = Setting::open().await;
    let Setting { venue, template, path, .. } = &setting;
    let none = venue.send(get(path)).await;
    let rule_set = none.body["ruleSetId"].as_str().unwrap().to_owned();
    assert_eq!(rule_set.len(), 24);
    let with = |rest: Value| {
        let mut body = json!({"ruleSetId": rule_set, "eventTemplateId": template});
        body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        body
    };
    assert_eq!(none.body, with(json!({"rules": [], "ticketLimits": {"perOrder": null, "perType": []}})));
    let written = venue.send(post(path, setting.rules())).await;
    assert_eq!(written.clone().done(), with(setting.rules()));
    let read = venue.send(get(path)).await;
    assert_eq!((&read.body, &read.etag), (&written.body, &written.etag));
    assert_ne!(none.etag, written.etag);
    let again = venue.send(put(path, written.body.clone())).await;
    assert_eq!((&again.body, &again.etag), (&written.body, &written.etag), "what was read can be written");
    for left_out in [json!({}), json!({"rules": null, "ticketLimits": {"perOrder": 1}})] {
        for ask in [put(path, left_out.clone()), post(path, left_out.clone())] {
            let refused = venue.send(ask).await;
            assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
            assert_eq!(refused.faults(), ["/rules is required"]);
        }
    }
    assert_eq!(venue.send(get(path)).await.body, written.body, "nothing was changed");
    let emptied = venue.send(put(path, json!({"rules": []}))).await;
    assert_eq!((&emptied.body, &emptied.etag), (&none.body, &none.etag));
}

#[tokio::test]
async fn a_stale_revision_of_rules_changes_nothing() {
    let setting = Setting::open().await;
    let Setting { venue, path, .. } = &setting;
    let none = venue.send(get(path)).await;
    let written = venue.send(post(path, setting.rules()).if_match(none.tag())).await;
    assert_eq!(written.status, 200, "{}", written.body);
    for ask in [post(path, json!({"rules": []})), put(path, json!({"rules": []}))] {
        let refused = venue.send(ask.if_match(none.tag())).await;
        assert_eq!(refused.kind(), (412, "PRECONDITION_FAILED"));
    }
    assert_eq!(venue.send(get(path)).await.body, written.body);
    let repeated = venue.send(put(path, json!({"rules": []})).keyed("a").if_match(written.tag())).await;
    assert_eq!(repeated.status, 200);
    let repeated = venue.send(put(path, json!({"rules": []})).keyed("a").if_match(written.tag())).await;
    assert!(repeated.replayed);
}

#[tokio::test]
async fn every_spelling_and_case_of_a_rule_is_read() {
    let setting = Setting::open().await;
    let mut rule = setting.rule();
    let types = rule.as_object_mut().unwrap().remove("pricePointIds").unwrap();
    rule["pricepointIds"] = types;
    for (applies, period, shown) in [
        ("FOREACHITEM", "Week", ("forEachItem", "week")),
        ("acrossallitems", "LIFETIME", ("acrossAllItems", "lifetime")),
        ("forEachItem", "month", ("forEachItem", "month")),
        ("forEachItem", "year", ("forEachItem", "year")),
    ] {
        rule["ruleApplies"] = applies.into();
        rule["timeFrame"] = json!({ "period": period });
        let written = setting.venue.send(put(&setting.path, json!({"rules": [rule]}))).await.done();
        let written = &written["rules"][0];
        let found = (&written["ruleApplies"], &written["timeFrame"]["period"]);
        assert_eq!(found, (&json!(shown.0), &json!(shown.1)));
        assert_eq!(written["pricePointIds"], json!([setting.adult, setting.child]));
    }
}

#[tokio::test]
async fn all_faults_of_rules_are_told_at_once() {
    let setting = Setting::open().await;
    let rule = |fields: Value| {
        let mut rule = setting.rule();
        rule.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        rule
    };
    let body = json!({
        "rules": [
            rule(json!({})),
            rule(json!({"limit": 0})),
            rule(json!({"id": "a b", "limit": 1000, "ruleApplies": "some", "timeFrame": {"period": "hour"}})),
            rule(json!({"id": null, "limit": 1.5, "ruleApplies": null, "timeFrame": null})),
            rule(json!({"id": "five", "limit": null, "timeFrame": {}, "levelIds": [7], "pricePointIds": "all"})),
            6,
        ],
        "ticketLimits": {"perOrder": -1, "perType": [
            {"personTypeId": setting.adult, "limit": 2}, {"personTypeId": setting.adult, "limit": 1_000}, {},
        ]},
    });
    let refused = setting.venue.send(put(&setting.path, body)).await;
    assert_eq!(refused.kind(), (400, "VALIDATION_ERROR"));
    assert_eq!(
        refused.faults(),
        [
            "/rules/1/limit must be between 1 and 999",
            r#"/rules/2/id must have 1 to 64 letters, digits, "-" or "_""#,
            "/rules/2/limit must be between 1 and 999",
            "/rules/2/ruleApplies must be one of forEachItem, acrossAllItems",
            "/rules/2/timeFrame/period must be one of day, week, month, year, lifetime",
            "/rules/3/id is required",
            "/rules/3/limit must be an integer",
            "/rules/3/ruleApplies is required",
            "/rules/3/timeFrame is required",
            "/rules/4/levelIds/0 must be a string",
            "/rules/4/pricePointIds must be an array",
            "/rules/4/limit is required",
            "/rules/4/timeFrame/period is required",
            "/rules/5 must be an object",
            "/ticketLimits/perOrder must be between 0 and 999",
            "/ticketLimits/perType/1/personTypeId already has a limit",
            "/ticketLimits/perType/1/limit must be between 0 and 999",
            "/ticketLimits/perType/2/limit is required",
            "/ticketLimits/perType/2/personTypeId is required",
        ]
    );
    let twice = json!({"rules": [rule(json!({})), rule(json!({"limit": 3}))]});
    let refused = setting.venue.send(put(&setting.path, twice)).await;
    assert_eq!(refused.faults(), ["/rules/1/id is already used by another rule"]);
    let many: Vec<Value> = (0..21).map(|number| rule(json!({"id": format!("R{number}")}))).collect();
    let refused = setting.venue.send(put(&setting.path, json!({ "rules": many }))).await;
    assert_eq!(refused.faults(), ["/rules must have at most 20 entries"]);
    assert_eq!(setting.venue.send(get(&setting.path)).await.body["rules"], json!([]));
}

#[tokio::test]
async fn what_rules_refer_to_must_exist() {
    let setting = Setting::open().await;
    let Setting { venue, path, .. } = &setting;
    let mut rule = setting.rule();
    rule["levelIds"] = json!([LEVEL, "65c7d8e9f0a1b2c3d4e5f608"]);
    rule["pricePointIds"] = json!(["a b", setting.adult]);
    let limits = json!({"perType": [{"personTypeId": LEVEL, "limit": 1}]});
    let refused = venue.send(put(path, json!({"rules": [rule], "ticketLimits": limits}))).await;
    assert_eq!(refused.kind(), (404, "NOT_FOUND"));
    assert_eq!(
        refused.pointers(),
        ["/rules/0/levelIds/1", "/rules/0/pricePointIds/0", "/ticketLimits/perType/0/personTypeId"]
    );
    let elsewhere = "/v2/b2b/event/templates/6f2e91b0c47d5a3e18b90f42/entitlements";
    for ask in
        [get(elsewhere), put(elsewhere, json!({})), get(path).by("key-2"), put(path, json!({})).by("key-2")]
    {
        assert_eq!(venue.send(ask.clone()).await.kind(), (404, "NOT_FOUND"), "{ask:?}");
    }
}

#[tokio::test]
async fn ticket_types_stay_while_a_rule_or_limit_names_them_and_rules_go_with_their_template() {
    let setting = Setting::open().await;
    let Setting { venue, template, path, adult, child } = &setting;
    venue.send(put(path, setting.rules())).await.done();
    for one in [adult, child] {
        let refused = venue.send(delete(format!("/v2/b2b/persontypes/{one}"))).await;
        assert_eq!(refused.kind(), (409, "IN_USE"));
        let user = json!([{"type": "entitlements", "id": template, "name": "Tour"}]);
        assert_eq!(refused.body["usedBy"], user);
    }
    let limits = json!({"rules": [], "ticketLimits": {"perType": [{"personTypeId": child, "limit": 1}]}});
    venue.send(put(path, limits)).await.done();
    venue.send(delete(format!("/v2/b2b/persontypes/{adult}"))).await.done();
    venue.send(delete(format!("/v2/b2b/event/templates/{template}"))).await.done();
    assert_eq!(venue.send(get(path)).await.kind(), (404, "NOT_FOUND"));
    venue.send(delete(format!("/v2/b2b/persontypes/{child}"))).await.done();
}

#[tokio::test]
async fn rules_take_two_round_trips_to_write_and_survive_a_lost_answer() {
    let setting = Setting::open().await;
    let Setting { venue, path, .. } = &setting;
    // Template with rules beside ticket types and levels, then one transaction.
    let (written, calls) = venue.counted(put(path, setting.rules())).await;
    assert_eq!((written.status, calls), (200, 4));
    assert_eq!(venue.counted(get(path)).await.1, 1);
    venue.faults.reset();
    venue.faults.at_operation("TransactWriteItems", 0, Fault::AnswerLost);
    let change = put(path, json!({ "rules": [] })).if_match(written.tag());
    assert_eq!(venue.send(change.clone()).await.kind(), (503, "TRY_AGAIN"));
    assert_eq!(venue.send(change).await.status, 200);
    assert_eq!(venue.send(get(path)).await.body["rules"], json!([]));
}
