// @ts-check
/** The order is paid: the tickets, and what to do with them. */
import { html, useEffect, useLoad, Failed, Loading, Notice } from '/shared/ui.js';
import { t } from '/shared/intl.js';
import { api, finished, href, member, paidOrder, venue } from '/shop/state.js';
import { Order, ticketsOf } from '/shop/tickets.js';

async function load() {
  const last = finished.peek();
  if (!last) return { order: null, token: undefined };
  if (last.token) return { order: await api.post('/v2/b2c/orders/open', { token: last.token }), token: last.token };
  return { order: paidOrder.current ?? { orderNumber: last.orderNumber }, token: undefined };
}

export default function Done() {
  const { data, error, reload } = useLoad(load, [finished.peek()?.orderNumber]);
  useEffect(() => {
    document.title = `${t('done.title')} · ${venue.peek().name}`;
  }, []);
  if (finished.peek() && error) return html`<h1>${t('done.title')}</h1><${Notice} kind="good"><p>${t('done.byMail')} ${t('done.number', { number: finished.peek().orderNumber })}</p></${Notice}><${Failed} error=${error} retry=${reload} />`;
  if (data && !data.order) return html`<h1>${t('done.none')}</h1><${Notice}><p>${t('done.noneHelp')}</p><p><a class="button" href=${href({ view: 'order' })}>${t('paid.find')}</a></p></${Notice}>`;
  return html`<h1>${t('done.title')}</h1>
    ${!data ? html`<${Loading} lines=${4} block />` : html`<div class="no-print"><${Notice} kind="good"><p>${t('done.mail')}</p></${Notice}></div>
      ${!ticketsOf(data.order).length && (data.order.orderItems ?? []).some((/** @type {any} */ l) => l.ticketingTypeId) && html`<${Notice}><p>${t('done.byMail')}</p></${Notice}>`}
      ${!member.peek() && (data.order.orderItems ?? []).some((/** @type {any} */ l) => l.membershipInfo && !l.membershipInfo.isGift) && html`<div class="no-print"><${Notice}><p>${t('done.member')}</p>
        <p><a class="button" href=${href({ view: 'member' })}>${t('event.memberLogin')}</a></p></${Notice}></div>`}
      <${Order} order=${data.order} token=${data.token} />
      <p class="no-print spaced"><a href=${href({})}>${t('done.more')}</a></p>`}`;
}
