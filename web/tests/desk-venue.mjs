// Staff who keep what the venue sells, its settings and themselves.
import { ADULT, assert, base, cleanAddress, look, makeEvent, staff, until, visitor } from './harness.mjs';
import { CANARY, at, desk, focusAtOnce, heading, mark, placeOrder, saved, signIn, signedIn } from './desk-steps.mjs';
import { payByTestCard, thanks, toPayment } from './shop-steps.mjs';
import { clockChanges, slotsOf } from '../desk/schedule.js';

/** A new event without anything, and where its faults lead. */
async function faultyEvent(page) {
  await page.goto(at({ view: 'catalog' }));
  await heading(page, 'Events');
  await look(page, 'desk events');
  await page.getByRole('link', { name: 'New event' }).click();
  await heading(page, 'New event');
  await page.getByRole('button', { name: 'Save and put on sale' }).click();
  await page.getByRole('heading', { name: /things? to put right/ }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'alert');
  await look(page, 'desk event with faults');
  assert.match((await page.locator('[role=alert] a').allInnerTexts()).join(), /^Name is required,Description is required,Seats .*,Ticket type .*,Price [^,]+$/);
  await page.locator('[role=alert] a').first().click();
  assert.ok(await page.evaluate(() => document.activeElement?.matches('input, textarea, select')), 'a fault leads to its field');
}

/** What an event needs to be on sale, at weekends from half past one to half past three. */
async function fillEvent(page, { name, price }) {
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
  // What is chosen can be seen to have the focus.
  await page.locator('.daybox.now').focus();
  await page.getByLabel('Price', { exact: true }).fill(price);
  await look(page, 'desk new event');
}

/** The slots of an event are those that the editor draws before it is saved. */
async function comparePreview(id) {
  const from = new Date(Date.now() + 86_400_000).toISOString();
  const { list } = await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${id}&startTime=${from}&endTime=${new Date(Date.now() + 28 * 86_400_000).toISOString()}&pageSize=-1`);
  assert.ok(list.length >= 20, 'it has times');
  // The next whole March, on whose second Sunday the clocks skip an hour.
  const year = [0, 1].map((more) => new Date().getUTCFullYear() + more).find((one) => Date.UTC(one, 2, 1) > Date.now());
  const [first, last] = [`${year}-03-01`, `${year}-03-31`];
  const changes = `${year}-03-${14 - (new Date(first).getUTCDay() + 6) % 7}`;
  const { list: later } = await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${id}&startTime=${first}&endTime=${last}T23:59:59&pageSize=-1`);
  const event = await staff('GET', `/v2/b2b/event/templates/${id}`);
  const preview = slotsOf(event, 'America/New_York', first, last, Date.now());
  assert.deepEqual(preview.map((slot) => slot.at), later.map((one) => Date.parse(one.startTime)), 'the preview says what was made, across the change of the clocks');
  assert.equal(clockChanges('America/New_York', first, last).get(changes), 3_600_000);
}

async function setLimits(page, id) {
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
}

/** Settings that are refused, saved, seen in the history, and taken back. */
async function keepVenue(page) {
  const { name: venueName, colours, terms: termsBefore, privacy: privacyBefore } = await staff('GET', '/v2/b2b/settings');
  await page.goto(at({ view: 'settings' }));
  await page.getByLabel('Name of the venue').waitFor();
  await page.getByText('America/New_York').waitFor();
  await look(page, 'desk settings');
  assert.equal(await focusAtOnce(page.getByRole('button', { name: 'Add: Colour' })), 'input#f-colours-0-name');
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
}

/** A key that is issued, shown once, and revoked. */
async function keepKeys(page) {
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
  assert.equal(await focusAtOnce(page.getByRole('button', { name: `Revoke the key “${label}”` })), 'section#', 'the question has the focus');
  await page.locator('section.notice').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText(`The key “${label}” is revoked.`).waitFor();
}

/** Somebody who is added. Answers the address. */
async function addPerson(page) {
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
  return email;
}

/** Nothing is offered that the role does not open. Who asks for it is told so. */
async function useRole(email) {
  const { page, problems, context } = await visitor();
  await signIn(page, email);
  assert.equal(await page.getByRole('link', { name: 'Settings' }).count(), 0);
  await page.goto(at({ view: 'settings' }));
  await heading(page, 'Not for your role');
  await look(page, 'desk not for this role');
  await page.goto(at({ view: 'members' }));
  await page.getByText('Search to see members.').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
}

export const both = {
  async 'staff bring an event from nothing to on sale, and it is sold'() {
    const { page, problems, context } = await signedIn({ expected: [/^400 .*event\/templates$/] });
    const name = `Desk event ${mark()}`;
    const price = (10 + (Date.now() % 3000) / 100).toFixed(2);
    await faultyEvent(page);
    await fillEvent(page, { name, price });
    await page.getByRole('button', { name: 'Save and put on sale' }).click();
    await heading(page, name);
    await page.getByText('It was created and is on sale.').waitFor();
    assert.match(page.url(), /id=[0-9a-f]{24}/);
    const id = new URL(page.url()).searchParams.get('id');
    await comparePreview(id);
    const buying = await context.newPage();
    await toPayment(buying, { id });
    await payByTestCard(buying, 'tok_visa');
    await thanks(buying);
    assert.match(await buying.locator('.facts-list').innerText(), new RegExp(price));
    await buying.close();
    await page.getByRole('link', { name: 'Its times' }).click();
    await heading(page, `Times of ${name}`);
    await page.getByText('1 of 30 sold').first().waitFor({ state: 'attached' });
    await look(page, 'desk times of an event');
    await page.goBack();
    await setLimits(page, id);
    await context.close();
    return problems;
  },
};

