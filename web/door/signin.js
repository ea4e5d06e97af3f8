// @ts-check
/** Who stands at the door: a person of the staff by a mailed link, or a device by its key. */
import { html, useEffect, useState, useValue, Failed, Faults, Field, Loading, Notice, looksLikeMail, reason } from '/shared/ui.js';
import { Refusal, request } from '/shared/client.js';
import { askedAtDoor, mailLink, openSession } from '/shared/staff.js';
import { t } from '/shared/intl.js';
import { credentials, go, mailed, reach, route, signIn, venue } from '/door/state.js';
import { elsewhere, waiting } from '/door/admit.js';
import { forgetPersons } from '/door/find.js';

/** The token in what was pasted: a link, or the token alone. @param {string} text */
const tokenIn = (text) => /loginToken=([^&\s]+)/.exec(text)?.[1] ?? (/^[\w-]{20,}$/.test(text.trim()) ? text.trim() : '');

/** Says which scans wait for other venues than this one. @param {{at?: number}} of */
export function Elsewhere({ at }) {
  const all = useValue(elsewhere);
  return all.filter((one) => one.venue.id !== at).map((one) => html`<${Notice} kind="warn" key=${one.venue.id}><p>${t('waits.elsewhere', { n: one.n, venue: one.venue.name })}</p></${Notice}>`);
}

/** Nothing of the venue before stays in the page. @param {import('/door/state.js').Venue} place @param {import('/door/state.js').Credentials} who */
async function enter(place, who) {
  const other = venue.peek() !== null && venue.peek()?.id !== place.id;
  await signIn(place, who);
  if (other) await forgetPersons();
}

