// @ts-check
/** A scan, from the code to the verdict, and what is kept of it until the service has it. */
import { signal } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { ask, credentials, now, reach, settings, unanswered, venue } from '/door/state.js';
import * as store from '/door/store.js';
import * as list from '/door/list.js';

/** How long the service may take before the list answers instead. */
const WITH_LIST_MS = 1500;
const WITHOUT_LIST_MS = 8000;
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
 * @property {'asking' | 'asked' | 'waiting' | 'undo'} state `asked`: the steward was asked, and has not answered yet
 * @property {{id: number, name: string}} [venue] where it was done, and where alone it may be sent
 * @property {boolean} [open] a request was sent whose effect is not known
 * @property {'admitted' | 'refused'} [decision]
 * @property {string} [reason]
 * @property {{ticketTypeName?: string, firstName?: string, lastName?: string}} [who]
 * @property {string} terminalId
 */

/** @typedef {{id: string, of: string, at: string, venue?: Scan['venue'], code?: string, orderNumber?: string, who?: Scan['who'], reason?: string, previous?: {at?: string, terminalId?: string}}} Notice */
/** @typedef {{kind: 'good' | 'warn' | 'bad', key: string, result: any, offline: boolean, asOf: number | null, scanId: string, code?: string, turn: number, at: number, undone?: boolean, asked?: Scan[], again?: string}} Verdict `asked`: the scans of a question to the steward; `again`: when it was asked first */

/** What is shown over everything. @type {{value: Verdict | null, peek: () => Verdict | null, subscribe: any}} */
export const verdict = signal(/** @type {Verdict | null} */ (null));
/** The last verdict, that can be taken back. @type {{value: Verdict | null, peek: () => Verdict | null, subscribe: any}} */
export const last = signal(/** @type {Verdict | null} */ (null));
/** Scans of this venue that the service does not have yet. */
export const waiting = signal(0);
/** Scans that wait until somebody signs in at another venue. @type {{value: Elsewhere[], peek: () => Elsewhere[], subscribe: any}} */
export const elsewhere = signal(/** @type {Elsewhere[]} */ ([]));
/** @typedef {{venue: {id: number, name: string}, n: number}} Elsewhere */
/** What turned out otherwise than the door had decided. @type {{value: Notice[], peek: () => Notice[], subscribe: any}} */
export const notices = signal(/** @type {Notice[]} */ ([]));
/** How many went in here since the service last counted. */
export const since = signal(0);
/** How many are inside, as the service last counted. @type {{value: number | null, peek: () => number | null, subscribe: any}} */
export const counted = signal(/** @type {number | null} */ (null));

/** The scans that are kept. @type {Map<string, Scan>} */
export const scans = new Map();
/** What turned out otherwise, at all venues. @type {Notice[]} */
let told = [];
let turn = 0;
/** The question that was answered last, so that a second press does not answer it again. */
let answered = 0;

const here = () => {
  const { id, name } = venue.peek() ?? {};
  return id === undefined ? undefined : { id, name: name ?? '' };
};
/** Whether a scan is of the venue that is open. @param {{venue?: Scan['venue']}} one */
export const ofHere = (one) => one.venue?.id === venue.peek()?.id;

const count = () => {
  const kept = [...scans.values()].filter((scan) => scan.state !== 'asking');
  /** @type {Map<number, Elsewhere>} */
  const others = new Map();
  for (const scan of kept) {
    if (scan.venue && !ofHere(scan)) others.set(scan.venue.id, { venue: scan.venue, n: (others.get(scan.venue.id)?.n ?? 0) + 1 });
  }
  waiting.value = kept.filter(ofHere).length;
  elsewhere.value = [...others.values()];
  notices.value = told.filter(ofHere);
};
venue.subscribe(count);

/** Writes a scan to the device. @param {Scan} scan */
export async function keep(scan) {
  scans.set(scan.id, scan);
  count();
  await store.put('scans', scan.id, scan);
}

/** Forgets a scan that the service has. @param {Scan} scan */
export async function drop(scan) {
  scans.delete(scan.id);
  count();
  await store.remove('scans', scan.id);
}

