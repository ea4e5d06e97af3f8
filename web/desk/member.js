// @ts-check
/** One membership with its cards and their holders. */
import { html, useLoad, useState, Loading } from '/shared/ui.js';
import { dateOnly, t } from '/shared/intl.js';
import { Refusal } from '/shared/client.js';
import { api, may } from '/desk/state.js';
import { HOLDER } from '/desk/resources.js';
import { Editor } from '/desk/editor.js';
import { Done, Facts, Failed, Refused, Trail, by, price, when, word } from '/desk/said.js';

/** @param {any} card @param {string[]} names */
const pick = (card, names) => Object.fromEntries(names.map((name) => [name, card[name] || null]));
const HELD = HOLDER.map(({ k }) => k);

/** @param {string} id */
async function load(id) {
  if (!may('b2b')) {
    const cards = await api.get('/v2/b2b/membership/cards', { memberId: id, includeDropped: true });
    if (!cards.length) throw new Refusal(404, { type: 'NOT_FOUND' });
    return { cards: cards.map((/** @type {any} */ card) => ({ ...card, cardStanding: card.cardStatus })), etag: null, membership: null, renewal: null };
  }
  const [{ body, etag }, renewal] = await Promise.all([api.read(`/v2/b2b/memberships/${id}`), api.get('/v2/b2b/memberships/checkout/validate', { action: 'RENEW', membershipId: id }).catch(() => null)]);
  return { membership: body, cards: body.cards, etag, renewal };
}

