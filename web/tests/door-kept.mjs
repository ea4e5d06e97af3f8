// What a device keeps at the door: questions and scans until they are answered and sent, and nothing of persons for longer.
import { TENANT, assert, atDoor, until } from './harness.mjs';
import { DOOR_KEY, after, door, eventOfToday, gone, kept, listed, openEvent, sell, steward, told, type, withKey } from './door-harness.mjs';
import { history, settled, tab, waits } from './door-steps.mjs';

const OTHER = TENANT + 1;
const API = '**/v2/**';
const cut = (page) => page.route(API, (route) => route.abort('connectionreset'));
const mend = (page) => page.unroute(API);
const button = (page, name) => page.getByRole('button', { name, exact: true });

/** A steward at an event with so many tickets on the list, and what is uploaded from there. */
async function atEvent(tickets = 1) {
  const event = await eventOfToday();
  await sell(event.id, { quantity: tickets });
  const { page, context, problems, leave } = await steward();
  const uploads = [];
  page.on('request', (request) => /uploads$/.test(request.url()) && uploads.push({ key: request.headers()['x-service-api-key'], ...request.postDataJSON() }));
  await withKey(page);
  await openEvent(page, event, 'gate-1');
  await listed(page, tickets);
  return { event, page, context, problems, leave, uploads };
}

/** Answers a question with yes. */
async function letInAllTheSame(page) {
  const said = await after(page, () => button(page, 'Let in all the same').click());
  assert.equal(said.reason, 'admitted');
  await gone(page);
  return said;
}

async function signOut(page) {
  await tab(page, 'More');
  await button(page, 'Sign out').click();
}

async function signInAt(page, venue) {
  await page.getByLabel('Venue').selectOption(String(venue));
  await page.getByLabel('Door key').fill(DOOR_KEY.replace(String(TENANT), String(venue)));
  await button(page, 'Use this key').click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
}

/** Everything that the device has. */
const device = async (page) => JSON.stringify(await kept(page));

/** The clock of the device, so many days ahead of what it was. */
const clockAhead = (page, days) => page.addInitScript((ms) => {
  const Real = Date;
  window.Date = class extends Real {
    constructor(...of) {
      super(...(of.length ? of : [Real.now() + ms]));
    }

    static now() {
      return Real.now() + ms;
    }
  };
}, days * 86_400_000);

/** Presses Escape in the moment in which the next verdict is drawn. */
const escapeAtOnce = (page) => page.evaluate(() => {
  const watch = new MutationObserver(() => {
    const shown = document.querySelector('.verdict');
    if (!shown) return;
    watch.disconnect();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  });
  watch.observe(document, { childList: true, subtree: true });
});

