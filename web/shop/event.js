// @ts-check
/** One event: its text, its days, its times, its prices, and how many of what. */
import { html, useEffect, useLayoutEffect, useLoad, useRef, useState, useValue, Count, Failed, Loading, Notice, Paragraphs } from '/shared/ui.js';
import { addDays, dayInFull, dayKey, dayShort, money, ofDay, range, t, time } from '/shared/intl.js';
import { Refusal } from '/shared/client.js';
import { api, asMember, basket, bothPrices, cents, href, member, monthOf, setBasket, sum, taxOf, today, totals, venue } from '/shop/state.js';
import { Left } from '/shop/on.js';
import { loadDays, Month, standing } from '/shop/calendar.js';
import { Bar, Donation } from '/shop/extras.js';

const STRIP = 14;

/** The first day with seats from today on, or the event's first day. @param {string} id */
async function firstDay(id) {
  try {
    const next = await api.get(`/v2/b2c/events/${id}/nextAvailable`, { query: asMember() });
    return dayKey(next.startTime);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

/**
 * Two weeks of days to choose from, and a month on demand.
 * @param {{event: string, day: string | null, to: (day: string) => import('/shop/state.js').Route, at: import('/shop/state.js').Route}} of
 */
export function Days({ event, day, to, at }) {
  const [from, setFrom] = useState(day ?? today());
  const [month, setMonth] = useState(false);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (day && (day < from || day >= addDays(from, STRIP))) setFrom(day);
  }, [day]);
  const to14 = addDays(from, STRIP - 1);
  const back = addDays(from, -STRIP) < today() ? today() : addDays(from, -STRIP);
  const { data, error, reload } = useLoad(() => loadDays(back, to14, event), [from, event]);
  // The first day that has anything: nothing is earlier.
  const begins = useRef(/** @type {string | null} */ (null));
  if (data && back === today()) begins.current = data.find((/** @type {any} */ one) => standing(one) !== 'none')?.key ?? from;
  const earlier = back > today() || (begins.current !== null && from > begins.current);
  const days = Array.from({ length: STRIP }, (_, n) => addDays(from, n));
  return html`<div class="stack" role="group" aria-labelledby=${`days-${event}`}>
    <div class="row between"><h2 id=${`days-${event}`}>${t('event.day')}</h2>
      <div class="row">
        ${earlier && html`<button type="button" class="quiet" onClick=${() => setFrom(back)}>${t('event.daysBefore')}</button>`}
        <button type="button" class="quiet" onClick=${() => setFrom(addDays(from, STRIP))}>${t('event.daysAfter')}</button>
        <button type="button" class="quiet" aria-expanded=${month ? 'true' : 'false'} onClick=${() => setMonth(!month)}>${t('event.month')}</button>
      </div></div>
    ${month && html`<${Month} month=${at.month ?? monthOf(day ?? from)} event=${event} chosen=${day ?? ''} to=${to} turn=${(/** @type {string} */ m) => ({ ...at, month: m })} />`}
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : html`
    <ul class="plain strip" ref=${list} aria-busy=${!data}>${days.map((key) => {
      const state = data ? standing(data.find((/** @type {any} */ d) => d.key === key)) : 'none';
      const inside = html`<span class="small">${ofDay(key, { weekday: 'short' })}</span> <strong>${ofDay(key, { day: 'numeric' })}</strong> <span class="small">${ofDay(key, { month: 'short' })}</span><span class="visually-hidden">: ${t(`day.${state}`)}</span>
        <span class="small mark" aria-hidden="true">${data ? t(`day.${state}.short`) : ''}</span>`;
      return html`<li key=${key}>${state === 'free' || state === 'few'
        ? html`<a class=${`daybox ${state}`} data-still href=${href(to(key))} aria-current=${key === day ? 'date' : undefined}>${inside}</a>`
        : html`<span class=${`daybox ${state}`}>${inside}</span>`}</li>`;
    })}</ul>`}
  </div>`;
}

/**
 * The times of a day, with what is left of each.
 * @param {{event: string, times: any[] | undefined, slot?: string, to: (slot: string) => import('/shop/state.js').Route, day: string}} of
 */
