// What the journeys at the door share with the pictures: sold tickets, a film for the camera, and a steward's phone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byKeyboard } from './hands.mjs';
import { ADULT, SLOWER, TENANT, atDoor, base, complaints, openContext, staff, storefront, until } from './harness.mjs';

export const door = `${base}/door/`;
export const DOOR_KEY = `demo-door-${TENANT}`;

let made = 0;
const run = Date.now() % 1_000_000;
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** An event that is on today, at the last minutes of the day, free of charge unless it has a price. Entry is open all day. */
export async function eventOfToday({ name, times = 1, details = {}, price = '0.00' } = {}) {
  made += 1;
  const event = await staff('POST', '/v2/b2b/event/templates', {
    name: name ?? `Evening ${run}-${made}`, description: 'An hour for a test.', reviewState: 'Published', duration: { hour: 0, minutes: 1 }, capacity: 60,
    schedules: [{ id: 'daily', weekdays: DAYS, hours: [{ hour: 23, minutes: 58 }, { hour: 23, minutes: 57 }].slice(0, times) }],
    priceLists: [{ id: 'all', name: 'All', prices: [{ personType: { id: ADULT }, price, displayOrder: 1 }] }], ticketDetails: details,
  });
  const slots = await until('the slots of today', async () => {
    const { list } = await atDoor('GET', `/v2/b2b/event/instances/summaries?templateId=${event.id}`);
    return list.length >= times && list.sort((a, b) => b.startTime.localeCompare(a.startTime));
  });
  return { id: slots[0].id, other: slots[1]?.id, name: event.name };
}

/** An order of so many tickets, with their codes. */
export async function sell(event, { quantity = 1, first = 'Ines', last = 'Okafor' } = {}) {
  const cart = await storefront('POST', '/v2/b2c/carts', {});
  await storefront('PUT', `/v2/b2c/carts/${cart}`, { id: cart, items: [{ eventId: event, ticketingTypeId: ADULT, quantity }] });
  const order = await storefront('POST', '/v2/b2c/checkout', {
    shoppingCartId: cart, billingFirstName: first, billingLastName: last, billingEmail: 'visitor@example.org', billingZipCode: '94000',
  });
  const counter = await staff('GET', `/v2/b2b/willcall/orders/${order.id}`);
  const tickets = counter.eventItems.flatMap((one) => one.items).flatMap((item) => item.tickets.map((ticket) => ({ ...ticket, itemId: item.itemId ?? item.id })));
  return { id: order.id, number: order.orderNumber, codes: tickets.map((one) => one.uuid), tickets };
}

