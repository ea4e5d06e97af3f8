//! What staff look for.

use crate::find::Lead;
use crate::named::Named;
use crate::range::RangeParameters;
use crate::search::Contact;
use crate::sorting::SORTING;
use domain::compare::comparable;
use domain::listing::Range;
use domain::number::whole_number;
use domain::order::search::{NAME_LETTERS, OrderFilter};
use domain::order::{CheckInStatus, Order, RefundStatus};
use domain::{Channel, CustomerId, InstanceId, MembershipId, OrderNumber, TicketBarcode, Timestamp, Zone};
use serde::Deserialize;
use web::paging::{PageQuery, Paging};
use web::query::QueryReader;
use web::{ApiError, ErrorType};

/// When orders were made.
const MADE: RangeParameters = RangeParameters { from: "createdFrom", until: "createdTo", max_days: 31 };

/// Said to a door that searches by what it is not shown.
const NOT_SHOWN: &str = "A key with the scope door searches only by what it is shown";

/// What staff search orders by. The first that is sent of `orderNumber`, `barcode`, `email`, `phoneNumber`, `eventId`,
/// `lastName` and `createdFrom` finds; all others keep out what they do not apply to.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct StaffSearchQuery {
    /// The number printed for people.
    order_number: Option<String>,
    /// The barcode of a ticket, in any case.
    barcode: Option<String>,
    /// The e-mail address of contact or payer, in any case.
    email: Option<String>,
    /// The phone number of contact or payer; only its digits count.
    phone_number: Option<String>,
    /// How the last name of contact, payer or holder of a membership begins; at least 3 letters.
    last_name: Option<String>,
    /// How the first name begins.
    first_name: Option<String>,
    /// An event instance that the order has or had tickets for.
    event_id: Option<String>,
    /// Orders made at or after this instant.
    created_from: Option<String>,
    /// Orders made at or before this instant; default the end of the day of `createdFrom`. 31 days at most.
    created_to: Option<String>,
    /// The last four digits of the card.
    last_four: Option<String>,
    /// Where it was sold.
    sale_channel: Option<String>,
    /// `NotCheckedIn`, `PartiallyCheckedIn` or `CheckedIn`.
    check_in_status: Option<String>,
    /// A membership that the order names or sold.
    membership_id: Option<String>,
    /// The customer it is linked to.
    customer_id: Option<String>,
    /// `Not Refunded`, `Partially Refunded` or `Refunded`.
    refund_status: Option<String>,
    /// Whether something is owed: `true` or `false`.
    balance_due: Option<String>,
}

/// What is wanted.
#[derive(Debug)]
pub(crate) struct WantedOrders {
    /// What finds; none where nothing does.
    pub(crate) lead: Option<Lead>,
    /// What keeps out.
    filter: OrderFilter,
    /// The barcode, where another lead finds.
    pub(crate) barcode: Option<TicketBarcode>,
    check_in_status: Option<CheckInStatus>,
    pub(crate) paging: Paging<Order>,
}

impl WantedOrders {
    /// Whether an order that was found is wanted.
    pub(crate) fn wants(&self, order: &Order) -> bool {
        let has_status = |status: CheckInStatus| order.check_in().status() == status;
        self.filter.wants(order) && self.check_in_status.is_none_or(has_status)
    }
}

/// What was sent, each text read for itself.
struct Sent {
    number: Option<Named<OrderNumber>>,
    barcode: Option<Named<TicketBarcode>>,
    event: Option<Named<InstanceId>>,
    /// The range that finds, which one without a beginning does not.
    made: Option<Range>,
    filter: OrderFilter,
}

impl StaffSearchQuery {
    /// Reads the query.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` naming every parameter at fault.
    pub(crate) fn read(&self, page: &PageQuery, zone: Zone) -> Result<WantedOrders, ApiError> {
        let mut reader = QueryReader::new();
        let sent = self.sent(&mut reader, zone);
        let expected = CheckInStatus::ALL.map(CheckInStatus::as_str).join(", ");
        let check_in_status = reader.optional(
            "checkInStatus",
            self.check_in_status.as_deref(),
            CheckInStatus::parse,
            &expected,
        );
        let paging = Paging::read(&mut reader, page, &SORTING);
        let paging = reader.finish(paging)?.ok_or_else(|| ApiError::new(ErrorType::Internal))?;
        Ok(sent.wanted(check_in_status, paging))
    }

    /// Refuses what a door is not shown: who narrows down by it would learn it, digit by digit.
    ///
    /// # Errors
    /// `FORBIDDEN` naming every such parameter.
    pub(crate) fn check_door(&self) -> Result<(), ApiError> {
        let hidden = [
            self.last_four.as_ref().map(|_| "lastFour"),
            self.membership_id.as_ref().map(|_| "membershipId"),
            self.customer_id.as_ref().map(|_| "customerId"),
            self.refund_status.as_ref().map(|_| "refundStatus"),
        ];
        let refusal = hidden.into_iter().flatten().fold(None, |refusal: Option<ApiError>, name| {
            let refusal = refusal.unwrap_or_else(|| ApiError::new(ErrorType::Forbidden).message(NOT_SHOWN));
            Some(refusal.detail(name, "needs an API key with the scope b2b or counter"))
        });
        refusal.map_or(Ok(()), Err)
    }

