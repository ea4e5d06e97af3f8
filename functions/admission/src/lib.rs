//! Doors: letting visitors in and out, taking that back, and what devices need to do it offline.
//!
//! | Request | Round trips |
//! |---|---|
//! | `POST /v2/b2b/admissions` | 3 with `eventId`, else 4: the code, the order, the slots of its tickets, the scan |
//! | `POST /v2/b2b/admissions/lookup` | 2 to 3: the same without the scan |
//! | `POST /v2/b2b/admissions/undo` | 3: the code, the order with its scans, the change |
//! | `POST /v2/b2b/admissions/blocks` | 2: the order with its scans, the change |
//! | `GET /v2/b2b/admissions/orders/{orderId}` | 1 |
//! | `GET /v2/b2b/admissions/events/{eventId}` | 3 a page: what leads to orders, the orders, their tickets |
//! | `POST /v2/b2b/admissions/uploads` | 3 for each order, two before where scans name codes; orders side by side |
//! | `POST /v2/b2b/willcall/checkinexternal` | 3 |
//! | `POST /v2/b2b/willcall/checkintickets` | 4: what leads to the orders, the orders, the slots, the scans |
//! | `POST …/willcall/checkinticketsexternal`, `…/undocheckintickets` | as the first, as `undo` |
//!
//! Tickets that are named by their ids are counted in the place of the code. Where several orders are named, they are
//! read and written side by side. An idempotency key adds a round trip before and one behind.
//!
//! A busy database is 503, never a refusal at the door. The work of each write is boxed: nested in the shell's own
//! future it would not fit the stack of a thread of an unoptimised build.

mod answer;
mod block;
mod codes;
mod device;
mod given;
mod history;
mod identity;
mod list;
mod lookup;
mod manual;
mod scan;
mod side_by_side;
mod undo;
mod upload;

use web::routes;
use web::routes::Routes;

web::routers!(all);

/// Every route of this group.
fn all<R: Routes>() -> R {
    R::new()
        .routes(routes!(scan::admit))
        .routes(routes!(lookup::look_up))
        .routes(routes!(undo::undo))
        .routes(routes!(block::block))
        .routes(routes!(history::history))
        .routes(routes!(list::list))
        .routes(routes!(upload::upload))
        .routes(routes!(given::look_up))
        .routes(routes!(manual::check_in))
        .routes(routes!(given::scan))
        .routes(routes!(given::scan_for_staff))
        .routes(routes!(manual::undo))
        .routes(routes!(manual::undo_for_staff))
}
