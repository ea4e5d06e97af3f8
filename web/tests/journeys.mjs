// What visitors do, from the first look to the ticket in the hand.
import http from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ADULT, AUDIO_GUIDE, GALLERY, PATIENCE_MS, TENANT, assert, base, cleanAddress, elsewhere, look, mailedToken, mailsTo, makeEvent, shop, staff, tabTo, until, visitor } from './harness.mjs';
import { withKey } from './door-harness.mjs';

const GOOD = '4242 4242 4242 4242';
const PAYS = /^Pay [\d.,]+ US dollars$/;

async function choose(page, event, { adults = 1, time = 0, from } = {}) {
  if (!from) await page.goto(`${shop}?event=${event.id}`);
  await page.locator('a.time').nth(time).click();
  for (let n = 0; n < adults; n += 1) await page.getByRole('button', { name: 'One more: Adult' }).click();
}
const hold = (page, n) => page.getByRole('link', { name: n === 1 ? 'Hold 1 seat' : `Hold ${n} seats` }).click();
async function details(page, { first = 'Ines', last = 'Okafor', email = 'ines@example.org' } = {}) {
  await page.getByLabel('First name', { exact: true }).fill(first);
  await page.getByLabel('Last name', { exact: true }).fill(last);
  await page.getByLabel('E-mail', { exact: true }).fill(email);
}
const next = (page) => page.getByRole('button', { name: 'Go on to the payment' }).click();
async function card(page, number = GOOD) {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Valid until').fill('12/30');
  await page.getByLabel('Security code').fill('123');
}
const payButton = (page) => page.getByRole('button', { name: PAYS });
const thanks = (page) => page.getByRole('heading', { level: 1, name: 'Thank you' }).waitFor();
const orderNumber = (page) => page.locator('.facts-list dd').first().innerText();
/** Lets go of a hold behind the page's back. Only the page's own key may: to all others, staff too, there is no such hold. */
const release = (page, id) => page.evaluate(async ({ hold, tenant }) => {
  const headers = { 'x-service-api-key': `demo-browser-${tenant}`, 'x-b2c-tenant-id': String(tenant) };
  const { ok, status } = await fetch(`/v2/b2c/reservations/${hold}`, { method: 'DELETE', headers });
  if (!ok) throw new Error(`the hold was not released: ${status}`);
}, { hold: id, tenant: TENANT });
/** Holds that the page makes. */
function holds(page) {
  const ids = [];
  page.on('response', async (response) => {
    if (/\/reservations$/.test(response.url()) && response.request().method() === 'POST' && response.ok()) ids.push((await response.json()).id);
  });
  return ids;
}
const ASKS = { name: 'Your bank asks you to confirm', level: 1 };
/** Up to the payment, with a card that is named. */
async function payWith(page, token) {
  await page.getByLabel('Test card').selectOption(token);
  await payButton(page).click();
}
const sold = async (event) => (await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}&endTime=${new Date(Date.now() + 9e8).toISOString()}`)).list.reduce((all, one) => all + one.sold, 0);
/** What the tab keeps of its sale. */
const saleKept = (page) => page.evaluate(() => JSON.parse(Object.entries(sessionStorage).find(([key]) => key.endsWith(':sale-tickets'))?.[1] ?? 'null'));
/** Another answer to how cards are taken. */
const cardsTaken = (page, change) => page.route('**/v2/b2c/checkout/config', async (route) => {
  const response = await route.fetch();
  return route.fulfill({ response, json: { ...await response.json(), ...change } });
});
/** Settings of the venue, once the pages see them. */
async function settings(change, seen) {
  const { name } = await staff('GET', '/v2/b2b/settings');
  await staff('PUT', '/v2/b2b/settings', { name, ...change });
  await until('the settings', async () => seen(await (await fetch(`${base}/v2/b2c/venue`, { headers: { 'x-service-api-key': `demo-browser-${TENANT}`, 'x-b2c-tenant-id': String(TENANT) } })).json()));
}
async function member(page, last = 'lindqvist') {
  await page.getByLabel('Member number').fill('100 100-031');
  await page.getByLabel('Last name').fill(last);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
}

/** The page of a venue that the shop's README shows, for this service and event. @param {string} event */
function venuePage(event) {
  const text = readFileSync(new URL('../shop/README.md', import.meta.url), 'utf8');
  const [, page] = /```html\n(<!doctype html>[\s\S]*?)```/.exec(text);
  return page.replaceAll('http://127.0.0.1:3000', base).replaceAll(GALLERY, event);
}

export const journeys = {
  async 'buys as public, with an add-on and a donation'() {
    const event = await makeEvent({ addOns: [AUDIO_GUIDE] });
    const { page, problems, context } = await visitor();
    await page.goto(shop);
    await page.getByRole('link', { name: event.name }).waitFor();
    await look(page, 'what is on');
    await page.getByLabel('Search').fill(event.name);
    await until('one card', async () => await page.locator('.card').count() === 1);
    await page.getByRole('link', { name: event.name }).click();
    await page.locator('a.time').first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await look(page, 'event');
    await page.getByRole('button', { name: 'Month' }).click();
    await page.locator('.month a.day').first().waitFor();
    await look(page, 'event with month');
    await page.getByRole('button', { name: 'Month' }).click();
    await choose(page, event, { adults: 2, from: page });
    await page.getByRole('button', { name: 'One more: Child' }).click();
    await page.getByRole('button', { name: 'One more: Audio guide' }).click();
    assert.ok(await page.getByLabel('No gift').isChecked(), 'a gift is chosen beforehand');
    await page.getByLabel('Another amount').fill('7,50');
    await page.getByRole('button', { name: 'Add this gift' }).click();
    await page.getByText('Your gift: $7.50').waitFor();
    await look(page, 'event with choice');
    const total = ((event.cents * 2 + 500 + 500 + 750) / 100).toFixed(2);
    assert.match(await page.locator('.bar').innerText(), new RegExp(`3 tickets\\s+Total \\$${total}`));
    await page.reload();
    await page.getByText('Your gift: $7.50').waitFor();
    await hold(page, 3);
    await page.getByText('3 seats are held for you.').waitFor();
    await look(page, 'details');
    await next(page);
    await page.getByRole('heading', { name: '3 things to put right' }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'alert');
    await look(page, 'details with faults');
    await page.getByRole('link', { name: 'Enter a first name' }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'firstName');
    await details(page);
    await next(page);
    await payButton(page).waitFor();
    cleanAddress(page, 'ines', 'okafor', 'example.org');
    await look(page, 'payment');
    await payButton(page).click();
    await page.getByRole('heading', { name: '3 things to put right' }).waitFor();
    await card(page);
    assert.equal(await payButton(page).innerText(), `Pay ${total} US dollars`);
    await payButton(page).dblclick();
    await thanks(page);
    await page.locator('.ticket svg').nth(2).waitFor();
    await look(page, 'done');
    const number = await orderNumber(page);
    const codes = await page.locator('.ticket .mono').allInnerTexts();
    assert.equal(new Set(codes).size, 3);
    const { list } = await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}&startTime=${new Date().toISOString()}&endTime=${new Date(Date.now() + 9e8).toISOString()}`);
    assert.equal(list.reduce((all, one) => all + one.sold, 0), 3, 'sold once');
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Add to calendar' }).click();
    const download = await file;
    assert.equal(download.suggestedFilename(), `${number}.ics`);
    const { default: fs } = await import('node:fs');
    const ics = fs.readFileSync(await download.path(), 'utf8');
    assert.match(ics, /BEGIN:VEVENT\r\n[\s\S]*DTSTART:\d{8}T\d{6}Z\r\nDTEND:\d{8}T\d{6}Z\r\n/);
    assert.ok(ics.includes(event.name));
    await page.getByRole('button', { name: 'Send again by e-mail' }).click();
    await page.getByText('The mail is on its way').waitFor();
    await page.reload();
    await page.locator('.ticket svg').nth(2).waitFor();
    assert.deepEqual(await page.locator('.ticket .mono').allInnerTexts(), codes);
    const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
    for (const word of ['Ines', 'Okafor', 'example.org', '4242']) assert.ok(!stored.includes(word), `${word} is stored`);
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await context.close();
    return problems;
  },

  async 'sees the calendar, searches and finds nothing, and moves in time'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    await page.goto(`${shop}?view=calendar`);
    await page.getByRole('link', { name: 'Later month' }).click();
    await until('free days', async () => await page.locator('.month a.day, .month .day.none').count() > 20);
    await look(page, 'calendar');
    await page.goBack();
    await page.getByRole('heading', { name: 'Calendar' }).waitFor();
    const free = page.locator('.month a.day');
    if (!await free.count()) await page.getByRole('link', { name: 'Later month' }).click();
    await free.first().click();
    await page.getByRole('link', { name: event.name }).first().waitFor();
    assert.match(page.url(), /day=\d{4}-\d{2}-\d{2}/);
    await page.getByLabel('Search').fill('no such thing at all');
    await page.getByText('Nothing fits.').waitFor();
    await look(page, 'nothing found');
    await page.goto(`${shop}?event=${'0'.repeat(24)}`);
    await page.getByRole('heading', { name: 'This event cannot be shown' }).waitFor();
    await look(page, 'no such event');
    await context.close();
    return problems.filter((one) => !/404 .*(templates|events)\/0{24}/.test(one));
  },

  async 'buys as a member, one ticket at the member price and one in full'() {
    const event = await makeEvent({ members: true });
    const { page, problems, context } = await visitor();
    await page.goto(`${shop}?event=${event.id}`);
    await page.locator('a.time').first().click();
    await page.getByRole('link', { name: 'Log in as a member' }).click();
    await look(page, 'member log-in');
    await member(page, 'nobody');
    await page.getByRole('link', { name: 'We know no membership' }).waitFor();
    await look(page, 'member unknown');
    await page.getByLabel('Last name').fill('Lindqvist');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByText('You see the prices for Crew members.').waitFor();
    assert.match(page.url(), /slot=/, 'back where she came from');
    cleanAddress(page, '100100031', 'lindqvist');
    await page.getByText('Crew price').first().waitFor();
    for (let n = 0; n < 2; n += 1) await page.getByRole('button', { name: 'One more: Adult' }).click();
    await look(page, 'event as member');
    await hold(page, 2);
    await page.getByText('Your membership does not cover 1 of the tickets').waitFor();
    await page.getByText('Member price').first().waitFor();
    await page.getByText('Full price').first().waitFor();
    await look(page, 'details as member');
    await details(page, { first: 'Ada', last: 'Lindqvist', email: 'ada.lindqvist@example.test' });
    await next(page);
    assert.equal(await payButton(page).innerText(), `Pay ${event.price} US dollars`);
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await page.locator('.ticket svg').nth(1).waitFor();
    await context.close();
    return problems;
  },

  async 'logs in by a mailed link, and out'() {
    const email = 'ada.lindqvist@example.test';
    const { page, problems, context } = await visitor({ expected: [/^400 .*membership\/validate\/login$/] });
    const before = await mailsTo(email);
    await page.goto(`${shop}?view=member`);
    await page.getByRole('region', { name: 'By e-mail' }).getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByText('If a membership has this address').waitFor();
    await look(page, 'link mailed');
    const token = await mailedToken(email, 'loginToken', before);
    await page.goto(`${shop}?loginToken=${token}`);
    await page.getByRole('heading', { name: 'Your membership', level: 1 }).waitFor();
    cleanAddress(page, token, 'loginToken');
    await look(page, 'my membership');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Member log-in' }).waitFor();
    await page.goto(`${shop}?loginToken=${token}`);
    await page.getByText('This link was used already').waitFor();
    await context.close();
    return problems;
  },

  async 'fills in a form and uses a code'() {
    const form = await staff('POST', '/v2/b2b/forms', { name: 'Lantern walk', oncePerCart: true, required: true, fields: [
      { name: 'leader', label: 'Who carries the lantern?', type: 'text', required: true },
      { name: 'children', label: 'How many children?', type: 'number' },
      { name: 'tongue', label: 'Language', type: 'choice', options: ['English', 'Spanish'], required: true },
      { name: 'steps', label: 'We can climb stairs', type: 'checkbox' },
      { name: 'born', label: 'Birthday of the youngest', type: 'date' }] });
    const event = await makeEvent({ form: form.id });
    const { page, problems, context } = await visitor();
    await choose(page, event, { adults: 2 });
    await hold(page, 2);
    await details(page, { email: 'form@example.org' });
    await page.getByLabel('How many children?').fill('two');
    await next(page);
    await page.getByRole('link', { name: 'Answer “Who carries the lantern?”' }).waitFor();
    await page.getByRole('link', { name: 'Enter digits for “How many children?”' }).waitFor();
    await look(page, 'form with faults');
    await page.getByLabel('Who carries the lantern?').fill('<b onclick=alert(1)>Ines</b>');
    await page.getByLabel('How many children?').fill('2');
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Spanish');
    await page.getByLabel('We can climb stairs').check();
    await page.getByLabel('Code', { exact: false }).first().fill('NOSUCHCODE');
    await page.getByRole('button', { name: 'Use code' }).click();
    await page.getByText('The code NOSUCHCODE is not valid for this order').waitFor();
    await page.getByLabel('Code', { exact: false }).first().fill('welcome10');
    await page.getByRole('button', { name: 'Use code' }).click();
    await page.getByText(/10 % off with WELCOME10/i).waitFor();
    await look(page, 'details with code');
    await next(page);
    const each = Math.floor((event.cents * 90 + 50) / 100);
    assert.equal(await payButton(page).innerText(), `Pay ${((each * 2) / 100).toFixed(2)} US dollars`);
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await page.locator('.ticket svg').nth(1).waitFor();
    await context.close();
    return problems;
  },

  async 'is declined, then pays'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*cors\/checkout$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await payButton(page).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your details', level: 1 }).waitFor();
    await page.getByText('1 seat is held for you.').waitFor();
    await details(page);
    await next(page);
    for (const [number, words] of [['4000000000000002', 'The bank declined the card'], ['4000000000000127', 'The security code is not right'],
      ['4000000000000069', 'The card has expired'], ['4000000000000010', 'The bank knows another postal code'], ['4000000000009995', 'There is not enough money']]) {
      await card(page, number);
      await payButton(page).click();
      await page.getByRole('link', { name: words }).waitFor();
    }
    await look(page, 'declined');
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await context.close();
    return problems;
  },

  async 'pays with test cards by name'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*cors\/checkout$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await page.getByLabel('Card number').waitFor();
    await payWith(page, 'tok_declined');
    await page.getByRole('link', { name: 'The bank declined the card' }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'card-test');
    assert.equal(await page.getByLabel('Card number').count(), 0);
    await look(page, 'test card declined');
    await payWith(page, 'tok_no_funds');
    await page.getByRole('link', { name: 'There is not enough money' }).waitFor();
    await payWith(page, 'tok_mastercard');
    await thanks(page);
    await page.locator('.ticket svg').first().waitFor();
    await context.close();

    // A venue that takes no numbers asks for none.
    const other = await visitor();
    await cardsTaken(other.page, { rawCards: false });
    await choose(other.page, event, { adults: 2 });
    await hold(other.page, 2);
    await details(other.page);
    await next(other.page);
    await payButton(other.page).waitFor();
    assert.equal(await other.page.getByLabel('Card number').count(), 0);
    assert.equal(await other.page.getByLabel('Test card').inputValue(), 'tok_visa');
    await look(other.page, 'payment without numbers');
    await payButton(other.page).click();
    await thanks(other.page);
    await other.context.close();
    return [...problems, ...other.problems];
  },

  async 'is asked by the bank: refuses after a reload, then confirms'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await payWith(page, 'tok_3ds');
    await page.getByRole('heading', ASKS).waitFor();
    await until('the focus', () => page.evaluate(() => document.activeElement?.tagName === 'H1'));
    await page.getByRole('button', { name: 'It is me, pay' }).waitFor();
    await look(page, 'bank asks');
    const { challenge } = await saleKept(page);
    cleanAddress(page, challenge.clientSecret, challenge.orderId);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    await page.reload();
    await page.getByRole('heading', ASKS).waitFor();
    await page.goto(`${shop}?event=${event.id}`);
    await page.goto(`${shop}?step=details`);
    await page.getByRole('heading', ASKS).waitFor();
    assert.equal((await saleKept(page)).challenge.orderId, challenge.orderId);
    await page.getByRole('button', { name: 'It is not me, refuse' }).click();
    await page.getByText('The bank declined the card').first().waitFor();
    assert.equal((await saleKept(page)).challenge, undefined);
    assert.equal(await sold(event), 0);
    await look(page, 'bank was refused');
    await details(page);
    await next(page);
    await payWith(page, 'tok_3ds');
    await page.getByRole('button', { name: 'I have answered' }).click();
    await page.getByText('Your bank has no answer yet.').waitFor();
    await look(page, 'bank has no answer yet');
    await page.getByRole('button', { name: 'It is me, pay' }).dblclick();
    await thanks(page);
    await page.locator('.ticket svg').first().waitFor();
    assert.equal(await sold(event), 1);
    assert.equal(await saleKept(page), null);
    await context.close();
    return problems;
  },

  async 'is asked by the bank for a membership'() {
    const { page, problems, context } = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/] });
    await page.goto(`${shop}?view=membership`);
    await page.getByRole('link', { name: /^Join as/ }).first().click();
    await page.getByText(/^From .* to /).first().waitFor();
    await details(page, { email: 'bank.member@example.org' });
    await next(page);
    await payWith(page, 'tok_3ds');
    await page.getByRole('heading', ASKS).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'It is me, pay' }).click();
    await thanks(page);
    await page.getByText('Member number').waitFor();
    await context.close();
    return problems;
  },

  async 'answers the bank in another window'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/, /^404 \/favicon.ico$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await payWith(page, 'tok_3ds');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Answer in a new window' }).click();
    const bank = await opened;
    assert.equal(await bank.evaluate(() => window.opener), null);
    await bank.getByRole('button', { name: 'It is mine' }).click();
    await bank.getByText('The payment is captured').waitFor();
    await bank.close();
    await thanks(page);
    await page.locator('.ticket svg').first().waitFor();
    await context.close();
    return problems;
  },

  async 'loses the connection while the bank is asked'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await payWith(page, 'tok_3ds');
    await page.getByRole('button', { name: 'It is me, pay' }).waitFor();
    let tries = 0;
    await page.route('**/complete', (route) => {
      tries += 1;
      return route.abort('connectionreset');
    });
    await page.clock.install();
    await page.getByRole('button', { name: 'It is me, pay' }).click();
    for (let turn = 0; turn < 5; turn += 1) {
      await until(`try ${turn + 1}`, async () => tries > turn);
      await page.clock.runFor(6_000);
    }
    await page.getByText('We do not know yet whether you have paid').waitFor();
    await look(page, 'bank asked, undecided');
    await page.unroute('**/complete');
    await page.getByRole('button', { name: 'Check again' }).click();
    await thanks(page);
    assert.equal(await sold(event), 1);
    await context.close();
    return problems;
  },

  async 'is too late for the bank, and pays again'() {
    const event = await makeEvent({ capacity: 3 });
    const { page, problems, context } = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/, /^409 .*\/complete$/] });
    await page.clock.install();
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await payWith(page, 'tok_3ds');
    await page.getByRole('button', { name: 'It is me, pay' }).waitFor();
    // The service's clock goes along with the page's.
    await page.route('**/complete', (route) => route.continue({ headers: { ...route.request().headers(), 'x-service-test-now': new Date(Date.now() + 11 * 60_000).toISOString().replace('Z', '+00:00') } }));
    await page.clock.fastForward('08:30');
    await page.getByText('2 minutes left.').first().waitFor();
    await page.clock.fastForward('01:35');
    await page.getByText('The time to confirm is over.').waitFor();
    await page.unroute('**/complete');
    await look(page, 'too late for the bank');
    assert.equal(await sold(event), 0);
    await payWith(page, 'tok_amex');
    await thanks(page);
    assert.equal(await sold(event), 1);
    await context.close();
    return problems;
  },

  async 'closes the page while the bank asks'() {
    const event = await makeEvent();
    const email = `closed${Date.now()}@example.org`;
    const first = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/] });
    const asked = async (page) => {
      await choose(page, event);
      await hold(page, 1);
      await details(page, { email });
      await next(page);
      await payWith(page, 'tok_3ds');
      await page.getByRole('heading', ASKS).waitFor();
      return saleKept(page);
    };
    // A tab that is opened again has what it kept.
    await asked(first.page);
    const kept = await first.page.evaluate(() => ({ ...sessionStorage }));
    await first.page.close();
    const again = await first.context.newPage();
    await again.addInitScript((entries) => Object.entries(entries).forEach(([key, value]) => sessionStorage.getItem('seen') || sessionStorage.setItem(key, value)), kept);
    await again.goto(`${shop}?step=pay`);
    await again.getByRole('button', { name: 'It is me, pay' }).click();
    await thanks(again);
    await again.getByText('The order number is').or(again.getByText('Order number')).first().waitFor();
    await look(again, 'done after the page was closed');
    await first.context.close();
    // One that is not: the bank's answer is heard without it, and everything comes by mail.
    const second = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/] });
    await choose(second.page, event, { adults: 2 });
    await hold(second.page, 2);
    await details(second.page, { email });
    await next(second.page);
    await payWith(second.page, 'tok_3ds');
    await second.page.getByRole('heading', ASKS).waitFor();
    const { challenge } = await saleKept(second.page);
    const before = await mailsTo(email);
    await second.context.close();
    await fetch(`${base}/sandbox/challenge`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ clientSecret: challenge.clientSecret, outcome: 'pass' }) });
    await fetch(`${base}/sandbox/cleanup`, { method: 'POST', headers: { 'x-service-test-now': new Date(Date.now() + 11 * 60_000).toISOString().replace('Z', '+00:00') } });
    await until('the order', async () => await sold(event) === 3);
    await until('the mail', async () => [...await mailsTo(email)].some((one) => !before.has(one)));
    return [...first.problems, ...second.problems];
  },

  async 'pays through the fields of Stripe'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*(cors\/checkout|\/complete)$/] });
    await cardsTaken(page, { processor: 'stripe', rawCards: false, publishableKey: 'pk_test_pages', connectedAccount: 'acct_pages' });
    // Without its exceptions, the policy of the page keeps the library out, and the page says so.
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await page.getByText('The card fields could not be loaded.').waitFor();
    await look(page, 'card fields not loaded');
    const kept = problems.splice(0).filter((one) => !/js\.stripe\.com/.test(one));
    // A stand-in for the library, whose tokens are the sandbox's.
    await page.route('https://js.stripe.com/v3/', (route) => route.fulfill({ contentType: 'text/javascript', body: `
      window.told = [];
      window.Stripe = (key, options) => ({
        elements: (of) => (window.told.push({ key, ...options, ...of }), {
          create: () => ({ mount: (place) => { place.textContent = 'Fields of the processor'; } }), update: () => {},
          submit: async () => (window.typed ? {} : { error: { message: 'Your card number is incomplete.' } }) }),
        createConfirmationToken: async () => ({ confirmationToken: { id: 'tok_3ds' } }),
        handleNextAction: async ({ clientSecret }) => window.away || fetch('/sandbox/challenge', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ clientSecret, outcome: 'pass' }) }),
      });` }));
    await page.route((url) => url.pathname === '/shop/', async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      headers['content-security-policy'] = headers['content-security-policy'].replace("script-src 'self'", "script-src 'self' https://js.stripe.com");
      return route.fulfill({ response, headers });
    });
    await page.reload();
    await details(page);
    await next(page);
    await page.getByText('Fields of the processor').waitFor();
    const [told] = await page.evaluate(() => window.told);
    assert.deepEqual([told.key, told.stripeAccount, told.amount, told.currency, told.locale], ['pk_test_pages', 'acct_pages', event.cents, 'usd', 'en']);
    await payButton(page).click();
    await page.getByRole('link', { name: 'Your card number is incomplete.' }).waitFor();
    await look(page, 'fields of the processor, at fault');
    await page.evaluate(() => {
      window.typed = true;
      window.away = true;
    });
    await payButton(page).click();
    await page.getByText('Your bank has no answer yet.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show the question of my bank' }).click();
    await thanks(page);
    assert.equal(await sold(event), 1);
    await context.close();
    return [...kept, ...problems];
  },

  async 'sees the taxes, and the terms of the venue'() {
    const type = await staff('POST', '/v2/b2b/persontypes', { name: `Guest ${Date.now() % 100_000}`, taxRate: '20', taxName: 'VAT' });
    const event = await makeEvent();
    const template = await staff('GET', `/v2/b2b/event/templates/${event.id}`);
    template.priceLists[0].prices.push({ personType: { id: type.id }, price: ((event.cents + 7) / 100).toFixed(2), displayOrder: 3 });
    await staff('PUT', `/v2/b2b/event/templates/${event.id}`, template);
    await settings({ terms: 'https://harbor.example/terms', privacy: 'https://harbor.example/privacy' }, (venue) => venue.terms && venue.privacy);
    try {
      const { page, problems, context } = await visitor();
      await choose(page, event);
      for (let n = 0; n < 3; n += 1) await page.getByRole('button', { name: `One more: ${type.name}` }).click();
      await hold(page, 4);
      await details(page);
      const contains = `$${(Math.floor(((event.cents + 7) * 3) / 6 + 0.5) / 100).toFixed(2)}`;
      const tax = page.locator('.sums div', { hasText: 'Includes VAT 20 %' });
      assert.equal(await tax.locator('dd').innerText(), contains);
      await next(page);
      await payButton(page).waitFor();
      for (const [name, address] of [['Terms', 'https://harbor.example/terms'], ['Privacy', 'https://harbor.example/privacy']]) {
        assert.equal(await page.locator('main').getByRole('link', { name }).getAttribute('href'), address);
        assert.equal(await page.locator('footer').getByRole('link', { name }).getAttribute('href'), address);
      }
      await look(page, 'payment with taxes');
      await payWith(page, 'tok_amex');
      await thanks(page);
      await page.locator('.ticket svg').nth(3).waitFor();
      assert.equal(await page.locator('.facts-list div', { hasText: 'Includes VAT 20 %' }).locator('dd').innerText(), contains);
      await look(page, 'done with taxes');
      await context.close();
      return problems;
    } finally {
      await settings({ terms: null, privacy: null }, (venue) => !venue.terms);
    }
  },

  async 'pays once from two tabs'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^409 .*(cors\/checkout|carts\/\w+)$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await payButton(page).waitFor();
    const kept = await page.evaluate(() => ({ ...sessionStorage }));
    const other = await context.newPage();
    await other.addInitScript((entries) => Object.entries(entries).forEach(([key, value]) => sessionStorage.getItem('seen') || sessionStorage.setItem(key, value)), kept);
    await other.goto(`${shop}?step=details`);
    await details(other);
    await next(other);
    await card(other, '4111 1111 1111 1111');
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await payButton(other).click();
    await other.getByRole('heading', { name: 'This order is paid' }).waitFor();
    const sold = (await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}&endTime=${new Date(Date.now() + 9e8).toISOString()}`)).list.reduce((all, one) => all + one.sold, 0);
    assert.equal(sold, 1);
    // A shared link lands at the same time, with nothing chosen.
    const third = await visitor();
    await third.page.goto(`${shop}?event=${event.id}`);
    await third.page.locator('a.time').nth(1).click();
    const fourth = await visitor();
    await fourth.page.goto(third.page.url());
    await fourth.page.locator('a.time[aria-current]').waitFor();
    assert.equal(await fourth.page.getByLabel('How many: Adult').inputValue(), '0');
    await third.context.close();
    await fourth.context.close();
    await context.close();
    return [...problems, ...third.problems, ...fourth.problems];
  },

  async 'is told of a new price before paying it'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^409 .*cors\/checkout$/] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await card(page);
    const template = await staff('GET', `/v2/b2b/event/templates/${event.id}`);
    template.priceLists[0].prices.find((one) => one.personType.id === ADULT).price = ((event.cents + 100) / 100).toFixed(2);
    await staff('PUT', `/v2/b2b/event/templates/${event.id}`, template);
    await payButton(page).click();
    await page.getByText('The price has changed').waitFor();
    await look(page, 'new price');
    assert.equal(await payButton(page).innerText(), `Pay ${((event.cents + 100) / 100).toFixed(2)} US dollars`);
    await payButton(page).click();
    await thanks(page);
    await context.close();
    return problems;
  },

  async 'is told of limits before paying'() {
    const event = await makeEvent({ addOns: [] });
    await staff('PUT', `/v2/b2b/event/templates/${event.id}/entitlements`, { rules: [], ticketLimits: { perOrder: 2, perType: [] } });
    const { page, problems, context } = await visitor();
    await choose(page, event, { adults: 3 });
    await hold(page, 3);
    await page.getByText('There are more tickets than may be sold in one order.').waitFor();
    await look(page, 'too many tickets');
    await page.getByRole('link', { name: 'Change the tickets' }).click();
    await page.getByRole('button', { name: 'One less: Adult' }).click();
    await hold(page, 2);
    await page.getByText('2 seats are held for you.').waitFor();
    assert.equal(await page.getByText('There are more tickets than').count(), 0);
    await context.close();
    return problems;
  },

  async 'is told when an extra runs out'() {
    const extra = await staff('POST', '/v2/b2b/inventory', { name: `Poster ${Date.now() % 100_000}`, type: 'addOn', price: '4.00', stock: 1 });
    const event = await makeEvent({ addOns: [extra.id] });
    const { page, problems, context } = await visitor({ expected: [/^409 .*carts\/\w+$/] });
    await choose(page, event);
    for (let n = 0; n < 2; n += 1) await page.getByRole('button', { name: `One more: ${extra.name}` }).click();
    await hold(page, 1);
    await page.getByText('1 piece is left of what you add to your visit.').waitFor();
    await look(page, 'extra ran out');
    await context.close();
    return problems;
  },

  async 'orders what costs nothing'() {
    const event = await makeEvent({ free: true });
    const { page, problems, context } = await visitor();
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await page.getByText('There is nothing to pay.').waitFor();
    await look(page, 'nothing to pay');
    await page.getByRole('button', { name: 'Confirm the order' }).click();
    await thanks(page);
    await page.locator('.ticket svg').first().waitFor();
    await context.close();
    return problems;
  },

  async 'changes the choice, and takes a second event along'() {
    const one = await makeEvent({ capacity: 5 });
    const two = await makeEvent();
    const { page, problems, context } = await visitor();
    const ids = holds(page);
    await choose(page, one, { adults: 2 });
    await hold(page, 2);
    await page.getByText('2 seats are held for you.').waitFor();
    await page.getByRole('link', { name: 'Change the tickets' }).click();
    await page.locator('a.time').nth(1).click();
    await page.getByRole('button', { name: 'One more: Child' }).click();
    await hold(page, 3);
    await page.getByText('3 seats are held for you.').waitFor();
    await page.getByRole('link', { name: 'Add another event' }).click();
    await page.getByRole('link', { name: two.name }).click();
    await page.locator('a.time').first().click();
    await page.getByRole('button', { name: 'One more: Adult' }).click();
    await hold(page, 4);
    await page.getByText('4 seats are held for you.').waitFor();
    assert.equal(new Set(ids).size, 1, 'one hold, changed');
    const { reservationItems } = await staff('GET', `/v2/b2b/reservations/${ids[0]}`);
    assert.deepEqual(reservationItems.map((item) => item.quantity).sort(), [1, 3]);
    await details(page);
    await next(page);
    assert.equal(await payButton(page).innerText(), `Pay ${((one.cents * 2 + 500 + two.cents) / 100).toFixed(2)} US dollars`);
    await page.getByRole('button', { name: 'Give the seats back' }).click();
    await page.getByRole('heading', { name: 'What’s on', level: 1 }).waitFor();
    await until('the seats', async () => (await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${one.id}&endTime=${new Date(Date.now() + 9e8).toISOString()}`)).list.every((slot) => slot.reserved === 0));
    await context.close();
    return problems;
  },

  async 'loses the connection while paying, and is not charged twice'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await card(page);
    let sent = 0;
    await page.route('**/v2/b2c/cors/checkout', async (route) => {
      sent += 1;
      if (sent > 5) return route.continue();
      if (sent === 1) await route.fetch();
      return route.abort('connectionreset');
    });
    await page.clock.install();
    await payButton(page).click();
    for (let turn = 0; turn < 5; turn += 1) {
      await until(`try ${turn + 1}`, async () => sent > turn || page.getByRole('button', { name: 'Check again' }).isVisible());
      await page.clock.runFor(6_000);
    }
    await page.getByRole('button', { name: 'Check again' }).waitFor();
    await look(page, 'undecided');
    await page.getByRole('button', { name: 'Check again' }).click();
    await thanks(page);
    const sold = (await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}&endTime=${new Date(Date.now() + 9e8).toISOString()}`)).list.reduce((all, one) => all + one.sold, 0);
    assert.equal(sold, 1);
    await context.close();
    return problems;
  },

  async 'closes the page while paying, and finds the order paid'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^409 .*carts\//] });
    await choose(page, event);
    await hold(page, 1);
    await details(page);
    await next(page);
    await card(page);
    // It is paid, and the page never hears of it. The route stays: taking it away would send the request once more.
    let done;
    const paid = new Promise((resolve) => {
      done = resolve;
    });
    await page.route('**/v2/b2c/cors/checkout', async (route) => {
      await route.fetch();
      done();
    });
    await payButton(page).click();
    await paid;
    await page.reload();
    await page.getByRole('heading', { name: 'This order is paid' }).waitFor();
    await look(page, 'paid already');
    await page.getByRole('link', { name: 'Find my order' }).click();
    await page.getByRole('heading', { name: 'Find my order' }).waitFor();
    await context.close();
    return problems;
  },

  async 'is sold out while paying'() {
    const event = await makeEvent({ capacity: 2 });
    const { page, problems, context } = await visitor({ expected: [/^409 .*(cors\/checkout|reservations|carts\/\w+)$/] });
    const ids = holds(page);
    await choose(page, event, { adults: 2 });
    const slot = new URL(page.url()).searchParams.get('slot');
    await hold(page, 2);
    await details(page);
    await next(page);
    await card(page);
    await release(page, ids[0]);
    await staff('POST', '/v2/b2b/reservations', { reservationItems: [{ eventId: slot, quantity: 2 }] });
    await payButton(page).click();
    await page.getByText('The time is up').first().waitFor();
    await until('the focus', () => page.evaluate(() => document.activeElement?.textContent.startsWith('Hold 2 seats again')));
    await look(page, 'hold lost');
    await page.getByRole('button', { name: 'Hold 2 seats again' }).click();
    await page.getByText('Somebody else was faster: this time is sold out.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await look(page, 'sold out');
    await page.getByRole('link', { name: 'Choose another time' }).click();
    await page.getByText('This time is sold out').first().waitFor();
    await look(page, 'event, time sold out');
    await page.locator('a.time').first().click();
    assert.match(await page.locator('.bar').innerText(), /2 tickets/, 'the choice is kept');
    await hold(page, 2);
    await details(page);
    await next(page);
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await context.close();
    return problems;
  },

  async 'is told of the time, and holds again when it is over'() {
    const event = await makeEvent({ capacity: 5 });
    const { page, problems, context } = await visitor();
    const ids = holds(page);
    await page.clock.install();
    await choose(page, event);
    await hold(page, 1);
    await page.getByText('10 minutes left.').waitFor();
    await details(page);
    await page.clock.fastForward('08:05');
    await page.getByText('2 minutes left.').first().waitFor();
    await page.clock.fastForward('01:00');
    await page.locator('[aria-live=assertive]', { hasText: '1 minute left.' }).waitFor({ state: 'attached' });
    await page.clock.fastForward('01:10');
    await page.getByText('The time is up').first().waitFor();
    await look(page, 'time is up');
    await release(page, ids[0]);
    assert.equal(await page.getByLabel('First name').inputValue(), 'Ines', 'what was typed is kept');
    await page.getByRole('button', { name: 'Hold 1 seat again' }).click();
    await page.getByText('1 seat is held for you.').waitFor();
    await next(page);
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await context.close();
    return problems;
  },

  async 'joins, gives, renews and moves up'() {
    const { page, problems, context } = await visitor();
    const level = await staff('POST', '/v2/b2b/membership/levels', { name: `Skipper ${Date.now() % 10_000}`, description: 'For one.', state: 'published',
      rules: { numberOfCardHolders: 2, canGift: true }, benefits: [{ id: 'entry', description: 'Free admission' }],
      offerings: [{ name: 'One year', duration: 12, priceLists: [{ name: 'Standard', prices: [{ personType: { id: ADULT }, price: (30 + (Date.now() % 900) / 100).toFixed(2) }] }] }] });
    await page.goto(`${shop}?view=membership`);
    await page.getByRole('heading', { name: level.name }).waitFor();
    await look(page, 'levels');
    await page.getByRole('link', { name: `Join as ${level.name}` }).click();
    await page.getByText(`You join as ${level.name}`).waitFor();
    await page.getByText(/^From .* to /).first().waitFor();
    await look(page, 'join');
    await page.getByLabel('First name').first().fill('Ines');
    await page.getByLabel('Last name').first().fill('Okafor');
    await page.getByLabel('E-mail').fill('ines.member@example.org');
    await page.getByLabel('First name').nth(1).fill('Obi');
    await page.getByLabel('Last name').nth(1).fill('Okafor');
    await next(page);
    await card(page, '4111 1111 1111 1111');
    await payButton(page).click();
    await thanks(page);
    const number = (await page.getByText(/^Member number/).innerText()).replace(/\D/g, '');
    await look(page, 'joined');

    await page.goto(`${shop}?view=membership`);
    await page.locator('li', { has: page.getByRole('heading', { name: level.name }) }).getByRole('link', { name: 'Give as a gift' }).click();
    await page.getByRole('group', { name: 'Who gets the gift?' }).getByLabel('First name').fill('Uma');
    await page.getByRole('group', { name: 'Who gets the gift?' }).getByLabel('Last name').fill('Reyes');
    await page.getByRole('group', { name: 'Who gets the gift?' }).getByLabel('E-mail').fill('uma@example.org');
    const giver = page.getByRole('group', { name: 'Who gives it?' });
    await giver.getByLabel('First name').fill('Ines');
    await giver.getByLabel('Last name').fill('Okafor');
    await giver.getByLabel('E-mail').fill('ines.giver@example.org');
    await look(page, 'gift');
    await next(page);
    await card(page, '5555 5555 5555 4444');
    await payButton(page).click();
    await thanks(page);
    await page.getByText('A gift').waitFor();

    await page.goto(`${shop}?view=member`);
    await page.getByLabel('Member number').fill(number);
    await page.getByLabel('Last name').fill('OKAFOR');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('link', { name: 'Renew', exact: true }).click();
    await page.getByRole('link', { name: `Renew ${level.name}` }).click();
    await page.getByText(/^From .* to /).first().waitFor();
    await page.getByLabel('First name').first().fill('Ines');
    await page.getByLabel('Last name').first().fill('Okafor');
    await page.getByLabel('E-mail').fill('ines.member@example.org');
    await look(page, 'renew');
    await next(page);
    await card(page, '2223 0031 2200 3222');
    await payButton(page).click();
    await thanks(page);

    await page.goto(`${shop}?view=membership&action=upgrade`);
    await page.getByRole('link', { name: 'Move up to Captain' }).click();
    await page.getByText(/^From .* to /).first().waitFor();
    await page.getByLabel('First name').first().fill('Ines');
    await page.getByLabel('Last name').first().fill('Okafor');
    await page.getByLabel('E-mail').fill('ines.member@example.org');
    await next(page);
    await card(page, '6011 1111 1111 1117');
    await payButton(page).click();
    await thanks(page);
    await context.close();
    return problems;
  },

  async 'finds an order by number and mailed link'() {
    const event = await makeEvent();
    const email = `found${Date.now()}@example.org`;
    const { page, problems, context } = await visitor({ expected: [/^400 .*orders\/open$/] });
    await choose(page, event, { adults: 2 });
    await hold(page, 2);
    await details(page, { email });
    await next(page);
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await page.locator('.ticket svg').nth(1).waitFor();
    const number = await orderNumber(page);
    const codes = await page.locator('.ticket .mono').allInnerTexts();
    const before = await mailsTo(email);
    await context.clearCookies();
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(`${shop}?view=order`);
    await look(page, 'find my order');
    await page.getByRole('button', { name: 'Mail me the link' }).click();
    await page.getByRole('link', { name: 'Enter the nine digits' }).waitFor();
    await page.getByLabel('Order number').fill(` ${number.slice(0, 3)} ${number.slice(3, 6)}-${number.slice(6)}`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Mail me the link' }).click();
    await page.getByText('If there is such an order').waitFor();
    await look(page, 'order link mailed');
    const token = await mailedToken(email, 'orderToken', before);
    await page.goto(`${shop}?orderToken=${encodeURIComponent(token)}`);
    await page.locator('.ticket svg').nth(1).waitFor();
    cleanAddress(page, token, 'orderToken');
    assert.deepEqual(await page.locator('.ticket .mono').allInnerTexts(), codes);
    await look(page, 'my order');
    await page.goto(`${shop}?orderToken=7.1.b`);
    await page.getByText('This link is no longer valid').waitFor();
    await context.close();
    return problems;
  },

  async 'buys a combo'() {
    const { page, problems, context } = await visitor();
    const first = await makeEvent({ hours: [10] });
    const second = await makeEvent({ hours: [18] });
    const price = (20 + (Date.now() % 900) / 100).toFixed(2);
    const combo = await staff('POST', '/v2/b2b/combos', { name: `Both ${Date.now() % 100_000}`, description: 'Day and night.', comboTemplateType: 'fixedPrice',
      parts: [{ eventTemplateId: first.id, quantity: 1 }, { eventTemplateId: second.id, quantity: 1 }], prices: [{ personTypeId: ADULT, price: Math.min(Number(price), (first.cents + second.cents) / 100).toFixed(2) }] });
    await page.goto(shop);
    await page.getByRole('link', { name: combo.name }).click();
    await page.locator('.part').nth(0).locator('a.time').first().click();
    await page.locator('.part').nth(1).locator('a.time').first().click();
    await page.getByRole('button', { name: 'One more: Adult' }).click();
    await look(page, 'combo');
    await hold(page, 2);
    await page.getByText('2 seats are held for you.').waitFor();
    await look(page, 'combo details');
    await details(page);
    await next(page);
    await card(page);
    await payButton(page).click();
    await thanks(page);
    await page.locator('.ticket svg').nth(1).waitFor();
    await context.close();
    return problems;
  },

  async 'buys inside of another page'() {
    const event = await makeEvent();
    const around = http.createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(venuePage(event.id));
    });
    await new Promise((done) => {
      around.listen(0, 'localhost', done);
    });
    const origin = `http://localhost:${around.address().port}`;
    const settings = await staff('GET', '/v2/b2b/settings');
    const write = (allowedOrigins) => staff('PUT', '/v2/b2b/settings', { name: settings.name, allowedOrigins });
    const framedBy = async () => (await fetch(`${base}/shop/embed.html`)).headers.get('content-security-policy');
    await write([...settings.allowedOrigins, origin]);
    try {
      await until('the policy', async () => (await framedBy()).includes(origin), 2 * PATIENCE_MS);
      const { page, problems, context } = await visitor();
      await page.goto(origin);
      const frame = page.frameLocator('iframe');
      await frame.locator('a.time').first().waitFor();
      await until('the height', async () => page.evaluate(() => {
        const box = document.querySelector('iframe');
        return box.style.blockSize !== '' && box.getBoundingClientRect().height > 300;
      }));
      const inner = page.frames().find((one) => one !== page.mainFrame());
      await until('no bar inside', () => inner.evaluate(() => document.documentElement.scrollHeight <= innerHeight + 1));
      await frame.locator('a.time').first().click();
      await frame.getByRole('button', { name: 'One more: Adult' }).click();
      await frame.getByRole('link', { name: 'Hold 1 seat' }).click();
      await frame.getByLabel('First name').fill('Ines');
      await frame.getByLabel('Last name').fill('Okafor');
      await frame.getByLabel('E-mail').fill('embed@example.org');
      await frame.getByRole('button', { name: 'Go on to the payment' }).click();
      await frame.getByLabel('Card number').fill(GOOD);
      await frame.getByLabel('Valid until').fill('12/30');
      await frame.getByLabel('Security code').fill('123');
      await frame.getByRole('button', { name: PAYS }).click();
      await frame.locator('.ticket svg').first().waitFor();
      // The keyboard goes in and comes out again.
      await page.getByRole('link', { name: 'How to get here' }).focus();
      let inside = false;
      await until('the way out', async () => {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.textContent}`);
        inside ||= at.startsWith('IFRAME');
        return at === 'A Opening hours';
      });
      assert.ok(inside, 'the keyboard did not enter the frame');
      await page.goto(`${base}/shop/embed.html?event=${event.id}`);
      await page.locator('a.time').first().waitFor();
      await look(page, 'embedded');
      await context.close();
      // Who is not allowed does not get to frame it.
      await write(settings.allowedOrigins);
      await until('the policy without it', async () => !(await framedBy()).includes(origin), 2 * PATIENCE_MS);
      const stranger = await visitor();
      await stranger.page.goto(origin);
      await until('the refusal', () => stranger.problems.some((one) => /frame-ancestors/i.test(one)));
      await stranger.context.close();
      return problems;
    } finally {
      await write(settings.allowedOrigins);
      around.close();
    }
  },

  async 'buys with the keyboard alone'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    await page.goto(shop);
    await page.getByRole('link', { name: event.name }).waitFor();
    const to = (name, tag) => tabTo(page, name, tag);
    await page.keyboard.press('Tab');
    await to('To the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    await to(event.name);
    await page.keyboard.press('Enter');
    await page.locator('a.time').first().waitFor();
    await to('11:00');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'One more: Adult' }).waitFor();
    await to('One more: Adult', 'BUTTON');
    await page.keyboard.press('Space');
    await to('Hold 1 seat');
    await page.keyboard.press('Enter');
    await page.getByLabel('First name').waitFor();
    await to('First name', 'INPUT');
    await page.keyboard.type('Ines');
    await to('Last name', 'INPUT');
    await page.keyboard.type('Okafor');
    await to('E-mail', 'INPUT');
    await page.keyboard.type('keys@example.org');
    await page.keyboard.press('Enter');
    await page.getByLabel('Card number').waitFor();
    await to('Card number', 'INPUT');
    await page.keyboard.type('4242424242424242');
    await to('Valid until', 'INPUT');
    await page.keyboard.type('1230');
    await to('Security code', 'INPUT');
    await page.keyboard.type('123');
    await page.keyboard.press('Enter');
    await page.locator('.ticket svg').first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await context.close();
    return problems;
  },

  async 'shows what is stored as text'() {
    const canary = '<img src=x onerror=alert(1)>';
    const named = (what) => `${what} ${canary} ${Date.now() % 100_000}`;
    const type = await staff('POST', '/v2/b2b/persontypes', { name: named('Type'), description: named('Age') });
    const extra = await staff('POST', '/v2/b2b/inventory', { name: named('Extra'), description: named('About'), type: 'addOn', price: '3.00' });
    const form = await staff('POST', '/v2/b2b/forms', { name: named('Form'), required: true, fields: [
      { name: 'one', label: named('Question'), type: 'text', required: true }, { name: 'two', label: named('Choice'), type: 'choice', options: [`Option ${canary}`] }] });
    const event = await makeEvent({ name: named('Canary'), form: form.id, addOns: [extra.id] });
    const template = await staff('GET', `/v2/b2b/event/templates/${event.id}`);
    template.description = `About ${canary}`;
    template.summary = `Summary ${canary}`;
    template.priceLists[0].prices.push({ personType: { id: type.id }, price: '6.00', displayOrder: 3 });
    await staff('PUT', `/v2/b2b/event/templates/${event.id}`, template);
    const level = await staff('POST', '/v2/b2b/membership/levels', { name: named('Level'), description: named('Text'), state: 'published', benefits: [{ id: 'one', description: named('Benefit') }],
      offerings: [{ name: named('Offering'), duration: 12, priceLists: [{ name: 'Standard', prices: [{ personType: { id: ADULT }, price: '20.00' }] }] }] });
    try {
      const { page, problems, context } = await visitor();
      const shown = (text, within = page) => within.getByText(text).first().waitFor();
      await page.goto(`${shop}?q=Canary`);
      await page.getByRole('link', { name: event.name }).first().waitFor();
      await shown(`Summary ${canary}`);
      await choose(page, event);
      await page.getByRole('heading', { level: 1, name: event.name }).waitFor();
      for (const text of [`About ${canary}`, type.name, type.description, extra.name, extra.description]) await shown(text);
      await page.getByRole('button', { name: `One more: ${extra.name}` }).click();
      await hold(page, 1);
      await details(page, { first: canary, last: canary });
      for (const text of [form.name, form.fields[0].label, form.fields[1].label, extra.name]) await shown(text);
      await page.getByLabel(form.fields[0].label).fill(canary);
      await page.getByRole('combobox', { name: form.fields[1].label }).selectOption(`Option ${canary}`);
      await next(page);
      await card(page);
      await payButton(page).click();
      await shown(event.name, page.locator('.ticket'));
      await shown(extra.name);
      await page.goto(`${shop}?view=membership`);
      for (const text of [level.name, level.description, level.benefits[0].description, level.offerings[0].name]) await shown(text);
      await context.close();
      return problems;
    } finally {
      await staff('DELETE', `/v2/b2b/membership/levels/${level.id}`);
    }
  },

  async 'speaks each language, and is readable without a connection'() {
    const texts = fileURLToPath(new URL('../shop/texts/', import.meta.url));
    const { default: english } = await import(`${texts}en.js`);
    const names = (text) => [...new Set((typeof text === 'string' ? text : Object.values(text).join(' ')).match(/\{\w+\}/g) ?? [])].sort().join();
    const { page, problems, context } = await visitor();
    for (const file of readdirSync(texts)) {
      const { default: catalog } = await import(texts + file);
      assert.deepEqual(Object.keys(catalog).sort(), Object.keys(english).sort(), file);
      for (const [key, text] of Object.entries(catalog)) {
        assert.equal(names(text), names(english[key]), `${file} ${key}`);
        if (typeof text !== 'string') assert.ok(new Intl.PluralRules(file.slice(0, -3)).resolvedOptions().pluralCategories.every((one) => one in text || 'other' in text), `${file} ${key}`);
      }
    }
    await settings({ languages: ['en', 'de', 'pt'] }, (venue) => venue.languages.includes('pt'));
    try {
      for (const tag of ['de', 'pt']) {
        await page.goto(`${shop}?event=${GALLERY}&lang=${tag}`);
        await page.locator('a.time').first().waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.lang), tag);
        await look(page, `event in ${tag}`);
      }
      // A language that the venue does not speak is not offered.
      await page.goto(`${shop}?lang=fr`);
      await page.locator('.card').first().waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
      assert.deepEqual(await page.locator('footer [hreflang]').allInnerTexts(), ['English', 'Deutsch', 'Português']);
    } finally {
      await settings({ languages: [] }, (venue) => venue.languages.length < 3);
    }
    await page.goto(`${shop}?event=${GALLERY}`);
    await page.locator('a.time').first().waitFor();
    await context.setOffline(true);
    await page.getByText('You are not connected').first().waitFor();
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByText('That did not work.').first().waitFor();
    await look(page, 'offline');
    await context.setOffline(false);
    await until('the days', async () => await page.locator('.strip a').count() > 0);
    await context.close();
    return problems.filter((one) => !/ERR_INTERNET_DISCONNECTED/.test(one));
  },

  async 'asks where the interface is, on all three pages'() {
    const { page, problems, context } = await visitor();
    const { asked, strays } = await elsewhere(context);
    await page.goto(shop);
    await page.locator('.card').first().waitFor();
    await page.goto(`${base}/desk/`);
    await page.getByLabel('Your work e-mail').fill('nobody@harbor-museum.example');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('the mail is on its way').waitFor();
    await withKey(page);
    for (const path of ['/v2/b2c/venue', '/v2/staff/login', '/v2/b2b/event/instances/summaries']) assert.ok(asked.has(path), path);
    assert.deepEqual([...strays], []);
    await context.close();
    return problems;
  },
};
