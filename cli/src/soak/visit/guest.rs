//! Those who buy nothing: they look around, hold seats, are members, or work at the desk.

use super::{Cut, Visit};
use crate::soak::client::{Caller, Request};
use crate::soak::venue::{GALLERY, MEMBER_EMAIL, MEMBER_NAME, MEMBERSHIP, MEMBERSHIP_NUMBER};
use http::StatusCode;
use serde_json::{Value, json};

/// Days that are looked at in a calendar.
const CALENDAR_DAYS: u64 = 30;

impl Visit<'_> {
    /// Looks at so many pages of the shop.
    pub(super) async fn look(&mut self, pages: u32) -> Result<(), Cut> {
        for _ in 0..pages {
            let slot = self.any_slot();
            let event = &self.context.event;
            let (template, days) = (&event.template, event.days(1, 3));
            let looks = [
                "event/templates".to_owned(),
                "event/templates/slim".to_owned(),
                format!("event/templates/{template}"),
                format!("event/templates/{template}/times?{days}"),
                format!("event/templates/{template}/calendar?{}", event.days(0, CALENDAR_DAYS)),
                format!("event/templates/{GALLERY}/times?{days}"),
                format!("event/templates/{GALLERY}?membershipId={MEMBERSHIP_NUMBER}"),
                format!("event/templates/times?{}", event.days(1, 2)),
                format!("event/templates/calendar?{}", event.days(0, CALENDAR_DAYS)),
                format!("events/{GALLERY}/nextAvailable"),
                format!("events/{slot}"),
                "membership/levels".to_owned(),
                "combos".to_owned(),
                "inventory".to_owned(),
                "venue".to_owned(),
            ];
            let look = self.random.choice(looks).unwrap_or_default();
            self.ask(&Request::get(Caller::Shop, format!("/v2/b2c/{look}"))).await?;
        }
        Ok(())
    }

    /// Holds seats, then more of them, and gives them back; now and then they are left to expire.
    pub(super) async fn hold_and_release(&mut self) -> Result<(), Cut> {
        const RESERVATIONS: &str = "/v2/b2b/reservations";
        let slot = self.any_slot();
        let seats = |count: u32| json!([{ "eventId": slot, "quantity": count }]);
        let made = Request::post(Caller::Staff, RESERVATIONS, json!({ "reservationItems": seats(2) }));
        let id: Value = self.ask(&made).await?.body["id"].clone();
        let more = json!({ "id": id, "reservationItems": seats(3) });
        self.ask(&Request::put(Caller::Staff, RESERVATIONS, more)).await?;
        if self.chance(90) {
            self.ask(&Request::delete(Caller::Staff, format!("{RESERVATIONS}/{id}"))).await?;
        }
        Ok(())
    }

    /// Proves to be a member, and now and then asks for a link to log in by.
    pub(super) async fn be_a_member(&mut self) -> Result<(), Cut> {
        const MEMBERS: &str = "/v2/b2c/membership";
        let holder = format!("membershipId={MEMBERSHIP_NUMBER}&lastName={MEMBER_NAME}");
        self.ask(&Request::get(Caller::Shop, format!("{MEMBERS}/validate?{holder}"))).await?;
        self.ask(&Request::get(Caller::Shop, format!("{MEMBERS}/exists?email={MEMBER_EMAIL}"))).await?;
        self.ask(&Request::get(Caller::Staff, format!("/v2/b2b/memberships/{MEMBERSHIP}"))).await?;
        if self.chance(20) {
            let link = format!("{MEMBERS}/validate/login?email={MEMBER_EMAIL}");
            self.ask(&Request::get(Caller::Shop, link).expecting(StatusCode::NO_CONTENT)).await?;
        }
        Ok(())
    }

    /// Looks at what the back office shows.
    pub(super) async fn work_at_the_desk(&mut self) -> Result<(), Cut> {
        const LEVELS: &str =
            "membership/levels?isPublished=true&salesChannels=online&action=NEW_MEMBERSHIPS&summarize=true";
        for _ in 0..2 {
            let slot = self.any_slot();
            let tomorrow = self.context.event.days(1, 2);
            let looks = [
                format!("event/instances?{tomorrow}"),
                format!("event/instances/summaries?{tomorrow}"),
                format!("event/instances/{slot}"),
                "event/templates/summaries".to_owned(),
                LEVELS.to_owned(),
                "coupons".to_owned(),
                "settings".to_owned(),
                "staff".to_owned(),
            ];
            let look = self.random.choice(looks).unwrap_or_default();
            self.ask(&Request::get(Caller::Staff, format!("/v2/b2b/{look}"))).await?;
        }
        Ok(())
    }
}
