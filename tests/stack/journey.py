"""What visitors, staff, partners and operators do with a deployed service, over its gateway's addresses."""

import http.client
import json
import re
import subprocess
import urllib.parse
import uuid
from pathlib import Path

import deployment
from deployment import REPOSITORY, STAGE
from emulator import Failed, wait_for

TENANT = "1001"
SHOP = {"x-service-api-key": "demo-b2c-1001", "x-b2c-tenant-id": TENANT, "x-service-browser-ip": "203.0.113.24"}
STAFF = {"x-service-api-key": "demo-b2b-1001"}
MERCHANT = {"x-service-payment-key": "demo-pay-60417"}
PARTNER = {"x-service-payment-key": "demo-partner-1001"}
ORIGIN = "http://localhost:3000"

GALLERY = "1001ee000000000000000001"
ADULT = "1001aa000000000000000001"
PAYER = "ines.okafor@example.org"
MEMBER = "ada.lindqvist@example.test"

# The queue's own pause between two tries is as long as a mail may take, six times over: five tries would take
# a quarter of an hour.
POISON_PAUSE_SECS = 1
MAIL_SECS = 30
POISON_SECS = 60
# The schedule runs every minute; the first run may be under way already.
SCHEDULE_SECS = 150


class Answer:
    """What the gateway answered."""

    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.text = response.read().decode()

    @property
    def json(self):
        return json.loads(self.text)