/** @param {{config: {venues: import('/door/state.js').Venue[]}}} of */
export default function SignIn({ config }) {
  const known = useValue(venue);
  const waits = useValue(waiting);
  const others = useValue(elsewhere);
  const [place, setPlace] = useState(known?.id ?? config.venues[0]?.id ?? 0);
  const [email, setEmail] = useState('');
  const [link, setLink] = useState('');
  const [key, setKey] = useState('');
  const [sent, setSent] = useState(0);
  const [busy, setBusy] = useState('');
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [turn, setTurn] = useState(0);
  const [opening, setOpening] = useState(Boolean(mailed.token));
  const [failed, setFailed] = useState(/** @type {Refusal | null} */ (null));
  const tell = (/** @type {Record<string, string>} */ all) => {
    setFaults(all);
    setTurn((/** @type {number} */ n) => n + 1);
  };
  const chosen = () => config.venues.find((one) => one.id === Number(place));
  const words = (/** @type {Refusal} */ error) => (error.type === 'LOGIN_TOKEN_NOT_VALID' ? t('sign.fault.used') : error.status === 403 ? t('sign.fault.forbidden') : reason(error));
  const done = () => go({ event: route.peek().event }, { replace: true });

  const open = async (/** @type {string} */ token, /** @type {string} */ field) => {
    setFailed(null);
    const first = chosen();
    try {
      const opened = await openSession(token, [...(first ? [first] : []), ...config.venues.filter((one) => one !== first)]);
      const { tenant, session, expiresAt, person } = opened.session;
      mailed.token = null;
      askedAtDoor();
      await enter({ ...opened.venue, ...tenant }, { session, expiresAt, name: person.name });
      done();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const unknown = error.status === 0 || error.status >= 500;
      if (unknown && opening) {
        setFailed(error);
        return;
      }
      if (!unknown) {
        mailed.token = null;
        setOpening(false);
      }
      tell({ [field]: words(error) });
    }
  };
  useEffect(() => {
    document.title = t('sign.title');
    if (mailed.token) open(mailed.token, '');
  }, []);

  const mail = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    if (!looksLikeMail(email)) {
      tell({ email: t('sign.fault.email') });
      return;
    }
    setBusy('mail');
    try {
      const minutes = await mailLink(email.trim(), Number(place), 'door');
      tell({});
      setSent(minutes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tell(error.status === 400 ? { email: t('sign.fault.email') } : { '': words(error) });
    } finally {
      setBusy('');
    }
  };
  const paste = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    const token = tokenIn(link);
    if (!token) {
      tell({ link: t('sign.fault.link') });
      return;
    }
    setBusy('link');
    await open(token, 'link').finally(() => setBusy(''));
  };
  const byKey = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    const bare = key.trim();
    if (!bare || /[^\x21-\x7e]/.test(bare)) {
      tell({ key: t('sign.fault.key') });
      return;
    }
    setBusy('key');
    const before = credentials.peek();
    try {
      // The key is tried before it is kept.
      await request('GET', '/v2/b2b/event/instances/summaries', {
        query: { pageSize: 1 }, headers: { 'x-service-api-key': bare, 'x-b2c-tenant-id': String(place) }, cache: 'no-store',
      });
      await enter(/** @type {any} */ (chosen()), { key: bare });
      done();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      credentials.value = before;
      tell(error.status === 401 ? { key: t('sign.fault.key') } : error.status === 403 ? { key: t('sign.fault.otherKey') } : { '': reason(error) });
    } finally {
      setBusy('');
    }
  };

  const toSend = Number(place) === known?.id ? waits : others.find((one) => one.venue.id === Number(place))?.n ?? 0;
  if (opening) return html`<h1>${t('sign.title')}</h1>${failed ? html`<${Failed} error=${failed} retry=${() => open(mailed.token ?? '', '')} />` : html`<${Loading} lines=${3} />`}`;
  return html`<h1>${t('sign.title')}</h1>
    ${reach.peek() === 'ended' && html`<${Notice} kind="warn" title=${t('sign.ended')} />`}
    ${toSend > 0 && html`<${Notice} kind="warn"><p>${t('sign.waits', { n: toSend })}</p></${Notice}>`}
    ${known && waits > 0 && Number(place) !== known.id && html`<${Notice} kind="warn"><p>${t('waits.elsewhere', { n: waits, venue: known.name })}</p></${Notice}>`}
    <${Elsewhere} at=${Number(place)} />
    <${Faults} faults=${faults} turn=${turn} />
    ${config.venues.length > 1 && html`<div class="field part"><label for="venue">${t('sign.venue')}</label>
      <select id="venue" value=${String(place)} onChange=${(/** @type {any} */ e) => setPlace(Number(e.currentTarget.value))}>
        ${config.venues.map((one) => html`<option value=${String(one.id)}>${one.name}</option>`)}</select></div>`}
    <section class="panel" aria-labelledby="by-mail"><h2 id="by-mail">${t('sign.byMail')}</h2>
      ${sent ? html`<${Notice} kind="good" alert title=${t('sign.sent')}><p>${t('sign.sentHelp', { n: sent })}</p></${Notice}>
        <form onSubmit=${paste} novalidate><${Field} id="link" label=${t('sign.link')} hint=${t('sign.linkHint')} autocomplete="off" value=${link} fault=${faults.link} onValue=${setLink} />
          <button type="submit" class="wide">${busy === 'link' ? t('sign.busy') : t('sign.open')}</button></form>
          <p><button type="button" class="link" onClick=${() => setSent(0)}>${t('sign.otherMail')}</button></p>`
        : html`<form onSubmit=${mail} novalidate><${Field} id="email" type="email" inputmode="email" autocomplete="email" label=${t('sign.email')} value=${email} fault=${faults.email} onValue=${setEmail} />
          <button type="submit" class="wide">${busy === 'mail' ? t('sign.busy') : t('sign.send')}</button></form>`}
    </section>
    <section class="panel" aria-labelledby="by-key"><h2 id="by-key">${t('sign.byKey')}</h2>
      <form onSubmit=${byKey} novalidate><${Field} id="key" type="password" label=${t('sign.key')} hint=${t('sign.keyHint')} autocomplete="off" value=${key} fault=${faults.key} onValue=${setKey} />
        <button type="submit" class="wide quiet">${busy === 'key' ? t('sign.busy') : t('sign.useKey')}</button></form>
    </section>`;
}
