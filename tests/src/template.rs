//! Reads `template.yaml` as plain JSON in CloudFormation's long form: `!Ref x` is `{"Ref": "x"}`,
//! `!Sub x` is `{"Fn::Sub": "x"}`, and so on.

use std::collections::BTreeSet;

use saphyr::{LoadableYamlNode, ScalarOwned, YamlOwned};
use serde_json::{Map, Value};

/// The whole template.
///
/// # Panics
/// If the file is missing or is not one YAML document.
#[must_use]
pub fn template() -> Value {
    let path = crate::repository().join("template.yaml");
    let text = std::fs::read_to_string(path).expect("the template can be read");
    let documents = YamlOwned::load_from_str(&text).expect("the template is YAML");
    assert_eq!(documents.len(), 1, "the template is one document");
    documents.into_iter().map(long_form).next().unwrap_or_default()
}

/// The template's resources of one type, by logical name.
#[must_use]
pub fn resources(template: &Value, kind: &str) -> Vec<(String, Value)> {
    let all = template["Resources"].as_object().expect("the template has resources");
    let of_kind = all.iter().filter(|(_, resource)| resource["Type"] == kind);
    of_kind.map(|(name, resource)| (name.clone(), resource.clone())).collect()
}

/// The crate under `functions/` that a logical function name stands for: `events` for `EventsFunction`. Its words are
/// parted by underscores.
///
/// # Panics
/// If the name does not end in `Function`.
#[must_use]
pub fn crate_of(function: &str) -> String {
    let name = function.strip_suffix("Function").unwrap_or_else(|| panic!("{function} is no function"));
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// The logical name of the function that is the crate `functions/<name>`: `EventsFunction` for `events`.
///
/// # Panics
/// If no function of the template is that crate.
#[must_use]
pub fn function_of(name: &str) -> String {
    let functions = resources(&template(), "AWS::Serverless::Function");
    let found = functions.into_iter().map(|(logical, _)| logical).find(|logical| crate_of(logical) == name);
    found.unwrap_or_else(|| panic!("{name} is not deployed"))
}

/// What the function of the crate `functions/<name>` may do, as (action, resource). A resource is a logical
/// name, for an index with `/index/` and its name behind; or what else the template says.
#[must_use]
pub fn permissions(name: &str) -> BTreeSet<(String, String)> {
    let properties = &template()["Resources"][function_of(name)]["Properties"];
    let mut permitted = BTreeSet::new();
    for statement in properties["Policies"][0]["Statement"].as_array().into_iter().flatten() {
        let resource = &statement["Resource"];
        let attribute = resource["Fn::GetAtt"].as_str().and_then(|attribute| attribute.strip_suffix(".Arn"));
        let text = attribute.or_else(|| resource["Fn::Sub"].as_str()).unwrap_or_default();
        let text = text.replace(".Arn}", "").replace("${", "");
        for action in statement["Action"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            permitted.insert((action.to_owned(), text.clone()));
        }
    }
    permitted
}

/// The names of the environment variables that the function of the crate `functions/<name>` is given.
#[must_use]
pub fn environment(name: &str) -> BTreeSet<String> {
    let template = template();
    let own = &template["Resources"][function_of(name)]["Properties"];
    let given = [&template["Globals"]["Function"], own].map(|of| of["Environment"]["Variables"].as_object());
    given.into_iter().flatten().flat_map(|variables| variables.keys().cloned()).collect()
}

/// The APIs of the template.
pub const APIS: [&str; 2] = ["TicketingApi", "PaymentsApi"];

/// The routes of one of [`APIS`] as (method, path, crate under `functions/`), in the template's order.
/// The catch-all is (`ANY`, `$default`, …).
///
/// # Panics
/// If a route, its integration or its function do not fit together.
#[must_use]
pub fn routes_of_api(api: &str) -> Vec<(String, String, String)> {
    let template = template();
    let routes = resources(&template, "AWS::ApiGatewayV2::Route");
    let of_api = routes.iter().filter(|(_, route)| route["Properties"]["ApiId"]["Ref"] == api);
    of_api.map(|(name, route)| template_route(&template, name, &route["Properties"])).collect()
}

/// The API that a path belongs to.
#[must_use]
pub fn api_of(path: &str) -> &'static str {
    if path.starts_with("/v1/payment/") { "PaymentsApi" } else { "TicketingApi" }
}

