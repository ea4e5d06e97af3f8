// @ts-check
/** Starts the door, keeps what it knows up to date, and shows the view that the address names. */
import { html, render, useEffect, useLayoutEffect, useState, useValue, Failed, Loading } from '/shared/ui.js';
import { pickLanguage, setLanguage, time, t, number } from '/shared/intl.js';
import { Refusal, loadConfig, request } from '/shared/client.js';
import { credentials, follow, href, mailed, moves, now, openVenue, reach, restore, route, set, settings, venue } from '/door/state.js';
import { counted, notices, recount, restoreScans, since as sinceCount, waiting } from '/door/admit.js';
import { settle, tryAgain } from '/door/send.js';
import { about, changed, events, insideByList, loadEvents, refreshAll, restoreEvents, watch } from '/door/list.js';
import { Verdict } from '/door/verdict.js';
import * as store from '/door/store.js';
import SignIn from '/door/signin.js';
import Events from '/door/events.js';
import Scanner, { Typed } from '/door/scanner.js';
import Find, { OrderView } from '/door/find.js';
import More from '/door/more.js';

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'nl', 'pt'];
const COUNT_MS = 15_000;
const LIST_MS = 60_000;
/** How long apart the lists of many events are asked for, for each. */
const EACH_LIST_MS = 5000;
const AGAIN_MS = 5000;

/** @type {Record<string, any>} */
const VIEWS = { code: Typed, find: Find, order: OrderView, more: More };

/** Which events an address means. @param {string | undefined} event */
function idsOf(event) {
  if (!event) return [];
  if (event !== 'all') return /^[0-9a-f]{24}$/.test(event) ? [event] : [];
  return (events.peek()?.list ?? []).filter((/** @type {any} */ one) => one.state !== 'cancelled' || one.sold > 0).map((/** @type {any} */ one) => one.id);
}

/** The bar on top: which event, how many inside, whether it is on line, how many scans wait. */
function Bar() {
  const at = useValue(route);
  const known = useValue(events);
  const line = useValue(reach);
  const waits = useValue(waiting);
  const told = useValue(notices);
  const inside = useValue(counted);
  const more = useValue(sinceCount);
  const { way } = useValue(settings);
  const who = useValue(credentials);
  useValue(changed);
  const id = at.event ?? '';
  const event = known?.list.find((/** @type {any} */ one) => one.id === id);
  const list = about(id);
  const name = id === 'all' ? t(known && !idsOf(id).length ? 'events.none' : 'bar.all') : event?.name ?? list?.eventName ?? t('bar.event');
  const start = event?.startTime ?? list?.startTime;
  const n = line === 'on' && inside !== null ? Math.max(0, inside + more) : insideByList();
  const state = !who ? 'ended' : line;
  return html`<header class="bar">
    <a class="bar-event" href=${href({})}><strong>${name}</strong>${start && html`<span class="digits">${time(start)}</span>`}<span class="visually-hidden">${t('bar.change')}</span></a>
    <p class="bar-count"><span class="digits">${number(n)}</span> <span class="small muted">${t('bar.inside')}</span></p>
    <p class="bar-states small"><span class=${`state ${state}`} role="status"><span class=${`dot ${state === 'on' ? 'good' : 'warn'}`} aria-hidden="true"></span>${t(`bar.${state}`)}</span>
      ${waits > 0 && html`<a class="state" href=${href({ event: id, view: 'more' })}>${t('bar.waits', { n: waits })}</a>`}
      ${told.length > 0 && html`<a class="state bad" href=${href({ event: id, view: 'more' })}><span class="dot bad" aria-hidden="true"></span>${t('bar.notices', { n: told.length })}</a>`}
      ${way === 'exit' && html`<span class="state warn">${t('bar.exit')}</span>`}
      ${state === 'ended' && html`<a class="state" href=${href({ event: id, view: 'sign' })}>${t('sign.title')}</a>`}</p>
  </header>`;
}

/** What is within reach of the thumb. */
function Tabs() {
  const { event, view } = useValue(route);
  const tab = (/** @type {string | undefined} */ to, /** @type {string} */ text) => html`<a href=${href({ event, view: to })} aria-current=${(view ?? '') === (to ?? '') ? 'page' : undefined}>${text}</a>`;
  return html`<nav class="tabs" aria-label=${t('tabs.label')}>
    ${tab(undefined, t('tabs.scan'))}${tab('code', t('tabs.code'))}${tab('find', t('tabs.find'))}${tab('more', t('tabs.more'))}</nav>`;
}

/** The venue's colours as its settings have them, kept for a start without a network. */
async function brand() {
  const { id, key } = venue.peek() ?? {};
  if (!key) return;
  const shown = await request('GET', '/v2/b2c/venue', { headers: { 'x-service-api-key': key, 'x-b2c-tenant-id': String(id) } }).catch(() => null);
  const place = venue.peek();
  if (!place || !shown?.body.colours || place.id !== id) return;
  openVenue({ ...place, colours: shown.body.colours });
  await store.put('kept', 'venue', venue.peek());
  if (shown.body.colours.length) (await import('/shared/colour.js')).paint(shown.body.colours);
}

/** Keeps the screen on while somebody scans. */
function useWake() {
  useEffect(() => {
    /** @type {any} */
    let lock = null;
    const hold = async () => {
      if (document.hidden) return;
      lock = await /** @type {any} */ (navigator).wakeLock?.request('screen').catch(() => null);
    };
    hold();
    document.addEventListener('visibilitychange', hold);
    return () => {
      document.removeEventListener('visibilitychange', hold);
      lock?.release().catch(() => undefined);
    };
  }, []);
}

