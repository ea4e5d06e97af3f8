// @ts-check
/** What admins keep: the venue, its pages, keys, staff, and who changed what. */
import { html, useEffect, useFocus, useLoad, useRef, useState, Loading } from '/shared/ui.js';
import { t } from '/shared/intl.js';
import { Refusal, newKey } from '/shared/client.js';
import { legible, mainColour } from '/shared/colour.js';
import { api, go, href, session } from '/desk/state.js';
import { KEY, PERSON, SETTINGS } from '/desk/resources.js';
import { Editor } from '/desk/editor.js';
import { FaultList, Fields, faultsOf, pruned, withValue } from '/desk/form.js';
import { Table } from '/desk/table.js';
import { Done, Facts, Failed, Refused, Trail, by, when, word } from '/desk/said.js';

const TABS = ['venue', 'keys', 'staff', 'history'];

/** Only what may be changed is sent; blank lines are nothing. @param {any} record */
function settingsBody(record) {
  const lines = (/** @type {any} */ list) => (list ?? []).map((/** @type {string} */ one) => one.trim()).filter(Boolean);
  return {
    name: record.name, colours: record.colours ?? [], logo: record.logo || null, terms: record.terms || null, privacy: record.privacy || null, languages: lines(record.languages), holdSeconds: record.holdSeconds ?? undefined,
    allowedOrigins: lines(record.allowedOrigins), descriptorPrefix: record.descriptorPrefix ?? '', limits: record.limits ?? [],
    ...('receiptNumbers' in record ? { receiptNumbers: record.receiptNumbers } : {}),
  };
}

/** What a colour looks like, and whether pages have to change it to be read. @param {{colours: any[]}} of */
function Swatches({ colours }) {
  const main = mainColour(colours);
  const own = main?.value ?? '';
  const found = legible(own);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (!box.current || !found) return;
    box.current.style.setProperty('--own', /^#/.test(own) ? own : `#${own}`);
    box.current.style.setProperty('--light', found.light);
    box.current.style.setProperty('--dark', found.dark);
  });
  if (!main) return html`<p class="muted">${t('brand.none')}</p>`;
  if (!found) return null;
  return html`<div class="swatches" ref=${box} role="status"><span class="swatch own" aria-hidden="true"></span><span class="swatch light" aria-hidden="true">Aa</span><span class="swatch dark" aria-hidden="true">Aa</span>
    <span>${found.changed ? t('brand.changed', { light: found.light, dark: found.dark }) : t('brand.fits')}</span></div>`;
}

function Venue() {
  return html`<${Editor} of="settings" sections=${SETTINGS} read=${() => api.read('/v2/b2b/settings')} toBody=${settingsBody}
    write=${(/** @type {any} */ body, /** @type {any} */ asked) => api.write('PUT', '/v2/b2b/settings', { body, ...asked })}
    head=${(/** @type {any} */ of) => html`<h2>${t('settings.fixed')}</h2><p class="muted">${t('settings.fixedLead')}</p><${Facts} facts=${[['ID', String(of.id)], [t('f.timeZone'), of.timeZone], [t('order.currency'), of.currency], [t('f.processor'), word('processor', of.processor)], [t('f.sandbox'), t(of.sandbox ? 'yes' : 'no')],
      [t('f.mailFrom'), of.mailFrom], [t('f.consumerSite'), of.consumerSite], [t('f.staffSite'), of.staffSite], [t('f.memberClaims'), of.memberClaims && t('settings.claims', { servers: word('claims', of.memberClaims.servers), pages: word('claims', of.memberClaims.pages) })], [t('f.rawCards'), of.rawCards === undefined ? null : t(of.rawCards ? 'yes' : 'no')]]} />`}
    beside=${(/** @type {any} */ of, /** @type {string} */ name) => name === 'brand' && html`<${Swatches} colours=${of.colours} />`} />`;
}

