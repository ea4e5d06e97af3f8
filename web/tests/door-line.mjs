// Stewards without a network, and how they come and go.
import { TENANT, assert, atDoor, mailedToken, mailsTo, staff, until } from './harness.mjs';
import { after, door, eventOfToday, gone, listed, lists, openEvent, sell, steward, type, withKey } from './door-harness.mjs';
import { held, history, holdable, leaving, looks, settled, tab, waits } from './door-steps.mjs';

/** Loads the door, and waits until it can start without a network. */
async function prepare(page, event) {
  await withKey(page);
  await openEvent(page, event, 'gate-1');
  await listed(page, 6);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await until('the page is kept', () => page.evaluate(() => caches.open('boxoffice-door').then((cache) => cache.match('/door/complete')).then(Boolean)));
}

async function scanOffLine(page, { mine, both, back, third }) {
  const first = await type(page, mine.codes[0]);
  assert.ok(first.offline && first.reason === 'admitted');
  assert.match(first.text, /Refunds and other doors since then are not known/);
  await gone(page);
  await waits(page, 1);
  const again = await type(page, mine.codes[0]);
  assert.equal(again.reason, 'alreadyAdmitted');
  assert.match(again.text, /at this door/);
  await gone(page);
  assert.equal((await held(page, both.codes[0], 'verdict off line')).reason, 'admitted');
  assert.equal((await type(page, back.codes[0])).reason, 'admitted');
  await gone(page);
  // Taken back before it was sent: it never happened.
  assert.equal((await type(page, third.codes[0])).reason, 'admitted');
  await gone(page);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('It was taken back.').waitFor();
  const before = await leaving(page);
  const unknown = await type(page, 'sold later');
  assert.equal(unknown.reason, 'notListed');
  await looks(page, 'not on the list');
  assert.equal(await leaving(page), before, 'a question stays');
  await page.getByRole('button', { name: 'Do not let in' }).click();
  await gone(page);
  await type(page, 'sold much later');
  assert.equal((await after(page, () => page.getByRole('button', { name: 'Let in all the same' }).click())).reason, 'admitted');
  await gone(page);
}

async function lookUpOffLine(page) {
  await tab(page, 'Look up');
  await page.getByLabel('Name or order number').fill('rey');
  await page.getByText('1 order found').waitFor();
  await page.getByText('Without a network only').waitFor();
  await page.getByRole('link', { name: 'Ana Reyes' }).click();
  await page.getByText('Nobody of this order is left').waitFor();
  await looks(page, 'order off line');
}

/** What turned out otherwise: a ticket that came in elsewhere too, one that was refunded, and one that nobody knows. */
async function seeNotices(page) {
  await page.getByRole('heading', { name: '3 scans turned out otherwise' }).waitFor();
  const conflict = page.locator('li', { hasText: 'Admitted at two doors' });
  assert.match(await conflict.innerText(), /Ana Reyes[\s\S]*Also: .*at gate-2/);
  assert.match(await page.locator('li', { hasText: 'Admitted here, but not valid' }).innerText(), /Refunded/);
  assert.match(await page.locator('li', { hasText: 'nobody knows the code' }).innerText(), /sold much later/);
  await looks(page, 'more with notices');
  for (let left = 3; left; left -= 1) await page.getByRole('button', { name: 'I have seen it' }).first().click();
  await page.getByText('Every scan is sent.').waitFor();
}

