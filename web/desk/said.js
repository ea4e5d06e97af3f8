// @ts-check
/** What the desk says of refusals, people and things. */
import { html, useFocus, useRef } from '/shared/ui.js';
import { cents, money, t, dayAndTime, number } from '/shared/intl.js';
import { href } from '/desk/state.js';

/** Refusals with words of their own. Everything else is said in the words of the interface. */
const KNOWN = new Set(['IN_USE', 'CAPACITY_BELOW_SOLD', 'PUBLISHED_TEMPLATE_CANNOT_RETURN_TO_DRAFT', 'REFUND_PENDING', 'REFUND_REFUSED',
  'REFUND_EXCEEDS_REMAINDER', 'NOT_ENOUGH_CAPACITY', 'SALES_CLOSED', 'NO_ADDRESS', 'NOTHING_TO_SEND', 'TOO_MANY_MAILS',
  'PRIMARY_CARD_NEEDED', 'EXTERNAL_ID_TAKEN', 'LOGIN_TOKEN_NOT_VALID', 'RESPONSE_TOO_LARGE', 'VALIDATION_ERROR']);

/** @param {import('/shared/client.js').Refusal} error */
function explain(error) {
  if (error.type === 'OFFLINE') return t('error.offline');
  if (error.status === 0 || error.type === 'NO_ANSWER') return t('error.noAnswer');
  if (error.status === 401) return t('error.session');
  if (error.status === 403 && error.type === 'FORBIDDEN') return t('error.forbidden');
  if (error.status === 404) return t('error.notFound');
  if (error.status === 429) return t('error.throttled');
  if (error.status === 503) return t('error.busy');
  if (KNOWN.has(error.type)) {
    return t(`error.${error.type}`, { taken: error.body.taken ?? '', remainder: error.body.remainder ? money(cents(error.body.remainder)) : '',
      left: error.body.availableSeats ?? 0, n: error.body.availableSeats ?? 0, message: error.body.processorErrorMessage ?? error.body.issuingErrorMessage ?? '' });
  }
  return error.body.message ?? t('error.other');
}

/** The place of a complaint in words, such as "Schedule › 1 › Times". @param {string} field a JSON pointer */
export const placeOf = (field) => field.split('/').slice(1).map((part) => (/^\d+$/.test(part) ? String(Number(part) + 1) : word('f', part))).join(' › ');

/**
 * A refusal in words. What it complains of at a field that is on the page is linked to it.
 * @param {{error: import('/shared/client.js').Refusal, retry?: () => void, title?: string, fields?: Record<string, {id: string, label: string}>}} of
 */
export function Refused({ error, retry, title, fields = {} }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useFocus(box, [error]);
  const used = error.body.usedBy ?? [];
  const place = (/** @type {string} */ field) => {
    const known = fields[field];
    if (!known) return placeOf(field);
    return html`<a href=${`#${known.id}`} onClick=${(/** @type {any} */ e) => {
      e.preventDefault();
      document.getElementById(known.id)?.focus();
    }}>${known.label}</a>`;
  };
  return html`<div class="notice bad" role="alert" tabindex="-1" ref=${box}>
    <p><strong>${title ?? t('error.title')}</strong> ${explain(error)}</p>
    ${used.length > 0 && html`<ul>${used.map((/** @type {any} */ one) => html`<li>${word('used', one.type)}: ${one.name || one.id}</li>`)}</ul>`}
    ${!error.details.length ? null : html`<ul>${error.details.map(({ field, message }) => html`<li>${place(field)}: ${message}</li>`)}</ul>`}
    ${error.body.requestId && html`<p class="small muted">${t('error.request', { id: error.body.requestId })}</p>`}
    ${retry && html`<button type="button" class="quiet" onClick=${retry}>${t('error.again')}</button>`}
  </div>`;
}

/** A load that failed. @param {{error: import('/shared/client.js').Refusal, retry: () => void}} of */
export const Failed = ({ error, retry }) => html`<${Refused} error=${error} retry=${retry} />`;

/** A word of the interface in the reader's language, or as it is. @param {string} group @param {string | null | undefined} value */
export function word(group, value) {
  if (!value) return '–';
  const said = t(`${group}.${value}`);
  return said === `${group}.${value}` ? value : said;
}

/** @param {string | number | null | undefined} amount */
export const price = (amount) => (amount === null || amount === undefined ? '–' : money(cents(amount)));
/** @param {string | number | null | undefined} at */
export const when = (at) => (at ? dayAndTime(at) : '–');
export const count = number;

/** Facts, one beside the other. @param {{facts: [string, any][]}} of */
export function Facts({ facts }) {
  return html`<dl class="facts">${facts.filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** The way back to what a page belongs to. @param {{trail: [string, import('/desk/state.js').Route][]}} of */
export function Trail({ trail }) {
  return html`<nav class="trail" aria-label=${t('trail')}><ol class="plain row">
    ${trail.map(([name, to]) => html`<li><a href=${href(to)}>${name}</a></li>`)}</ol></nav>`;
}

/** A name for a person of an order. @param {any} order */
export const nameOf = (order) => [order.contactFirstName ?? order.billingFirstName, order.contactLastName ?? order.billingLastName].filter(Boolean).join(' ')
  || order.contactFullName || order.billingEmail || order.email || '–';

/** Who did something, without the mark that tells persons from keys. @param {string | null | undefined} by_ */
export const by = (by_) => (by_ ?? '').replace(/^staff:/, '');

/** What was done, said once for everybody. @param {{text: string | null}} of */
export function Done({ text }) {
  return html`<div role="status">${text && html`<p class="notice good">${text}</p>`}</div>`;
}