/** @param {{onIssued: () => void}} of */
function NewKey({ onIssued }) {
  const [value, setValue] = useState(/** @type {any} */ ({ scopes: [] }));
  const [faults, setFaults] = useState(/** @type {Record<string, string>} */ ({}));
  const [turn, setTurn] = useState(0);
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [copied, setCopied] = useState(false);
  const key = useRef(newKey());
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useFocus(box, [made]);
  const issue = async (/** @type {any} */ event) => {
    event.preventDefault();
    setRefused(null);
    try {
      const { body } = await api.write('POST', '/v2/b2b/keys', { key: key.current, body: { scopes: [], ...pruned({ ...value, origins: (value.scopes ?? []).includes('b2c-browser') ? (value.origins ?? []).map((/** @type {string} */ one) => one.trim()) : undefined }) } });
      setMade(body);
      setFaults({});
      setValue({ scopes: [] });
      onIssued();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setFaults(faultsOf(error.details));
      setTurn(turn + 1);
      if (!error.details.length) setRefused(error);
    }
    key.current = newKey();
  };
  if (made) {
    return html`<section class="notice good" tabindex="-1" ref=${box} aria-label=${t('keys.once')}><p><strong>${t('keys.once')}</strong></p><p>${t('keys.onceHelp', { label: made.label })}</p>
      <p class="mono keytext" id="issued">${made.key}</p>
      <div class="row"><button type="button" onClick=${() => navigator.clipboard?.writeText(made.key).then(() => setCopied(true), () => getSelection()?.selectAllChildren(/** @type {Node} */ (document.getElementById('issued'))))}>${copied ? t('keys.copied') : t('keys.copy')}</button>
        <button type="button" class="quiet" onClick=${() => setMade(null)}>${t('keys.kept')}</button></div></section>`;
  }
  return html`<section class="panel" aria-label=${t('keys.new')}><h2>${t('keys.new')}</h2>${refused && html`<${Refused} error=${refused} />`}
    <form noValidate onSubmit=${issue}><${FaultList} faults=${faults} turn=${turn} />
      <${Fields} fields=${KEY} form=${{ value, faults, lists: {}, set: (/** @type {any} */ path, /** @type {any} */ next) => setValue((/** @type {any} */ now) => withValue(now, path, next)) }} />
      <button type="submit">${t('keys.issue')}</button></form></section>`;
}

function Keys() {
  const { data, error, reload } = useLoad(() => api.get('/v2/b2b/keys', { pageSize: -1 }).then(({ list }) => list), ['keys']);
  const [asking, setAsking] = useState(/** @type {any} */ (null));
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const [done, setDone] = useState(/** @type {string | null} */ (null));
  const revoke = async () => {
    try {
      await api.write('DELETE', `/v2/b2b/keys/${asking.id}`, {});
      setDone(t('keys.revoked', { label: asking.label }));
      setAsking(null);
      reload();
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      setRefused(fault);
    }
  };
  const columns = [
    { key: 'label', label: t('f.keyLabel'), value: (/** @type {any} */ row) => row.label },
    { key: 'scopes', label: t('f.scopes'), value: (/** @type {any} */ row) => row.scopes.map((/** @type {string} */ one) => word('scopes', one)).join(', ') },
    { key: 'origins', label: t('f.origins'), value: (/** @type {any} */ row) => [...row.origins, row.mid && t('keys.mid', { mid: row.mid })].filter(Boolean).join(', ') || '–' },
    { key: 'state', label: t('column.state'), value: (/** @type {any} */ row) => t(row.revoked ? 'keys.off' : 'keys.on'), cell: (/** @type {any} */ row) => html`<span class=${`tag ${row.revoked ? '' : 'good'}`}>${t(row.revoked ? 'keys.off' : 'keys.on')}</span>` },
    { key: 'act', label: t('column.act'), sort: false, value: () => '', cell: (/** @type {any} */ row) => !row.revoked && html`<button type="button" class="quiet noprint" aria-label=${t('keys.revokeOne', { label: row.label })} onClick=${() => setAsking(row)}>${t('keys.revoke')}</button>` },
  ];
  return html`<${NewKey} onIssued=${reload} /><${Done} text=${done} />${refused && html`<${Refused} error=${refused} />`}
    ${asking && html`<${Ask} label=${t('keys.revokeOne', { label: asking.label })} what=${t('keys.revokeWhat')} act=${t('keys.revoke')} onAct=${revoke} onKeep=${() => setAsking(null)} />`}
    ${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${5} />` : html`<${Table} id="keys" caption=${t('settings.keys')} columns=${columns} rows=${data} sort="label" rowKey=${(/** @type {any} */ row) => row.id} empty=${t('keys.none')} />`}`;
}

/** One question before something that cannot be taken back. @param {{label: string, what: string, act: string, onAct: () => void, onKeep: () => void}} of */
function Ask({ label, what, act, onAct, onKeep }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useFocus(box, [label]);
  return html`<section class="notice warn" tabindex="-1" ref=${box} aria-label=${label}><p><strong>${label}</strong></p><p>${what}</p><div class="row"><button type="button" onClick=${onAct}>${act}</button><button type="button" class="quiet" onClick=${onKeep}>${t('edit.keep')}</button></div></section>`;
}

function Staff() {
  const { data, error, reload } = useLoad(() => api.get('/v2/b2b/staff', { pageSize: -1 }).then(({ list }) => list), ['staff']);
  const columns = [
    { key: 'name', label: t('column.name'), value: (/** @type {any} */ row) => row.name, cell: (/** @type {any} */ row) => html`<a href=${href({ view: 'settings', tab: 'staff', id: row.id })}>${row.name}</a>` },
    { key: 'email', label: t('f.email'), value: (/** @type {any} */ row) => row.email },
    { key: 'roles', label: t('f.roles'), value: (/** @type {any} */ row) => row.roles.map((/** @type {string} */ one) => word('roles', one)).join(', ') || '–' },
    { key: 'active', label: t('column.state'), value: (/** @type {any} */ row) => t(row.active ? 'staff.on' : 'staff.off'), cell: (/** @type {any} */ row) => html`<span class=${`tag ${row.active ? 'good' : ''}`}>${t(row.active ? 'staff.on' : 'staff.off')}</span>` },
  ];
  return html`${error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${5} />`
    : html`<${Table} id="staff" caption=${t('settings.staff')} columns=${columns} rows=${data} sort="name" rowKey=${(/** @type {any} */ row) => row.id} tools=${html`<a class="button" href=${href({ view: 'settings', tab: 'staff', id: 'new' })}>${t('staff.new')}</a>`} empty=${t('staff.none')} />`}`;
}

