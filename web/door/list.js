// @ts-check
/** The events of the day and the lists of the door: kept on the device, brought up to date, asked when there is no network. */
import { signal } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { dayKey } from '/shared/intl.js';
import { ask, credentials, now, unanswered } from '/door/state.js';
import * as store from '/door/store.js';

/** @typedef {{id: string, name: string, startTime: string, endTime: string, state: string, sold: number, checkedIn: number, inside: number, capacity: number}} Event */
/** @typedef {{ticketId: string, orderId: string, codeHash: string, orderNumber: string, ticketTypeName: string, lastName: string, firstName: string, status: string, state: string, checkInDate: string | null, attention: string[], terminalId?: string}} Ticket */
/** @typedef {{eventId: string, eventName: string, startTime: string, endTime: string, state: string, opens: string | null, closes: string | null, reentry: string, asOf: string}} About */
/** @typedef {{about: About, pages: {token: string, etag: string | null, next: string | null, tickets: Ticket[]}[], asked: number}} Kept */

/** @type {{value: {at: number, list: Event[]} | null, peek: () => {at: number, list: Event[]} | null, subscribe: any}} */
export const events = signal(/** @type {any} */ (null));
/** Counts the changes of the lists. */
export const changed = signal(0);
/** The events that this door lets in to. @type {string[]} */
export let watched = [];

/** @type {Map<string, Kept & {byHash: Map<string, Ticket>, byId: Map<string, Ticket>}>} */
const lists = new Map();
/** What happened here, until the service's list tells it. @type {Map<string, {eventId: string, state: string, checkInDate: string, at: number, waits: boolean, terminalId: string}>} */
const mine = new Map();

export async function restoreEvents() {
  const kept = await store.get('kept', 'events');
  if (kept && kept.day === dayKey(now())) events.value = kept;
}

/** The events of the venue's day. */
export async function loadEvents() {
  const { body } = await ask('GET', '/v2/b2b/event/instances/summaries', { query: { type: 'all', pageSize: '-1' } });
  const list = body.list.map((/** @type {any} */ one) => ({
    id: one.id, name: one.name, startTime: one.startTime, endTime: one.endTime, state: one.state, sold: one.sold,
    checkedIn: one.checkedIn, inside: one.inside, capacity: one.capacity,
  }));
  events.value = { at: now(), list };
  await store.put('kept', 'events', { ...events.peek(), day: dayKey(now()) });
  return list;
}

/** @param {Kept} kept */
function index(kept) {
  /** @type {Map<string, Ticket>} */
  const byHash = new Map();
  /** @type {Map<string, Ticket>} */
  const byId = new Map();
  for (const page of kept.pages) {
    for (const ticket of page.tickets) {
      byHash.set(ticket.codeHash, ticket);
      byId.set(ticket.ticketId, ticket);
    }
  }
  lists.set(kept.about.eventId, { ...kept, byHash, byId });
  for (const [ticketId, one] of mine) {
    if (one.eventId !== kept.about.eventId) continue;
    const told = Date.parse(kept.about.asOf) > one.at + 5000;
    if (told && !one.waits) mine.delete(ticketId);
    else overlay(ticketId);
  }
  changed.value += 1;
}

/** @param {string} ticketId */
function overlay(ticketId) {
  const one = mine.get(ticketId);
  const ticket = one && lists.get(one.eventId)?.byId.get(ticketId);
  if (!one || !ticket) return;
  ticket.state = one.state;
  ticket.checkInDate = one.state === 'never' ? null : ticket.checkInDate ?? one.checkInDate;
  ticket.terminalId = one.terminalId;
}

/**
 * Notes what happened to a ticket here, ahead of the list.
 * @param {{ticketId?: string, eventId?: string, state: string, checkInDate: string, waits: boolean, terminalId: string}} of
 */
export function note({ ticketId, eventId, ...what }) {
  if (!ticketId || !eventId) return;
  mine.set(ticketId, { ...what, eventId, at: now() });
  overlay(ticketId);
  changed.value += 1;
}

/** @param {string} ticketId */
export function settled(ticketId) {
  const one = mine.get(ticketId);
  if (one) mine.set(ticketId, { ...one, waits: false, at: now() });
}

/** Brings the list of one event up to date; what did not change is not sent again. @param {string} eventId */
async function refresh(eventId) {
  const before = lists.get(eventId);
  /** @type {Kept['pages']} */
  const pages = [];
  /** @type {About | null} */
  let about = null;
  let token = '';
  do {
    const had = before?.pages.find((page) => page.token === token);
    const { body, etag, unchanged } = await ask('GET', `/v2/b2b/admissions/events/${eventId}`, { query: { pageToken: token || undefined }, etag: had?.etag ?? undefined });
    if (unchanged && had && before) {
      pages.push(had);
      about ??= { ...before.about, asOf: new Date(now()).toISOString() };
      token = had.next ?? '';
    } else {
      const { tickets, nextPageToken, ...rest } = body;
      pages.push({ token, etag, next: nextPageToken ?? null, tickets });
      about = about && about.asOf < rest.asOf ? about : rest;
      token = nextPageToken ?? '';
    }
  } while (token);
  // Somebody signed out meanwhile: nothing of it stays.
  if (!credentials.peek()) return;
  const kept = { about: /** @type {About} */ (about), pages, asked: now() };
  await store.put('lists', eventId, kept);
  index(kept);
}

