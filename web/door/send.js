// @ts-check
/** Sending what waits, once there is a network, and telling what turned out otherwise. */
import { Refusal } from '/shared/client.js';
import { drop, keep, ofHere, recount, scans, tell } from '/door/admit.js';
import * as list from '/door/list.js';
import { ask, credentials, reach, unanswered } from '/door/state.js';

const BATCH = 100;

/** @typedef {import('/door/admit.js').Scan} Scan */

/** What the service knows of a scan's ticket. @param {Scan} scan */
async function lookup(scan) {
  const code = scan.code ?? scan.orderNumber;
  if (!code) return {};
  const { body } = await ask('POST', '/v2/b2b/admissions/lookup', { body: { code } });
  const result = body.result ?? {};
  const ticket = (body.orders ?? []).flatMap((/** @type {any} */ order) => order.events).flatMap((/** @type {any} */ event) => event.items)
    .flatMap((/** @type {any} */ item) => item.tickets).find((/** @type {any} */ one) => one.ticketId === (scan.ticketId ?? result.ticketId));
  const { firstName, lastName } = result.ticketId ? result : body.orders?.[0] ?? {};
  const who = { ...scan.who, ...(result.ticketId ? { ticketTypeName: result.ticketTypeName } : {}), ...(lastName || firstName ? { firstName, lastName } : {}) };
  return { previous: scan.code ? result.previous : ticket?.checkInDate ? { at: ticket.checkInDate } : undefined, reason: result.reason, who, orderNumber: result.orderNumber ?? scan.orderNumber };
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
      if (!ofHere(scan)) continue;
      if (scan.state === 'undo') await settleUndo(scan);
      else if (scan.state === 'waiting' && scan.open) await settleOpen(scan);
    }
    for (;;) {
      const ready = [...scans.values()].filter((scan) => scan.state === 'waiting' && !scan.open && scan.reason !== 'undone' && ofHere(scan));
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
      for (const scan of batch) if (ofHere(scan)) await upload([scan]);
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
      const more = ofHere(scan) ? await lookup(scan).catch(() => ({})) : {};
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
