// @ts-check
/** What the pages of the shop share: the address, the venue, the member, and what is chosen. */
import { makeAddress, signal, takeToken } from '/shared/ui.js';
import { send, serviceNow } from '/shared/client.js';
import { addDays, addMonths, cents, dayKey, decimal, isDay, isMonth } from '/shared/intl.js';

export const embedded = document.documentElement.hasAttribute('data-embed');

/** The names that an address may have. Nothing personal is ever among them. */
const NAMES = /** @type {const} */ (['venue', 'lang', 'view', 'event', 'combo', 'day', 'slot', 'slots', 'month', 'q', 'level',
  'offering', 'action', 'step', 'origin']);
/** @typedef {Partial<Record<typeof NAMES[number], string>>} Route */

/** Tokens of mailed links. They are taken out of the address before anything else happens. */
export const tokens = { login: takeToken('loginToken'), order: takeToken('orderToken') };

export const { route, moves, href, go, follow } = makeAddress(NAMES, { stays: ['venue', 'lang', 'origin'], fits: { day: isDay, month: isMonth } });
if ((tokens.login || tokens.order) && !route.peek().view) go({ ...route.peek(), view: tokens.order ? 'order' : 'member' }, { replace: true, still: true });

/** @typedef {{id?: number, name: string, key: string, colours?: {name: string, value: string}[], logo?: string | null, languages?: string[], timeZone?: string, currency?: string, terms?: string | null, privacy?: string | null}} Venue */

/** @type {{value: Venue, peek: () => Venue, subscribe: any}} */
export const venue = signal(/** @type {any} */ (null));
/** @type {ReturnType<typeof clientOf>} */
export let api = /** @type {any} */ (null);
let scope = '';

/** @type {Map<string, string>} */
const memory = new Map();