export const mouse = {
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
    // It is drawn once its place is known: nothing is typed into a desk that is drawn anew.
    let answer = null;
    await page.route('**/v2/b2b/settings', async (route) => {
      await new Promise((done) => { answer = done; });
      return route.continue();
    }, { times: 1 });
    const signing = signIn(page);
    await until('the place to be asked for', () => answer);
    await page.getByText('Signing you in').waitFor();
    assert.equal(await page.getByRole('heading').count(), 0);
    answer();
    await signing;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Send me a link' }).waitFor();
    assert.equal(await page.evaluate(() => localStorage.getItem('boxoffice-desk:session')), null);
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

  async 'staff call a time off, and let it take place after all'() {
    const event = await makeEvent();
    const order = await placeOrder(event, { quantity: 3 });
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

  async 'admins keep the venue, its keys and its staff'() {
    const { page, problems, context } = await signedIn({ expected: [/^400 .*(settings|keys|staff)$/, /^412 .*settings$/] });
    await keepVenue(page);
    await keepKeys(page);
    const email = await addPerson(page);
    await useRole(email);
    await page.getByRole('button', { name: 'Remove from the staff' }).click();
    await page.locator('[role=group]').getByRole('button', { name: 'Remove from the staff' }).click();
    await page.getByRole('link', { name: 'Demo Desk' }).waitFor();
    await context.close();
    return problems;
  },

  async 'staff type on while it is saved, and nothing is lost'() {
    const event = await makeEvent();
    const { page, problems, context } = await signedIn({ expected: [/^400 .*templates/, /^412 .*templates/] });
    let go = null;
    await page.route('**/v2/b2b/{event/templates,persontypes}**', async (route) => {
      if (!['PUT', 'POST'].includes(route.request().method())) return route.continue();
      await new Promise((done) => {
        go = done;
      });
      return route.continue();
    });
    /** Saves the form, and types on in a field meanwhile, where one is named. */
    const typeOn = async (button, field, words) => {
      await page.getByRole('button', { name: button }).click();
      await until('it to be sent', () => go);
      if (field) await page.locator(field).fill(words);
      go();
      go = null;
    };
    const name = `Typed on ${mark()}`;
    await page.goto(at({ view: 'catalog', kind: 'events', id: event.id }));
    await page.locator('#f-name').fill(name);
    await typeOn('Save, on sale at once', '#f-summary', 'While it was saved');
    await saved(page);
    await page.getByText('Not saved yet').waitFor();
    assert.deepEqual([await page.locator('#f-name').inputValue(), await page.locator('#f-summary').inputValue()], [name, 'While it was saved']);
    // A refusal takes nothing away either.
    await page.locator('#f-capacity').fill('many');
    await typeOn('Save, on sale at once', '#f-summary', 'While it was refused');
    await page.getByRole('heading', { name: 'One thing to put right' }).waitFor();
    assert.equal(await page.locator('#f-summary').inputValue(), 'While it was refused');
    await page.locator('#f-capacity').fill('41');
    await staff('PUT', `/v2/b2b/event/templates/${event.id}`, { ...await staff('GET', `/v2/b2b/event/templates/${event.id}`), colorCategory: 'Green' });
    await typeOn('Save, on sale at once', '#f-summary', 'While it clashed');
    await page.getByRole('heading', { name: 'Somebody saved a change meanwhile' }).waitFor();
    await typeOn('Save what is chosen', '#f-summary', 'While both were saved');
    await saved(page);
    assert.equal(await page.locator('#f-summary').inputValue(), 'While both were saved');
    await typeOn('Save, on sale at once', '#f-summary', 'And once more');
    await saved(page);
    const after = await staff('GET', `/v2/b2b/event/templates/${event.id}`);
    assert.deepEqual([after.name, after.capacity, after.colorCategory, after.summary], [name, 41, 'Green', 'While both were saved']);
    // Whoever leaves without saving would be asked.
    await typeOn('Save, on sale at once');
    await page.getByText('Not saved yet').waitFor({ state: 'hidden' });
    // A new record has another form once it is made.
    await page.goto(at({ view: 'catalog', kind: 'types', id: 'new' }));
    await page.locator('#f-name').fill(name);
    await typeOn('Create', '#f-description', 'While it was made');
    await heading(page, name);
    await page.getByText('Not saved yet').waitFor();
    assert.equal(await page.locator('#f-description').inputValue(), 'While it was made');
    await context.close();
    return problems;
  },

  async 'staff take the other version of what is written as JSON'() {
    const event = await makeEvent();
    const put = async (config) => staff('PUT', `/v2/b2b/event/templates/${event.id}`, { ...await staff('GET', `/v2/b2b/event/templates/${event.id}`), entitlementConfiguration: { id: 'x', name: 'x', entitlementConfig: config } });
    await put({ is: 'first' });
    const { page, problems, context } = await signedIn({ expected: [/^412 .*templates/] });
    await page.goto(at({ view: 'catalog', kind: 'events', id: event.id }));
    await page.locator('summary', { hasText: 'Books and other systems' }).click();
    const field = page.locator('#f-entitlementConfiguration-entitlementConfig');
    await field.fill('{"is": "mine"}');
    assert.equal(await field.inputValue(), '{"is": "mine"}');
    await put({ is: 'theirs' });
    await page.getByRole('button', { name: 'Save, on sale at once' }).click();
    await page.getByRole('button', { name: 'Take all as saved now' }).click();
    assert.match(await field.inputValue(), /theirs/);
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
    const order = await placeOrder(event, { last: CANARY.replace(/["']/g, ''), notes: CANARY });
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
