// @ts-check
/** Orders, found by whatever somebody can say. The words stay in this page and never reach the address. */
import { html, useEffect, useLoad, useState, Field, Loading } from '/shared/ui.js';
import { addDays, cents, t } from '/shared/intl.js';
import { api, go, href, memory, today } from '/desk/state.js';
import { Table } from '/desk/table.js';
import { Failed, nameOf, price, when, word } from '/desk/said.js';

/**
 * What somebody typed, read as what it looks like. The first that fits is asked for; what finds nothing is tried as the next.
 * @param {string} text @returns {{by: string, query: Record<string, string>}[]}
 */
function readings(text) {
  const bare = text.trim();
  const digits = bare.replace(/[\s()+./-]/g, '');
  if (!bare) return [];
  if (bare.includes('@')) return [{ by: 'email', query: { email: bare } }];
  if (/^[0-9a-f]{32}$/i.test(digits)) return [{ by: 'barcode', query: { barcode: digits.toLowerCase() } }];
  if (/^\d+$/.test(digits) && !bare.startsWith('+') && digits.length === 9) return [{ by: 'orderNumber', query: { orderNumber: digits } }, { by: 'phoneNumber', query: { phoneNumber: bare } }, { by: 'barcode', query: { barcode: bare } }];
  if (/^\d+$/.test(digits) && digits.length >= 5) return [{ by: 'phoneNumber', query: { phoneNumber: bare } }, { by: 'barcode', query: { barcode: bare } }, { by: 'orderNumber', query: { orderNumber: bare } }];
  if (/^\S*\d\S*$/.test(bare)) return [{ by: 'barcode', query: { barcode: bare } }, { by: 'orderNumber', query: { orderNumber: bare } }];
  const words = bare.split(/\s+/);
  const last = words.at(-1) ?? '';
  /** @type {{by: string, query: Record<string, string>}[]} */
  const found = [{ by: 'lastName', query: { lastName: bare } }];
  if (words.length > 1) found.push({ by: 'lastName', query: { lastName: last, firstName: words.slice(0, -1).join(' ') } }, { by: 'lastName', query: { lastName: words[0], firstName: words.slice(1).join(' ') } });
  return found;
}

const EMPTY = { words: '', from: '', to: '', refundStatus: '', checkInStatus: '', saleChannel: '', lastFour: '', balanceDue: false, ask: 0 };

/** @param {typeof EMPTY} of */
async function find(of) {
  const rest = { refundStatus: of.refundStatus, checkInStatus: of.checkInStatus, saleChannel: of.saleChannel, lastFour: of.lastFour.trim(), balanceDue: of.balanceDue || undefined };
  const dates = { createdFrom: of.from, createdTo: of.to };
  const ways = readings(of.words);
  if (!ways.length) {
    const from = of.from || addDays(of.to || today(), -6);
    return { by: 'recent', answer: await api.get('/v2/b2b/orders/search', { ...rest, createdFrom: from, createdTo: of.to || addDays(from, 30), pageSize: -1 }) };
  }
  let first;
  for (const { by, query } of ways) {
    const answer = await api.get('/v2/b2b/orders/search', { ...query, ...rest, ...dates, pageSize: -1 });
    first ??= { by, answer };
    if (answer.list.length) return { by, answer };
  }
  return /** @type {{by: string, answer: any}} */ (first);
}

/** @param {any} order */
export const stateOf = (order) => {
  const left = cents(order.discountedTotalAmount);
  if (cents(order.refundAmount) > 0) return left > 0 ? 'Partially Refunded' : 'Refunded';
  return 'Not Refunded';
};

