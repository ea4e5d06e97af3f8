// @ts-check
/** Starts the desk: signs in, and shows the view that the address names. */
import { html, render, useEffect, useHeading, useRef, useState, useValue, Loading, Offline, Skip } from '/shared/ui.js';
import { languageName, pickLanguage, setLanguage, setPlace, t } from '/shared/intl.js';
import { Refusal, loadConfig, request } from '/shared/client.js';
import { askedAtDoor } from '/shared/staff.js';
import { api, ended, follow, go, href, loginToken, may, moves, route, session, setSession } from '/desk/state.js';
import { Opening, SignIn } from '/desk/signin.js';
import { Failed } from '/desk/said.js';

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'nl', 'pt'];

/** @type {Record<string, {load: () => Promise<{default: any}>, scopes: string[], nav?: boolean, under?: string}>} */
const VIEWS = {
  today: { load: () => import('/desk/today.js'), scopes: ['b2b', 'counter', 'door'], nav: true },
  slot: { load: () => import('/desk/slot.js'), scopes: ['b2b', 'counter', 'door'], under: 'today' },
  orders: { load: () => import('/desk/orders.js'), scopes: ['b2b', 'counter'], nav: true },
  order: { load: () => import('/desk/order.js'), scopes: ['b2b', 'counter'], under: 'orders' },
  catalog: { load: () => import('/desk/catalog.js'), scopes: ['b2b'], nav: true },
  members: { load: () => import('/desk/members.js'), scopes: ['b2b', 'counter'], nav: true },
  member: { load: () => import('/desk/member.js'), scopes: ['b2b', 'counter'], under: 'members' },
  settings: { load: () => import('/desk/settings.js'), scopes: ['b2b'], nav: true },
};

/** @param {import('/desk/state.js').Route} at */
const viewOf = (at) => (at.view && Object.hasOwn(VIEWS, at.view) ? at.view : 'today');

const SHORTCUTS = 'boxoffice-desk:shortcuts';
function shortcutsOn() {
  try {
    return localStorage.getItem(SHORTCUTS) !== 'off';
  } catch {
    return true;
  }
}
const GOES = /** @type {Record<string, string>} */ ({ t: 'today', o: 'orders', c: 'catalog', m: 'members', s: 'settings' });
let waiting = 0;

/** The move to the orders that was made by the key that searches: the field gets the focus, not the heading. */
let seeking = 0;

/** @param {KeyboardEvent} event @param {() => void} help */
function press(event, help) {
  const on = /** @type {HTMLElement} */ (event.target);
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || on.closest?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]') || !shortcutsOn()) return;
  if (event.key === '/') {
    event.preventDefault();
    const field = document.getElementById('search') ?? document.querySelector('main input[type="search"]');
    if (field instanceof HTMLElement) field.focus();
    else if (may('b2b', 'counter')) {
      go({ view: 'orders' });
      seeking = moves.peek();
    }
  } else if (event.key === '?') {
    event.preventDefault();
    help();
  } else if (event.key === 'g') {
    waiting = Date.now();
    return;
  } else if (GOES[event.key] && Date.now() - waiting < 1500) {
    const view = GOES[event.key];
    if (may(...VIEWS[view].scopes)) {
      event.preventDefault();
      go({ view });
    }
  }
  waiting = 0;
}

/** @param {{onClose: () => void}} of */
function Help({ onClose }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [on, setOn] = useState(shortcutsOn());
  useEffect(() => box.current?.showModal(), []);
  const turn = (/** @type {boolean} */ next) => {
    setOn(next);
    try {
      localStorage.setItem(SHORTCUTS, next ? 'on' : 'off');
    } catch { /* as long as the page is open, they stay on */ }
  };
  return html`<dialog ref=${box} aria-labelledby="help-title" onClose=${onClose}><h2 id="help-title">${t('help.title')}</h2>
    <dl class="facts">${[['/', t('help.search')], ...Object.entries(GOES).filter(([, view]) => may(...VIEWS[view].scopes)).map(([key, view]) => [`g ${key}`, t(`nav.${view}`)]), ['?', t('help.title')]].map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <label class="check" for="shortcuts"><input type="checkbox" id="shortcuts" checked=${on} onChange=${(/** @type {any} */ e) => turn(e.currentTarget.checked)} /> <span>${t('help.on')}</span></label>
    <button type="button" onClick=${() => box.current?.close()}>${t('help.close')}</button></dialog>`;
}

