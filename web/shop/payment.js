// @ts-check
/**
 * How a venue is paid, in one module: what is asked of the payer, what is sent with the checkout, and at which field a
 * refusal belongs. The service says how (`checkout/config`): the sandbox takes test cards by name and, where the venue
 * wants it, card numbers; Stripe's own fields are in `stripe.js`, which nothing else loads.
 */
import { html, useEffect, useRef, useState, Field, Loading } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { cents, money, t } from '/shared/intl.js';
import { api, venue } from '/shop/state.js';

/** @typedef {{number: string, expiry: string, cvc: string, zip: string, test: string | null}} Card `test` is the token of a test card, '' where a number is typed in, null where nothing was chosen */
/** @typedef {{processor: string, rawCards: boolean, publishableKey?: string | null, connectedAccount?: string | null, currency?: string}} How */
/** @type {Card} */
export const empty = { number: '', expiry: '', cvc: '', zip: '', test: null };

/** The sandbox's tokens, each with its card and how its bank answers. */
const TESTS = [
  ['tok_visa', 'Visa', '4242', 'pays'], ['tok_mastercard', 'Mastercard', '4444', 'pays'], ['tok_amex', 'American Express', '0005', 'pays'],
  ['tok_declined', 'Visa', '0002', 'declined'], ['tok_no_funds', 'Visa', '9995', 'funds'], ['tok_3ds', 'Visa', '3155', 'asks'],
];

/** @type {Map<string, Promise<How>>} */
const known = new Map();

/** How this venue takes cards. @returns {Promise<How>} */
export function load() {
  const { key } = venue.peek();
  let how = known.get(key);
  if (!how) {
    how = api.get('/v2/b2c/checkout/config').catch((/** @type {any} */ error) => {
      if (error instanceof Refusal && error.status === 404) return { processor: '', rawCards: true };
      known.delete(key);
      throw error;
    });
    known.set(key, /** @type {Promise<How>} */ (how));
  }
  return /** @type {Promise<How>} */ (how);
}

/** The token of the test card that is chosen; '' where a number is typed in. @param {Card} card @param {How} how */
function tokenOf(card, how) {
  if (how.processor !== 'sandbox') return '';
  return card.test ?? (how.rawCards ? '' : TESTS[0][0]);
}

/** @param {string} text */
const digits = (text) => text.replace(/[\s-]/g, '');

/** @param {string} number */
function luhn(number) {
  let total = 0;
  [...number].reverse().forEach((digit, at) => {
    const n = Number(digit) * (at % 2 ? 2 : 1);
    total += n > 9 ? n - 9 : n;
  });
  return total % 10 === 0;
}

/** MMYY of what was typed, or nothing. @param {string} text */
function monthAndYear(text) {
  const found = /^\s*(\d{1,2})\s*[/.\- ]?\s*(?:20)?(\d{2})\s*$/.exec(text);
  if (!found) return '';
  const month = Number(found[1]);
  return month >= 1 && month <= 12 ? found[1].padStart(2, '0') + found[2] : '';
}

/** @param {Card} card @param {How} how @returns {Record<string, string>} */
export function check(card, how) {
  /** @type {Record<string, string>} */
  const faults = {};
  if (how.processor === 'stripe' || tokenOf(card, how)) return faults;
  const number = digits(card.number);
  if (!number) faults['card-number'] = t('pay.fault.numberMissing');
  else if (!/^\d{13,19}$/.test(number) || !luhn(number)) faults['card-number'] = t('pay.fault.number');
  if (!monthAndYear(card.expiry)) faults['card-expiry'] = t('pay.fault.expiry');
  if (!/^\d{3,4}$/.test(digits(card.cvc))) faults['card-cvc'] = t('pay.fault.cvc');
  return faults;
}

/**
 * What is sent of the card, or what is wrong with it.
 * @param {Card} card @param {How} how
 * @returns {Promise<{body?: Record<string, string>, faults?: Record<string, string>}>}
 */
export async function body(card, how) {
  if (how.processor === 'stripe') {
    const made = await (await import('/shop/stripe.js')).token();
    return made.token ? { body: { paymentToken: made.token } } : { faults: { 'card-fields': made.fault ?? t('pay.fault.fields') } };
  }
  const token = tokenOf(card, how);
  if (token) return { body: { paymentToken: token } };
  return { body: {
    manualEntryCardNumber: digits(card.number),
    expDate: monthAndYear(card.expiry),
    cvc: digits(card.cvc),
    ...(card.zip.trim() ? { billingZipCode: card.zip.trim() } : {}),
  } };
}

/**
 * What the bank or the service said of the card, at its field.
 * @param {Refusal} error @param {Card} card @param {How} how
 * @returns {Record<string, string>}
 */