/** A session that is over does not stop scans. The link that is mailed next leads back to this door, once. */
async function signInAgain(page, { event, email }) {
  const three = await sell(event.id);
  const said = await type(page, three.codes[0]);
  assert.ok(said.offline, 'decided alone');
  await page.keyboard.press('Escape');
  await gone(page);
  await page.locator('.bar').getByRole('link', { name: 'Sign in' }).click();
  await page.getByText('The session is over.').waitFor();
  const second = await mailsTo(email);
  await page.getByLabel('Your e-mail address').fill(email);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByText('a link is on its way').waitFor();
  const fresh = await mailedToken(email, 'loginToken', second);
  // The mail's link leads to the desk, which knows that it was asked for at this browser's door.
  await page.goto(`${new URL('/desk/', door)}?loginToken=${fresh}`);
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/door/');
  assert.equal(await page.evaluate(() => localStorage.length), 0);
  assert.ok(!page.url().includes('loginToken'));
  await page.goto(`${door}?loginToken=${fresh}&view=sign`);
  await page.getByText('This link was used already').waitFor();
}

export const both = {
  async 'goes off line, starts again, and settles with a second door'() {
    const event = await eventOfToday();
    const [mine, both, back, open, third] = await Promise.all([sell(event.id), sell(event.id, { first: 'Ana', last: 'Reyes' }), sell(event.id), sell(event.id, { quantity: 2 }), sell(event.id)]);
    const { page, context, problems, leave } = await steward();
    await holdable(page);
    await prepare(page, event);
    await context.setOffline(true);
    await page.goto(`${door}?event=${event.id}`);
    await page.getByText('Off line', { exact: true }).waitFor();
    await scanOffLine(page, { mine, both, back, third });
    await lookUpOffLine(page);
    // The battery is taken out, and put in again.
    await page.goto('about:blank');
    await page.goto(`${door}?event=${event.id}`);
    await waits(page, 6);
    assert.equal((await type(page, both.codes[0])).reason, 'alreadyAdmitted');
    await gone(page);
    await tab(page, 'More');
    await looks(page, 'more off line');
    // Meanwhile, elsewhere: another door lets one of them in, another is refunded.
    const there = await atDoor('POST', '/v2/b2b/admissions', { code: both.codes[0], eventId: event.id, terminalId: 'gate-2' });
    assert.equal(there.admitted, 1);
    await staff('POST', '/v2/b2b/refunds', { orderId: back.id, wholeOrder: true, reason: 'A cold' });
    await context.setOffline(false);
    await page.getByText('On line', { exact: true }).waitFor();
    await settled(page);
    await seeNotices(page);
    const { tickets } = await history(both);
    assert.equal(tickets[0].entries, 2);
    assert.deepEqual(new Set(tickets[0].scans.map((one) => one.terminalId)), new Set(['gate-1', 'gate-2']));
    assert.equal((await history(mine)).checkInQuantity, 1);
    assert.equal((await history(third)).checkInQuantity, 0);
    assert.equal((await history(mine)).tickets[0].scans.filter((one) => one.admitted).length, 1);
    assert.equal((await type(page, open.codes[1])).offline, false);
    await leave();
    return problems;
  },
};

