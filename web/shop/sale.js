// @ts-check
/** A choice becomes a cart with a hold, and the cart an order. Each write has a key made before it is first sent. */
import { signal } from '/shared/ui.js';
import { newKey, Refusal } from '/shared/client.js';
import { cents, decimal, languageNow } from '/shared/intl.js';
import { api, basket, emptyBasket, keepSale, member, membershipNow, paidOrder, saleOf, setBasket, setFinished, sum, without } from '/shop/state.js';

/** @typedef {import('/shop/state.js').Sale} Sale */

/**
 * What is bought: how its cart looks, and which seats it needs.
 * @typedef {{kind: 'tickets' | 'membership', cart: (retail: Record<string, number>) => any, seats: () => {eventId: string, quantity: number}[]}} Purchase
 */

/** @type {Purchase} */
export const ticketPurchase = {
  kind: 'tickets',
  cart: (retail) => {
    const chosen = basket.peek();
    /** @type {any[]} */
    const items = [];
    for (const visit of Object.values(chosen.events)) {
      for (const [type, n] of Object.entries(visit.quantities)) {
        const full = Math.min(n, retail[`${visit.slot}.${type}`] ?? 0);
        if (n > full) items.push({ eventId: visit.slot, ticketingTypeId: type, quantity: n - full });
        if (full) items.push({ eventId: visit.slot, ticketingTypeId: type, quantity: full, isRetail: true });
      }
      if (!sum(visit.quantities)) continue;
      for (const [extra, n] of Object.entries(visit.addOns)) {
        items.push({ itemType: 'Inventory', inventoryId: Number(extra), eventId: visit.slot, quantity: n });
      }
    }
    const comboItems = Object.entries(chosen.combos).flatMap(([id, combo]) => Object.entries(combo.quantities).map(([type, n]) => ({
      comboTemplateId: id, ticketingTypeId: type, quantity: n, parts: Object.values(combo.slots).map((part) => ({ eventId: part.slot })),
    })));
    const gift = chosen.donation;
    if (gift) items.push({ itemType: 'Inventory', inventoryId: gift.id, type: gift.type, quantity: 1, unitPrice: decimal(gift.cents) });
    const memberships = membershipNow() ? member.peek().memberships.map((/** @type {any} */ m) => Number(m.number) || m.number) : [];
    return { items, comboItems, couponCodes: chosen.coupons, membershipIds: memberships.slice(0, 10) };
  },
  seats: () => {
    const chosen = basket.peek();
    /** @type {Record<string, number>} */
    const wanted = {};
    for (const visit of Object.values(chosen.events)) {
      const n = sum(visit.quantities);
      if (n) wanted[visit.slot] = (wanted[visit.slot] ?? 0) + n;
    }
    for (const combo of Object.values(chosen.combos)) {
      for (const part of Object.values(combo.slots)) {
        const n = sum(combo.quantities) * part.quantity;
        if (n) wanted[part.slot] = (wanted[part.slot] ?? 0) + n;
      }
    }
    return Object.entries(wanted).map(([eventId, quantity]) => ({ eventId, quantity }));
  },
};

/** The cart as it was answered last. */
export const cart = signal(/** @type {any} */ (null));
/** Until when the seats are held, in the service's time; null where nothing is held. */
export const heldUntil = signal(/** @type {number | null} */ (null));
/** What the member's limit left at the full price: how many tickets. */
export const beyondLimit = signal(0);
/** Whether there are more tickets than an event sells in one order. */
export const overLimit = signal(false);

/** @param {Purchase['kind']} kind @returns {Sale} */
export function currentSale(kind) {
  const sale = saleOf(kind) ?? { cartKey: newKey(), payKey: newKey() };
  keepSale(kind, sale);
  return sale;
}

/** Seats are held, or held longer, or exchanged for those that are wanted now. @param {Purchase} purchase @param {Sale} sale */
async function hold(purchase, sale) {
  const wanted = purchase.seats();
  const text = JSON.stringify(wanted);
  const live = sale.holdId !== undefined && (sale.holdUntil ?? 0) > api.now();
  if (!wanted.length) {
    if (live) await api.remove(`/v2/b2c/reservations/${sale.holdId}`).catch(() => undefined);
    delete sale.holdId;
    delete sale.holdUntil;
    delete sale.held;
    return;
  }
  if (live && sale.held === text) return;
  let answer;
  if (live) {
    try {
      answer = await api.put('/v2/b2c/reservations', { id: sale.holdId, reservationItems: wanted });
    } catch (error) {
      if (!(error instanceof Refusal) || !(error.status === 404 || error.type === 'RESERVATION_EXPIRED')) throw error;
    }
  }
  answer ??= await api.post('/v2/b2c/reservations', { reservationItems: wanted }, { key: newKey() });
  sale.holdId = answer.id;
  sale.holdUntil = Date.parse(answer.expirationTimestamp);
  sale.held = text;
  keepSale(purchase.kind, sale);
}

