// @ts-check
/** Signing in by a mailed link. Whether an address is known is never told. */
import { Refusal, request } from './client.js';

/** @param {number} venue */
const headers = (venue) => ({ 'x-b2c-tenant-id': String(venue) });

const AT_DOOR = 'boxoffice-door:asked';

/** Where this browser asked for a link last. @param {number} until when the link is over; 0 for one of the desk's */
function noteDoor(until) {
  try {
    if (until) localStorage.setItem(AT_DOOR, String(until));
    else localStorage.removeItem(AT_DOOR);
  } catch { /* a browser that keeps nothing: the link is pasted */ }
}

/** Whether the link that is opened now was asked for at the door: all links lead to the desk. It is told once. */
export function askedAtDoor() {
  try {
    const asked = Number(localStorage.getItem(AT_DOOR)) > Date.now();
    noteDoor(0);
    return asked;
  } catch {
    return false;
  }
}

/** Mails a link. @param {string} email @param {number} venue @param {'desk' | 'door'} page the page that asks @returns {Promise<number>} for how many minutes it is good */
export async function mailLink(email, venue, page) {
  const { minutes } = (await request('POST', '/v2/staff/login', { headers: headers(venue), body: { email } })).body;
  noteDoor(page === 'door' ? Date.now() + minutes * 60_000 : 0);
  return minutes;
}

/**
 * Opens the session of a link. It says not of which venue it is: each is asked, in the order that is given.
 * @template {{id: number}} V
 * @param {string} token
 * @param {readonly V[]} venues
 * @returns {Promise<{venue: V, session: any}>}
 */
export async function openSession(token, venues) {
  let last = new Refusal(404, {});
  for (const venue of venues) {
    try {
      const { body } = await request('POST', '/v2/staff/session', { headers: headers(venue.id), body: { token } });
      return { venue, session: body };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      last = error;
      if (error.type !== 'LOGIN_TOKEN_NOT_VALID' && error.status !== 403) break;
    }
  }
  throw last;
}
