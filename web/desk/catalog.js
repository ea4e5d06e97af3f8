// @ts-check
/** What the venue sells: lists of it, and each record in its form. */
import { html, useLoad, useState, Loading } from '/shared/ui.js';
import { ofDay, t } from '/shared/intl.js';
import { api, go, href, listOf } from '/desk/state.js';
import { RESOURCES, RULES } from '/desk/resources.js';
import { Editor, writerOf } from '/desk/editor.js';
import { Preview } from '/desk/preview.js';
import { Table } from '/desk/table.js';
import { Failed, Trail, price, word } from '/desk/said.js';

/** @param {{kind?: string, here: string}} of */
function Kinds({ here }) {
  return html`<nav class="tabs" aria-label=${t('nav.catalog')}><ul class="plain row">${Object.keys(RESOURCES).map((kind) =>
    html`<li><a href=${href({ view: 'catalog', kind })} aria-current=${kind === here ? 'page' : undefined}>${t(`kind.${kind}`)}</a></li>`)}</ul></nav>`;
}

/** @param {any} value @param {string | undefined} kind */
function cell(value, kind) {
  if (kind === 'bool') return t(value ? 'yes' : 'no');
  if (value === null || value === undefined || value === '' || value === Infinity) return '–';
  if (kind === 'price') return price(value);
  if (kind === 'day') return ofDay(String(value).slice(0, 10), { dateStyle: 'medium' });
  if (kind === 'state') return html`<span class=${`tag ${/ublished/.test(value) ? 'good' : ''}`}>${word('state', value)}</span>`;
  return word('inventoryType', value);
}

