// Steps at the desk.
import { ADULT, assert, base, dayIn, mailedToken, mailsTo, slots, storefront, visitor } from './harness.mjs';

export const desk = `${base}/desk/`;
export const MAIL = 'desk@harbor-museum.example';
export const CANARY = '<img src=x onerror="document.title=\'owned\'"><script>alert(1)</script>';
let made = 0;
/** What makes a name unlike all others. */
export const mark = () => `${Date.now() % 1_000_000}-${made += 1}`;

let session = null;

/** A page of somebody who is signed in. */
export async function signedIn(options) {
  const found = await visitor(options);
  if (!session) {
    await signIn(found.page);
    session = await found.page.evaluate(() => localStorage.getItem('boxoffice-desk:session'));
  } else {
    await found.context.addInitScript((text) => location.protocol !== 'about:' && !localStorage.getItem('boxoffice-desk:session') && localStorage.setItem('boxoffice-desk:session', text), session);
  }
  return found;
}

export async function signIn(page, email = MAIL) {
  const known = await mailsTo(email);
  await page.goto(desk);
  await page.getByLabel('Your work e-mail').waitFor();
  if (await page.getByLabel('Venue').count()) await page.getByLabel('Venue').selectOption({ label: 'Harbor Museum' });
  await page.getByLabel('Your work e-mail').fill(email);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByText('the mail is on its way').waitFor();
  await page.goto(`${desk}?loginToken=${await mailedToken(email, 'loginToken', known)}`);
  await heading(page, 'Today');
}
export const at = (query) => `${desk}?${new URLSearchParams(query)}`;

/** An order for the day after tomorrow, placed by the venue's own server. */
export async function placeOrder(event, { quantity = 1, last = 'Okafor', notes, email = 'ines@example.org' } = {}) {
  const [slot] = await slots(event, dayIn(2));
  const order = await storefront('POST', '/v2/b2c/checkout', {
    shoppingCart: { items: [{ eventId: slot.id, ticketingTypeId: ADULT, quantity }] },
    billingEmail: email, billingFirstName: 'Ines', billingLastName: last, billingPhoneNumber: '+1 212 555 0190', notes,
    manualEntryCardNumber: '4242424242424242', expDate: '1230', cvc: '123',
  });
  assert.ok(order.orderNumber, JSON.stringify(order));
  return { ...order, slot };
}
export const heading = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor();
/** Presses a button, and says what has the focus once all is drawn that follows from it, before another frame is. */
export const focusAtOnce = (button) => button.evaluate(async (node) => {
  node.click();
  for (let turn = 0; turn < 20; turn += 1) await null;
  return `${document.activeElement?.localName}#${document.activeElement?.id}`;
});
export const saved = (page) => page.getByText('Saved.', { exact: true }).waitFor();