/** @param {{at: import('/desk/state.js').Route}} of */
export default function Member({ at }) {
  const id = at.id ?? '';
  const path = `/v2/b2b/memberships/${id}`;
  const { data, error, reload } = useLoad(() => load(id), [id]);
  const [open, setOpen] = useState('');
  const [done, setDone] = useState(/** @type {string | null} */ (null));
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  if (error) return html`<${Failed} error=${error} retry=${reload} />`;
  if (!data) return html`<${Loading} lines=${6} />`;
  const { membership, cards, renewal } = data;
  const first = cards.find((/** @type {any} */ card) => card.cardType === 'primary') ?? cards[0];
  const finish = (/** @type {string} */ text) => {
    setOpen('');
    setRefused(null);
    setDone(text);
    reload();
  };
  const drop = async (/** @type {any} */ card) => {
    try {
      await api.write('DELETE', `${path}/cards/${card.id}`, { match: data.etag });
      finish(t('member.dropped'));
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      setRefused(fault);
      if (fault.type === 'PRECONDITION_FAILED') reload();
    }
  };
  const shown = (/** @type {any} */ body, /** @type {any} */ card) => pick(body.cards.find((/** @type {any} */ one) => one.id === card.id) ?? card, HELD);
  const toggle = (/** @type {string} */ name) => setOpen(open === name ? '' : name);
  return html`<${Trail} trail=${[[t('nav.members'), { view: 'members' }]]} />
    <h1>${first?.name ?? [first?.firstName, first?.lastName].filter(Boolean).join(' ')}</h1>
    <${Done} text=${done} />
    ${refused && html`<${Refused} error=${refused} />`}
    ${membership && html`<p><span class=${`tag ${membership.membershipStanding === 'active' ? 'good' : 'warn'}`}>${word('standing', membership.membershipStanding)}</span></p>
      <${Facts} facts=${[[t('member.number'), html`<span class="digits">${membership.serviceMembershipNumber}</span>`], [t('member.ownNumber'), membership.externalMembershipId], [t('f.level'), membership.membershipCategory], [t('member.offering'), membership.offeringName], [t('column.ticket'), membership.pricePointName],
        [t('member.joined'), membership.membershipJoinedDate && dateOnly(membership.membershipJoinedDate)], [t('column.from'), dateOnly(membership.membershipStartDate)], [t('column.until'), dateOnly(membership.membershipExpirationDate)],
        [t('member.gift'), membership.isGift ? t('yes') : null], [t('member.updated'), `${when(membership.updatedOn)} ${membership.updatedBy ? t('history.by', { name: by(membership.updatedBy) }) : ''}`]]} />
      ${renewal && html`<p class="notice">${t('member.renewal', { price: price(renewal.price), from: dateOnly(renewal.startDate), until: dateOnly(renewal.expirationDate) })}</p>`}
      <p><button type="button" class="quiet" aria-expanded=${open === 'own'} onClick=${() => toggle('own')}>${t('member.changeNumber')}</button></p>
      ${open === 'own' && html`<section class="panel" aria-label=${t('member.changeNumber')}><${Editor} of=${`own ${id}`} sections=${[{ key: 'all', open: true, fields: [{ k: 'externalMembershipId', t: 'text', label: 'externalMembershipId' }] }]}
        read=${() => api.read(path).then(({ body, etag }) => ({ etag, body: { externalMembershipId: body.externalMembershipId } }))} toBody=${(/** @type {any} */ record) => ({ externalMembershipId: record.externalMembershipId || null })}
        write=${(/** @type {any} */ body, /** @type {any} */ asked) => api.write('PUT', path, { body, ...asked })} onSaved=${() => finish(t('edit.saved'))} /></section>`}`}
    <h2>${t('member.cards')}</h2>
    <ul class="plain cards">${cards.map((/** @type {any} */ card) => html`<li class="panel"><h3>${card.name || [card.firstName, card.lastName].filter(Boolean).join(' ')} <span class="tag">${word('cardType', card.cardType)}</span> <span class=${`tag ${card.cardStanding === 'active' ? 'good' : 'warn'}`}>${word('standing', card.cardStanding)}</span></h3>
      <${Facts} facts=${[[t('column.code'), html`<span class="mono">${card.barcode}</span>`], [t('f.email'), card.email], [t('f.phoneNumber'), card.phoneNumber], [t('order.address'), [card.streetAddress1, card.streetAddress2, card.zipCode, card.city, card.state, card.country].filter(Boolean).join(', ')],
        [t('column.from'), (card.cardStartDate ?? card.startDate) && dateOnly(card.cardStartDate ?? card.startDate)], [t('column.until'), (card.cardExpirationDate ?? card.expirationDate) && dateOnly(card.cardExpirationDate ?? card.expirationDate)]]} />
      ${membership && !/drop|replac/.test(card.cardStanding ?? '') && html`<div class="row noprint"><button type="button" class="quiet" aria-expanded=${open === `e${card.id}`} onClick=${() => toggle(`e${card.id}`)}>${t('member.edit')}</button>
        <button type="button" class="quiet" aria-expanded=${open === `d${card.id}`} onClick=${() => toggle(`d${card.id}`)}>${t('member.drop')}</button></div>`}
      ${open === `d${card.id}` && html`<div class="notice warn" role="group" aria-label=${t('member.drop')}><p>${t('member.dropWhat')}</p><div class="row"><button type="button" onClick=${() => drop(card)}>${t('member.drop')}</button><button type="button" class="quiet" onClick=${() => setOpen('')}>${t('edit.keep')}</button></div></div>`}
      ${open === `e${card.id}` && html`<${Editor} of=${`card ${card.id}`} sections=${[{ key: 'all', open: true, fields: HOLDER }]} prefix="/cards/0"
        read=${() => api.read(path).then(({ body, etag }) => ({ etag, body: shown(body, card) }))} toBody=${(/** @type {any} */ record) => ({ cards: [{ id: card.id, ...pick(record, HELD) }] })}
        write=${(/** @type {any} */ body, /** @type {any} */ asked) => api.write('PUT', path, { body, ...asked }).then(({ body: saved, etag }) => ({ etag, body: shown(saved, card) }))} onSaved=${() => finish(t('edit.saved'))} />`}</li>`)}</ul>`;
}
