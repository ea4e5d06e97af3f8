// node web/tests/run.mjs BASE_URL [part of a name]
// Every journey through the pages in a real browser. CHROMIUM names the browser, PICTURES a folder for screenshots. With
// LOCALSTRIPE the service is one that charges there, and the journeys are those of its cards. HANDS=both plays with mouse and
// with keyboard what is played with the mouse alone otherwise.
import { SLOWER, assert, base, close, open, shutAll } from './harness.mjs';
import { HANDS, useHand } from './hands.mjs';
import { budget } from './budget.mjs';
import * as shopBuy from './shop-buy.mjs';
import * as shopBank from './shop-bank.mjs';
import * as shopLost from './shop-lost.mjs';
import * as shopPages from './shop-pages.mjs';
import * as shopEmbed from './shop-embed.mjs';
import * as doorScan from './door-scan.mjs';
import * as doorLine from './door-line.mjs';
import * as doorKept from './door-kept.mjs';
import * as deskOrders from './desk-orders.mjs';
import * as deskVenue from './desk-venue.mjs';
import * as deskWords from './desk-words.mjs';
import * as stripe from './stripe.mjs';

if (!/^https?:\/\//.test(base)) {
  console.error('node web/tests/run.mjs BASE_URL [part of a name]');
  process.exit(2);
}
const AREAS = process.env.LOCALSTRIPE ? { stripe: [stripe] } : {
  shop: [{ mouse: { 'stays within its budget': budget } }, shopBuy, shopBank, shopLost, shopPages, shopEmbed],
  door: [doorScan, doorLine, doorKept],
  desk: [deskOrders, deskVenue, deskWords],
};
/** What the journeys that are for the mouse are played with. */
const forMouse = process.env.HANDS === 'both' ? HANDS : ['mouse'];
const played = (area, journeys, hands) => Object.entries(journeys).flatMap(([name, journey]) => hands.map((hand) => ({
  name: `${area}: ${name}${hand === 'mouse' ? '' : `, by ${hand}`}`, hand, journey,
})));
const wanted = process.argv[3] ?? '';
const all = Object.entries(AREAS)
  .flatMap(([area, sets]) => sets.flatMap(({ both = {}, mouse = {}, keyboard = {} }) => [
    ...played(area, both, HANDS), ...played(area, mouse, forMouse), ...played(area, keyboard, ['keyboard'])]))
  .filter(({ name }) => name.includes(wanted));

/** How long a journey may take. One that hangs fails, and the others are played. */
const LONGEST_MS = 300_000 * SLOWER;
function inTime(journey) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`it took more than ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  return Promise.race([journey, late]).finally(() => clearTimeout(timer));
}

let passed = 0;
let failed = 0;
await open();
/** `SHARE=1/2`: every second journey, so that two processes play all of them, each against a service of its own. */
const [share, shares] = (process.env.SHARE ?? '1/1').split('/').map(Number);
for (const { name, hand, journey } of all.filter((_, at) => at % shares === share - 1)) {
  const start = Date.now();
  useHand(hand);
  try {
    assert.deepEqual(await inTime(journey()), [], 'what the browser complained about');
    passed += 1;
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
  await shutAll();
}
await close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed || !passed ? 1 : 0);
