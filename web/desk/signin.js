// @ts-check
/** The view that signs in by a mailed link. */
import { html, useEffect, useState, Field, Loading, looksLikeMail } from '/shared/ui.js';
import { t } from '/shared/intl.js';
import { Refusal } from '/shared/client.js';
import { mailLink, openSession } from '/shared/staff.js';
import { loginToken } from '/desk/state.js';
import { Refused } from '/desk/said.js';

const KEPT = 'boxoffice-desk:venue';
/** @param {any[]} venues */
function venueNow(venues) {
  /** @type {string | null | undefined} */
  let kept;
  try {
    kept = localStorage.getItem(KEPT);
  } catch { /* nothing is kept: the first one is as good as any */ }
  return venues.find(({ id }) => String(id) === kept) ?? venues[0];
}

let pending = loginToken;

/** What is shown while a link signs in. */
export const Opening = () => html`<p role="status">${t('signin.busy')}</p><${Loading} lines=${2} />`;

/** @param {{venues: any[], onSignedIn: (session: import('/desk/state.js').Session) => void}} of */
export function SignIn({ venues, onSignedIn }) {
  const [venue, setVenue] = useState(venueNow(venues));
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState('');
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [sent, setSent] = useState(0);
  const [busy, setBusy] = useState(Boolean(pending));

  const choose = (/** @type {any} */ next) => {
    setVenue(next);
    try {
      localStorage.setItem(KEPT, String(next.id));
    } catch { /* see above */ }
  };
  useEffect(() => {
    const token = pending;
    pending = null;
    if (!token) return;
    (async () => {
      try {
        // The venue that a link was asked for last comes first.
        const first = venueNow(venues);
        const opened = await openSession(token, [first, ...venues.filter((other) => other !== first)]);
        choose(opened.venue);
        onSignedIn(opened.session);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        setRefused(error);
        setBusy(false);
      }
    })();
  }, []);
  const submit = async (/** @type {any} */ event) => {
    event.preventDefault();
    const bare = email.trim();
    setRefused(null);
    if (!looksLikeMail(bare)) {
      setFault(t('signin.fault'));
      document.getElementById('email')?.focus();
      return;
    }
    setFault('');
    try {
      setSent(await mailLink(bare, venue.id, 'desk'));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setRefused(error);
    }
  };
  return html`<main id="main" class="signin" tabindex="-1">
    <h1>${venues.length > 1 ? t('signin.titleAll') : t('signin.title', { venue: venue?.name ?? '' })}</h1>
    ${busy ? html`<${Opening} />` : html`
      ${refused && html`<${Refused} error=${refused} title=${t('signin.refused')} />`}
      ${sent ? html`<div class="notice good" role="status"><p><strong>${t('signin.sent')}</strong></p><p>${t('signin.sentHelp', { n: sent })}</p></div>
          <button type="button" class="quiet" onClick=${() => setSent(0)}>${t('signin.again')}</button>`
        : html`<p class="muted">${t('signin.lead')}</p>
          <form noValidate onSubmit=${submit}>
            ${venues.length > 1 && html`<${Field} id="venue" label=${t('signin.venue')}><select id="venue" value=${String(venue?.id)} onChange=${(/** @type {any} */ e) => choose(venues.find(({ id }) => String(id) === e.currentTarget.value))}>
              ${venues.map((one) => html`<option value=${String(one.id)}>${one.name}</option>`)}</select><//>`}
            <${Field} id="email" label=${t('signin.email')} type="email" autocomplete="email" value=${email} onValue=${setEmail} fault=${fault} />
            <button type="submit">${t('signin.send')}</button>
          </form>`}`}
  </main>`;
}
