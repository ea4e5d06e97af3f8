// Visitors who buy, from the first look to the ticket in the hand.
import { readFileSync } from 'node:fs';
import { ADULT, AUDIO_GUIDE, assert, cleanAddress, look, makeEvent, seats, shop, staff, until, visitor } from './harness.mjs';
import { card, cardsTaken, choose, chooseHere, details, hold, holds, logIn, next, orderNumber, payButton, payByCard, payByTestCard, thanks, tickets, toPayment } from './shop-steps.mjs';

/** From the list to the event, and its month. */
async function findEvent(page, event) {
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
}

/** Two adults, a child, an add-on and a donation. Answers what they come to. */
async function chooseAll(page, event) {
  await chooseHere(page, { adults: 2 });
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
  return total;
}

/** The details, at first without any. */
async function fillDetails(page) {
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
}

/** The card, at first without any. */
async function pay(page, total) {
  await look(page, 'payment');
  await payButton(page).click();
  await page.getByRole('heading', { name: '3 things to put right' }).waitFor();
  await card(page);
  assert.equal(await payButton(page).innerText(), `Pay ${total} US dollars`);
  await payButton(page).dblclick();
  await thanks(page);
  await tickets(page, 3);
  await look(page, 'done');
}

/** The calendar file, the mail, and the tickets once more after a reload. The tab keeps nothing personal. */
async function keepOrder(page, event) {
  const number = await orderNumber(page);
  const codes = await page.locator('.ticket .mono').allInnerTexts();
  assert.equal(new Set(codes).size, 3);
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  const download = await file;
  assert.equal(download.suggestedFilename(), `${number}.ics`);
  const ics = readFileSync(await download.path(), 'utf8');
  assert.match(ics, /BEGIN:VEVENT\r\n[\s\S]*DTSTART:\d{8}T\d{6}Z\r\nDTEND:\d{8}T\d{6}Z\r\n/);
  assert.ok(ics.includes(event.name));
  await page.getByRole('button', { name: 'Send again by e-mail' }).click();
  await page.getByText('The mail is on its way').waitFor();
  await page.reload();
  await tickets(page, 3);
  assert.deepEqual(await page.locator('.ticket .mono').allInnerTexts(), codes);
  const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  for (const word of ['Ines', 'Okafor', 'example.org', '4242']) assert.ok(!stored.includes(word), `${word} is stored`);
}

/** The first holder of a membership, of as many as it has. */
async function holder(page) {
  await page.getByLabel('First name').first().fill('Ines');
  await page.getByLabel('Last name').first().fill('Okafor');
  await page.getByLabel('E-mail').fill('ines.member@example.org');
}

/** Answers the number of the new member. */
async function join(page, level) {
  await page.goto(`${shop}?view=membership`);
  await page.getByRole('heading', { name: level.name }).waitFor();
  await look(page, 'levels');
  await page.getByRole('link', { name: `Join as ${level.name}` }).click();
  await page.getByText(`You join as ${level.name}`).waitFor();
  await page.getByText(/^From .* to /).first().waitFor();
  await look(page, 'join');
  await holder(page);
  await page.getByLabel('First name').nth(1).fill('Obi');
  await page.getByLabel('Last name').nth(1).fill('Okafor');
  await next(page);
  await payByCard(page, '4111 1111 1111 1111');
  await thanks(page);
  const number = (await page.getByText(/^Member number/).innerText()).replace(/\D/g, '');
  assert.match(await page.getByRole('link', { name: 'Log in as a member' }).getAttribute('href'), /view=member/, 'what comes next');
  await look(page, 'joined');
  return number;
}

async function give(page, level) {
  await page.goto(`${shop}?view=membership`);
  await page.locator('li', { has: page.getByRole('heading', { name: level.name }) }).getByRole('link', { name: 'Give as a gift' }).click();
  const receiver = page.getByRole('group', { name: 'Who gets the gift?' });
  await details(receiver, { first: 'Uma', last: 'Reyes', email: 'uma@example.org' });
  const giver = page.getByRole('group', { name: 'Who gives it?' });
  await details(giver, { email: 'ines.giver@example.org' });
  await look(page, 'gift');
  await next(page);
  await payByCard(page, '5555 5555 5555 4444');
  await thanks(page);
  await page.getByText('A gift').waitFor();
}

async function renew(page, level, number) {
  await page.goto(`${shop}?view=member`);
  await logIn(page, { number, last: 'OKAFOR' });
  await page.getByRole('link', { name: 'Renew', exact: true }).click();
  await page.getByRole('link', { name: `Renew ${level.name}` }).click();
  await page.getByText(/^From .* to /).first().waitFor();
  await holder(page);
  await look(page, 'renew');
  await next(page);
  await payByCard(page, '2223 0031 2200 3222');
  await thanks(page);
}

async function moveUp(page) {
  await page.goto(`${shop}?view=membership&action=upgrade`);
  await page.getByRole('link', { name: 'Move up to Captain' }).click();
  await page.getByText(/^From .* to /).first().waitFor();
  await holder(page);
  await next(page);
  await payByCard(page, '6011 1111 1111 1117');
  await thanks(page);
}

