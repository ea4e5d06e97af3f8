// @ts-check
/** Members: found by what they say or show. What was searched for stays in this page. */
import { html, useLoad, useState, Field, Loading } from '/shared/ui.js';
import { addDays, dateOnly, t } from '/shared/intl.js';
import { api, href, may, memory, today } from '/desk/state.js';
import { Table } from '/desk/table.js';
import { Failed, word } from '/desk/said.js';

const EMPTY = { words: '', expires: '', ask: 0 };

/** @param {typeof EMPTY} of */
async function find(of) {
  const words = of.words.trim();
  if (words.length > 1) return { by: 'search', list: (await api.get('/v2/b2b/membership/summaries/search', { search: words })).list };
  if (!may('b2b')) return { by: 'ask', list: [] };
  const day = today();
  const spans = /** @type {Record<string, any>} */ ({ soon: { expiresAfter: `${day}T00:00:00`, expiresBefore: `${addDays(day, 30)}T23:59:59` }, late: { expiresAfter: `${addDays(day, -60)}T00:00:00`, expiresBefore: `${day}T00:00:00` } });
  const span = spans[of.expires];
  return { by: span ? of.expires : 'new', list: (await api.get('/v2/b2b/membership/summaries', span ? { ...span, pageSize: 1000, sortField: 'membershipExpirationDate' } : { pageSize: 100, sortField: 'createdOn', sortDirection: 'desc' })).list };
}

export default function Members() {
  const [asked, setAsked] = useState(/** @type {typeof EMPTY} */ (memory.get('members') ?? EMPTY));
  const [typed, setTyped] = useState(asked);
  const { data, error, reload } = useLoad(() => find(asked), [asked]);
  const [fault, setFault] = useState('');
  const search = (/** @type {any} */ event, part = {}) => {
    event?.preventDefault();
    const next = { ...typed, ...part, ask: asked.ask + 1 };
    if (next.words.trim().length === 1) return setFault(t('members.short'));
    setFault('');
    setTyped(next);
    memory.set('members', next);
    memory.delete('table:members');
    setAsked(next);
  };
  const columns = [
    { key: 'name', label: t('column.name'), value: (/** @type {any} */ row) => [row.lastName, row.firstName].filter(Boolean).join(', ') || row.name || '–', cell: (/** @type {any} */ row) => html`<a href=${href({ view: 'member', id: String(row.membershipId) })}>${[row.firstName, row.lastName].filter(Boolean).join(' ') || row.name || row.serviceMembershipNumber}</a>` },
    { key: 'number', label: t('member.number'), value: (/** @type {any} */ row) => row.serviceMembershipNumber, cell: (/** @type {any} */ row) => html`<span class="digits">${row.serviceMembershipNumber}</span>` },
    { key: 'level', label: t('f.level'), value: (/** @type {any} */ row) => row.membershipCategory },
    { key: 'card', label: t('member.card'), value: (/** @type {any} */ row) => word('cardType', row.cardType) },
    { key: 'email', label: t('f.email'), value: (/** @type {any} */ row) => row.email ?? '' },
    { key: 'until', label: t('column.until'), value: (/** @type {any} */ row) => row.membershipExpirationDate, cell: (/** @type {any} */ row) => dateOnly(row.membershipExpirationDate) },
    { key: 'standing', label: t('column.state'), value: (/** @type {any} */ row) => word('standing', row.cardStanding), cell: (/** @type {any} */ row) => html`<span class=${`tag ${row.cardStanding === 'active' ? 'good' : row.cardStanding === 'new' ? '' : 'warn'}`}>${word('standing', row.cardStanding)}</span>` },
  ];
  return html`<h1>${t('members.title')}</h1>
    <form class="searchbar noprint" role="search" noValidate onSubmit=${search}>
      <${Field} id="search" label=${t('members.search')} hint=${t('members.hint')} fault=${fault} type="search" required=${false} autocomplete="off" spellcheck=${false} value=${typed.words} onValue=${(/** @type {string} */ words) => setTyped({ ...typed, words })} />
      <button type="submit">${t('search')}</button>
      ${may('b2b') && html`<div class="field inline"><label for="expires">${t('members.expires')}</label><select id="expires" value=${typed.expires} onChange=${(/** @type {any} */ e) => search(null, { expires: e.currentTarget.value, words: '' })}>
        <option value="">${t('members.newest')}</option><option value="soon">${t('members.soon')}</option><option value="late">${t('members.late')}</option></select></div>`}
    </form>
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${6} />` : html`
      <p role="status">${data.by === 'search' ? t('members.found', { n: data.list.length }) : data.by === 'ask' ? t('members.ask') : t(`members.${data.by === 'new' ? 'newest' : data.by}`)}</p>
      ${data.by !== 'ask' && html`<${Table} id="members" caption=${t('members.title')} columns=${columns} rows=${data.list} rowKey=${(/** @type {any} */ row) => String(row.id)} empty=${data.by === 'search' ? t('members.none') : t('members.noneYet')} />`}`}`;
}
