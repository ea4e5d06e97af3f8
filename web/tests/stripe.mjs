// Visitors who pay by card in the fields of Stripe, and whose bank may ask them, where a localstripe charges for the service.
// LOCALSTRIPE says where that is. Its page library is older than the fields that the shop loads: a thin layer translates. The
// page asks the addresses of Stripe, so that its policy is the real one.
import { assert, look, makeEvent, seats, until, visitor } from './harness.mjs';
import { BANK_ASKS, NOT_PAID, cardsTaken, changeSettings, details, next, thanks, tickets, toPayment } from './shop-steps.mjs';

const localstripe = (process.env.LOCALSTRIPE ?? '').replace(/\/$/, '');
const API = 'https://api.stripe.com';
/** Which secret does not matter to localstripe. The venue's own stays with the service. */
const SECRET = { authorization: 'Bearer sk_test_pages' };
const PLAIN = '4242424242424242';
/** Cards whose bank asks, and refuses. */
const ASKED = '4000002500003155';
const REFUSED = '4000000000000341';

/** Runs in the page: answers the calls of the shop by those that localstripe's library has. */
function translate(Library, api) {
  const complete = (card) => Object.values(card?.value?.card ?? {}).filter(Boolean).length === 4;
  window.fields = [];
  return (key, options) => {
    const stripe = Library(key);
    return {
      elements: (of) => {
        window.fields.push({ key, ...options, ...of });
        const elements = stripe.elements();
        const card = () => elements.getElement('card');
        return {
          card,
          create: () => elements.create('card'),
          update: () => undefined,
          submit: async () => (complete(card()) ? {} : { error: { message: 'Your card number is incomplete.' } }),
        };
      },
      // Its own call for this is empty.
      createConfirmationToken: async ({ elements }) => {
        const body = JSON.stringify({ key, type: 'card', card: elements.card().value.card });
        const made = await (await fetch(`${api}/v1/payment_methods`, { method: 'POST', body })).json();
        return made.error ? { error: made.error } : { confirmationToken: made };
      },
      handleNextAction: ({ clientSecret }) => stripe.confirmCardPayment(clientSecret),
    };
  };
}

/** localstripe refuses a suffix on statements. The service knows that there is none once it shows the rest of the change. */
let ready;
const terms = `https://harbor.example/terms/${Date.now()}`;
const withoutSuffix = () => (ready ??= changeSettings({ descriptorPrefix: '', terms }, (venue) => venue.terms === terms));