export function Times({ event, times, slot, to, day }) {
  return html`<div class="stack" role="group" aria-labelledby=${`times-${event}`}>
    <h2 id=${`times-${event}`}>${dayInFull(day)}</h2>
    ${times === undefined ? html`<${Loading} lines=${2} block />`
      : times.length === 0 ? html`<${Notice}><p>${t('event.noTimes')}</p></${Notice}>`
      : html`<ul class="plain times">${times.map((one) => html`<li key=${one.id}>${one.availableSeats > 0
        ? html`<a class="time" data-still href=${href(to(one.id))} aria-current=${one.id === slot ? 'true' : undefined}><strong>${time(one.startTime)}</strong> <${Left} left=${one.availableSeats} capacity=${one.event.capacity} count /></a>`
        : html`<span class="time full"><strong>${time(one.startTime)}</strong> <${Left} left=${0} capacity=${one.event.capacity} /></span>`}</li>`)}</ul>`}
  </div>`;
}

/** What a ticket costs, for everybody and for the member, with the reason. @param {{price: any}} of */
function Price({ price }) {
  const { cents: mine, retail } = bothPrices(price);
  const known = member.peek()?.memberships[0];
  if (!known || mine === retail) return html`<span class="price">${mine === 0 ? t('on.free') : money(mine)}</span>`;
  return html`<span class="price"><s class="muted"><span class="visually-hidden">${t('price.everybody')} </span>${money(retail)}</s>
    <strong>${mine === 0 ? t('on.free') : money(mine)}</strong> <span class="tag good">${t('price.member', { level: known.levelName })}</span></span>`;
}

/**
 * Ticket types with how many of each.
 * @param {{prices: any[], quantities: Record<string, number>, max: number, onCount: (id: string, n: number) => void, choosing: boolean}} of
 */
export function Tickets({ prices, quantities, max, onCount, choosing }) {
  const left = max - sum(quantities);
  return html`<ul class="plain list">${prices.map((price) => {
    const type = price.personType;
    const n = quantities[type.id] ?? 0;
    return html`<li key=${type.id} class="item">
      <div><strong>${type.name}</strong>${type.description && html`<p class="muted small">${type.description}</p>`}<${Price} price=${price} /></div>
      ${choosing && html`<${Count} id=${`n-${type.id}`} label=${type.name} value=${n} max=${n + Math.max(0, left)} onValue=${(/** @type {number} */ v) => onCount(type.id, v)} />`}
    </li>`;
  })}</ul>`;
}

