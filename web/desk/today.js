// @ts-check
/** The slots of a day with what is sold, held, free and inside, brought up to date while somebody looks. */
import { html, useEffect, useLoad, DayField, Loading } from '/shared/ui.js';
import { addDays, dayKey, ofDay, range, t, time } from '/shared/intl.js';
import { api, go, href, may, today } from '/desk/state.js';
import { Table } from '/desk/table.js';
import { Failed, Trail, count, word } from '/desk/said.js';

/** How often a visible page asks anew. */
const EVERY = 15_000;

/** @param {{sold: number, held: number, capacity: number, inside: number}} of */
function Bar({ sold, held, capacity, inside }) {
  const all = Math.max(capacity, sold + held, 1);
  return html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    <rect class="free" x="0" y="0" width="100" height="10" /><rect class="sold" x="0" y="0" width=${(sold / all) * 100} height="10" />
    <rect class="held" x=${(sold / all) * 100} y="0" width=${(held / all) * 100} height="10" /><rect class="inside" x="0" y="6" width=${(inside / all) * 100} height="4" /></svg>`;
}

/** @param {{at: import('/desk/state.js').Route}} of */
export default function Today({ at }) {
  const now = today();
  const day = at.day ?? now;
  const last = at.event ? addDays(day, 30) : day;
  const { data, error, stale, at: since, reload } = useLoad(() => api.get('/v2/b2b/event/instances/summaries', { ...range(day, last), templateId: at.event, pageSize: -1 }).then(({ list }) => list), [day, last, at.event ?? '']);
  const { data: event } = useLoad(async () => (at.event && may('b2b') ? api.get(`/v2/b2b/event/templates/${at.event}`) : null), [at.event ?? '']);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && navigator.onLine && reload(), EVERY);
    return () => clearInterval(timer);
  }, [reload]);
  const sum = (/** @type {string} */ key) => (data ?? []).filter((/** @type {any} */ row) => row.state === 'active' || key === 'sold' || key === 'inside').reduce((/** @type {number} */ all, /** @type {any} */ row) => all + (row[key] ?? 0), 0);
  const number = (/** @type {string} */ key, /** @type {string} */ label) => ({ key, label, numeric: true, value: (/** @type {any} */ row) => row[key], cell: (/** @type {any} */ row) => count(row[key]) });
  const columns = [
    { key: 'time', label: t('column.time'), value: (/** @type {any} */ row) => row.startTime, cell: (/** @type {any} */ row) => html`<a class="digits" href=${href({ view: 'slot', id: row.id })}>${at.event ? `${ofDay(dayKey(row.startTime), { weekday: 'short', day: 'numeric', month: 'short' })}, ` : ''}${time(row.startTime)}</a>` },
    { key: 'event', label: t('column.event'), value: (/** @type {any} */ row) => row.name, cell: (/** @type {any} */ row) => html`${row.name} ${row.state === 'cancelled' ? html`<span class="tag bad">${word('state', 'cancelled')}</span>` : ''}${row.type === 'private' ? html`<span class="tag">${word('eventType', 'private')}</span>` : ''}` },
    number('sold', t('today.sold')), number('reserved', t('today.held')), number('available', t('today.free')), number('inside', t('today.inside')),
    { key: 'bar', label: t('today.bar'), sort: false, value: () => '', cell: (/** @type {any} */ row) => html`<span class="visually-hidden">${t('today.of', { sold: row.sold, capacity: row.capacity })}</span><${Bar} sold=${row.sold} held=${row.reserved} capacity=${row.capacity} inside=${row.inside} />` },
  ];
  const to = (/** @type {string} */ next) => ({ view: 'today', event: at.event, day: next === now ? undefined : next });
  return html`
    ${at.event && html`<${Trail} trail=${[[t('nav.catalog'), { view: 'catalog' }], [event?.name ?? t('kind.events'), { view: 'catalog', kind: 'events', id: at.event }]]} />`}
    <h1>${at.event ? t('today.ofEvent', { event: event?.name ?? '' }) : day === now ? t('today.title') : ofDay(day, { dateStyle: 'full' })}</h1>
    <div class="row end daybar noprint">
      <a class="button quiet" href=${href(to(addDays(day, at.event ? -31 : -1)))}>${t('today.before')}</a>
      <${DayField} id="day" label=${t('today.day')} value=${day} onDay=${(/** @type {string} */ chosen) => go(to(chosen), { still: true })} />
      <a class="button quiet" href=${href(to(addDays(day, at.event ? 31 : 1)))}>${t('today.after')}</a>
      ${day !== now && html`<a class="button quiet" href=${href({ view: 'today', event: at.event })}>${t('today.today')}</a>`}
    </div>
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${8} />` : html`
      ${data.length > 0 && html`<dl class="figures">${['sold', 'reserved', 'available', 'inside'].map((key) => html`<div><dt>${t(`today.${{ reserved: 'held', available: 'free' }[key] ?? key}`)}</dt><dd class="digits">${count(sum(key))}</dd></div>`)}</dl>`}
      <p class="muted small">${stale ? html`<span class="tag warn">${t('stale', { time: time(since ?? 0) })}</span>` : t('today.asOf', { time: time(since ?? 0) })}</p>
      <${Table} id=${at.event ? 'slots' : 'today'} caption=${t('today.title')} columns=${columns} rows=${data} sort="time" rowKey=${(/** @type {any} */ row) => row.id}
        rowClass=${(/** @type {any} */ row) => (row.state === 'cancelled' ? 'off' : undefined)}
        empty=${html`<p>${t('today.none')}</p>${may('b2b') && html`<a class="button quiet" href=${href({ view: 'catalog', kind: 'events' })}>${t('today.toEvents')}</a>`}`} />`}`;
}
