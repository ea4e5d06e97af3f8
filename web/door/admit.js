// @ts-check
/** A scan, from the code to the verdict, and what becomes of it when there was no network. */
import { signal } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { ask, credentials, now, reach, settings, unanswered } from '/door/state.js';
import * as store from '/door/store.js';
import * as list from '/door/list.js';

/** How long the service may take before the list answers instead. */
const WITH_LIST_MS = 1500;
const WITHOUT_LIST_MS = 8000;
const BATCH = 100;
/** How long a door may take back what it did. */
const UNDO_MS = 15 * 60_000;

/**
 * A scan that is kept until the service has it.
 * @typedef {object} Scan
 * @property {string} id
 * @property {string} [code]
 * @property {string} [orderId]
 * @property {string} [ticketId]
 * @property {string} [orderNumber]
 * @property {string} [eventId]
 * @property {'entry' | 'exit'} type
 * @property {string} at
 * @property {'asking' | 'waiting' | 'undo'} state
 * @property {boolean} [open] a request was sent whose effect is not known
 * @property {'admitted' | 'refused'} [decision]
 * @property {string} [reason]
 * @property {{ticketTypeName?: string, firstName?: string, lastName?: string}} [who]
 * @property {string} terminalId
 */

/** @typedef {{id: string, of: string, at: string, code?: string, orderNumber?: string, who?: Scan['who'], reason?: string, previous?: {at?: string, terminalId?: string}}} Notice */
/** @typedef {{kind: 'good' | 'warn' | 'bad', key: string, result: any, offline: boolean, asOf: number | null, scanId: string, code?: string, turn: number, at: number, undone?: boolean}} Verdict */

/** What is shown over everything. @type {{value: Verdict | null, peek: () => Verdict | null, subscribe: any}} */
export const verdict = signal(/** @type {Verdict | null} */ (null));
/** The last verdict, that can be taken back. @type {{value: Verdict | null, peek: () => Verdict | null, subscribe: any}} */
export const last = signal(/** @type {Verdict | null} */ (null));
/** Scans that the service does not have yet. */
export const waiting = signal(0);
/** What turned out otherwise than the door had decided. @type {{value: Notice[], peek: () => Notice[], subscribe: any}} */
export const notices = signal(/** @type {Notice[]} */ ([]));
/** How many went in here since the service last counted. */
export const since = signal(0);
/** How many are inside, as the service last counted. @type {{value: number | null, peek: () => number | null, subscribe: any}} */
export const counted = signal(/** @type {number | null} */ (null));

/** @type {Map<string, Scan>} */
const scans = new Map();
let turn = 0;

const count = () => {
  waiting.value = [...scans.values()].filter((scan) => scan.state !== 'asking').length;
};

/** @param {Scan} scan */
async function keep(scan) {
  scans.set(scan.id, scan);
  count();
  await store.put('scans', scan.id, scan);
}

/** @param {Scan} scan */
async function drop(scan) {
  scans.delete(scan.id);
  count();
  await store.remove('scans', scan.id);
}

/** Scans of before. One whose verdict nobody has seen did not happen. */
export async function restoreScans() {
  for (const scan of await store.all('scans')) {
    if (scan.state === 'asking') await store.remove('scans', scan.id);
    else {
      scans.set(scan.id, scan);
      if (scan.decision === 'admitted') {
        list.note({ ticketId: scan.ticketId, eventId: scan.eventId, state: scan.type === 'exit' ? 'left' : 'inside', checkInDate: scan.at, waits: true, terminalId: scan.terminalId });
      }
    }
  }
  notices.value = await store.all('notices');
  count();
}

/** Amber is what the counter can put right, red what it cannot. */
const AMBER = new Set(['ambiguous', 'wrongTime', 'expired', 'tooEarly', 'tooLate', 'unpaid', 'alreadyAdmitted', 'notInside', 'notListed', 'noAnswer', 'order']);

/** @param {any} result @param {Partial<Verdict> & {scanId: string}} of @returns {Verdict} */
function judge(result, of) {
  turn += 1;
  const key = result.admitted ? (result.type === 'exit' ? 'left' : 'admitted') : result.reason ?? 'unknown';
  return { kind: result.admitted ? 'good' : AMBER.has(key) ? 'warn' : 'bad', key, result, offline: false, asOf: null, turn, at: now(), ...of };
}

/** @param {Verdict} of */
function show(of) {
  verdict.value = of;
  last.value = of;
  return of;
}

/** @param {any} result @param {boolean} waits */
function noteResult(result, waits) {
  if (!result.admitted || !result.ticketId) return;
  const state = result.type === 'exit' ? 'left' : 'inside';
  if (!waits) since.value += state === 'inside' ? 1 : -1;
  list.note({ ticketId: result.ticketId, eventId: result.eventId, state, checkInDate: result.checkInDate ?? new Date(now()).toISOString(), waits, terminalId: settings.peek().terminalId });
}

