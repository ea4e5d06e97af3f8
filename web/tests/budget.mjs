// What the first view of the shop costs, over the wire.
import { assert, shop, visitor } from './harness.mjs';

const BYTES = 60 * 1024;
const REQUESTS = 20;
const SHIFT = 0.05;

export async function budget() {
  const { page, problems, context } = await visitor({ viewport: { width: 390, height: 800 } });
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  const names = new Map();
  let bytes = 0;
  const rows = [];
  session.on('Network.responseReceived', ({ requestId, response }) => names.set(requestId, response.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!/^http/.test(names.get(requestId) ?? '')) return;
    bytes += encodedDataLength;
    rows.push([encodedDataLength, new URL(names.get(requestId)).pathname]);
  });
  await page.goto(shop, { waitUntil: 'networkidle' });
  await page.locator('.card').first().waitFor();
  const { shift, ready } = await page.evaluate(() => ({ shift: window.shifts, ready: Math.round(performance.now()) }));
  for (const [size, path] of rows.sort((a, b) => b[0] - a[0])) console.log(`    ${String(size).padStart(6)}  ${path}`);
  console.log(`  first view: ${bytes} bytes of ${BYTES}, ${rows.length} requests of ${REQUESTS}, layout shift ${shift.toFixed(3)} of ${SHIFT}, idle after ${ready} ms`);
  assert.ok(bytes <= BYTES, `${bytes} bytes`);
  assert.ok(rows.length <= REQUESTS, `${rows.length} requests`);
  assert.ok(shift <= SHIFT, `layout shift ${shift}`);
  await context.close();
  return problems;
}
