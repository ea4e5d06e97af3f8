// @ts-check
/** Levels beside each other: what they give, what they cost, and how to get one. */
import { html, useEffect, useLoad, useValue, Failed, Loading, Notice, Paragraphs } from '/shared/ui.js';
import { cents, money, t } from '/shared/intl.js';
import { api, href, member, venue } from '/shop/state.js';

/** @typedef {'join' | 'gift' | 'renew' | 'upgrade'} Action */

export const loadLevels = () => api.get('/v2/b2c/membership/levels').then((/** @type {any} */ answer) => answer.list ?? answer);

/** The prices of an offering, in cents. @param {any} offering */
export const pricesOf = (offering) => offering.priceLists.flatMap((/** @type {any} */ list) => list.prices)
  .map((/** @type {any} */ p) => ({ id: (p.pricePoint ?? p.personType).id, name: (p.pricePoint ?? p.personType).name, cents: cents(p.discountedPrice ?? p.price), retail: cents(p.price) }))
  .filter((/** @type {any} */ p, /** @type {number} */ at, /** @type {any[]} */ all) => all.findIndex((q) => q.id === p.id) === at);

/** @param {any} offering @param {string} action */
const allows = (offering, action) => !offering.actions || offering.actions.some((/** @type {any} */ a) => a.action.toLowerCase() === action);

/** @param {{at: import('/shop/state.js').Route}} of */
export default function Levels({ at }) {
  const known = useValue(member);
  const { data, error, reload } = useLoad(loadLevels, [venue.peek().key]);
  const wanted = known && (at.action === 'renew' || at.action === 'upgrade') ? at.action : 'join';
  useEffect(() => {
    document.title = `${t('nav.membership')} · ${venue.peek().name}`;
  }, []);
  const mine = known?.memberships[0].levelName;
  const price = (/** @type {any} */ level) => Math.min(...level.offerings.flatMap((/** @type {any} */ o) => pricesOf(o).map((/** @type {any} */ p) => p.cents)), Infinity);
  const levels = data?.slice().sort((/** @type {any} */ a, /** @type {any} */ b) => price(a) - price(b));
  const own = levels?.find((/** @type {any} */ level) => level.name === mine);
  const shown = wanted === 'renew' ? levels?.filter((/** @type {any} */ l) => l === own)
    : wanted === 'upgrade' ? levels?.filter((/** @type {any} */ l) => own && price(l) > price(own)) : levels;
  return html`<h1>${t(`membership.${wanted}.title`)}</h1>
    <p class="lead muted">${known ? t('membership.known', { level: mine ?? '' }) : t('membership.lead')}</p>
    ${!known && html`<p>${t('membership.already')} <a href=${href({ view: 'member' })}>${t('event.memberLogin')}</a></p>`}
    ${error ? (error.status === 404 || error.status === 403 ? html`<${Notice}><p>${t('membership.none')}</p></${Notice}>` : html`<${Failed} error=${error} retry=${reload} />`)
      : !shown ? html`<${Loading} lines=${2} block />`
      : !shown.length ? html`<${Notice}><p>${t(wanted === 'upgrade' ? 'membership.noHigher' : 'membership.none')}</p></${Notice}>`
      : html`<ul class="plain levels">${shown.map((/** @type {any} */ level) => html`<li class="panel level" key=${level.id}><h2>${level.name}</h2>
        <div class="muted"><${Paragraphs} text=${level.description || level.shortDescription} /></div>
        <ul class="ticks">${level.benefits.map((/** @type {any} */ one) => html`<li>${one.description}</li>`)}</ul>
        ${level.offerings.map((/** @type {any} */ offering) => html`<div class="offering"><h3>${offering.name}</h3>${offering.subtitle && html`<p class="muted">${offering.subtitle}</p>`}
          <p><span class="big digits">${money(Math.min(...pricesOf(offering).map((/** @type {any} */ p) => p.cents)))}</span> <span class="muted">${t('membership.months', { n: offering.duration })}</span></p>
          <p class="row">
            ${wanted === 'join' && allows(offering, 'new') && html`<a class="button" href=${href({ view: 'join', level: level.id, offering: offering.id, action: 'join' })}>${t('membership.join.button', { level: level.name })}</a>
              ${(offering.rules?.canGift ?? level.rules?.canGift ?? true) && html`<a class="button quiet" href=${href({ view: 'join', level: level.id, offering: offering.id, action: 'gift' })}>${t('membership.gift.button')}<span class="visually-hidden">: ${level.name}</span></a>`}`}
            ${wanted === 'renew' && allows(offering, 'renew') && html`<a class="button" href=${href({ view: 'join', level: level.id, offering: offering.id, action: 'renew' })}>${t('membership.renew.button', { level: level.name })}</a>`}
            ${wanted === 'upgrade' && allows(offering, 'upgrade') && html`<a class="button" href=${href({ view: 'join', level: level.id, offering: offering.id, action: 'upgrade' })}>${t('membership.upgrade.button', { level: level.name })}</a>`}
          </p></div>`)}</li>`)}</ul>`}`;
}