    fn sent(&self, reader: &mut QueryReader, zone: Zone) -> Sent {
        let number = |text: &str| Named::of(OrderNumber::parse(text));
        let barcode = |text: &str| Named::of(TicketBarcode::scanned(text));
        let event = |text: &str| Named::of(InstanceId::parse(text));
        let long = |text: &str| (comparable(text).chars().count() >= NAME_LETTERS).then(|| text.to_owned());
        let four = |text: &str| {
            let is_four = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
            is_four.then(|| text.to_owned())
        };
        let flag = |text: &str| match text.to_ascii_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let membership = |text: &str| MembershipId::parse(whole_number(text)?).ok();
        let customer = |text: &str| CustomerId::parse(whole_number(text)?).ok();
        let channel = |text: &str| Channel::parse(text).ok();
        let Contact { email, phone } =
            Contact::read(reader, self.email.as_deref(), self.phone_number.as_deref());
        let statuses = "Not Refunded, Partially Refunded or Refunded";
        let filter = OrderFilter {
            number: None,
            email,
            phone,
            event: None,
            last_name: reader.optional("lastName", self.last_name.as_deref(), long, "3 letters at least"),
            first_name: reader.text("firstName", self.first_name.as_deref()),
            created: self.created(reader, zone),
            last_four: reader.optional("lastFour", self.last_four.as_deref(), four, "four digits"),
            channel: reader.optional("saleChannel", self.sale_channel.as_deref(), channel, "a sale channel"),
            membership: reader.optional(
                "membershipId",
                self.membership_id.as_deref(),
                membership,
                "a whole number",
            ),
            customer: reader.optional("customerId", self.customer_id.as_deref(), customer, "a whole number"),
            refund_status: reader.optional(
                "refundStatus",
                self.refund_status.as_deref(),
                RefundStatus::parse,
                statuses,
            ),
            balance_due: reader.optional("balanceDue", self.balance_due.as_deref(), flag, "true or false"),
        };
        Sent {
            number: reader.optional("orderNumber", self.order_number.as_deref(), number, "text"),
            barcode: reader.optional("barcode", self.barcode.as_deref(), barcode, "text"),
            event: reader.optional("eventId", self.event_id.as_deref(), event, "text"),
            made: filter.created.filter(|_| self.created_from.is_some()),
            filter,
        }
    }

    /// The range of `createdFrom` and `createdTo`; none without the first.
    fn created(&self, reader: &mut QueryReader, zone: Zone) -> Option<Range> {
        let from = reader.instant("createdFrom", self.created_from.as_deref(), zone);
        let to = reader.instant("createdTo", self.created_to.as_deref(), zone);
        let Some(from) = from else {
            // An end alone keeps out, and finds nothing.
            return to.map(|until| Range { from: Timestamp::UNIX_EPOCH, until });
        };
        let until = to.unwrap_or_else(|| zone.end_of_day(zone.date(from)));
        let range = Range { from, until };
        MADE.check(reader, range);
        Some(range)
    }
}

impl Sent {
    fn wanted(self, check_in_status: Option<CheckInStatus>, paging: Paging<Order>) -> WantedOrders {
        let Self { number, barcode, event, made, mut filter } = self;
        let nothing = WantedOrders {
            lead: None,
            filter: OrderFilter::default(),
            barcode: None,
            check_in_status,
            paging,
        };
        let (number, barcode, event) = match (this(number), this(barcode), this(event)) {
            (Ok(number), Ok(barcode), Ok(event)) => (number, barcode, event),
            // What cannot be an id is nobody's.
            (Ok(_) | Err(()), Ok(_) | Err(()), Ok(_) | Err(())) => return nothing,
        };
        let lead = number.clone().map(Lead::Number).or_else(|| barcode.clone().map(Lead::Barcode));
        let lead = lead.or_else(|| filter.email.clone().map(Lead::Email));
        let lead = lead.or_else(|| filter.phone.clone().map(Lead::Phone));
        let lead = lead.or_else(|| event.map(Lead::Event));
        let lead = lead.or_else(|| filter.last_name.clone().map(Lead::Name));
        let lead = lead.or_else(|| made.map(Lead::Made));
        let barcode = barcode.filter(|_| number.is_some());
        filter.number = number;
        filter.event = event;
        WantedOrders { lead, filter, barcode, ..nothing }
    }
}

fn this<T>(named: Option<Named<T>>) -> Result<Option<T>, ()> {
    match named {
        None => Ok(None),
        Some(Named::This(this)) => Ok(Some(this)),
        Some(Named::Nothing) => Err(()),
    }
}
