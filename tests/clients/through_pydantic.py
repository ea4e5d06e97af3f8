"""A visitor, through the client that openapi-generator makes."""

import sys

import pydantic_client as made

calls = 0


def told(answer):
    """The answer; a refusal is raised."""
    global calls
    calls += 1
    return answer


def main(base):
    client = made.ApiClient(made.Configuration(host=base))
    client.default_headers.update({"x-service-api-key": "demo-b2c-1001", "x-b2c-tenant-id": "1001"})
    events, carts, checkout = made.EventsApi(client), made.CartsApi(client), made.CheckoutApi(client)
    assert told(events.list_events_in_short()), "nothing is on sale"
    slot = told(events.read_next_time("1001ee000000000000000001"))
    cart = told(carts.create_cart(made.CartInput()))
    line = made.CartItemInput(event_id=slot.id, ticketing_type_id="1001aa000000000000000001", quantity=1)
    priced = told(carts.update_cart(cart, made.CartInput(id=cart, items=[line])))
    assert len(priced.items) == 1, priced

    def pay(dry_run):
        body = made.CheckoutInput(
            shopping_cart_id=cart,
            billing_first_name="Ines",
            billing_last_name="Okafor",
            billing_email="pydantic@example.org",
            billing_zip_code="94000",
            manual_entry_card_number="4111111111111111",
            exp_date="1234",
            cvc="123",
            dry_run=dry_run,
        )
        return told(checkout.checkout("203.0.113.26", body)).actual_instance

    tried = pay(dry_run=True)
    assert isinstance(tried, made.DryRunReport) and tried.valid, tried
    paid = pay(dry_run=False)
    assert isinstance(paid, made.OrderView), paid
    # A server is told the members, a page no more than whether it is one.
    members = told(made.MembersApi(client).validate_member("100100031", "lindqvist")).actual_instance
    assert members[0].status == "verified", members
    print(f"Python (openapi-generator): {calls} calls, order {paid.order_number}")


main(sys.argv[1])
