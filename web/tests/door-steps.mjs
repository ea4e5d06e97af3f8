// Steps at the door.
import { SLOWER, look, till, until } from './harness.mjs';
import { gone, type } from './door-harness.mjs';

/** How long a scan may wait for its answer. */
export const ANSWER_MS = 300 * SLOWER;
export const history = (order) => till('GET', `/v2/b2b/admissions/orders/${order.id}`);
export const tab = (page, name) => page.locator('.tabs').getByRole('link', { name, exact: true }).click();
export const waits = (page, n) => page.getByRole('link', { name: n === 1 ? '1 scan waits' : `${n} scans wait` }).waitFor();
export async function settled(page) {
  await page.locator('.bar').waitFor();
  await until('nothing waits', async () => await page.locator('.bar').getByText(/scans? waits?/).count() === 0);
}

/** Measures a state: in each of its looks in dark, and in one in light, which changes nothing but colours. */
export async function looks(page, state) {
  await look(page, `door ${state} dark`);
  await page.evaluate(() => { document.documentElement.dataset.look = 'light'; });
  await look(page, `door ${state} light`, 1);
  await page.evaluate(() => { document.documentElement.dataset.look = 'dark'; });
  await page.setViewportSize({ width: 360, height: 740 });
}

/** Verdicts stay while `hold` is set, so that they can be measured. `leaving` counts those that will go by themselves. */
export const holdable = (page) => page.addInitScript(() => {
  const real = window.setTimeout;
  window.leaving = 0;
  window.setTimeout = (run, ms, ...rest) => {
    if (ms === 1500) window.leaving += 1;
    return real(run, ms === 1500 && window.hold ? 120_000 : ms, ...rest);
  };
});
export const leaving = (page) => page.evaluate(() => window.leaving);
/** Types a code, and measures its verdict. */
export async function held(page, code, state) {
  await page.evaluate(() => { window.hold = true; });
  const said = await type(page, code);
  await looks(page, state ?? `verdict ${said.reason}`);
  await page.evaluate(() => { window.hold = false; });
  await page.keyboard.press('Escape');
  await gone(page);
  return said;
}