export const mouse = {
  async 'an answer that was lost counts once'() {
    const event = await eventOfToday();
    const [order, slow] = await Promise.all([sell(event.id, { quantity: 2 }), sell(event.id)]);
    const { page, problems, leave } = await steward({ expected: [/^503 /] });
    await withKey(page);
    await openEvent(page, event, 'gate-1');
    await listed(page, 3);
    // It reaches the service, and the answer gets lost.
    await page.route('**/v2/b2b/admissions', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    }, { times: 1 });
    const said = await type(page, order.codes[0]);
    assert.ok(said.offline && said.reason === 'admitted');
    await gone(page);
    await settled(page);
    assert.equal(await page.getByText('to look at').count(), 0);
    const { tickets } = await history(order);
    assert.deepEqual(tickets.map((one) => one.entries).sort(), [0, 1]);
    // A busy service is no refusal.
    await page.route('**/v2/b2b/admissions', (route) => route.fulfill({ status: 503, json: { type: 'TRY_AGAIN', message: 'busy' } }), { times: 1 });
    const busy = await type(page, slow.codes[0]);
    assert.ok(busy.offline && busy.reason === 'admitted');
    await gone(page);
    await settled(page);
    assert.equal((await history(slow)).tickets[0].entries, 1);
    // Slow is as good as away: the list answers within two seconds.
    await page.getByText('On line', { exact: true }).waitFor();
    await page.route('**/v2/b2b/admissions', async (route) => {
      await new Promise((done) => setTimeout(done, 4000));
      await route.abort().catch(() => undefined);
    }, { times: 1 });
    await page.evaluate(() => performance.clearMeasures());
    assert.ok((await type(page, order.codes[1])).offline);
    const [took] = await until('the time it took', () => page.evaluate(() => performance.getEntriesByName('scan to answer').map((one) => one.duration)).then((all) => all.length && all));
    assert.ok(took < 2000, `the list answers after ${took} ms`);
    await gone(page);
    await settled(page);
    assert.equal((await history(order)).checkInQuantity, 2);
    await leave();
    return problems;
  },

  async 'signs in by a mailed link, lets in to everything of today, and signs out'() {
    const email = `steward-${Date.now()}@harbor-museum.example`;
    const { id: person } = await staff('POST', '/v2/b2b/staff', { name: 'Stew Ard', email, roles: ['door'], active: true });
    const event = await eventOfToday({ times: 2 });
    const [one, two] = await Promise.all([sell(event.id), sell(event.other)]);
    const { page, problems, leave } = await steward({ expected: [/^40[013] .*staff\/session$/, /^401 /] });
    const before = await mailsTo(email);
    await page.goto(door);
    await page.getByLabel('Venue').selectOption(String(TENANT));
    await page.getByLabel('Your e-mail address').fill('desk');
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByRole('link', { name: 'Enter an e-mail address' }).waitFor();
    await page.getByLabel('Your e-mail address').fill(email);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByText('a link is on its way').waitFor();
    await looks(page, 'link mailed');
    const token = await mailedToken(email, 'loginToken', before);
    await page.getByLabel('Link from the mail').fill(`https://harbor-museum.example/staff?loginToken=${token}`);
    await page.getByRole('button', { name: 'Sign in with this link' }).click();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    assert.equal(kept, '{}');
    await page.getByRole('link', { name: 'Everything of today' }).click();
    await page.locator('.tabs').waitFor();
    for (const order of [one, two]) {
      assert.equal((await type(page, order.codes[0])).reason, 'admitted');
      await gone(page);
    }
    await page.reload();
    await page.getByText('Everything of today').waitFor();
    // The session ends while somebody scans.
    await staff('DELETE', `/v2/b2b/staff/${person}/sessions`);
    await signInAgain(page, { event, email });
    await page.goto(`${door}?event=${event.id}&view=more`);
    await settled(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await lists(page), [], 'lists are left behind');
    await staff('DELETE', `/v2/b2b/staff/${person}`);
    await leave();
    return problems;
  },

  async 'speaks seven languages, and can be installed'() {
    const event = await eventOfToday();
    const { page, context, problems, leave } = await steward();
    await withKey(page);
    for (const tag of ['es', 'fr', 'de', 'it', 'nl', 'pt']) {
      await page.goto(`${door}?event=${event.id}&view=more&lang=${tag}`);
      await page.locator('.tabs').waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.lang), tag);
      await page.setViewportSize({ width: 320, height: 740 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${tag} is ${over} pixels too wide`);
      assert.ok(!/\b(more|bar|tabs|sign)\.\w+/.test(await page.locator('body').innerText()), `${tag}: a text is missing`);
    }
    await page.goto(door);
    await page.getByRole('heading', { level: 1, name: 'Hoje' }).waitFor();
    const session = await context.newCDPSession(page);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    assert.deepEqual(installabilityErrors.filter((one) => one.errorId !== 'in-incognito'), []);
    const { errors } = await session.send('Page.getAppManifest');
    assert.deepEqual(errors, []);
    await leave();
    return problems;
  },
};
