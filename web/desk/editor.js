// @ts-check
/** A record in a form of its own: read, changed, saved by its revision, put beside somebody else's change, taken away. */
import { html, useEffect, useRef, useState, Loading } from '/shared/ui.js';
import { t } from '/shared/intl.js';
import { Refusal, newKey } from '/shared/client.js';
import { api, forgetLists, unsaved } from '/desk/state.js';
import { Clash, FaultList, Fields, faultsOf, loadLists, pointer, pruned, withValue } from '/desk/form.js';
import { Failed, Refused } from '/desk/said.js';

/**
 * @typedef {object} Editing
 * @property {import('/desk/resources.js').Section[]} sections
 * @property {(() => Promise<{body: any, etag: string | null}>) | null} read null for a new record
 * @property {any} [fresh]
 * @property {(record: any, asked: {match: string | null, key: string}) => Promise<{body: any, etag: string | null}>} write
 * @property {(record: any) => any} [toBody] what of the record is sent
 * @property {string} [saveLabel]
 * @property {(saved: any, isNew: boolean) => void} [onSaved]
 * @property {(record: any) => any} [head] shown above the form
 * @property {(record: any, section: string, list: Record<string, any[]>) => any} [beside] shown in a section
 * @property {(record: any, save: (change?: any) => void, busy: boolean) => any} [buttons]
 * @property {(match: string | null) => Promise<any>} [remove]
 * @property {(record: any) => string} [removeLabel]
 * @property {() => void} [onRemoved]
 * @property {string} of what the form is about; another one starts anew
 * @property {string} [saved] what is said once it is saved
 * @property {string} [prefix] of a complaint's field, where the form is a part of what is sent
 */

/** @param {any} of */
const isRecord = (of) => of !== null && typeof of === 'object' && !Array.isArray(of);

/** What was typed since something was sent, on top of how that was saved. @param {any} sent @param {any} typed @param {any} saved @returns {any} */
export function typedSince(sent, typed, saved) {
  if (typed === sent) return saved;
  const all = [sent, typed, saved];
  if (all.every(Array.isArray) && sent.length === typed.length && sent.length === saved.length) {
    return typed.map((/** @type {any} */ one, /** @type {number} */ at) => typedSince(sent[at], one, saved[at]));
  }
  if (!all.every(isRecord)) return typed;
  return Object.fromEntries([...new Set([...Object.keys(saved), ...Object.keys(typed)])].map((key) => [key, typedSince(sent[key], typed[key], saved[key])]));
}

/** What was typed while a new record was made, for the form that the record then has. @type {{id: any, sent: any, typed: any} | null} */
let handedOver = null;

