// Keeps the page itself, so that it starts without a network. What the service answers is never kept here.
const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'nl', 'pt'];
const FILES = [
  '/door/', '/door/config.json', '/door/manifest.webmanifest', '/door/icon.svg', '/door/icon-192.png', '/door/door.css',
  '/shared/tokens.css', '/shared/base.css', '/shared/client.js', '/shared/intl.js', '/shared/ui.js', '/shared/staff.js', '/shared/colour.js',
  '/shared/vendor/htm-preact.js', '/shared/vendor/signals-core.js',
  ...['main', 'state', 'store', 'list', 'admit', 'send', 'camera', 'decode', 'signals', 'verdict', 'scanner', 'signin', 'events', 'find', 'more', 'words'].map((name) => `/door/${name}.js`),
  '/door/vendor/jsqr.js', ...LANGUAGES.map((tag) => `/door/texts/${tag}.js`),
];
const NOW = 'boxoffice-door';
const NEXT = 'boxoffice-door-next';
const COMPLETE = '/door/complete';

/** All files anew into a cache, which counts only once it is complete. */
async function fill(name) {
  await caches.delete(name);
  const cache = await caches.open(name);
  await Promise.all(FILES.map(async (path) => {
    const answer = await fetch(path, { cache: 'no-cache', credentials: 'same-origin' });
    if (!answer.ok || answer.redirected) throw new Error(`${path}: ${answer.status}`);
    await cache.put(path, answer);
  }));
  await cache.put(COMPLETE, new Response('yes'));
}

async function complete(name) {
  return (await caches.has(name)) && Boolean(await (await caches.open(name)).match(COMPLETE));
}

/** Whether the files of two caches are the same. */
async function same(a, b) {
  const [one, other] = await Promise.all([caches.open(a), caches.open(b)]);
  for (const path of FILES) {
    const [x, y] = await Promise.all([one.match(path), other.match(path)]);
    if (!x || !y || await x.text() !== await y.text()) return false;
  }
  return true;
}

/** A newer set of files takes the place of the one before, as a whole, when the page is opened. */
async function promote() {
  if (!await complete(NEXT)) return;
  const [from, to] = await Promise.all([caches.open(NEXT), caches.open(NOW)]);
  for (const path of [...FILES, COMPLETE]) {
    const answer = await from.match(path);
    if (answer) await to.put(path, answer);
  }
  await caches.delete(NEXT);
}

let looking = null;
async function lookForNewer() {
  try {
    await fill(NEXT);
    if (await complete(NOW) && await same(NOW, NEXT)) await caches.delete(NEXT);
  } catch {
    await caches.delete(NEXT);
  }
}

addEventListener('install', (event) => event.waitUntil(fill(NOW).then(() => self.skipWaiting())));
addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
addEventListener('message', (event) => {
  if (event.data !== 'look for newer') return;
  looking ??= lookForNewer().finally(() => { looking = null; });
  event.waitUntil(looking);
});

addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== location.origin) return;
  const page = event.request.mode === 'navigate' && (url.pathname === '/door/' || url.pathname === '/door/index.html');
  if (!page && !FILES.includes(url.pathname)) return;
  event.respondWith((async () => {
    if (page) await promote().catch(() => undefined);
    const kept = await (await caches.open(NOW)).match(page ? '/door/' : url.pathname);
    return kept ?? fetch(event.request);
  })());
});
