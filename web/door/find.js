// @ts-check
/** Looking up who has no code to show, and letting in several of an order. */
import { html, signal, useEffect, useLayoutEffect, useRef, useState, useValue, Loading, Notice, reason } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { t } from '/shared/intl.js';
import { admitTickets, forgetScans, verdict } from '/door/admit.js';
import { ask, credentials, go, href, reach, route, settings } from '/door/state.js';
import { changed, forget, tickets, watched } from '/door/list.js';
import { Last } from '/door/scanner.js';
import { nameOf, when } from '/door/words.js';

/** @typedef {{ticketId: string, orderId: string, orderNumber: string, ticketTypeName: string, eventId: string, eventName: string, eventDate: string, status: string, inside: boolean, entries: number, checkInDate: string | null}} Place */
/** @typedef {{orderId: string, orderNumber: string, firstName: string, lastName: string, places: Place[]}} Order */

/** The order that is looked at. It is of a person, so that it is never in the address. @type {{value: {orderId?: string, orderNumber?: string, order?: Order} | null, peek: () => any, subscribe: any}} */
const opened = signal(/** @type {any} */ (null));
/** What was looked for, until the page is closed. */
let words = '';

/** @param {import('/door/admit.js').Verdict} of */
export async function openOrderOf(of) {
  opened.value = { orderId: of.result.orderId, orderNumber: of.result.orderNumber ?? (of.key === 'order' ? of.code : undefined) };
}

/** Leaves nothing of persons in the page: what signing out does, and signing in at another venue. */
export async function forgetPersons() {
  words = '';
  opened.value = null;
  forget();
  await forgetScans();
}

/** @param {any} short an order in short @returns {Order} */
const fromService = (short) => ({
  orderId: short.orderId, orderNumber: short.orderNumber, firstName: short.firstName, lastName: short.lastName,
  places: short.events.flatMap((/** @type {any} */ event) => event.items.flatMap((/** @type {any} */ item) => item.tickets.map((/** @type {any} */ one) => ({
    ticketId: one.ticketId, orderId: short.orderId, orderNumber: short.orderNumber, ticketTypeName: item.ticketTypeName, eventId: event.eventId, eventName: event.eventName,
    eventDate: event.eventDate, status: one.ticketStatus, inside: one.inside, entries: one.entries, checkInDate: one.checkInDate,
  })))),
});

/** The orders of the lists. @param {(ticket: import('/door/list.js').Ticket) => boolean} fits @returns {Order[]} */
function fromLists(fits) {
  /** @type {Map<string, Order>} */
  const orders = new Map();
  for (const { ticket, about } of tickets()) {
    if (!fits(ticket)) continue;
    const order = orders.get(ticket.orderId) ?? { orderId: ticket.orderId, orderNumber: ticket.orderNumber, firstName: ticket.firstName, lastName: ticket.lastName, places: [] };
    order.places.push({ ticketId: ticket.ticketId, orderId: ticket.orderId, orderNumber: ticket.orderNumber, ticketTypeName: ticket.ticketTypeName, eventId: about.eventId, eventName: about.eventName,
      eventDate: about.startTime, status: ticket.status, inside: ticket.state === 'inside', entries: ticket.state === 'inside' || ticket.state === 'left' ? 1 : 0, checkInDate: ticket.checkInDate });
    orders.set(ticket.orderId, order);
  }
  return [...orders.values()];
}

/** Names as they are compared: without case and accents. @param {string} text */
const plain = (text) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').trim();

const SHOWN = 20;

/** @param {Place} one */
const valid = (one) => one.status.toLowerCase() === 'normal';
/** @param {Order} order */
const numbers = (order) => {
  const all = order.places.filter(valid);
  return t('share', { n: all.filter((one) => one.entries > 0).length, of: all.length });
};

/** @param {{order: Order, other?: boolean}} of */
function Found({ order, other }) {
  const first = order.places[0];
  return html`<li><a class="slot" href=${href({ event: route.peek().event, view: 'order' })} onClick=${() => {
    opened.value = { orderId: order.orderId, orderNumber: order.orderNumber, order };
  }}><span class="slot-text"><strong>${nameOf(order) || t('find.noName')}</strong>
    <span class="small muted digits">${t('find.order', { number: order.orderNumber })}${other && first ? ` · ${first.eventName}, ${when(first.eventDate)}` : ''}</span></span>
    <span class="slot-count digits">${numbers(order)}</span></a></li>`;
}

