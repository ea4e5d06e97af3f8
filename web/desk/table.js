// @ts-check
/** A table that sorts, filters, pages and prints, and that keeps its place while the page is open. */
import { html, useEffect, useState } from '/shared/ui.js';
import { t, languageNow } from '/shared/intl.js';
import { memory } from '/desk/state.js';

const PAGE = 50;

/**
 * @typedef {{key: string, label: string, value: (row: any) => any, cell?: (row: any) => any, numeric?: boolean, sort?: boolean}} Column
 */

/** @param {any} a @param {any} b */
function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined || a === '') return 1;
  if (b === null || b === undefined || b === '') return -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), languageNow(), { numeric: true, sensitivity: 'base' });
}

/**
 * @param {{id: string, caption: string, columns: Column[], rows: any[], empty: any, sort?: string, down?: boolean, filter?: boolean, rowKey?: (row: any) => string, tools?: any, rowClass?: (row: any) => string | undefined}} of
 */
export function Table({ id, caption, columns, rows, empty, sort: first, down: firstDown = false, filter = true, rowKey, tools, rowClass }) {
  const start = memory.get(`table:${id}`) ?? { sort: first ?? '', down: firstDown, words: '', page: 0 };
  const [place, setPlace] = useState(start);
  const [whole, setWhole] = useState(false);
  const keep = (/** @type {any} */ part) => {
    const next = { ...place, page: 0, ...part };
    memory.set(`table:${id}`, next);
    setPlace(next);
  };
  useEffect(() => {
    if (!whole) return undefined;
    const done = () => setWhole(false);
    addEventListener('afterprint', done);
    const frame = requestAnimationFrame(() => print());
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('afterprint', done);
    };
  }, [whole]);
  const words = place.words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (/** @type {any} */ row) => columns.map((column) => column.value(row)).join(' ').toLowerCase();
  let found = words.length ? rows.filter((row) => {
    const all = text(row);
    return words.every((/** @type {string} */ one) => all.includes(one));
  }) : rows;
  const by = columns.find(({ key }) => key === place.sort);
  if (by) found = [...found].sort((a, b) => compare(by.value(a), by.value(b)) * (place.down ? -1 : 1));
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const page = Math.min(place.page, pages - 1);
  const shown = whole ? found : found.slice(page * PAGE, page * PAGE + PAGE);
  const turn = (/** @type {string} */ key) => keep({ sort: key, down: place.sort === key ? !place.down : false });
  if (!rows.length) return html`<div class="empty">${tools}${typeof empty === 'string' ? html`<p>${empty}</p>` : empty}</div>`;
  const sortable = columns.filter(({ sort }) => sort !== false);
  return html`<div class="table">
    <div class="tools noprint">
      ${filter && rows.length > 5 && html`<div class="field inline"><label for=${`${id}-filter`}>${t('table.filter')}</label>
        <input id=${`${id}-filter`} type="search" autocomplete="off" value=${place.words} onInput=${(/** @type {any} */ e) => keep({ words: e.currentTarget.value })} /></div>`}
      <div class="field inline narrow"><label for=${`${id}-sort`}>${t('table.sort')}</label>
        <select id=${`${id}-sort`} value=${`${place.sort}${place.down ? ' down' : ''}`} onChange=${(/** @type {any} */ e) => {
          const [key, down] = e.currentTarget.value.split(' ');
          keep({ sort: key, down: Boolean(down) });
        }}><option value=""></option>${sortable.flatMap(({ key, label }) => [
          html`<option value=${key}>${t('table.up', { what: label })}</option>`, html`<option value=${`${key} down`}>${t('table.down', { what: label })}</option>`])}</select></div>
      ${tools}
      <button type="button" class="quiet" onClick=${() => setWhole(true)}>${t('table.print')}</button>
    </div>
    <p class="muted small" role="status">${words.length ? t('table.found', { n: found.length, all: rows.length }) : t('table.rows', { n: rows.length })}</p>
    <table>
      <caption class="visually-hidden">${caption}</caption>
      <thead><tr>${columns.map(({ key, label, numeric, sort }) => html`<th scope="col" class=${numeric ? 'num' : undefined}
        aria-sort=${place.sort === key ? (place.down ? 'descending' : 'ascending') : undefined}>${sort === false ? label
          : html`<button type="button" class="sort" onClick=${() => turn(key)}>${label} <span aria-hidden="true">${place.sort === key ? (place.down ? '▾' : '▴') : ''}</span></button>`}</th>`)}</tr></thead>
      <tbody>${shown.map((row, at) => html`<tr key=${rowKey ? rowKey(row) : at} class=${rowClass?.(row)}>
        ${columns.map(({ label, numeric, value, cell }, n) => (n === 0
          ? html`<th scope="row" data-label=${label}>${cell ? cell(row) : value(row)}</th>`
          : html`<td data-label=${label} class=${numeric ? 'num' : undefined}>${cell ? cell(row) : value(row)}</td>`))}</tr>`)}</tbody>
    </table>
    ${!shown.length && html`<p class="empty">${t('table.none')} <button type="button" class="link" onClick=${() => keep({ words: '' })}>${t('table.clear')}</button></p>`}
    ${pages > 1 && !whole && html`<nav class="pages noprint" aria-label=${t('table.pages')}>
      <button type="button" class="quiet" aria-disabled=${page === 0 ? 'true' : undefined} onClick=${() => page > 0 && keep({ page: page - 1 })}>${t('table.before')}</button>
      <span>${t('table.page', { n: page + 1, all: pages })}</span>
      <button type="button" class="quiet" aria-disabled=${page === pages - 1 ? 'true' : undefined} onClick=${() => page < pages - 1 && keep({ page: page + 1 })}>${t('table.after')}</button>
    </nav>`}
  </div>`;
}