export const both = {
  async 'buys as public, with an add-on and a donation'() {
    const event = await makeEvent({ addOns: [AUDIO_GUIDE] });
    const { page, problems, context } = await visitor();
    await findEvent(page, event);
    const total = await chooseAll(page, event);
    await fillDetails(page);
    await pay(page, total);
    assert.equal(await seats(event, 'sold'), 3, 'sold once');
    await keepOrder(page, event);
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await context.close();
    return problems;
  },

  async 'buys as a member, one ticket at the member price and one in full'() {
    const event = await makeEvent({ members: true });
    const { page, problems, context } = await visitor();
    await choose(page, event, { adults: 0 });
    await page.getByRole('link', { name: 'Log in as a member' }).click();
    await look(page, 'member log-in');
    await logIn(page, { last: 'nobody' });
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
    assert.match(await page.locator('.bar').innerText(), /^2 tickets\s+Total in the next step/, 'no total that is not charged');
    await hold(page, 2);
    await page.getByText('Your membership does not cover 1 of the tickets').waitFor();
    await page.getByText('Member price').first().waitFor();
    await page.getByText('Full price').first().waitFor();
    await look(page, 'details as member');
    await details(page, { first: 'Ada', last: 'Lindqvist', email: 'ada.lindqvist@example.test' });
    await next(page);
    assert.equal(await payButton(page).innerText(), `Pay ${event.price} US dollars`);
    await payByCard(page);
    await thanks(page);
    await tickets(page, 2);
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
    await payByCard(page);
    await thanks(page);
    await tickets(page, 2);
    await context.close();
    return problems;
  },

  async 'is declined, then pays'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*cors\/checkout$/] });
    await toPayment(page, event);
    await payButton(page).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your details', level: 1 }).waitFor();
    await page.getByText('1 seat is held for you.').waitFor();
    await details(page);
    await next(page);
    for (const [number, words] of [['4000000000000002', 'The bank declined the card'], ['4000000000000127', 'The security code is not right'],
      ['4000000000000069', 'The card has expired'], ['4000000000000010', 'The bank knows another postal code'], ['4000000000009995', 'There is not enough money']]) {
      await payByCard(page, number);
      await page.getByRole('link', { name: words }).waitFor();
    }
    await look(page, 'declined');
    await payByCard(page);
    await thanks(page);
    await context.close();
    return problems;
  },

  async 'joins, gives, renews and moves up'() {
    const { page, problems, context } = await visitor();
    const level = await staff('POST', '/v2/b2b/membership/levels', { name: `Skipper ${Date.now() % 10_000}`, description: 'For one.', state: 'published',
      rules: { numberOfCardHolders: 2, canGift: true }, benefits: [{ id: 'entry', description: 'Free admission' }],
      offerings: [{ name: 'One year', duration: 12, priceLists: [{ name: 'Standard', prices: [{ personType: { id: ADULT }, price: (30 + (Date.now() % 900) / 100).toFixed(2) }] }] }] });
    const number = await join(page, level);
    await give(page, level);
    await renew(page, level, number);
    await moveUp(page);
    await context.close();
    return problems;
  },
};

export const mouse = {
  async 'pays with test cards by name'() {
    const event = await makeEvent();
    const { page, problems, context } = await visitor({ expected: [/^402 .*cors\/checkout$/] });
    await toPayment(page, event);
    await page.getByLabel('Card number').waitFor();
    await payByTestCard(page, 'tok_declined');
    await page.getByRole('link', { name: 'The bank declined the card' }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'card-test');
    assert.equal(await page.getByLabel('Card number').count(), 0);
    await look(page, 'test card declined');
    await payByTestCard(page, 'tok_no_funds');
    await page.getByRole('link', { name: 'There is not enough money' }).waitFor();
    await payByTestCard(page, 'tok_mastercard');
    await thanks(page);
    await tickets(page);
    await context.close();

    // A venue that takes no numbers asks for none.
    const other = await visitor();
    await cardsTaken(other.page, { rawCards: false });
    await toPayment(other.page, event, { adults: 2 });
    await payButton(other.page).waitFor();
    assert.equal(await other.page.getByLabel('Card number').count(), 0);
    assert.equal(await other.page.getByLabel('Test card').inputValue(), 'tok_visa');
    await look(other.page, 'payment without numbers');
    await payButton(other.page).click();
    await thanks(other.page);
    await other.context.close();
    return [...problems, ...other.problems];
  },

  async 'orders what costs nothing'() {
    const event = await makeEvent({ free: true });
    const { page, problems, context } = await visitor();
    await toPayment(page, event);
    await page.getByText('There is nothing to pay.').waitFor();
    await look(page, 'nothing to pay');
    await page.getByRole('button', { name: 'Confirm the order' }).click();
    await thanks(page);
    await tickets(page);
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
    await payByCard(page);
    await thanks(page);
    await tickets(page, 2);
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
    await chooseHere(page);
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
    await until('the seats', async () => await seats(one, 'reserved') === 0);
    await context.close();
    return problems;
  },
};