/** The event that is told to the service: none where the door lets in to all of the day. */
const eventId = () => (list.watched.length === 1 ? list.watched[0] : undefined);
/** Whether the service is asked before the list: not where it just did not answer, unless there is no list. */
const askFirst = () => credentials.peek() !== null && (reach.peek() === 'on' || (reach.peek() === 'off' && list.since() === null));
const patience = () => (list.since() === null ? WITHOUT_LIST_MS : WITH_LIST_MS);

/** @returns {Scan} */
const newScan = () => ({
  id: crypto.randomUUID(), type: settings.peek().way, at: new Date(now()).toISOString(), state: 'asking', terminalId: settings.peek().terminalId,
});

/**
 * A code was read or typed.
 * @param {string} text @param {{cardId?: string | number}} [more]
 */
export async function scanCode(text, more = {}) {
  const code = text.trim();
  const scan = { ...newScan(), code, eventId: eventId() };
  if (code.length < 1 || code.length > 100 || /[\u0000-\u001f\u007f]/.test(code)) {
    return show(judge({ admitted: false, reason: 'unreadable' }, { scanId: scan.id }));
  }
  const kept = keep(scan);
  if (askFirst()) {
    try {
      const { body } = await ask('POST', '/v2/b2b/admissions', {
        key: scan.id, ms: patience(), body: { code, eventId: scan.eventId, type: scan.type, terminalId: scan.terminalId, cardId: more.cardId },
      });
      await kept;
      const result = body.results[0] ?? { admitted: false, reason: 'unknown' };
      // Nothing has to be sent any more: the verdict does not wait for it to be forgotten.
      drop(scan);
      noteResult(result, false);
      if (result.reason === 'unknown' && result.attention?.includes('orderNumber')) return show(judge({ ...result, reason: 'order' }, { scanId: scan.id, code }));
      return show(judge(result, { scanId: scan.id, code }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!unanswered(error)) {
        await kept;
        await drop(scan);
        return show(judge({ admitted: false, reason: error.status === 403 ? 'forbidden' : 'unreadable' }, { scanId: scan.id, code }));
      }
      scan.open = error.status !== 401 && error.status !== 429;
    }
  }
  await kept;
  const found = await list.find(code);
  if (list.since() === null && !found) {
    // There is nothing to decide by: the person waits, or the steward decides alone.
    scan.state = 'waiting';
    scan.decision = 'refused';
    scan.reason = 'noAnswer';
    await keep(scan);
    return show(judge({ admitted: false, reason: 'noAnswer', type: scan.type }, { scanId: scan.id, code, offline: true }));
  }
  return alone(scan, found);
}

/** The list decides. @param {Scan} scan @param {ReturnType<typeof list.findTicket>} found */
async function alone(scan, found, shown = true) {
  const result = list.decide(found, scan.type, now());
  scan.state = 'waiting';
  scan.decision = result.admitted ? 'admitted' : 'refused';
  scan.reason = result.reason;
  if (found) {
    Object.assign(scan, { eventId: found.about.eventId, ticketId: found.ticket.ticketId, orderId: found.ticket.orderId, orderNumber: found.ticket.orderNumber });
    scan.who = { ticketTypeName: found.ticket.ticketTypeName, firstName: found.ticket.firstName, lastName: found.ticket.lastName };
  }
  await keep(scan);
  noteResult(result, true);
  if (found) Object.assign(result, list.countOf(found.ticket.orderId, found.about.eventId));
  const of = judge(result, { scanId: scan.id, code: scan.code, offline: true, asOf: list.since() });
  return shown ? show(of) : of;
}

/** The steward lets somebody in whom the list does not know. It is told to the service as what happened. @param {Verdict} of */
export async function letIn(of) {
  const scan = scans.get(of.scanId);
  if (!scan) return;
  scan.decision = 'admitted';
  await keep(scan);
  show(judge({ admitted: true, type: scan.type }, { scanId: scan.id, code: scan.code, offline: true, asOf: of.asOf }));
}

/**
 * Several tickets at once, of one order.
 * @param {{orderId: string, orderNumber?: string, ticketId: string}[]} chosen
 */
export async function admitTickets(chosen) {
  const first = newScan();
  const tickets = chosen.map(({ orderId, ticketId }) => ({ orderId, ticketId }));
  /** @type {Scan[]} */
  const each = chosen.map((one) => ({ ...first, id: crypto.randomUUID(), ...one, eventId: eventId() }));
  const kept = Promise.all(each.map(keep));
  let open = false;
  if (askFirst()) {
    try {
      const { body } = await ask('POST', '/v2/b2b/admissions', {
        key: first.id, ms: patience(), body: { tickets, eventId: eventId(), type: first.type, terminalId: first.terminalId },
      });
      await kept;
      await Promise.all(each.map(drop));
      body.results.forEach((/** @type {any} */ result) => noteResult(result, false));
      return show(together(body.results, { scanId: first.id }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!unanswered(error)) {
        await kept;
        await Promise.all(each.map(drop));
        return show(judge({ admitted: false, reason: error.status === 403 ? 'forbidden' : 'unreadable' }, { scanId: first.id }));
      }
      open = error.status !== 401 && error.status !== 429;
    }
  }
  await kept;
  const all = [];
  for (const scan of each) {
    scan.open = open;
    const found = list.findTicket(/** @type {string} */ (scan.ticketId));
    all.push((await alone(scan, found, false)).result);
  }
  return show(together(all, { scanId: first.id, offline: true, asOf: list.since() }, each));
}

/** One verdict for several tickets. @param {any[]} results @param {Partial<Verdict> & {scanId: string}} of @param {Scan[]} [each] */
function together(results, of, each = []) {
  const good = results.filter((one) => one.admitted);
  const main = good.at(-1) ?? results[0];
  const verdict = judge({ ...main, together: results.length > 1 ? { admitted: good.length, of: results.length } : undefined,
    tickets: good.map((one) => ({ orderId: one.orderId, ticketId: one.ticketId })), scans: each.map((scan) => scan.id) }, of);
  if (good.length && good.length < results.length) verdict.kind = 'warn';
  return verdict;
}

/** Whether what was last done here can be taken back, also after the same code was shown again. @param {Verdict | null} of */
export function undoable(of) {
  if (!of || of.undone) return false;
  if (of.result.admitted) return now() - of.at < UNDO_MS;
  const { previous } = of.result;
  return of.key === 'alreadyAdmitted' && previous?.terminalId === settings.peek().terminalId && now() - Date.parse(previous.at) < UNDO_MS;
}

/** Takes back a scan of this door. @param {Verdict} of @returns {Promise<'undone' | 'waits' | 'notUndone'>} */
export async function undo(of) {
  const { result } = of;
  const before = () => [...scans.values()].filter((scan) => scan.ticketId && scan.ticketId === result.ticketId && scan.decision === 'admitted').map(({ id }) => id);
  const ids = result.scans?.length ? result.scans : result.admitted ? [of.scanId] : before();
  const still = ids.map((/** @type {string} */ id) => scans.get(id)).filter((/** @type {Scan | undefined} */ scan) => scan && scan.state === 'waiting');
  const tickets = result.tickets?.length ? result.tickets : result.ticketId ? [{ orderId: result.orderId, ticketId: result.ticketId }] : [];
  const back = () => {
    tickets.forEach((/** @type {any} */ one) => list.note({ ticketId: one.ticketId, eventId: result.eventId, state: result.type === 'exit' ? 'inside' : 'never', checkInDate: new Date(now()).toISOString(), waits: false, terminalId: '' }));
    last.value = { ...of, undone: true };
    if (verdict.peek()?.turn === of.turn) verdict.value = null;
  };
  if (still.length) {
    for (const scan of still) {
      if (scan.open) await keep({ ...scan, decision: 'refused', reason: 'undone' });
      else await drop(scan);
    }
    back();
    return 'undone';
  }
  const body = { ...(tickets.length ? { tickets } : { code: of.code }), terminalId: settings.peek().terminalId };
  try {
    const { body: answer } = await ask('POST', '/v2/b2b/admissions/undo', { key: crypto.randomUUID(), body, ms: 5000 });
    if (!answer.undone) return 'notUndone';
    since.value -= answer.undone;
    back();
    return 'undone';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (!unanswered(error)) return 'notUndone';
    for (const one of tickets.length ? tickets : [{}]) {
      await keep({ ...newScan(), ...one, code: tickets.length ? undefined : of.code, orderNumber: result.orderNumber, who: { firstName: result.firstName, lastName: result.lastName, ticketTypeName: result.ticketTypeName }, state: 'undo' });
    }
    back();
    return 'waits';
  }
}

/** @param {Scan} scan @param {string} of @param {any} [more] */
async function tell(scan, of, more = {}) {
  const notice = { id: scan.id, of, at: scan.at, code: scan.code, orderNumber: scan.orderNumber, who: scan.who, ...more };
  await store.put('notices', scan.id, notice);
  notices.value = [...notices.peek().filter((one) => one.id !== scan.id), notice];
}

/** @param {string} id */
export async function seen(id) {
  notices.value = notices.peek().filter((one) => one.id !== id);
  await store.remove('notices', id);
}

/** What the service knows of a scan's ticket. @param {Scan} scan */
async function lookup(scan) {
  const code = scan.code ?? scan.orderNumber;
  if (!code) return {};
  const { body } = await ask('POST', '/v2/b2b/admissions/lookup', { body: { code } });
  const result = body.result ?? {};
  const ticket = (body.orders ?? []).flatMap((/** @type {any} */ order) => order.events).flatMap((/** @type {any} */ event) => event.items)
    .flatMap((/** @type {any} */ item) => item.tickets).find((/** @type {any} */ one) => one.ticketId === (scan.ticketId ?? result.ticketId));
  const who = result.ticketId ? { ticketTypeName: result.ticketTypeName, firstName: result.firstName, lastName: result.lastName } : scan.who;
  return { previous: scan.code ? result.previous : ticket?.checkInDate ? { at: ticket.checkInDate } : undefined, reason: result.reason, who: who ?? scan.who, orderNumber: result.orderNumber ?? scan.orderNumber };
}

/** Whether a request that nobody answered took effect all the same. @param {Scan} scan */
async function tookEffect(scan) {
  const { previous } = await lookup(scan);
  if (!previous?.at || (previous.terminalId && previous.terminalId !== scan.terminalId)) return false;
  const after = Date.parse(previous.at) - Date.parse(scan.at);
  return after > -10_000 && after < 90_000;
}

let settling = false;

/** Sends what waits. Tells what turned out otherwise. */
export async function settle() {
  if (settling || !credentials.peek() || !scans.size) return;
  settling = true;
  try {
    for (const scan of [...scans.values()]) {
      if (scan.state === 'undo') await settleUndo(scan);
      else if (scan.state === 'waiting' && scan.open) await settleOpen(scan);
    }
    for (;;) {
      const ready = [...scans.values()].filter((scan) => scan.state === 'waiting' && !scan.open && scan.reason !== 'undone');
      if (!ready.length) break;
      await upload(ready.filter((scan) => scan.terminalId === ready[0].terminalId).slice(0, BATCH));
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  } finally {
    settling = false;
  }
}

/** @param {Scan} scan */
async function settleUndo(scan) {
  const body = { ...(scan.ticketId ? { tickets: [{ orderId: scan.orderId, ticketId: scan.ticketId }] } : { code: scan.code }), terminalId: scan.terminalId };
  try {
    const { body: answer } = await ask('POST', '/v2/b2b/admissions/undo', { key: scan.id, body });
    if (!answer.undone) await tell(scan, 'notUndone');
  } catch (error) {
    if (unanswered(error)) throw error;
    await tell(scan, 'notUndone');
  }
  await drop(scan);
}

/** @param {Scan} scan */
async function settleOpen(scan) {
  let took;
  try {
    took = await tookEffect(scan);
  } catch (error) {
    if (unanswered(error)) throw error;
    took = false;
  }
  if (took && scan.decision === 'refused') return settleUndo(scan);
  if (took || scan.reason === 'undone') {
    if (scan.ticketId) list.settled(scan.ticketId);
    return drop(scan);
  }
  return keep({ ...scan, open: false });
}

/** @param {Scan[]} batch */
async function upload(batch) {
  let results;
  try {
    const { body } = await ask('POST', '/v2/b2b/admissions/uploads', {
      ms: 60_000,
      body: { terminalId: batch[0].terminalId, scans: batch.map((scan) => ({
        scanId: scan.id, ...(scan.ticketId && scan.orderId ? { orderId: scan.orderId, ticketId: scan.ticketId } : { code: scan.code }),
        eventId: scan.eventId, type: scan.type, at: scan.at, decision: scan.decision, reason: scan.reason,
      })) },
    });
    results = body.results;
  } catch (error) {
    if (unanswered(error) || !(error instanceof Refusal)) throw error;
    if (batch.length > 1) {
      for (const scan of batch) await upload([scan]);
      return;
    }
    if (error.status === 403) throw error;
    await tell(batch[0], 'notTaken');
    await drop(batch[0]);
    return;
  }
  for (const scan of batch) {
    const outcome = results.find((/** @type {any} */ one) => one.scanId === scan.id)?.outcome;
    if (scan.decision === 'admitted' && outcome && !['recorded', 'duplicate'].includes(outcome)) {
      const more = await lookup(scan).catch(() => ({}));
      await tell(scan, outcome, more);
    }
    if (scan.ticketId) list.settled(scan.ticketId);
    await drop(scan);
  }
}

/** Asks once whether the service is there again, and sends what waits. */
export async function tryAgain() {
  if (!credentials.peek()) return;
  if (reach.peek() === 'on') await settle();
  else {
    try {
      await list.loadEvents();
      recount();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return;
    }
    await settle();
    await list.refreshAll();
  }
}

/** Takes the service's count of who is inside. */
export function recount() {
  const all = list.events.peek()?.list;
  if (!all) return;
  const here = all.filter((one) => list.watched.includes(one.id));
  counted.value = here.length ? here.reduce((sum, one) => sum + one.inside, 0) : null;
  since.value = 0;
}