/** @param {{id: string}} of */
function Person({ id }) {
  const isNew = id === 'new';
  const at = `/v2/b2b/staff/${id}`;
  const me = session.peek()?.person.id === id;
  const [done, setDone] = useState(/** @type {string | null} */ (null));
  const [refused, setRefused] = useState(/** @type {Refusal | null} */ (null));
  const end = async () => {
    setRefused(null);
    try {
      await api.write('DELETE', `${at}/sessions`, {});
      setDone(t('staff.ended'));
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      setRefused(fault);
    }
  };
  return html`<${Trail} trail=${[[t('nav.settings'), { view: 'settings' }], [t('settings.staff'), { view: 'settings', tab: 'staff' }]]} />
    <${Editor} of=${`staff ${id}`} sections=${[{ key: 'all', open: true, fields: PERSON }]} fresh=${{ roles: ['boxOffice'], active: true }} read=${isNew ? null : () => api.read(at)}
      head=${(/** @type {any} */ of) => html`<h1>${isNew ? t('staff.new') : of.name}</h1><${Done} text=${done} />${refused && html`<${Refused} error=${refused} />`}${me && html`<p class="notice warn">${t('staff.me')}</p>`}`}
      toBody=${(/** @type {any} */ of) => ({ name: of.name, email: of.email, roles: of.roles ?? [], active: of.active ?? true })}
      write=${(/** @type {any} */ body, /** @type {any} */ asked) => (isNew ? api.write('POST', '/v2/b2b/staff', { body, key: asked.key }) : api.write('PUT', at, { body, ...asked }))}
      saveLabel=${isNew ? t('staff.add') : undefined} remove=${isNew ? undefined : (/** @type {any} */ match) => api.write('DELETE', at, { match })} removeLabel=${() => t('staff.remove')}
      onSaved=${(/** @type {any} */ saved, /** @type {boolean} */ fresh) => fresh && go({ view: 'settings', tab: 'staff', id: saved.id }, { replace: true })} onRemoved=${() => go({ view: 'settings', tab: 'staff' })} />
    ${!isNew && html`<p class="noprint"><button type="button" class="quiet" onClick=${end}>${t('staff.end')}</button> <span class="muted small">${t('staff.endHint')}</span></p>`}`;
}

function History() {
  const { data, error, reload } = useLoad(() => api.get('/v2/b2b/settings/history', { pageSize: -1 }).then(({ list }) => list), ['history']);
  const say = (/** @type {any} */ value) => (value === null || value === undefined || value === '' ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value));
  const changes = (/** @type {any} */ row) => row.changes.map((/** @type {any} */ one) => `${word('f', one.field)}: ${say(one.before)} → ${say(one.after)}`);
  const columns = [
    { key: 'at', label: t('column.when'), value: (/** @type {any} */ row) => row.createdOn, cell: (/** @type {any} */ row) => when(row.createdOn) },
    { key: 'by', label: t('column.who'), value: (/** @type {any} */ row) => by(row.createdBy) },
    { key: 'what', label: t('column.what'), sort: false, value: (/** @type {any} */ row) => changes(row).join('; '), cell: (/** @type {any} */ row) => html`<ul class="plain">${changes(row).map((/** @type {string} */ one) => html`<li>${one}</li>`)}</ul>` },
  ];
  return error ? html`<${Failed} error=${error} retry=${reload} />` : !data ? html`<${Loading} lines=${5} />` : html`<${Table} id="history" caption=${t('settings.history')} columns=${columns} rows=${data} sort="at" down empty=${t('settings.noHistory')} />`;
}

/** @param {{at: import('/desk/state.js').Route}} of */
export default function Settings({ at }) {
  const tab = TABS.includes(at.tab ?? '') ? /** @type {string} */ (at.tab) : 'venue';
  if (tab === 'staff' && at.id) return html`<${Person} key=${at.id === 'new' ? 'new' : at.id} id=${at.id} />`;
  const View = /** @type {any} */ ({ venue: Venue, keys: Keys, staff: Staff, history: History })[tab];
  return html`<h1>${t('nav.settings')}</h1>
    <nav class="tabs" aria-label=${t('nav.settings')}><ul class="plain row">${TABS.map((name) => html`<li><a href=${href({ view: 'settings', tab: name })} aria-current=${name === tab ? 'page' : undefined}>${t(`settings.${name}`)}</a></li>`)}</ul></nav>
    <${View} key=${tab} />`;
}