export default function Find() {
  const [text, setText] = useState(words);
  const [far, setFar] = useState(/** @type {{of: string, orders?: Order[], error?: Refusal}} */ ({ of: '' }));
  const line = useValue(reach);
  useValue(changed);
  const asked = plain(text);
  // The service compares names with their accents.
  const exact = text.trim().toLowerCase();
  useEffect(() => {
    document.title = t('find.title');
  }, []);
  useEffect(() => {
    words = text;
    if (asked.length < 3 || line !== 'on' || !credentials.peek()) return undefined;
    let gone = false;
    const timer = setTimeout(async () => {
      const number = /^\d{6,12}$/.test(asked.replace(/[\s-]/g, ''));
      try {
        const { body } = await ask('GET', '/v2/b2b/orders/search', { ms: 8000, query: number ? { orderNumber: asked.replace(/[\s-]/g, '') } : { lastName: text.trim() } });
        if (!gone) setFar({ of: exact, orders: body.list.map(fromService) });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (!gone) setFar({ of: exact, error });
      }
    }, 350);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [exact, line]);
  const digits = asked.replace(/[\s-]/g, '');
  const near = asked.length < 2 ? [] : fromLists((one) => plain(one.lastName ?? '').startsWith(asked) || plain(one.firstName ?? '').startsWith(asked)
    || plain(`${one.firstName} ${one.lastName}`).startsWith(asked) || plain(`${one.lastName} ${one.firstName}`).startsWith(asked.replace(',', '')) || (digits.length > 3 && one.orderNumber.startsWith(digits)))
    .sort((a, b) => plain(`${a.lastName} ${a.firstName}`).localeCompare(plain(`${b.lastName} ${b.firstName}`)));
  const others = far.of === exact ? (far.orders ?? []).filter((order) => !near.some((one) => one.orderId === order.orderId)) : [];
  const searching = asked.length > 2 && line === 'on' && credentials.peek() && far.of !== exact;
  return html`<h1>${t('find.title')}</h1>
    <div class="field part"><label for="name">${t('find.name')}</label><p class="hint" id="name-hint">${t('find.hint')}</p>
      <input id="name" type="search" autocomplete="off" autocapitalize="words" spellcheck="false" enterkeyhint="search" aria-describedby="name-hint" value=${text} onInput=${(/** @type {any} */ e) => setText(e.currentTarget.value)} /></div>
    <p class="small muted" role="status">${asked.length < 2 || !watched.length ? '' : near.length > SHOWN ? t('find.more', { n: SHOWN, of: near.length }) : t('find.found', { n: near.length })}</p>
    <ul class="plain slots">${near.slice(0, SHOWN).map((order) => html`<${Found} order=${order} key=${order.orderId} />`)}</ul>
    ${asked.length > 2 && html`<h2 class="part">${t('find.others')}</h2>
      ${line !== 'on' ? html`<p class="muted">${t('find.offline')}</p>` : searching ? html`<${Loading} lines=${1} />`
        : far.error ? html`<p class="muted">${reason(far.error)}</p>` : others.length ? html`<ul class="plain slots">${others.slice(0, SHOWN).map((order) => html`<${Found} order=${order} other key=${order.orderId} />`)}</ul>`
          : html`<p class="muted">${t('find.noOthers')}</p>`}`}`;
}

/** An order: who of it is in, and letting in more. */
export function OrderView() {
  const of = useValue(opened);
  useValue(changed);
  const line = useValue(reach);
  const { way } = useValue(settings);
  const [far, setFar] = useState(/** @type {Order | null} */ (of?.order ?? null));
  const [state, setState] = useState('loading');
  const [chosen, setChosen] = useState(/** @type {Record<string, boolean>} */ ({}));
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const could = useRef(false);
  useEffect(() => {
    document.title = t('order.title');
    if (!of) go({ event: route.peek().event }, { replace: true });
  }, [of]);
  const load = async () => {
    if (!of?.orderNumber || !credentials.peek() || reach.peek() !== 'on') {
      setState('known');
      return;
    }
    try {
      const { body } = await ask('GET', '/v2/b2b/orders/search', { ms: 8000, query: { orderNumber: of.orderNumber } });
      setFar(body.list[0] ? fromService(body.list[0]) : null);
      setState('known');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setState('known');
    }
  };
  useEffect(() => {
    load();
  }, [of, line]);
  useLayoutEffect(() => {
    // Whoever is let in last takes the button along that has the focus.
    const able = document.getElementById('let-in') !== null;
    if (could.current && !able && [null, document.body].includes(/** @type {any} */ (document.activeElement))) heading.current?.focus({ preventScroll: true });
    could.current = able;
  });
  if (!of) return null;
  const near = fromLists((one) => one.orderId === of.orderId || (of.orderNumber !== undefined && one.orderNumber === of.orderNumber))[0];
  const order = line === 'on' && far ? far : near ?? far;
  if (!order) return html`<h1>${t('order.title')}</h1>${state === 'loading' ? html`<${Loading} lines=${3} />` : html`<p>${t('order.unknown')}</p>`}`;
  const here = order.places.filter((one) => !watched.length || watched.includes(one.eventId));
  const rest = order.places.filter((one) => !here.includes(one));
  const can = here.filter((one) => valid(one) && (way === 'exit' ? one.inside : one.entries === 0));
  const picked = can.filter((one) => chosen[one.ticketId] !== false);
  const groups = Object.entries(can.reduce((/** @type {Record<string, Place[]>} */ all, one) => {
    (all[one.ticketTypeName] ??= []).push(one);
    return all;
  }, {}));
  const admit = async () => {
    // A key that is pressed twice lets in once: the second press is not meant for the button below the verdict.
    if (busy || verdict.peek()) return;
    if (!picked.length) {
      setSaid(t('order.chooseFirst'));
      return;
    }
    setBusy(true);
    setSaid('');
    await admitTickets(picked.map(({ orderId, orderNumber, ticketId }) => ({ orderId, orderNumber, ticketId })));
    setChosen({});
    setBusy(false);
    load();
  };
  const set = (/** @type {Place[]} */ places, /** @type {number} */ n) => setChosen({ ...chosen, ...Object.fromEntries(places.map((one, at) => [one.ticketId, at < n])) });
  const row = (/** @type {Place} */ one) => html`<li class="row-line"><span>${one.ticketTypeName}${!watched.length && html`<br /><span class="muted small">${one.eventName}, ${when(one.eventDate)}</span>`}</span><span class="muted small">${!valid(one) ? t(`status.${one.status.charAt(0).toLowerCase()}${one.status.slice(1)}`)
    : one.checkInDate ? t(one.inside ? 'order.in' : 'order.out', { when: when(one.checkInDate) }) : t('order.notYet')}</span></li>`;
  return html`<h1 ref=${heading} tabindex="-1">${nameOf(order) || t('order.title')}</h1>
    <p class="muted digits">${t('find.order', { number: order.orderNumber })} · ${numbers({ ...order, places: here })}</p>
    ${line !== 'on' && html`<${Notice} kind="warn"><p>${t('order.offline')}</p></${Notice}>`}
    ${can.length > 0 && html`<section class="panel" aria-labelledby="let-in"><h2 id="let-in">${t(way === 'exit' ? 'order.letOut' : 'order.letIn')}</h2>
      ${groups.map(([name, places]) => {
        const n = places.filter((one) => chosen[one.ticketId] !== false).length;
        return html`<div class="row-line" role="group" aria-label=${name}><span>${name}</span><span class="count">
          <button type="button" class="quiet square" aria-label=${t('count.less', { what: name })} aria-disabled=${n <= 0 ? 'true' : undefined} onClick=${() => set(places, Math.max(0, n - 1))}>−</button>
          <output class="digits count-now">${n}</output>
          <button type="button" class="quiet square" aria-label=${t('count.more', { what: name })} aria-disabled=${n >= places.length ? 'true' : undefined} onClick=${() => set(places, Math.min(places.length, n + 1))}>+</button></span></div>`;
      })}
      <button type="button" class="wide" onClick=${admit}>${busy ? t('order.busy') : t(way === 'exit' ? 'order.out.do' : 'order.in.do', { n: picked.length })}</button>
      <p class="small" role="status">${said}</p></section>`}
    ${!can.length && here.length > 0 && html`<${Notice} kind="info"><p>${t(way === 'exit' ? 'order.noneInside' : 'order.allIn')}</p></${Notice}>`}
    ${here.length > 0 && html`<h2 class="part">${t('order.tickets')}</h2><ul class="plain">${here.map(row)}</ul>`}
    ${rest.length > 0 && html`<h2 class="part">${t('order.elsewhere')}</h2><ul class="plain">${rest.map((one) => html`<li class="row-line"><span>${one.ticketTypeName}</span><span class="muted small">${one.eventName}, ${when(one.eventDate)}</span></li>`)}</ul>`}
    <${Last} order=${false} />`;
}
