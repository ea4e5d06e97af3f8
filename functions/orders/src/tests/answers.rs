//! What visitors answered to forms.

use super::support::{Service, instance, order, tickets};
use domain::order::{FormResponse, Order, OrderForm, OrderState};
use domain::{FormId, FormResponseId, OrderId, OrderNumber};
use serde_json::{Value, json};

const LIST: &str = "/v2/b2c/forms/responses";

fn form_id() -> FormId {
    FormId::parse("5a10c4e2b95d3f0816e4a2c1").unwrap()
}

fn response(place: u8) -> String {
    FormResponseId::from_bytes([place; 16]).to_string()
}

/// An order of so many days after the first whose visitor answered a form.
fn answered(place: u8, days: i64, group: &str) -> Order {
    let form = OrderForm {
        form: form_id(),
        name: "School visit".into(),
        once_per_cart: false,
        responses: vec![FormResponse { id: FormResponseId::from_bytes([place; 16]), event: instance() }],
        answers: serde_json::from_value(json!([
            {"name": "group", "value": {"text": group}}, {"name": "children", "value": {"number": "7"}},
        ]))
        .unwrap(),
    };
    Order {
        id: OrderId::parse(&(10 + place).to_string()).unwrap(),
        number: OrderNumber::parse(&(100_000_000 + u32::from(place)).to_string()).unwrap(),
        forms: vec![form],
        created_at: domain::time::plus_secs(order().created_at, days * 86_400),
        ..order()
    }
}

async fn service() -> Service {
    let service = Service::start().await;
    for (place, days, group) in [(1, 0, "Pier School"), (2, 1, "=cmd"), (3, 200, "Late")] {
        service.sell(&answered(place, days, group), &tickets(2)).await;
    }
    let deadline = order().created_at;
    let pending = Order { state: OrderState::Pending { deadline }, ..answered(4, 0, "Nobody") };
    service.sell(&pending, &tickets(2)).await;
    service
}

const WHOLE: &str = "startTime=2026-03-01&endTime=2026-12-31";

#[tokio::test]
async fn answers_of_paid_orders_are_listed_by_form_event_order_and_time() {
    let service = service().await;
    let other = "7a10c4e2b95d3f0816e4a2d2";
    for (query, expected) in [
        (WHOLE.to_owned(), vec![3, 2, 1]),
        (format!("{WHOLE}&formId={}", form_id()), vec![3, 2, 1]),
        (format!("{WHOLE}&formId={other}"), vec![]),
        (format!("{WHOLE}&eventId={}", instance()), vec![3, 2, 1]),
        (format!("{WHOLE}&eventId={other}"), vec![]),
        (format!("{WHOLE}&orderNumber=100000002"), vec![2]),
        (format!("{WHOLE}&orderNumber=100000004"), vec![]),
        (format!("{WHOLE}&orderNumber=no%20number"), vec![]),
        ("endTime=2026-04-01".to_owned(), vec![2, 1]),
        ("startTime=2026-03-15&endTime=2026-04-01".to_owned(), vec![2]),
        (format!("{WHOLE}&pageSize=1&page=2"), vec![2]),
    ] {
        let answer = service.answer(&format!("{LIST}?{query}"), "counter").await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.text);
        let expected: Vec<Value> = expected.into_iter().map(|place| json!(response(place))).collect();
        assert_eq!(answer.column("id"), expected, "{query}");
        let again = service.answer(&format!("{LIST}?{query}"), "counter").await;
        assert!(again.calls.rounds <= 2, "{query}: {:?}", again.calls);
    }
    for query in
        ["startTime=2026-03-02&endTime=2026-03-01", "startTime=2025-01-01&endTime=2026-03-01", "format=csv"]
    {
        assert_eq!(service.answer(&format!("{LIST}?{query}"), "b2b").await.status, 400, "{query}");
    }
    for (query, fault) in [
        ("startTime=2026-03-02&endTime=2026-03-01", "endTime must not be before startTime"),
        ("startTime=2025-01-01&endTime=2026-03-01", "endTime must be within 366 days of startTime"),
    ] {
        assert_eq!(service.answer(&format!("{LIST}?{query}"), "b2b").await.faults(), [fault]);
    }
    for key in ["b2c", "b2c-browser", "door"] {
        assert_eq!(service.answer(LIST, key).await.status, 403, "{key}");
    }
}

#[tokio::test]
async fn an_answered_form_is_read_with_the_form_as_it_is_or_by_its_name_alone() {
    let service = service().await;
    let path = format!("{LIST}/{}", response(1));
    let answer = service.answer(&path, "b2b").await;
    assert_eq!(
        answer.body,
        json!({
            "id": response(1), "formId": form_id().as_str(), "name": "School visit", "number": "100000001",
            "type": "order", "source": "service", "submissionDate": "2026-03-14T10:22:05-07:00",
            "customFields": [],
            "responseData": {"fields": [
                {"name": "group", "value": "Pier School", "label": "group"},
                {"name": "children", "value": 7, "label": "children"},
            ]},
            "publishedFormTemplate": {
                "id": form_id().as_str(), "name": "School visit", "type": "order", "source": "service",
                "sourceFormDefinition": null, "state": "Deleted", "lastUpdatedDate": null,
                "lastPublishedDate": null, "oncePerCart": false,
            },
            "orderId": "11", "eventId": instance().to_string(), "itemId": "40177392",
        })
    );
    assert_eq!(service.answer(&path, "b2b").await.calls.rounds, 2);
    for id in [response(4), response(9), "nothing".to_owned()] {
        assert_eq!(service.answer(&format!("{LIST}/{id}"), "b2b").await.kind(), (404, "NOT_FOUND"), "{id}");
    }
    assert_eq!(service.answer(&path, "other-b2b").await.status, 404);
}

#[tokio::test]
async fn a_file_of_answers_has_a_column_for_each_field_and_no_formula() {
    let service = service().await;
    let path = format!("{LIST}?formId={}&format=csv&startTime=2026-03-15&endTime=2026-04-01", form_id());
    let answer = service.answer(&path, "b2b").await;
    let expected = format!(
        "\"id\",\"number\",\"submissionDate\",\"eventId\",\"group\",\"children\"\r\n\
         \"{}\",100000002,\"2026-03-15T10:22:05-07:00\",\"{}\",\"'=cmd\",\"7\"\r\n",
        response(2),
        instance()
    );
    assert_eq!(answer.text, expected);
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"responses_school-visit_2026-03-15_2026-04-01.csv\""
    );
}