/** @param {Purchase} purchase @param {Sale} sale @param {boolean} [again] @returns {Promise<any>} */
async function write(purchase, sale, again = false) {
  if (!sale.cartId) {
    sale.cartId = await api.post('/v2/b2c/carts', {}, { key: sale.cartKey });
    keepSale(purchase.kind, sale);
  }
  const body = { id: sale.cartId, ...purchase.cart(sale.retail ?? {}), ...(sale.holdId !== undefined ? { reservationId: sale.holdId } : {}) };
  const chosen = basket.peek();
  try {
    const priced = await api.put(`/v2/b2c/carts/${sale.cartId}`, body, { explain: true });
    if (purchase.kind === 'tickets') sale.inCart = chosen;
    keepSale(purchase.kind, sale);
    return priced;
  } catch (error) {
    if (!(error instanceof Refusal) || again) throw error;
    if (error.status !== 404 || error.details.length) throw error;
    delete sale.cartId;
    sale.cartKey = newKey();
    sale.payKey = newKey();
    keepSale(purchase.kind, sale);
    return write(purchase, sale, true);
  }
}

/**
 * What a member's limit does not cover is charged in full, as lines of their own.
 * @param {Purchase} purchase @param {Sale} sale @param {any} priced
 */
async function split(purchase, sale, priced) {
  beyondLimit.value = 0;
  overLimit.value = false;
  if (purchase.kind !== 'tickets') return priced;
  const split = Object.keys(sale.retail ?? {}).length > 0;
  sale.retail = {};
  let now = split ? await write(purchase, sale) : priced;
  for (let turn = 0; turn < 3; turn += 1) {
    const result = await api.post('/v2/b2c/entitlements/validate', { id: sale.cartId });
    const broken = result.violations.filter((/** @type {any} */ v) => v.ruleType === 'memberBenefits');
    overLimit.value = result.violations.some((/** @type {any} */ v) => v.ruleType === 'ticketLimits');
    if (result.valid || !broken.length) break;
    for (const rule of broken) {
      let over = rule.requestedQuantity - Math.max(0, rule.allowedQuantity - rule.purchasedQuantity);
      for (const line of now.items.filter((/** @type {any} */ l) => l.ticketingTypeId && !l.isRetail && cents(l.unitPrice) < cents(l.retailUnitPrice)).reverse()) {
        if (over <= 0) break;
        if (rule.pricePointIds?.length && !rule.pricePointIds.includes(line.ticketingTypeId)) continue;
        const moved = Math.min(over, line.quantity);
        const key = `${line.eventId}.${line.ticketingTypeId}`;
        sale.retail[key] = (sale.retail[key] ?? 0) + moved;
        over -= moved;
      }
    }
    now = await write(purchase, sale);
  }
  beyondLimit.value = sum(sale.retail);
  keepSale(purchase.kind, sale);
  return now;
}

/** @param {Purchase} purchase */
async function holdAndPrice(purchase) {
  const sale = currentSale(purchase.kind);
  if (sale.paying) {
    // A payment that was cut short: the cart is an order, or is being made one, or is still open.
    await write(purchase, sale);
    sale.paying = false;
    keepSale(purchase.kind, sale);
  }
  await hold(purchase, sale);
  const priced = await split(purchase, sale, await write(purchase, sale));
  cart.value = priced;
  heldUntil.value = sale.holdUntil ?? null;
  return priced;
}

/** @type {Promise<any>} */
let last = Promise.resolve();

/** The seats are held and the cart is priced; one after the other, each with what is chosen by then. @param {Purchase} purchase @returns {Promise<any>} */
export function prepare(purchase) {
  last = last.catch(() => undefined).then(() => holdAndPrice(purchase));
  return last;
}

/** Whether the cart became an order after all. @param {Purchase['kind']} kind */
export const wasPaying = (kind) => saleOf(kind)?.paying === true;

/** Sums of a cart, in cents. @param {any} of */
export function cartTotal(of) {
  return [...of.items, ...of.comboItems].reduce((all, line) => all + cents(line.amount), 0);
}

/** Answers to a form. @param {string} response @param {{name: string, value: any}[]} fields */
export const answer = (response, fields) =>
  api.put(`/v2/b2c/carts/${cart.peek().id}/forms/${response}`, { fields });

