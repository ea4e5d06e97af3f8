// @ts-check
/** One order in full, and what staff do with it. */
import { html, useEffect, useLoad, useState, Field, Loading } from '/shared/ui.js';
import { languageName, t } from '/shared/intl.js';
import { Refusal, newKey } from '/shared/client.js';
import { api, go, href, may } from '/desk/state.js';
import { CONTACT } from '/desk/resources.js';
import { Editor } from '/desk/editor.js';
import { faultsOf } from '/desk/form.js';
import { Refund } from '/desk/refund.js';
import { Exchange } from '/desk/exchange.js';
import { Done, Facts, Failed, Refused, Trail, by, nameOf, price, when, word } from '/desk/said.js';
import { stateOf } from '/desk/orders.js';

/** @param {string} id */
async function load(id) {
  const { body: order, etag } = await api.read(`/v2/b2b/orders/detail/${id}`);
  const [willcall, doors] = await Promise.all([api.get(`/v2/b2b/willcall/orders/${order.id}`), api.get(`/v2/b2b/admissions/orders/${order.id}`).catch(() => null)]);
  const tickets = willcall.eventItems.flatMap((/** @type {any} */ event) => event.items.flatMap((/** @type {any} */ item) => item.tickets.map((/** @type {any} */ ticket) => ({
    ...ticket, eventName: event.eventName, eventDate: event.eventDate, templateId: event.eventTemplateId, itemId: item.orderItemId, typeName: item.ticketTypeName,
    combo: Boolean(item.parentItemId && item.parentItemId !== '0'), door: doors?.tickets.find((/** @type {any} */ one) => one.ticketId === ticket.id),
  }))));
  return { order, etag, willcall, tickets };
}

