// @ts-check
/** A month of days: free, few left, full. For all events, and inside the page of one. */
import { html, useEffect, useLoad, Failed } from '/shared/ui.js';
import { addDays, addMonths, firstWeekday, ofDay, range, t, weekday } from '/shared/intl.js';
import { api, asMember, daysOf, href, monthOf, today, venue } from '/shop/state.js';

/** How much a day has left. @param {any} day of the calendar */
export function standing(day) {
  if (!day) return 'none';
  if (!day.active) return day.capacity === 0 || day.capacity === undefined ? 'none' : 'full';
  if (day.availableSeats !== undefined && day.capacity && day.availableSeats < day.capacity / 10) return 'few';
  return 'free';
}

/** The days of a month or a range. @param {string} from @param {string} to @param {string} [event] */
export async function loadDays(from, to, event) {
  const path = event ? `/v2/b2c/event/templates/${event}/calendar` : '/v2/b2c/event/templates/calendar';
  const { days } = await api.get(path, { query: { ...range(from, to), ...asMember() } });
  return days.map((/** @type {any} */ day) => ({ ...day, key: day.date.slice(0, 10) }));
}

/** @param {{month: string, event?: string, chosen?: string, to: (day: string) => import('/shop/state.js').Route, turn: (month: string) => import('/shop/state.js').Route, level?: 2 | 3}} of */
export function Month({ month, event, chosen, to, turn }) {
  const days = daysOf(month);
  const { data, error, reload } = useLoad(() => loadDays(days[0], days[days.length - 1], event), [month, event]);
  const lead = (weekday(days[0]) - firstWeekday() + 7) % 7;
  /** @type {(string | null)[]} */
  const cells = [...Array.from({ length: lead }, () => null), ...days];
  while (cells.length < 42) cells.push(null);
  const names = Array.from({ length: 7 }, (_, at) => addDays('2023-01-01', at + firstWeekday()));
  const title = ofDay(days[0], { month: 'long', year: 'numeric' });
  const titleId = `month-${event ?? 'all'}`;
  const earlier = month > monthOf(today());
  return html`<div class="month" role="group" aria-labelledby=${titleId}>
    <div class="month-head">
      ${earlier ? html`<a class="button quiet square" data-still href=${href(turn(addMonths(month, -1)))} aria-label=${t('month.before')}><span class="arrow" aria-hidden="true">‹</span></a>` : html`<span class="gap"></span>`}
      <h2 id=${titleId} aria-live="polite">${title}</h2>
      <a class="button quiet square" data-still href=${href(turn(addMonths(month, 1)))} aria-label=${t('month.after')}><span class="arrow" aria-hidden="true">›</span></a>
    </div>
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : html`
    <table class="days" aria-labelledby=${titleId} aria-busy=${!data}>
      <thead><tr>${names.map((day) => html`<th scope="col"><span aria-hidden="true">${ofDay(day, { weekday: 'narrow' })}</span><span class="visually-hidden">${ofDay(day, { weekday: 'long' })}</span></th>`)}</tr></thead>
      <tbody>${Array.from({ length: 6 }, (_, row) => html`<tr>${cells.slice(row * 7, row * 7 + 7).map((day) => {
        if (!day) return html`<td></td>`;
        const state = data ? standing(data.find((/** @type {any} */ d) => d.key === day)) : 'none';
        const number = ofDay(day, { day: 'numeric' });
        const rest = html`<span class="visually-hidden">, ${ofDay(day, { weekday: 'long', month: 'long' })}: ${t(`day.${state}`)}</span>`;
        return html`<td>${state === 'free' || state === 'few'
          ? html`<a class=${`day ${state}`} data-still=${chosen !== undefined} href=${href(to(day))} aria-current=${chosen === day ? 'date' : undefined}>${number}${rest}<span class="mark" aria-hidden="true">${state === 'few' ? t('day.few.short') : ''}</span></a>`
          : html`<span class=${`day ${state}`}><span>${number}</span>${rest}${state === 'full' && html`<span class="mark" aria-hidden="true">${t('day.full.short')}</span>`}</span>`}</td>`;
      })}</tr>`)}</tbody>
    </table>
    <ul class="plain row legend small">
      <li><span class="day free sample" aria-hidden="true">1</span> ${t('day.free')}</li>
      <li><span class="day few sample" aria-hidden="true">1</span> ${t('day.few')}</li>
      <li><span class="day full sample" aria-hidden="true">1</span> ${t('day.full')}</li>
    </ul>`}
  </div>`;
}

/** @param {{at: import('/shop/state.js').Route}} of */
export default function Calendar({ at }) {
  useEffect(() => {
    document.title = `${t('nav.calendar')} · ${venue.peek().name}`;
  }, []);
  const month = at.month ?? monthOf(today());
  return html`<h1>${t('calendar.title')}</h1>
    <p class="lead muted">${t('calendar.lead')}</p>
    <${Month} month=${month} to=${(/** @type {string} */ day) => ({ day })} turn=${(/** @type {string} */ m) => ({ view: 'calendar', month: m })} />`;
}