/** @param {{config: any}} of */
function Desk({ config }) {
  const at = useValue(route);
  const move = useValue(moves);
  const who = useValue(session);
  const over = useValue(ended);
  const name = viewOf(at);
  const [loaded, setLoaded] = useState(/** @type {{name?: string, View?: any, error?: boolean}} */ ({}));
  const [help, setHelp] = useState(false);
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const load = () => {
    VIEWS[name].load().then(({ default: View }) => setLoaded({ name, View }), () => setLoaded({ name, error: true }));
  };
  useEffect(load, [name]);
  useEffect(() => {
    const keys = (/** @type {KeyboardEvent} */ event) => session.peek() && press(event, () => setHelp(true));
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
  useHeading(main, move, loaded.name, (heading) => {
    document.title = `${heading.textContent} · ${session.peek()?.tenant.name ?? ''}`;
    if (move === seeking) queueMicrotask(() => document.getElementById('search')?.focus());
  });
  if (!who) return html`<${Offline} /><${SignIn} venues=${config.venues} onSignedIn=${signedIn} />`;
  const here = VIEWS[name].under ?? name;
  const out = async () => {
    try {
      await api.once('DELETE', '/v2/staff/session');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    setSession(null);
    go({});
  };
  const ready = loaded.name === name;
  return html`
    <${Skip} main=${main} />
    <div class="shell">
      <header class="side">
        <p class="venue">${who.tenant.name}</p>
        <nav aria-label=${t('nav.label')}><ul class="plain">${Object.entries(VIEWS).filter(([, view]) => view.nav && may(...view.scopes)).map(([view]) =>
          html`<li><a href=${href({ view })} aria-current=${here === view ? 'page' : undefined}>${t(`nav.${view}`)}</a></li>`)}</ul></nav>
        <div class="me"><p class="small muted">${who.person.name}</p>
          <button type="button" class="link" onClick=${() => setHelp(true)}>${t('help.title')}</button>
          <button type="button" class="link" onClick=${out}>${t('nav.out')}</button>
          ${LANGUAGES.length > 1 && html`<p class="small row">${LANGUAGES.map((tag) => html`<a href=${href({ ...at, lang: tag })} lang=${tag} hreflang=${tag} data-reload aria-current=${document.documentElement.lang === tag ? 'true' : undefined}>${languageName(tag)}</a>`)}</p>`}</div>
      </header>
      <div class="body">
        <${Offline} />
        ${over && html`<div class="notice bad over" role="alert"><p><strong>${t('over.title')}</strong> ${t('over.help')}</p><div class="row"><a class="button quiet" href="/desk/" target="_blank" rel="noopener">${t('over.tab')}</a>
          <button type="button" class="quiet" onClick=${() => setSession(null)}>${t('over.here')}</button></div></div>`}
        ${config.sandbox && html`<aside class="sandbox" aria-label=${t('sandbox.label')}>${t('sandbox')}</aside>`}
        <main id="main" tabindex="-1" ref=${main}>
          ${!may(...VIEWS[name].scopes) ? html`<h1>${t('denied.title')}</h1><p>${t('denied.help')}</p>`
            : ready && loaded.error ? html`<${Failed} error=${new Refusal(0, { type: 'NO_ANSWER' })} retry=${load} />`
            : ready ? html`<${loaded.View} key=${`${name} ${at.id ?? ''} ${who.tenant.id}`} at=${at} />` : html`<${Loading} lines=${4} block />`}
        </main>
      </div>
    </div>
    ${help && html`<${Help} onClose=${() => setHelp(false)} />`}`;
}

/** Whoever has signed in sees the desk once its place is known: nothing is typed into what is drawn anew. @param {import('/desk/state.js').Session} next */
function signedIn(next) {
  const root = /** @type {HTMLElement} */ (document.getElementById('app'));
  render(html`<main id="main" class="signin"><${Opening} /></main>`, root);
  setSession(next);
  start();
}

/** The venue's zone, money and colour. @param {any[]} venues */
async function place(venues) {
  const who = session.peek();
  if (!who) return;
  const page = venues.find(({ id }) => id === who.tenant.id);
  const [settings, shown] = await Promise.all([
    may('b2b') ? api.get('/v2/b2b/settings').catch(() => null) : null,
    page?.key ? request('GET', '/v2/b2c/venue', { headers: { 'x-service-api-key': page.key, 'x-b2c-tenant-id': String(page.id) } }).then(({ body }) => body).catch(() => null) : null,
  ]);
  setPlace(who.tenant.timeZone, settings?.currency ?? shown?.currency ?? 'USD');
  document.title = who.tenant.name;
  const colours = settings?.colours ?? shown?.colours ?? [];
  if (colours.length) (await import('/shared/colour.js')).paint(colours);
}

/** @type {any} */
let config = null;
async function start() {
  // A steward's link, which was asked for at the door of this browser.
  if (loginToken && !start.used && askedAtDoor()) {
    location.replace(`/door/?${new URLSearchParams({ loginToken })}`);
    return;
  }
  const root = /** @type {HTMLElement} */ (document.getElementById('app'));
  const language = pickLanguage(LANGUAGES, route.peek().lang);
  const texts = import(`/desk/texts/${language}.js`);
  try {
    config ??= await loadConfig('/desk/config.json');
    // By the service's time: the clock of a computer may be wrong by hours.
    if (Date.parse(session.peek()?.expiresAt ?? '') <= api.now()) setSession(null);
    // A link that was mailed signs in anew, whoever was signed in.
    if (loginToken && !start.used) {
      start.used = true;
      setSession(null);
    }
    setLanguage(language, (await texts).default);
    await place(config.venues);
    render(null, root);
    root.textContent = '';
    render(html`<${Desk} config=${config} />`, root);
  } catch (error) {
    setLanguage(language, (await texts.catch(() => ({ default: {} }))).default);
    root.textContent = '';
    render(html`<main id="main"><h1>${t('start.title')}</h1><${Failed} error=${error instanceof Refusal ? error : new Refusal(0, { type: 'NO_ANSWER' })} retry=${() => location.reload()} /></main>`, root);
    if (!(error instanceof Refusal)) throw error;
  }
}
start.used = false;
document.addEventListener('click', follow);
start();