/** @param {{kind: string}} of */
function List({ kind }) {
  const of = RESOURCES[kind];
  const { data, error, reload } = useLoad(() => listOf(of.list), [kind]);
  const columns = [
    { key: 'name', label: t('f.name'), value: (/** @type {any} */ row) => row.name, cell: (/** @type {any} */ row) => html`<a href=${href({ view: 'catalog', kind, id: String(row.id) })}>${row.name}</a>` },
    ...of.columns.map(({ key, value, kind: shape }) => ({ key, label: t(key === 'order' ? 'f.displayOrder' : `column.${key}`), value: (/** @type {any} */ row) => (shape === 'bool' ? t(value(row) ? 'yes' : 'no') : shape === 'state' ? word('state', value(row)) : value(row) === Infinity ? null : value(row)), numeric: shape === 'price' || ['order', 'uses', 'stock', 'questions', 'offerings'].includes(key), cell: (/** @type {any} */ row) => cell(value(row), shape) })),
  ];
  const add = html`<a class="button" href=${href({ view: 'catalog', kind, id: 'new' })}>${t(`new.${kind}`)}</a>`;
  return html`<h1>${t(`kind.${kind}`)}</h1>
    <${Kinds} here=${kind} />
    <p class="muted lead">${t(`lead.${kind}`)}</p>
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${6} />`
      : html`<${Table} id=${`catalog-${kind}`} caption=${t(`kind.${kind}`)} columns=${columns} rows=${data} sort="name" rowKey=${(/** @type {any} */ row) => String(row.id)}
          tools=${add} empty=${t(`none.${kind}`)} />`}`;
}

/** What a publication said. @param {{of: any}} props */
function Publication({ of }) {
  if (!of) return null;
  return html`<div class=${`notice ${of.warnings?.length ? 'warn' : 'good'}`} role="status"><p>${of.slotsUntil ? t(of.complete ? 'publication.done' : 'publication.more', { until: ofDay(of.slotsUntil.slice(0, 10), { dateStyle: 'long' }) }) : t('publication.on')}</p>
    ${(of.warnings ?? []).map((/** @type {any} */ one) => html`<p>${typeof one === 'string' ? one : one.message ?? JSON.stringify(one)}</p>`)}</div>`;
}

/** @param {{kind: string, id: string}} of */
function Record({ kind, id }) {
  const of = RESOURCES[kind];
  const isNew = id === 'new';
  const [published, setPublished] = useState(/** @type {any} */ (null));
  const draft = kind === 'events' ? 'Draft' : 'draft';
  const field = kind === 'events' ? 'reviewState' : kind === 'levels' ? 'state' : null;
  const live = kind === 'events' ? 'Published' : 'published';
  const buttons = !field ? undefined : (/** @type {any} */ record, /** @type {any} */ save, /** @type {boolean} */ busy) => {
    const off = busy ? 'true' : undefined;
    return record[field] === live
      ? html`<button type="submit" aria-disabled=${off}>${busy ? t('edit.saving') : t('edit.saveLive')}</button>
        ${kind === 'levels' && html`<button type="button" class="quiet" aria-disabled=${off} onClick=${() => save({ [field]: draft })}>${t('edit.unpublish')}</button>`}`
      : html`<button type="submit" class="quiet" aria-disabled=${off}>${busy ? t('edit.saving') : t('edit.saveDraft')}</button>
        <button type="button" aria-disabled=${off} onClick=${() => save({ [field]: live })}>${t('edit.publish')}</button>`;
  };
  return html`<${Trail} trail=${[[t('nav.catalog'), { view: 'catalog' }], [t(`kind.${kind}`), { view: 'catalog', kind }]]} />
    <${Editor} key=${`${kind} ${isNew ? 'new' : id}`} of=${`${kind} ${id}`} sections=${of.sections} fresh=${of.fresh} ...${writerOf(of, isNew ? undefined : id)}
      head=${(/** @type {any} */ record) => html`<h1>${isNew ? t(`new.${kind}`) : record.name}</h1>
        ${field && html`<p><span class=${`tag ${record[field] === live ? 'good' : ''}`}>${word('state', record[field] ?? draft)}</span></p>`}
        ${kind === 'events' && !isNew && html`<nav class="tabs" aria-label=${record.name}><ul class="plain row">
          <li><a href=${href({ view: 'today', event: id })}>${t('event.slots')}</a></li><li><a href=${href({ view: 'catalog', kind: 'rules', id })}>${t('event.rules')}</a></li></ul></nav>`}
        <${Publication} of=${published} />`}
      beside=${(/** @type {any} */ record, /** @type {string} */ name) => name === 'times' && html`<${Preview} event=${record} />`}
      buttons=${buttons}
      saveLabel=${isNew ? t('edit.create') : undefined}
      removeLabel=${() => t('edit.remove')}
      onSaved=${(/** @type {any} */ saved, /** @type {boolean} */ fresh) => {
        setPublished(saved.reviewState === 'Published' ? saved.publication : null);
        if (fresh) go({ view: 'catalog', kind, id: String(saved.id), step: saved.reviewState === 'Published' || saved.state === 'published' ? 'live' : 'made' }, { replace: true });
      }}
      onRemoved=${() => go({ view: 'catalog', kind, step: 'removed' })} />`;
}

/** @param {{id: string}} of */
function Rules({ id }) {
  const at = `/v2/b2b/event/templates/${id}/entitlements`;
  const { data } = useLoad(() => api.get(`/v2/b2b/event/templates/${id}`), [id]);
  return html`<${Trail} trail=${[[t('nav.catalog'), { view: 'catalog' }], [data?.name ?? t('kind.events'), { view: 'catalog', kind: 'events', id }]]} />
    <${Editor} of=${`rules ${id}`} sections=${RULES} read=${() => api.read(at)}
      head=${() => html`<h1>${t('event.rules')}</h1><p class="muted lead">${t('lead.rules')}</p>`}
      toBody=${(/** @type {any} */ record) => ({ rules: record.rules ?? [], ticketLimits: { ...record.ticketLimits, perOrder: record.ticketLimits?.perOrder ?? undefined } })}
      write=${(/** @type {any} */ body, /** @type {any} */ asked) => api.write('PUT', at, { body, ...asked })} />`;
}

/** @param {{at: import('/desk/state.js').Route}} of */
export default function Catalog({ at }) {
  const kind = at.kind ?? 'events';
  if (kind === 'rules' && at.id) return html`<${Rules} id=${at.id} />`;
  if (!Object.hasOwn(RESOURCES, kind)) return html`<${List} kind="events" />`;
  if (at.id) {
    return html`${(at.step === 'made' || at.step === 'live') && html`<div role="status"><p class="notice good">${t(at.step === 'live' ? 'edit.live' : 'edit.made')}</p></div>`}
      <${Record} kind=${kind} id=${at.id} />`;
  }
  return html`${at.step === 'removed' && html`<div role="status"><p class="notice good">${t('edit.removed')}</p></div>`}<${List} kind=${kind} />`;
}
