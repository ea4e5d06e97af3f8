// @ts-check
/** Joining, giving, renewing and moving up: who holds the cards, then the same payment as for tickets. */
import { html, signal, useEffect, useLoad, useMemo, useValue, Failed, Field, Loading, Notice, looksLikeMail } from '/shared/ui.js';
import { createContext, useContext } from '/shared/vendor/htm-preact.js';

import { money, t } from '/shared/intl.js';
import { go, href, member, membershipNow, taxOf } from '/shop/state.js';
import { Checkout, couponsOfMembership, payer } from '/shop/checkout.js';
import { loadLevels, pricesOf } from '/shop/membership.js';

/** @typedef {{firstName: string, lastName: string, email: string}} Person */
/** @type {Person} */
const NOBODY = { firstName: '', lastName: '', email: '' };

/** Who is to hold the other cards, and who gets a gift. */
const holder = signal(NOBODY);
const others = signal(/** @type {Person[]} */ ([]));
const price = signal('');

const JoinContext = createContext(/** @type {any} */ ({}));

const ITEMS = { join: 'MembershipPurchase', gift: 'MembershipPurchase', renew: 'MembershipRenewal', upgrade: 'MembershipUpgrade' };

/** @param {{id: string, person: Person, faults: Record<string, string>, onPerson: (p: Person) => void, mail?: boolean | 'optional', own?: boolean}} of */
function Names({ id, person, faults, onPerson, mail = true, own = false }) {
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) => onPerson({ ...person, [name]: value });
  return html`<div class="pair">
      <${Field} id=${`${id}firstName`} label=${t('details.firstName')} autocomplete=${own ? 'given-name' : 'off'} optional=${mail === false} value=${person.firstName} fault=${faults[`${id}firstName`]} onValue=${set('firstName')} />
      <${Field} id=${`${id}lastName`} label=${t('details.lastName')} autocomplete=${own ? 'family-name' : 'off'} optional=${mail === false} value=${person.lastName} fault=${faults[`${id}lastName`]} onValue=${set('lastName')} />
    </div>
    ${mail && html`<${Field} id=${`${id}email`} type="email" inputmode="email" label=${t('details.email')} hint=${own ? t('join.mailHint') : t('join.theirMail')} autocomplete=${own ? 'email' : 'off'} value=${person.email} fault=${faults[`${id}email`]} onValue=${set('email')} />`}`;
}