/** @param {{order: any, onDone: (text: string) => void, onBack: () => void}} of */
function SendAgain({ order, onDone, onBack }) {
  const [email, setEmail] = useState('');
  const [kind, setKind] = useState('confirmation');
  const [key] = useState(newKey);
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const to = email.trim() || order.billingEmail;
  const send = async (/** @type {any} */ event) => {
    event.preventDefault();
    setRefused(null);
    try {
      await api.write('POST', `/v2/b2b/orders/${order.orderNumber}/email`, { body: { kind, email: email.trim() || undefined }, key });
      onDone(t('mail.sent', { to }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setRefused(error);
    }
  };
  return html`<section class="panel" aria-label=${t('order.again')}><h2>${t('order.again')}</h2>
    ${refused && html`<${Refused} error=${refused} fields=${{ '/email': { id: 'mailTo', label: t('mail.to') } }} />`}
    <form noValidate onSubmit=${send}>
      <${Field} id="kind" label=${t('mail.kind')}><select id="kind" value=${kind} onChange=${(/** @type {any} */ e) => setKind(e.currentTarget.value)}>${['confirmation', 'tickets', 'receipt'].map((one) => html`<option value=${one}>${word('mailKind', one)}</option>`)}</select><//>
      <${Field} id="mailTo" label=${t('mail.to')} hint=${t('mail.toHint', { to: order.billingEmail ?? '–' })} optional type="email" autocomplete="off" value=${email} fault=${faultsOf(refused?.details ?? [])['/email']} onValue=${setEmail} />
      <div class="row"><button type="submit">${t('mail.send', { to: to ?? '' })}</button><button type="button" class="quiet" onClick=${onBack}>${t('edit.keep')}</button></div>
    </form></section>`;
}

/** @param {{tickets: any[], onDone: (text: string) => void, onBack: () => void}} of */
function Block({ tickets, onDone, onBack }) {
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const [reason, setReason] = useState('');
  const [key] = useState(newKey);
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [fault, setFault] = useState('');
  const act = async (/** @type {boolean} */ blocked) => {
    setRefused(null);
    if (!chosen.length) return setFault(t('tickets.chooseFault'));
    setFault('');
    try {
      await api.write('POST', '/v2/b2b/admissions/blocks', { key: `${key}-${blocked}`, body: { blocked, reason: reason.trim() || undefined, tickets: tickets.filter(({ id }) => chosen.includes(id)).map((one) => ({ orderId: one.ticketDetails[0].orderId, ticketId: one.id })) } });
      onDone(t(blocked ? 'block.done' : 'block.undone'));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setRefused(error);
    }
  };
  const blocked = tickets.filter(({ id, door }) => chosen.includes(id) && door?.blockedReason).length;
  return html`<section class="panel" aria-label=${t('order.block')}><h2>${t('order.block')}</h2><p class="muted">${t('block.lead')}</p>
    ${refused && html`<${Refused} error=${refused} fields=${{ '/reason': { id: 'reason', label: t('block.reason') } }} />`}
    <${TicketChoice} tickets=${tickets.filter(({ ticketStatus }) => ticketStatus === 'Normal')} chosen=${chosen} onChosen=${setChosen} fault=${fault} />
    <${Field} id="reason" label=${t('block.reason')} optional=${blocked > 0} autocomplete="off" value=${reason} fault=${faultsOf(refused?.details ?? [])['/reason']} onValue=${setReason} />
    <div class="row"><button type="button" onClick=${() => act(true)}>${t('block.block', { n: chosen.length })}</button>
      ${blocked > 0 && html`<button type="button" class="quiet" onClick=${() => act(false)}>${t('block.unblock', { n: blocked })}</button>`}
      <button type="button" class="quiet" onClick=${onBack}>${t('edit.keep')}</button></div></section>`;
}

/** @param {{tickets: any[], chosen: string[], onChosen: (ids: string[]) => void, fault?: string}} of */
export function TicketChoice({ tickets, chosen, onChosen, fault }) {
  return html`<fieldset class=${fault ? 'group inner faulty' : 'group inner'}><legend>${t('tickets.choose')}</legend>
    ${fault && html`<p class="fault"><span aria-hidden="true">▲ </span>${fault}</p>`}
    ${tickets.map((one) => html`<label class="check"><input type="checkbox" checked=${chosen.includes(one.id)} onChange=${(/** @type {any} */ e) => onChosen(e.currentTarget.checked ? [...chosen, one.id] : chosen.filter((id) => id !== one.id))} />
      <span>${one.typeName}, ${one.eventName}, ${when(one.eventDate)} <span class="mono muted">…${one.uuid.slice(-6)}</span> ${one.door?.entries > 0 && html`<span class="tag warn">${t('ticket.in')}</span>`}</span></label>`)}</fieldset>`;
}

/** @param {any} item */
const lineName = (item) => [item.displayName ?? item.itemTypeName, item.eventName].filter(Boolean).join(', ');

/** @param {{order: any}} of */
function Lines({ order }) {
  return html`<table class="lines"><caption class="visually-hidden">${t('order.lines')}</caption>
    <thead><tr><th scope="col">${t('column.what')}</th><th scope="col" class="num">${t('column.quantity')}</th><th scope="col" class="num">${t('column.each')}</th><th scope="col" class="num">${t('column.amount')}</th></tr></thead>
    <tbody>${order.orderItems.map((/** @type {any} */ item) => html`<tr class=${item.quantity === 0 ? 'off' : undefined}>
      <th scope="row" data-label=${t('column.what')}>${item.parentItemId !== '0' && '↳ '}${lineName(item)}${item.eventStartTime && html`<br /><span class="muted">${when(item.eventStartTime)}</span>`}
        ${item.membershipInfo && html`<br /><a href=${href({ view: 'member', id: String(item.membershipInfo.membershipId) })}>${t('order.membership', { number: item.membershipInfo.membershipNumber ?? '' })}</a>`}</th>
      <td data-label=${t('column.quantity')} class="num">${item.quantity}${item.quantity !== item.originalQuantity && html` <span class="muted">${t('order.ofQuantity', { n: item.originalQuantity })}</span>`}</td>
      <td data-label=${t('column.each')} class="num">${price(item.discountedUnitPrice)}${item.discountedUnitPrice !== item.unitPrice && html` <s class="muted">${price(item.unitPrice)}</s>`}</td>
      <td data-label=${t('column.amount')} class="num">${price(item.discountedAmount)}${item.discountedAmount !== item.discountedOriginalAmount && html` <span class="muted">${t('order.ofAmount', { amount: price(item.discountedOriginalAmount) })}</span>`}</td></tr>`)}</tbody>
    <tfoot><tr><th scope="row" colspan="3">${t('order.total')}</th><td class="num"><strong>${price(order.discountedTotalAmount)}</strong></td></tr>
      ${(order.taxes ?? []).map((/** @type {any} */ tax) => html`<tr><th scope="row" colspan="3" class="muted">${t('order.tax', { name: tax.taxName || t('f.taxRate'), rate: String(tax.taxRate) })}</th><td class="num muted">${price(tax.taxAmount)}</td></tr>`)}</tfoot></table>`;
}

/** @param {{tickets: any[]}} of */
function Tickets({ tickets }) {
  if (!tickets.length) return null;
  return html`<h2>${t('order.tickets')}</h2><table><caption class="visually-hidden">${t('order.tickets')}</caption>
    <thead><tr><th scope="col">${t('column.ticket')}</th><th scope="col">${t('column.state')}</th></tr></thead>
    <tbody>${tickets.map((one) => html`<tr class=${one.ticketStatus === 'Normal' ? undefined : 'off'}><th scope="row" data-label=${t('column.ticket')}><div>${one.typeName}<br /><a href=${href({ view: 'slot', id: one.eventId })}>${one.eventName}, ${when(one.eventDate)}</a>
        <br /><span class="mono code">${one.uuid}</span></div></th>
      <td data-label=${t('column.state')}><span class="tag">${word('ticketStatus', one.ticketStatus)}</span> ${one.door?.blockedReason && html`<span class="tag bad">${t('ticket.blocked', { reason: one.door.blockedReason })}</span>`}
        ${one.checkInDate && html`<span class="tag good">${t('ticket.inAt', { when: when(one.checkInDate) })}</span>`}</td></tr>`)}</tbody></table>`;
}

/** What a scan or a block did, in words, and where. @param {any} scan */
function scanWords(scan) {
  const why = scan.reason ?? scan.deviceReason;
  const reason = why ? word('reason', why) : '';
  const did = word('scan', scan.type);
  const blocks = scan.type === 'block' || scan.type === 'unblock';
  const what = blocks ? [did, scan.blockedReason].filter(Boolean).join(': ')
    : !scan.admitted ? t(`scan.${scan.type}.refused`, { reason: reason || '–' })
    : reason ? t('scan.allTheSame', { what: did, reason: [reason, scan.forceReason].filter(Boolean).join(', ') }) : did;
  return [what, scan.terminalId && t('scan.at', { door: scan.terminalId })].filter(Boolean).join(', ');
}

/** The scans of a ticket, and when one was taken back. @param {any} ticket */
const scansOf = (ticket) => (ticket.door?.scans ?? []).flatMap((/** @type {any} */ scan) => [
  { at: scan.undoneAt, what: t('history.scan', { ticket: ticket.typeName, what: [word('scan', 'undo'), scan.undoneBy?.terminalId && t('scan.at', { door: scan.undoneBy.terminalId })].filter(Boolean).join(', ') }), by: scan.undoneBy?.operator },
  { at: scan.at, what: t('history.scan', { ticket: ticket.typeName, what: scanWords(scan) }), by: scan.operator },
]);

/** A mail of an order by what it is about, without the number that tells it from others. @param {any} mail */
const mailName = (mail) => word('mailKind', mail.kind?.replace(/-\d+$/, ''));

/** What happened, the last first. @param {{order: any, tickets: any[]}} of */
function History({ order, tickets }) {
  const all = [
    { at: order.createdOn, what: t('history.ordered', { channel: word('saleChannel', order.saleChannel) }), by: order.createdBy },
    ...(order.mails ?? []).map((/** @type {any} */ one) => ({ at: one.at, what: t('history.mail', { kind: mailName(one), status: word('mailStatus', one.status) }) })),
    ...(order.edits ?? []).map((/** @type {any} */ one) => ({ at: one.at, by: one.by, what: one.mail ? t('history.again', { kind: word('mailKind', one.mail.kind), to: one.mail.to ?? '' }) : t('history.edit', { fields: (one.fields ?? []).map((/** @type {string} */ field) => word('f', field)).join(', ') }) })),
    ...order.refunds.map((/** @type {any} */ one) => ({ at: one.createdOn, by: one.createdBy, what: html`${t('history.refund', { amount: price(one.amount), state: word('refundState', one.state) })}${one.reason && html`: ${one.reason}`}` })),
    ...order.exchanges.map((/** @type {any} */ one) => ({ at: one.createdOn, by: one.createdBy, what: t('history.exchange', { n: one.items.reduce((/** @type {number} */ sum, /** @type {any} */ item) => sum + item.quantity, 0), fee: price(one.rebookingFee ?? 0) }) })),
    ...tickets.flatMap(scansOf),
  ].filter(({ at }) => at).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return html`<h2>${t('order.history')}</h2><ol class="plain history">${all.map((one) => html`<li><span class="muted digits">${when(one.at)}</span> <span>${one.what}</span>${one.by && html` <span class="muted">${t('history.by', { name: by(one.by) })}</span>`}</li>`)}</ol>`;
}

/** @param {{at: import('/desk/state.js').Route}} of */
export default function Order({ at }) {
  const id = at.id ?? '';
  const { data, error, reload, stale } = useLoad(() => load(id), [id]);
  const [done, setDone] = useState(/** @type {string | null} */ (null));
  useEffect(() => setDone(null), [id]);
  if (error) return html`<${Failed} error=${error} retry=${reload} />`;
  if (!data) return html`<${Loading} lines=${8} block />`;
  const { order, tickets } = data;
  const step = at.step;
  const to = (/** @type {string | undefined} */ next) => ({ view: 'order', id, step: next });
  const back = () => go(to(undefined), { replace: true });
  const finish = (/** @type {string} */ text) => {
    back();
    setDone(text);
    reload();
  };
  const left = order.orderItems.some((/** @type {any} */ item) => item.quantity > 0);
  const movable = tickets.some((/** @type {any} */ one) => one.ticketStatus === 'Normal' && !one.combo);
  const steps = [['again', true], ['contact', true], ['refund', may('b2b') && left], ['exchange', may('b2b') && movable], ['block', tickets.some((/** @type {any} */ one) => one.ticketStatus === 'Normal')]];
  const address = (/** @type {string} */ prefix) => ['address1', 'address2', 'zipCode', 'city', 'state', 'country'].map((name) => order[prefix ? `${prefix}${name[0].toUpperCase()}${name.slice(1)}` : name]).filter(Boolean).join(', ');
  return html`
    <${Trail} trail=${[[t('nav.orders'), { view: 'orders' }]]} />
    <h1>${t('order.title', { number: order.orderNumber })}</h1>
    <p class="row"><span>${nameOf(order)}</span> ${stateOf(order) !== 'Not Refunded' && html`<span class="tag warn">${word('refundStatus', stateOf(order))}</span>`}
      ${order.checkInStatus !== 'NotCheckedIn' && html`<span class="tag good">${word('checkInStatus', order.checkInStatus)}</span>`}
      ${order.disputed && html`<span class="tag bad">${t('order.disputed', { status: word('dispute', order.disputed.status), when: when(order.disputed.since) })}</span>`}
      ${(order.failedRefunds ?? []).map((/** @type {any} */ one) => html`<span class="tag bad">${t('order.failedRefund', { when: when(one.since) })}</span>`)}${stale && html`<span class="tag warn">${t('order.stale')}</span>`}</p>
    <${Done} text=${done} />
    <nav class="tabs noprint" aria-label=${t('order.actions')}><ul class="plain row">${steps.filter(([, on]) => on).map(([name]) => html`<li><a href=${href(to(/** @type {string} */ (name)))} aria-current=${step === name ? 'page' : undefined}>${t(`order.${name}`)}</a></li>`)}</ul></nav>
    ${step === 'again' && html`<${SendAgain} order=${order} onDone=${finish} onBack=${back} />`}
    ${step === 'block' && html`<${Block} tickets=${tickets} onDone=${finish} onBack=${back} />`}
    ${step === 'refund' && may('b2b') && html`<${Refund} order=${order} tickets=${tickets} onDone=${finish} onBack=${back} />`}
    ${step === 'exchange' && may('b2b') && html`<${Exchange} order=${order} tickets=${tickets} onDone=${finish} onBack=${back} />`}
    ${step === 'contact' && html`<section class="panel" aria-label=${t('order.contact')}><${Editor} of=${`contact ${id}`} sections=${CONTACT} head=${() => html`<h2>${t('order.contact')}</h2>`}
      read=${() => api.read(`/v2/b2b/orders/detail/${order.id}`).then(({ body, etag }) => ({ etag, body: contactOf(body) }))}
      toBody=${(/** @type {any} */ record) => contactOf(record)}
      write=${(/** @type {any} */ body, /** @type {any} */ asked) => api.write('PUT', `/v2/b2b/orders/${order.id}`, { body, ...asked }).then(({ body: saved, etag }) => ({ etag, body: contactOf(saved) }))}
      onSaved=${() => finish(t('edit.saved'))} /></section>`}
    <div class="two">
      <section><h2>${t('order.lines')}</h2><${Lines} order=${order} /><${Tickets} tickets=${tickets} />
        ${(order.forms ?? []).map((/** @type {any} */ form) => html`<h2>${form.formName}</h2><p class="muted">${form.itemName}</p><${Facts} facts=${form.fields.map((/** @type {any} */ one) => [one.label ?? one.name, one.value === true ? t('yes') : one.value === false ? t('no') : String(one.value ?? '–')])} />`)}
      </section>
      <section>
        <h2>${t('order.facts')}</h2>
        <${Facts} facts=${[[t('column.created'), when(order.createdOn)], [t('f.saleChannel'), word('saleChannel', order.saleChannel)], [t('order.soldBy'), by(order.createdBy)], [t('order.receipt'), order.receiptNumber],
          [t('order.paid'), price(order.paidAmount)], [t('order.refunded'), Number(order.refundAmount) ? price(order.refundAmount) : null], [t('column.balance'), Number(order.balanceAmount) ? price(order.balanceAmount) : null],
          [t('order.card'), order.payments.map((/** @type {any} */ one) => `${one.cardBrand ?? ''} …${one.lastFour ?? ''}`).join(', ')], [t('order.currency'), order.currency], [t('order.locale'), order.locale && languageName(order.locale)]]} />
        <h2>${t('section.contact')}</h2>
        <${Facts} facts=${[[t('column.name'), nameOf(order)], [t('f.email'), order.email], [t('f.phoneNumber'), order.phoneNumber], [t('order.address'), address('')]]} />
        <h2>${t('section.payer')}</h2>
        <${Facts} facts=${[[t('column.name'), [order.billingFirstName, order.billingLastName].filter(Boolean).join(' ')], [t('f.email'), order.billingEmail], [t('f.phoneNumber'), order.billingPhoneNumber], [t('order.address'), address('billing')], [t('f.ticketDeliveryEmail'), order.ticketDeliveryEmail]]} />
        <h2>${t('f.notes')}</h2>
        <p class="prewrap">${order.notes || html`<span class="muted">${t('order.noNotes')}</span>`} ${may('b2b', 'counter') && html`<a href=${href(to('contact'))}>${t('order.editNotes')}</a>`}</p>
        <${History} order=${order} tickets=${tickets} />
      </section>
    </div>`;
}

/** What of an order may be put right. @param {any} order */
function contactOf(order) {
  return Object.fromEntries(CONTACT.flatMap(({ fields }) => fields).map(({ k }) => [k, order[k] || null]));
}