/// The routes of the API that a path belongs to.
#[must_use]
pub fn template_routes(path: &str) -> Vec<(String, String, String)> {
    routes_of_api(api_of(path))
}

fn template_route(template: &Value, name: &str, route: &Value) -> (String, String, String) {
    let key = route["RouteKey"].as_str().unwrap_or_else(|| panic!("{name} has no key"));
    let (method, path) = key.split_once(' ').unwrap_or(("ANY", key));
    let target = route["Target"]["Fn::Sub"].as_str().unwrap_or_else(|| panic!("{name} has no target"));
    let integration = target
        .strip_prefix("integrations/${")
        .and_then(|rest| rest.strip_suffix('}'))
        .unwrap_or_else(|| panic!("{name} has no integration as target"));
    let uri = &template["Resources"][integration]["Properties"]["IntegrationUri"]["Fn::GetAtt"];
    let function = uri
        .as_str()
        .and_then(|attribute| attribute.strip_suffix(".Arn"))
        .unwrap_or_else(|| panic!("{integration} calls no function"));
    (method.to_owned(), path.to_owned(), crate_of(function))
}

/// The crate that answers `method path` on the gateway; that of the [`answering_route`].
#[must_use]
pub fn answering_crate<'r>(
    routes: &'r [(String, String, String)],
    method: &str,
    path: &str,
) -> Option<&'r str> {
    answering_route(routes, method, path).map(|(_, _, function)| function.as_str())
}

/// The route that answers `method path`: the most specific of [`routes_of_api`], as API Gateway chooses (an
/// exact path before `{proxy+}`, the longest of these first, then `$default`; a named
/// method before `ANY`). A segment such as `{mid}` of a route fits any segment, that of a path of the OpenAPI document
/// too. A trailing slash is a child of its path.
#[must_use]
pub fn answering_route<'r>(
    routes: &'r [(String, String, String)],
    method: &str,
    path: &str,
) -> Option<&'r (String, String, String)> {
    let rank = |(route_method, route_path, _): &(String, String, String)| {
        let method_rank = if route_method == method { 1_usize } else { 0 };
        if method_rank == 0 && route_method != "ANY" {
            return None;
        }
        if route_path == "$default" {
            return Some((0, method_rank));
        }
        let asked: Vec<&str> = path.split('/').collect();
        let fit = |own: &[&str]| {
            own.len() <= asked.len()
                && own.iter().zip(&asked).all(|(own, asked)| own == asked || own.starts_with('{'))
        };
        let own: Vec<&str> = route_path.split('/').collect();
        match own.split_last() {
            Some((&"{proxy+}", above)) => {
                (asked.len() > above.len() && fit(above)).then_some((above.len(), method_rank))
            }
            _ => (own.len() == asked.len() && fit(&own)).then_some((usize::MAX, method_rank)),
        }
    };
    let ranked = routes.iter().filter_map(|route| rank(route).map(|rank| (rank, route)));
    ranked.max_by_key(|(rank, _)| *rank).map(|(_, route)| route)
}

fn long_form(yaml: YamlOwned) -> Value {
    match yaml {
        YamlOwned::Value(scalar) => match scalar {
            ScalarOwned::Null => Value::Null,
            ScalarOwned::Boolean(boolean) => boolean.into(),
            ScalarOwned::Integer(integer) => integer.into(),
            ScalarOwned::FloatingPoint(number) => number.into_inner().into(),
            ScalarOwned::String(text) => text.into(),
        },
        YamlOwned::Representation(text, _, _) => text.into(),
        YamlOwned::Sequence(items) => items.into_iter().map(long_form).collect(),
        YamlOwned::Mapping(entries) => {
            let entry = |(key, value): (YamlOwned, YamlOwned)| {
                let key = key.as_str().expect("a key is text").to_owned();
                (key, long_form(value))
            };
            Value::Object(entries.into_iter().map(entry).collect())
        }
        YamlOwned::Tagged(tag, inner) => {
            let function = match tag.suffix.as_str() {
                "Ref" | "Condition" => tag.suffix.clone(),
                other => format!("Fn::{other}"),
            };
            Value::Object(Map::from_iter([(function, long_form(*inner))]))
        }
        YamlOwned::Alias(_) | YamlOwned::BadValue => panic!("CloudFormation knows no aliases"),
    }
}