export function refusal(error, card, how) {
  const whole = how.processor === 'stripe' ? 'card-fields' : tokenOf(card, how) ? 'card-test' : '';
  const at = (/** @type {string} */ field, /** @type {string} */ text) => ({ [whole || field]: text });
  switch (error.type) {
    case 'INCORRECT_ZIP': return at('card-zip', t('pay.refused.zip'));
    case 'INCORRECT_CVC': return at('card-cvc', t('pay.refused.cvc'));
    case 'EXPIRED_CARD': return at('card-expiry', t('pay.refused.expired'));
    case 'INSUFFICIENT_FUNDS': return at('card-number', t('pay.refused.funds'));
    case 'CARD_DECLINED': return at('card-number', t('pay.refused.declined'));
    case 'PAYMENT_PROCESSOR_ERROR': return at('card-number', t('pay.refused.processor'));
    case 'DUPLICATE_TRANSACTION_FOUND': return at('card-number', t('pay.refused.duplicate'));
    case 'AMOUNT_TOO_SMALL': return { '': t('pay.refused.small', { amount: money(cents(error.body.smallestAmount)) }) };
    default: break;
  }
  /** @type {Record<string, [string, string]>} */
  const fields = {
    '/manualEntryCardNumber': ['card-number', t('pay.fault.number')],
    '/creditCardBrand': ['card-number', t('pay.fault.number')],
    '/expDate': ['card-expiry', t('pay.fault.expiry')],
    '/cvc': ['card-cvc', t('pay.fault.cvc')],
    '/billingZipCode': ['card-zip', t('pay.refused.zip')],
    '/paymentToken': ['card-number', t('pay.fault.token')],
  };
  return Object.assign({}, ...error.details.filter(({ field }) => field in fields).map(({ field }) => at(...fields[field])));
}

/** Stripe's fields, in a frame of Stripe's. @param {{how: How, total: number, fault: string}} of */
function StripeFields({ how, total, fault }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [state, setState] = useState('loading');
  useEffect(() => {
    import('/shop/stripe.js').then(({ mount }) => mount(/** @type {HTMLElement} */ (place.current), how, total)).then(() => setState('ready'), () => setState('failed'));
  }, []);
  useEffect(() => {
    if (state === 'ready') import('/shop/stripe.js').then(({ amount }) => amount(total));
  }, [total, state]);
  return html`<fieldset class="stack" id="card-fields" tabindex="-1"><legend>${t('pay.card')}</legend>
    ${fault && html`<p class="fault"><span aria-hidden="true">▲ </span>${fault}</p>`}
    ${state === 'loading' && html`<${Loading} lines=${2} />`}
    ${state === 'failed' && html`<p class="fault" role="alert"><span aria-hidden="true">▲ </span>${t('pay.fault.fields')}</p>`}
    <div ref=${place}></div></fieldset>`;
}

/** @param {{card: Card, how: How, total: number, faults: Record<string, string>, onCard: (card: Card) => void}} of */
export function Fields({ card, how, total, faults, onCard }) {
  if (how.processor === 'stripe') return html`<${StripeFields} how=${how} total=${total} fault=${faults['card-fields']} />`;
  const token = tokenOf(card, how);
  const field = (/** @type {'number' | 'expiry' | 'cvc' | 'zip'} */ name, /** @type {any} */ rest) => html`<${Field} id=${`card-${name}`} label=${t(`pay.${name}`)}
    value=${card[name]} fault=${faults[`card-${name}`]} onValue=${(/** @type {string} */ v) => onCard({ ...card, [name]: v })} ...${rest} />`;
  return html`<fieldset class="stack"><legend>${t('pay.card')}</legend>
    ${how.processor === 'sandbox' && html`<${Field} id="card-test" label=${t('pay.test')} hint=${t('pay.testHint')} fault=${faults['card-test']}>
      <select id="card-test" name="card-test" value=${token} aria-describedby=${`card-test-hint${faults['card-test'] ? ' card-test-fault' : ''}`} aria-invalid=${faults['card-test'] ? 'true' : undefined}
        onChange=${(/** @type {any} */ e) => onCard({ ...card, test: e.currentTarget.value })}>
        ${how.rawCards && html`<option value="">${t('pay.test.typed')}</option>`}
        ${TESTS.map(([name, brand, last, answer]) => html`<option value=${name}>${t(`pay.test.${answer}`, { card: brand, digits: last })}</option>`)}
      </select></${Field}>`}
    ${!token && html`${field('number', { inputmode: 'numeric', autocomplete: 'cc-number', maxlength: 30 })}
    <div class="pair">
      ${field('expiry', { inputmode: 'numeric', autocomplete: 'cc-exp', hint: t('pay.expiryHint'), maxlength: 9 })}
      ${field('cvc', { inputmode: 'numeric', autocomplete: 'cc-csc', hint: t('pay.cvcHint'), maxlength: 6 })}
    </div>
    ${field('zip', { autocomplete: 'billing postal-code', optional: true, maxlength: 12 })}`}
  </fieldset>`;
}