/** A membership that two persons hold, at a level that is sold to nobody else. */
export async function familyOf({ last, second }) {
  const level = await staff('POST', '/v2/b2b/membership/levels', { name: `Two ${last}`, state: 'published', rules: { numberOfCardHolders: 2 },
    offerings: [{ name: 'One year', duration: 12, priceLists: [{ name: 'Standard', prices: [{ personType: { id: ADULT }, price: '0.00' }] }] }] });
  try {
    const order = await storefront('POST', '/v2/b2c/checkout', {
      shoppingCart: { items: [{ itemType: 'MembershipPurchase', quantity: 1, membershipInfo: {
        membershipCategoryId: level.id, membershipOfferingId: level.offerings[0].id, pricePointId: ADULT,
        membershipCards: [{ cardType: 'primary', firstName: 'Bo', lastName: last, email: 'bo@example.org' }, { cardType: 'secondary', firstName: second, lastName: last }] } }] },
      billingFirstName: 'Bo', billingLastName: last, billingEmail: 'bo@example.org', billingZipCode: '94000',
    });
    return order.orderItems[0].membershipInfo;
  } finally {
    await staff('PUT', '/v2/b2b/membership/levels', { ...level, state: 'draft' });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'door-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/**
 * A film for the camera: scenes of a code, of a picture, or of nothing, each for so many seconds. It begins anew at its end.
 * @param {[string | Buffer | null, number][]} scenes
 */
export async function film(name, scenes, perSecond = 30) {
  const { context, shut } = await openContext({});
  try {
    const page = await context.newPage();
    await page.goto(`${base}/door/manifest.webmanifest`);
    const pictures = await page.evaluate(async (texts) => {
      const { qrcode } = await import('/shared/vendor/qrcode.js');
      return Promise.all(texts.map(async (text) => {
        const canvas = document.createElement('canvas');
        canvas.width = 640;
        canvas.height = 480;
        const paper = canvas.getContext('2d');
        paper.fillStyle = '#6d7480';
        paper.fillRect(0, 0, 640, 480);
        if (text?.picture) {
          const shown = await createImageBitmap(new Blob([Uint8Array.from(atob(text.picture), (sign) => sign.charCodeAt(0))]));
          const size = Math.min(400 / shown.width, 400 / shown.height);
          paper.drawImage(shown, 120, 40, shown.width * size, shown.height * size);
        } else if (text) {
          const code = qrcode(0, 'M');
          code.addData(text);
          code.make();
          const n = code.getModuleCount();
          paper.translate(320, 240);
          paper.rotate(0.12);
          paper.fillStyle = '#f4f4ef';
          paper.fillRect(-140, -140, 280, 280);
          const side = 220 / n;
          paper.fillStyle = '#1b1b1e';
          for (let y = 0; y < n; y += 1) for (let x = 0; x < n; x += 1) if (code.isDark(y, x)) paper.fillRect(-110 + x * side, -110 + y * side, side + 0.5, side + 0.5);
        }
        return canvas.toDataURL('image/jpeg', 0.85).split(',')[1];
      }));
    }, scenes.map(([text]) => (Buffer.isBuffer(text) ? { picture: text.toString('base64') } : text)));
    const file = join(folder, `${name}.mjpeg`);
    writeFileSync(file, Buffer.concat(scenes.flatMap(([, seconds], at) => Array(Math.round(seconds * perSecond)).fill(Buffer.from(pictures[at], 'base64')))));
    return file;
  } finally {
    await shut();
  }
}

/** A steward's phone, with a film before its camera or with none that may be used. */
export async function steward({ expected = [], video } = {}) {
  const { context, shut } = await openContext({ viewport: { width: 360, height: 740 }, hasTouch: true, permissions: video ? ['camera'] : [] },
    video ? ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${video}`] : []);
  const problems = await complaints(context, expected);
  await context.addInitScript(() => {
    window.readVerdict = (node) => ({ reason: node.dataset.reason, offline: node.dataset.offline === 'true', text: node.innerText, kind: [...node.classList].find((one) => one !== 'verdict') });
    window.verdicts = [];
    const seen = new WeakSet();
    new MutationObserver(() => document.querySelectorAll('.verdict').forEach((node) => {
      if (seen.has(node)) return;
      seen.add(node);
      window.verdicts.push(window.readVerdict(node));
    })).observe(document, { childList: true, subtree: true });
  });
  const page = await context.newPage();
  return { page, context, problems, leave: shut };
}

/** Signs a device in by its key. */
export async function withKey(page) {
  await page.goto(door);
  await page.getByLabel('Venue').selectOption(String(TENANT));
  await page.getByLabel('Door key').fill(DOOR_KEY);
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
}

/** Opens an event of the list, as a door of this name. */
export async function openEvent(page, event, name) {
  await page.getByRole('link', { name: event.name }).first().waitFor();
  if (name) {
    await page.getByLabel('Name of this door').fill(name);
    await page.getByLabel('Name of this door').blur();
  }
  await page.locator(`a[href*="${event.id}"]`).click();
  await page.locator('.tabs').waitFor();
}

/** Types a code and answers what the verdict says. It goes by itself, however late it is looked at. */
export async function type(page, code) {
  if (!await page.locator('#code').count()) await page.getByRole('link', { name: 'Type', exact: true }).click();
  return after(page, async () => {
    await page.getByLabel('Code', { exact: true }).fill(code);
    await page.getByRole('button', { name: 'Check the code' }).click();
  });
}

/** The verdict that follows from something, also where it has gone by the time it is looked at. */
export async function after(page, act) {
  const before = await page.evaluate(() => window.verdicts.length);
  await act();
  return told(page, before + 1);
}
/** The verdict with this number since the page was loaded, also where it has gone already. */
export const told = (page, n) => until(`verdict ${n}`, () => page.evaluate((at) => window.verdicts[at - 1], n));
export const gone = (page) => page.locator('.verdict').waitFor({ state: 'detached', timeout: 4000 * SLOWER });
export async function touchAway(page) {
  if (byKeyboard()) await page.keyboard.press('Escape');
  else await page.locator('.verdict .sign').click();
  await gone(page);
}
/** The lists that the device has. */
export const lists = (page) => page.evaluate(() => new Promise((done) => {
  const asked = indexedDB.open('boxoffice-door');
  asked.onsuccess = () => {
    const all = asked.result.transaction('lists').objectStore('lists').getAll();
    all.onsuccess = () => {
      asked.result.close();
      done(all.result);
    };
  };
}));
/** All that the device keeps, by store. */
export const kept = (page) => page.evaluate(() => new Promise((done) => {
  const asked = indexedDB.open('boxoffice-door');
  asked.onsuccess = () => {
    const names = [...asked.result.objectStoreNames];
    const all = asked.result.transaction(names);
    const stores = Object.fromEntries(names.map((name) => [name, all.objectStore(name).getAll()]));
    all.oncomplete = () => {
      asked.result.close();
      done(Object.fromEntries(names.map((name) => [name, stores[name].result])));
    };
  };
}));
/** The device has so many tickets on its lists, and scans can go on without a network. */
export const listed = (page, n) => until('the list', async () => (await lists(page)).flatMap((one) => one.pages).flatMap((one) => one.tickets).length >= n);
