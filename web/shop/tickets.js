// @ts-check
/** Tickets as codes, one below the other, to be shown, printed, and put into a calendar. */
import { html, useState } from '/shared/ui.js';
import { dateOnly, dayAndTime, money, cents, t } from '/shared/intl.js';
import { taxWords } from '/shop/words.js';
import { Code } from '/shop/code.js';
import { api, venue } from '/shop/state.js';

/**
 * The tickets of an order, whichever way they were answered.
 * @param {any} order
 * @returns {{code: string, name: string, type: string, eventId: string, at: string | number, status: string, persons: number}[]}
 */
export function ticketsOf(order) {
  if (Array.isArray(order.tickets)) {
    return order.tickets.map((/** @type {any} */ one) => ({
      code: one.uuid, name: one.eventName, type: one.ticketTypeName ?? one.ticketingTypeName, eventId: one.eventId,
      at: one.eventDate ?? one.eventStartTime ?? one.startTime, status: one.ticketStatus ?? 'Normal',
      persons: one.ticketDetails?.[0]?.quantity ?? one.quantity ?? 1,
    }));
  }
  return (order.eventItems ?? []).flatMap((/** @type {any} */ event) => event.items.flatMap((/** @type {any} */ item) => item.tickets.map((/** @type {any} */ one) => ({
    code: one.uuid, name: event.eventName, type: item.ticketTypeName, eventId: event.eventId, at: event.eventDate,
    status: one.ticketStatus, persons: one.ticketDetails?.[0]?.quantity ?? 1,
  }))));
}

/** A line of a calendar file, folded at 75 bytes. @param {string} line */
function fold(line) {
  const bytes = new TextEncoder();
  let out = '';
  let width = 0;
  for (const sign of line) {
    const n = bytes.encode(sign).length;
    if (width + n > 74) {
      out += '\r\n ';
      width = 1;
    }
    out += sign;
    width += n;
  }
  return out;
}

/** @param {string} text */
const escape = (text) => text.replace(/([\\;,])/g, '\\$1').replace(/\r?\n/g, '\\n');
/** @param {number | string | Date} at */
const stamp = (at) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** A calendar file. @param {{id: string, name: string, start: number, end: number}[]} visits @param {string} orderNumber */
function calendarFile(visits, orderNumber) {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Boxoffice//Shop//EN', 'CALSCALE:GREGORIAN', ...visits.flatMap((visit) => [
    'BEGIN:VEVENT', `UID:${orderNumber}-${visit.id}@boxoffice`, `DTSTAMP:${stamp(Date.now())}`, `DTSTART:${stamp(visit.start)}`, `DTEND:${stamp(visit.end)}`,
    `SUMMARY:${escape(visit.name)}`, `LOCATION:${escape(venue.peek().name)}`, `DESCRIPTION:${escape(t('ics.order', { number: orderNumber }))}`, 'END:VEVENT',
  ]), 'END:VCALENDAR', ''];
  return lines.map(fold).join('\r\n');
}

/** @param {any} order */
async function saveCalendar(order) {
  const slots = new Map();
  for (const line of order.orderItems ?? []) if (line.eventId && line.ticketingTypeId && line.quantity > 0) slots.set(line.eventId, { name: line.eventName, start: Number(line.eventStartTime) });
  for (const one of ticketsOf(order)) if (!slots.has(one.eventId)) slots.set(one.eventId, { name: one.name, start: Date.parse(String(one.at)) });
  const visits = await Promise.all([...slots].map(async ([id, { name, start }]) => {
    const event = await api.get(`/v2/b2c/events/${id}`).catch(() => null);
    return { id, name, start, end: event?.endTime ? Date.parse(event.endTime) : start + 3_600_000 };
  }));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([calendarFile(visits, order.orderNumber)], { type: 'text/calendar' }));
  link.download = `${order.orderNumber}.ics`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** An order with all that can be done with it. @param {{order: any, token?: string}} of */
