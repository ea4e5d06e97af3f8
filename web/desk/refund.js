// @ts-check
/** Giving back: what is chosen, what will happen by the service's own preview, and one confirmation by the verb. */
import { html, useFocus, useLayoutEffect, useRef, useState, Field, Check } from '/shared/ui.js';
import { cents, spokenMoney, t } from '/shared/intl.js';
import { Refusal, newKey } from '/shared/client.js';
import { api } from '/desk/state.js';
import { faultsOf } from '/desk/form.js';
import { Refused, price, when, word } from '/desk/said.js';

/** @param {{order: any, tickets: any[], onDone: (text: string) => void, onBack: () => void}} of */
export function Refund({ order, tickets, onDone, onBack }) {
  const lines = order.orderItems.filter((/** @type {any} */ item) => item.quantity > 0 && (item.parentItemId === '0' || !item.parentItemId));
  const [whole, setWhole] = useState(true);
  const [chosen, setChosen] = useState(/** @type {Record<string, string[] | number>} */ ({}));
  const [rest, setRest] = useState({ amount: '', reason: '', sendEmail: true, force: false });
  const [preview, setPreview] = useState(/** @type {any} */ (null));
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const key = useRef(newKey());
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useFocus(box, [preview]);
  const ticketsOf = (/** @type {any} */ item) => tickets.filter((one) => one.itemId === item.itemId && one.ticketStatus === 'Normal');
  const change = (/** @type {() => void} */ run) => {
    setPreview(null);
    setRefused(null);
    key.current = newKey();
    run();
  };
  const body = () => {
    const items = lines.flatMap((/** @type {any} */ item) => {
      const mine = chosen[item.itemId];
      if (Array.isArray(mine)) return mine.length ? [{ itemId: item.itemId, ticketIds: mine }] : [];
      return mine ? [{ itemId: item.itemId, quantity: mine }] : [];
    });
    return { orderId: order.id, ...(whole ? { wholeOrder: true } : { items }), ...(rest.amount.trim() ? { amount: rest.amount.trim().replace(',', '.') } : {}),
      ...(rest.reason.trim() ? { reason: rest.reason.trim() } : {}), sendEmail: rest.sendEmail, force: rest.force };
  };
  const ask = async (/** @type {any} */ event) => {
    event.preventDefault();
    setRefused(null);
    if (!whole && !/** @type {any} */ (body()).items.length) {
      setFault(t('refund.chooseFault'));
      document.getElementById('refund-items')?.focus();
      return;
    }
    setFault('');
    try {
      setPreview((await api.write('POST', '/v2/b2b/refunds/preview', { body: body() })).body);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setRefused(error);
    }
  };
  const act = async () => {
    if (busy) return;
    setBusy(true);
    setRefused(null);
    try {
      const { body: made } = await api.write('POST', '/v2/b2b/refunds', { body: body(), key: key.current });
      onDone(t('refund.done', { amount: price(made.amount) }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setRefused(error);
      // The bank has not answered: the same request says later how it ended. Everything else is decided.
      if (!error.undecided && error.type !== 'REFUND_PENDING') key.current = newKey();
    }
    setBusy(false);
  };
  const amount = preview ? cents(preview.amount) : 0;
  const nameOf = (/** @type {string} */ id) => order.orderItems.find((/** @type {any} */ item) => item.itemId === id)?.displayName ?? id;
  const eventOf = (/** @type {string} */ id) => order.orderItems.find((/** @type {any} */ item) => item.eventId === id && item.eventName);
  const pending = refused?.type === 'REFUND_PENDING';
  const faults = faultsOf(refused?.details ?? []);
  const fields = { '/amount': { id: 'amount', label: t('refund.amount') }, '/reason': { id: 'why', label: t('refund.reason') } };
  // Tickets that let somebody in stand against it, which is said where they may be allowed; anything else is said as well.
  const admitted = refused?.body.admittedTicketIds?.length ?? 0;
  const others = refused?.details.filter(({ message }) => !/admitted/.test(message)) ?? [];
  useLayoutEffect(() => {
    if (admitted) document.getElementById('force')?.focus();
  }, [refused]);
  return html`<section class="panel" aria-label=${t('order.refund')}><h2>${t('order.refund')}</h2>
    <form noValidate onSubmit=${ask}>
      <fieldset class=${fault ? 'group inner faulty' : 'group inner'} id="refund-items" tabindex="-1"><legend>${t('refund.what')}</legend>
        ${fault && html`<p class="fault"><span aria-hidden="true">▲ </span>${fault}</p>`}
        <label class="pick"><input type="radio" name="whole" checked=${whole} onChange=${() => change(() => setWhole(true))} /> <span>${t('refund.whole', { amount: price(order.discountedTotalAmount) })}</span></label>
        <label class="pick"><input type="radio" name="whole" checked=${!whole} onChange=${() => change(() => setWhole(false))} /> <span>${t('refund.parts')}</span></label>
        ${!whole && lines.map((/** @type {any} */ item) => {
          const own = ticketsOf(item);
          const mine = chosen[item.itemId];
          const name = `${item.displayName}${item.eventName ? `, ${item.eventName}, ${when(item.eventStartTime)}` : ''}`;
          return html`<fieldset class="entry"><legend>${name}: ${price(item.discountedUnitPrice)}</legend>
            ${own.length ? own.map((one) => html`<label class="check"><input type="checkbox" checked=${Array.isArray(mine) && mine.includes(one.id)} onChange=${(/** @type {any} */ e) => {
              const now = Array.isArray(mine) ? mine : [];
              const next = e.currentTarget.checked ? [...now, one.id] : now.filter((id) => id !== one.id);
              change(() => setChosen({ ...chosen, [item.itemId]: next }));
            }} /> <span>${one.typeName} <span class="mono muted">…${one.uuid.slice(-6)}</span>${one.door?.entries > 0 && html` <span class="tag warn">${t('ticket.in')}</span>`}</span></label>`)
              : html`<div class="field"><label for=${`q-${item.itemId}`}>${t('refund.howMany', { n: item.quantity })}</label><input id=${`q-${item.itemId}`} inputmode="numeric" autocomplete="off" value=${mine || ''} onInput=${(/** @type {any} */ e) => {
                const n = Number(e.currentTarget.value) || 0;
                change(() => setChosen({ ...chosen, [item.itemId]: n }));
              }} /></div>`}</fieldset>`;
        })}
      </fieldset>
      <div class="pair">
        <${Field} id="amount" label=${t('refund.amount')} hint=${t('refund.amountHint')} optional inputmode="decimal" autocomplete="off" value=${rest.amount} fault=${faults['/amount']} onValue=${(/** @type {string} */ value) => change(() => setRest({ ...rest, amount: value }))} />
        <${Field} id="why" label=${t('refund.reason')} hint=${t('refund.reasonHint')} optional autocomplete="off" value=${rest.reason} fault=${faults['/reason']} onValue=${(/** @type {string} */ value) => change(() => setRest({ ...rest, reason: value }))} />
      </div>
      <${Check} id="sendEmail" label=${t('refund.mail')} value=${rest.sendEmail} onValue=${(/** @type {boolean} */ value) => change(() => setRest({ ...rest, sendEmail: value }))} />
      ${(admitted > 0 || tickets.some((one) => one.door?.entries > 0)) && html`<${Check} id="force" label=${t('refund.force')} fault=${admitted > 0 && t('refund.forceFault', { n: admitted })} value=${rest.force} onValue=${(/** @type {boolean} */ value) => change(() => setRest({ ...rest, force: value }))} />`}
      ${refused && !pending && (!admitted || others.length > 0) && html`<${Refused} error=${refused} fields=${fields} />`}
      ${!preview && html`<div class="row"><button type="submit">${t('refund.preview')}</button><button type="button" class="quiet" onClick=${onBack}>${t('edit.keep')}</button></div>`}
    </form>
    ${preview && html`<section class="notice warn" tabindex="-1" ref=${box} aria-label=${t('refund.will')}>
      <h3>${t('refund.will')}</h3>
      <ul>
        <li>${amount ? t('refund.money', { amount: price(preview.amount), card: order.payments.map((/** @type {any} */ one) => `${one.cardBrand ?? ''} …${one.lastFour ?? ''}`).join(', ') }) : t('refund.noMoney')}
          ${preview.amount !== preview.itemsAmount && html` (${t('refund.worth', { amount: price(preview.itemsAmount) })})`}</li>
        ${preview.items.map((/** @type {any} */ one) => html`<li>${t('refund.line', { n: one.quantity, what: nameOf(one.itemId), amount: price(one.amount) })}</li>`)}
        ${preview.seats.map((/** @type {any} */ one) => html`<li>${t('refund.seats', { n: one.quantity, event: eventOf(one.eventId)?.eventName ?? '', when: when(eventOf(one.eventId)?.eventStartTime) })}</li>`)}
        ${preview.pieces.map((/** @type {any} */ one) => html`<li>${t('refund.pieces', { n: one.quantity, what: order.orderItems.find((/** @type {any} */ item) => item.inventoryId === one.inventoryId)?.inventoryName ?? String(one.inventoryId) })}</li>`)}
        ${preview.couponUses > 0 && html`<li>${t('refund.coupons', { n: preview.couponUses })}</li>`}
        ${preview.memberTickets > 0 && html`<li>${t('refund.memberTickets', { n: preview.memberTickets })}</li>`}
        ${preview.memberships.map((/** @type {any} */ one) => html`<li>${t('refund.membership', { id: String(one.membershipId), standing: word('standing', one.membershipStanding) })}</li>`)}
        ${(preview.memberOrders ?? []).map((/** @type {any} */ one) => html`<li>${t('refund.memberOrder', { number: one.orderNumber, n: one.tickets })}</li>`)}
        <li>${t(preview.emailSent ? 'refund.mailed' : 'refund.notMailed')}</li>
      </ul>
      ${pending && html`<div class="notice warn" role="alert"><p><strong>${t('refund.pending')}</strong> ${t('refund.pendingHelp')}</p></div>`}
      <div class="row"><button type="button" aria-disabled=${busy ? 'true' : undefined} onClick=${act}>${busy ? t('refund.busy') : pending ? t('refund.askAgain') : amount ? t('refund.do', { amount: spokenMoney(amount) }) : t('refund.doNothing', { n: preview.items.reduce((/** @type {number} */ all, /** @type {any} */ one) => all + one.quantity, 0) })}</button>
        <button type="button" class="quiet" onClick=${onBack}>${t('refund.keep')}</button></div>
    </section>`}
  </section>`;
}