/** @param {{at: import('/shop/state.js').Route}} of */
export default function Join({ at }) {
  const { data, error, reload } = useLoad(loadLevels, [at.level]);
  const known = useValue(member);
  const buyer = useValue(payer);
  const gets = useValue(holder);
  const more = useValue(others);
  const point = useValue(price);
  const action = /** @type {keyof typeof ITEMS} */ (at.action && Object.hasOwn(ITEMS, at.action) ? at.action : 'join');
  const needsMember = action === 'renew' || action === 'upgrade';
  const level = data?.find((/** @type {any} */ one) => one.id === at.level);
  const offering = level?.offerings.find((/** @type {any} */ one) => one.id === at.offering) ?? level?.offerings[0];
  const prices = offering ? pricesOf(offering) : [];
  const chosen = prices.find((/** @type {any} */ p) => p.id === point) ?? prices[0];
  const cards = offering?.rules?.numberOfCardHolders ?? level?.rules?.numberOfCardHolders ?? 1;
  useEffect(() => {
    if (needsMember && !known) go({ ...at, view: 'member' }, { replace: true });
  }, [needsMember, known]);
  const purchase = useMemo(() => ({
    kind: /** @type {const} */ ('membership'),
    seats: () => [],
    cart: () => {
      const payee = payer.peek();
      const primary = action === 'gift' ? holder.peek() : payee;
      const whole = (/** @type {Person} */ p) => p.firstName.trim() && p.lastName.trim();
      const card = (/** @type {Person} */ p, /** @type {string} */ cardType) => ({ cardType, firstName: p.firstName.trim(), lastName: p.lastName.trim(), ...(looksLikeMail(p.email) ? { email: p.email.trim() } : {}) });
      const gifted = action === 'gift' && whole(payee) && looksLikeMail(payee.email);
      return {
        couponCodes: couponsOfMembership.peek(),
        membershipIds: [],
        items: chosen ? [{
          itemType: ITEMS[action], quantity: 1,
          membershipInfo: {
            membershipCategoryId: level.id, membershipOfferingId: offering.id, pricePointId: chosen.id,
            ...(needsMember ? { membershipId: Number(membershipNow()?.number) } : {}),
            ...(gifted ? { isGift: true, gifterInfo: { customerSource: 'Online', firstName: payee.firstName.trim(), lastName: payee.lastName.trim(), email: payee.email.trim() } } : { isGift: false }),
            membershipCards: whole(primary) ? [card(primary, 'primary'), ...others.peek().filter(whole).slice(0, cards - 1).map((p) => card(p, 'secondary'))] : [],
          },
        }] : [],
      };
    },
  }), [action, level?.id, offering?.id, chosen?.id]);
  if (needsMember && !known) return null;
  if (error) return html`<h1>${t('nav.membership')}</h1><${Failed} error=${error} retry=${reload} />`;
  if (!data) return html`<h1 class="visually-hidden">${t('loading')}</h1><${Loading} lines=${4} />`;
  if (!level || !offering || !chosen) return html`<h1>${t('nav.membership')}</h1><${Notice}><p>${t('membership.none')}</p><p><a class="button" href=${href({ view: 'membership' })}>${t('nav.membership')}</a></p></${Notice}>`;
  const check = () => {
    /** @type {Record<string, string>} */
    const faults = {};
    const person = (/** @type {string} */ id, /** @type {Person} */ p) => {
      if (!p.firstName.trim()) faults[`${id}firstName`] = t('details.fault.firstName');
      if (!p.lastName.trim()) faults[`${id}lastName`] = t('details.fault.lastName');
      if (!looksLikeMail(p.email)) faults[`${id}email`] = t('details.fault.email');
    };
    person('', buyer);
    if (action === 'gift') person('gift-', gets);
    more.forEach((p, n) => {
      if (p.firstName.trim() && !p.lastName.trim()) faults[`more-${n}-lastName`] = t('details.fault.lastName');
      if (!p.firstName.trim() && p.lastName.trim()) faults[`more-${n}-firstName`] = t('details.fault.firstName');
    });
    return faults;
  };
  const Who = WhoHolds;
  const lead = html`<p class="lead"><strong>${t(`membership.${action}.what`, { level: level.name, offering: offering.name })}</strong></p>
    ${prices.length > 1 && at.step !== 'pay' && html`<fieldset class="stack"><legend>${t('join.price')}</legend><div class="chips">${prices.map((/** @type {any} */ p) => html`<label class="pick chip"><input type="radio" name="price" checked=${p.id === chosen.id} onChange=${() => {
      price.value = p.id;
    }} /> <span>${p.name}: ${money(p.cents)}</span></label>`)}</div></fieldset>`}`;
  return html`<${JoinContext.Provider} value=${{ action, cards, buyer, gets, more, needsMember }}><${Checkout} purchase=${purchase} at=${at} check=${check} lead=${lead} Who=${Who} tax=${taxOf(level).tax}
      base=${{ view: 'join', level: level.id, offering: offering.id, action }} on=${[action, level.id, offering.id, chosen.id]} /></${JoinContext.Provider}>`;
}

/** Who holds the cards, and who pays. @param {{faults: Record<string, string>}} of */
function WhoHolds({ faults }) {
  const { action, cards, buyer, gets, more, needsMember } = useContext(JoinContext);
  return html`
    ${action === 'gift' && html`<fieldset class="stack"><legend>${t('join.receiver')}</legend>
      <${Names} id="gift-" person=${gets} faults=${faults} onPerson=${(/** @type {Person} */ p) => {
        holder.value = p;
      }} /></fieldset>`}
    <fieldset class="stack"><legend>${action === 'gift' ? t('join.giver') : t('join.holder')}</legend>
      ${needsMember && html`<p class="muted">${t('join.sameName')}</p>`}
      <${Names} id="" own person=${buyer} faults=${faults} onPerson=${(/** @type {Person} */ p) => {
        payer.value = p;
      }} /></fieldset>
    ${Array.from({ length: Math.max(0, cards - 1) }, (_, n) => html`<fieldset class="stack" key=${n}><legend>${t('join.more', { n: n + 2 })}</legend>
      <${Names} id=${`more-${n}-`} mail=${false} person=${more[n] ?? NOBODY} faults=${faults} onPerson=${(/** @type {Person} */ p) => {
        const next = [...more];
        for (let at = 0; at <= n; at += 1) next[at] ??= NOBODY;
        next[n] = p;
        others.value = next;
      }} /></fieldset>`)}`;
}


