// What staff read at the desk: what happened, what stands against it, and that it is done.
import { ADULT, assert, look, staff, until } from './harness.mjs';
import { eventOfToday, sell } from './door-harness.mjs';
import { at, heading, saved, signedIn } from './desk-steps.mjs';

/** An order whose ticket was let in twice, the first time in vain, and blocked for a while. */
async function scannedOrder() {
  const event = await eventOfToday();
  const order = await sell(event.id);
  const [{ id: ticketId, uuid: code }] = order.tickets;
  const scan = { code, terminalId: 'gate-1' };
  const block = (blocked) => staff('POST', '/v2/b2b/admissions/blocks', { blocked, reason: 'Lost', tickets: [{ orderId: order.id, ticketId }] });
  for (const path of ['admissions', 'admissions', 'admissions/undo']) await staff('POST', `/v2/b2b/${path}`, scan);
  await block(true);
  await block(false);
  await staff('POST', '/v2/b2b/admissions', scan);
  return order;
}

export const mouse = {
  async 'staff read what happened at the door, and give back a used ticket'() {
    const order = await scannedOrder();
    const { page, problems, context } = await signedIn({ expected: [/^409 .*refunds\/preview$/] });
    await page.goto(at({ view: 'order', id: order.id, step: 'refund' }));
    await heading(page, `Order ${order.number}`);
    const history = page.locator('.history');
    await history.getByText('Adult: taken back, at gate-1').waitFor();
    assert.deepEqual((await history.locator('li > span:not(.muted)').allInnerTexts()).filter((line) => line.startsWith('Adult')).sort(), [
      'Adult: blocked: Lost', 'Adult: let in, at gate-1', 'Adult: let in, at gate-1', 'Adult: no longer blocked', 'Adult: not let in: already admitted, at gate-1',
      'Adult: taken back, at gate-1']);
    const code = page.locator('.code', { hasText: order.codes[0] });
    assert.ok(await code.evaluate((text) => text.getClientRects().length === 1), 'a code on one line');
    await page.getByRole('button', { name: 'See what will happen' }).click();
    const allow = page.getByLabel('Also tickets that let somebody in');
    await page.locator('.faulty', { has: allow }).getByText('1 ticket has let somebody in.').waitFor();
    assert.equal(await page.getByText('wholeOrder').count(), 0, 'a complaint in the words of the interface');
    assert.ok(await allow.evaluate((box) => box === document.activeElement), 'the focus is where it can be allowed');
    await look(page, 'desk refund of a used ticket');
    await allow.check();
    await page.getByRole('button', { name: 'See what will happen' }).click();
    await page.getByRole('button', { name: 'Cancel 1 item without money' }).click();
    await page.getByText('Refunded: $0.00.').waitFor();
    await until('the mail', async () => {
      await page.reload();
      await heading(page, `Order ${order.number}`);
      return history.getByText('Mail: Refund, sent').count();
    });
    await context.close();
    return problems;
  },

  async 'staff see what is paid, which language they read, and beside the button that a long form is saved'() {
    const order = await sell((await eventOfToday()).id, { last: 'Paid' });
    const template = await staff('POST', '/v2/b2b/event/templates', { name: `Long ${Date.now()}`, description: 'For a test.', capacity: 5, duration: { hour: 1, minutes: 0 },
      schedules: [{ weekdays: ['Friday'], hours: [{ hour: 9, minutes: 0 }] }], priceLists: [{ name: 'All', prices: [{ personType: { id: ADULT }, price: '9.00' }] }] });
    const { page, problems, context } = await signedIn();
    await page.goto(at({ view: 'orders' }));
    await page.getByRole('row', { name: new RegExp(order.number) }).getByText('Paid', { exact: true }).waitFor();
    const weight = (name) => page.locator('.me').getByRole('link', { name, exact: true }).evaluate((link) => getComputedStyle(link).fontWeight);
    assert.notEqual(await weight('English'), await weight('Deutsch'), 'the language that is read is marked');
    await page.goto(at({ view: 'catalog', kind: 'events', id: template.id }));
    await page.locator('legend', { hasText: /^Schedule 1$/ }).waitFor({ state: 'attached' });
    const save = page.getByRole('button', { name: 'Save as a draft' });
    await page.evaluate(() => document.querySelectorAll('.sheet > details').forEach((part) => { part.open = true; }));
    await page.getByLabel('Description', { exact: true }).first().fill('Longer.');
    await save.scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await save.click();
    await saved(page);
    assert.ok(await page.getByText('Saved.', { exact: true }).evaluate((said) => said.getBoundingClientRect().top > 0 && said.getBoundingClientRect().bottom < innerHeight && said.closest('[role=status]') !== null), 'what was done is in view');
    await look(page, 'desk form saved');
    await context.close();
    return problems;
  },
};
