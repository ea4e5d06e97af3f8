// @ts-check
/** A member shows who she is: by the number and the name on the card, or by a link that is mailed. */
import { html, useEffect, useState, useValue, Failed, Faults, Field, Loading, Notice, reason, looksLikeMail } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { dateOnly, t } from '/shared/intl.js';
import { Code } from '/shop/code.js';
import { api, go, href, member, membershipNow, setMember, tokens, venue } from '/shop/state.js';

/** @param {any} answer @param {string} [number] @returns {import('/shop/state.js').Membership[]} */
function membershipsOf(answer, number) {
  if (answer.memberships?.length) {
    return answer.memberships.filter((/** @type {any} */ one) => one.memberProof).map((/** @type {any} */ one) => ({
      number: String(one.membershipId), levelName: one.levelName, startDate: one.startDate, expirationDate: one.expirationDate, proof: one.memberProof,
    }));
  }
  return [{ number: number ?? '', levelName: answer.levelName, startDate: answer.startDate, expirationDate: answer.expirationDate, proof: answer.memberProof }];
}

/** The code that the door reads, while the membership is in force. A number that is not of digits the door reads from the card alone. @param {{of: import('/shop/state.js').Membership}} props */
function CodeOf({ of }) {
  const isInForce = Date.parse(of.startDate) <= api.now() && api.now() < Date.parse(of.expirationDate) + 1000;
  if (!isInForce || !/^[1-9]\d*$/.test(of.number)) return null;
  return html`<${Code} text=${of.number} label=${t('member.code', { level: of.levelName })} /><p class="digits">${of.number}</p>`;
}

/** @param {{at: import('/shop/state.js').Route}} of */
export default function Member({ at }) {
  const known = useValue(member);
  const [number, setNumber] = useState('');
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [turn, setTurn] = useState(0);
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState('');
  const [opening, setOpening] = useState(Boolean(tokens.login));
  const [failed, setFailed] = useState(/** @type {Refusal | null} */ (null));
  const { view, ...back } = at;
  const returns = Boolean(back.event || back.combo || back.level);
  const tell = (/** @type {Record<string, string>} */ all) => {
    setFaults(all);
    setTurn((/** @type {number} */ n) => n + 1);
  };
  useEffect(() => {
    document.title = `${t('member.title')} · ${venue.peek().name}`;
  }, []);
  const open = async () => {
    setFailed(null);
    setOpening(true);
    try {
      const answer = await api.post('/v2/b2c/membership/validate/login', { token: tokens.login }, { proof: false });
      const found = Array.isArray(answer) ? answer[0] : answer;
      tokens.login = null;
      if (found.status === 'verified') setMember(membershipsOf(found));
      setOpening(false);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.type === 'LOGIN_TOKEN_NOT_VALID') {
        tokens.login = null;
        setOpening(false);
        tell({ '': t('member.fault.link') });
      } else setFailed(error);
    }
  };
  useEffect(() => {
    if (tokens.login) open();
  }, []);
  // Whoever is logged in on a screen that nobody touches is logged out in time.
  useEffect(() => {
    if (!known) return undefined;
    const timer = setTimeout(membershipNow, known.until - Date.now());
    return () => clearTimeout(timer);
  }, [known]);
  const verify = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    const bare = number.replace(/[\s-]/g, '');
    /** @type {Record<string, string>} */
    const wrong = {};
    if (!bare) wrong.memberNumber = t('member.fault.number');
    if (!name.trim()) wrong.memberName = t('member.fault.name');
    tell(wrong);
    if (Object.keys(wrong).length) return;
    setBusy('number');
    try {
      const answer = await api.get('/v2/b2c/membership/validate', { query: { membershipId: bare, lastName: name.trim() }, proof: false });
      const found = Array.isArray(answer) ? answer[0] : answer;
      if (found.status !== 'verified' || !found.memberProof) return tell({ memberNumber: t('member.fault.unknown') });
      setMember(membershipsOf(found, bare));
      if (returns) go(back, { replace: true });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell({ '': reason(error) });
    } finally {
      setBusy('');
    }
    return undefined;
  };
  const mail = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    if (!looksLikeMail(email)) return tell({ memberEmail: t('details.fault.email') });
    setBusy('mail');
    try {
      await api.get('/v2/b2c/membership/validate/login', { query: { email: email.trim() }, proof: false });
      tell({});
      setSent(true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell(error.details.length ? { memberEmail: t('details.fault.email') } : { '': reason(error) });
    } finally {
      setBusy('');
    }
    return undefined;
  };
  if (opening) return html`<h1>${t('member.title')}</h1>${failed ? html`<${Failed} error=${failed} retry=${open} />` : html`<${Loading} lines=${3} />`}`;
  if (known) {
    return html`<h1>${t('member.mine')}</h1>
      <ul class="plain cards">${known.memberships.map((/** @type {import('/shop/state.js').Membership} */ one) => html`<li class="card"><div class="card-text"><h2>${one.levelName}</h2>
        <p>${t('member.until', { date: dateOnly(one.expirationDate) })}</p>
        <${CodeOf} of=${one} />
        ${known.memberships.length > 1 && (one === known.memberships[0] ? html`<p class="muted">${t('member.used')}</p>`
          : html`<p><button type="button" class="quiet" onClick=${() => setMember([one, ...known.memberships.filter((/** @type {any} */ other) => other !== one)])}>${t('member.use')}<span class="visually-hidden">: ${one.levelName}</span></button></p>`)}
        </div></li>`)}</ul>
      <p class="row spaced">${returns && html`<a class="button" href=${href(back)}>${t('member.back')}</a>`}
        <a class="button" href=${href({ view: 'membership', action: 'renew' })}>${t('member.renew')}</a>
        <a class="button quiet" href=${href({ view: 'membership', action: 'upgrade' })}>${t('member.upgrade')}</a>
        <button type="button" class="quiet" onClick=${() => setMember(null)}>${t('member.logout')}</button></p>
      <p class="muted">${t('member.two')}</p>`;
  }
  return html`<h1>${t('member.title')}</h1><p class="lead muted">${t('member.lead')}</p>
    <${Faults} faults=${faults} turn=${turn} />
    <div class="columns even"><section class="panel stack" aria-labelledby="by-number"><h2 id="by-number">${t('member.byNumber')}</h2>
      <form onSubmit=${verify} novalidate>
        <${Field} id="memberNumber" label=${t('member.number')} inputmode="numeric" autocomplete="off" value=${number} fault=${faults.memberNumber} onValue=${setNumber} />
        <${Field} id="memberName" label=${t('details.lastName')} autocomplete="family-name" value=${name} fault=${faults.memberName} onValue=${setName} />
        <button type="submit" class="wide">${busy === 'number' ? t('member.checking') : t('member.login')}</button>
      </form></section>
    <section class="panel stack" aria-labelledby="by-mail"><h2 id="by-mail">${t('member.byMail')}</h2>
      ${sent ? html`<${Notice} kind="good" alert title=${t('member.sent')}><p>${t('member.sentHelp')}</p></${Notice}>`
        : html`<form onSubmit=${mail} novalidate>
        <${Field} id="memberEmail" type="email" inputmode="email" label=${t('details.email')} hint=${t('member.mailHint')} autocomplete="email" value=${email} fault=${faults.memberEmail} onValue=${setEmail} />
        <button type="submit" class="wide">${busy === 'mail' ? t('find.sending') : t('member.sendLink')}</button></form>`}
    </section></div>
    <p class="spaced"><a href=${href({ view: 'membership' })}>${t('event.memberJoin')}</a></p>`;
}
