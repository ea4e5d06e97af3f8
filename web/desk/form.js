// @ts-check
/**
 * Forms from descriptions: every field of a record of the interface, with the interface's own complaints at the field.
 * What is edited is the record itself, so that what a form does not know survives.
 */
import { html, useEffect, useFocus, useLayoutEffect, useRef, useState } from '/shared/ui.js';
import { LAST_DAY, ofDay, t } from '/shared/intl.js';
import { listOf } from '/desk/state.js';
import { placeOf, word } from '/desk/said.js';

/**
 * @typedef {object} Described
 * @property {string} k the field's name in the interface
 * @property {'text' | 'area' | 'int' | 'money' | 'bool' | 'choice' | 'date' | 'when' | 'lines' | 'one' | 'many' | 'list' | 'group' | 'channels' | 'length' | 'days' | 'times' | 'json' | 'colour'} t
 * @property {string} [label] a key of the texts, where the name alone does not say it
 * @property {string} [hint]
 * @property {boolean} [req]
 * @property {readonly string[]} [of] what may be chosen, or the list of the catalog that is chosen from
 * @property {string} [from] the list of the catalog that is chosen from
 * @property {'id' | 'ref'} [as] how a chosen record is written: its id, or an object with its id
 * @property {readonly Described[]} [fields] of a list or group
 * @property {boolean} [on] what a switch is where nothing is written
 * @property {boolean} [none] of channels: an empty list means none
 * @property {(record: any) => boolean} [when] whether it is asked at all
 * @property {any} [fresh] what a new entry of a list starts with
 * @property {string} [input] type of an input
 * @property {boolean} [wide]
 * @property {string} [complete] autocomplete
 */

/** @typedef {{value: any, set: (path: (string | number)[], value: any) => void, faults: Record<string, string>, lists: Record<string, any[]>, extra?: Record<string, any>}} Form */

/** A record with another value at a path. @param {any} record @param {(string | number)[]} path @param {any} value @returns {any} */
export function withValue(record, path, value) {
  if (!path.length) return value;
  const [first, ...rest] = path;
  if (typeof first === 'number') {
    const list = [...(record ?? [])];
    list[first] = withValue(list[first], rest, value);
    return list;
  }
  return { ...record, [first]: withValue(record?.[first], rest, value) };
}

/** What is sent: without what is empty, which the interface reads as "not given". @param {any} value @returns {any} */
export function pruned(value) {
  if (value === null || value === '' || value === undefined) return undefined;
  // Entries keep their places, so that complaints name the right one.
  if (Array.isArray(value)) return value.map((one) => pruned(one) ?? (one && typeof one === 'object' ? {} : undefined)).filter((one) => one !== undefined);
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([key, one]) => [key, pruned(one)]).filter(([, one]) => one !== undefined);
    return entries.length ? Object.fromEntries(entries) : undefined;
  }
  return typeof value === 'string' ? value.replace(/\r\n/g, '\n') : value;
}

/** @param {(string | number)[]} path */
export const pointer = (path) => `/${path.join('/')}`;
/** @param {(string | number)[]} path */
const idOf = (path) => `f${path.map((part) => `-${part}`).join('')}`;

/** What is complained of at a field, or inside of it where it has no fields of its own. @param {Form} form @param {(string | number)[]} path @param {boolean} [whole] */
function faultAt(form, path, whole) {
  const at = pointer(path);
  const found = Object.entries(form.faults).filter(([field]) => field === at || (whole && field.startsWith(`${at}/`)));
  return found.map(([, text]) => text).join('; ') || undefined;
}

/** The element that a complaint is about: the field, or the nearest thing around it. @param {string} field a JSON pointer */
function elementOf(field) {
  for (let at = field; at; at = at.slice(0, at.lastIndexOf('/'))) {
    const found = document.getElementById(`f${at.replaceAll('/', '-')}`);
    if (found) return found;
  }
  return null;
}