/** An event is chosen. */
function Open() {
  const at = useValue(route);
  const known = useValue(events);
  const ids = idsOf(at.event);
  const [ready, setReady] = useState(false);
  useWake();
  useEffect(() => {
    let gone = false;
    counted.value = null;
    watch(ids).then(async () => {
      if (gone) return;
      recount();
      setReady(true);
      if (reach.peek() === 'on' && credentials.peek()) await refreshAll();
    });
    return () => {
      gone = true;
    };
  }, [ids.join()]);
  useEffect(() => {
    const name = known?.list.find((/** @type {any} */ one) => one.id === at.event)?.name;
    if (!at.view) document.title = [t('scan.title'), name].filter(Boolean).join(' · ');
  }, [at.view, at.event, known]);
  useEffect(() => {
    let lists = now();
    let counts = 0;
    const beat = async () => {
      if (!credentials.peek()) return;
      if (reach.peek() === 'off') {
        if (navigator.onLine) await tryAgain();
        return;
      }
      if (reach.peek() === 'ended') return;
      if (waiting.peek()) await settle();
      if (document.hidden) return;
      try {
        if (now() - counts > COUNT_MS) {
          counts = now();
          await loadEvents();
          recount();
        }
        if (now() - lists > Math.max(LIST_MS, ids.length * EACH_LIST_MS)) {
          lists = now();
          await refreshAll();
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    };
    beat();
    const timer = setInterval(beat, AGAIN_MS);
    const back = () => tryAgain();
    addEventListener('online', back);
    return () => {
      clearInterval(timer);
      removeEventListener('online', back);
    };
  }, [ids.join()]);
  const View = VIEWS[at.view ?? ''] ?? Scanner;
  const main = View === Scanner ? 'main scan' : 'main';
  return html`<${Bar} /><main id="main" class=${main} tabindex="-1" key=${at.view ?? 'scan'}>${ready ? html`<${View} />` : html`<${Loading} lines=${3} />`}</main><${Tabs} /><${Verdict} />`;
}

/** @param {{config: any, lists: boolean}} of */
function Door({ config, lists }) {
  const at = useValue(route);
  const move = useValue(moves);
  const who = useValue(credentials);
  const place = useValue(venue);
  useEffect(() => {
    brand();
  }, [place?.id]);
  useLayoutEffect(() => {
    if (!move || (!at.view && at.event)) return;
    scrollTo(0, 0);
    const heading = document.querySelector('main h1');
    if (!(heading instanceof HTMLElement) || document.activeElement?.id === 'code') return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [move]);
  useEffect(() => {
    if (who) settle();
  }, [who]);
  const alone = !who && (at.view === 'sign' || mailed.token || !lists);
  if (alone || at.view === 'sign' || mailed.token) return html`<main id="main" class="main narrow" tabindex="-1"><${SignIn} config=${config} /></main>`;
  if (at.event && (at.event === 'all' || idsOf(at.event).length)) return html`<${Open} />`;
  return html`<main id="main" class="main narrow" tabindex="-1"><${Events} />
    ${config.sandbox && html`<p class="small muted part">${t('sandbox')}</p>`}
    ${who && html`<p class="part"><a class="button quiet" href=${href({ view: 'sign' })}>${t('events.otherSign')}</a></p>`}</main>`;
}

async function start() {
  const root = /** @type {HTMLElement} */ (document.getElementById('app'));
  await restore();
  const wanted = route.peek().lang;
  const language = pickLanguage(LANGUAGES, wanted ?? settings.peek().language);
  if (wanted === language && settings.peek().language !== language) await set({ language });
  const texts = await import(`/door/texts/${language}.js`).catch(() => import('/door/texts/en.js')).catch(() => ({ default: {} }));
  setLanguage(language, texts.default);
  try {
    const config = await loadConfig('/door/config.json').catch((error) => {
      if (venue.peek()) return { venues: [venue.peek()], sandbox: false };
      throw error;
    });
    const known = config.venues.find((/** @type {any} */ one) => one.id === venue.peek()?.id);
    if (known) openVenue({ ...venue.peek(), ...known });
    const { colours } = venue.peek() ?? {};
    await Promise.all([restoreEvents(), restoreScans(), colours?.length && import('/shared/colour.js').then(({ paint }) => paint(colours))]);
    if (credentials.peek() && route.peek().event && !events.peek()) await loadEvents().catch(() => undefined);
    const lists = (await store.all('lists')).length > 0;
    root.textContent = '';
    render(html`<${Door} config=${config} lists=${lists} />`, root);
    document.addEventListener('click', follow);
  } catch (error) {
    root.textContent = '';
    render(html`<main id="main" class="main narrow"><h1>${t('sign.title')}</h1><${Failed} error=${error instanceof Refusal ? error : new Refusal(0, { type: 'NO_ANSWER' })} retry=${() => location.reload()} /></main>`, root);
    if (!(error instanceof Refusal)) throw error;
  }
  if ('serviceWorker' in navigator) {
    const worker = await navigator.serviceWorker.register('/door/sw.js', { scope: '/door/' }).catch(() => null);
    if (worker && navigator.serviceWorker.controller) navigator.serviceWorker.controller.postMessage('look for newer');
  }
}

start();
