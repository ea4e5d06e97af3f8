//! Who works here, and how they sign in.

use serde_json::json;

use crate::functions::mailed_token;
use crate::functions::permissions::Stage;
use crate::functions::permissions::request::{KeptEvent, Request};

const LIST: KeptEvent = KeptEvent { function: "staff", file: "list.v2.json" };
const ALL: &str = "/v2/b2b/staff";
const KIM: &str = "kim@harbor-museum.example";

impl Stage {
    pub(super) async fn people(&mut self) {
        let kim = json!({"email": KIM, "name": "Kim", "roles": ["admin"]});
        let add = || Request::new(LIST, "POST", ALL).with_body(&kim);
        let id = self.make(add().keyed("a person")).await;
        self.refuse(add().keyed("the same address"), "VALIDATION_ERROR").await;
        let one = format!("{ALL}/{id}");
        let renamed = json!({"email": KIM, "name": "Kim Okafor", "roles": ["admin"]});
        self.succeed(Request::new(LIST, "PUT", &one).with_body(&renamed)).await;
        self.succeed(Request::new(LIST, "GET", &one)).await;

        let session = self.sign_in().await;
        self.succeed(Request::new(LIST, "GET", ALL).on_staff_page(Some(&session))).await;
        let sign_out = || Request::new(LIST, "DELETE", "/v2/staff/session").on_staff_page(Some(&session));
        let settings = json!({"name": "Harbor Museum", "languages": ["en"]});
        let change = Request::new(LIST, "PUT", "/v2/b2b/settings").with_body(&settings);
        self.succeed(change.on_staff_page(Some(&session))).await;
        let till = json!({"label": "Till 2", "scopes": ["counter"]});
        let key = self.make(Request::new(LIST, "POST", "/v2/b2b/keys").with_body(&till)).await;
        self.succeed(Request::new(LIST, "DELETE", &format!("/v2/b2b/keys/{key}"))).await;
        self.succeed(Request::new(LIST, "GET", "/v2/b2b/settings/history")).await;
        self.succeed(sign_out()).await;
        self.refuse(sign_out(), "UNAUTHORIZED").await;
        self.succeed(Request::new(LIST, "DELETE", &format!("{one}/sessions"))).await;
        // Without another admin, she stays.
        self.refuse(Request::new(LIST, "DELETE", &one), "LAST_ADMIN").await;
        let lee = json!({"email": "lee@harbor-museum.example", "name": "Lee", "roles": ["admin"]});
        self.succeed(Request::new(LIST, "POST", ALL).with_body(&lee)).await;
        self.succeed(Request::new(LIST, "DELETE", &one)).await;
    }

    /// The session that a mailed link opens.
    async fn sign_in(&mut self) -> String {
        let ask = Request::new(LIST, "POST", "/v2/staff/login").with_body(&json!({"email": KIM}));
        self.succeed(ask.on_staff_page(None)).await;
        let token = mailed_token(&self.cloud, KIM).await;
        let open = Request::new(LIST, "POST", "/v2/staff/session").with_body(&json!({"token": token}));
        let begun = self.succeed(open.on_staff_page(None)).await;
        begun["session"].as_str().unwrap().to_owned()
    }
}
