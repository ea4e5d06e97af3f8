// Steps through the shop. `page` may also be a frame that shows it.
import { TENANT, browserPage, shop, staff, until } from './harness.mjs';

export const PLAIN_CARD = '4242 4242 4242 4242';
export const PAYS = /^Pay [\d.,]+ US dollars$/;
export const BANK_ASKS = { name: 'Your bank asks you to confirm', level: 1 };
/** Answers to a payment that the bank refuses, or asks about. */
export const NOT_PAID = /^402 .*(cors\/checkout|\/complete)$/;

/** Chooses the first time of the event that is shown, and so many adults. */
export async function chooseHere(page, { adults = 1 } = {}) {
  await page.locator('a.time').first().click();
  for (let n = 0; n < adults; n += 1) await page.getByRole('button', { name: 'One more: Adult' }).click();
}
export async function choose(page, event, choice) {
  await page.goto(`${shop}?event=${event.id}`);
  await chooseHere(page, choice);
}
export const hold = (page, n) => page.getByRole('link', { name: n === 1 ? 'Hold 1 seat' : `Hold ${n} seats` }).click();
export async function details(page, { first = 'Ines', last = 'Okafor', email = 'ines@example.org' } = {}) {
  await page.getByLabel('First name', { exact: true }).fill(first);
  await page.getByLabel('Last name', { exact: true }).fill(last);
  await page.getByLabel('E-mail', { exact: true }).fill(email);
}
export const next = (page) => page.getByRole('button', { name: 'Go on to the payment' }).click();
/** From the event to the payment. */
export async function toPayment(page, event, { adults = 1, ...person } = {}) {
  await choose(page, event, { adults });
  await hold(page, adults);
  await details(page, person);
  await next(page);
}
export async function card(page, number = PLAIN_CARD) {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Valid until').fill('12/30');
  await page.getByLabel('Security code').fill('123');
}
export const payButton = (page) => page.getByRole('button', { name: PAYS });
export async function payByCard(page, number) {
  await card(page, number);
  await payButton(page).click();
}
export async function payByTestCard(page, token) {
  await page.getByLabel('Test card').selectOption(token);
  await payButton(page).click();
}
export const thanks = (page) => page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
/** So many tickets are shown, with their codes. */
export const tickets = (page, n = 1) => page.locator('.ticket svg').nth(n - 1).waitFor();
export const orderNumber = (page) => page.locator('.facts-list dd').first().innerText();

/** Releases a hold behind the page's back. Only the page's own key may: to all others, staff too, there is no such hold. */
export const release = (page, id) => page.evaluate(async ({ hold, tenant }) => {
  const headers = { 'x-service-api-key': `demo-browser-${tenant}`, 'x-b2c-tenant-id': String(tenant) };
  const { ok, status } = await fetch(`/v2/b2c/reservations/${hold}`, { method: 'DELETE', headers });
  if (!ok) throw new Error(`the hold was not released: ${status}`);
}, { hold: id, tenant: TENANT });
/** Ids of the holds that the page makes from now on. */
export function holds(page) {
  const ids = [];
  page.on('response', async (response) => {
    if (/\/reservations$/.test(response.url()) && response.request().method() === 'POST' && response.ok()) ids.push((await response.json()).id);
  });
  return ids;
}
/** What the tab keeps of its sale. */
export const saleKept = (page) => page.evaluate(() => JSON.parse(Object.entries(sessionStorage).find(([key]) => key.endsWith(':sale-tickets'))?.[1] ?? 'null'));
/** All that a tab keeps, and a tab that keeps the same, as one that is doubled or opened again. */
export const tabKept = (page) => page.evaluate(() => ({ ...sessionStorage }));
export async function tabWith(context, kept) {
  const tab = await context.newPage();
  await tab.addInitScript((entries) => Object.entries(entries).forEach(([key, value]) => sessionStorage.setItem(key, value)), kept);
  return tab;
}
/** Changes what the page is told about how cards are taken. */
export const cardsTaken = (page, change) => page.route('**/v2/b2c/checkout/config', async (route) => {
  const response = await route.fetch();
  return route.fulfill({ response, json: { ...await response.json(), ...change } });
});
/** Changes settings of the venue, and waits until the pages see it. */
export async function changeSettings(change, seen) {
  const { name } = await staff('GET', '/v2/b2b/settings');
  await staff('PUT', '/v2/b2b/settings', { name, ...change });
  await until('the settings', async () => seen(await browserPage('GET', '/v2/b2c/venue')));
}
/** Changes what an event says and costs. */
export async function changeEvent(event, change) {
  const template = await staff('GET', `/v2/b2b/event/templates/${event.id}`);
  change(template);
  await staff('PUT', `/v2/b2b/event/templates/${event.id}`, template);
}
export async function logIn(page, { number = '100 100-031', last = 'lindqvist' } = {}) {
  await page.getByLabel('Member number').fill(number);
  await page.getByLabel('Last name').fill(last);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}
