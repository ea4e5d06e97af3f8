//! What the deployment template must keep true.
#![expect(clippy::unwrap_used, reason = "a helper fails its test by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use blackbox::template::{
    APIS, answering_crate, answering_route, api_of, crate_of, resources, routes_of_api, template,
    template_routes,
};
use boxoffice::DeployedRoute;
use serde_json::{Value, json};

/// API Gateway ends a request after this many seconds.
const GATEWAY_LIMIT_SECS: u64 = 30;

fn properties(template: &Value, name: &str) -> Value {
    template["Resources"][name]["Properties"].clone()
}

fn functions(template: &Value) -> Vec<(String, Value)> {
    resources(template, "AWS::Serverless::Function")
}

/// The metrics of one thing that alarms watch. The thing is the value of a dimension.
fn watched_metrics(template: &Value, thing: &Value) -> Vec<String> {
    let alarms = resources(template, "AWS::CloudWatch::Alarm");
    let metrics = alarms.iter().map(|(_, alarm)| &alarm["Properties"]);
    let of_thing = metrics.filter(|metric| metric["Dimensions"][0]["Value"] == *thing);
    of_thing.map(|metric| metric["MetricName"].as_str().unwrap().to_owned()).collect()
}

/// A function's time limit in seconds, its own or the one for all.
fn timeout_secs(template: &Value, function: &Value) -> u64 {
    let own = function["Properties"]["Timeout"].as_u64();
    own.or_else(|| template["Globals"]["Function"]["Timeout"].as_u64()).unwrap()
}

#[test]
fn every_function_crate_is_deployed_and_every_deployed_function_is_a_crate() {
    let directories = std::fs::read_dir(blackbox::repository().join("functions")).unwrap();
    let crates: BTreeSet<String> =
        directories.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let deployed: BTreeSet<String> = functions(&template()).iter().map(|(name, _)| crate_of(name)).collect();
    assert_eq!(crates, deployed);
}

#[test]
fn the_makefile_builds_every_deployed_function() {
    let makefile = std::fs::read_to_string(blackbox::repository().join("Makefile")).unwrap();
    let line = makefile.lines().find_map(|line| line.strip_prefix("FUNCTIONS := ")).unwrap();
    let built: BTreeSet<String> = line.split_whitespace().map(str::to_owned).collect();
    let deployed: BTreeSet<String> = functions(&template()).iter().map(|(name, _)| crate_of(name)).collect();
    assert_eq!(built, deployed);
    for (name, function) in functions(&template()) {
        assert_eq!(function["Metadata"]["BuildMethod"], "makefile", "{name}");
    }
}

#[test]
fn a_function_ends_before_the_gateway_gives_up() {
    let template = template();
    for (name, function) in functions(&template) {
        assert!(timeout_secs(&template, &function) < GATEWAY_LIMIT_SECS, "{name}");
    }
}

#[test]
fn every_function_has_its_own_log_and_alarms_and_no_wildcard_action() {
    let template = template();
    for (name, function) in functions(&template) {
        let log = function["Properties"]["LoggingConfig"]["LogGroup"]["Ref"].as_str().unwrap();
        assert!(
            properties(&template, log)["RetentionInDays"] != Value::Null,
            "{name}'s log is kept for ever"
        );
        let watched: Vec<String> = watched_metrics(&template, &json!({"Ref": name}));
        assert!(
            ["Errors", "Throttles"].iter().all(|metric| watched.contains(&(*metric).to_owned())),
            "{name}"
        );
        for statement in function["Properties"]["Policies"][0]["Statement"].as_array().unwrap() {
            for action in statement["Action"].as_array().unwrap() {
                assert!(!action.as_str().unwrap().contains('*'), "{name} may {action}");
            }
            assert_ne!(statement["Resource"], "*", "{name}");
        }
    }
}