/** Scans of before. One whose verdict nobody has seen did not happen; one that the steward was asked about is asked about again. */
export async function restoreScans() {
  for (const scan of await store.all('scans')) {
    scan.venue ??= here();
    if (scan.state === 'asking') await store.remove('scans', scan.id);
    else scans.set(scan.id, scan);
  }
  noteKept();
  told = (await store.all('notices')).map((one) => ({ venue: here(), ...one }));
  count();
  await askAgain();
}

/** Who was let in here is in, whatever a list says that does not have it yet. */
function noteKept() {
  for (const scan of scans.values()) {
    if (scan.decision !== 'admitted') continue;
    list.note({ ticketId: scan.ticketId, eventId: scan.eventId, state: scan.type === 'exit' ? 'left' : 'inside', checkInDate: scan.at, waits: true, terminalId: scan.terminalId });
  }
}

/** Asks again what was open when the page went away, as long as the person may still stand there. */
async function askAgain() {
  const asked = [...scans.values()].filter((scan) => scan.state === 'asked');
  const fresh = asked.filter((scan) => ofHere(scan) && now() - Date.parse(scan.at) < UNDO_MS);
  const at = fresh.map((scan) => scan.at).sort().at(-1);
  const open = fresh.filter((scan) => scan.at === at);
  for (const scan of asked) if (!open.includes(scan)) await keep({ ...scan, state: 'waiting' });
  if (!open.length) return;
  const [{ id, code, type, reason, orderNumber }] = open;
  show(judge({ admitted: false, reason, type, orderNumber, previous: letInBefore(open[0]), together: severally(0, open.length) }, { scanId: id, code, offline: true, asked: open, again: at }));
}

/** Leaves nothing of persons in the page. Scans stay until they are sent, without names. */
export async function forgetScans() {
  verdict.value = null;
  last.value = null;
  counted.value = null;
  since.value = 0;
  told = told.length ? await store.all('notices') : [];
  for (const { id, who } of [...scans.values()]) {
    const scan = scans.get(id);
    if (scan && who) await keep({ ...scan, who: { ticketTypeName: who.ticketTypeName } });
  }
  noteKept();
  count();
}

/** How many notices nobody has seen, at all venues. */
export const unseen = () => told.length;

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

/** @type {Verdict | null} */
let before = null;
verdict.subscribe((/** @type {Verdict | null} */ of) => {
  const gone = before;
  before = of;
  if (gone?.asked && gone !== of && answered !== gone.turn) turnAway(gone.asked);
});

/** Whether a scan waits for the steward's answer. Another window of this door may have it. @param {Scan} scan */
const stillAsked = async (scan) => (await store.get('scans', scan.id))?.state === 'asked';

/** A question that goes without a yes: now its scans are sent as refused. @param {Scan[]} asked */
async function turnAway(asked) {
  for (const scan of asked) {
    const still = await stillAsked(scan);
    if (scans.get(scan.id)?.state !== 'asked') continue;
    if (still) await keep({ ...scan, state: 'waiting' });
    else scans.delete(scan.id);
    count();
  }
}

/** When this door let in with the same code or ticket, where the service does not know yet. @param {Scan} scan */
function letInBefore(scan) {
  const same = (/** @type {Scan} */ one) => (scan.ticketId ? one.ticketId === scan.ticketId : one.code?.toLowerCase() === scan.code?.toLowerCase());
  const found = [...scans.values()].find((one) => one.id !== scan.id && one.decision === 'admitted' && one.type === 'entry' && ofHere(one) && same(one));
  return found && { at: found.at, terminalId: found.terminalId };
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
  id: crypto.randomUUID(), type: settings.peek().way, at: new Date(now()).toISOString(), state: 'asking', terminalId: settings.peek().terminalId, venue: here(),
});

/** A ticket's code or a number, of which people type the digits in groups, without what is between them. @param {string} code */
function ungrouped(code) {
  const bare = code.replace(/[\s\u2010-\u2013-]/g, '');
  return bare !== code && /^([0-9a-f]{32}|\d+)$/i.test(bare) ? bare : null;
}