/** @param {Editing} of */
export function Editor(of) {
  const [state, setState] = useState(/** @type {any} */ ({}));
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState(/** @type {string | null} */ (null));
  const [leaving, setLeaving] = useState(false);
  const key = useRef(newKey());
  const changed = state.value !== undefined && state.value !== state.base;
  /** The form as it is now, for what was begun with an earlier one. */
  const current = useRef(state);
  current.current = state;
  const load = async () => {
    setState({});
    try {
      const [found, lists] = await Promise.all([of.read ? of.read() : { body: of.fresh, etag: null }, loadLists(of.sections.flatMap(({ fields }) => fields))]);
      const more = of.read && handedOver?.id === found.body?.id ? handedOver : null;
      handedOver = null;
      setState({ base: found.body, value: more ? typedSince(more.sent, more.typed, found.body) : found.body, etag: found.etag, lists, faults: {}, turn: 0 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setState({ failed: error });
    }
  };
  useEffect(() => {
    setSaid(null);
    load();
  }, [of.of]);
  useEffect(() => {
    unsaved.current = changed ? () => confirm(t('edit.leave')) : null;
    return () => {
      unsaved.current = null;
    };
  }, [changed]);
  if (state.failed) return html`<${Failed} error=${state.failed} retry=${load} />`;
  if (state.value === undefined) return html`<${Loading} lines=${6} block />`;

  /** Changes nothing of what is in the form by then. @param {any} next */
  const put = (next) => setState((/** @type {any} */ now) => ({ ...now, ...next }));
  /** @param {any} [change] what a button adds, such as going on sale: no part of the form until it is saved @param {any} [form] */
  const save = async (change, form = state) => {
    if (busy) return;
    setBusy(true);
    setSaid(null);
    const sent = form.value;
    const record = { ...sent, ...change };
    try {
      const body = of.toBody ? of.toBody(record) : pruned(record) ?? {};
      const { body: saved, etag } = await of.write(body, { match: form.etag, key: key.current });
      key.current = newKey();
      forgetLists();
      const typed = current.current.value;
      setState((/** @type {any} */ now) => ({ ...now, base: saved, value: typedSince(sent, now.value, saved), etag, faults: {}, refused: null, clash: null }));
      setSaid(of.saved ?? t('edit.saved'));
      if (typed === sent || !of.read) {
        handedOver = typed === sent ? null : { id: saved.id, sent, typed };
        unsaved.current = null;
        of.onSaved?.(saved, !of.read);
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!error.undecided) key.current = newKey();
      if (error.type === 'PRECONDITION_FAILED' && of.read) {
        const other = await of.read().catch(() => null);
        put(other ? { refused: null, clash: { value: other.body, etag: other.etag } } : { refused: error });
      } else if (error.details.length) {
        const strip = of.prefix ?? '';
        const details = error.details.map(({ field, message }) => ({ field: field.startsWith(strip) ? field.slice(strip.length) : field, message }));
        put({ faults: faultsOf(details), turn: form.turn + 1, refused: error.type === 'VALIDATION_ERROR' || error.status === 404 ? null : new Refusal(error.status, { ...error.body, details: [] }) });
      } else put({ refused: error });
    }
    setBusy(false);
  };
  /** What is kept of two versions is in the form, and is saved over the other one. @param {any} value */
  const saveChosen = (value) => {
    const form = { ...state, base: state.clash.value, value, etag: state.clash.etag, clash: null };
    setState(form);
    save(undefined, form);
  };
  const remove = async () => {
    setBusy(true);
    try {
      await of.remove?.(state.etag);
      forgetLists();
      unsaved.current = null;
      of.onRemoved?.();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      put({ refused: error });
      setBusy(false);
    }
    setLeaving(false);
  };
  const form = {
    value: state.value, faults: state.faults, lists: state.lists,
    // A schedule chooses among the price lists of its own event, once they have an id.
    extra: { priceLists: (state.value.priceLists ?? []).filter((/** @type {any} */ one) => one.id).map((/** @type {any} */ one) => ({ id: one.id, name: one.name || one.id })) },
    set: (/** @type {any} */ path, /** @type {any} */ value) => {
      setSaid(null);
      const changedAt = pointer(path);
      const open = (/** @type {string} */ field) => field !== changedAt && !field.startsWith(`${changedAt}/`);
      setState((/** @type {any} */ now) => ({ ...now, value: withValue(now.value, path, value), faults: Object.fromEntries(Object.entries(now.faults).filter(([field]) => open(field))) }));
    },
  };
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    save();
  };
  return html`
    ${of.head?.(state.value)}
    ${state.clash && html`<${Clash} base=${state.base} mine=${state.value} other=${state.clash.value}
      onChosen=${saveChosen}
      onOther=${() => setState({ ...state, base: state.clash.value, value: state.clash.value, etag: state.clash.etag, clash: null })} />`}
    ${state.refused && html`<${Refused} error=${state.refused} />`}
    <form class="sheet" noValidate onSubmit=${submit} autocomplete="off">
      <${FaultList} faults=${state.faults} turn=${state.turn} />
      ${of.sections.map(({ key: name, fields, open }) => (of.sections.length === 1
        ? html`<${Fields} fields=${fields} form=${form} />${of.beside?.(state.value, name, state.lists)}`
        : html`<details open=${open} key=${name}><summary><h2>${t(`section.${name}`)}</h2></summary>
            <${Fields} fields=${fields} form=${form} />${of.beside?.(state.value, name, state.lists)}</details>`))}
      <div class="savebar">
        ${of.buttons ? of.buttons(state.value, save, busy) : html`<button type="submit" aria-disabled=${busy ? 'true' : undefined}>${busy ? t('edit.saving') : of.saveLabel ?? t('edit.save')}</button>`}
        ${of.remove && !leaving && html`<button type="button" class="quiet" onClick=${() => setLeaving(true)}>${of.removeLabel?.(state.value) ?? t('edit.remove')}</button>`}
        ${changed && html`<span class="muted small">${t('edit.changed')}</span>`}
        <div role="status">${said && html`<p class="tag good">${said}</p>`}</div>
      </div>
      ${leaving && html`<div class="notice warn" role="group" aria-label=${t('edit.removeAsk')}><p>${t('edit.removeAsk')}</p>
        <div class="row"><button type="button" onClick=${remove}>${of.removeLabel?.(state.value) ?? t('edit.remove')}</button>
          <button type="button" class="quiet" onClick=${() => setLeaving(false)}>${t('edit.keep')}</button></div></div>`}
    </form>`;
}

/** What a list of the catalog is written with. @param {import('/desk/resources.js').Resource} of @param {string} [id] @returns {Pick<Editing, 'read' | 'write' | 'remove'>} */
export function writerOf(of, id) {
  if (!id) return { read: null, write: (body, asked) => api.write('POST', of.path, { body, key: asked.key }) };
  const at = `${of.path}/${id}`;
  return {
    read: () => api.read(at),
    write: (body, asked) => api.write('PUT', of.flat ? of.path : at, { body, ...asked }),
    remove: (match) => api.write('DELETE', at, { match }),
  };
}