/**
 * The order is paid for. The key is the same until the bank has said no, so that nothing is paid twice.
 * @param {Purchase} purchase @param {Record<string, any>} payer @param {Record<string, any>} card
 * @param {boolean} [again]
 * @returns {Promise<any>}
 */
export async function pay(purchase, payer, card, again = false) {
  const sale = currentSale(purchase.kind);
  sale.paying = true;
  keepSale(purchase.kind, sale);
  const total = cartTotal(cart.peek());
  const body = {
    shoppingCartId: sale.cartId,
    ...(sale.holdId !== undefined ? { reservationId: sale.holdId } : {}),
    expectedTotal: decimal(total),
    locale: languageNow(),
    ...payer,
    ...card,
  };
  try {
    const order = await api.post('/v2/b2c/cors/checkout', body, { key: sale.payKey });
    finish(purchase.kind, order);
    return order;
  } catch (error) {
    if (error instanceof Refusal && error.type === 'PAYMENT_ACTION_REQUIRED') {
      keepChallenge(purchase.kind, sale, error, total);
      throw error;
    }
    if (error instanceof Refusal && !error.undecided) {
      sale.paying = error.type === 'CART_ALREADY_CHECKED_OUT';
      if (error.status === 402 || error.type === 'PAYMENT_EXPIRED') sale.payKey = newKey();
      if (error.type === 'IDEMPOTENCY_KEY_REUSED') sale.payKey = newKey();
      // Another card than before, or another tab: the cart itself is paid for once.
      if (error.type === 'RESERVATION_EXPIRED' || error.type === 'PAYMENT_EXPIRED') {
        delete sale.holdId;
        sale.holdUntil = 0;
        heldUntil.value = 0;
      }
      if (error.type === 'PRICE_CHANGED' && error.body.cart) cart.value = error.body.cart;
      keepSale(purchase.kind, sale);
      if (error.type === 'IDEMPOTENCY_KEY_REUSED' && !again) return pay(purchase, payer, card, true);
    }
    throw error;
  }
}

/** The bank asks the buyer first: the order waits, under the same key. @param {Purchase['kind']} kind @param {Sale} sale @param {Refusal} error @param {number} total */
function keepChallenge(kind, sale, error, total) {
  const { orderId, clientSecret, expiresAt, challengeUrl } = error.body;
  sale.challenge = { orderId, clientSecret, expiresAt, challengeUrl, cents: total };
  keepSale(kind, sale);
}

/**
 * What became of the order whose buyer was asked: it is paid, or a refusal says why not. The challenge is kept for as
 * long as it is open.
 * @param {Purchase['kind']} kind
 * @returns {Promise<any>}
 */
export async function complete(kind) {
  const sale = currentSale(kind);
  const { challenge } = sale;
  if (!challenge) throw new Refusal(404, {});
  try {
    const order = await api.post(`/v2/b2c/checkout/${challenge.orderId}/complete`, undefined, { again: true });
    finish(kind, order);
    return order;
  } catch (error) {
    if (!(error instanceof Refusal) || error.undecided) throw error;
    if (error.type === 'PAYMENT_ACTION_REQUIRED') keepChallenge(kind, sale, error, challenge.cents);
    else if (error.status === 402 || error.status === 404 || error.type === 'PAYMENT_EXPIRED') {
      delete sale.challenge;
      // Where the service knows nothing of it any more, the cart says if it was paid.
      sale.paying = error.status === 404;
      sale.payKey = newKey();
      if (error.type === 'PAYMENT_EXPIRED') delete sale.holdId;
      keepSale(kind, sale);
    }
    throw error;
  }
}

/** @param {Purchase['kind']} kind @param {any} order */
function finish(kind, order) {
  paidOrder.current = order;
  setFinished({ orderNumber: order.orderNumber, token: order.orderToken });
  end(kind);
}

/** Nothing is left of the sale in this tab but what was chosen since its cart was paid. @param {Purchase['kind']} kind */
export function end(kind) {
  const paid = saleOf(kind)?.inCart;
  keepSale(kind, null);
  cart.value = null;
  heldUntil.value = null;
  if (kind !== 'tickets') return;
  if (paid) setBasket(without(basket.peek(), paid));
  else emptyBasket();
}

/** The visitor gives the seats back. @param {Purchase['kind']} kind */
export async function giveUp(kind) {
  const sale = saleOf(kind);
  end(kind);
  if (kind === 'tickets') emptyBasket();
  if (sale?.holdId !== undefined) await api.remove(`/v2/b2c/reservations/${sale.holdId}`).catch(() => undefined);
  if (sale?.cartId) await api.remove(`/v2/b2c/carts/${sale.cartId}`).catch(() => undefined);
}