/** Chooses what this door watches, first from what is kept. @param {string[]} ids */
export async function watch(ids) {
  watched = ids;
  await Promise.all(ids.filter((id) => !lists.has(id)).map(async (id) => {
    const kept = await store.get('lists', id);
    if (kept && !lists.has(id)) index(kept);
  }));
  changed.value += 1;
}

/** Brings all that is watched up to date. True where every list was. */
export async function refreshAll() {
  for (const id of watched) {
    try {
      await refresh(id);
    } catch (error) {
      if (unanswered(error)) return false;
      if (!(error instanceof Refusal)) throw error;
    }
  }
  // Lists of other days are not kept any longer than they serve.
  for (const kept of await store.all('lists')) {
    if (Date.parse(kept.about.endTime) < now() - 86_400_000) await store.remove('lists', kept.about.eventId);
  }
  return true;
}

/** Since when the oldest watched list is known; nothing where one is missing. */
export function since() {
  const all = watched.map((id) => lists.get(id));
  if (!all.length || all.some((one) => !one)) return null;
  return Math.min(...all.map((one) => Date.parse(/** @type {any} */ (one).about.asOf)));
}

/** @param {string} id */
export const about = (id) => lists.get(id)?.about;

/** All tickets that are watched, with their events. */
export function* tickets() {
  for (const id of watched) {
    const list = lists.get(id);
    if (list) for (const ticket of list.byId.values()) yield { ticket, about: list.about };
  }
}

/** How many are inside, by the lists and what happened here. */
export function insideByList() {
  let n = 0;
  for (const { ticket } of tickets()) if (ticket.state === 'inside') n += 1;
  return n;
}

/** @param {string} eventId @param {string} code */
async function hash(eventId, code) {
  const bytes = new TextEncoder().encode(`${eventId}\n${code.trim().toLowerCase()}`);
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(sum.slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {string} code @returns {Promise<{ticket: Ticket, about: About} | null>} */
export async function find(code) {
  for (const id of watched) {
    const list = lists.get(id);
    const ticket = list?.byHash.get(await hash(id, code));
    if (list && ticket) return { ticket, about: list.about };
  }
  return null;
}

/** @param {string} ticketId */
export function findTicket(ticketId) {
  for (const found of tickets()) if (found.ticket.ticketId === ticketId) return found;
  return null;
}

/**
 * What a list can say of a ticket, in the order of the service's own checks.
 * @param {{ticket: Ticket, about: About} | null} found @param {'entry' | 'exit'} way @param {number} at
 */
export function decide(found, way, at) {
  if (!found) return { admitted: false, reason: 'notListed', type: way };
  const { ticket, about: event } = found;
  const result = {
    admitted: false, reason: /** @type {string | undefined} */ (undefined), type: way, kind: 'ticket', ticketId: ticket.ticketId, orderId: ticket.orderId, orderNumber: ticket.orderNumber,
    ticketTypeName: ticket.ticketTypeName, firstName: ticket.firstName, lastName: ticket.lastName, eventId: event.eventId,
    eventName: event.eventName, eventDate: event.startTime, attention: ticket.attention ?? [], ...countOf(ticket.orderId, event.eventId),
    previous: ticket.checkInDate ? { at: ticket.checkInDate, terminalId: ticket.terminalId } : undefined,
  };
  const status = ticket.status.toLowerCase();
  if (status !== 'normal') {
    result.reason = { refundpending: 'refundPending', exchanged: 'exchanged' }[status] ?? 'refunded';
  } else if (event.state.toLowerCase() === 'cancelled') result.reason = 'cancelled';
  else if (ticket.state === 'blocked') result.reason = 'blocked';
  else if (event.opens && at < Date.parse(event.opens)) result.reason = 'tooEarly';
  else if (event.closes && at > Date.parse(event.closes) + 999) result.reason = 'tooLate';
  else if (way === 'exit') result.reason = ticket.state === 'inside' ? undefined : 'notInside';
  else if (ticket.state === 'inside' && event.reentry !== 'always') result.reason = 'alreadyAdmitted';
  else if (ticket.state === 'left' && event.reentry !== 'always' && event.reentry !== 'afterExit') result.reason = 'alreadyAdmitted';
  result.admitted = result.reason === undefined;
  return result;
}

/** How many of an order are in, and how many it has at an event. @param {string} orderId @param {string} eventId */
export function countOf(orderId, eventId) {
  let quantity = 0;
  let checkInQuantity = 0;
  for (const ticket of lists.get(eventId)?.byId.values() ?? []) {
    if (ticket.orderId !== orderId || ticket.status.toLowerCase() !== 'normal') continue;
    quantity += 1;
    if (ticket.state === 'inside' || ticket.state === 'left') checkInQuantity += 1;
  }
  return { quantity, checkInQuantity };
}

/** Forgets the lists, as whoever signs out does. */
export function forget() {
  lists.clear();
  mine.clear();
  watched = [];
  events.value = null;
  store.remove('kept', 'events');
  changed.value += 1;
}