export function Order({ order, token }) {
  const [sent, setSent] = useState('');
  const tickets = ticketsOf(order);
  const memberships = (order.orderItems ?? []).filter((/** @type {any} */ line) => line.membershipInfo);
  const others = (order.orderItems ?? []).filter((/** @type {any} */ line) => line.quantity > 0 && !line.membershipInfo && line.inventoryName);
  const resend = async () => {
    setSent('busy');
    try {
      await api.post('/v2/b2c/orders/open/email', { token });
      setSent('done');
    } catch {
      setSent('failed');
    }
  };
  const back = cents(order.refundAmount);
  return html`
    <dl class="facts-list"><div><dt>${t('order.number')}</dt><dd class="digits">${order.orderNumber}</dd></div>
      <div><dt>${t('order.paid')}</dt><dd class="digits">${money(cents(order.paidAmount))}</dd></div>
      ${(order.taxes ?? []).filter((/** @type {any} */ one) => cents(one.taxAmount) > 0).map((/** @type {any} */ one) => html`<div><dt>${taxWords({ rate: one.taxRate, name: one.taxName ?? '' })}</dt><dd class="digits">${money(cents(one.taxAmount))}</dd></div>`)}
      ${order.receiptNumber && html`<div><dt>${t('order.receipt')}</dt><dd class="digits">${order.receiptNumber}</dd></div>`}
      ${back > 0 && html`<div><dt>${t('order.refunded')}</dt><dd class="digits">${money(back)}</dd></div>`}</dl>
    <div class="row no-print">
      ${tickets.length > 0 && html`<button type="button" onClick=${() => print()}>${t('order.print')}</button>
        <button type="button" class="quiet" onClick=${() => saveCalendar(order)}>${t('order.calendar')}</button>`}
      ${token && html`<button type="button" class="quiet" onClick=${resend}>${sent === 'busy' ? t('order.sending') : t('order.send')}</button>`}
    </div>
    <p role="status" class="no-print">${sent === 'done' ? t('order.sent') : sent === 'failed' ? t('order.sendFailed') : ''}</p>
    ${tickets.length > 0 && html`<section class="stack"><h2>${t('order.tickets', { n: tickets.length })}</h2>
      <ol class="plain tickets">${tickets.map((one, at) => {
        const good = one.status === 'Normal';
        return html`<li class=${good ? 'ticket' : 'ticket void'} key=${one.code ?? at}>
          ${good && one.code ? html`<${Code} text=${one.code} label=${t('ticket.code', { n: at + 1, type: one.type })} />` : ''}
          <div><h3>${one.name}</h3><p>${dayAndTime(typeof one.at === 'string' && /^\d+$/.test(one.at) ? Number(one.at) : one.at)}</p>
            <p>${one.type}${one.persons > 1 ? ` · ${t('ticket.persons', { n: one.persons })}` : ''}</p>
            ${good ? html`<p class="muted small mono">${one.code}</p>` : html`<p><span class="tag bad">${t(`ticket.${one.status}`)}</span></p>`}
            <p class="muted small">${t('ticket.number', { n: at + 1, of: tickets.length })} · ${venue.peek().name}</p></div></li>`;
      })}</ol></section>`}
    ${memberships.length > 0 && html`<section class="stack"><h2>${t('order.memberships')}</h2><ul class="plain list">
      ${memberships.map((/** @type {any} */ line) => html`<li class="item"><div><strong>${line.membershipInfo.membershipCategoryName}</strong>
        <p>${t('join.term', { from: dateOnly(line.membershipInfo.startDate), to: dateOnly(line.membershipInfo.expirationDate) })}</p>
        ${line.membershipInfo.membershipNumber && html`<p>${t('order.memberNumber', { number: String(line.membershipInfo.membershipNumber) })}</p>`}
        ${line.membershipInfo.isGift && html`<p class="muted">${t('order.gift')}</p>`}</div></li>`)}</ul></section>`}
    ${others.length > 0 && html`<section class="stack"><h2>${t('order.others')}</h2><ul class="plain list">
      ${others.map((/** @type {any} */ line) => html`<li class="line"><span>${line.quantity > 1 ? `${line.quantity} × ` : ''}${line.inventoryName}</span><span class="digits">${money(cents(line.discountedAmount))}</span></li>`)}</ul></section>`}`;
}
