// Staff who look after orders and members.
import { assert, cleanAddress, dayIn, look, mailsTo, makeEvent, slots, staff, until } from './harness.mjs';
import { CANARY, at, desk, heading, placeOrder, saved, signedIn } from './desk-steps.mjs';

export const both = {
  async 'staff sell, find the order by anything, and send it again'() {
    const last = `Zq${Math.random().toString(36).replace(/[^a-z]/g, '').slice(0, 8)}`;
    const event = await makeEvent();
    const order = await placeOrder(event, { quantity: 2, last, email: `${last}@example.org`.toLowerCase() });
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
    const order = await placeOrder(event, { quantity: 2 });
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
    const order = await placeOrder(event, { quantity: 2 });
    const { page, problems, context } = await signedIn();
    await page.goto(at({ view: 'order', id: order.id, step: 'exchange' }));
    await page.getByRole('button', { name: 'Exchange', exact: true }).click();
    await page.getByText('Choose a ticket at least').waitFor();
    await page.locator('.fault', { hasText: 'Choose a time' }).waitFor();
    await look(page, 'desk exchange with faults');
    await page.locator('fieldset .check input').first().check();
    const day = dayIn(4);
    const days = [];
    page.on('request', (request) => days.push(...new URL(request.url()).searchParams.getAll('startTime')));
    await page.getByLabel('Day', { exact: true }).fill(day);
    await page.getByText(new Date(day).toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' })).waitFor();
    await page.getByRole('radio', { name: /3:00 PM/ }).check();
    assert.ok(days.length && days.every((one) => one >= '2026'), `asked for ${days} while a day was typed`);
    await page.getByText(/1 ticket moves from/).waitFor();
    await look(page, 'desk exchange');
    await page.getByRole('button', { name: 'Exchange 1 ticket' }).dblclick();
    await page.getByText(/1 ticket is now for/).waitFor();
    const after = await staff('GET', `/v2/b2b/orders/detail/${order.id}`);
    assert.equal(after.exchanges.length, 1);
    assert.deepEqual((await slots(event, day)).map((one) => one.sold).sort(), [0, 1], 'on the day that was typed');
    await context.close();
    return problems;
  },
};

export const mouse = {
  async 'staff are told at the field what is wrong with it'() {
    const order = await placeOrder(await makeEvent());
    const { page, problems, context } = await signedIn({ expected: [/^400 /] });
    const told = async (step, label, act, words) => {
      await page.goto(at({ view: 'order', id: order.id, step }));
      await act();
      const field = page.getByLabel(label);
      await page.locator('.field.faulty', { has: field }).getByText(words).waitFor();
      const notice = await page.locator('.panel .notice.bad').innerText();
      assert.ok(!notice.includes('/'), notice);
      await page.locator('.panel .notice.bad a').click();
      assert.ok(await field.evaluate((node) => node === document.activeElement), `the link leads to ${label}`);
    };
    await told('block', 'Why', async () => {
      await page.locator('fieldset .check input').first().check();
      await page.getByRole('button', { name: 'Block 1 ticket' }).click();
    }, 'is required');
    await look(page, 'desk block without a reason', 1);
    await told('again', 'To another address', async () => {
      await page.getByLabel('To another address').fill('no address');
      await page.getByRole('button', { name: 'Send to no address' }).click();
    }, 'must be an e-mail address');
    await told('refund', 'Less money than that', async () => {
      await page.getByLabel('Less money than that').fill('abc');
      await page.getByRole('button', { name: 'See what will happen' }).click();
    }, 'must be an amount');
    await context.close();
    return problems;
  },

  async 'staff type a day as soon as its field is there'() {
    const order = await placeOrder(await makeEvent());
    const { page, problems, context } = await signedIn();
    await page.goto(at({ view: 'order', id: order.id }));
    await page.getByRole('link', { name: 'Exchange', exact: true }).waitFor();
    const day = dayIn(4);
    const typed = day.replace(/^(\d+)-(\d+)-(\d+)$/, '$2$3$1');
    await page.evaluate(() => new MutationObserver((_, watch) => {
      const field = document.getElementById('exchange-day');
      if (!field) return;
      watch.disconnect();
      field.value = '2026-01-05';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      setTimeout(() => {
        window.shownSoon = field.value;
      }, 300);
    }).observe(document, { childList: true, subtree: true }));
    await page.getByRole('link', { name: 'Exchange', exact: true }).click();
    await until('what is shown of it', () => page.evaluate(() => window.shownSoon));
    assert.equal(await page.evaluate(() => window.shownSoon), '2026-01-05', 'what is typed first is not taken away');
    await page.locator('#exchange-day').focus();
    await page.keyboard.type(typed);
    await page.getByText(new Date(day).toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' })).waitFor();
    await context.close();
    return problems;
  },

  async 'staff come with an address that is wrong, or a clock that is'() {
    const { page, problems, context } = await signedIn();
    for (const query of [{ view: 'today', day: 'garbage' }, { view: 'today', day: '202666-12-05' }, { view: 'today', day: '2026-13-45' }, { view: 'constructor' }, { view: '__proto__' }]) {
      await page.goto(at(query));
      await heading(page, 'Today');
    }
    await page.goto(at({ view: 'catalog', kind: 'constructor' }));
    await heading(page, 'Events');
    await page.clock.install({ time: Date.now() + 13 * 3_600_000 });
    const hourNow = () => new Date().toLocaleTimeString('en-US', { timeZone: 'America/New_York', hour: 'numeric' }).replace(/\s/, ' ');
    const before = hourNow();
    await page.goto(at({ view: 'today' }));
    await heading(page, 'Today');
    const [, hour, half] = /^As of (\d+):\d+\s(.M)/.exec(await page.getByText(/^As of/).innerText());
    assert.ok([before, hourNow()].includes(`${hour} ${half}`), 'as of the time of the service');
    await context.close();
    return problems;
  },

  async 'two change one contact, and see both versions'() {
    const order = await placeOrder(await makeEvent());
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

  async 'today is kept up to date, and not while nobody looks'() {
    const event = await makeEvent();
    const { page, problems, context } = await signedIn();
    await page.clock.install();
    let asked = 0;
    page.on('request', (request) => {
      if (/instances\/summaries/.test(request.url())) asked += 1;
    });
    await page.goto(at({ view: 'today', event: event.id, day: dayIn(2) }));
    await page.getByRole('row', { name: /11:00 AM/ }).first().waitFor();
    await placeOrder(event, { quantity: 2 });
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

  async 'staff move by shortcuts'() {
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
    await page.keyboard.press('Tab');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await look(page, 'desk keyboard help');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor({ state: 'detached' });
    await context.close();
    return problems;
  },
};
