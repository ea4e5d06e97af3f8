// What staff do, from the mailed link to the refund.
import { ADULT, assert, base, cleanAddress, look, mailedToken, mailsTo, makeEvent, staff, tabTo, until, visitor } from './harness.mjs';
import { clockChanges, slotsOf } from '../desk/schedule.js';

const desk = `${base}/desk/`;
const MAIL = 'desk@harbor-museum.example';
const CANARY = '<img src=x onerror="document.title=\'owned\'"><script>alert(1)</script>';
let session = null;
let made = 0;
const mark = () => `${Date.now() % 1_000_000}-${made += 1}`;

/** A page of somebody who is signed in. */
async function signedIn(options) {
  const found = await visitor(options);
  if (!session) {
    await signIn(found.page);
    session = await found.page.evaluate(() => localStorage.getItem('boxoffice-desk:session'));
  } else {
    await found.context.addInitScript((text) => localStorage.getItem('boxoffice-desk:session') ?? localStorage.setItem('boxoffice-desk:session', text), session);
  }
  return found;
}

async function signIn(page) {
  const known = await mailsTo(MAIL);
  await page.goto(desk);
  if (await page.getByLabel('Venue').count()) await page.getByLabel('Venue').selectOption({ label: 'Harbor Museum' });
  await page.getByLabel('Your work e-mail').fill(MAIL);
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByText('the mail is on its way').waitFor();
  await page.goto(`${desk}?loginToken=${await mailedToken(MAIL, 'loginToken', known)}`);
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
}
const at = (query) => `${desk}?${new URLSearchParams(query)}`;

