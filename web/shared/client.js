// @ts-check
/** The way to the interface: one request, repetitions that are safe, and refusals as one type. */

const READ_MS = 15_000;
const WRITE_MS = 60_000;
/** How often an undecided write is asked about again under its key before the visitor is told. */
const TRIES = 5;

/** A refusal of the service, or no answer at all (`status` 0, `type` `OFFLINE` or `NO_ANSWER`). */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {Record<string, any>} body
   */
  constructor(status, body) {
    super(body.message ?? body.type ?? String(status));
    this.status = status;
    /** @type {string} */
    this.type = body.type ?? 'UNKNOWN';
    this.body = body;
    /** @type {{field: string, message: string}[]} */
    this.details = body.details ?? [];
  }

  /** Whether it is open if the request took effect. */
  get undecided() {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504
      || this.type === 'REQUEST_IN_PROGRESS';
  }
}

/** A new idempotency key. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {number} ms */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Where the interface is, if not where the page is. */
let base = '';
let skew = 0;
/** How far the service's clock is ahead of this one, in milliseconds, as the last answer had it. */
export const ahead = () => skew;
/** The service's time, in milliseconds. */
export const serviceNow = () => Date.now() + skew;

/**
 * @typedef {object} Asked
 * @property {Record<string, string | number | boolean | null | undefined>} [query]
 * @property {unknown} [body]
 * @property {string} [key] idempotency key of a write
 * @property {boolean} [again] a write that may be repeated without a key
 * @property {Record<string, string>} [headers]
 * @property {RequestCache} [cache]
 * @property {number} [ms] how long an answer may take
 */
/** @typedef {{body: any, etag: string | null, unchanged: boolean}} Answer `unchanged`: what was asked for is as it was */

/** One request. No answer is a refusal too. @param {string} method @param {string} path @param {Asked} [asked] @returns {Promise<Answer>} */
export async function request(method, path, asked = {}) {
  const headers = { ...asked.headers };
  if (asked.body !== undefined) headers['content-type'] = 'application/json';
  if (asked.key) headers['idempotency-key'] = asked.key;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked.query ?? {})) {
    if (value !== undefined && value !== '' && value !== null) query.set(name, String(value));
  }
  let response;
  let text;
  try {
    response = await fetch(base + path + (query.size ? `?${query}` : ''), {
      method,
      headers,
      body: asked.body === undefined ? undefined : JSON.stringify(asked.body),
      cache: asked.cache,
      signal: AbortSignal.timeout(asked.ms ?? (method === 'GET' ? READ_MS : WRITE_MS)),
    });
    text = await response.text();
  } catch {
    throw new Refusal(0, { type: navigator.onLine ? 'NO_ANSWER' : 'OFFLINE' });
  }
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) skew = date - Date.now();
  const unchanged = response.status === 304;
  let body = null;
  try {
    body = text === '' ? null : JSON.parse(text);
  } catch {
    throw new Refusal(response.ok ? 502 : response.status, { type: 'NO_ANSWER' });
  }
  if (response.ok || unchanged) return { body, etag: response.headers.get('etag'), unchanged };
  const refusal = new Refusal(response.status, body ?? {});
  refusal.body.retryAfter = Number(response.headers.get('retry-after')) || 1;
  throw refusal;
}

/** A request, and again while it is undecided, where that is safe. @param {string} method @param {string} path @param {Asked} [asked] @returns {Promise<Answer>} */
export async function send(method, path, asked = {}) {
  const tries = method === 'GET' ? 2 : asked.key || asked.again ? TRIES : 1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(method, path, asked);
    } catch (error) {
      const again = error instanceof Refusal && error.undecided && error.type !== 'OFFLINE' && attempt < tries;
      if (!again) throw error;
      await wait(Math.min(error.body.retryAfter ?? attempt, 5) * (method === 'GET' ? 300 : 1000));
    }
  }
}

/** What a page is told: whom it shows, whether it is a sandbox, and where the interface is (`api`). @param {string} path of the page's `config.json` */
export async function loadConfig(path) {
  base = '';
  const { body } = await request('GET', path);
  base = body.api?.replace(/\/$/, '') ?? '';
  return body;
}
