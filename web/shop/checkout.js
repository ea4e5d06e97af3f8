// @ts-check
/** From a choice to an order: who it is for, what the venue asks, and the payment. */
import { html, signal, useEffect, useFocus, useLayoutEffect, useRef, useState, useValue, Check, Faults, Field, Loading, Notice, plainText, reason, looksLikeMail } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { cents, dateOnly, dayAndTime, money, number, spokenMoney, t, time } from '/shared/intl.js';
import { api, basket, go, href, setBasket, sum, totals, venue } from '/shop/state.js';
import { answer, beyondLimit, cart, cartTotal, currentSale, end, giveUp, heldUntil, overLimit, pay, prepare, ticketPurchase, wasPaying } from '/shop/sale.js';
import { taxWords } from '/shop/words.js';
import * as payment from '/shop/payment.js';
import { Ask } from '/shop/ask.js';

/** Who buys. Kept for as long as the page is open, and nowhere else. */
export const payer = signal({ firstName: '', lastName: '', email: '' });
/** What was answered to the venue's forms, by response and field. */
const answers = signal(/** @type {Record<string, Record<string, any>>} */ ({}));

/** The time that is left, said aloud at two minutes, at one, and at none. @param {{seats: number}} of */
function Timer({ seats }) {
  const until = useValue(heldUntil);
  const [now, setNow] = useState(api.now());
  const [said, setSaid] = useState('');
  const last = useRef(/** @type {number | null} */ (null));
  useEffect(() => {
    const timer = setInterval(() => setNow(api.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const left = until === null ? null : Math.max(0, Math.ceil((until - now) / 1000));
  useEffect(() => {
    if (left === null) return;
    const before = last.current;
    last.current = left;
    if (before === null) return;
    if (left === 0 && before > 0) setSaid(t('hold.over'));
    else if (left <= 60 && before > 60) setSaid(t('hold.minutes', { n: 1 }));
    else if (left <= 120 && before > 120) setSaid(t('hold.minutes', { n: 2 }));
  }, [left]);
  if (left === null) return null;
  return html`<p class="timer"><span class="visually-hidden" role="status" aria-live="assertive">${said}</span>
    ${left > 0 && html`<strong>${t('hold.held', { n: seats })}</strong> ${left > 60 ? t('hold.minutes', { n: Math.ceil(left / 60) }) : t('hold.seconds', { n: left })} <span class="muted">${t('hold.until', { time: time(/** @type {number} */ (until)) })}</span>`}
  </p>`;
}

/** The focus goes to the heading, where the button that was pressed is no longer there. */
function toHeading() {
  const heading = /** @type {HTMLElement | null} */ (document.querySelector('main h1'));
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
}

/** @param {{seats: number, again: () => Promise<void>}} of */
function HoldAgain({ seats, again }) {
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  useFocus(button, [], () => document.activeElement === document.body);
  return html`<${Notice} kind="warn" alert title=${t('hold.over')}><p>${t('hold.overHelp')}</p>
    <button type="button" ref=${button} onClick=${() => again().then(toHeading)}>${t('hold.again', { n: seats })}</button></${Notice}>`;
}

/** Whether the hold has run out. */
function useExpired() {
  const until = useValue(heldUntil);
  const [over, setOver] = useState(until !== null && until <= api.now());
  useEffect(() => {
    const look = () => setOver(until !== null && until <= api.now());
    look();
    const timer = setInterval(look, 500);
    return () => clearInterval(timer);
  }, [until]);
  return over;
}

/** Why a line costs what it costs, in words. @param {any} line */
function priceWords(line) {
  const rule = line.priceTrace?.find((/** @type {any} */ one) => one.result === 'applied');
  const full = cents(line.retailUnitPrice);
  const paid = cents(line.unitPrice);
  if (line.isRetail) return t('price.full');
  if (!rule || paid >= full) return '';
  if (rule.couponCode) {
    const percent = Math.round(((full - paid) / full) * 100);
    const exact = Math.round((full * (100 - percent)) / 100) === paid;
    return exact ? t('price.percent', { percent: number(percent), code: rule.couponCode }) : t('price.off', { amount: money(full - paid), code: rule.couponCode });
  }
  return rule.rule === 'memberPrice' || rule.membershipId ? t('price.memberWord') : t('price.reduced');
}

/**
 * What the lines contain of tax, where it is known: for each line rounded once, half up, as the order will have it.
 * @param {any} of the cart @param {import('/shop/state.js').Tax} [ofLevel]
 * @returns {{rate: string, name: string, cents: number}[]}
 */
function taxes(of, ofLevel) {
  const { events, combos } = basket.peek();
  /** @type {Map<string, {rate: string, name: string, cents: number}>} */
  const found = new Map();
  const add = (/** @type {any} */ line, /** @type {import('/shop/state.js').Tax | undefined} */ tax) => {
    if (!tax) return;
    const rate = cents(tax.rate);
    const one = found.get(`${rate} ${tax.name}`) ?? { ...tax, cents: 0 };
    one.cents += Math.floor((2 * cents(line.amount) * rate + 10_000 + rate) / (2 * (10_000 + rate)));
    found.set(`${rate} ${tax.name}`, one);
  };
  for (const line of of.items) {
    const visit = Object.values(events).find((one) => one.slot === line.eventId);
    add(line, line.membershipInfo ? ofLevel : line.ticketingTypeId ? visit?.types[line.ticketingTypeId]?.tax : visit?.extras[line.inventoryId]?.tax);
  }
  for (const line of of.comboItems) add(line, combos[line.comboTemplateId]?.tax);
  return [...found.values()].filter((one) => one.cents > 0).sort((a, b) => cents(b.rate) - cents(a.rate));
}

/** Where the choice, or that of one time, was made. @param {string} [slot] @returns {import('/shop/state.js').Route} */
function whereChosen(slot) {
  const { events, combos } = basket.peek();
  const visits = Object.entries(events).filter(([, visit]) => sum(visit.quantities) > 0 && (!slot || visit.slot === slot));
  if (visits.length) return { event: visits[0][0], slot: visits[0][1].slot };
  const together = Object.entries(combos).filter(([, combo]) => sum(combo.quantities) > 0);
  return together.length ? { combo: together[0][0] } : {};
}

/** @param {{kind: 'tickets' | 'membership', onCoupon: (codes: string[]) => Promise<void>, coupons: string[], editable: boolean, tax?: import('/shop/state.js').Tax}} of */
function Summary({ kind, onCoupon, coupons, editable, tax }) {
  const now = useValue(cart);
  const chosen = useValue(basket);
  const over = useValue(beyondLimit);
  const tooMany = useValue(overLimit);
  const [code, setCode] = useState('');
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const starts = new Map(Object.values(chosen.events).map((visit) => [visit.slot, visit.start]));
  const full = now.items.reduce((/** @type {number} */ all, /** @type {any} */ l) => all + cents(l.retailUnitPrice) * l.quantity, 0)
    + now.comboItems.reduce((/** @type {number} */ all, /** @type {any} */ l) => all + cents(l.retailUnitPrice) * l.quantity, 0);
  const total = cartTotal(now);
  const wrong = (now.couponMessages ?? []).map((/** @type {any} */ m) => m.code);
  const apply = async (/** @type {any} */ event) => {
    event.preventDefault();
    const typed = code.trim();
    if (!typed) return setFault(t('coupon.missing'));
    setBusy(true);
    try {
      await onCoupon([...coupons.filter((c) => !wrong.includes(c)), typed]);
      const said = cart.peek().couponMessages?.find((/** @type {any} */ m) => m.code.toLowerCase() === typed.toLowerCase());
      if (said) {
        setFault(t('coupon.refused', { code: typed }));
        await onCoupon(coupons.filter((c) => c !== typed));
      } else {
        setFault('');
        setCode('');
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setFault(reason(error));
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  const row = (/** @type {any} */ line, /** @type {string} */ name, /** @type {string} */ detail) => {
    const words = priceWords(line);
    return html`<li class="line" key=${line.itemId}><div><span>${line.quantity > 1 || line.ticketingTypeId ? `${number(line.quantity)} × ` : ''}${name}</span>
      ${detail && html`<p class="muted small">${detail}</p>`}${words && html`<p class=${line.isRetail ? 'small muted' : 'small why'}>${words}</p>`}</div>
      <span class="digits">${cents(line.retailUnitPrice) > cents(line.unitPrice) && html`<s class="muted"><span class="visually-hidden">${t('price.everybody')} </span>${money(cents(line.retailUnitPrice) * line.quantity)}</s> `}${money(cents(line.amount))}</span></li>`;
  };
  return html`<section class="summary stack" aria-labelledby="summary-title">
    <h2 id="summary-title">${t('summary.title')}</h2>
    <ul class="plain list">
      ${now.items.map((/** @type {any} */ line) => (line.membershipInfo
        ? row(line, `${line.membershipInfo.membershipCategoryName}, ${line.membershipInfo.membershipOfferingName}`, t('join.term', { from: dateOnly(line.membershipInfo.startDate), to: dateOnly(line.membershipInfo.expirationDate) }))
        : row(line, line.ticketingTypeId ? line.ticketingTypeName : line.inventoryName, line.ticketingTypeId ? `${line.eventName}, ${dayAndTime(starts.get(line.eventId) ?? api.now())}` : '')))}
      ${now.comboItems.map((/** @type {any} */ line) => row(line, `${line.comboName}, ${line.ticketingTypeName}`, Object.values(chosen.combos[line.comboTemplateId]?.slots ?? {}).map((p) => `${p.name}, ${dayAndTime(p.start)}`).join('; ')))}
    </ul>
    ${over > 0 && html`<p class="small">${t('price.beyond', { n: over })}</p>`}
    ${tooMany && html`<${Notice} kind="warn" alert><p>${t('price.limit')}</p></${Notice}>`}
    <dl class="sums">
      ${full > total && html`<div><dt>${t('summary.saved')}</dt><dd class="digits">−${money(full - total)}</dd></div>`}
      <div class="total"><dt>${t('summary.total')}</dt><dd class="digits">${money(total)}</dd></div>
      ${taxes(now, tax).map((one) => html`<div class="muted small"><dt>${taxWords(one)}</dt><dd class="digits">${money(one.cents)}</dd></div>`)}
    </dl>
    ${editable && html`<form class="coupon" onSubmit=${apply} novalidate>
      <${Field} id="coupon" label=${t('coupon.label')} optional autocomplete="off" autocapitalize="characters" spellcheck="false" value=${code} fault=${fault} onValue=${setCode} />
      <button type="submit" class="quiet">${busy ? t('coupon.trying') : t('coupon.apply')}</button></form>
      ${coupons.length > 0 && html`<ul class="plain">${coupons.map((one) => html`<li class="row between"><span role="status">${t('coupon.applied', { code: one })}</span>
        <button type="button" class="link" onClick=${() => onCoupon(coupons.filter((c) => c !== one))}>${t('coupon.remove', { code: one })}</button></li>`)}</ul>`}`}
    ${editable && kind === 'tickets' && html`<p class="row"><a href=${href(whereChosen())}>${t('summary.change')}</a>
      <a href=${href({})}>${t('summary.more')}</a></p>`}
  </section>`;
}

/** One question of a venue's form. @param {{id: string, field: any, value: any, fault: string, onValue: (v: any) => void}} of */
function Question({ id, field, value, fault, onValue }) {
  const label = field.label || field.name;
  if (field.type === 'checkbox') return html`<${Check} id=${id} label=${label} fault=${fault} value=${value} optional=${!field.required} onValue=${onValue} />`;
  const rest = field.type === 'choice' ? { options: field.options }
    : field.type === 'number' ? { inputmode: 'decimal', maxlength: 13 }
    : field.type === 'date' ? { type: 'date' } : { maxlength: 2000 };
  return html`<${Field} id=${id} label=${label} optional=${!field.required} fault=${fault} value=${value} autocomplete="off" onValue=${onValue} ...${rest} />`;
}

/** Faults of the answers to a form. @param {any[]} forms */
function checkForms(forms) {
  /** @type {Record<string, string>} */
  const faults = {};
  for (const form of forms) {
    const given = answers.peek()[form.formResponseId] ?? {};
    const any = Object.values(given).some((v) => v !== '' && v !== undefined && v !== false);
    if (!form.required && !any) continue;
    for (const field of form.fields ?? []) {
      const value = given[field.name];
      const id = `f-${form.formResponseId}-${field.name}`;
      const label = field.label || field.name;
      if (field.required && (value === undefined || value === '' || value === false)) faults[id] = t('form.missing', { label });
      else if (field.type === 'number' && value && !/^\d+([.]\d+)?$/.test(value)) faults[id] = t('form.number', { label });
    }
  }
  return faults;
}

/** The answers are sent; what is refused is told at its field. @param {any[]} forms @returns {Promise<Record<string, string>>} */
async function sendForms(forms) {
  /** @type {Record<string, string>} */
  const faults = {};
  for (const form of forms) {
    const given = answers.peek()[form.formResponseId] ?? {};
    const fields = (form.fields ?? []).filter((/** @type {any} */ f) => given[f.name] !== undefined && given[f.name] !== '')
      .map((/** @type {any} */ f) => ({ name: f.name, value: given[f.name] }));
    if (!fields.length) continue;
    try {
      await answer(form.formResponseId, fields);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.details.length) throw error;
      for (const { field } of error.details) {
        const at = /\/fields\/(\d+)/.exec(field);
        const name = at ? fields[Number(at[1])]?.name : form.fields[0]?.name;
        const label = form.fields.find((/** @type {any} */ f) => f.name === name)?.label ?? name;
        faults[`f-${form.formResponseId}-${name}`] = t('form.wrong', { label });
      }
    }
  }
  return faults;
}

/**
 * @param {object} of
 * @param {import('/shop/sale.js').Purchase} of.purchase
 * @param {import('/shop/state.js').Route} of.at
 * @param {import('/shop/state.js').Route} of.base the address of this checkout without its step
 * @param {any} [of.Who] asks who it is for, in place of the buyer's name and address
 * @param {() => Record<string, string>} [of.check]
 * @param {any} [of.lead] what is bought, in a sentence
 * @param {import('/shop/state.js').Tax} [of.tax] what the price of a level contains
 * @param {any[]} of.on what the cart is made of: it is written again when this changes
 */
export function Checkout({ purchase, at, base, Who, check, lead, on, tax }) {
  const step = at.step === 'pay' ? 'pay' : 'details';
  const now = useValue(cart);
  const place = useValue(venue);
  const buyer = useValue(payer);
  const given = useValue(answers);
  const expired = useExpired();
  const [failed, setFailed] = useState(/** @type {Refusal | null} */ (null));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [turn, setTurn] = useState(0);
  const [card, setCard] = useState(payment.empty);
  const [busy, setBusy] = useState('');
  const [undecided, setUndecided] = useState(false);
  const [repriced, setRepriced] = useState(false);
  const [how, setHow] = useState(/** @type {payment.How | null} */ (null));
  const [asking, setAsking] = useState(currentSale(purchase.kind).challenge ? 'before' : '');
  const sending = useRef(false);
  /** What was sent of the card last: what is not decided yet is asked for with the same. */
  const lastCard = useRef(/** @type {Record<string, string> | null} */ (null));
  /** The step is changed by a refusal, which is told there. */
  const telling = useRef(false);
  const tell = (/** @type {Record<string, string>} */ all) => {
    setFaults(all);
    setTurn((/** @type {number} */ n) => n + 1);
    return Object.keys(all).length > 0;
  };

  // What is shown is held and priced, and nothing that was chosen before.
  const [ready, setReady] = useState(false);
  const begin = async () => {
    setFailed(null);
    try {
      await Promise.all([prepare(purchase), payment.load().then(setHow)]);
      setReady(true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setFailed(error);
    }
  };
  const goTo = (/** @type {'details' | 'pay'} */ to) => {
    telling.current = step !== to;
    go({ ...base, step: to }, { replace: to === 'pay' });
  };
  const checkedWhilePaying = wasPaying(purchase.kind) && !undecided && !sending.current;
  useEffect(() => {
    if (asking) return;
    setReady(false);
    begin();
  }, [JSON.stringify(on)]);
  useLayoutEffect(() => {
    if (failed || asking) toHeading();
  }, [failed, asking]);
  useEffect(() => {
    document.title = `${t(asking ? 'ask.title' : step === 'pay' ? 'pay.title' : 'details.title')} · ${venue.peek().name}`;
  }, [step, asking]);
  useLayoutEffect(() => {
    if (!telling.current) setFaults({});
    telling.current = false;
    if (asking) return;
    // Who pays is not kept: after a reload it is asked once more.
    if (step === 'pay' && !looksLikeMail(buyer.email)) go({ ...base, step: 'details' }, { replace: true });
  }, [step]);

  if (asking) {
    const onRefused = async (/** @type {Refusal} */ error) => {
      setAsking('');
      setReady(false);
      await begin();
      const at = error.status === 402 ? payment.refusal(error, card, how ?? await payment.load().catch(() => ({ processor: '', rawCards: true }))) : {};
      const known = looksLikeMail(payer.peek().email);
      goTo(known ? 'pay' : 'details');
      const told = Object.keys(at).length && known ? at : { '': Object.values(at)[0] ?? (error.type === 'PAYMENT_EXPIRED' ? t('ask.expired') : '') };
      tell(Object.values(told)[0] ? told : {});
    };
    return html`<h1>${t('ask.title')}</h1><${Ask} kind=${purchase.kind} fresh=${asking === 'now'} onPaid=${() => {
      setCard(payment.empty);
      go({ view: 'done' }, { replace: true });
    }} onRefused=${onRefused} />`;
  }
  if (failed?.type === 'CART_ALREADY_CHECKED_OUT') {
    return html`<h1>${t('paid.title')}</h1><${Notice} kind="good"><p>${t('paid.text')}</p>
      <p class="row"><a class="button" href=${href({ view: 'order' })} onClick=${() => end(purchase.kind)}>${t('paid.find')}</a>
      <button type="button" class="quiet" onClick=${() => {
        end(purchase.kind);
        go({});
      }}>${t('paid.new')}</button></p></${Notice}>`;
  }
  if (failed) {
    const few = failed.type === 'NOT_ENOUGH_CAPACITY' || failed.type === 'SALES_CLOSED';
    const left = failed.body.availableSeats ?? 0;
    return html`<h1>${few && !failed.body.inventoryId ? t('soldOut.title') : t('details.title')}</h1>
      ${few ? html`<${Notice} kind="bad" alert><p>${failed.type === 'SALES_CLOSED' ? t('soldOut.closed') : failed.body.inventoryId ? t('soldOut.extra', { n: failed.body.availablePieces ?? 0 }) : left > 0 ? t('soldOut.some', { n: left }) : t('soldOut.none')} ${t('soldOut.safe')}</p>
          <p><a class="button" href=${href(whereChosen(failed.body.eventId))} onClick=${() => setFailed(null)}>${failed.body.inventoryId ? t('summary.change') : t('soldOut.other')}</a></p></${Notice}>`
        : html`<${Notice} kind="bad" alert title=${t('error.title')}><p>${reason(failed)} ${t('error.kept')}</p>
          <p class="row"><button type="button" onClick=${begin}>${t('error.again')}</button></p></${Notice}>`}`;
  }
  if (!now || !ready || !how) return html`<h1>${t('details.title')}</h1><p class="muted">${purchase.kind === 'tickets' ? t('hold.taking') : t('loading')}</p><${Loading} lines=${4} />`;
  const seats = purchase.seats().reduce((all, s) => all + s.quantity, 0);
  const total = cartTotal(now);
  const forms = (now.forms ?? []).filter((/** @type {any} */ f) => f.fields?.length);

  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => {
    payer.value = { ...payer.peek(), [name]: value };
  };
  const onDetails = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (sending.current) return;
    /** @type {Record<string, string>} */
    const wrong = { ...(check?.() ?? {}) };
    if (!Who) {
      if (!buyer.firstName.trim()) wrong.firstName = t('details.fault.firstName');
      if (!buyer.lastName.trim()) wrong.lastName = t('details.fault.lastName');
      if (!looksLikeMail(buyer.email)) wrong.email = t('details.fault.email');
    }
    if (tell({ ...wrong, ...checkForms(forms) })) return;
    sending.current = true;
    setBusy('details');
    try {
      if (tell(await sendForms(forms))) return;
      if (Who) await prepare(purchase);
      go({ ...base, step: 'pay' });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.type === 'NOT_ENOUGH_CAPACITY' || error.type === 'SALES_CLOSED') setFailed(error);
      else tell({ '': error.details.length && Who ? t('join.fault.refused') : reason(error) });
    } finally {
      sending.current = false;
      setBusy('');
    }
  };
  const onPay = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (sending.current) return;
    setRepriced(false);
    if (total > 0 && tell(payment.check(card, how))) return;
    sending.current = true;
    setBusy('pay');
    try {
      if (!(undecided && lastCard.current)) {
        const made = total > 0 ? await payment.body(card, how) : { body: {} };
        if (!made.body) return void tell(made.faults ?? {});
        lastCard.current = made.body;
      }
      await pay(purchase, {
        billingFirstName: buyer.firstName.trim(), billingLastName: buyer.lastName.trim(), billingEmail: buyer.email.trim(),
      }, lastCard.current);
      lastCard.current = null;
      setCard(payment.empty);
      go({ view: 'done' }, { replace: true });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setUndecided(error.undecided);
      if (error.undecided) return;
      lastCard.current = null;
      if (error.type === 'PAYMENT_ACTION_REQUIRED') {
        setFaults({});
        setAsking('now');
        return;
      }
      const at = payment.refusal(error, card, how);
      if (Object.keys(at).length) tell(at);
      else if (error.details.some(({ field }) => field === '/billingEmail')) {
        goTo('details');
        tell({ email: t('details.fault.email') });
      } else if (error.type === 'PRICE_CHANGED') {
        await begin();
        setRepriced(true);
      } else if (error.type === 'NOT_ENOUGH_CAPACITY' || error.type === 'SALES_CLOSED' || error.type === 'CART_ALREADY_CHECKED_OUT') setFailed(error);
      else if (error.type === 'RESERVATION_EXPIRED') tell({});
      else if (error.type === 'PAYMENT_EXPIRED') tell({ '': t('ask.expired') });
      else if (error.type === 'COUPON_USED_UP' || error.type === 'COUPON_NOT_VALID') tell({ coupon: t('coupon.gone') });
      else if (error.type === 'FORMS_INCOMPLETE') {
        await begin();
        goTo('details');
        tell(checkForms((cart.peek()?.forms ?? []).filter((/** @type {any} */ f) => f.fields?.length)));
      } else if (error.type === 'ENTITLEMENTS_VIOLATED') {
        await begin();
        tell({ '': t('price.limit') });
      } else tell({ '': reason(error) });
    } finally {
      sending.current = false;
      setBusy('');
    }
  };
  const holdAgain = html`<${HoldAgain} seats=${seats} again=${begin} />`;
  const coupons = purchase.kind === 'tickets' ? basket.peek().coupons : couponsOfMembership.peek();
  const onCoupon = async (/** @type {string[]} */ codes) => {
    if (purchase.kind === 'tickets') setBasket({ ...basket.peek(), coupons: codes });
    else couponsOfMembership.value = codes;
    await prepare(purchase);
  };
  const steps = html`<ol class="plain steps" aria-label=${t('steps.label')}>
    <li aria-current=${step === 'details' ? 'step' : undefined}>${step === 'pay' ? html`<a href=${href({ ...base, step: 'details' })}>${t('steps.details')}</a>` : t('steps.details')}</li>
    <li aria-current=${step === 'pay' ? 'step' : undefined}>${t('steps.pay')}</li></ol>`;
  const errors = html`<${Faults} faults=${faults} turn=${turn} />`;
  return html`<h1>${step === 'pay' ? t('pay.title') : t('details.title')}</h1>
    ${lead}${steps}
    ${seats > 0 && html`<${Timer} seats=${seats} />`}
    <div class="columns"><div>
    ${undecided || checkedWhilePaying && step === 'pay' ? html`<${Notice} kind="warn" alert title=${t('pay.undecided')}><p>${t('pay.undecidedHelp')}</p></${Notice}>` : ''}
    ${repriced && html`<${Notice} kind="warn" alert title=${t('pay.repriced')}><p>${t('pay.repricedHelp', { amount: money(total) })}</p></${Notice}>`}
    ${errors}
    ${step === 'details' ? html`<form onSubmit=${onDetails} novalidate aria-label=${t('details.title')}>
      ${Who ? html`<${Who} faults=${faults} />` : html`<fieldset class="stack"><legend>${t('details.you')}</legend>
        <div class="pair">
          <${Field} id="firstName" label=${t('details.firstName')} autocomplete="given-name" value=${buyer.firstName} fault=${faults.firstName} onValue=${set('firstName')} />
          <${Field} id="lastName" label=${t('details.lastName')} autocomplete="family-name" value=${buyer.lastName} fault=${faults.lastName} onValue=${set('lastName')} />
        </div>
        <${Field} id="email" type="email" inputmode="email" label=${t('details.email')} hint=${t('details.emailHint')} autocomplete="email" value=${buyer.email} fault=${faults.email} onValue=${set('email')} />
      </fieldset>`}
      ${forms.map((/** @type {any} */ form) => html`<fieldset class="stack" key=${form.formResponseId}><legend>${form.formName ?? form.name ?? t('form.title', { event: form.itemName })}</legend>
        ${form.description && html`<p class="muted">${plainText(form.description)}</p>`}
        ${!form.required && html`<p class="muted">${t('form.optional')}</p>`}
        ${form.fields.map((/** @type {any} */ field) => {
          const id = `f-${form.formResponseId}-${field.name}`;
          return html`<${Question} key=${id} id=${id} field=${field} value=${given[form.formResponseId]?.[field.name]} fault=${faults[id]} onValue=${(/** @type {any} */ v) => {
            answers.value = { ...answers.peek(), [form.formResponseId]: { ...answers.peek()[form.formResponseId], [field.name]: v } };
          }} />`;
        })}</fieldset>`)}
      ${expired ? holdAgain : html`<button type="submit" class="wide">${busy ? t('details.sending') : t('details.next')}</button>`}
    </form>`
    : html`<form onSubmit=${onPay} novalidate aria-label=${t('pay.title')}>
      ${total > 0 ? html`<${payment.Fields} card=${card} how=${how} total=${total} faults=${faults} onCard=${setCard} />` : html`<p class="lead">${t('pay.nothing')}</p>`}
      ${expired ? holdAgain : html`<button type="submit" class="wide">${busy ? t('pay.sending') : undecided ? t('pay.checkAgain') : total > 0 ? t('pay.button', { amount: spokenMoney(total) }) : t('pay.buttonFree')}</button>`}
      <p role="status" class="muted">${busy === 'pay' ? t('pay.wait') : ''}</p>
      <p class="muted small">${t(purchase.kind === 'tickets' ? 'pay.receipt' : 'join.receipt', { email: buyer.email })}</p>
      <p class="row small">${place.terms && html`<a href=${place.terms} target="_blank" rel="noopener">${t('foot.terms')}</a>`}
        ${place.privacy && html`<a href=${place.privacy} target="_blank" rel="noopener">${t('foot.privacy')}</a>`}</p>
    </form>`}
    <p><button type="button" class="link" onClick=${async () => {
      await giveUp(purchase.kind);
      go({});
    }}>${seats > 0 ? t('hold.giveUp') : t('details.giveUp')}</button></p>
    </div>
    <${Summary} kind=${purchase.kind} coupons=${coupons} onCoupon=${onCoupon} editable=${!busy} tax=${tax} /></div>`;
}

/** Codes of a purchase of a membership. */
export const couponsOfMembership = signal(/** @type {string[]} */ ([]));

/** @param {{at: import('/shop/state.js').Route}} of */
export default function TicketCheckout({ at }) {
  const chosen = useValue(basket);
  if (totals(chosen).seats === 0) {
    return html`<h1>${t('empty.title')}</h1><${Notice}><p>${t('empty.text')}</p><p class="row"><a class="button" href=${href({})}>${t('event.all')}</a>
      <a class="button quiet" href=${href({ view: 'done' })}>${t('empty.done')}</a></p></${Notice}>`;
  }
  return html`<${Checkout} purchase=${ticketPurchase} at=${at} base=${{}} on=${[chosen.events, chosen.combos, chosen.donation]} />`;
}