/** A visitor whose page finds localstripe where Stripe is. */
async function buyer(expected) {
  await withoutSuffix();
  const found = await visitor({ expected });
  await found.context.route('https://js.stripe.com/v3/', async (route) => {
    const library = await (await fetch(`${localstripe}/js.stripe.com/v3/`)).text();
    const placed = library.replace('document.currentScript.src', JSON.stringify(`${API}/`));
    await route.fulfill({ contentType: 'text/javascript', body: `(() => { ${placed}; window.Stripe = (${translate})(window.Stripe, ${JSON.stringify(API)}); })();` });
  });
  await found.context.route(`${API}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    // To make a token of a card, localstripe asks for the secret key.
    const headers = { ...route.request().headers(), ...(pathname === '/v1/payment_methods' ? SECRET : {}) };
    await route.fulfill({ response: await route.fetch({ url: localstripe + pathname + search, headers }) });
  });
  return found;
}

/** What became of the payments of so many cents at localstripe. */
async function payments(cents) {
  const { data } = await (await fetch(`${localstripe}/v1/payment_intents?limit=100`, { headers: SECRET })).json();
  return data.filter((one) => one.amount === cents).map((one) => one.status).sort();
}
async function pay(page, number, event) {
  await page.getByPlaceholder('number').fill(number);
  for (const [field, text] of [['exp_month', '12'], ['exp_year', '30'], ['cvc', '123'], ['postal_code', '94000']]) await page.getByPlaceholder(field).fill(text);
  await page.getByRole('button', { name: `Pay ${event.price} US dollars` }).click();
}
const declined = (page) => page.getByText('The bank declined the card').first().waitFor();
async function paid(page, event) {
  await thanks(page);
  await tickets(page);
  assert.equal(await seats(event, 'sold'), 1);
}
const QUESTION = 'Do you want to confirm or cancel?';

export const both = {
  async 'pays with a plain card, once it is typed'() {
    const event = await makeEvent();
    const { page, problems, context } = await buyer([]);
    await toPayment(page, event);
    await page.getByPlaceholder('number').waitFor();
    const [told] = await page.evaluate(() => window.fields);
    assert.deepEqual([told.key, told.stripeAccount, told.amount, told.currency, told.locale], ['pk_test_pages', undefined, event.cents, 'usd', 'en']);
    await page.getByRole('button', { name: `Pay ${event.price} US dollars` }).click();
    await page.getByRole('link', { name: 'Your card number is incomplete.' }).waitFor();
    await pay(page, PLAIN, event);
    await paid(page, event);
    assert.deepEqual(await payments(event.cents), ['succeeded']);
    await context.close();
    return problems;
  },

  async 'is refused, and pays with another card'() {
    const event = await makeEvent();
    const { page, problems, context } = await buyer([NOT_PAID]);
    await toPayment(page, event);
    await pay(page, REFUSED, event);
    await page.getByRole('link', { name: 'The bank declined the card' }).waitFor();
    assert.equal(await seats(event, 'sold'), 0);
    await pay(page, PLAIN, event);
    await paid(page, event);
    assert.deepEqual(await payments(event.cents), ['canceled', 'succeeded']);
    await context.close();
    return problems;
  },

  async 'passes 3-D Secure, and gets the order'() {
    const event = await makeEvent();
    const { page, problems, context } = await buyer([NOT_PAID]);
    await toPayment(page, event);
    await pay(page, ASKED, event);
    await page.getByRole('heading', BANK_ASKS).waitFor();
    await page.getByText(QUESTION).waitFor();
    assert.deepEqual(await payments(event.cents), ['requires_action']);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await paid(page, event);
    assert.deepEqual(await payments(event.cents), ['succeeded']);
    await context.close();
    return problems;
  },

  async 'fails 3-D Secure, gets everything back, and pays with another card'() {
    const event = await makeEvent({ capacity: 1 });
    const { page, problems, context } = await buyer([NOT_PAID]);
    await toPayment(page, event);
    await pay(page, ASKED, event);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await declined(page);
    assert.deepEqual(await payments(event.cents), ['canceled']);
    assert.deepEqual([await seats(event, 'sold'), await seats(event, 'reserved')], [0, 1], 'the seat is held as before');
    await pay(page, PLAIN, event);
    await paid(page, event);
    assert.deepEqual(await payments(event.cents), ['canceled', 'succeeded']);
    await context.close();
    return problems;
  },
};

export const mouse = {
  async 'fails 3-D Secure, and gives the seats back'() {
    const event = await makeEvent();
    const { page, problems, context } = await buyer([NOT_PAID]);
    await toPayment(page, event);
    await pay(page, ASKED, event);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await declined(page);
    await page.getByRole('button', { name: 'Give the seats back' }).click();
    await until('the seats', async () => await seats(event, 'reserved') === 0);
    assert.equal(await seats(event, 'sold'), 0);
    assert.deepEqual(await payments(event.cents), ['canceled']);
    await context.close();
    return problems;
  },

  async 'puts the question of 3-D Secure off by a reload, and passes it'() {
    const event = await makeEvent();
    const { page, problems, context } = await buyer([NOT_PAID]);
    await toPayment(page, event);
    await pay(page, ASKED, event);
    await page.getByText(QUESTION).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'I have answered' }).click();
    await page.getByText('Your bank has no answer yet.').waitFor();
    await look(page, 'bank of a Stripe card has no answer yet');
    await page.getByRole('button', { name: 'Show the question of my bank' }).click();
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await paid(page, event);
    assert.deepEqual(await payments(event.cents), ['succeeded']);
    await context.close();
    return problems;
  },

  async 'is told that the card fields cannot be loaded, and pays once they can'() {
    const event = await makeEvent();
    const { page, problems, context } = await buyer([]);
    await page.route('https://js.stripe.com/**', (route) => route.abort(), { times: 1 });
    // A venue whose sales are charged on another account: the library is told which.
    await cardsTaken(page, { connectedAccount: 'acct_pages' });
    await toPayment(page, event);
    await page.getByText('The card fields could not be loaded.').waitFor();
    await look(page, 'card fields not loaded');
    await page.reload();
    await details(page);
    await next(page);
    await page.getByPlaceholder('number').waitFor();
    assert.equal(await page.evaluate(() => window.fields[0].stripeAccount), 'acct_pages');
    await pay(page, PLAIN, event);
    await paid(page, event);
    await context.close();
    return problems;
  },
};
