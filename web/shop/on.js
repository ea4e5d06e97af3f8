// @ts-check
/** What is on: the next dates first, to search and to filter by day. */
import { html, useEffect, useLoad, useMemo, useRef, useState, useValue, DayField, Failed, Loading, Notice, plainText } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { addDays, dayInFull, dayKey, dayShort, money, ofDay, range, t, time } from '/shared/intl.js';
import { api, asMember, bothPrices, go, href, member, moves, route, today, venue } from '/shop/state.js';

/** As many are asked for their next time before the list is shown. */
const WITH_LIST = 4;

/** The next time of one event, or null. @param {string} id */
async function nextOf(id) {
  try {
    return await api.get(`/v2/b2c/events/${id}/nextAvailable`, { query: asMember() });
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

/** @param {string | undefined} day */
async function load(day) {
  const [events, times] = await Promise.all([
    api.get('/v2/b2c/event/templates/slim', { query: { ...asMember(), ...(day ? range(day, day) : range(today(), addDays(today(), 365))) } }),
    day ? api.get('/v2/b2c/event/templates/times', { query: range(day, day) }) : [],
  ]);
  /** @type {Map<string, any[]>} */
  const of = new Map(times.map((/** @type {any} */ t) => [t.eventTemplateId, t.times]));
  if (day) {
    return events.filter((/** @type {any} */ e) => of.get(e.id)?.length).map((/** @type {any} */ e) => ({ ...e, times: of.get(e.id) }))
      .sort((/** @type {any} */ a, /** @type {any} */ b) => Date.parse(a.times[0].startTime) - Date.parse(b.times[0].startTime));
  }
  const sorted = [...events].sort((/** @type {any} */ a, /** @type {any} */ b) => (a.nextAvailable ?? Infinity) - (b.nextAvailable ?? Infinity));
  // Price and seats of the first are there with the list; those of the others come as their cards do.
  return Promise.all(sorted.map(async (/** @type {any} */ e, /** @type {number} */ place) => {
    if (e.nextAvailable === null) return { ...e, next: null };
    return place < WITH_LIST ? { ...e, next: await nextOf(e.id) } : e;
  }));
}

/** The first list, asked for while the venue is. @type {{day: string | undefined, list: Promise<any>} | null} */
let warmed = null;
/** @param {import('/shop/state.js').Route} at */
export function warm(at) {
  warmed = { day: at.day, list: load(at.day) };
  warmed.list.catch(() => undefined);
}
/** @param {string | undefined} day */
function first(day) {
  const ready = warmed?.day === day ? warmed?.list : null;
  warmed = null;
  return ready ?? load(day);
}

/** What is left, in words; how many of it where `count` asks for it. @param {{left: number, capacity: number, count?: boolean}} of */
export function Left({ left, capacity, count }) {
  if (left <= 0) return html`<span class="tag bad">${t('left.none')}</span>`;
  if (left < capacity / 10) return html`<span class="tag warn">${t('left.few', { n: left })}</span>`;
  return count ? html`<span class="muted small">${t('left.some', { n: left })}</span>` : html`<span class="tag good">${t('left.free')}</span>`;
}

/** @param {{event: any, day?: string}} of */
function Card({ event, day }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [next, setNext] = useState(event.next);
  useEffect(() => {
    setNext(event.next);
    if (event.next !== undefined || event.times) return undefined;
    const seen = new IntersectionObserver(async ([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      setNext(await nextOf(event.id).catch(() => null));
    });
    seen.observe(/** @type {HTMLElement} */ (box.current));
    return () => seen.disconnect();
  }, [event]);
  const first = event.times ? event.times.find((/** @type {any} */ x) => x.availableSeats > 0) ?? event.times[0] : next;
  const prices = (first?.event.priceList?.prices ?? []).map((/** @type {any} */ p) => bothPrices(p).cents);
  const from = prices.length ? Math.min(...prices) : null;
  const image = event.images?.find((/** @type {any} */ i) => i.primary) ?? event.images?.[0];
  const start = first?.startTime;
  return html`<li class="card" ref=${box}>
    <div class="picture" aria-hidden="true">
      ${image && /^https:/.test(image.id) ? html`<img src=${image.id} alt="" width="320" height="180" loading="lazy" />`
        : start && html`<span class="date-big">${ofDay(dayKey(start), { day: 'numeric' })}</span>
          <span class="date-small">${ofDay(dayKey(start), { month: 'long' })}</span>`}
    </div>
    <div class="card-text">
      <h2><a href=${href({ event: event.id, day })}>${event.name}</a></h2>
      <p class="muted">${event.summary || plainText(event.shortDescription ?? '')}</p>
      <div class="facts">
        ${first === undefined ? html`<span class="muted">${t('loading')}</span>`
          : first === null ? html`<span class="muted">${t('on.noDate')}</span>`
          : html`<span>${day ? t('on.at', { times: event.times.filter((/** @type {any} */ x) => x.availableSeats > 0).length }) : t('on.next', { when: `${dayShort(start)}, ${time(start)}` })}</span>
              ${from !== null && html`<span>${from === 0 ? t('on.free') : t('on.from', { price: money(from) })}</span>`}
              <${Left} left=${day ? event.times.reduce((/** @type {number} */ all, /** @type {any} */ x) => all + x.availableSeats, 0) : first.availableSeats}
                capacity=${day ? event.times.reduce((/** @type {number} */ all, /** @type {any} */ x) => all + x.event.capacity, 0) : first.event.capacity} />`}
      </div>
    </div>
  </li>`;
}

/** Combos, which come after the first view. */
function Combos() {
  const { data } = useLoad(() => api.get('/v2/b2c/combos').catch(() => []), [venue.peek().key]);
  if (!data?.length) return null;
  return html`<section class="stack"><h2>${t('on.combos')}</h2><ul class="plain cards">
    ${data.map((/** @type {any} */ combo) => html`<li class="card"><div class="card-text">
      <h3><a href=${href({ combo: combo.id })}>${combo.name}</a></h3><p class="muted">${plainText(combo.description ?? '')}</p>
    </div></li>`)}</ul></section>`;
}

/** @param {{at: import('/shop/state.js').Route}} of */
export default function On({ at }) {
  const known = useValue(member);
  const { data, error, stale, at: when, reload } = useLoad(() => first(at.day), [at.day, known?.memberships[0].number]);
  const [words, setWords] = useState(at.q ?? '');
  // While somebody types, the address follows the words; after a move, the words follow the address.
  const move = useValue(moves);
  useEffect(() => setWords(route.peek().q ?? ''), [move]);
  useEffect(() => {
    document.title = `${t('nav.on')} · ${venue.peek().name}`;
  }, []);
  const shown = useMemo(() => {
    const plain = (/** @type {string} */ s) => s.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    const wanted = plain(words).split(/\s+/).filter(Boolean);
    return data?.filter((/** @type {any} */ e) => {
      const text = plain(`${e.name} ${e.summary ?? ''} ${e.shortDescription ?? ''}`);
      return wanted.every((word) => text.includes(word));
    });
  }, [data, words]);
  return html`
    <h1>${t('on.title')}</h1>
    <form class="filters" role="search" onSubmit=${(/** @type {any} */ e) => e.preventDefault()}>
      <div><label for="words">${t('on.search')}</label>
        <input id="words" type="search" autocomplete="off" value=${words} onInput=${(/** @type {any} */ e) => {
          setWords(e.currentTarget.value);
          go({ ...at, q: e.currentTarget.value }, { replace: true, still: true });
        }} /></div>
      <${DayField} id="day" label=${t('on.day')} min=${today()} optional value=${at.day ?? ''} onDay=${(/** @type {string} */ day) => go({ ...at, day }, { still: true })} />
      ${(at.day || words) && html`<div class="clear"><button type="button" class="quiet" onClick=${() => go({}, { still: true })}>${t('on.clear')}</button></div>`}
    </form>
    ${at.day && html`<h2 class="spaced">${dayInFull(at.day)}</h2>`}
    ${stale && html`<${Notice} kind="warn"><p>${t('stale', { time: time(when ?? 0) })}</p></${Notice}>`}
    ${error ? html`<${Failed} error=${error} retry=${reload} />`
      : !shown ? html`<${Loading} lines=${3} block />`
      : html`<p class="visually-hidden" role="status">${t('on.found', { n: shown.length })}</p>
        ${shown.length ? html`<ul class="plain cards">${shown.map((/** @type {any} */ e) => html`<${Card} key=${e.id} event=${e} day=${at.day} />`)}</ul>`
          : html`<${Notice}><p>${at.day || words ? t('on.noneFound') : t('on.none')}</p></${Notice}>`}
        ${!at.day && !words && html`<${Combos} />`}`}`;
}
