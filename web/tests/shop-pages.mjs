// Visitors who look around, log in and come back, and what holds for every page of the shop.
import { ADULT, GALLERY, assert, base, cleanAddress, dayIn, elsewhere, look, mailedToken, mailsTo, makeEvent, shop, staff, until, visitor } from './harness.mjs';
import { withKey } from './door-harness.mjs';
import { card, changeEvent, changeSettings, choose, chooseHere, details, hold, next, orderNumber, payButton, payByCard, payByTestCard, thanks, tickets, toPayment } from './shop-steps.mjs';

export const mouse = {
  async 'sees the calendar, searches and finds nothing, and moves in time'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    await page.goto(`${shop}?view=calendar`);
    await page.getByRole('link', { name: 'Later month' }).click();
    await until('free days', async () => await page.locator('.month a.day, .month .day.none').count() > 20);
    await look(page, 'calendar');
    await page.goBack();
    await page.getByRole('heading', { name: 'Calendar' }).waitFor();
    // A day on which the event is, which can be one of the next month.
    const day = dayIn(2);
    await page.goto(`${shop}?view=calendar&month=${day.slice(0, 7)}`);
    await page.locator(`.month a.day[href*="day=${day}"]`).click();
    await page.getByRole('link', { name: event.name }).first().waitFor();
    assert.match(page.url(), new RegExp(`day=${day}`));
    await page.getByLabel('Search').fill('no such thing at all');
    await page.getByText('Nothing fits.').waitFor();
    await look(page, 'nothing found');
    await page.goto(`${shop}?event=${'0'.repeat(24)}`);
    await page.getByRole('heading', { name: 'This event cannot be shown' }).waitFor();
    await look(page, 'no such event');
    await context.close();
    return problems.filter((one) => !/404 .*(templates|events)\/0{24}/.test(one));
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
    const number = page.getByText('100100031', { exact: true });
    await number.waitFor();
    await page.getByRole('img', { name: 'Code of your membership, Crew, to show at the entrance' }).waitFor();
    await look(page, 'my membership');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Member log-in' }).waitFor();
    await page.goto(`${shop}?loginToken=${token}`);
    await page.getByText('This link was used already').waitFor();
    // A membership that is over opens no door, and nobody stays logged in on a screen that is left alone.
    await page.route('**/v2/b2c/membership/validate?*', async (route) => {
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...await response.json(), expirationDate: '2026-01-31T23:59:59-05:00' } });
    }, { times: 1 });
    await page.clock.install({ time: Date.now() });
    await page.getByLabel('Member number').fill('100100031');
    await page.getByLabel('Last name').fill('Lindqvist');
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByText('Valid until January 31, 2026').waitFor();
    assert.equal(await number.count(), 0);
    await page.clock.fastForward(2 * 3_600_000);
    await page.getByRole('heading', { name: 'Member log-in' }).waitFor();
    await context.close();
    return problems;
  },

  async 'sees the taxes, and the terms of the venue'() {
    const type = await staff('POST', '/v2/b2b/persontypes', { name: `Guest ${Date.now() % 100_000}`, taxRate: '20', taxName: 'VAT' });
    const event = await makeEvent();
    await changeEvent(event, ({ priceLists: [{ prices }] }) => {
      prices.push({ personType: { id: type.id }, price: ((event.cents + 7) / 100).toFixed(2), displayOrder: 3 });
    });
    await changeSettings({ terms: 'https://harbor.example/terms', privacy: 'https://harbor.example/privacy' }, (venue) => venue.terms && venue.privacy);
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
      await payByTestCard(page, 'tok_amex');
      await thanks(page);
      await tickets(page, 4);
      assert.equal(await page.locator('.facts-list div', { hasText: 'Includes VAT 20 %' }).locator('dd').innerText(), contains);
      await look(page, 'done with taxes');
      await context.close();
      return problems;
    } finally {
      await changeSettings({ terms: null, privacy: null }, (venue) => !venue.terms);
    }
  },

  async 'finds an order by number and mailed link'() {
    const event = await makeEvent();
    const email = `found${Date.now()}@example.org`;
    const { page, problems, context } = await visitor({ expected: [/^400 .*orders\/open$/] });
    await toPayment(page, event, { adults: 2, email });
    await payByCard(page);
    await thanks(page);
    await tickets(page, 2);
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
    await tickets(page, 2);
    cleanAddress(page, token, 'orderToken');
    assert.deepEqual(await page.locator('.ticket .mono').allInnerTexts(), codes);
    await look(page, 'my order');
    await page.goto(`${shop}?orderToken=7.1.b`);
    await page.getByText('This link is no longer valid').waitFor();
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
    await changeEvent(event, (template) => {
      template.description = `About ${canary}`;
      template.summary = `Summary ${canary}`;
      template.priceLists[0].prices.push({ personType: { id: type.id }, price: '6.00', displayOrder: 3 });
    });
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
      await payByCard(page);
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

  async 'sees days of the venue and whole amounts, wherever the venue is'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    const told = { timeZone: 'Pacific/Auckland', currency: 'HUF' };
    await page.route('**/v2/b2c/venue', async (route) => {
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...await response.json(), ...told } });
    });
    const day = dayIn(3);
    const inFull = new Date(day).toLocaleDateString('en-US', { dateStyle: 'full', timeZone: 'UTC' });
    await page.goto(`${shop}?event=${event.id}&day=${day}`);
    await page.getByRole('heading', { name: inFull, level: 2 }).waitFor();
    await page.getByText(`HUF ${event.price}`).first().waitFor();
    await page.goto(`${shop}?day=${day}`);
    await page.getByRole('heading', { name: inFull, level: 2 }).waitFor();
    await context.close();
    return problems;
  },

  async 'is shown in the evening what is on from today on'() {
    const { page, problems, context } = await visitor();
    const asked = [];
    page.on('request', (request) => /templates\/slim/.test(request.url()) && asked.push(new URL(request.url()).searchParams.get('startTime')));
    // In New York it is still the day before.
    const date = new Date(`${dayIn(1)}T01:30:00Z`).toUTCString();
    await page.route(/config\.json|\/v2\//, async (route) => {
      const response = await route.fetch();
      return route.fulfill({ response, headers: { ...response.headers(), date } });
    });
    await page.goto(shop);
    await page.locator('.card').first().waitFor();
    assert.deepEqual(asked, [`${dayIn(0)}T00:00:00`]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
    return problems;
  },

  async 'types a day, which is asked for once'() {
    const { page, problems, context } = await visitor();
    const asked = [];
    page.on('request', (request) => /templates\/slim/.test(request.url()) && asked.push(new URL(request.url()).searchParams.get('startTime')));
    await page.goto(shop);
    await page.locator('.card').first().waitFor();
    const before = await page.evaluate(() => history.length);
    const day = dayIn(3);
    await page.locator('#day').focus();
    for (const digit of day.replace(/^(\d+)-(\d+)-(\d+)$/, '$2$3$1')) await page.keyboard.press(digit);
    await page.waitForURL(`**/shop/?day=${day}`);
    await until('the day to be asked for', () => asked.length > 1);
    await page.locator('main [aria-busy]').waitFor({ state: 'detached' });
    assert.equal(await page.locator('#day').inputValue(), day);
    assert.deepEqual(asked.slice(1), [`${day}T00:00:00`]);
    assert.equal(await page.evaluate(() => history.length) - before, 1);
    await page.locator('#day').fill('');
    await page.locator('#day').blur();
    await page.waitForURL((url) => !url.searchParams.has('day'));
    await context.close();
    return problems;
  },

  async 'comes with an address that is wrong, and finds a page'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    const shown = 'a.time, .card, table.days[aria-busy=false]';
    for (const query of ['day=garbage', 'day=202666-12-05', 'day=2026-13-45', 'day=2026-02-31', 'view=constructor', 'view=__proto__', 'view=calendar&month=2026-99',
      `event=${event.id}&day=foo`, `event=${event.id}&day=9999-12-31`, `event=${event.id}&month=foo`]) {
      await page.goto(`${shop}?${query}`);
      const title = query.includes('event=') ? event.name : query.includes('calendar') ? 'Calendar' : 'What’s on';
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await until(`what is shown for ${query}`, async () => await page.locator(shown).count() > 0);
    }
    await context.close();
    return problems;
  },

  async 'speaks the languages of the venue, and is readable without a connection'() {
    const { page, problems, context } = await visitor();
    await changeSettings({ languages: ['en', 'de', 'pt'] }, (venue) => venue.languages.includes('pt'));
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
      await changeSettings({ languages: [] }, (venue) => venue.languages.length < 3);
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
    // The door fetches its files while it is installed.
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
    return problems;
  },
};

export const keyboard = {
  async 'skips to the content, and sends a form by Enter'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    await page.goto(shop);
    await page.getByRole('link', { name: event.name }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'To the content' }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    await page.getByRole('link', { name: event.name }).click();
    await chooseHere(page);
    // What is chosen can be seen to have the focus.
    await page.locator('a.time[aria-current]').focus();
    await page.locator('a.daybox[aria-current]').focus();
    await hold(page, 1);
    await details(page, { email: 'keys@example.org' });
    await page.keyboard.press('Enter');
    await card(page);
    await page.keyboard.press('Enter');
    await tickets(page);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
    await context.close();
    return problems;
  },
};