/**
 * A code was read or typed. Card numbers of elsewhere may have blanks and dashes: it is without them only where it is unknown with them.
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
      const bare = result.reason === 'unknown' && ungrouped(code);
      if (bare) return scanCode(bare, more);
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
  let found = await list.find(code);
  if (!found) {
    scan.code = ungrouped(code) ?? code;
    found = await list.find(scan.code);
  }
  if (list.since() === null && !found) {
    // There is nothing to decide by: the person waits, or the steward decides alone.
    scan.state = 'asked';
    scan.decision = 'refused';
    scan.reason = 'noAnswer';
    await keep(scan);
    return show(judge({ admitted: false, reason: 'noAnswer', type: scan.type, previous: letInBefore(scan) }, { scanId: scan.id, code, offline: true, asked: [scan] }));
  }
  return alone(scan, found);
}

/** The list decides. @param {Scan} scan @param {ReturnType<typeof list.findTicket>} found */
async function alone(scan, found, shown = true) {
  /** @type {any} */
  const result = list.decide(found, scan.type, now());
  scan.state = found ? 'waiting' : 'asked';
  if (!found) result.previous = letInBefore(scan);
  scan.decision = result.admitted ? 'admitted' : 'refused';
  scan.reason = result.reason;
  if (found) {
    Object.assign(scan, { eventId: found.about.eventId, ticketId: found.ticket.ticketId, orderId: found.ticket.orderId, orderNumber: found.ticket.orderNumber });
    scan.who = { ticketTypeName: found.ticket.ticketTypeName, firstName: found.ticket.firstName, lastName: found.ticket.lastName };
  }
  await keep(scan);
  noteResult(result, true);
  if (found) Object.assign(result, list.countOf(found.ticket.orderId, found.about.eventId));
  const of = judge(result, { scanId: scan.id, code: scan.code, offline: true, asOf: list.since(), asked: found ? undefined : [scan] });
  return shown ? show(of) : of;
}

/** The steward lets somebody in whom the list does not know. It is told to the service as what happened. @param {Verdict} of */
export async function letIn(of) {
  if (!of.asked?.length || answered === of.turn) return;
  answered = of.turn;
  /** @type {Scan[]} */
  const all = [];
  for (const scan of of.asked) {
    const still = await stillAsked(scan);
    if (!still) scans.delete(scan.id);
    // What another window has sent as refused stays so, and this is a scan of its own.
    all.push({ ...scan, id: still ? scan.id : crypto.randomUUID(), state: 'waiting', decision: 'admitted' });
  }
  await Promise.all(all.map(keep));
  noteKept();
  const tickets = all.filter((scan) => scan.ticketId).map(({ orderId, ticketId }) => ({ orderId, ticketId }));
  const [{ id, code, type, eventId: event }] = all;
  show(judge({ admitted: true, type, eventId: event, tickets, scans: all.map((scan) => scan.id), together: severally(all.length, all.length) }, { scanId: id, code, offline: true, asOf: of.asOf }));
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
  return show(together(all, { scanId: first.id, offline: true, asOf: list.since(), asked: each.filter((scan) => scan.state === 'asked') }, each));
}

/** @param {number} admitted @param {number} of */
const severally = (admitted, of) => (of > 1 ? { admitted, of } : undefined);

/** One verdict for several tickets. @param {any[]} results @param {Partial<Verdict> & {scanId: string}} of @param {Scan[]} [each] */
function together(results, of, each = []) {
  const good = results.filter((one) => one.admitted);
  const main = good.at(-1) ?? results[0];
  const verdict = judge({ ...main, together: severally(good.length, results.length),
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

/** Keeps what turned out otherwise, until it was seen. @param {Scan} scan @param {string} of @param {any} [more] */
export async function tell(scan, of, more = {}) {
  const notice = { id: scan.id, of, at: scan.at, venue: scan.venue, code: scan.code, orderNumber: scan.orderNumber, who: scan.who, ...more };
  // Somebody signed out meanwhile: no names are left behind.
  if (!credentials.peek()) delete notice.who;
  await store.put('notices', scan.id, notice);
  told = [...told.filter((one) => one.id !== scan.id), notice];
  count();
}

/** @param {string} id */
export async function seen(id) {
  told = told.filter((one) => one.id !== id);
  count();
  await store.remove('notices', id);
}

/** Takes the service's count of who is inside. */
export function recount() {
  const all = list.events.peek()?.list;
  if (!all) return;
  const here = all.filter((one) => list.watched.includes(one.id));
  counted.value = here.length ? here.reduce((sum, one) => sum + one.inside, 0) : null;
  since.value = 0;
}