export const mouse = {
  async 'sends nothing of a scan before the steward has answered'() {
    const { event, page, problems, leave, uploads } = await atEvent();
    const late = await sell(event.id);
    await page.route('**/v2/b2b/admissions', (route) => route.abort('connectionreset'), { times: 1 });
    const listAgain = page.waitForResponse(/\/admissions\/events\//);
    assert.equal((await type(page, late.codes[0])).reason, 'notListed');
    // The network is back: all that waits is sent, and the list is fetched anew.
    await listAgain;
    await page.locator('.bar').getByText('On line', { exact: true }).waitFor();
    assert.deepEqual(uploads, [], 'the answer was given for the steward');
    await letInAllTheSame(page);
    await settled(page);
    const [{ entries, scans }] = (await history(late)).tickets;
    assert.deepEqual([entries, scans.map((one) => one.admitted)], [1, [true]]);
    const again = await atDoor('POST', '/v2/b2b/admissions', { code: late.codes[0], eventId: event.id, terminalId: 'gate-2' });
    assert.equal(again.results[0].reason, 'alreadyAdmitted');
    // What is not let in is sent as that.
    const stranger = await sell(event.id);
    await page.route('**/v2/b2b/admissions', (route) => route.abort('connectionreset'), { times: 1 });
    assert.equal((await type(page, stranger.codes[0])).reason, 'notListed');
    await button(page, 'Do not let in').click();
    await gone(page);
    await settled(page);
    assert.equal((await history(stranger)).checkInQuantity, 0);
    assert.equal(uploads.at(-1).scans[0].decision, 'refused');
    await leave();
    return problems;
  },

  async 'asks again after the page was closed, and says who was let in before'() {
    const { event, page, problems, leave, uploads } = await atEvent();
    const late = await sell(event.id);
    await cut(page);
    assert.equal((await type(page, late.codes[0])).reason, 'notListed');
    await page.goto('about:blank');
    await page.goto(`${door}?event=${event.id}`);
    const asked = await told(page, 1);
    assert.equal(asked.reason, 'notListed');
    assert.ok(asked.text.includes(late.codes[0]), 'which code it was');
    await letInAllTheSame(page);
    // Keys go to the question as soon as it is there, however busy the device is.
    await escapeAtOnce(page);
    const second = await type(page, late.codes[0]);
    assert.equal(second.reason, 'notListed');
    assert.match(second.text, /Let in before: .*at this door/);
    await gone(page);
    await waits(page, 2);
    await mend(page);
    await settled(page);
    assert.deepEqual(uploads.at(-1).scans.map((one) => one.decision), ['admitted', 'refused']);
    assert.equal((await history(late)).tickets[0].entries, 1);
    await leave();
    return problems;
  },

  async 'lets in an order that is not on the list'() {
    const { event, page, problems, leave } = await atEvent();
    const last = `Quist${Date.now() % 10_000}`;
    const late = await sell(event.id, { quantity: 2, last });
    await tab(page, 'Look up');
    await page.getByLabel('Name or order number').fill(last);
    await page.getByRole('link', { name: last }).click();
    await button(page, 'Let in 2 persons').waitFor();
    await cut(page);
    assert.equal((await after(page, () => button(page, 'Let in 2 persons').click())).reason, 'notListed');
    assert.match((await letInAllTheSame(page)).text, /2 of 2 tickets/);
    await waits(page, 2);
    await mend(page);
    await settled(page);
    assert.deepEqual((await history(late)).tickets.map((one) => one.entries), [1, 1]);
    await leave();
    return problems;
  },

  async 'leaves the focus where it is when the events of the day come'() {
    const event = await eventOfToday();
    const { page, problems, leave } = await steward();
    let answer;
    const answered = new Promise((done) => { answer = done; });
    let isAsked = false;
    await page.route('**/event/instances/summaries?*', async (route) => {
      // With one on a page a key is only tried.
      if (!/pageSize=1(&|$)/.test(route.request().url())) {
        isAsked = true;
        await answered;
      }
      return route.continue();
    });
    await withKey(page);
    await page.getByLabel('Name of this door').focus();
    await until('the events to be asked for', () => isAsked);
    answer();
    await page.getByRole('link', { name: event.name }).first().waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'door-name');
    await leave();
    return problems;
  },

  async 'keeps scans for the venue where they were made'() {
    const { event, page, problems, leave, uploads } = await atEvent();
    const order = await sell(event.id, { first: 'Paula', last: 'Privat' });
    await page.reload();
    await listed(page, 2);
    await cut(page);
    assert.equal((await type(page, order.codes[0])).reason, 'admitted');
    await gone(page);
    await signOut(page);
    await page.getByText('1 scan is not sent yet.').waitFor();
    await button(page, 'Sign out all the same').click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    assert.doesNotMatch(await device(page), /Paula|Privat/);
    await mend(page);
    await signInAt(page, OTHER);
    await page.getByText(/^1 scan waits for .*\. It is sent when somebody signs in there\.$/).waitFor();
    await page.reload();
    await page.getByText(/^1 scan waits for /).waitFor();
    assert.deepEqual(uploads, [], 'sent to another venue');
    await page.getByRole('link', { name: 'Sign in as somebody else' }).click();
    await page.getByLabel('Venue').selectOption(String(TENANT));
    await page.getByText('1 scan waits to be sent. Sign in, and it is sent.').waitFor();
    await signInAt(page, TENANT);
    await until('it is sent', async () => (await history(order)).checkInQuantity === 1);
    assert.deepEqual(uploads.map((one) => one.key), [DOOR_KEY]);
    await page.getByText(/scan waits/).waitFor({ state: 'detached' });
    await leave();
    return problems;
  },

  async 'leaves no names behind'() {
    const { event, page, problems, leave } = await atEvent();
    const last = `Qvist${Date.now() % 10_000}`;
    const order = await sell(event.id, { last });
    await page.reload();
    await listed(page, 2);
    await cut(page);
    assert.equal((await type(page, order.codes[0])).reason, 'admitted');
    await gone(page);
    await tab(page, 'Look up');
    await page.getByLabel('Name or order number').fill(last);
    await page.getByRole('link', { name: last }).click();
    await atDoor('POST', '/v2/b2b/admissions', { code: order.codes[0], eventId: event.id, terminalId: 'gate-2' });
    await mend(page);
    await page.getByText('1 to look at').waitFor();
    assert.match(await device(page), new RegExp(last));
    await signOut(page);
    await page.getByText('1 scan that turned out otherwise was not looked at yet.').waitFor();
    await button(page, 'Sign out all the same').click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    assert.doesNotMatch(await device(page), new RegExp(`${last}|${order.number}|${order.codes[0]}`));
    await signInAt(page, TENANT);
    await openEvent(page, event);
    await page.getByText('Nothing scanned yet.').waitFor();
    await tab(page, 'Look up');
    assert.equal(await page.getByLabel('Name or order number').inputValue(), '');
    await leave();
    return problems;
  },

  async 'searches on while an older answer is late'() {
    const event = await eventOfToday({ times: 2 });
    const last = `Smithson${Date.now() % 10_000}`;
    await sell(event.other, { last });
    const { page, problems, leave } = await steward();
    await withKey(page);
    await openEvent(page, event, 'gate-1');
    await tab(page, 'Look up');
    let answer;
    const held = new Promise((done) => { answer = done; });
    let late;
    await page.route(/orders\/search\?lastName=Smi$/, async (route) => {
      late = true;
      await held;
      await route.continue();
    });
    await page.getByLabel('Name or order number').fill('Smi');
    await until('the first search', () => late);
    await page.getByLabel('Name or order number').fill(last);
    await page.getByRole('link', { name: last }).waitFor();
    const came = page.waitForResponse(/lastName=Smi$/);
    answer();
    await (await came).finished();
    await page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));
    assert.ok(await page.getByRole('link', { name: last }).isVisible(), 'what was found is gone');
    await leave();
    return problems;
  },

  async 'shows a name without blanks within the window'() {
    const event = await eventOfToday({ name: 'W'.repeat(150) });
    const { page, problems, leave } = await steward();
    await withKey(page);
    await page.locator(`a[href*="${event.id}"]`).waitFor();
    const fits = async (where) => {
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 740 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${where} is ${over} pixels too wide for ${width}`);
        const link = await page.locator('main').evaluate((main) => Math.max(0, ...[...main.querySelectorAll('a, p')].map((one) => one.getBoundingClientRect().right - innerWidth)));
        assert.ok(link <= 0, `${where} has something ${link} pixels outside of ${width}`);
      }
    };
    await fits('today');
    await openEvent(page, event);
    await fits('the event');
    await leave();
    return problems;
  },

  async 'knows the time off line where its own clock is wrong'() {
    const event = await eventOfToday();
    const order = await sell(event.id, { quantity: 2 });
    const { page, context, problems, leave } = await steward();
    await clockAhead(page, 2);
    await withKey(page);
    await openEvent(page, event, 'gate-1');
    await listed(page, 2);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await until('the page is kept', () => page.evaluate(() => caches.open('boxoffice-door').then((cache) => cache.match('/door/complete')).then(Boolean)));
    await context.setOffline(true);
    await page.goto(`${door}?event=${event.id}`);
    const said = await type(page, order.codes[0]);
    assert.deepEqual([said.reason, said.offline], ['admitted', true]);
    await gone(page);
    // A day passes: the time is not that of the page's own files, which were kept yesterday.
    await clockAhead(page, 1);
    await page.goto(`${door}?event=${event.id}`);
    assert.equal((await type(page, order.codes[1])).reason, 'tooLate');
    await leave();
    return problems;
  },
};
