// A visitor, through the client that openapi-typescript makes types for and openapi-fetch calls.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const base = process.argv[2]!;
let calls = 0;

const client = createClient<paths>({
  baseUrl: base,
  headers: { "x-service-api-key": "demo-b2c-1001", "x-b2c-tenant-id": "1001" },
});

type Answer<Data> = { data?: Data; error?: components["schemas"]["ErrorBody"]; response: Response };

function told<Data>(answer: Answer<Data>): Data {
  calls += 1;
  if (answer.data === undefined) {
    throw new Error(`${answer.response.url}: ${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

const events = told(await client.GET("/v2/b2c/event/templates/slim"));
check(events.length > 0, "nothing is on sale");
const next = told(
  await client.GET("/v2/b2c/events/{templateId}/nextAvailable", {
    params: { path: { templateId: "1001ee000000000000000001" } },
  }),
);

const id: string = told(await client.POST("/v2/b2c/carts", { body: {} }));
check(/^[0-9a-f-]+$/.test(id), `${id} is no id of a cart`);
const cart = told(
  await client.PUT("/v2/b2c/carts/{id}", {
    params: { path: { id } },
    body: { id, items: [{ eventId: next.id, ticketingTypeId: "1001aa000000000000000001", quantity: 1 }] },
  }),
);
check(cart.items.length === 1, "the cart lacks its line");

const order: components["schemas"]["CheckoutInput"] = {
  shoppingCartId: id,
  billingFirstName: "Ines",
  billingLastName: "Okafor",
  billingEmail: "typescript@example.org",
  billingZipCode: "94000",
  manualEntryCardNumber: "4242424242424242",
  expDate: "1234",
  cvc: "123",
};
const params = { header: { "x-service-browser-ip": "203.0.113.24" } };
const tried = told(await client.POST("/v2/b2c/checkout", { params, body: { ...order, dryRun: true } }));
check("valid" in tried && tried.valid, `a checkout would be refused: ${JSON.stringify(tried)}`);
const paid = told(await client.POST("/v2/b2c/checkout", { params, body: order }));
check("orderNumber" in paid, "the order has no number");

const members = told(
  await client.GET("/v2/b2c/membership/validate", {
    params: { query: { membershipId: "100100031", lastName: "lindqvist" } },
  }),
);
check(Array.isArray(members) && members[0]?.status === "verified", "the member is not verified");
console.log(`TypeScript (openapi-typescript, openapi-fetch): ${calls} calls, order ${paid.orderNumber}`);
