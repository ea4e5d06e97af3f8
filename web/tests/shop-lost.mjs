// Visitors for whom something changes on the way: seats, prices, time, the connection.
import { ADULT, assert, look, makeEvent, seats, shop, staff, until, visitor } from './harness.mjs';
import { card, changeEvent, choose, details, hold, holds, next, payButton, payByCard, release, tabKept, tabWith, thanks, toPayment } from './shop-steps.mjs';

export const both = {
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
    await payByCard(page);
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
    await payByCard(page);
    await thanks(page);
    await context.close();
    return problems;
  },
};

export const mouse = {
  async 'is told of a new price before paying it'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^409 .*cors\/checkout$/] });
    await toPayment(page, event);
    await card(page);
    await changeEvent(event, ({ priceLists: [{ prices }] }) => {
      prices.find((one) => one.personType.id === ADULT).price = ((event.cents + 100) / 100).toFixed(2);
    });
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

  async 'pays once from two tabs'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^409 .*(cors\/checkout|carts\/\w+)$/] });
    await toPayment(page, event);
    await payButton(page).waitFor();
    const other = await tabWith(context, await tabKept(page));
    await other.goto(`${shop}?step=details`);
    await details(other);
    await next(other);
    await card(other, '4111 1111 1111 1111');
    await payByCard(page);
    await thanks(page);
    await payButton(other).click();
    await other.getByRole('heading', { name: 'This order is paid' }).waitFor();
    assert.equal(await seats(event, 'sold'), 1);
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

  async 'loses the connection while paying, and is not charged twice'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor();
    await toPayment(page, event);
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
    assert.equal(await seats(event, 'sold'), 1);
    await context.close();
    return problems;
  },

  async 'closes the page while paying, and finds the order paid'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^409 .*carts\//] });
    await toPayment(page, event);
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
};
