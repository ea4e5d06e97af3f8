// @ts-check
/** Find my order: a link is mailed to the order's own address, and opens it. */
import { html, useEffect, useState, Failed, Faults, Field, Loading, Notice, reason, looksLikeMail } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { t } from '/shared/intl.js';
import { api, tokens, venue } from '/shop/state.js';
import { Order } from '/shop/tickets.js';

export default function Find() {
  const [token] = useState(tokens.order ?? '');
  const [order, setOrder] = useState(/** @type {any} */ (null));
  const [failed, setFailed] = useState(/** @type {Refusal | null} */ (null));
  const [number, setNumber] = useState('');
  const [email, setEmail] = useState('');
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [turn, setTurn] = useState(0);
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${t('find.title')} · ${venue.peek().name}`;
  }, []);
  const open = async () => {
    setFailed(null);
    try {
      setOrder(await api.post('/v2/b2c/orders/open', { token }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setFailed(error);
    }
  };
  useEffect(() => {
    if (token) open();
  }, [token]);
  const ask = async (/** @type {any} */ event) => {
    event.preventDefault();
    if (busy) return;
    const bare = number.replace(/[\s-]/g, '');
    /** @type {Record<string, string>} */
    const wrong = {};
    if (!/^\d{6,12}$/.test(bare)) wrong.orderNumber = t('find.fault.number');
    if (!looksLikeMail(email)) wrong.orderEmail = t('details.fault.email');
    setFaults(wrong);
    setTurn(turn + 1);
    if (Object.keys(wrong).length) return;
    setBusy(true);
    try {
      await api.post('/v2/b2c/orders/link', { orderNumber: bare, email: email.trim() });
      setSent(true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setFaults({ '': reason(error) });
      setTurn(turn + 2);
    } finally {
      setBusy(false);
    }
  };
  if (order) return html`<h1>${t('find.found')}</h1><${Order} order=${order} token=${token} />`;
  const stale = failed && failed.status >= 400 && failed.status < 500 && failed.status !== 429;
  if (token && !stale) return html`<h1>${t('find.found')}</h1>${failed ? html`<${Failed} error=${failed} retry=${open} />` : html`<${Loading} lines=${4} block />`}`;
  return html`<h1>${t('find.title')}</h1>
    ${stale && html`<${Notice} kind="warn" alert title=${t('find.stale')}><p>${t('find.staleHelp')}</p></${Notice}>`}
    ${sent ? html`<${Notice} kind="good" alert title=${t('find.sent')}><p>${t('find.sentHelp')}</p>
        <button type="button" class="quiet" onClick=${() => setSent(false)}>${t('find.again')}</button></${Notice}>`
      : html`<p class="lead muted">${t('find.lead')}</p><${Faults} faults=${faults} turn=${turn} />
    <form class="narrow" onSubmit=${ask} novalidate>
      <${Field} id="orderNumber" label=${t('find.number')} hint=${t('find.numberHint')} inputmode="numeric" autocomplete="off" value=${number} fault=${faults.orderNumber} onValue=${setNumber} />
      <${Field} id="orderEmail" type="email" inputmode="email" label=${t('details.email')} autocomplete="email" value=${email} fault=${faults.orderEmail} onValue=${setEmail} />
      <button type="submit" class="wide">${busy ? t('find.sending') : t('find.send')}</button>
    </form>`}`;
}