/** An order, sold by the venue's own server. */
async function sell(event, { quantity = 1, last = 'Okafor', notes, email = 'ines@example.org' } = {}) {
  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const { list } = await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}&startTime=${day}&endTime=${day}T23:59:59`);
  const response = await fetch(`${base}/v2/b2c/checkout`, { method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-api-key': 'demo-b2c-1001', 'x-b2c-tenant-id': '1001', 'x-service-browser-ip': '203.0.113.7' },
    body: JSON.stringify({ shoppingCart: { items: [{ eventId: list[0].id, ticketingTypeId: ADULT, quantity }] }, billingEmail: email, billingFirstName: 'Ines', billingLastName: last, billingPhoneNumber: '+1 212 555 0190', notes,
      manualEntryCardNumber: '4242424242424242', expDate: '1230', cvc: '123' }) });
  const order = await response.json();
  assert.equal(response.status, 200, JSON.stringify(order));
  return { ...order, slot: list[0] };
}
const heading = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor();
const saved = (page) => page.getByText('Saved.', { exact: true }).waitFor();

export const journeys = {
  async 'staff sign in by a mailed link, and out'() {
    const { page, problems, context } = await visitor({ expected: [/^400 .*staff\/session$/] });
    await page.goto(desk);
    await heading(page, /Desk/);
    await look(page, 'desk sign in');
    await page.getByLabel('Your work e-mail').fill('no address');
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('Enter an e-mail address').waitFor();
    await look(page, 'desk sign in with a fault');
    await signIn(page);
    assert.ok(!page.url().includes('loginToken'), 'the token stays in the address');
    cleanAddress(page, 'harbor-museum.example');
    await look(page, 'desk today');
    await page.goto(`${desk}?loginToken=${'0'.repeat(32)}`);
    await page.getByText('This link did not sign you in.').waitFor();
    await signIn(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Send me a link' }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem('boxoffice-desk:session')), null);
    await context.close();
    return problems;
  },

  async 'staff bring an event from nothing to on sale'() {
    const { page, problems, context } = await signedIn({ expected: [/^400 .*event\/templates$/] });
    const name = `Desk event ${mark()}`;
    await page.goto(at({ view: 'catalog' }));
    await heading(page, 'Events');
    await look(page, 'desk events');
    await page.getByRole('link', { name: 'New event' }).click();
    await heading(page, 'New event');
    await page.getByRole('button', { name: 'Save and put on sale' }).click();
    await page.getByRole('heading', { name: /things? to put right/ }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'alert');
    await look(page, 'desk event with faults');
    assert.match((await page.locator('[role=alert] a').allInnerTexts()).join(), /^Name,Description,Seats,.*Ticket type,Price$/);
    await page.locator('[role=alert] a').first().click();
    assert.ok(await page.evaluate(() => document.activeElement?.matches('input, textarea, select')), 'a fault leads to its field');
    await page.getByLabel('Name', { exact: true }).first().fill(name);
    await page.getByLabel('Description', { exact: true }).first().fill('An hour with the tide.');
    await page.getByLabel('Seats', { exact: true }).fill('30');
    for (const day of ['Saturday', 'Sunday']) await page.getByRole('checkbox', { name: day }).check();
    await page.getByLabel('From', { exact: true }).fill('01:30');
    await page.getByLabel('To', { exact: true }).fill('03:30');
    await page.getByLabel('Every … minutes').fill('60');
    await page.getByRole('button', { name: 'Add these times' }).click();
    await page.getByText(/times in the next 400 days, from/).waitFor();
    await page.getByText(/the clocks skip 02:30/).waitFor();
    await page.locator('.daybox.has').first().click();
    await page.locator('.slots li').first().waitFor();
    await page.getByLabel('Ticket type').selectOption({ label: 'Adult' });
    await page.getByLabel('Price', { exact: true }).fill('12.50');
    await look(page, 'desk new event');
    await page.getByRole('button', { name: 'Save and put on sale' }).click();
    await heading(page, name);
    await page.getByText('It was created and is on sale.').waitFor();
    assert.match(page.url(), /id=[0-9a-f]{24}/);
    const id = new URL(page.url()).searchParams.get('id');
    const from = new Date(Date.now() + 86_400_000).toISOString();
    const { list } = await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${id}&startTime=${from}&endTime=${new Date(Date.now() + 28 * 86_400_000).toISOString()}&pageSize=-1`);
    assert.ok(list.length >= 20, 'it has times');
    const { list: later } = await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${id}&startTime=2027-03-01&endTime=2027-03-31T23:59:59&pageSize=-1`);
    const event = await staff('GET', `/v2/b2b/event/templates/${id}`);
    const preview = slotsOf(event, 'America/New_York', '2027-03-01', '2027-03-31', Date.now());
    assert.deepEqual(preview.map((slot) => slot.at), later.map((one) => Date.parse(one.startTime)), 'the preview says what was made, across the change of the clocks');
    assert.equal(clockChanges('America/New_York', '2027-03-01', '2027-03-31').get('2027-03-14'), 3_600_000);
    await page.getByRole('link', { name: 'Its times' }).click();
    await heading(page, `Times of ${name}`);
    await look(page, 'desk times of an event');
    await page.goBack();
    await page.getByRole('link', { name: 'Limits and rules' }).click();
    await heading(page, 'Limits and rules');
    await page.getByLabel('Tickets an order').fill('4');
    await page.getByRole('button', { name: 'Add: Rule for members' }).click();
    await page.getByLabel('Name of the rule').fill('Two_a_day');
    await page.getByLabel('Tickets', { exact: true }).fill('2');
    await look(page, 'desk rules');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    const rules = await staff('GET', `/v2/b2b/event/templates/${id}/entitlements`);
    assert.deepEqual([rules.ticketLimits.perOrder, rules.rules[0].limit], [4, 2]);
    await context.close();
    return problems;
  },

  async 'staff write every kind of the catalog, and take it away'() {
    const { page, problems, context } = await signedIn({ expected: [/^409 .*persontypes/] });
    const name = mark();
    const fill = {
      types: async () => page.getByLabel('Tax in percent').fill('7'),
      discounts: async () => {
        await page.getByLabel('Ticket type').selectOption({ label: 'Adult' });
        await page.getByLabel('How much').fill('15');
      },
      coupons: async () => {
        await page.getByLabel('Code', { exact: true }).fill(`DESK${name.replace('-', 'X')}`);
        await page.getByLabel('How much').fill('10');
      },
      inventory: async () => page.getByLabel(/^Price/).fill('3.00'),
      combos: async () => {
        await page.getByLabel('Event', { exact: true }).nth(0).selectOption({ label: 'Harbor Gallery Entry' });
        await page.getByLabel('Event', { exact: true }).nth(1).selectOption({ label: 'Lanterns on the Lightship' });
        await page.getByLabel('Ticket type').selectOption({ label: 'Adult' });
        await page.getByLabel('Price', { exact: true }).fill('40.00');
      },
      forms: async () => {
        await page.getByRole('textbox', { name: /^Question/ }).fill('Who leads?');
        await page.getByLabel('Name of the field').fill('leader');
      },
      levels: async () => {
        await page.getByLabel('Name', { exact: true }).nth(1).fill('One year');
        await page.getByLabel('Ticket type').selectOption({ label: 'Adult' });
        await page.getByLabel('Price', { exact: true }).fill('60.00');
      },
    };
    for (const [kind, rest] of Object.entries(fill)) {
      await page.goto(at({ view: 'catalog', kind }));
      await page.locator('table, .empty').first().waitFor();
      await look(page, `desk list of ${kind}`);
      await page.goto(at({ view: 'catalog', kind, id: 'new' }));
      await page.getByLabel('Name', { exact: true }).first().fill(`Desk ${kind} ${name}`);
      await rest();
      await look(page, `desk new ${kind}`);
      await page.locator('.savebar button').last().click();
      await heading(page, `Desk ${kind} ${name}`);
      await page.getByText(/^It was created/).waitFor();
      await page.getByLabel(/^Description/).first().fill('Changed.');
      await page.locator('.savebar button[type=submit]').click();
      await saved(page);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.locator('[role=group]').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('It was deleted.').waitFor();
    }
    await page.goto(at({ view: 'catalog', kind: 'types', id: ADULT }));
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.locator('[role=group]').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Something else still needs it').waitFor();
    await look(page, 'desk still in use');
    await context.close();
    return problems;
  },

  async 'staff sell, find the order by anything, and send it again'() {
    const last = `Zq${Math.random().toString(36).replace(/[^a-z]/g, '').slice(0, 8)}`;
    const event = await makeEvent();
    const order = await sell(event, { quantity: 2, last, email: `${last}@example.org`.toLowerCase() });
    const willcall = await staff('GET', `/v2/b2b/willcall/orders/${order.id}`);
    const code = willcall.eventItems[0].items[0].tickets[0].uuid;
    const { page, problems, context } = await signedIn();
    await page.goto(at({ view: 'orders' }));
    await page.getByText('Orders of the last days').waitFor();
    await look(page, 'desk orders');
    for (const words of [last, `Ines ${last}`, `${last}@example.org`, code]) {
      await page.keyboard.press('Escape');
      await page.getByLabel('Find an order').fill(words);
      await page.keyboard.press('Enter');
      await page.getByText(/^1 order (with|of) this/).waitFor();
      cleanAddress(page, last);
      await page.getByRole('link', { name: order.orderNumber }).waitFor();
      await page.getByLabel('Find an order').fill('');
      await page.keyboard.press('Enter');
      await page.getByText('Orders of the last days').waitFor();
    }
    await page.getByLabel('Find an order').fill('nobody at all');
    await page.keyboard.press('Enter');
    await page.getByText('No order fits.').waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await look(page, 'desk no order found');
    await page.getByLabel('Find an order').fill(order.orderNumber);
    await page.keyboard.press('Enter');
    await heading(page, `Order ${order.orderNumber}`);
    await page.getByText('…4242').first().waitFor();
    await look(page, 'desk order');
    const to = `${last}.other@example.org`.toLowerCase();
    await page.getByRole('link', { name: 'Send again' }).click();
    await page.getByLabel('To another address').fill(to);
    await look(page, 'desk send again');
    await page.getByRole('button', { name: `Send to ${to}` }).click();
    await page.getByText(`The mail to ${to} is on its way.`).waitFor();
    await until('the mail', async () => (await mailsTo(to)).size === 1);
    await page.goto(at({ view: 'slot', id: order.slot.id }));
    await page.getByRole('cell', { name: order.orderNumber }).or(page.getByRole('rowheader', { name: last })).first().waitFor();
    await look(page, 'desk slot');
    await context.close();
    return problems;
  },

  async 'staff refund a part after a preview, then the rest'() {
    const event = await makeEvent();
    const order = await sell(event, { quantity: 2 });
    const { page, problems, context } = await signedIn();
    const refunds = [];
    page.on('request', (request) => /\/refunds$/.test(request.url()) && request.method() === 'POST' && refunds.push(request.headers()['idempotency-key']));
    await page.goto(at({ view: 'order', id: order.id, step: 'refund' }));
    await page.getByRole('radio', { name: 'Only a part' }).check();
    await page.getByRole('button', { name: 'See what will happen' }).click();
    await page.getByText('Choose what is given back').waitFor();
    await page.locator('#refund-items .check input').first().check();
    await page.getByLabel('Why').fill(`Ill ${CANARY}`);
    await page.getByRole('button', { name: 'See what will happen' }).click();
    await page.getByText(/1 seat is free again/).waitFor();
    await look(page, 'desk refund preview');
    assert.equal(refunds.length, 0, 'a preview gives nothing back');
    await page.getByRole('button', { name: `Refund ${event.price} US dollars` }).dblclick();
    await page.getByText(`Refunded: $${event.price}.`).waitFor();
    assert.equal(refunds.length, 1, 'asked once');
    await page.getByText('Partly refunded').first().waitFor();
    assert.ok(await page.getByText(CANARY).count(), 'a reason is shown as text');
    await page.getByRole('link', { name: 'Refund', exact: true }).click();
    await page.getByRole('button', { name: 'See what will happen' }).click();
    await page.getByRole('button', { name: `Refund ${event.price} US dollars` }).click();
    await page.getByText(`Refunded: $${event.price}.`).waitFor();
    await page.locator('h1 + p').getByText('Refunded', { exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Refund', exact: true }).count(), 0, 'there is nothing left to give back');
    await look(page, 'desk order refunded');
    assert.equal((await staff('GET', `/v2/b2b/orders/detail/${order.id}`)).refundAmount, (event.cents * 2 / 100).toFixed(2));
    await context.close();
    return problems;
  },

  async 'staff exchange a ticket for another time'() {
    const event = await makeEvent();
    const order = await sell(event, { quantity: 2 });
    const { page, problems, context } = await signedIn();
    await page.goto(at({ view: 'order', id: order.id, step: 'exchange' }));
    await page.getByRole('button', { name: 'Exchange', exact: true }).click();
    await page.getByText('Choose a ticket at least').waitFor();
    await page.locator('.fault', { hasText: 'Choose a time' }).waitFor();
    await look(page, 'desk exchange with faults');
    await page.locator('fieldset .check input').first().check();
    await page.getByRole('radio', { name: /3:00 PM/ }).check();
    await page.getByText(/1 ticket moves from/).waitFor();
    await look(page, 'desk exchange');
    await page.getByRole('button', { name: 'Exchange 1 ticket' }).dblclick();
    await page.getByText(/1 ticket is now for/).waitFor();
    const after = await staff('GET', `/v2/b2b/orders/detail/${order.id}`);
    assert.equal(after.exchanges.length, 1);
    await context.close();
    return problems;
  },

  async 'two change one contact, and see both versions'() {
    const order = await sell(await makeEvent());
    const { page, problems, context } = await signedIn({ expected: [/^412 .*orders\//, /^400 .*orders\//] });
    await page.goto(at({ view: 'order', id: order.id, step: 'contact' }));
    const contact = page.locator('details').first();
    await contact.getByLabel('First name').fill('Inès');
    await staff('PUT', `/v2/b2b/orders/${order.id}`, { notes: 'Comes by boat', contactFirstName: 'Agnes' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Somebody saved a change meanwhile' }).waitFor();
    await look(page, 'desk clash');
    const row = page.getByRole('row', { name: /First name/ });
    assert.ok(await row.getByRole('radio').first().isChecked(), 'what I changed is mine');
    assert.ok(await page.getByRole('row', { name: /Notes/ }).getByRole('radio').nth(1).isChecked(), 'what I left is theirs');
    await page.getByRole('button', { name: 'Save what is chosen' }).click();
    await saved(page);
    const after = await staff('GET', `/v2/b2b/orders/detail/${order.id}`);
    assert.deepEqual([after.contactFirstName, after.notes], ['Inès', 'Comes by boat']);
    await page.getByText('Comes by boat').waitFor();
    await page.getByRole('link', { name: 'Change contact and notes' }).click();
    await page.locator('details').nth(1).getByLabel('E-mail').fill('no address');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'One thing to put right' }).waitFor();
    assert.ok(await page.locator('.faulty').getByText(/address/).count() > 0, 'the fault is at its field');
    await context.close();
    return problems;
  },

  async 'staff call a time off, and let it take place after all'() {
    const event = await makeEvent();
    const order = await sell(event, { quantity: 3 });
    const { page, problems, context } = await signedIn({ expected: [/^409 .*instances/] });
    await page.goto(at({ view: 'slot', id: order.slot.id }));
    await page.getByRole('button', { name: 'Change seats or time' }).click();
    await page.getByLabel('Seats').fill('2');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('More seats than that are sold or held').waitFor();
    await page.getByLabel('Seats').fill('25');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    await page.getByRole('button', { name: 'Call this time off' }).click();
    await page.getByText('3 tickets stay as they are').waitFor();
    await look(page, 'desk call off');
    await page.locator('section.notice').getByRole('button', { name: 'Call this time off' }).click();
    await page.getByText('It is not sold any more.').first().waitFor();
    await page.getByRole('button', { name: 'Take place after all' }).click();
    await page.getByText('This time takes place again.').waitFor();
    await context.close();
    return problems;
  },

  async 'staff find a member and change the holder'() {
    const { page, problems, context } = await signedIn();
    await page.goto(at({ view: 'members' }));
    await page.locator('p[role=status]', { hasText: 'Newest members' }).waitFor();
    await look(page, 'desk members');
    await page.getByLabel('Find a member').fill('lindq');
    await page.keyboard.press('Enter');
    await page.getByText(/card found/).waitFor();
    cleanAddress(page, 'lindq');
    await page.getByRole('link', { name: 'Ada Lindqvist' }).click();
    await heading(page, 'Ada Lindqvist');
    await look(page, 'desk member');
    await page.getByRole('button', { name: 'Change the holder' }).click();
    const phone = `+1 212 555 ${String(Date.now()).slice(-4)}`;
    await page.getByLabel('Phone').fill(phone);
    await look(page, 'desk card holder');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    await page.getByText(phone).waitFor();
    await page.getByRole('button', { name: 'Give up this card' }).click();
    await look(page, 'desk give a card up');
    await page.getByRole('button', { name: 'Keep as it is' }).click();
    await context.close();
    return problems;
  },

  async 'admins keep the venue, its keys and its staff'() {
    const { page, problems, context } = await signedIn({ expected: [/^400 .*(settings|keys|staff)$/, /^412 .*settings$/] });
    const { name: venueName, colours, terms: termsBefore, privacy: privacyBefore } = await staff('GET', '/v2/b2b/settings');
    await page.goto(at({ view: 'settings' }));
    await page.getByLabel('Name of the venue').waitFor();
    await page.getByText('America/New_York').waitFor();
    await look(page, 'desk settings');
    if (!await page.getByLabel('Colour', { exact: true }).count()) await page.getByRole('button', { name: 'Add: Colour' }).click();
    await page.getByLabel('Colour', { exact: true }).fill('#ffd700');
    await page.getByText(/hard to read on its own/).waitFor();
    await page.getByLabel('Seconds that seats are held').fill('5');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'One thing to put right' }).waitFor();
    await look(page, 'desk settings with a fault');
    await page.getByLabel('Seconds that seats are held').fill('600');
    await page.getByLabel('Address of the terms of sale').fill('https://harbor.example/terms');
    await page.getByLabel('Address of the privacy notice').fill('https://harbor.example/privacy');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    const { terms, privacy } = await staff('GET', '/v2/b2b/settings');
    assert.deepEqual([terms, privacy], ['https://harbor.example/terms', 'https://harbor.example/privacy']);
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText(/#ffd700/).first().waitFor();
    await look(page, 'desk history');
    await staff('PUT', '/v2/b2b/settings', { name: venueName, colours, terms: termsBefore, privacy: privacyBefore });

    await page.getByRole('link', { name: 'Keys' }).click();
    const label = `Desk key ${mark()}`;
    await page.getByLabel('What it is for').fill(label);
    await page.getByRole('button', { name: 'Issue the key' }).click();
    await page.getByRole('heading', { name: 'One thing to put right' }).waitFor();
    await page.getByRole('checkbox', { name: 'Door' }).check();
    await page.getByRole('button', { name: 'Issue the key' }).click();
    await page.getByText('This is the only time that the key is shown.').waitFor();
    const key = await page.locator('#issued').innerText();
    assert.ok(key.length > 20);
    await look(page, 'desk key shown once');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.reload();
    await page.getByRole('rowheader', { name: label }).waitFor();
    assert.ok(!(await page.content()).includes(key), 'the key is shown again');
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(key), 'the key is stored');
    await look(page, 'desk keys');
    await page.getByRole('button', { name: `Revoke the key “${label}”` }).click();
    await page.locator('section.notice').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText(`The key “${label}” is revoked.`).waitFor();

    await page.getByRole('link', { name: 'Staff' }).click();
    await page.getByRole('link', { name: 'Demo Desk' }).waitFor();
    await look(page, 'desk staff');
    const email = `till-${mark()}@harbor-museum.example`;
    await page.getByRole('link', { name: 'Add somebody' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Till Person');
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await heading(page, 'Till Person');
    await look(page, 'desk person');

    // What her role does not open is not offered, and said where it is asked for.
    const known = await mailsTo(email);
    await staff('GET', '/v2/b2b/staff');
    const other = await visitor();
    await other.page.goto(desk);
    if (await other.page.getByLabel('Venue').count()) await other.page.getByLabel('Venue').selectOption({ label: 'Harbor Museum' });
    await other.page.getByLabel('Your work e-mail').fill(email);
    await other.page.getByRole('button', { name: 'Send me a link' }).click();
    await other.page.goto(`${desk}?loginToken=${await mailedToken(email, 'loginToken', known)}`);
    await heading(other.page, 'Today');
    assert.equal(await other.page.getByRole('link', { name: 'Settings' }).count(), 0);
    await other.page.goto(at({ view: 'settings' }));
    await heading(other.page, 'Not for your role');
    await look(other.page, 'desk not for this role');
    await other.page.goto(at({ view: 'members' }));
    await other.page.getByText('Search to see members.').waitFor();
    assert.deepEqual(other.problems, []);
    await other.context.close();

    await page.getByRole('button', { name: 'Remove from the staff' }).click();
    await page.locator('[role=group]').getByRole('button', { name: 'Remove from the staff' }).click();
    await page.getByRole('link', { name: 'Demo Desk' }).waitFor();
    await context.close();
    return problems;
  },

  async 'the desk by the keyboard alone'() {
    const { page, problems, context } = await signedIn();
    await page.goto(desk);
    await heading(page, 'Today');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading(page, 'Events');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await heading(page, 'Today');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading(page, 'Settings');
    await page.keyboard.press('/');
    await heading(page, 'Orders');
    await until('the search', () => page.evaluate(() => document.activeElement?.id === 'search'));
    await page.keyboard.type('gt / okafor');
    assert.equal(await page.getByLabel('Find an order').inputValue(), 'gt / okafor');
    await page.locator('h1').focus();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await look(page, 'desk keyboard help');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    const event = await makeEvent();
    const order = await sell(event);
    await page.keyboard.press('/');
    await until('the search', () => page.evaluate(() => document.activeElement?.id === 'search'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(order.orderNumber);
    await page.keyboard.press('Enter');
    await heading(page, `Order ${order.orderNumber}`);
    await tabTo(page, 'Refund', 'A');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'See what will happen' }).waitFor();
    await tabTo(page, 'See what will happen');
    await page.keyboard.press('Enter');
    await page.getByText(/1 seat is free again/).waitFor();
    await tabTo(page, `Refund ${event.price} US dollars`, 'BUTTON');
    await page.keyboard.press('Enter');
    await page.getByText(`Refunded: $${event.price}.`).waitFor();
    await context.close();
    return problems;
  },

  async 'today is kept up to date, and not while nobody looks'() {
    const event = await makeEvent();
    const { page, problems, context } = await signedIn();
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (/instances\/summaries/.test(request.url())) asked += 1;
    });
    await page.goto(at({ view: 'today', event: event.id, day }));
    await page.getByRole('row', { name: /11:00 AM/ }).first().waitFor();
    await sell(event, { quantity: 2 });
    await page.clock.runFor(16_000);
    await page.getByRole('row', { name: /11:00 AM 2 0 38|11:00 AM.* 2 0 38/ }).first().waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    });
    const before = asked;
    await page.clock.runFor(120_000);
    assert.equal(asked, before, 'a hidden page asks nothing');
    await context.close();
    return problems;
  },

  async 'the session ends while somebody types, and nothing is lost'() {
    const { page, problems, context } = await visitor({ expected: [/^401 /] });
    await signIn(page);
    await page.goto(at({ view: 'catalog', kind: 'types', id: 'new' }));
    await page.getByLabel('Name', { exact: true }).fill('Kept through it');
    const own = JSON.parse(await page.evaluate(() => localStorage.getItem('boxoffice-desk:session')));
    await fetch(`${base}/v2/staff/session`, { method: 'DELETE', headers: { 'x-service-session': own.session, origin: 'http://localhost:3000' } });
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('You are signed out.').first().waitFor();
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Kept through it');
    await look(page, 'desk signed out meanwhile');
    const second = await context.newPage();
    await second.goto(desk);
    await second.getByRole('button', { name: 'Sign in here and give up what is not saved' }).click();
    await signIn(second);
    await until('the first tab to be signed in', async () => await page.getByText('What you typed is still here.').count() === 0);
    await page.getByRole('button', { name: 'Create' }).click();
    await heading(page, 'Kept through it');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.locator('[role=group]').getByRole('button', { name: 'Delete' }).click();
    await context.close();
    return problems;
  },

  async 'a stored script is text everywhere at the desk'() {
    const event = await makeEvent({ name: `Canary ${mark()} ${CANARY}` });
    const order = await sell(event, { last: CANARY.replace(/["']/g, ''), notes: CANARY });
    await staff('PUT', `/v2/b2b/orders/${order.id}`, { city: CANARY, billingCity: CANARY });
    await staff('POST', '/v2/b2b/persontypes', { name: CANARY, description: CANARY });
    const { page, problems, context } = await signedIn();
    for (const query of [{ view: 'order', id: order.id }, { view: 'order', id: order.id, step: 'contact' }, { view: 'order', id: order.id, step: 'refund' }, { view: 'order', id: order.id, step: 'exchange' }, { view: 'slot', id: order.slot.id }, { view: 'orders' },
      { view: 'today', event: event.id }, { view: 'catalog' }, { view: 'catalog', kind: 'events', id: event.id }, { view: 'catalog', kind: 'rules', id: event.id }, { view: 'catalog', kind: 'types' }, { view: 'catalog', kind: 'coupons', id: 'new' }]) {
      await page.goto(at(query));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until('what is loaded', async () => await page.locator('[aria-busy]').count() === 0);
      assert.notEqual(await page.title(), 'owned', JSON.stringify(query));
      assert.equal(await page.locator('main img, main script').count(), 0, JSON.stringify(query));
    }
    await context.close();
    return problems;
  },
};
