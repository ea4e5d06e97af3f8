// @ts-check
/** What the pages of the desk share: the address, the person, and the way to the interface. */
import { makeAddress, signal, takeToken } from '/shared/ui.js';
import { Refusal, newKey, request, send, serviceNow } from '/shared/client.js';
import { dayKey, isDay } from '/shared/intl.js';

/** The names that an address may have. Nothing personal and no words that were searched for are ever among them. */
const NAMES = /** @type {const} */ (['lang', 'view', 'kind', 'id', 'event', 'day', 'tab', 'step']);
/** @typedef {Partial<Record<typeof NAMES[number], string>>} Route */

/** The token of a mailed link. It is taken out of the address before anything else happens. */
export const loginToken = takeToken('loginToken');

/** A form with changes that are not saved. Leaving it is asked about once. @type {{current: (() => boolean) | null}} */
export const unsaved = { current: null };
function mayLeave() {
  if (unsaved.current && !unsaved.current()) return false;
  unsaved.current = null;
  return true;
}

export const { route, moves, href, go, follow } = makeAddress(NAMES, { stays: ['lang'], mayLeave, fits: { day: isDay } });
addEventListener('beforeunload', (event) => {
  if (unsaved.current) event.preventDefault();
});

/** What a view keeps while the page is open, such as words that were searched for. @type {Map<string, any>} */
export const memory = new Map();

/**
 * @typedef {{session: string, expiresAt: string, person: {id: string, name: string, roles: string[]}, tenant: {id: number, name: string, timeZone: string}}} Session
 */
const KEPT = 'boxoffice-desk:session';
/** @type {string | null} */
let alone = null;

function read() {
  let text = alone;
  try {
    text = localStorage.getItem(KEPT);
  } catch { /* a browser that keeps nothing: this page remembers */ }
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** @type {{value: Session | null, peek: () => Session | null, subscribe: any}} */
export const session = signal(read());
/** Whether the session is over while somebody works. What was typed stays, and another tab may sign in again. */
export const ended = signal(false);

/** @param {Session | null} next */
export function setSession(next) {
  const text = next && JSON.stringify(next);
  alone = text;
  try {
    if (text) localStorage.setItem(KEPT, text);
    else localStorage.removeItem(KEPT);
  } catch { /* as above */ }
  session.value = next;
  ended.value = false;
}

addEventListener('storage', (event) => {
  if (event.key !== KEPT && event.key !== null) return;
  const next = read();
  if (next && session.peek() && next.tenant.id !== session.peek()?.tenant.id) {
    location.reload();
    return;
  }
  if (next) {
    ended.value = false;
    session.value = next;
  } else if (session.peek()) ended.value = true;
});

/** Which keys the person's roles stand for. */
const SCOPES = /** @type {Record<string, string>} */ ({ admin: 'b2b', boxOffice: 'counter', door: 'door' });
/** @param {...string} scopes */
export const may = (...scopes) => Boolean(session.peek()?.person.roles.some((role) => scopes.includes(SCOPES[role])));

/** How long a list may take, which may be the whole of what is sold. */
const READ_MS = 20_000;

/** @typedef {Omit<import('/shared/client.js').Asked, 'headers'> & {match?: string | null}} Asked `match` is the revision that is changed */

/** @param {typeof request} how @param {string} method @param {string} path @param {Asked} [asked] */
async function ask(how, method, path, { match, ...asked } = {}) {
  const mine = session.peek();
  try {
    return await how(method, path, {
      cache: 'no-store', ms: method === 'GET' ? READ_MS : undefined, ...asked,
      headers: { ...(mine ? { 'x-service-session': mine.session } : {}), ...(match ? { 'if-match': match } : {}) },
    });
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) ended.value = true;
    throw error;
  }
}

export const api = {
  /** The answer. @param {string} path @param {Asked['query']} [query] @returns {Promise<any>} */
  get: async (path, query) => (await ask(send, 'GET', path, { query })).body,
  /** The answer with its revision. @param {string} path @param {Asked['query']} [query] */
  read: (path, query) => ask(send, 'GET', path, { query }),
  /** @param {'POST' | 'PUT' | 'DELETE'} method @param {string} path @param {Asked} asked */
  write: (method, path, asked) => ask(send, method, path, { key: newKey(), ...asked }),
  /** Without a key, for what must not be repeated. @param {'POST' | 'DELETE'} method @param {string} path */
  once: (method, path) => ask(request, method, path),
  now: serviceNow,
};

export const today = () => dayKey(api.now());

/** Lists that forms choose from, kept until something is saved. @type {Map<string, Promise<any[]>>} */
const lists = new Map();
export const forgetLists = () => lists.clear();

const LEVEL_CHANNELS = 'online,pointOfSale,insideSalesIndividual,customerRep';
const all = (/** @type {string} */ path, query = {}) => api.get(path, { pageSize: -1, ...query }).then(({ list }) => list);
/** Membership levels, those on sale and drafts, and those that come with others. */
const levels = async () => (await Promise.all([true, false].flatMap((isPublished) => [undefined, true].map((auxiliary) =>
  all('/v2/b2b/membership/levels', { isPublished, salesChannels: LEVEL_CHANNELS, auxiliary })))))
  .flat().sort((a, b) => a.name.localeCompare(b.name));

/** @type {Record<string, () => Promise<any[]>>} */
const LISTS = {
  types: () => all('/v2/b2b/persontypes'),
  discounts: () => all('/v2/b2b/discounts'),
  coupons: () => all('/v2/b2b/coupons'),
  inventory: () => all('/v2/b2b/inventory'),
  forms: () => all('/v2/b2b/forms'),
  combos: () => all('/v2/b2b/combos'),
  events: () => all('/v2/b2b/event/templates/summaries', { sortField: 'name' }),
  levels,
};

/** @param {string} name @returns {Promise<any[]>} */
export function listOf(name) {
  const found = lists.get(name) ?? LISTS[name]();
  lists.set(name, found);
  found.catch(() => lists.delete(name));
  return found;
}