export default function Orders() {
  const [asked, setAsked] = useState(/** @type {typeof EMPTY} */ (memory.get('orders') ?? EMPTY));
  const [typed, setTyped] = useState(asked);
  const { data, error, reload } = useLoad(() => find(asked), [asked]);
  const [more, setMore] = useState(Boolean(asked.from || asked.refundStatus || asked.checkInStatus || asked.saleChannel || asked.lastFour || asked.balanceDue));
  const search = (/** @type {any} */ event) => {
    event.preventDefault();
    const next = { ...typed, ask: asked.ask + 1 };
    memory.set('orders', next);
    memory.delete('table:orders');
    setAsked(next);
  };
  useEffect(() => {
    // The one order that a number names is opened at once.
    if (data?.by === 'orderNumber' && data.answer.list.length === 1 && memory.get('opened') !== asked.ask && asked.ask) {
      memory.set('opened', asked.ask);
      go({ view: 'order', id: data.answer.list[0].id });
    }
  }, [data]);
  const set = (/** @type {string} */ key) => (/** @type {any} */ value) => setTyped({ ...typed, [key]: value });
  const columns = [
    { key: 'number', label: t('column.order'), value: (/** @type {any} */ row) => row.orderNumber, cell: (/** @type {any} */ row) => html`<a class="digits" href=${href({ view: 'order', id: row.id })}>${row.orderNumber}</a>` },
    { key: 'created', label: t('column.created'), value: (/** @type {any} */ row) => row.createdOn, cell: (/** @type {any} */ row) => when(row.createdOn) },
    { key: 'name', label: t('column.name'), value: nameOf },
    { key: 'email', label: t('f.email'), value: (/** @type {any} */ row) => row.billingEmail ?? row.email ?? '' },
    { key: 'what', label: t('column.what'), value: (/** @type {any} */ row) => [...new Set(row.orderItems.map((/** @type {any} */ item) => item.eventName ?? item.displayName))].join(', ') },
    { key: 'total', label: t('column.total'), numeric: true, value: (/** @type {any} */ row) => cents(row.discountedTotalAmount), cell: (/** @type {any} */ row) => price(row.discountedTotalAmount) },
    { key: 'state', label: t('column.state'), value: (/** @type {any} */ row) => word('refundStatus', stateOf(row)), cell: (/** @type {any} */ row) => html`${stateOf(row) === 'Not Refunded' && row.checkInStatus === 'NotCheckedIn' && cents(row.balanceAmount) <= 0 && html`<span class="tag">${t('order.paid')}</span>`}${stateOf(row) !== 'Not Refunded' && html`<span class="tag warn">${word('refundStatus', stateOf(row))}</span>`} ${row.checkInStatus !== 'NotCheckedIn' && html`<span class="tag good">${word('checkInStatus', row.checkInStatus)}</span>`}${cents(row.balanceAmount) > 0 && html`<span class="tag bad">${t('order.owes', { amount: price(row.balanceAmount) })}</span>`}` },
  ];
  const options = (/** @type {string} */ group, /** @type {string[]} */ list) => list.map((value) => ({ value, label: word(group, value) }));
  return html`<h1>${t('orders.title')}</h1>
    <form class="searchbar noprint" role="search" noValidate onSubmit=${search}>
      <${Field} id="search" label=${t('orders.search')} hint=${t('orders.hint')} type="search" optional=${false} required=${false} autocomplete="off" spellcheck=${false} value=${typed.words} onValue=${set('words')} />
      <button type="submit">${t('search')}</button>
      <button type="button" class="quiet" aria-expanded=${more} onClick=${() => setMore(!more)}>${t('orders.more')}</button>
      ${more && html`<div class="pair">
        <${Field} id="from" label=${t('orders.from')} type="date" optional value=${typed.from} onValue=${set('from')} />
        <${Field} id="to" label=${t('orders.to')} type="date" optional value=${typed.to} onValue=${set('to')} />
        <${Field} id="refundStatus" label=${t('column.state')} optional options=${options('refundStatus', ['Not Refunded', 'Partially Refunded', 'Refunded'])} value=${typed.refundStatus} onValue=${set('refundStatus')} />
        <${Field} id="checkInStatus" label=${t('column.in')} optional options=${options('checkInStatus', ['NotCheckedIn', 'PartiallyCheckedIn', 'CheckedIn'])} value=${typed.checkInStatus} onValue=${set('checkInStatus')} />
        <${Field} id="lastFour" label=${t('orders.lastFour')} optional inputmode="numeric" autocomplete="off" value=${typed.lastFour} onValue=${set('lastFour')} />
        <label class="check" for="balanceDue"><input type="checkbox" id="balanceDue" checked=${typed.balanceDue} onChange=${(/** @type {any} */ e) => set('balanceDue')(e.currentTarget.checked)} /> <span>${t('orders.balanceDue')}</span></label>
      </div>`}
    </form>
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${6} />` : html`
      <p role="status">${data.by === 'recent' ? t('orders.recent') : t(`orders.by.${data.by}`, { n: data.answer.list.length })}
        ${data.answer.pagination.truncated && html` <span class="tag warn">${t('orders.truncated')}</span>`}</p>
      <${Table} id="orders" caption=${t('orders.title')} columns=${columns} rows=${data.answer.list} sort="created" down rowKey=${(/** @type {any} */ row) => row.id}
        empty=${data.by === 'recent' ? t('orders.noneRecent') : t('orders.none')} />`}`;
}
