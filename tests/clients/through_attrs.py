"""A visitor, through the client that openapi-python-client makes."""

import sys

from attrs_client.api.carts import create_cart, update_cart
from attrs_client.api.checkout import checkout
from attrs_client.api.events import list_events_in_short, read_next_time
from attrs_client.api.members import validate_member
from attrs_client.client import Client
from attrs_client.models import CartInput, CartItemInput, CheckoutInput, DryRunReport, ErrorBody, OrderView

calls = 0


def told(answer):
    """The answer, which is no refusal."""
    global calls
    calls += 1
    assert answer is not None and not isinstance(answer, ErrorBody), answer
    return answer


def main(base):
    headers = {"x-service-api-key": "demo-b2c-1001", "x-b2c-tenant-id": "1001"}
    client = Client(base_url=base, headers=headers, raise_on_unexpected_status=True)
    assert told(list_events_in_short.sync(client=client)), "nothing is on sale"
    slot = told(read_next_time.sync("1001ee000000000000000001", client=client))
    cart = told(create_cart.sync(client=client, body=CartInput()))
    line = CartItemInput(event_id=slot.id, ticketing_type_id="1001aa000000000000000001", quantity=1)
    priced = told(update_cart.sync(cart, client=client, body=CartInput(id=cart, items=[line])))
    assert len(priced.items) == 1, priced

    def pay(dry_run):
        body = CheckoutInput(
            shopping_cart_id=cart,
            billing_first_name="Ines",
            billing_last_name="Okafor",
            billing_email="attrs@example.org",
            billing_zip_code="94000",
            manual_entry_card_number="5555555555554444",
            exp_date="1234",
            cvc="123",
            dry_run=dry_run,
        )
        return told(checkout.sync(client=client, body=body, x_service_browser_ip="203.0.113.25"))

    tried = pay(dry_run=True)
    assert isinstance(tried, DryRunReport) and tried.valid, tried
    paid = pay(dry_run=False)
    assert isinstance(paid, OrderView), paid
    members = told(validate_member.sync(client=client, membership_id="100100031", last_name="lindqvist"))
    assert members[0].status == "verified", members
    print(f"Python (openapi-python-client): {calls} calls, order {paid.order_number}")


main(sys.argv[1])
