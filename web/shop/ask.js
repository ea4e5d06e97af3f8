// @ts-check
/** The bank asks the buyer to confirm a payment (3-D Secure). It survives a reload: what it needs is kept for the tab. */
import { html, useEffect, useRef, useState, Failed, Loading, Notice } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { money, t, time } from '/shared/intl.js';
import { api } from '/shop/state.js';
import { complete, currentSale } from '/shop/sale.js';
import * as payment from '/shop/payment.js';

/** How often the service is asked while the bank's question is open in another window. */
const LOOK_MS = 5_000;
/** The same once the time is over. */
const LATE_MS = 3_000;

/**
 * What became of the payment. The service is asked by one check at a time.
 * @param {object} of
 * @param {import('/shop/sale.js').Purchase['kind']} of.kind
 * @param {() => void} of.onPaid
 * @param {(error: Refusal) => void} of.onRefused nothing was paid, or it is not known here
 */
function useOutcome({ kind, onPaid, onRefused }) {
  const [asked, setAsked] = useState(currentSale(kind).challenge);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const [undecided, setUndecided] = useState(false);
  const running = useRef(/** @type {Promise<boolean> | null} */ (null));
  const pressed = useRef(false);

  /** Does what comes first, then asks the service. Answers whether the bank still waits for the buyer. @param {(() => Promise<unknown>) | undefined} first */
  const ask = async (first) => {
    try {
      await first?.();
      await complete(kind);
      onPaid();
      return false;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const still = currentSale(kind).challenge;
      setUndecided(error.undecided);
      if (still) setAsked(still);
      else onRefused(error);
      return still !== undefined && !error.undecided;
    }
  };
  /** @param {(() => Promise<unknown>) | undefined} first */
  const check = async (first = undefined) => {
    if (!currentSale(kind).challenge) return false;
    running.current = ask(first);
    try {
      return await running.current;
    } finally {
      running.current = null;
    }
  };
  /** Checks without a word, unless a check is under way. */
  const look = () => {
    if (!running.current) check();
  };
  /** Checks because the buyer pressed something: once, however often that is pressed, and after a look that is under way. @param {(() => Promise<unknown>) | undefined} first */
  const press = async (first = undefined) => {
    if (pressed.current) return;
    pressed.current = true;
    setBusy(true);
    setSaid('');
    try {
      if (running.current) await running.current;
      if (await check(first)) setSaid(t('ask.waiting'));
    } finally {
      pressed.current = false;
      setBusy(false);
    }
  };
  return { asked, busy, said, undecided, look, press };
}

/**
 * @param {object} of
 * @param {import('/shop/sale.js').Purchase['kind']} of.kind
 * @param {boolean} of.fresh whether the question came just now, and not from before a reload
 * @param {() => void} of.onPaid
 * @param {(error: Refusal) => void} of.onRefused nothing was paid, or it is not known here
 */
export function Ask({ kind, fresh, onPaid, onRefused }) {
  const { asked, busy, said, undecided, look, press } = useOutcome({ kind, onPaid, onRefused });
  const [how, setHow] = useState(/** @type {import('/shop/payment.js').How | null} */ (null));
  const [failed, setFailed] = useState(/** @type {Refusal | null} */ (null));
  const [now, setNow] = useState(api.now());
  const [away, setAway] = useState(false);
  const left = asked ? Math.max(0, Math.ceil((Date.parse(asked.expiresAt) - now) / 1000)) : 0;

  const answer = (/** @type {'pass' | 'fail'} */ outcome) => press(() => api.post('/sandbox/challenge', { clientSecret: asked?.clientSecret, outcome }));
  const show = () => press(async () => (await import('/shop/stripe.js')).ask(/** @type {any} */ (how), asked?.clientSecret ?? '').catch(() => undefined));
  const load = () => {
    setFailed(null);
    payment.load().then(setHow, (/** @type {any} */ error) => setFailed(error));
  };

  useEffect(() => {
    load();
    if (!fresh) look();
    const timer = setInterval(() => setNow(api.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (how?.processor === 'stripe' && fresh) show();
  }, [how]);
  // The time is over: what became of it is the service's to say.
  useEffect(() => {
    if (left === 0) look();
  }, [left === 0 && Math.floor(now / LATE_MS)]);
  // The question is open elsewhere: the answer is looked for now and then, and when the visitor comes back.
  useEffect(() => {
    if (!away) return undefined;
    const lookIfSeen = () => {
      if (document.visibilityState === 'visible') look();
    };
    const timer = setInterval(lookIfSeen, LOOK_MS);
    addEventListener('focus', lookIfSeen);
    document.addEventListener('visibilitychange', lookIfSeen);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', lookIfSeen);
      document.removeEventListener('visibilitychange', lookIfSeen);
    };
  }, [away]);

  if (!asked) return null;
  const page = asked.challengeUrl && how?.processor === 'sandbox' ? new URL(asked.challengeUrl, location.href).href : '';
  return html`<div class="stack ask"><p class="lead">${t('ask.lead', { amount: money(asked.cents) })}</p>
    <p class="timer"><strong>${t('ask.until', { time: time(Date.parse(asked.expiresAt)) })}</strong> ${left > 60 ? t('hold.minutes', { n: Math.ceil(left / 60) }) : t('hold.seconds', { n: left })}
      <span class="visually-hidden" role="status" aria-live="assertive">${left === 0 ? '' : left <= 60 ? t('hold.minutes', { n: 1 }) : left <= 120 ? t('hold.minutes', { n: 2 }) : ''}</span></p>
    ${undecided && html`<${Notice} kind="warn" alert title=${t('pay.undecided')}><p>${t('pay.undecidedHelp')}</p></${Notice}>`}
    ${failed ? html`<${Failed} error=${failed} retry=${load} />` : !how ? html`<${Loading} lines=${2} />`
      : how.processor === 'stripe' ? html`<p key="show"><button type="button" class="wide" onClick=${show}>${t('ask.show')}</button></p>`
      : page && html`<section class="panel stack" aria-labelledby="bank-title"><h2 id="bank-title">${t('ask.bank')}</h2><p class="muted">${t('ask.bankText')}</p>
        <p class="row"><button type="button" onClick=${() => answer('pass')}>${t('ask.yes')}</button>
          <button type="button" class="quiet" onClick=${() => answer('fail')}>${t('ask.no')}</button></p>
        <p><a href=${page} target="_blank" rel="noopener" onClick=${() => setAway(true)}>${t('ask.open')}</a></p></section>`}
    <p key="check"><button type="button" class="quiet" onClick=${() => press()}>${undecided ? t('pay.checkAgain') : t('ask.check')}</button></p>
    <p role="status" class="muted">${busy ? t('ask.checking') : said}</p>
    <p class="muted small">${t('ask.safe')}</p></div>`;
}
