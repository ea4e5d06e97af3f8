// node web/tests/pictures.mjs BASE_URL OUT_DIR
// Pictures of the pages for people who read about them, against a service that nobody has used yet: the shop and the desk at
// 1280 pixels in light, the door as on a phone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { ADULT, GALLERY, TENANT, assert, atDoor, base, close, dayIn, mailedToken, mailsTo, open, shop, slots, staff, storefront, until, visitor } from './harness.mjs';
import { MAIL, at, desk } from './desk-steps.mjs';
import { details, hold, next, payButton, tickets } from './shop-steps.mjs';
import { eventOfToday, openEvent, sell, steward, touchAway, type, withKey } from './door-harness.mjs';

const AT_MOST = 60 * 1024;
const [, , , folder] = process.argv;
if (!/^https?:\/\//.test(base) || !folder) {
  console.error('node web/tests/pictures.mjs BASE_URL OUT_DIR');
  process.exit(2);
}

/** The pixels of a picture as indices of its commonest colours, 128 at most. Runs in the browser, which reads PNG. */
async function indexed(png) {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const at = (n) => (data[n] << 16) | (data[n + 1] << 8) | data[n + 2];
  const counts = new Map();
  for (let n = 0; n < data.length; n += 4) counts.set(at(n), (counts.get(at(n)) ?? 0) + 1);
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 128).map(([colour]) => colour);
  const nearest = new Map(palette.map((colour, index) => [colour, index]));
  const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const find = (colour) => {
    const [r, g, b] = parts(colour);
    let best = 0;
    let least = Infinity;
    palette.forEach((one, index) => {
      const [x, y, z] = parts(one);
      const far = (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2;
      if (far < least) [least, best] = [far, index];
    });
    nearest.set(colour, best);
    return best;
  };
  let pixels = '';
  for (let n = 0; n < data.length; n += 4) pixels += String.fromCharCode(nearest.get(at(n)) ?? find(at(n)));
  return { width, height, palette: palette.flatMap(parts), pixels: btoa(pixels) };
}

/** A PNG with a palette. */
function encode({ width, height, palette, pixels }) {
  const bytes = Buffer.from(pixels, 'base64');
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1) bytes.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const chunk = (name, content) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(content.length);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

/** Keeps what a page shows, as a picture of so many colours. */
async function keep(page, name) {
  const workbench = await page.context().newPage();
  const png = encode(await workbench.evaluate(indexed, (await page.screenshot()).toString('base64')));
  await workbench.close();
  assert.ok(png.length <= AT_MOST, `${name} has ${png.length} bytes`);
  writeFileSync(join(folder, `${name}.png`), png);
  console.log(`${String(png.length).padStart(6)}  ${name}.png`);
}

/** The same from the top of the page, without a focus. */
async function keepTop(page, name) {
  await page.evaluate(() => {
    scrollTo(0, 0);
    /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  });
  await keep(page, name);
}

async function pictureShop() {
  const { page, context, problems } = await visitor({ viewport: { width: 1280, height: 880 } });
  await page.goto(shop);
  await page.locator('.card').nth(1).waitFor();
  await page.waitForLoadState('networkidle');
  await keepTop(page, 'shop-list');
  await page.goto(`${shop}?event=${GALLERY}`);
  await page.locator('a.time').nth(2).click();
  for (const kind of ['Adult', 'Adult', 'Child']) await page.getByRole('button', { name: `One more: ${kind}` }).click();
  await page.waitForLoadState('networkidle');
  await keepTop(page, 'shop-event');
  await hold(page, 3);
  await details(page);
  await next(page);
  await page.getByLabel('Test card').selectOption('tok_visa');
  await keepTop(page, 'shop-checkout');
  await payButton(page).click();
  await tickets(page, 3);
  await keepTop(page, 'shop-confirmation');
  await context.close();
  return problems;
}

/** Sells seats of a slot, as the venue's own server does. */
const order = (slot, { quantity, first, last }) => storefront('POST', '/v2/b2c/checkout', {
  shoppingCart: { items: [{ eventId: slot, ticketingTypeId: ADULT, quantity }] }, billingEmail: `${first}@example.org`.toLowerCase(),
  billingFirstName: first, billingLastName: last, billingPhoneNumber: '+1 212 555 0190', paymentToken: 'tok_visa',
});

async function pictureDesk() {
  const day = dayIn(2);
  const list = await slots({ id: GALLERY }, day);
  const buyers = [['Noor', 'Haddad', 4], ['Ada', 'Lindqvist', 9], ['Tomas', 'Rivera', 6], ['Mei', 'Tanaka', 12], ['Sol', 'Moreau', 3], ['Ravi', 'Menon', 7]];
  const orders = [];
  for (const [at, [first, last, quantity]] of buyers.entries()) orders.push(await order(list[at % list.length].id, { quantity, first, last }));
  await staff('POST', '/v2/b2b/reservations', { reservationItems: [{ eventId: list[1 % list.length].id, quantity: 5 }] });
  const known = await mailsTo(MAIL);
  await fetch(`${base}/v2/staff/login`, { method: 'POST', body: JSON.stringify({ email: MAIL }), headers: { 'content-type': 'application/json', 'x-b2c-tenant-id': String(TENANT), origin: base } });
  const token = await mailedToken(MAIL, 'loginToken', known);
  const { page, context, problems } = await visitor({ viewport: { width: 1280, height: 880 } });
  await page.goto(`${desk}?loginToken=${token}`);
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
  const show = async (query, name) => {
    await page.goto(at(query));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await until('what is loaded', async () => await page.locator('[aria-busy]').count() === 0);
    await page.waitForLoadState('networkidle');
    await keepTop(page, name);
  };
  await show({ view: 'today', day }, 'desk-today');
  await show({ view: 'order', id: orders[0].id }, 'desk-order');
  await show({ view: 'order', id: orders[0].id, step: 'refund' }, 'desk-refund');
  await show({ view: 'catalog', kind: 'events', id: GALLERY }, 'desk-event');
  await context.close();
  return problems;
}

async function pictureDoor() {
  const event = await eventOfToday({ name: 'Lantern evening' });
  const [fresh, seen, back] = [await sell(event.id, { quantity: 3 }), await sell(event.id, { first: 'Noor', last: 'Haddad' }), await sell(event.id, { first: 'Sol', last: 'Moreau' })];
  await atDoor('POST', '/v2/b2b/admissions', { code: seen.codes[0], terminalId: 'gate-2' });
  await staff('POST', '/v2/b2b/refunds', { orderId: back.id, wholeOrder: true, reason: 'A cold' });
  const { page, problems, leave } = await steward();
  // Verdicts stay until they are touched away.
  await page.addInitScript(() => {
    const real = window.setTimeout;
    window.setTimeout = (run, ms, ...rest) => real(run, ms === 1500 ? 120_000 : ms, ...rest);
  });
  await withKey(page);
  await openEvent(page, event, 'gate-1');
  for (const [sold, reason, name] of [[fresh, 'admitted', 'door-admitted'], [seen, 'alreadyAdmitted', 'door-already-admitted'], [back, 'refunded', 'door-refunded']]) {
    const said = await type(page, sold.codes[0]);
    assert.equal(said.reason, reason);
    await keep(page, name);
    await touchAway(page);
  }
  await leave();
  return problems;
}

mkdirSync(folder, { recursive: true });
await open();
try {
  assert.deepEqual([...await pictureShop(), ...await pictureDesk(), ...await pictureDoor()], []);
} finally {
  await close();
}
