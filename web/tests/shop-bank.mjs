// Visitors whose bank asks whether it is them (3-D Secure).
import { assert, base, cleanAddress, clockIn, look, mailsTo, makeEvent, seats, shop, until, visitor } from './harness.mjs';
import { BANK_ASKS, NOT_PAID, choose, details, next, payByTestCard, saleKept, tabKept, tabWith, thanks, tickets, toPayment } from './shop-steps.mjs';

export const both = {
  async 'is asked by the bank: refuses after a reload, then confirms'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [NOT_PAID] });
    await toPayment(page, event);
    await payByTestCard(page, 'tok_3ds');
    await page.getByRole('heading', BANK_ASKS).waitFor();
    await until('the focus', () => page.evaluate(() => document.activeElement?.tagName === 'H1'));
    await page.getByRole('button', { name: 'It is me, pay' }).waitFor();
    await look(page, 'bank asks');
    const { challenge } = await saleKept(page);
    cleanAddress(page, challenge.clientSecret, challenge.orderId);
    assert.equal(await page.evaluate(() => localStorage.length), 0);
    await page.reload();
    await page.getByRole('heading', BANK_ASKS).waitFor();
    await page.goto(`${shop}?event=${event.id}`);
    await page.goto(`${shop}?step=details`);
    await page.getByRole('heading', BANK_ASKS).waitFor();
    assert.equal((await saleKept(page)).challenge.orderId, challenge.orderId);
    await page.getByRole('button', { name: 'It is not me, refuse' }).click();
    await page.getByText('The bank declined the card').first().waitFor();
    assert.equal((await saleKept(page)).challenge, undefined);
    assert.equal(await seats(event, 'sold'), 0);
    await look(page, 'bank was refused');
    await details(page);
    await next(page);
    await payByTestCard(page, 'tok_3ds');
    await page.getByRole('button', { name: 'I have answered' }).click();
    await page.getByText('Your bank has no answer yet.').waitFor();
    await look(page, 'bank has no answer yet');
    await page.getByRole('button', { name: 'It is me, pay' }).dblclick();
    await thanks(page);
    await tickets(page);
    assert.equal(await seats(event, 'sold'), 1);
    assert.equal(await saleKept(page), null);
    await context.close();
    return problems;
  },
};

export const mouse = {
  async 'is asked by the bank for a membership'() {
    const { page, problems, context } = await visitor({ expected: [NOT_PAID] });
    await page.goto(`${shop}?view=membership`);
    await page.getByRole('link', { name: /^Join as/ }).first().click();
    await page.getByText(/^From .* to /).first().waitFor();
    await details(page, { email: 'bank.member@example.org' });
    await next(page);
    await payByTestCard(page, 'tok_3ds');
    await page.getByRole('heading', BANK_ASKS).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'It is me, pay' }).click();
    await thanks(page);
    await page.getByText(/^Member number/).waitFor();
    await context.close();
    return problems;
  },

  async 'chooses more while the bank asks, and keeps it'() {
    const event = await makeEvent({ name: 'Long'.repeat(38) });
    const other = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [NOT_PAID] });
    await toPayment(page, event);
    await payByTestCard(page, 'tok_3ds');
    await page.getByRole('button', { name: 'It is me, pay' }).waitFor();
    await choose(page, other, { adults: 2 });
    await page.goto(`${shop}?step=details`);
    await page.getByRole('button', { name: 'It is me, pay' }).click();
    await thanks(page);
    await tickets(page);
    await look(page, 'done, a long name');
    await page.getByRole('link', { name: /^Your choice/ }).click();
    await page.getByText('2 seats are held for you.').waitFor();
    assert.equal(await page.locator('.summary .line').count(), 1, 'what is paid is not chosen any more');
    await details(page);
    await next(page);
    await payByTestCard(page, 'tok_visa');
    await thanks(page);
    assert.deepEqual([await seats(event, 'sold'), await seats(other, 'sold')], [1, 2]);
    assert.equal(await page.getByRole('link', { name: /^Your choice/ }).count(), 0);
    await context.close();
    return problems;
  },

  async 'answers the bank in another window'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [NOT_PAID, /^404 \/favicon.ico$/] });
    await toPayment(page, event);
    await payByTestCard(page, 'tok_3ds');
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: 'Answer in a new window' }).click();
    const bank = await opened;
    assert.equal(await bank.evaluate(() => window.opener), null);
    await bank.getByRole('button', { name: 'It is mine' }).click();
    await bank.getByText('The payment is captured').waitFor();
    await bank.close();
    await thanks(page);
    await tickets(page);
    await context.close();
    return problems;
  },

  async 'loses the connection while the bank is asked'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [NOT_PAID] });
    await toPayment(page, event);
    await payByTestCard(page, 'tok_3ds');
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
    assert.equal(await seats(event, 'sold'), 1);
    await context.close();
    return problems;
  },

  async 'is too late for the bank, and pays again'() {
    const event = await makeEvent({ capacity: 3 });
    const { page, problems, context } = await visitor({ expected: [NOT_PAID, /^409 .*\/complete$/] });
    await page.clock.install();
    await toPayment(page, event);
    await payByTestCard(page, 'tok_3ds');
    await page.getByRole('button', { name: 'It is me, pay' }).waitFor();
    // The service's clock goes along with the page's.
    await page.route('**/complete', (route) => route.continue({ headers: { ...route.request().headers(), ...clockIn(11) } }));
    await page.clock.fastForward('08:30');
    await page.getByText('2 minutes left.').first().waitFor();
    await page.clock.fastForward('01:35');
    await page.getByText('The time to confirm is over.').waitFor();
    await page.unroute('**/complete');
    await look(page, 'too late for the bank');
    assert.equal(await seats(event, 'sold'), 0);
    await payByTestCard(page, 'tok_amex');
    await thanks(page);
    assert.equal(await seats(event, 'sold'), 1);
    await context.close();
    return problems;
  },

  async 'closes the page while the bank asks'() {
    const event = await makeEvent();
    const email = `closed${Date.now()}@example.org`;
    const asked = async ({ page }, adults) => {
      await toPayment(page, event, { adults, email });
      await payByTestCard(page, 'tok_3ds');
      await page.getByRole('heading', BANK_ASKS).waitFor();
    };
    // A tab that is opened again has what it kept.
    const first = await visitor({ expected: [NOT_PAID] });
    await asked(first, 1);
    const kept = await tabKept(first.page);
    await first.page.close();
    const again = await tabWith(first.context, kept);
    await again.goto(`${shop}?step=pay`);
    await again.getByRole('button', { name: 'It is me, pay' }).click();
    await thanks(again);
    await again.getByText('The order number is').or(again.getByText('Order number')).first().waitFor();
    await look(again, 'done after the page was closed');
    await first.context.close();
    // One that is not: the bank's answer is heard without it, and everything comes by mail.
    const second = await visitor({ expected: [NOT_PAID] });
    await asked(second, 2);
    const { challenge } = await saleKept(second.page);
    const before = await mailsTo(email);
    await second.context.close();
    await fetch(`${base}/sandbox/challenge`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ clientSecret: challenge.clientSecret, outcome: 'pass' }) });
    await fetch(`${base}/sandbox/cleanup`, { method: 'POST', headers: clockIn(11) });
    await until('the order', async () => await seats(event, 'sold') === 3);
    await until('the mail', async () => [...await mailsTo(email)].some((one) => !before.has(one)));
    return [...first.problems, ...second.problems];
  },
};