/** @param {{at: import('/shop/state.js').Route}} of */
export default function Event({ at }) {
  const id = /** @type {string} */ (at.event);
  const known = useValue(member);
  const number = known?.memberships[0].number;
  const chosen = useValue(basket);
  const visit = chosen.events[id];
  const event = useLoad(() => api.get(`/v2/b2c/event/templates/${id}`, { query: asMember() }), [id, number]);
  const first = useLoad(async () => (at.day ? at.day : at.slot ? null : firstDay(id)), [id, number, !at.day && !at.slot]);
  const alone = useLoad(async () => (at.slot && !at.day ? api.get(`/v2/b2c/events/${at.slot}`, { query: asMember() }) : null), [at.slot, !at.day]);
  const day = at.day ?? (alone.data ? dayKey(alone.data.startTime) : first.data) ?? null;
  const times = useLoad(async () => (day ? api.get(`/v2/b2c/event/templates/${id}/times`, { query: { ...range(day, day), ...asMember() } }) : []), [id, day, number]);
  const slot = times.data?.find((/** @type {any} */ one) => one.id === at.slot);

  useEffect(() => {
    if (event.data) document.title = `${event.data.name} · ${venue.peek().name}`;
  }, [event.data]);

  // A choice moves with its time, and its prices are those that are shown: at once, so that nothing else is held meanwhile.
  useLayoutEffect(() => {
    if (!slot || !event.data) return;
    const before = basket.peek().events[id];
    const types = Object.fromEntries(slot.event.priceList.prices.map((/** @type {any} */ p) => [p.personType.id, { name: p.personType.name, ...bothPrices(p), ...taxOf(p.personType) }]));
    const quantities = Object.fromEntries(Object.entries(before?.quantities ?? {}).filter(([type]) => type in types));
    const extras = Object.fromEntries((event.data.addOns?.inventoryAddOns ?? []).map((/** @type {any} */ a) => [a.id, { name: a.name, cents: cents(a.price), retail: cents(a.price), ...taxOf(a) }]));
    const addOns = Object.fromEntries(Object.entries(before?.addOns ?? {}).filter(([extra]) => extra in extras));
    setBasket({ ...basket.peek(), events: { ...basket.peek().events, [id]: { name: event.data.name, slot: slot.id, start: slot.startTime, quantities, types, addOns, extras } } });
  }, [slot, event.data]);

  if (event.error) {
    return html`<h1>${t('event.missing')}</h1>${event.error.status === 404
      ? html`<${Notice}><p>${known ? t('event.gone') : t('event.goneOrMembers')}</p><p><a class="button" href=${href({})}>${t('event.all')}</a></p></${Notice}>`
      : html`<${Failed} error=${event.error} retry=${event.reload} />`}`;
  }
  if (!event.data) return html`<h1 class="visually-hidden">${t('loading')}</h1><${Loading} lines=${4} block />`;
  const it = event.data;
  const prices = slot?.event.priceList?.prices ?? it.priceLists[0]?.prices ?? [];
  const here = visit && slot && visit.slot === slot.id ? visit : null;
  const full = at.slot && times.data && (!slot || slot.availableSeats === 0);
  const onCount = (/** @type {string} */ type, /** @type {number} */ n) => {
    const before = basket.peek().events[id];
    const quantities = { ...before.quantities, [type]: n };
    if (!n) delete quantities[type];
    setBasket({ ...basket.peek(), events: { ...basket.peek().events, [id]: { ...before, quantities } } });
  };
  const onAddOn = (/** @type {number} */ extra, /** @type {number} */ n) => {
    const before = basket.peek().events[id];
    const addOns = /** @type {Record<string, number>} */ ({ ...before.addOns, [extra]: n });
    if (!n) delete addOns[extra];
    setBasket({ ...basket.peek(), events: { ...basket.peek().events, [id]: { ...before, addOns } } });
  };
  const addOns = (it.addOns?.inventoryAddOns ?? []).filter((/** @type {any} */ a) => a.type === 'addOn');
  const saves = (it.membership?.discounts ?? []).length > 0;
  return html`
    ${it.images?.filter((/** @type {any} */ i) => i.primary && /^https:/.test(i.id)).map((/** @type {any} */ i) => html`<img class="hero" src=${i.id} alt=${i.description ?? ''} width="960" height="400" />`)}
    <h1>${it.name}</h1>
    <div class="prose"><${Paragraphs} text=${it.description} /></div>
    ${first.data === null && !at.slot && !at.day ? html`<${Notice}><p>${t('on.noDate')}</p></${Notice}>`
      : first.data === undefined && !day ? html`<${Loading} lines=${3} />`
      : html`<${Days} event=${id} day=${day} at=${at} to=${(/** @type {string} */ key) => ({ event: id, day: key })} />`}
    ${times.error ? html`<${Failed} error=${times.error} retry=${times.reload} />`
      : day && html`<${Times} event=${id} day=${day} times=${times.data} slot=${at.slot} to=${(/** @type {string} */ s) => ({ event: id, day, slot: s })} />`}
    ${times.stale && html`<${Notice} kind="warn"><p>${t('stale', { time: time(times.at ?? 0) })}</p></${Notice}>`}
    ${full && html`<${Notice} kind="warn" alert title=${t('event.full')}><p>${t('event.fullHelp')}</p></${Notice}>`}
    <section class="stack" aria-labelledby="tickets-title">
      <h2 id="tickets-title" aria-live="polite">${slot ? t('event.ticketsFor', { when: `${dayShort(slot.startTime)}, ${time(slot.startTime)}` }) : t('event.prices')}</h2>
      ${!slot && !full && html`<p class="muted">${t('event.chooseTime')}</p>`}
      <${Tickets} prices=${prices} quantities=${here?.quantities ?? {}} max=${slot?.availableSeats ?? 0} choosing=${Boolean(here) && !full} onCount=${onCount} />
      ${!known && saves && html`<p>${t('event.member')} <a href=${href({ ...at, view: 'member' })}>${t('event.memberLogin')}</a> · <a href=${href({ view: 'membership' })}>${t('event.memberJoin')}</a></p>`}
      ${known && html`<p class="muted">${t('event.asMember', { level: known.memberships[0].levelName })} ${saves && t('event.asMemberLimit')}</p>`}
    </section>
    ${here && sum(here.quantities) > 0 && addOns.length > 0 && html`<section class="stack" aria-labelledby="extras-title"><h2 id="extras-title">${t('event.addOns')}</h2>
      <ul class="plain list">${addOns.map((/** @type {any} */ extra) => html`<li key=${extra.id} class="item">
        <div><strong>${extra.name}</strong>${extra.description && html`<p class="muted small">${extra.description}</p>`}<span class="price">${money(cents(extra.price))}</span></div>
        <${Count} id=${`x-${extra.id}`} label=${extra.name} value=${here.addOns[extra.id] ?? 0} onValue=${(/** @type {number} */ n) => onAddOn(extra.id, n)} /></li>`)}</ul></section>`}
    ${totals(chosen).seats > 0 && html`<${Donation} /><${Bar} />`}`;
}