#[test]
fn the_schedule_and_the_queue_reach_their_functions() {
    let template = template();
    let mailer = properties(&template, "MailerFunction")["Events"]["Mail"].clone();
    assert_eq!(mailer["Type"], "SQS");
    assert_eq!(mailer["Properties"]["FunctionResponseTypes"], json!(["ReportBatchItemFailures"]));
    let cleanup = properties(&template, "CleanupFunction")["Events"]["EveryMinute"].clone();
    assert_eq!(
        (&cleanup["Type"], &cleanup["Properties"]["Schedule"]),
        (&json!("Schedule"), &json!("rate(1 minute)"))
    );
}

#[test]
fn mail_is_tried_five_times_without_overlap_and_then_kept_longer_than_the_queue_keeps_it() {
    let template = template();
    let queue = properties(&template, "MailQueue");
    let mailer_secs = timeout_secs(&template, &template["Resources"]["MailerFunction"]);
    assert!(queue["VisibilityTimeout"].as_u64().unwrap() >= 6 * mailer_secs);
    assert!(queue["RedrivePolicy"]["maxReceiveCount"].as_u64().unwrap() >= 5);
    let dead = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"].as_str().unwrap();
    let dead = properties(&template, dead.strip_suffix(".Arn").unwrap());
    let kept_secs = |queue: &Value| queue["MessageRetentionPeriod"].as_u64().unwrap();
    assert!(kept_secs(&dead) > kept_secs(&queue));
}

#[test]
fn tables_have_the_keys_backup_and_expiry_that_the_store_relies_on() {
    let template = template();
    let tables = resources(&template, "AWS::DynamoDB::Table");
    let mut names = BTreeSet::new();
    for (logical, table) in &tables {
        let table = &table["Properties"];
        let name = table["TableName"]["Fn::Sub"].as_str().unwrap();
        let name = name.strip_prefix("boxoffice-${Stage}-").unwrap();
        names.insert(name);
        assert_eq!(logical.to_lowercase(), format!("{name}table"));
        let key = |attribute: &str, kind: &str| json!({"AttributeName": attribute, "KeyType": kind});
        assert_eq!(table["KeySchema"], json!([key("pk", "HASH"), key("sk", "RANGE")]), "{name}");
        assert_eq!(table["BillingMode"], "PAY_PER_REQUEST", "{name}");
        assert_eq!(table["SSESpecification"]["SSEEnabled"], true, "{name}");
        let kept = name != "carts";
        let backup = &table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"];
        let protected =
            table["DeletionProtectionEnabled"] == json!({"Fn::If": ["ProtectsTables", true, false]});
        assert_eq!((backup == true, protected), (kept, kept), "{name}");
        let expires = matches!(name, "carts" | "reservations");
        let expiry = json!({"AttributeName": "ttl", "Enabled": true});
        assert_eq!(table["TimeToLiveSpecification"], if expires { expiry } else { Value::Null }, "{name}");
        let own_key = &table["SSESpecification"]["KMSMasterKeyId"]["Fn::GetAtt"];
        assert_eq!(own_key == "MerchantsKey.Arn", name == "merchants", "{name}");
    }
    let expected = ["carts", "catalog", "members", "merchants", "orders", "reservations"];
    assert_eq!(names, BTreeSet::from(expected));
    let prefix = &template["Globals"]["Function"]["Environment"]["Variables"]["BOXOFFICE_TABLE_PREFIX"];
    assert_eq!(prefix["Fn::Sub"], "boxoffice-${Stage}-");
}

