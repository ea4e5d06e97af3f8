// What all journeys share: a browser whose every complaint counts, a look that measures, and calls to the interface.
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { byKeyboard, withHand } from './hands.mjs';

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const base = (process.argv[2] ?? '').replace(/\/$/, '');
export const shop = `${base}/shop/`;
export const TENANT = 1001;
export { assert };

/** Ids of the demo venue. */
export const ADULT = '1001aa000000000000000001';
export const CHILD = '1001aa000000000000000002';
export const CREW = '1001bb000000000000000001';
export const MEMBER_DISCOUNT = '1001dd000000000000000001';
export const AUDIO_GUIDE = 1001001;
export const GALLERY = '1001ee000000000000000001';

/** Calls the public interface. */
async function call(method, path, headers, body) {
  const response = await fetch(base + path, {
    method, headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  let answer = text;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch { /* a mail is no JSON */ }
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 400)}`);
  return answer;
}
/** Calls it with a demo key of a kind. */
const keyed = (kind, headers = {}) => (method, path, body) => call(method, path, { 'x-service-api-key': `demo-${kind}-${TENANT}`, ...headers }, body);
export const staff = keyed('b2b');
/** A cash desk, another device at a door, the venue's own server, and a page. */
export const till = keyed('counter');
export const atDoor = keyed('door');
export const storefront = keyed('b2c', { 'x-b2c-tenant-id': String(TENANT), 'x-service-browser-ip': '203.0.113.24' });
export const browserPage = keyed('browser', { 'x-b2c-tenant-id': String(TENANT) });
export const sandbox = (path) => call('GET', path, {});

/** How many times as long everything may take as on a machine that does nothing else. */
export const SLOWER = Number(process.env.SLOWER ?? 1);
/** How long anything may take. */
export const PATIENCE_MS = 30_000 * SLOWER;

/** Asks until there is an answer. */
export async function until(what, ask, atMost = PATIENCE_MS) {
  const end = Date.now() + atMost;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** The token of the last mail to an address, once it is there. */
export function mailedToken(to, name, known = new Set()) {
  return until(`a mail to ${to}`, async () => {
    const mails = (await sandbox('/sandbox/outbox')).filter((mail) => mail.to === to && !known.has(mail.deliveryId));
    for (const mail of mails.reverse()) {
      const text = String(await sandbox(`/sandbox/outbox/${mail.deliveryId}`)).replace(/=\r?\n/g, '').replace(/=3D/g, '=');
      const found = new RegExp(`${name}=([\\w.%~-]+)`).exec(text);
      if (found) return decodeURIComponent(found[1]);
    }
    return null;
  });
}
export const mailsTo = async (to) => new Set((await sandbox('/sandbox/outbox')).filter((mail) => mail.to === to).map((mail) => mail.deliveryId));

/** The day after so many days. */
export const dayIn = (days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** The header by which the service takes the time to be so many minutes later. */
export const clockIn = (minutes) => ({ 'x-service-test-now': new Date(Date.now() + minutes * 60_000).toISOString().replace('Z', '+00:00') });
let made = 0;
const run = Date.now() % 100_000;

/** An event of its own with a price that nothing else has, so that no card pays the same amount twice. */
export async function makeEvent({ name, capacity = 40, form, members = false, addOns = [], hours = [11, 15], free = false } = {}) {
  made += 1;
  const cents = 1100 + ((run * 7 + made * 131) % 4800);
  const price = free ? '0.00' : (cents / 100).toFixed(2);
  const event = await staff('POST', '/v2/b2b/event/templates', {
    name: name ?? `Journey ${run}-${made}`, description: 'An hour for a test.', summary: 'For a test', reviewState: 'Published',
    duration: { hour: 1, minutes: 0 }, capacity, displayOrder: 50,
    schedules: [{ id: 'daily', weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
      hours: hours.map((hour) => ({ hour, minutes: 0 })), ranges: [{ start: dayIn(1), end: dayIn(12) }] }],
    priceLists: [{ id: 'all', name: 'All', prices: [{ personType: { id: ADULT }, price, displayOrder: 1 }, { personType: { id: CHILD }, price: '5.00', displayOrder: 2 }] }],
    ...(form ? { orderForms: [{ id: form }] } : {}),
    ...(addOns.length ? { addOns: { inventoryIds: addOns } } : {}),
    ...(members ? { membership: { restrictions: { categories: [] }, discounts: [{ category: { id: CREW }, discount: { id: MEMBER_DISCOUNT }, maxTickets: 1 }] } } : {}),
  });
  return { id: event.id, name: event.name, price, cents };
}

/** The slots of an event on a day, or in the ten days to come. */
export async function slots(event, day) {
  const when = day ? `startTime=${day}&endTime=${day}T23:59:59` : `endTime=${new Date(Date.now() + 9e8).toISOString()}`;
  return (await staff('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}&${when}`)).list;
}
/** How many seats of an event are `sold` or `reserved`. */
export const seats = async (event, of) => (await slots(event)).reduce((all, slot) => all + slot[of], 0);

/** What a journey that fails would leave open, to the cost of the next one. */
const left = new Set();
export const leftOpen = (shut) => left.add(shut);
export async function shutAll() {
  await Promise.all([...left].map((shut) => shut().catch(() => undefined)));
  left.clear();
}

