// @ts-check
/** What the pages of the door share: the address, who is signed in, which event, and the way to the service. */
import { makeAddress, signal, takeToken } from '/shared/ui.js';
import { Refusal, ahead, newKey, request } from '/shared/client.js';
import { setPlace } from '/shared/intl.js';
import * as store from '/door/store.js';

/** The names that an address may have. Nothing personal is ever among them. */
const NAMES = /** @type {const} */ (['event', 'view', 'lang']);
/** @typedef {Partial<Record<typeof NAMES[number], string>>} Route */

/** The token of a mailed link. It is taken out of the address before anything else happens. */
export const mailed = { token: takeToken('loginToken') };

export const { route, moves, href, go, follow } = makeAddress(NAMES, { stays: ['lang'] });

/** @typedef {{id: number, name: string, timeZone?: string, key?: string, colours?: {name: string, value: string}[]}} Venue */
/** @typedef {{key?: string, session?: string, expiresAt?: string, name?: string, place?: Venue}} Credentials `place`: the venue of a session, which belongs to one tab */

/** @type {{value: Venue | null, peek: () => Venue | null, subscribe: any}} */
export const venue = signal(/** @type {Venue | null} */ (null));
/** Who stands at the door. Null where nobody is signed in: then only what is kept can be looked at.
 * @type {{value: Credentials | null, peek: () => Credentials | null, subscribe: any}} */
export const credentials = signal(/** @type {Credentials | null} */ (null));
/** How the service is reached: `on`, `off`, or `ended` where it does not know the session or key any more.
 * @type {{value: 'on' | 'off' | 'ended', peek: () => 'on' | 'off' | 'ended', subscribe: any}} */
export const reach = signal(/** @type {'on' | 'off' | 'ended'} */ (navigator.onLine ? 'on' : 'off'));
/** @type {{value: {terminalId: string, way: 'entry' | 'exit', look: 'dark' | 'light', sound: boolean, camera: string, language?: string}, peek: () => any, subscribe: any}} */
export const settings = signal(/** @type {any} */ ({ terminalId: '', way: 'entry', look: 'dark', sound: true, camera: '' }));

const SESSION = 'boxoffice-door-session';
/** @type {Credentials | null} */
let onlyHere = null;

/** The session lives as long as the tab. A key stays on the device until it is taken off. */
export async function restore() {
  const [place, key, before, kept] = await Promise.all([store.get('kept', 'venue'), store.get('kept', 'key'), store.get('kept', 'settings'), store.get('kept', 'ahead')]);
  skew = kept ?? 0;
  settings.value = chosen = { ...chosen, ...before };
  if (!chosen.terminalId) await set({ terminalId: `door-${newKey().slice(0, 4)}` });
  applyLook();
  let found = onlyHere;
  try {
    found = JSON.parse(sessionStorage.getItem(SESSION) ?? 'null') ?? found;
  } catch { /* the browser keeps nothing */ }
  const there = found?.place ?? place;
  if (there) openVenue(there);
  credentials.value = found ?? (key ? { key } : null);
}

function applyLook() {
  document.documentElement.dataset.look = settings.peek().look;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', settings.peek().look === 'light' ? '#fbfaf8' : '#16171a');
}

/** The settings as they were chosen last. They hold once they are kept, so that what the door shows outlives the page. */
let chosen = settings.peek();

/** @param {Partial<typeof settings.value>} some */
export async function set(some) {
  chosen = { ...chosen, ...some };
  const next = chosen;
  await store.put('kept', 'settings', next);
  settings.value = next;
  applyLook();
}

/** @param {Venue} place */
export function openVenue(place) {
  venue.value = place;
  setPlace(place.timeZone, undefined);
}

/** @param {Venue} place @param {Credentials} who */
export async function signIn(place, who) {
  const before = await store.get('kept', 'venue');
  const there = { ...(before?.id === place.id ? before : {}), ...place };
  // A key is never kept beside another venue than its own: it would send there what was scanned here.
  if (before && before.id !== place.id) await Promise.all([store.clear('lists'), store.remove('kept', 'key')]);
  await store.put('kept', 'venue', there);
  if (who.key) await store.put('kept', 'key', who.key);
  onlyHere = who.key ? null : { ...who, place: there };
  try {
    if (onlyHere) sessionStorage.setItem(SESSION, JSON.stringify(onlyHere));
    else sessionStorage.removeItem(SESSION);
  } catch { /* the browser keeps nothing */ }
  openVenue(there);
  credentials.value = who;
  reach.value = 'on';
  navigator.storage?.persist?.().catch(() => false);
}

/** Leaves nothing of persons behind, but for scans that still have to be sent. */
export async function signOut() {
  const who = credentials.peek();
  if (who?.session) ask('DELETE', '/v2/staff/session', { ms: 5000 }).catch(() => undefined);
  credentials.value = null;
  onlyHere = null;
  try {
    sessionStorage.removeItem(SESSION);
  } catch { /* the browser keeps nothing */ }
  await Promise.all([store.remove('kept', 'key'), store.clear('lists'), store.clear('notices')]);
}

/** How far the service's clock is ahead, as an answer of the interface had it, also one of before the page was opened. */
let skew = 0;
/** The service's time; the device's own where they are as good as the same. */
export const now = () => Date.now() + skew;

/** Takes the service's time from an answer. The page's own files are no answers: they are as old as they were kept. */
function heard() {
  const found = Math.abs(ahead()) > 2000 ? ahead() : 0;
  if (Math.abs(found - skew) < 2000) return;
  skew = found;
  store.put('kept', 'ahead', skew);
}

/**
 * One request. Whoever asks decides what follows where there is no answer.
 * @param {string} method @param {string} path
 * @param {Omit<import('/shared/client.js').Asked, 'headers'> & {etag?: string}} [asked]
 */
export async function ask(method, path, { etag, ...asked } = {}) {
  const who = credentials.peek();
  /** @type {Record<string, string>} */
  const headers = {};
  if (who?.session) headers['x-service-session'] = who.session;
  else if (who?.key) headers['x-service-api-key'] = who.key;
  else throw new Refusal(401, { type: 'UNAUTHORIZED' });
  if (etag) headers['if-none-match'] = etag;
  try {
    const answer = await request(method, path, { cache: 'no-store', ms: 15_000, ...asked, headers });
    heard();
    found();
    return answer;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status) heard();
    if (error.type === 'NO_ANSWER' || error.type === 'OFFLINE' || error.status >= 500) lost();
    else if (error.status === 401) reach.value = 'ended';
    else found();
    throw error;
  }
}

function lost() {
  if (reach.peek() !== 'ended') reach.value = 'off';
}
function found() {
  if (reach.peek() !== 'on') reach.value = 'on';
}

/** Whether there was no answer, so that it is open what happened. @param {unknown} error */
export const unanswered = (error) => error instanceof Refusal && (error.undecided || error.status === 429 || error.status === 401);

addEventListener('offline', lost);