#[test]
fn due_work_is_found_through_one_sparse_index_of_keys() {
    for table in ["OrdersTable", "CatalogTable", "MerchantsTable"] {
        let table = properties(&template(), table);
        assert_eq!(
            table["GlobalSecondaryIndexes"],
            json!([{
                "IndexName": "due",
                "KeySchema": [
                    {"AttributeName": "due_pk", "KeyType": "HASH"},
                    {"AttributeName": "due_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }])
        );
        let attributes = table["AttributeDefinitions"].as_array().unwrap();
        assert!(attributes.contains(&json!({"AttributeName": "due_at", "AttributeType": "N"})));
    }
}

#[test]
fn everything_that_can_go_wrong_quietly_has_an_alarm_that_reports() {
    let template = template();
    let dead = watched_metrics(&template, &json!({"Fn::GetAtt": "MailDeadLetterQueue.QueueName"}));
    assert_eq!(dead, ["ApproximateNumberOfMessagesVisible"]);
    let late = watched_metrics(&template, &json!({"Fn::GetAtt": "MailQueue.QueueName"}));
    assert_eq!(late, ["ApproximateAgeOfOldestMessage"]);
    for (name, _) in resources(&template, "AWS::DynamoDB::Table") {
        let watched = watched_metrics(&template, &json!({"Ref": name}));
        assert_eq!(watched, ["ReadThrottleEvents", "WriteThrottleEvents"], "{name}");
    }
    for api in APIS {
        assert_eq!(watched_metrics(&template, &json!({"Ref": api})), ["5xx"], "{api}");
    }
    let cleanup = watched_metrics(&template, &json!({"Ref": "CleanupFunction"}));
    assert!(cleanup.contains(&"Invocations".to_owned()), "nobody hears of a schedule that stopped");
    let counted: BTreeSet<String> = resources(&template, "AWS::Logs::MetricFilter")
        .iter()
        .map(|(_, filter)| &filter["Properties"]["MetricTransformations"][0])
        .map(|metric| metric["MetricName"].as_str().unwrap().to_owned())
        .collect();
    let alarms = resources(&template, "AWS::CloudWatch::Alarm");
    let of_ours = alarms.iter().map(|(_, alarm)| &alarm["Properties"]);
    let of_ours = of_ours.filter(|alarm| alarm["Namespace"]["Fn::Sub"] == "boxoffice-${Stage}");
    let watched: BTreeSet<String> =
        of_ours.map(|alarm| alarm["MetricName"].as_str().unwrap().to_owned()).collect();
    assert_eq!(watched, counted);
    let report = json!({"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]});
    for (name, alarm) in alarms {
        assert_eq!(alarm["Properties"]["AlarmActions"], report, "{name}");
    }
}

#[test]
fn the_dashboard_shows_every_function_table_queue_and_api() {
    let template = template();
    let body = properties(&template, "Dashboard")["DashboardBody"]["Fn::Sub"].clone();
    let dashboard: Value = serde_json::from_str(body.as_str().unwrap()).unwrap();
    let named = |kind: &str, property: &str| -> BTreeSet<String> {
        let names = resources(&template, kind)
            .into_iter()
            .map(|(_, resource)| resource["Properties"][property]["Fn::Sub"].as_str().unwrap().to_owned());
        names.collect()
    };
    let kinds: [(&str, BTreeSet<String>); 4] = [
        ("AWS/ApiGateway", APIS.iter().map(|api| format!("${{{api}}}")).collect()),
        ("AWS/Lambda", named("AWS::Serverless::Function", "FunctionName")),
        ("AWS/DynamoDB", named("AWS::DynamoDB::Table", "TableName")),
        ("AWS/SQS", named("AWS::SQS::Queue", "QueueName")),
    ];
    for (namespace, all) in kinds {
        let mut is_shown = false;
        for widget in dashboard["widgets"].as_array().unwrap() {
            let metrics = widget["properties"]["metrics"].as_array().unwrap().iter();
            let metrics = metrics.filter_map(|metric| metric.as_array());
            let metrics = metrics.filter(|metric| metric[0] == namespace);
            let shown: BTreeSet<String> =
                metrics.filter_map(|metric| Some(metric.get(3)?.as_str()?.to_owned())).collect();
            // What shows one of a kind shows all of it.
            assert!(shown.is_empty() || shown == all, "{}", widget["properties"]["title"]);
            is_shown |= !shown.is_empty();
        }
        assert!(is_shown, "{namespace}");
    }
}

#[test]
fn both_apis_throttle_and_log_every_request() {
    let template = template();
    for (name, stage) in resources(&template, "AWS::ApiGatewayV2::Stage") {
        let (settings, log) =
            (&stage["Properties"]["DefaultRouteSettings"], &stage["Properties"]["AccessLogSettings"]);
        for (setting, parameter) in
            [("ThrottlingRateLimit", "ThrottleRate"), ("ThrottlingBurstLimit", "ThrottleBurst")]
        {
            assert_eq!(settings[setting], json!({"Ref": parameter}), "{name}");
        }
        assert_eq!(log["DestinationArn"]["Fn::GetAtt"], "AccessLog.Arn", "{name}");
        let line: Value = serde_json::from_str(log["Format"].as_str().unwrap()).unwrap();
        assert_eq!(line["requestId"], "$context.requestId", "{name}");
    }
}

#[test]
fn the_gateway_adds_no_cors_and_a_stage_prefix_to_payments_alone() {
    let template = template();
    let apis = resources(&template, "AWS::ApiGatewayV2::Api");
    let names: BTreeSet<&str> = apis.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, BTreeSet::from(APIS));
    for (name, api) in &apis {
        assert_eq!(api["Properties"]["CorsConfiguration"], Value::Null, "{name}");
    }
    let stages = resources(&template, "AWS::ApiGatewayV2::Stage");
    let stages: BTreeMap<&str, &str> = stages
        .iter()
        .map(|(_, stage)| &stage["Properties"])
        .map(|stage| (stage["ApiId"]["Ref"].as_str().unwrap(), stage["StageName"].as_str().unwrap()))
        .collect();
    assert_eq!(stages, BTreeMap::from([("TicketingApi", "$default"), ("PaymentsApi", "payments")]));
}

#[test]
fn keys_of_ours_are_rotated_by_kms() {
    let template = template();
    let keys = resources(&template, "AWS::KMS::Key");
    assert_eq!(keys.len(), 2);
    for (name, key) in keys {
        assert_eq!(key["Properties"]["EnableKeyRotation"], true, "{name}");
    }
}

#[test]
fn every_routed_function_may_be_called_by_the_gateway() {
    let template = template();
    let permissions = resources(&template, "AWS::Lambda::Permission");
    for api in APIS {
        let of_api =
            permissions.iter().map(|(_, permission)| &permission["Properties"]).filter(|permission| {
                permission["SourceArn"]["Fn::Sub"].as_str().unwrap().ends_with(&format!(":${{{api}}}/*"))
            });
        let permitted: BTreeSet<String> =
            of_api.map(|permission| crate_of(permission["FunctionName"]["Ref"].as_str().unwrap())).collect();
        let routed: BTreeSet<String> =
            routes_of_api(api).into_iter().map(|(_, _, function)| function).collect();
        assert_eq!(permitted, routed, "{api}");
    }
}

#[test]
fn a_request_reaches_the_function_that_owns_its_path() {
    let cases = [
        ("GET", "/v2/b2c/event/templates", "events"),
        ("GET", "/v2/b2c/event/templates/slim", "events"),
        ("GET", "/v2/b2c/event/templates/{templateId}/times", "events"),
        ("OPTIONS", "/v2/b2c/event/templates/times", "events"),
        ("GET", "/v2/b2c/events/{templateId}/nextAvailable", "events"),
        ("POST", "/v2/b2c/carts", "carts"),
        ("POST", "/v2/b2c/carts/", "carts"),
        ("OPTIONS", "/v2/b2c/carts/{id}", "carts"),
        ("DELETE", "/v2/b2c/carts/{id}", "carts"),
        ("POST", "/v2/b2c/entitlements/validate", "entitlements"),
        ("OPTIONS", "/v2/b2c/entitlements/validate", "entitlements"),
        ("POST", "/v1/payment/webhooks/stripe/{tenantId}", "checkout"),
        ("POST", "/v2/b2c/checkout", "checkout"),
        ("GET", "/v2/b2c/checkout/config", "checkout"),
        ("POST", "/v2/b2c/checkout/{orderId}/complete", "checkout"),
        ("PUT", "/v2/b2b/event/templates/{id}/entitlements", "backoffice"),
        ("OPTIONS", "/v2/b2c/cors/checkout", "checkout"),
        ("GET", "/v2/b2c/orders/{id}", "orders"),
        ("GET", "/v2/b2c/orders", "orders"),
        ("GET", "/v2/b2c/orders/", "orders"),
        ("GET", "/v2/b2c/orders/search", "orders"),
        ("GET", "/v2/b2c/orders/event/{eventId}", "orders"),
        ("GET", "/v2/b2b/orders/event/{eventId}", "orders"),
        ("GET", "/v2/b2b/orders/search", "orders"),
        ("GET", "/v2/b2b/orders/search/", "orders"),
        ("PUT", "/v2/b2b/orders/{orderId}", "orders"),
        ("GET", "/v2/b2c/forms/responses", "orders"),
        ("GET", "/v2/b2c/forms/responses/{id}", "orders"),
        ("POST", "/v2/b2b/orders/{orderNumber}/email", "orders"),
        ("GET", "/v2/b2b/event/instances/{id}/manifest", "orders"),
        ("GET", "/v2/b2b/event/instances/{id}/manifest/", "orders"),
        ("GET", "/v2/b2b/orders/detail/{orderId}", "orders"),
        ("GET", "/v2/b2b/willcall/orders/{orderId}", "orders"),
        ("POST", "/v1/b2b/b2b/refunds", "order_refunds"),
        ("POST", "/v1/b2b/rebook/orders", "order_refunds"),
        ("POST", "/v2/b2b/b2b/refunds", "order_refunds"),
        ("POST", "/v2/b2b/orders/update", "order_refunds"),
        ("POST", "/v2/b2b/orders/update/", "order_refunds"),
        ("POST", "/v2/b2b/admissions", "admission"),
        ("POST", "/v2/b2b/admissions/", "admission"),
        ("GET", "/v2/b2b/admissions/orders/{orderId}", "admission"),
        ("POST", "/v2/b2b/willcall/checkintickets", "admission"),
        ("POST", "/v2/willcall/undocheckintickets", "admission"),
        ("GET", "/v2/b2c/membership/levels", "events"),
        ("GET", "/v2/b2c/combos", "events"),
        ("GET", "/v2/b2c/inventory", "events"),
        ("OPTIONS", "/v2/b2c/reservations", "reservations"),
        ("DELETE", "/v2/b2c/reservations/{id}", "reservations"),
        ("PUT", "/v2/b2b/reservations", "reservations"),
        ("DELETE", "/v2/b2b/reservations/{id}", "reservations"),
        ("POST", "/v2/b2b/event/templates", "backoffice"),
        ("PUT", "/v2/b2b/event/instances/{id}", "backoffice"),
        ("GET", "/v2/b2b/event/instances", "backoffice"),
        ("GET", "/v2/b2b/event/instances/summaries", "backoffice"),
        ("GET", "/v1/b2b/event/instance/rebook/fees", "backoffice"),
        ("GET", "/v1/b2b/discounts/{id}/price/list/{priceListId}", "backoffice"),
        ("GET", "/v2/b2c/event/templates/summaries", "events"),
        ("POST", "/v2/b2b/persontypes", "backoffice"),
        ("PUT", "/v2/b2b/persontypes/{id}", "backoffice"),
        ("GET", "/v2/b2b/addons", "backoffice"),
        ("GET", "/v2/b2b/membership/levels", "memberships"),
        ("POST", "/v2/b2b/membership/levels/{levelId}/membershipofferings/", "memberships"),
        ("GET", "/v2/b2b/customers", "memberships"),
        ("GET", "/v2/b2b/customers/{id}", "memberships"),
        ("GET", "/v2/b2b/memberships", "memberships"),
        ("DELETE", "/v2/b2b/memberships/{id}/cards/{cardId}", "memberships"),
        ("GET", "/v2/b2b/membership/summaries", "memberships"),
        ("GET", "/v2/b2b/membership/summaries/", "memberships"),
        ("GET", "/v2/b2b/membership/summaries/search", "memberships"),
        ("GET", "/v2/b2b/membership/cards", "memberships"),
        ("GET", "/v2/b2b/membership/cards/{id}", "memberships"),
        ("GET", "/v1/b2b/membership/cards", "memberships"),
        ("OPTIONS", "/v1/b2b/membership/cards/{id}", "memberships"),
        ("GET", "/v2/b2b/memberships/checkout/validate", "memberships"),
        ("GET", "/v2/memberships/b2b/checkout/validate", "memberships"),
        ("GET", "/v2/b2c/membership/validate", "membership_validation"),
        ("OPTIONS", "/v2/b2c/membership/exists", "membership_validation"),
        ("POST", "/v2/b2c/membership/validate/login", "membership_validation"),
        ("GET", "/v2/b2b/staff", "staff"),
        ("PUT", "/v2/b2b/settings", "staff"),
        ("DELETE", "/v2/b2b/keys/{id}", "staff"),
        ("DELETE", "/v2/b2b/staff/{id}/sessions", "staff"),
        ("POST", "/v2/staff/login", "staff"),
        ("OPTIONS", "/v2/staff/session", "staff"),
        ("POST", "/v2/b2c/orders/open/email", "orders"),
        ("OPTIONS", "/v2/b2c/orders/link", "orders"),
        ("GET", "/v2/b2c/venue", "reference"),
        ("GET", "/v2/b2c/locations/avs/countries", "reference"),
        ("OPTIONS", "/v2/b2c/locations/states/{country}", "reference"),
        ("GET", "/v2/b2b/locations/states/{country}", "reference"),
        ("POST", "/v1/payment/onboard", "onboarding"),
        ("PATCH", "/v1/payment/onboard/{boardingRefId}", "onboarding"),
        ("POST", "/v1/payment/onboard/validate/", "onboarding"),
        ("POST", "/v1/payment/{mid}/refund", "payment_refunds"),
        ("POST", "/v1/payment/{mid}/refund/preview/", "payment_refunds"),
        ("GET", "/docs/index.css", "reference"),
        ("GET", "/nowhere", "reference"),
        ("OPTIONS", "/v2/memberships/b2b/levels", "reference"),
    ];
    for (method, path, function) in cases {
        assert_eq!(answering_crate(&template_routes(path), method, path), Some(function), "{method} {path}");
    }
    for api in APIS {
        let routes = routes_of_api(api);
        let keys: BTreeSet<_> = routes.iter().map(|(method, path, _)| (method, path)).collect();
        assert_eq!(keys.len(), routes.len(), "{api} declares a route twice");
    }
}

/// The operations of the interface as (method, path), without those that exist on one machine only.
fn operations() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(blackbox::repository().join("docs/openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let deployed = paths.filter(|(path, _)| !path.starts_with("/sandbox/"));
    let all = deployed.flat_map(|(path, item)| {
        item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
    });
    all.collect()
}

#[test]
fn every_operation_reaches_the_function_whose_router_answers_it() {
    let answered = boxoffice::deployed_routes();
    let described: BTreeSet<(String, String)> =
        answered.iter().map(|route| (route.method.clone(), route.path.clone())).collect();
    let documented: BTreeSet<(String, String)> = operations().into_iter().collect();
    assert_eq!(described, documented);
    assert_eq!(described.len(), answered.len(), "two functions answer one operation");
    for DeployedRoute { path, method, function } in answered {
        let routes = template_routes(&path);
        assert_eq!(answering_crate(&routes, &method, &path), Some(function), "{method} {path}");
    }
}

#[test]
fn every_route_of_the_template_answers_an_operation() {
    for api in APIS {
        let routes = routes_of_api(api);
        // A caller may leave a slash at the end, which the gateway takes for a path below.
        let answering: BTreeSet<_> = operations()
            .iter()
            .filter(|(_, path)| api_of(path) == api)
            .flat_map(|(method, path)| [path.clone(), format!("{path}/")].map(|path| (method.clone(), path)))
            .filter_map(|(method, path)| answering_route(&routes, &method, &path))
            .collect();
        // What is left to the last route is what no operation is: it refuses.
        let idle: Vec<_> =
            routes.iter().filter(|route| route.1 != "$default" && !answering.contains(route)).collect();
        assert_eq!(idle, Vec::<&(String, String, String)>::new());
    }
}

/// What CloudFront tells browsers is what the program on one machine tells them, but for where the interface is.
#[test]
fn pages_behind_cloudfront_have_the_headers_of_one_machine() {
    let template = template();
    let served = std::fs::read_to_string(blackbox::repository().join("cli/src/pages.rs")).unwrap();
    let policy = |name: &str| {
        let (_, policy) = served.split_once(&format!("const {name}: &str = \"")).unwrap();
        let (policy, _) = policy.split_once("\";").unwrap();
        let policy = policy.replace("\\\n     ", "");
        policy.replace("connect-src 'self'", "connect-src 'self' ${TicketingApi.ApiEndpoint}")
    };
    let (strict, stripe) = (policy("POLICY"), policy("STRIPE_POLICY"));
    let by_parameter = |ancestors: &str| {
        let sent = [&stripe, &strict].map(|policy| json!({"Fn::Sub": format!("{policy} {ancestors}")}));
        json!({"Fn::If": ["LoadsStripe", sent[0], sent[1]]})
    };
    for (name, policy) in [
        ("PagesHeaders", json!({"Fn::Sub": format!("{strict} 'none'")})),
        ("ShopHeaders", by_parameter("'none'")),
        ("EmbedHeaders", by_parameter("${EmbedOrigins}")),
    ] {
        let headers =
            properties(&template, name)["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"].clone();
        assert_eq!(headers["ContentSecurityPolicy"]["ContentSecurityPolicy"], policy, "{name}");
        assert_eq!(headers["ContentTypeOptions"]["Override"], true, "{name}");
        assert_eq!(headers["ReferrerPolicy"]["ReferrerPolicy"], "no-referrer", "{name}");
    }
    let condition = &template["Conditions"]["LoadsStripe"];
    assert_eq!(*condition, json!({"Fn::Equals": [{"Ref": "StripeFields"}, "true"]}));
    assert_eq!(template["Parameters"]["StripeFields"]["Default"], "false");
    let distribution = properties(&template, "PagesDistribution")["DistributionConfig"].clone();
    let usual = &distribution["DefaultCacheBehavior"];
    let framed = &distribution["CacheBehaviors"][0];
    let shop = &distribution["CacheBehaviors"][1];
    assert_eq!(
        (&framed["PathPattern"], &shop["PathPattern"]),
        (&json!("/shop/embed.html"), &json!("/shop/*"))
    );
    assert_eq!(shop["FunctionAssociations"], usual["FunctionAssociations"]);
    for (behaviour, policy) in [(usual, "PagesHeaders"), (framed, "EmbedHeaders"), (shop, "ShopHeaders")] {
        assert_eq!(behaviour["ResponseHeadersPolicyId"]["Ref"], policy);
        assert_eq!(behaviour["Compress"], true, "{policy}");
        assert_eq!(behaviour["ViewerProtocolPolicy"], "redirect-to-https", "{policy}");
    }
    let bucket = properties(&template, "PagesBucket")["PublicAccessBlockConfiguration"].clone();
    assert!(bucket.as_object().unwrap().values().all(|blocked| *blocked == true) && bucket != json!({}));
    let all = template["Resources"].as_object().unwrap().iter();
    let of_pages = ["AWS::S3::", "AWS::CloudFront::"];
    for (name, resource) in all {
        let kind = resource["Type"].as_str().unwrap();
        if of_pages.iter().any(|start| kind.starts_with(start)) {
            assert_eq!(resource["Condition"], "HasPages", "{name}");
        }
    }
}
