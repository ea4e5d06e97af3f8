// @ts-check
/** The slots that an event will have, on a calendar, before it is saved. */
import { html, useMemo, useState } from '/shared/ui.js';
import { addDays, addMonths, firstWeekday, ofDay, t, time, weekday } from '/shared/intl.js';
import { api, session, today } from '/desk/state.js';
import { clockChanges, offsetAt, slotsOf } from '/desk/schedule.js';

/** @param {number} ms */
const hours = (ms) => `${ms > 0 ? '+' : '−'}${Math.abs(ms / 3_600_000)} h`;

/** @param {{event: any}} of */
export function Preview({ event }) {
  const zone = session.peek()?.tenant.timeZone ?? 'UTC';
  const now = api.now();
  const first = useMemo(() => {
    const from = today();
    const start = (event.startTime ?? '').slice(0, 10) > from ? event.startTime.slice(0, 10) : from;
    const slots = slotsOf(event, zone, start, addDays(start, 400), now).filter(({ at }) => at >= now - 86_400_000);
    return { total: slots.length, day: slots[0]?.day, last: slots.at(-1)?.day, moved: slots.filter(({ moved }) => moved) };
  }, [JSON.stringify([event.schedules, event.startTime, event.endTime])]);
  const [month, setMonth] = useState('');
  const [day, setDay] = useState('');
  const shown = month || (first.day ?? today()).slice(0, 7);
  const from = `${shown}-01`;
  const to = addDays(`${addMonths(shown, 1)}-01`, -1);
  const slots = slotsOf(event, zone, from, to, now);
  const changes = clockChanges(zone, from, to);
  const by = group(slots);
  const lead = (weekday(from) - firstWeekday() + 7) % 7;
  const days = Array.from({ length: Number(to.slice(8)) }, (_, at) => addDays(from, at));
  const chosen = day.startsWith(shown) ? day : '';
  const name = (/** @type {number} */ at) => event.schedules?.[at]?.name || (event.schedules?.length > 1 ? t('preview.schedule', { n: at + 1 }) : '');
  return html`<section class="preview" aria-label=${t('preview.title')}>
    <h3>${t('preview.title')}</h3>
    <p role="status">${first.total ? t('preview.total', { n: first.total, from: ofDay(/** @type {string} */ (first.day), { dateStyle: 'medium' }), to: ofDay(/** @type {string} */ (first.last), { dateStyle: 'medium' }) }) : t('preview.none')}</p>
    ${first.moved.length > 0 && html`<p class="notice warn">${t('preview.moved', { day: ofDay(first.moved[0].day, { dateStyle: 'long' }), local: first.moved[0].local, shown: time(first.moved[0].at) })}</p>`}
    <div class="row end monthbar">
      <button type="button" class="quiet square" aria-label=${t('month.before')} onClick=${() => setMonth(addMonths(shown, -1))}>‹</button>
      <strong class="grow" aria-live="polite">${ofDay(from, { month: 'long', year: 'numeric' })}: ${t('preview.inMonth', { n: slots.length })}</strong>
      <button type="button" class="quiet square" aria-label=${t('month.after')} onClick=${() => setMonth(addMonths(shown, 1))}>›</button>
    </div>
    <ol class="plain cal">
      ${Array.from({ length: 7 }, (_, at) => html`<li class="head" aria-hidden="true">${ofDay(addDays('2023-01-01', firstWeekday() + at), { weekday: 'short' })}</li>`)}
      ${days.map((one, at) => {
        const mine = by.get(one) ?? [];
        const clock = changes.get(one);
        const text = `${ofDay(one, { day: 'numeric', month: 'long' })}: ${t('preview.slots', { n: mine.length })}${clock ? `, ${t('preview.clock', { by: hours(clock) })}` : ''}`;
        return html`<li class=${at === 0 ? `lead${lead}` : undefined}><button type="button" class=${`daybox${mine.length ? ' has' : ''}${chosen === one ? ' now' : ''}`} aria-pressed=${chosen === one ? 'true' : 'false'}
          onClick=${() => setDay(one)}><span class="visually-hidden">${text}</span><span aria-hidden="true"><span class="wd">${ofDay(one, { weekday: 'short' })} </span>${Number(one.slice(8))}</span>
          <span class="much" aria-hidden="true">${mine.length || ''}${clock ? html`<span class="clock">${hours(clock)}</span>` : ''}</span></button></li>`;
      })}
    </ol>
    ${chosen && html`<div role="status"><h4>${ofDay(chosen, { dateStyle: 'full' })}</h4>
      ${changes.has(chosen) && html`<p>${t('preview.clock', { by: hours(changes.get(chosen) ?? 0) })}</p>`}
      <ul class="plain slots">${(by.get(chosen) ?? []).map((slot) => html`<li class=${slot.at < now ? 'muted' : undefined}><strong class="digits">${time(slot.at)}</strong>–<span class="digits">${time(slot.at + slot.minutes * 60_000)}</span>
        <span class="muted">UTC${hours(offsetAt(zone, slot.at)).replace(' h', '')}</span> <span>${t('preview.seats', { n: slot.capacity })}</span> <span class="muted">${name(slot.schedule)}</span>
        ${slot.moved ? html`<span class="tag warn">${t('preview.movedShort', { local: slot.local })}</span>` : ''}${slot.twice ? html`<span class="tag">${t('preview.twice')}</span>` : ''}${slot.at < now ? html`<span class="tag">${t('preview.past')}</span>` : ''}</li>`)}
        ${!(by.get(chosen) ?? []).length && html`<li class="muted">${t('preview.slots', { n: 0 })}</li>`}</ul></div>`}
  </section>`;
}

/** @param {import('/desk/schedule.js').Slot[]} slots */
function group(slots) {
  /** @type {Map<string, import('/desk/schedule.js').Slot[]>} */
  const found = new Map();
  for (const slot of slots) found.set(slot.day, [...(found.get(slot.day) ?? []), slot]);
  return found;
}
