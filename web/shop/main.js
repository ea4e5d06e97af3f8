// @ts-check
/** Starts the shop and shows the view that the address names. */
import { html, render, useEffect, useHeading, useRef, useState, useValue, Failed, Loading, Offline, Skip } from '/shared/ui.js';
import { languageName, pickLanguage, setLanguage, setPlace, t } from '/shared/intl.js';
import { Refusal, loadConfig } from '/shared/client.js';
import { api, basket, embedded, follow, href, member, moves, openVenue, route, totals, venue } from '/shop/state.js';

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'nl', 'pt'];

/** @type {Record<string, () => Promise<{default: any}>>} */
const VIEWS = {
  on: () => import('/shop/on.js'),
  calendar: () => import('/shop/calendar.js'),
  event: () => import('/shop/event.js'),
  combo: () => import('/shop/combo.js'),
  checkout: () => import('/shop/checkout.js'),
  done: () => import('/shop/done.js'),
  membership: () => import('/shop/membership.js'),
  join: () => import('/shop/join.js'),
  member: () => import('/shop/member.js'),
  order: () => import('/shop/order.js'),
};

/** @param {import('/shop/state.js').Route} at */
function viewOf(at) {
  if (at.view && Object.hasOwn(VIEWS, at.view)) return at.view;
  if (at.step) return 'checkout';
  if (at.combo) return 'combo';
  if (at.event) return 'event';
  return 'on';
}

/** @param {{at: import('/shop/state.js').Route}} of */
function Head({ at }) {
  const here = viewOf(at);
  const place = useValue(venue);
  const known = useValue(member);
  const { seats } = totals(useValue(basket));
  const link = (/** @type {string} */ view, /** @type {any} */ to, /** @type {string} */ text) =>
    html`<a href=${href(to)} aria-current=${here === view ? 'page' : undefined}>${text}</a>`;
  return html`<header class="head">
    <a class="brand" href=${href({})}>${place.logo && html`<img src=${place.logo} alt="" width="40" height="40" />`}<span>${place.name}</span></a>
    <nav aria-label=${t('nav.label')}>
      ${link('on', {}, t('nav.on'))}
      ${link('calendar', { view: 'calendar' }, t('nav.calendar'))}
      ${link('membership', { view: 'membership' }, t('nav.membership'))}
      ${link('order', { view: 'order' }, t('nav.order'))}
      ${link('member', { view: 'member' }, t(known ? 'member.mine' : 'nav.member'))}
      ${seats > 0 && here !== 'checkout' && link('checkout', { step: 'details' }, t('nav.basket', { n: seats }))}
    </nav>
  </header>`;
}

/** @param {{venues: any[], languages: string[], language: string}} of */
function Foot({ venues, languages, language }) {
  const place = useValue(venue);
  const at = useValue(route);
  return html`<footer class="foot">
    ${languages.length > 1 && html`<nav aria-label=${t('foot.language')}><ul class="plain row">
      ${languages.map((tag) => html`<li><a href=${href({ ...at, lang: tag })} lang=${tag} hreflang=${tag} data-reload
        aria-current=${tag === language ? 'true' : undefined}>${languageName(tag)}</a></li>`)}</ul></nav>`}
    <ul class="plain row">
      ${place.terms && html`<li><a href=${place.terms} rel="noopener">${t('foot.terms')}</a></li>`}
      ${place.privacy && html`<li><a href=${place.privacy} rel="noopener">${t('foot.privacy')}</a></li>`}
      ${venues.length > 1 && venues.filter((v) => v.key !== place.key).map((v) =>
        html`<li><a href=${`?venue=${nameOf(v)}`} data-reload>${t('foot.venue', { name: v.name })}</a></li>`)}
    </ul>
  </footer>`;
}

/** @param {{config: any, languages: string[], language: string}} of */
function Shop({ config, languages, language }) {
  const at = useValue(route);
  const move = useValue(moves);
  const place = useValue(venue);
  const name = viewOf(at);
  const [loaded, setLoaded] = useState(/** @type {{name?: string, View?: any, error?: boolean}} */ ({}));
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const load = () => {
    VIEWS[name]().then(({ default: View }) => setLoaded({ name, View }), () => setLoaded({ name, error: true }));
  };
  useEffect(load, [name]);
  useHeading(main, move, loaded.name);
  const ready = loaded.name === name;
  return html`
    <${Skip} main=${main} />
    ${!embedded && html`<${Head} at=${at} />`}
    <${Offline} />
    ${config.sandbox && html`<aside class="sandbox" aria-label=${t('sandbox.label')}>${t('sandbox')}</aside>`}
    <main id="main" tabindex="-1" ref=${main} key=${`${place.key}`}>
      ${ready && loaded.error ? html`<${Failed} error=${new Refusal(0, { type: 'NO_ANSWER' })} retry=${load} />`
        : ready ? html`<${loaded.View} at=${at} />` : html`<${Loading} lines=${3} block />`}
    </main>
    ${!embedded && html`<${Foot} venues=${config.venues} languages=${languages} language=${language} />`}`;
}

/** A venue's name as addresses have it. @param {{name: string}} of */
const nameOf = (of) => of.name.toLowerCase().normalize('NFD').replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');

async function start() {
  const root = /** @type {HTMLElement} */ (document.getElementById('app'));
  const at = route.peek();
  let language = pickLanguage(LANGUAGES, at.lang);
  const texts = import(`/shop/texts/${language}.js`);
  try {
    const config = await loadConfig('/shop/config.json');
    const chosen = config.venues.find((/** @type {any} */ v) => nameOf(v) === at.venue || String(v.id) === at.venue) ?? config.venues[0];
    if (!chosen) throw new Refusal(404, {});
    openVenue(chosen);
    let known = api.get('/v2/b2c/venue').catch((/** @type {any} */ error) => {
      if (error instanceof Refusal && error.status === 404) return {};
      throw error;
    });
    if (chosen.id === undefined || chosen.timeZone === undefined) {
      openVenue({ ...chosen, ...await known });
      known = Promise.resolve(venue.peek());
    }
    // The first list is asked from today on, which is another day in another zone.
    setPlace(venue.peek().timeZone, undefined);
    const [place, { default: catalog }] = await Promise.all([known, texts, VIEWS[viewOf(at)]().then((/** @type {any} */ view) => view.warm?.(at), () => undefined)]);
    const languages = place.languages?.length ? LANGUAGES.filter((tag) => place.languages.includes(tag)) : LANGUAGES;
    language = pickLanguage(languages, at.lang);
    setPlace(place.timeZone, place.currency);
    setLanguage(language, (await import(`/shop/texts/${language}.js`).catch(() => ({ default: catalog }))).default);
    venue.value = { ...venue.peek(), ...place, name: place.name ?? chosen.name, key: chosen.key };
    document.title = venue.peek().name;
    const { colours } = venue.peek();
    if (colours?.length) (await import('/shared/colour.js')).paint(colours);
    root.textContent = '';
    render(html`<${Shop} config=${config} languages=${languages} language=${language} />`, root);
    document.addEventListener('click', follow);
    if (embedded) (await import('/shop/frame.js')).tellHeight(at.origin);
  } catch (error) {
    setLanguage(language, (await texts.catch(() => ({ default: {} }))).default);
    root.textContent = '';
    render(html`<main id="main"><h1>${t('start.title')}</h1><${Failed}
      error=${error instanceof Refusal ? error : new Refusal(0, { type: 'NO_ANSWER' })} retry=${() => location.reload()} /></main>`, root);
    if (!(error instanceof Refusal)) throw error;
  }
}

start();