/** Kept for this tab alone; where a browser keeps nothing, for this page alone. @param {string} name @param {unknown} value */
function keep(name, value) {
  const key = `boxoffice-shop:${scope}:${name}`;
  const text = value === null ? null : JSON.stringify(value);
  try {
    if (text === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    if (text === null) memory.delete(key);
    else memory.set(key, text);
  }
}

/** @param {string} name */
function kept(name) {
  const key = `boxoffice-shop:${scope}:${name}`;
  let text;
  try {
    text = sessionStorage.getItem(key);
  } catch {
    text = memory.get(key);
  }
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** @typedef {{number: string, levelName: string, startDate: string, expirationDate: string, proof: string}} Membership */
/** @type {{value: {until: number, memberships: Membership[]} | null, peek: () => any, subscribe: any}} */
export const member = signal(/** @type {any} */ (null));

/** @param {Membership[] | null} memberships */
export function setMember(memberships) {
  const until = member.peek()?.until ?? Date.now() + 115 * 60_000;
  member.value = memberships && { until, memberships };
  keep('member', member.value);
}

/** The membership that prices are asked for. */
export function membershipNow() {
  const now = member.peek();
  if (now && now.until <= Date.now()) setMember(null);
  return member.peek()?.memberships[0];
}

/**
 * @typedef {{name: string, cents: number, retail: number, tax?: Tax}} Kind a ticket type or an add-on, with its prices
 * @typedef {{rate: string, name: string}} Tax what a price contains, in percent of what remains without it
 * @typedef {{name: string, slot: string, start: string, quantities: Record<string, number>, types: Record<string, Kind>, addOns: Record<string, number>, extras: Record<string, Kind>}} Visit
 * @typedef {{name: string, slots: Record<string, {slot: string, start: string, name: string, quantity: number}>, quantities: Record<string, number>, types: Record<string, Kind>, tax?: Tax}} Together
 * @typedef {{events: Record<string, Visit>, combos: Record<string, Together>, donation: {id: number, type: string, name: string, cents: number} | null, coupons: string[]}} Basket
 */

/** @type {Basket} */
const EMPTY = { events: {}, combos: {}, donation: null, coupons: [] };
/** @type {{value: Basket, peek: () => Basket, subscribe: any}} */
export const basket = signal(EMPTY);

/** @param {Basket} next */
export function setBasket(next) {
  basket.value = next;
  keep('basket', next);
}
export const emptyBasket = () => setBasket(EMPTY);

/** @param {Record<string, number>} of */
export const sum = (of) => Object.values(of).reduce((all, n) => all + n, 0);

/** @param {Record<string, number>} of @param {Record<string, number>} less @returns {Record<string, number>} */
const fewer = (of, less) => Object.fromEntries(Object.entries(of).map(([id, n]) => [id, n - (less[id] ?? 0)]).filter(([, n]) => Number(n) > 0));

/** What is chosen, without what was paid for. @param {Basket} of @param {Basket} paid @returns {Basket} */
export function without(of, paid) {
  /** @type {Basket['events']} */
  const events = {};
  for (const [id, visit] of Object.entries(of.events)) {
    const had = paid.events[id];
    const rest = had ? { ...visit, quantities: fewer(visit.quantities, had.quantities), addOns: fewer(visit.addOns, had.addOns) } : visit;
    if (sum(rest.quantities)) events[id] = rest;
  }
  /** @type {Basket['combos']} */
  const combos = {};
  for (const [id, combo] of Object.entries(of.combos)) {
    const rest = { ...combo, quantities: fewer(combo.quantities, paid.combos[id]?.quantities ?? {}) };
    if (sum(rest.quantities)) combos[id] = rest;
  }
  const sameGift = of.donation?.id === paid.donation?.id && of.donation?.cents === paid.donation?.cents;
  return { events, combos, donation: sameGift ? null : of.donation, coupons: of.coupons.filter((code) => !paid.coupons.includes(code)) };
}

/**
 * Seats and money of what is chosen, at the prices that were shown. It is not `sure` where a member's price is among them:
 * how many tickets it is good for is known once the cart is priced.
 * @param {Basket} of
 */
export function totals(of) {
  let seats = 0;
  let sure = true;
  let total = of.donation?.cents ?? 0;
  for (const visit of Object.values(of.events)) {
    seats += sum(visit.quantities);
    for (const [id, n] of Object.entries(visit.quantities)) {
      total += n * visit.types[id].cents;
      if (n && visit.types[id].cents < visit.types[id].retail) sure = false;
    }
    if (sum(visit.quantities)) for (const [id, n] of Object.entries(visit.addOns)) total += n * visit.extras[id].cents;
  }
  for (const combo of Object.values(of.combos)) {
    const each = Object.values(combo.slots).reduce((all, part) => all + part.quantity, 0);
    seats += sum(combo.quantities) * each;
    for (const [id, n] of Object.entries(combo.quantities)) total += n * combo.types[id].cents;
  }
  return { seats, total, sure };
}

/**
 * What a bank asks before it pays: the order that waits for the answer, until when, and its total.
 * @typedef {{orderId: string, clientSecret: string, expiresAt: string, challengeUrl?: string, cents: number}} Challenge
 * @typedef {{cartId?: string, cartKey: string, holdId?: number, holdUntil?: number, held?: string, payKey: string, paying?: boolean, challenge?: Challenge, retail?: Record<string, number>, inCart?: Basket}} Sale `inCart` is what was chosen when the cart was written last
 */
/** @param {'tickets' | 'membership'} kind @returns {Sale | null} */
export const saleOf = (kind) => kept(`sale-${kind}`);
/** @param {'tickets' | 'membership'} kind @param {Sale | null} sale */
export const keepSale = (kind, sale) => keep(`sale-${kind}`, sale);

/** The order that was made last: its number, and what opens it again in this tab. */
/** @type {{value: {orderNumber: string, token?: string} | null, peek: () => any, subscribe: any}} */
export const finished = signal(/** @type {any} */ (null));
/** @param {{orderNumber: string, token?: string} | null} value */
export function setFinished(value) {
  finished.value = value;
  keep('finished', value);
}
/** The order itself, for as long as the page is open. @type {{current: any}} */
export const paidOrder = { current: null };

/**
 * The way to the interface for a venue's visitors.
 * @typedef {Omit<import('/shared/client.js').Asked, 'headers'> & {explain?: boolean, proof?: boolean}} Asked `explain`
 * asks why each line costs what it costs; `proof` sends the proofs of membership, default true
 * @param {Venue} of
 */
function clientOf({ key, id }) {
  /** @param {string} method @param {string} path @param {Asked} [asked] @returns {Promise<any>} */
  const ask = async (method, path, { explain, proof = true, ...asked } = {}) => {
    /** @type {Record<string, string>} */
    const headers = { 'x-service-api-key': key };
    if (id !== undefined) headers['x-b2c-tenant-id'] = String(id);
    if (explain) headers['x-service-explain'] = 'true';
    if (proof && membershipNow()) headers['x-service-member-proof'] = member.peek().memberships.map((/** @type {Membership} */ m) => m.proof).join(',');
    return (await send(method, path, { ...asked, headers })).body;
  };
  return {
    /** @param {string} path @param {Asked} [asked] */
    get: (path, asked) => ask('GET', path, asked),
    /** @param {string} path @param {unknown} body @param {Asked} [asked] */
    post: (path, body, asked) => ask('POST', path, { ...asked, body }),
    /** @param {string} path @param {unknown} body @param {Asked} [asked] */
    put: (path, body, asked) => ask('PUT', path, { ...asked, body }),
    /** @param {string} path @param {Asked} [asked] */
    remove: (path, asked) => ask('DELETE', path, asked),
    now: serviceNow,
  };
}

/** @param {Venue} chosen */
export function openVenue(chosen) {
  scope = String(chosen.id ?? chosen.key);
  api = clientOf(chosen);
  venue.value = chosen;
  member.value = kept('member');
  basket.value = { ...EMPTY, ...kept('basket') };
  finished.value = kept('finished');
}

export const today = () => dayKey(api.now());
/** @param {string} day yyyy-mm-dd */
export const monthOf = (day) => day.slice(0, 7);
/** @param {string} month yyyy-mm */
export const daysOf = (month) => {
  const first = `${month}-01`;
  const last = addDays(`${addMonths(month, 1)}-01`, -1);
  return Array.from({ length: Number(last.slice(8)) }, (_, at) => addDays(first, at));
};

/** Whose prices are asked for. */
export const asMember = () => ({ membershipId: membershipNow()?.number });

/** What a visitor pays and what everybody does, in cents. @param {any} price of a price list */
export const bothPrices = (price) => {
  const mine = cents(price.price);
  return { cents: mine, retail: mine + cents(price.discount) };
};

/** What the prices of a ticket type, an add-on, a combo or a level contain of tax. @param {any} of @returns {{tax?: Tax}} */
export const taxOf = (of) => (cents(of?.taxRate) > 0 ? { tax: { rate: of.taxRate, name: of.taxName ?? '' } } : {});

export { cents, decimal };
