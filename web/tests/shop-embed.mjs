// The shop within another page.
import http from 'node:http';
import { readFileSync } from 'node:fs';
import { GALLERY, PATIENCE_MS, assert, base, look, makeEvent, staff, until, visitor } from './harness.mjs';
import { chooseHere, details, hold, next, payByCard, tickets } from './shop-steps.mjs';

/** The page of a venue that the shop's README shows, for this service and an event. */
function venuePage(event) {
  const text = readFileSync(new URL('../shop/README.md', import.meta.url), 'utf8');
  const [, page] = /```html\n(<!doctype html>[\s\S]*?)```/.exec(text);
  return page.replaceAll('http://127.0.0.1:3000', base).replaceAll(GALLERY, event);
}

/** Serves such a page on another origin. */
async function serveVenue(event) {
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(venuePage(event));
  });
  await new Promise((done) => {
    server.listen(0, 'localhost', done);
  });
  return { origin: `http://localhost:${server.address().port}`, server };
}

/** The frame is as high as its content. */
async function fits(page) {
  await until('the height', async () => page.evaluate(() => {
    const box = document.querySelector('iframe');
    return box.style.blockSize !== '' && box.getBoundingClientRect().height > 300;
  }));
  const inner = page.frames().find((one) => one !== page.mainFrame());
  await until('no bar inside', () => inner.evaluate(() => document.documentElement.scrollHeight <= innerHeight + 1));
}

/** The keyboard goes into the frame, and comes out again. */
async function tabThrough(page) {
  await page.getByRole('link', { name: 'How to get here' }).focus();
  let inside = false;
  await until('the way out', async () => {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.textContent}`);
    inside ||= at.startsWith('IFRAME');
    return at === 'A Opening hours';
  });
  assert.ok(inside, 'the keyboard did not enter the frame');
}

export const both = {
  async 'buys inside of another page'() {
    const event = await makeEvent();
    const { origin, server } = await serveVenue(event.id);
    const settings = await staff('GET', '/v2/b2b/settings');
    const write = (allowedOrigins) => staff('PUT', '/v2/b2b/settings', { name: settings.name, allowedOrigins });
    const framedBy = async () => (await fetch(`${base}/shop/embed.html`)).headers.get('content-security-policy');
    await write([...settings.allowedOrigins, origin]);
    try {
      await until('the policy', async () => (await framedBy()).includes(origin), 2 * PATIENCE_MS);
      const { page, problems, context } = await visitor();
      await page.goto(origin);
      const frame = page.frameLocator('iframe');
      await frame.locator('a.time').first().waitFor();
      await fits(page);
      await chooseHere(frame);
      await hold(frame, 1);
      await details(frame, { email: 'embed@example.org' });
      await next(frame);
      await payByCard(frame);
      await tickets(frame);
      await tabThrough(page);
      await page.goto(`${base}/shop/embed.html?event=${event.id}`);
      await page.locator('a.time').first().waitFor();
      await look(page, 'embedded');
      await context.close();
      // A page that is not allowed cannot frame it.
      await write(settings.allowedOrigins);
      await until('the policy without it', async () => !(await framedBy()).includes(origin), 2 * PATIENCE_MS);
      const stranger = await visitor();
      await stranger.page.goto(origin);
      await until('the refusal', () => stranger.problems.some((one) => /frame-ancestors/i.test(one)));
      await stranger.context.close();
      return problems;
    } finally {
      await write(settings.allowedOrigins);
      server.close();
    }
  },
};