const launch = (args) => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', ...args] });
let browser;
export async function open() {
  browser = await launch([]);
}
export const close = () => browser?.close();

/** A context that has kept nothing yet, in the browser of all journeys, or in one of its own where that is started with arguments. */
export async function openContext(options, args = []) {
  const own = args.length ? await launch(args) : null;
  if (own) leftOpen(() => own.close());
  const context = await (own ?? browser).newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  const shut = () => (own ?? context).close();
  leftOpen(shut);
  return { context: withHand(context), shut };
}

/** What the browser complains about. Refusals that a journey provokes are named by it. */
export async function complaints(context, expected) {
  const problems = [];
  await context.exposeBinding('reportViolation', (_, text) => problems.push(`policy: ${text}`));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => window.reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
  });
  context.on('page', (page) => {
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('pageerror', (error) => problems.push(`script: ${error.stack}`));
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type()) || /Failed to load resource/.test(message.text())) return;
      problems.push(`console: ${message.text()}`);
    });
    page.on('response', (response) => {
      const seen = `${response.status()} ${new URL(response.url()).pathname}`;
      if (response.status() >= 400 && !expected.some((one) => one.test(seen))) problems.push(`answer: ${seen}`);
    });
    page.on('dialog', (dialog) => {
      problems.push(`dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
  });
  return problems;
}

/** Somebody at a computer, whose pages count how much they shift. */
export async function visitor({ expected = [], ...options } = {}) {
  const { context } = await openContext({ viewport: { width: 1280, height: 900 }, ...options });
  const problems = await complaints(context, expected);
  await context.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
      if (!entry.hadRecentInput) window.shifts += entry.value;
    })).observe({ type: 'layout-shift', buffered: true });
  });
  return { context, page: await context.newPage(), problems };
}

/**
 * Pages are told that the interface is elsewhere, as where they are files of a bucket. Answers which paths are asked
 * there, and which are not.
 */
export async function elsewhere(context) {
  const asked = new Set();
  const strays = new Set();
  await context.route(/\/(shop|desk|door)\/config\.json$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...await response.json(), api: `${base}/elsewhere/` } });
  });
  await context.route('**/elsewhere/**', (route) => route.continue({ url: route.request().url().replace('/elsewhere', '') }));
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/elsewhere/')) asked.add(pathname.slice('/elsewhere'.length));
    if (pathname.startsWith('/v2/')) strays.add(pathname);
  });
  return { asked, strays };
}

/** Contrast, which takes longest, is measured once in each scheme: neither size nor direction makes it less. */
const LOOKS = [
  { name: '1280 light', width: 1280, scheme: 'light', contrast: true },
  { name: '320 dark', width: 320, scheme: 'dark', contrast: true },
  { name: '320 light, text at 200 %', width: 320, scheme: 'light', text: '200%' },
  { name: '1280 dark, right to left', width: 1280, scheme: 'dark', dir: 'rtl' },
];

/** For a quick pass: in how many looks states are measured. */
const AT_MOST = Number(process.env.LOOKS ?? LOOKS.length);

/** Measures a state of a page in each of its looks, or in the first so many: accessibility, width, targets. */
export async function look(page, state, looks = LOOKS.length) {
  await page.locator('h1').first().waitFor();
  // A page looks the same whatever it is used with.
  if (byKeyboard()) return;
  for (const at of LOOKS.slice(0, Math.min(looks, AT_MOST))) {
    await page.setViewportSize({ width: at.width, height: 900 });
    await page.emulateMedia({ colorScheme: at.scheme });
    await page.evaluate(({ text, dir }) => {
      document.documentElement.style.fontSize = text ?? '';
      document.documentElement.dir = dir ?? 'ltr';
    }, at);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(AXE);
    const found = await page.evaluate((contrast) => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'], rules: { 'color-contrast': { enabled: contrast } } })
      .then(({ violations }) => violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.failureSummary?.split('\n').slice(1, 2).join('')}`).join(' | ')}`)), at.contrast === true);
    const measured = await page.evaluate(() => {
      const small = [...document.querySelectorAll('button, .button, input:not([type=checkbox]):not([type=radio]), select, nav a, .time, a.day, .daybox, label.pick, label.check')]
        .map((node) => ({ node, box: node.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 1 && (box.height < 43.5 || box.width < 43.5))
        .map(({ node, box }) => `${node.className || node.tagName} "${node.textContent.trim().slice(0, 30)}" ${Math.round(box.width)}×${Math.round(box.height)}`);
      return { small, over: document.documentElement.scrollWidth - innerWidth };
    });
    if (process.env.PICTURES) {
      mkdirSync(process.env.PICTURES, { recursive: true });
      await page.screenshot({ path: `${process.env.PICTURES}/${state} ${at.name}.png`.replace(/[ ,%]+/g, '-'), fullPage: true });
    }
    assert.deepEqual(found, [], `${state}, ${at.name}`);
    assert.ok(measured.over <= 0, `${state}, ${at.name}: ${measured.over} pixels too wide`);
    assert.deepEqual(measured.small, [], `${state}, ${at.name}: targets below 44 pixels`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '';
    document.documentElement.dir = 'ltr';
  });
}

/** Nothing personal is in the address. */
export function cleanAddress(page, ...words) {
  for (const word of words) assert.ok(!page.url().toLowerCase().includes(word.toLowerCase()), `${word} is in the address ${page.url()}`);
}