/** Complaints in the order of their fields on the page. @param {Record<string, string>} faults @returns {[string, string][]} */
function inOrder(faults) {
  const placed = Object.entries(faults).map(([field, text]) => ({ field, text, at: elementOf(field) }));
  placed.sort((a, b) => (!a.at || !b.at || a.at === b.at ? 0 : a.at.compareDocumentPosition(b.at) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  return placed.map(({ field, text }) => [field, text]);
}

/** A complaint with what it is about. @param {string} what @param {string} text in the words of the interface, such as "is required" */
const sentence = (what, text) => (text === 'is required' ? t('faults.required', { what }) : `${what} ${text}`);

/** Complaints on top of a form, each a link to its field. @param {{faults: Record<string, string>, turn: number}} of */
export function FaultList({ faults, turn }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const list = inOrder(faults);
  const names = list.map(([field]) => {
    const found = elementOf(field);
    const label = found && (document.querySelector(`label[for="${found.id}"]`) ?? found.querySelector('legend, h3, .label'));
    return label?.textContent?.replace(t('field.optional'), '').trim() || placeOf(field);
  });
  const [, draw] = useState(0);
  useEffect(() => draw((n) => n + 1), [turn]);
  useFocus(box, [turn]);
  if (!list.length) return null;
  const jump = (/** @type {any} */ event, /** @type {string} */ field) => {
    event.preventDefault();
    const found = elementOf(field);
    for (let at = found?.parentElement; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    /** @type {HTMLElement | null | undefined} */
    const target = found?.matches('input, select, textarea, button') ? found : found?.querySelector('input, select, textarea, button') ?? found;
    target?.focus();
  };
  return html`<div class="notice bad" role="alert" tabindex="-1" ref=${box}>
    <h2 class="small">${t('faults.title', { n: list.length })}</h2>
    <ul class="plain">${list.map(([field, text], at) => html`<li><a href=${`#${field}`} onClick=${(/** @type {any} */ e) => jump(e, field)}>${sentence(names[at], text)}</a></li>`)}</ul>
  </div>`;
}

/** Faults by their field. @param {{field: string, message: string}[]} details */
export function faultsOf(details) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const { field, message } of details) found[field] = found[field] ? `${found[field]}; ${message}` : message;
  return found;
}

/** Lists of the catalog that a description chooses from. @param {readonly Described[]} fields @returns {string[]} */
function needs(fields) {
  return [...new Set(fields.flatMap((field) => [...(field.from ? [field.from] : []), ...needs(field.fields ?? [])]))];
}

/** @param {readonly Described[]} fields */
export async function loadLists(fields) {
  const names = needs(fields);
  const found = await Promise.all(names.map((name) => listOf(name)));
  return Object.fromEntries(names.map((name, at) => [name, found[at]]));
}

/** @param {Described} of */
const labelOf = (of) => t(`f.${of.label ?? of.k}`);
const hintOf = (/** @type {Described} */ of) => (of.hint ? t(`h.${of.hint}`) : undefined);

/** Label, hint and fault around a control. @param {any} of */
function Frame({ id, label, hint, fault, req, children, wide }) {
  return html`<div class=${`field${fault ? ' faulty' : ''}${wide ? ' wide' : ''}`}>
    <label for=${id}>${label}${!req && html` <span class="muted">${t('field.optional')}</span>`}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${fault && html`<p class="fault" id=${`${id}-fault`}><span aria-hidden="true">▲ </span>${fault}</p>`}
    ${children}
  </div>`;
}

/** Several controls that are one question. @param {any} of */
function Group({ id, label, hint, fault, children, level = 'fieldset' }) {
  return html`<fieldset class=${`group ${level}${fault ? ' faulty' : ''}`} id=${id} tabindex="-1"><legend>${label}</legend>
    ${hint && html`<p class="hint">${hint}</p>`}
    ${fault && html`<p class="fault"><span aria-hidden="true">▲ </span>${fault}</p>`}
    ${children}</fieldset>`;
}

const CHANNELS = ['online', 'pointOfSale', 'customerRep', 'manualEntry', 'reseller', 'kiosk', 'insideSalesIndividual'];
const WEEK = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
/** A day's name. @param {string} name @param {'long' | 'short'} weekday */
const dayName = (name, weekday) => ofDay(`2023-01-0${1 + WEEK.indexOf(name)}`, { weekday });

/** Where something is sold: everywhere, or on some channels. @param {any} of */
function Channels({ id, label, value, onValue, fault, none }) {
  const chosen = Array.isArray(value) && (none || value.length > 0);
  const entry = (/** @type {string} */ channel) => (value ?? []).find((/** @type {any} */ one) => one.channel === channel);
  const turn = (/** @type {string} */ channel, /** @type {boolean} */ enabled) => {
    const rest = (value ?? []).filter((/** @type {any} */ one) => one.channel !== channel);
    onValue([...rest, { name: entry(channel)?.name || word('channel', channel), channel, enabled }]);
  };
  const on = (value ?? []).filter((/** @type {any} */ one) => one.enabled).map((/** @type {any} */ one) => word('channel', one.channel));
  return html`<details class="channels" open=${Boolean(fault)}><summary><span><strong>${label}:</strong> ${!chosen ? t('channels.all') : on.join(', ') || t('channels.none')}</span></summary><${Group} id=${id} label=${html`<span class="visually-hidden">${label}</span>`} fault=${fault} level="inner">
    <div class="row">
      <label class="pick"><input type="radio" name=${id} checked=${!chosen} onChange=${() => onValue(undefined)} /> <span>${t('channels.all')}</span></label>
      <label class="pick"><input type="radio" name=${id} checked=${chosen} onChange=${() => onValue(value?.length ? value : CHANNELS.map((channel) => ({ name: word('channel', channel), channel, enabled: channel === 'online' || channel === 'pointOfSale' })))} /> <span>${t('channels.some')}</span></label>
    </div>
    ${chosen && html`<div class="row">${CHANNELS.map((channel) => html`<label class="check"><input type="checkbox" checked=${entry(channel)?.enabled === true}
      onChange=${(/** @type {any} */ e) => turn(channel, e.currentTarget.checked)} /> <span>${word('channel', channel)}</span></label>`)}</div>`}
  <//></details>`;
}

/** Times of day, one below the other, and a helper that makes many. @param {any} of */
function Times({ id, label, value, onValue, fault, form, path }) {
  const [many, setMany] = useState({ from: '10:00', to: '16:00', every: '30' });
  const list = value ?? [];
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const minutes = (/** @type {string} */ text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const add = () => {
    const step = Math.max(1, Math.trunc(Number(many.every)) || 1);
    const known = new Set(list.map((/** @type {any} */ one) => one.hour * 60 + one.minutes));
    const made = [];
    for (let at = minutes(many.from); at <= minutes(many.to) && made.length < 200; at += step) if (!known.has(at)) made.push({ hour: Math.floor(at / 60), minutes: at % 60 });
    onValue([...list, ...made].sort((a, b) => a.hour * 60 + a.minutes - b.hour * 60 - b.minutes));
  };
  const set = (/** @type {number} */ at, /** @type {any} */ part) => onValue(list.map((/** @type {any} */ one, /** @type {number} */ n) => (n === at ? { ...one, ...part } : one)));
  return html`<${Group} id=${id} label=${label} fault=${fault} level="inner">
    <ul class="plain times">${list.map((/** @type {any} */ one, /** @type {number} */ at) => {
      const base = idOf([...path, at]);
      const mine = faultAt(form, [...path, at], true);
      return html`<li class=${mine ? 'faulty' : ''}>
        ${mine && html`<p class="fault" id=${`${base}-fault`}><span aria-hidden="true">▲ </span>${mine}</p>`}
        <label class="visually-hidden" for=${`${base}-hour`}>${t('times.start', { n: at + 1 })}</label>
        <input id=${`${base}-hour`} type="time" value=${`${two(one.hour ?? 0)}:${two(one.minutes ?? 0)}`} onChange=${(/** @type {any} */ e) => e.currentTarget.value && set(at, { hour: Number(e.currentTarget.value.slice(0, 2)), minutes: Number(e.currentTarget.value.slice(3, 5)) })} />
        <label class="visually-hidden" for=${`${base}-quantity`}>${t('times.seats', { n: at + 1 })}</label>
        <input id=${`${base}-quantity`} inputmode="numeric" placeholder=${t('times.seatsShort')} value=${one.quantity ?? ''} onInput=${(/** @type {any} */ e) => set(at, { quantity: whole(e.currentTarget.value) })} />
        <button type="button" class="quiet square" aria-label=${t('list.remove', { what: `${two(one.hour ?? 0)}:${two(one.minutes ?? 0)}` })} onClick=${() => onValue(list.filter((/** @type {any} */ _, /** @type {number} */ n) => n !== at))}>×</button>
      </li>`;
    })}</ul>
    <div class="row end">
      ${/** @type {const} */ (['from', 'to']).map((name) => html`<div class="field inline"><label for=${`${id}-${name}`}>${t(`times.${name}`)}</label>
        <input id=${`${id}-${name}`} type="time" value=${many[name]} onChange=${(/** @type {any} */ e) => setMany({ ...many, [name]: e.currentTarget.value })} /></div>`)}
      <div class="field inline"><label for=${`${id}-every`}>${t('times.every')}</label>
        <input id=${`${id}-every`} inputmode="numeric" value=${many.every} onInput=${(/** @type {any} */ e) => setMany({ ...many, every: e.currentTarget.value })} /></div>
      <button type="button" class="quiet" onClick=${add}>${t('times.add')}</button>
    </div>
  <//>`;
}

/** A whole number where it is one, and else what was typed, for the interface to complain of. @param {string} text */
function whole(text) {
  const bare = text.trim();
  if (bare === '') return null;
  return /^-?\d{1,15}$/.test(bare) ? Number(bare) : bare;
}

/** A field of a record. @param {{of: Described, form: Form, path: (string | number)[]}} props */
function One({ of, form, path }) {
  const value = path.reduce((/** @type {any} */ at, part) => at?.[part], form.value);
  const id = idOf(path);
  const label = labelOf(of);
  const hint = hintOf(of);
  const leaf = of.t !== 'list' && of.t !== 'group' && of.t !== 'times';
  const fault = faultAt(form, path, leaf);
  const set = (/** @type {any} */ next) => form.set(path, next);
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  const common = { id, name: id, 'aria-describedby': described, 'aria-invalid': fault ? 'true' : undefined, required: Boolean(of.req) };
  const frame = (/** @type {any} */ control) => html`<${Frame} id=${id} label=${label} hint=${hint} fault=${fault} req=${of.req} wide=${of.wide}>${control}<//>`;
  switch (of.t) {
    case 'area':
      return frame(html`<textarea ...${common} rows="4" value=${value ?? ''} onInput=${(/** @type {any} */ e) => set(e.currentTarget.value)}></textarea>`);
    case 'int':
      return frame(html`<input ...${common} inputmode="numeric" autocomplete="off" value=${value ?? ''} onInput=${(/** @type {any} */ e) => set(whole(e.currentTarget.value))} />`);
    case 'money':
      return frame(html`<input ...${common} inputmode="decimal" autocomplete="off" value=${typeof value === 'number' ? value.toFixed(2) : value ?? ''}
        onInput=${(/** @type {any} */ e) => set(e.currentTarget.value.trim().replace(',', '.'))} />`);
    case 'colour':
      return frame(html`<input ...${common} autocomplete="off" spellcheck=${false} placeholder="#0b5563" value=${value ?? ''} onInput=${(/** @type {any} */ e) => set(e.currentTarget.value.trim())} />`);
    case 'date':
      return frame(html`<input ...${common} type="date" max=${LAST_DAY} value=${(value ?? '').slice(0, 10)} onChange=${(/** @type {any} */ e) => set(e.currentTarget.value)} />`);
    case 'when':
      return frame(html`<input ...${common} type="datetime-local" max=${`${LAST_DAY}T23:59`} value=${(value ?? '').slice(0, 16)} onChange=${(/** @type {any} */ e) => set(e.currentTarget.value && `${e.currentTarget.value}:00`)} />`);
    case 'bool':
      return html`<div class=${fault ? 'field faulty' : 'field'}>${fault && html`<p class="fault" id=${`${id}-fault`}><span aria-hidden="true">▲ </span>${fault}</p>`}
        <label class="check" for=${id}><input type="checkbox" id=${id} name=${id} aria-describedby=${described} checked=${value ?? of.on ?? false}
          onChange=${(/** @type {any} */ e) => set(e.currentTarget.checked)} /> <span>${label}</span></label>
        ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}</div>`;
    case 'choice':
      return frame(html`<select ...${common} value=${value ?? ''} onChange=${(/** @type {any} */ e) => set(e.currentTarget.value)}>
        ${(!of.req || !of.of?.includes(value)) && html`<option value="">${value && !of.of?.includes(value) ? value : ''}</option>`}${of.of?.map((one) => html`<option value=${one}>${word(of.label ?? of.k, one)}</option>`)}</select>`);
    case 'lines':
      return frame(html`<textarea ...${common} rows=${Math.max(2, (value ?? []).length + 1)} value=${(value ?? []).join('\n')}
        onInput=${(/** @type {any} */ e) => set(e.currentTarget.value.split('\n'))}></textarea>`);
    case 'one': {
      const list = form.lists[of.from ?? ''] ?? [];
      const now = of.as === 'ref' ? value?.id : value;
      return frame(html`<select ...${common} value=${now ?? ''} onChange=${(/** @type {any} */ e) => {
        const chosen = e.currentTarget.value;
        set(!chosen ? null : of.as === 'ref' ? { id: chosen } : chosen);
      }}><option value=""></option>${now && !list.some((one) => String(one.id) === String(now)) && html`<option value=${now}>${value?.name ?? now}</option>`}
        ${list.map((one) => html`<option value=${one.id}>${one.name}</option>`)}</select>`);
    }
    case 'many': {
      const list = form.lists[of.from ?? ''] ?? of.of?.map((one) => ({ id: one, name: word(of.label ?? of.k, one) })) ?? (form.extra?.[of.k] ?? []);
      const chosen = (value ?? []).map((/** @type {any} */ one) => (of.as === 'ref' ? one.id : one));
      const gone = chosen.filter((/** @type {any} */ one) => !list.some((/** @type {any} */ known) => String(known.id) === String(one)));
      const turn = (/** @type {any} */ one, /** @type {boolean} */ on) => set(on ? [...(value ?? []), of.as === 'ref' ? { id: one } : one]
        : (value ?? []).filter((/** @type {any} */ entry) => String(of.as === 'ref' ? entry.id : entry) !== String(one)));
      return html`<${Group} id=${id} label=${label} hint=${hint} fault=${fault} level="inner">
        ${!list.length && !gone.length && html`<p class="muted">${t('many.none')}</p>`}
        <div class="row">${[...list, ...gone.map((/** @type {any} */ one) => ({ id: one, name: String(one) }))].map((/** @type {any} */ one) => html`<label class="check"><input type="checkbox"
          checked=${chosen.some((/** @type {any} */ c) => String(c) === String(one.id))} onChange=${(/** @type {any} */ e) => turn(one.id, e.currentTarget.checked)} /> <span>${one.name}</span></label>`)}</div><//>`;
    }
    case 'days':
      return html`<${Group} id=${id} label=${label} fault=${fault} level="inner"><div class="row">${WEEK.map((day) => html`<label class="check"><input type="checkbox" checked=${(value ?? []).includes(day)}
        onChange=${(/** @type {any} */ e) => set(WEEK.filter((one) => (one === day ? e.currentTarget.checked : (value ?? []).includes(one))))} /> <span>${dayName(day, 'long')}</span></label>`)}</div><//>`;
    case 'length': {
      const part = (/** @type {string} */ name, /** @type {string} */ key) => html`<div class="field inline"><label for=${`${id}-${name}`}>${t(key)}</label>
        <input id=${`${id}-${name}`} inputmode="numeric" autocomplete="off" aria-invalid=${fault ? 'true' : undefined} value=${value?.[name] ?? ''}
          onInput=${(/** @type {any} */ e) => set({ ...value, [name]: whole(e.currentTarget.value) })} /></div>`;
      return html`<${Group} id=${id} label=${label} hint=${hint} fault=${fault} level="inner"><div class="row">${part('hour', 'length.hours')}${part('minutes', 'length.minutes')}</div><//>`;
    }
    case 'channels':
      return html`<${Channels} id=${id} label=${label} value=${value} onValue=${set} fault=${fault} none=${of.none} />`;
    case 'times':
      return html`<${Times} id=${id} label=${label} value=${value} onValue=${set} fault=${fault} form=${form} path=${path} />`;
    case 'json':
      return html`<${Json} id=${id} label=${label} hint=${hint} fault=${fault} value=${value} onValue=${set} wide=${of.wide} />`;
    case 'group':
      return html`<${Group} id=${id} label=${label} hint=${hint} fault=${fault} level="inner"><${Fields} fields=${of.fields} form=${form} path=${path} /><//>`;
    case 'list':
      return html`<${List} of=${of} id=${id} label=${label} hint=${hint} fault=${fault} form=${form} path=${path} list=${value ?? []} set=${set} />`;
    default:
      return frame(html`<input ...${common} type=${of.input ?? 'text'} autocomplete=${of.complete ?? 'off'} value=${value ?? ''} onInput=${(/** @type {any} */ e) => set(e.currentTarget.value)} />`);
  }
}

/** What has no shape of its own, as it is written. @param {any} of */
function Json({ id, label, hint, fault, value, onValue, wide }) {
  const written = JSON.stringify(value ?? null);
  // What is typed is shown until there is another value, such as that of somebody else's version.
  const [typed, setTyped] = useState({ over: '', text: '', wrong: false });
  const mine = typed.over === written ? typed : null;
  const text = mine?.text ?? (written === 'null' ? '' : JSON.stringify(value, null, 2));
  return html`<${Frame} id=${id} label=${label} hint=${hint} fault=${mine?.wrong ? t('json.wrong') : fault} wide=${wide}>
    <textarea id=${id} class="mono" rows="3" spellcheck=${false} value=${text} onInput=${(/** @type {any} */ e) => {
      const next = e.currentTarget.value;
      try {
        const read = next.trim() ? JSON.parse(next) : null;
        setTyped({ over: JSON.stringify(read), text: next, wrong: false });
        onValue(read);
      } catch {
        setTyped({ over: written, text: next, wrong: true });
      }
    }}></textarea><//>`;
}

/** What an entry of a list is called. @param {any} entry @param {Form} form */
function titleOf(entry, form) {
  const known = (/** @type {any} */ id) => Object.values(form.lists).flat().find((one) => String(one.id) === String(id))?.name;
  return entry?.name || entry?.label || entry?.description || entry?.action || entry?.email || entry?.limit
    || known(entry?.personType?.id ?? entry?.personTypeId ?? entry?.eventTemplateId ?? entry?.category?.id ?? entry?.id) || (/^[0-9a-f-]{12,}$/i.test(entry?.id ?? '') ? '' : entry?.id) || '';
}

/** Entries that are added and removed. @param {any} of */
function List({ of, id, label, hint, fault, form, path, list, set }) {
  /** The entry that was added last, until its first field has the focus. */
  const added = useRef(/** @type {number | null} */ (null));
  const add = () => {
    added.current = list.length;
    set([...list, structuredClone(of.fresh ?? {})]);
  };
  useLayoutEffect(() => {
    if (added.current === null) return;
    const entry = document.getElementById(idOf([...path, added.current]));
    /** @type {HTMLElement | null | undefined} */
    const first = entry?.querySelector('input, select, textarea');
    first?.focus();
    added.current = null;
  }, [list.length]);
  return html`<${Group} id=${id} label=${label} hint=${hint} fault=${fault} level="listed">
    ${list.map((/** @type {any} */ entry, /** @type {number} */ at) => {
      const own = [...path, at];
      const name = titleOf(entry, form);
      const mine = faultAt(form, own);
      return html`<fieldset class=${mine ? 'entry faulty' : 'entry'} id=${idOf(own)} tabindex="-1"><legend>${t('list.entry', { what: label, n: at + 1 })}${name && html`: <span class="plainly">${name}</span>`}</legend>
        ${mine && html`<p class="fault"><span aria-hidden="true">▲ </span>${mine}</p>`}
        <${Fields} fields=${of.fields} form=${form} path=${own} />
        <div class="row end">
          ${at > 0 && html`<button type="button" class="quiet" onClick=${() => set(moved(list, at))}>${t('list.up')}</button>`}
          <button type="button" class="quiet" onClick=${() => set(list.filter((/** @type {any} */ _, /** @type {number} */ n) => n !== at))}>${t('list.remove', { what: name || `${label} ${at + 1}` })}</button>
        </div></fieldset>`;
    })}
    <button type="button" class="quiet" onClick=${add}>${t('list.add', { what: label })}</button>
  <//>`;
}

/** @param {any[]} list @param {number} at */
function moved(list, at) {
  const next = [...list];
  [next[at - 1], next[at]] = [next[at], next[at - 1]];
  return next;
}

/** @param {{fields: readonly Described[], form: Form, path?: (string | number)[]}} of */
export function Fields({ fields, form, path = [] }) {
  const record = path.reduce((/** @type {any} */ at, part) => at?.[part], form.value);
  return html`<div class="fields">${fields.filter((of) => !of.when || of.when(record ?? {})).map((of) => html`<${One} key=${of.k} of=${of} form=${form} path=${[...path, of.k]} />`)}</div>`;
}

/** Fields that the service makes, and that nobody edits. */
const MADE = new Set(['lastPublished', 'lastUpdated', 'soldQuantity', 'available', 'publication', 'inventoryAddOns', 'updatedOn', 'updatedBy', 'effectiveBenefits', 'discountAvailable']);

/** What is written at each place of a record. @param {any} value @param {string} [at] @returns {Record<string, string>} */
function leaves(value, at = '') {
  if (value === null || value === undefined || value === '') return {};
  if (typeof value !== 'object') return { [at]: String(value) };
  return Object.assign({}, ...Object.entries(value).filter(([key]) => !MADE.has(key)).map(([key, one]) => leaves(one, at ? `${at} › ${Array.isArray(value) ? Number(key) + 1 : key}` : key)));
}
/** @param {any} a @param {any} b */
const same = (a, b) => JSON.stringify(leaves({ a })) === JSON.stringify(leaves({ a: b }));

/** What differs between two versions of a field, in words. @param {{mine: any, other: any, name: string}} of */
function Difference({ mine, other, name }) {
  const [a, b] = [leaves(mine, name), leaves(other, name)];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => a[key] !== b[key]);
  const say = (/** @type {string | undefined} */ text) => (text === undefined ? html`<span class="muted">${t('clash.nothing')}</span>` : text);
  const shorter = (/** @type {string} */ key) => (keys.length === 1 ? '' : html`<span class="muted small">${key.split(' › ').map((part) => word('f', part)).join(' › ')}: </span>`);
  return [a, b].map((side) => keys.slice(0, 12).map((key) => html`<span class="difference">${shorter(key)}${say(side[key])}</span>`));
}

/**
 * Somebody else saved meanwhile: both versions, field by field, and what is kept of each.
 * @param {{base: any, mine: any, other: any, onChosen: (record: any) => void, onOther: () => void, busy?: boolean}} of
 */
export function Clash({ base, mine, other, onChosen, onOther }) {
  const keys = [...new Set([...Object.keys(mine), ...Object.keys(other)])].filter((key) => !MADE.has(key) && !same(mine[key], other[key]));
  const [picked, setPicked] = useState(/** @type {Record<string, boolean>} */ ({}));
  const isMine = (/** @type {string} */ key) => picked[key] ?? !same(mine[key], base[key]);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useFocus(box, []);
  return html`<section class="notice warn clash" tabindex="-1" ref=${box} aria-label=${t('clash.title')}>
    <h2>${t('clash.title')}</h2>
    <p>${t('clash.lead')}</p>
    ${!keys.length ? html`<p>${t('clash.same')}</p>` : html`<table><caption class="visually-hidden">${t('clash.title')}</caption>
      <thead><tr><th scope="col">${t('clash.field')}</th><th scope="col">${t('clash.mine')}</th><th scope="col">${t('clash.other')}</th></tr></thead>
      <tbody>${keys.map((key) => {
        const [a, b] = Difference({ mine: mine[key], other: other[key], name: key });
        const side = (/** @type {boolean} */ own, /** @type {any} */ text) => html`<td data-label=${own ? t('clash.mine') : t('clash.other')}><label class="pick"><input type="radio" name=${`clash-${key}`} checked=${isMine(key) === own}
          onChange=${() => setPicked({ ...picked, [key]: own })} /> <span>${text}</span></label></td>`;
        return html`<tr><th scope="row">${word('f', key)}</th>${side(true, a)}${side(false, b)}</tr>`;
      })}</tbody></table>`}
    <div class="row">
      <button type="button" onClick=${() => onChosen({ ...other, ...Object.fromEntries(keys.filter(isMine).map((key) => [key, mine[key]])) })}>${t('clash.save')}</button>
      <button type="button" class="quiet" onClick=${onOther}>${t('clash.take')}</button>
    </div>
  </section>`;
}
