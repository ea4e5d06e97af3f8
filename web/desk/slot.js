// @ts-check
/** One slot: who comes, and what may be changed of it. */
import { html, useLoad, useState, Loading } from '/shared/ui.js';
import { dayKey, t } from '/shared/intl.js';
import { Refusal, newKey } from '/shared/client.js';
import { api, go, href, may } from '/desk/state.js';
import { Editor } from '/desk/editor.js';
import { Table } from '/desk/table.js';
import { Done, Facts, Failed, Refused, Trail, count, price, when, word } from '/desk/said.js';

/** @type {import('/desk/resources.js').Section[]} */
const SECTIONS = [{ key: 'all', open: true, fields: [{ k: 'capacity', t: 'int', req: true }, { k: 'startTime', t: 'when', req: true, label: 'slotStart' }, { k: 'endTime', t: 'when', req: true, label: 'slotEnd' }] }];

/** @param {{at: import('/desk/state.js').Route}} of */
export default function Slot({ at }) {
  const id = at.id ?? '';
  const path = `/v2/b2b/event/instances/${id}`;
  const { data, error, reload } = useLoad(async () => {
    const [slot, people] = await Promise.all([may('b2b') ? api.read(path) : null, api.get(`${path}/manifest`, { pageSize: -1 })]);
    return { slot: slot?.body, etag: slot?.etag, people: people.list };
  }, [id]);
  const [step, setStep] = useState('');
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [done, setDone] = useState(/** @type {string | null} */ (null));
  if (error) return html`<${Failed} error=${error} retry=${reload} />`;
  if (!data) return html`<${Loading} lines=${6} />`;
  const { slot, people } = data;
  const orders = new Set(people.map((/** @type {any} */ row) => row.orderId)).size;
  const act = async (/** @type {'PUT' | 'DELETE'} */ method, /** @type {any} */ body, /** @type {string} */ said) => {
    setRefused(null);
    try {
      await api.write(method, path, { body, match: data.etag, key: newKey() });
      setStep('');
      if (method === 'DELETE') {
        go({ view: 'today', day: dayKey(slot.startTime) });
        return;
      }
      setDone(said);
      reload();
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      setRefused(fault);
      if (fault.type === 'PRECONDITION_FAILED') reload();
    }
  };
  const columns = [
    { key: 'lastName', label: t('f.lastName'), value: (/** @type {any} */ row) => [row.lastName, row.firstName].filter(Boolean).join(', ') || '–' },
    { key: 'order', label: t('column.order'), value: (/** @type {any} */ row) => row.orderNumber, cell: (/** @type {any} */ row) => html`<a class="digits" href=${href({ view: 'order', id: row.orderId })}>${row.orderNumber}</a>` },
    { key: 'type', label: t('column.ticket'), value: (/** @type {any} */ row) => row.ticketTypeName },
    { key: 'quantity', label: t('column.quantity'), numeric: true, value: (/** @type {any} */ row) => row.quantity },
    { key: 'in', label: t('column.in'), numeric: true, value: (/** @type {any} */ row) => row.checkInQuantity },
    { key: 'balance', label: t('column.balance'), numeric: true, value: (/** @type {any} */ row) => Number(row.balanceAmount), cell: (/** @type {any} */ row) => (Number(row.balanceAmount) ? price(row.balanceAmount) : '–') },
    { key: 'notes', label: t('f.notes'), value: (/** @type {any} */ row) => [row.notes, ...(row.forms ?? []).flatMap((/** @type {any} */ form) => form.fields.map((/** @type {any} */ one) => `${one.label ?? one.name}: ${one.value}`))].filter(Boolean).join('; ') },
  ];
  const sold = slot?.soldQuantity ?? people.reduce((/** @type {number} */ all, /** @type {any} */ row) => all + row.quantity, 0);
  return html`
    <${Trail} trail=${[[t('nav.today'), { view: 'today', day: slot ? dayKey(slot.startTime) : undefined }], ...(slot ? [[slot.name, { view: 'catalog', kind: 'events', id: slot.templateId }]] : [])]} />
    <h1>${slot ? `${slot.name}, ${when(slot.startTime)}` : t('slot.title')}</h1>
    <${Done} text=${done} />
    ${refused && html`<${Refused} error=${refused} />`}
    ${slot && html`
      ${slot.state === 'cancelled' && html`<p class="notice bad">${t('slot.off')}</p>`}
      <${Facts} facts=${[[t('today.sold'), count(slot.soldQuantity)], [t('today.held'), count(slot.heldQuantity)], [t('today.free'), count(slot.availableSeats)], [t('f.capacity'), count(slot.capacity)],
        [t('slot.everIn'), count(slot.checkInCount)], [t('f.slotEnd'), when(slot.endTime)], [t('slot.edited'), t(slot.edited ? 'yes' : 'no')], [t('f.salesChannels'), (slot.salesChannels ?? []).filter((/** @type {any} */ one) => one.enabled).map((/** @type {any} */ one) => word('channel', one.channel)).join(', ') || t('channels.all')]]} />
      <div class="row noprint">
        <button type="button" class="quiet" aria-expanded=${step === 'edit'} onClick=${() => setStep(step === 'edit' ? '' : 'edit')}>${t('slot.change')}</button>
        ${slot.state === 'active' ? html`<button type="button" class="quiet" aria-expanded=${step === 'off'} onClick=${() => setStep(step === 'off' ? '' : 'off')}>${t('slot.cancel')}</button>`
          : html`<button type="button" class="quiet" onClick=${() => act('PUT', { state: 'active' }, t('slot.on'))}>${t('slot.restore')}</button>`}
        ${sold === 0 && slot.heldQuantity === 0 && html`<button type="button" class="quiet" aria-expanded=${step === 'delete'} onClick=${() => setStep(step === 'delete' ? '' : 'delete')}>${t('slot.delete')}</button>`}
      </div>
      ${step === 'edit' && html`<${Editor} of=${`slot ${id}`} sections=${SECTIONS} read=${() => api.read(path)}
        toBody=${(/** @type {any} */ of) => ({ capacity: of.capacity, startTime: of.startTime, endTime: of.endTime })}
        write=${(/** @type {any} */ body, /** @type {any} */ asked) => api.write('PUT', path, { body, ...asked })} onSaved=${() => {
          setStep('');
          setDone(t('edit.saved'));
          reload();
        }} />`}
      ${step === 'off' && html`<section class="notice warn" aria-label=${t('slot.cancel')}><h2 class="small">${t('slot.cancelWhat')}</h2>
        <ul><li>${t('slot.cancelSale')}</li><li>${t('slot.cancelSold', { n: sold })}</li><li>${t('slot.cancelOrders', { n: orders })}</li>${slot.heldQuantity > 0 && html`<li>${t('slot.cancelHeld', { n: slot.heldQuantity })}</li>`}</ul>
        <div class="row"><button type="button" onClick=${() => act('PUT', { state: 'cancelled' }, t('slot.nowOff'))}>${t('slot.cancel')}</button><button type="button" class="quiet" onClick=${() => setStep('')}>${t('edit.keep')}</button></div></section>`}
      ${step === 'delete' && html`<section class="notice warn" aria-label=${t('slot.delete')}><p>${t('slot.deleteWhat')}</p>
        <div class="row"><button type="button" onClick=${() => act('DELETE', undefined, '')}>${t('slot.delete')}</button><button type="button" class="quiet" onClick=${() => setStep('')}>${t('edit.keep')}</button></div></section>`}`}
    <h2>${t('slot.people')}</h2>
    <${Table} id="manifest" caption=${t('slot.people')} columns=${columns} rows=${people} sort="lastName" empty=${t('slot.nobody')} />`;
}
