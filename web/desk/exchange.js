// @ts-check
/** Other times for tickets: which, for which slot, and what it costs. */
import { html, useLoad, useRef, useState, Check, DayField, Loading } from '/shared/ui.js';
import { addDays, cents, dayKey, ofDay, range, t, time } from '/shared/intl.js';
import { Refusal, newKey } from '/shared/client.js';
import { api, today } from '/desk/state.js';
import { TicketChoice } from '/desk/order.js';
import { Failed, Refused, price, when } from '/desk/said.js';

/** @param {{order: any, tickets: any[], onDone: (text: string) => void, onBack: () => void}} of */
export function Exchange({ order, tickets, onDone, onBack }) {
  const movable = tickets.filter((one) => one.ticketStatus === 'Normal' && !one.combo);
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const template = movable.find(({ id }) => chosen.includes(id))?.templateId ?? movable[0]?.templateId;
  const [day, setDay] = useState(() => [today(), dayKey(movable[0]?.eventDate ?? Date.now())].sort()[1]);
  const [slot, setSlot] = useState('');
  const [rest, setRest] = useState({ waiveFee: false, sendEmail: true, force: false });
  const [faults, setFaults] = useState({ tickets: '', slot: '' });
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [busy, setBusy] = useState(false);
  const key = useRef(newKey());
  const mine = movable.filter(({ id, templateId }) => chosen.includes(id) && templateId === template);
  const { data, error, reload } = useLoad(() => api.get('/v2/b2b/event/instances/summaries', { ...range(day, day), templateId: template, state: 'active', pageSize: -1 }).then(({ list }) => list), [day, template]);
  const { data: fees } = useLoad(() => (slot ? api.get('/v1/b2b/event/instance/rebook/fees', { eventIds: slot }) : Promise.resolve([])), [slot]);
  const fee = cents(fees?.[0]?.rebookingFee) * mine.length;
  const change = (/** @type {() => void} */ run) => {
    key.current = newKey();
    setRefused(null);
    run();
  };
  const free = (data ?? []).filter((/** @type {any} */ one) => !mine.some(({ eventId }) => eventId === one.id) && Date.parse(one.endTime) > api.now());
  const target = free.find((/** @type {any} */ one) => one.id === slot);
  const act = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    const next = { tickets: mine.length ? '' : t('tickets.chooseFault'), slot: target ? '' : t('exchange.slotFault') };
    setFaults(next);
    if (next.tickets || next.slot) return;
    setBusy(true);
    setRefused(null);
    try {
      const { body } = await api.write('POST', '/v2/b2b/exchanges', { key: key.current, body: { orderId: order.id, eventId: slot, ticketIds: mine.map(({ id }) => id), ...rest } });
      onDone(t('exchange.done', { n: mine.length, when: when(target.startTime), owed: cents(body.balanceAmount) ? t('exchange.owed', { amount: price(body.balanceAmount) }) : '' }));
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      setRefused(fault);
      if (!fault.undecided) key.current = newKey();
    }
    setBusy(false);
  };
  const other = chosen.length - mine.length;
  return html`<section class="panel" aria-label=${t('order.exchange')}><h2>${t('order.exchange')}</h2><p class="muted">${t('exchange.lead')}</p>
    <form noValidate onSubmit=${act}>
      <${TicketChoice} tickets=${movable} chosen=${chosen} onChosen=${(/** @type {string[]} */ ids) => change(() => setChosen(ids))} fault=${faults.tickets} />
      ${other > 0 && html`<p class="notice warn">${t('exchange.other', { n: other })}</p>`}
      <fieldset class=${faults.slot ? 'group inner faulty' : 'group inner'}><legend>${t('exchange.to')}</legend>
        ${faults.slot && html`<p class="fault"><span aria-hidden="true">▲ </span>${faults.slot}</p>`}
        <div class="row end"><button type="button" class="quiet" onClick=${() => change(() => setDay(addDays(day, -1)))}>${t('today.before')}</button>
          <${DayField} id="exchange-day" label=${t('today.day')} min=${today()} value=${day} onDay=${(/** @type {string} */ chosen) => change(() => setDay(chosen))} />
          <button type="button" class="quiet" onClick=${() => change(() => setDay(addDays(day, 1)))}>${t('today.after')}</button></div>
        <p>${ofDay(day, { dateStyle: 'full' })}</p>
        ${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${3} />` : !free.length ? html`<p class="muted">${t('exchange.none')}</p>`
          : html`<div class="row">${free.map((/** @type {any} */ one) => html`<label class="pick boxed"><input type="radio" name="slot" checked=${slot === one.id} onChange=${() => change(() => setSlot(one.id))} />
            <span><strong class="digits">${time(one.startTime)}</strong> <span class=${one.available < Math.max(1, mine.length) ? 'bad' : 'muted'}>${t('exchange.free', { n: one.available })}</span></span></label>`)}</div>`}
      </fieldset>
      ${fee > 0 && html`<${Check} id="waiveFee" label=${t('exchange.waive', { amount: price(fee / 100) })} value=${rest.waiveFee} onValue=${(/** @type {boolean} */ value) => change(() => setRest({ ...rest, waiveFee: value }))} />`}
      <${Check} id="exchangeMail" label=${t('exchange.mail')} value=${rest.sendEmail} onValue=${(/** @type {boolean} */ value) => change(() => setRest({ ...rest, sendEmail: value }))} />
      ${mine.some((one) => one.door?.entries > 0) && html`<${Check} id="exchangeForce" label=${t('exchange.force')} value=${rest.force} onValue=${(/** @type {boolean} */ value) => change(() => setRest({ ...rest, force: value }))} />`}
      ${target && mine.length > 0 && html`<p class="notice" role="status">${t('exchange.will', { n: mine.length, from: when(mine[0].eventDate), to: when(target.startTime) })} ${fee > 0 && !rest.waiveFee ? t('exchange.owed', { amount: price(fee / 100) }) : t('exchange.noFee')}</p>`}
      ${refused && html`<${Refused} error=${refused} />`}
      <div class="row"><button type="submit" aria-disabled=${busy ? 'true' : undefined}>${busy ? t('edit.saving') : mine.length ? t('exchange.do', { n: mine.length }) : t('order.exchange')}</button><button type="button" class="quiet" onClick=${onBack}>${t('edit.keep')}</button></div>
    </form></section>`;
}
