// node web/tests/run.mjs BASE_URL [part of a name]
// Every journey through the pages in a real browser. CHROMIUM names the browser, PICTURES a folder for screenshots.
import { assert, base, close, open, shutAll } from './harness.mjs';
import { journeys } from './journeys.mjs';
import { budget } from './budget.mjs';
import { journeys as desk } from './desk.mjs';
import { doorJourneys } from './door.mjs';

if (!/^https?:\/\//.test(base)) {
  console.error('node web/tests/run.mjs BASE_URL [part of a name]');
  process.exit(2);
}
const wanted = process.argv[3] ?? '';
const of = (area, set) => Object.entries(set).map(([name, journey]) => [`${area}: ${name}`, journey]);
const all = [...of('shop', { 'stays within its budget': budget, ...journeys }), ...of('door', doorJourneys), ...of('desk', desk)]
  .filter(([name]) => name.includes(wanted));
let passed = 0;
let failed = 0;
await open();
/** What hangs fails, and the others are played. */
const LONGEST_MS = 300_000;
function inTime(journey) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`it took more than ${LONGEST_MS / 1000} s`)), LONGEST_MS);
  });
  return Promise.race([journey, late]).finally(() => clearTimeout(timer));
}
/** `SHARE=1/2`: every second journey, so that two processes play all of them, each against a service of its own. */
const [share, shares] = (process.env.SHARE ?? '1/1').split('/').map(Number);
for (const [name, journey] of all.filter((_, at) => at % shares === share - 1)) {
  const start = Date.now();
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