class Journey:
    """A deployed service with the demo museum."""

    def __init__(self, emulator, outputs, program: Path):
        self.emulator, self.outputs, self.program = emulator, outputs, program
        self.sqs = emulator.client("sqs")

    # ------------------------------------------------------------------------------------ means

    def call(self, headers, method, path, body=None):
        """Asks the API to which the path belongs, at the address that the stack's outputs give."""
        base = self.outputs["PaymentsUrl" if path.startswith("/v1/payment/") else "ApiUrl"]
        address = urllib.parse.urlsplit(base)
        # The names of the emulator's gateways are not known to every resolver.
        connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
        headers = {"host": address.netloc, **headers}
        if body is not None:
            headers["content-type"] = "application/json"
        connection.request(method, address.path + path, None if body is None else json.dumps(body), headers)
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def succeed(self, headers, method, path, body=None):
        """Asks, and reads the answer, which must be a success."""
        answer = self.call(headers, method, path, body)
        expect(answer.status, 200, f"{method} {path}: {answer.text}")
        return answer.json

    def boxoffice(self, *arguments):
        """Runs the operator's program on the emulator, and answers with what it printed."""
        settings = {"BOXOFFICE_TABLE_PREFIX": self.outputs["TablePrefix"]}
        settings["BOXOFFICE_VAULT_KEY_ID"] = self.outputs["VaultKeyArn"]
        command = [self.program, *arguments, "--endpoint", self.emulator.url]
        environment = self.emulator.environment() | settings
        ran = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
        if ran.returncode != 0:
            raise Failed(f"boxoffice {' '.join(arguments)}: {ran.stderr}")
        return ran.stdout

    def messages(self, queue):
        """How many messages a queue has, waiting or being worked on."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self.sqs.get_queue_attributes(QueueUrl=self.queue_url(queue), AttributeNames=names)
        return sum(int(answer["Attributes"][name]) for name in names)

    def queue_url(self, queue):
        """The address of a queue of this stage."""
        return self.sqs.get_queue_url(QueueName=f"boxoffice-{STAGE}-{queue}")["QueueUrl"]

    def mail_to(self, address):
        """The mails to one address, once there is one."""
        found = lambda: [mail for mail in self.emulator.mails() if address in mail["To"]]
        return wait_for(f"a mail to {address}", found, MAIL_SECS)

    # ----------------------------------------------------------------------------------- checks

    def the_operator_verifies_the_sender_and_imports_a_venue(self):
        # Without the first, SES refuses every mail.
        sender = deployment.parameters()["MailFrom"]
        self.emulator.client("sesv2").create_email_identity(EmailIdentity=sender.split("@")[1])
        # Its first import makes it, its second finds nothing to change.
        document = str(REPOSITORY / "demo" / "harbor-museum.json")
        self.boxoffice("import", document)
        again = self.boxoffice("import", document)
        expect(re.findall(r"[1-9]\d* (?:created|updated)", again), [], "the second import")
        expect("Harbor Museum" in self.boxoffice("tenant", "list"), True, "tenant list")

    def a_visitor_gets_from_the_list_to_barcodes_and_a_mail(self):
        templates = self.succeed(SHOP, "GET", "/v2/b2c/event/templates/slim")
        expect(GALLERY in json.dumps(templates), True, "the list names the gallery")
        slot = self.succeed(SHOP, "GET", f"/v2/b2c/events/{GALLERY}/nextAvailable")["id"]

        cart = self.succeed(SHOP, "POST", "/v2/b2c/carts", {})
        line = {"eventId": slot, "ticketingTypeId": ADULT, "quantity": 2}
        filled = self.succeed(SHOP, "PUT", f"/v2/b2c/carts/{cart}", {"id": cart, "items": [line]})
        expect(filled["items"][0]["quantity"], 2, "the cart")
        held = {"reservationItems": [{"eventId": slot, "quantity": 2}]}
        hold = self.succeed(STAFF, "POST", "/v2/b2b/reservations", held)["id"]

        pay = {
            "shoppingCartId": cart,
            "reservationId": hold,
            "billingFirstName": "Ines",
            "billingLastName": "Okafor",
            "billingEmail": PAYER,
            "billingZipCode": "94000",
            "manualEntryCardNumber": "4111111111111111",
            "expDate": "1235",
            "cvc": "123",
        }
        named = SHOP | {"idempotency-key": f"stack-{cart}"}
        order = self.order = self.succeed(named, "POST", "/v2/b2c/checkout", pay)["id"]
        again = self.call(named, "POST", "/v2/b2c/checkout", pay)
        expect(again.headers.get("x-service-replayed"), "true", "the second checkout")
        expect(again.json["id"], order, "the second checkout's order")

        paid = self.succeed(STAFF, "GET", f"/v2/b2b/willcall/orders/{order}")
        tickets = paid["eventItems"][0]["items"][0]["tickets"]
        expect(len({ticket["uuid"] for ticket in tickets}), 2, "different barcodes")
        expect(len(self.mail_to(PAYER)), 1, "mails to the payer")
        wait_for("the mail is marked as sent", lambda: order not in self.boxoffice("outbox"), MAIL_SECS)
        wait_for("the queue is empty", lambda: self.messages("mail") == 0, MAIL_SECS)

    def a_ticket_and_a_part_of_the_sale_are_given_back(self):
        path = f"/v2/b2b/orders/detail/{self.order}"
        detail = self.call(STAFF, "GET", path).text
        item = re.search(r'"itemId":"(\d+)"', detail)[1]
        sale = re.search(r"sale_[0-9a-f-]+", detail)[0]
        wish = {"orderId": self.order, "items": [{"itemId": item, "quantity": 1}]}
        self.succeed(STAFF, "POST", "/v2/b2b/refunds", wish)
        paid = self.succeed(STAFF, "GET", f"/v2/b2b/willcall/orders/{self.order}")
        expect(paid["refundStatus"], "Partially Refunded", "the refundStatus")
        part = {"saleId": sale, "charge": {"amount": 0.01}}
        given = self.succeed(MERCHANT, "POST", "/v1/payment/60417/refund", part)
        expect(given["charge"]["amount"], "0.01", "the refund")
        much = self.call(MERCHANT, "POST", "/v1/payment/60417/refund", part | {"charge": {"amount": 1000}})
        expect((much.status, much.json["type"]), (409, "REFUND_EXCEEDS_REMAINDER"), "more than remains")

    def a_member_logs_in_by_the_link_in_a_mail(self):
        asked = self.call(SHOP, "GET", f"/v2/b2c/membership/validate/login?email={MEMBER}")
        expect(asked.status, 204, "asking for a link")
        text = self.mail_to(MEMBER)[-1]["BodyText"]
        token = re.search(r"loginToken=([0-9a-f-]+)", text)[1]
        found = self.succeed(SHOP, "POST", "/v2/b2c/membership/validate/login", {"token": token})
        expect(bool(found), True, "the member's cards")

    def a_page_of_the_venue_may_read_answers_and_another_may_not(self):
        page = {"x-service-api-key": "demo-browser-1001", "x-b2c-tenant-id": TENANT, "origin": ORIGIN}
        path = "/v2/b2c/event/templates/slim"
        answer = self.call(page, "GET", path)
        expect((answer.status, answer.headers.get("access-control-allow-origin")), (200, ORIGIN), "the venue's page")
        other = self.call(page | {"origin": "https://evil.example"}, "GET", path)
        expect((other.status, other.headers.get("access-control-allow-origin")), (403, None), "another page")
        # AWS hands a preflight to a route of any method, as tests/tests/suite/functions does. The emulator never does.
        preflight = self.call(page | {"access-control-request-method": "POST"}, "OPTIONS", path)
        expect((preflight.status, preflight.json), (403, {"message": "CORS not configured"}), "the emulator's preflight")

    def every_path_of_nobody_is_a_typed_error(self):
        for path in ["/nowhere", "/v1/payment/nowhere"]:
            answer = self.call(STAFF, "GET", path)
            expect((answer.status, answer.json.get("type")), (404, "NOT_FOUND"), path)

    def a_key_opens_until_the_operator_revokes_it(self):
        path = "/v2/b2b/locations/avs/countries"
        key = self.boxoffice("key", "issue", "--tenant", TENANT, "--scope", "b2b", "--label", "stack").strip()
        expect(self.call({"x-service-api-key": key}, "GET", path).status, 200, "a new key")
        row = next(row for row in self.boxoffice("key", "list", "--tenant", TENANT).splitlines() if "stack" in row)
        self.boxoffice("key", "revoke", "--tenant", TENANT, row.split()[0])
        refused = lambda: self.call({"x-service-api-key": key}, "GET", path).status == 401
        wait_for("a revoked key is refused", refused, 10)

    def a_partner_brings_a_merchant(self):
        event = json.loads((REPOSITORY / "events" / "onboarding" / "create.v2.json").read_text())
        self.application = json.loads(event["body"]) | {"boardingRefId": str(uuid.uuid4())}
        brought = self.succeed(PARTNER, "POST", "/v1/payment/onboard", self.application)
        expect((brought["status"], brought["errorInfo"]), ("Pending", []), "a complete application")

    def the_schedule_decides_on_the_merchant(self):
        # Nothing else decides in a deployment.
        path = f"/v1/payment/onboard/{self.application['boardingRefId']}"
        decided = lambda: self.succeed(PARTNER, "GET", path)["status"] == "Approved"
        wait_for("the schedule approves the merchant", decided, SCHEDULE_SECS)
        mid = self.succeed(PARTNER, "GET", path)["mid"]
        expect(mid in self.boxoffice("merchant", "list", "--tenant", TENANT), True, "merchant list")

    def the_schedule_logs_what_the_alarms_count(self):
        logs, group = self.emulator.client("logs"), f"/aws/lambda/boxoffice-{STAGE}-cleanup"
        filters = logs.describe_metric_filters(logGroupName=group)["metricFilters"]
        counted = {each["metricTransformations"][0]["metricValue"].removeprefix("$.") for each in filters}
        expect(len(counted), 3, f"metrics of the schedule's log: {counted}")
        lines = [event["message"] for event in logs.filter_log_events(logGroupName=group)["events"]]
        lines = [json.loads(line) for text in lines for line in text.splitlines() if "scheduled work" in line]
        expect(bool(lines), True, "the schedule's log has its line")
        expect([counted - line.keys() for line in lines if counted - line.keys()], [], "fields that are missing")

    def a_lost_table_is_restored_in_place(self):
        tables, lost = self.emulator.client("dynamodb"), f"{self.outputs['TablePrefix']}orders"
        path = f"/v2/b2b/willcall/orders/{self.order}"
        for table in ["catalog", "orders"]:
            tables.restore_table_to_point_in_time(
                SourceTableName=f"{self.outputs['TablePrefix']}{table}",
                TargetTableName=f"boxoffice-restored-{table}",
                UseLatestRestorableTime=True,
            )
        listed = self.boxoffice("tenant", "list", "--prefix", "boxoffice-restored-")
        expect("Harbor Museum" in listed, True, "tenants in the restored table")
        backup = tables.create_backup(TableName="boxoffice-restored-orders", BackupName="restored")
        tables.delete_table(TableName=lost)
        expect(self.call(STAFF, "GET", path).status, 500, "the order without its table")
        arn = backup["BackupDetails"]["BackupArn"]
        tables.restore_table_from_backup(TargetTableName=lost, BackupArn=arn)
        self.succeed(STAFF, "GET", path)

    def a_message_that_is_no_mail_ends_with_the_dead_letters_alone(self):
        # One more mail travels with it, and is not held up.
        before = len(self.emulator.mails())
        queue = self.queue_url("mail")
        self.sqs.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": str(POISON_PAUSE_SECS)})
        self.sqs.send_message(QueueUrl=queue, MessageBody="not json")
        self.call(SHOP, "GET", f"/v2/b2c/membership/validate/login?email={MEMBER}")
        wait_for("the mail beside it", lambda: len(self.emulator.mails()) == before + 1, MAIL_SECS)
        wait_for("the dead letter", lambda: self.messages("mail-dead") == 1, POISON_SECS)
        wait_for("the queue is empty", lambda: self.messages("mail") == 0, MAIL_SECS)
        dead = self.sqs.receive_message(QueueUrl=self.queue_url("mail-dead"))["Messages"]
        expect([message["Body"] for message in dead], ["not json"], "the dead letters")


# In this order: what the schedule decides on is brought first, so that its minute passes beside the rest.
CHECKS = [
    Journey.the_operator_verifies_the_sender_and_imports_a_venue,
    Journey.a_partner_brings_a_merchant,
    Journey.a_visitor_gets_from_the_list_to_barcodes_and_a_mail,
    Journey.a_ticket_and_a_part_of_the_sale_are_given_back,
    Journey.a_member_logs_in_by_the_link_in_a_mail,
    Journey.a_page_of_the_venue_may_read_answers_and_another_may_not,
    Journey.every_path_of_nobody_is_a_typed_error,
    Journey.a_key_opens_until_the_operator_revokes_it,
    Journey.a_message_that_is_no_mail_ends_with_the_dead_letters_alone,
    Journey.the_schedule_decides_on_the_merchant,
    Journey.the_schedule_logs_what_the_alarms_count,
    Journey.a_lost_table_is_restored_in_place,
]


def expect(found, wanted, what):
    """Fails unless the two are the same."""
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")
