// @ts-check
/** What goes with a choice: a gift to the venue, and the bar with the count and the total. */
import { html, useLoad, useState, useValue, Field } from '/shared/ui.js';
import { cents, money, spokenMoney, t } from '/shared/intl.js';
import { api, basket, href, setBasket, totals, venue } from '/shop/state.js';

/** An amount as people write it, in cents; NaN where it is none. @param {string} text */
function typedAmount(text) {
  const bare = text.replace(/[\s\p{Sc}]|^[A-Z]{3}|[A-Z]{3}$/giu, '').replace(',', '.');
  return /^\d{1,6}(\.\d{1,2})?$/.test(bare) ? cents(bare) : NaN;
}

/** Offered, and never chosen beforehand. */
export function Donation() {
  const chosen = useValue(basket);
  const { data } = useLoad(() => api.get('/v2/b2c/inventory').catch(() => []), [venue.peek().key]);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const gifts = (data ?? []).filter((/** @type {any} */ one) => one.type === 'fixedDonation' || one.type === 'donation');
  if (!gifts.length) return null;
  const { total, sure } = totals({ ...chosen, donation: null });
  const free = gifts.find((/** @type {any} */ one) => one.type === 'donation');
  const round = free && sure && total % 500 ? 500 - (total % 500) : 0;
  const give = (/** @type {any} */ one, /** @type {number} */ amount) =>
    setBasket({ ...basket.peek(), donation: { id: one.id, type: one.type, name: one.name, cents: amount } });
  const mine = chosen.donation;
  const chip = (/** @type {any} */ one, /** @type {number} */ amount, /** @type {string} */ text) => html`<label class="pick chip"><input type="radio" name="gift"
    checked=${mine?.id === one.id && mine?.cents === amount} onChange=${() => give(one, amount)} /> <span>${text}</span></label>`;
  return html`<fieldset class="stack gift"><legend>${t('gift.title')}</legend>
    <p class="muted">${free?.description ?? gifts[0].description}</p>
    <div class="chips">
      <label class="pick chip"><input type="radio" name="gift" checked=${!mine} onChange=${() => setBasket({ ...basket.peek(), donation: null })} /> <span>${t('gift.none')}</span></label>
      ${round > 0 && chip(free, round, t('gift.round', { amount: money(round), total: money(total + round) }))}
      ${gifts.filter((/** @type {any} */ one) => one.type === 'fixedDonation').map((/** @type {any} */ one) => chip(one, cents(one.price), `${one.name}: ${money(cents(one.price))}`))}
    </div>
    ${free && html`<div class="row end"><${Field} id="gift-amount" label=${t('gift.own')} optional inputmode="decimal" autocomplete="off" value=${typed} fault=${fault} onValue=${setTyped} />
      <button type="button" class="quiet" onClick=${() => {
        const amount = typedAmount(typed);
        setFault(amount > 0 ? '' : t('gift.fault'));
        if (amount > 0) give(free, amount);
      }}>${t('gift.add')}</button></div>`}
    ${mine && html`<p role="status">${t('gift.chosen', { amount: money(mine.cents), name: mine.name })}</p>`}
  </fieldset>`;
}

export function Bar() {
  const { seats, total, sure } = totals(useValue(basket));
  return html`<div class="bar"><div class="bar-inside">
    <p role="status"><strong>${t('bar.tickets', { n: seats })}</strong> <span class="digits">${sure ? t('bar.total', { amount: money(total) }) : t('bar.totalLater')}</span></p>
    <a class="button" href=${href({ step: 'details' })}><span>${t('bar.hold', { n: seats })}</span>${sure && html`<span class="visually-hidden">, ${spokenMoney(total)}</span>`}</a>
  </div></div>`;
}
