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

/** @param {Editing} of */
export function Editor(of) {
  const [state, setState] = useState(/** @type {any} */ ({}));
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState(/** @type {string | null} */ (null));
  const [leaving, setLeaving] = useState(false);
  const key = useRef(newKey());
  const changed = state.value !== undefined && state.value !== state.base;
  const load = async () => {
    setState({});
    try {
      const [found, lists] = await Promise.all([of.read ? of.read() : { body: of.fresh, etag: null }, loadLists(of.sections.flatMap(({ fields }) => fields))]);
      setState({ base: found.body, value: found.body, etag: found.etag, lists, faults: {}, turn: 0 });
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

  /** @param {any} [change] @param {any} [from] another version and its revision */
  const save = async (change, from) => {
    if (busy) return;
    setBusy(true);
    setSaid(null);
    const record = { ...(from?.value ?? state.value), ...change };
    // What a button adds, such as going on sale, is not a part of the form until it is saved.
    const kept = from?.value ?? state.value;
    const match = from?.etag ?? state.etag;
    try {
      const body = of.toBody ? of.toBody(record) : pruned(record) ?? {};
      const { body: saved, etag } = await of.write(body, { match, key: key.current });
      key.current = newKey();
      forgetLists();
      unsaved.current = null;
      setState({ ...state, base: saved, value: saved, etag, faults: {}, refused: null, clash: null });
      setSaid(of.saved ?? t('edit.saved'));
      of.onSaved?.(saved, !of.read);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!error.undecided) key.current = newKey();
      if (error.type === 'PRECONDITION_FAILED' && of.read) {
        const other = await of.read().catch(() => null);
        if (other) setState({ ...state, value: kept, refused: null, clash: { value: other.body, etag: other.etag } });
        else setState({ ...state, value: kept, refused: error });
      } else if (error.details.length) {
        const strip = of.prefix ?? '';
        const details = error.details.map(({ field, message }) => ({ field: field.startsWith(strip) ? field.slice(strip.length) : field, message }));
        setState({ ...state, value: kept, faults: faultsOf(details), turn: state.turn + 1, refused: error.type === 'VALIDATION_ERROR' || error.status === 404 ? null : new Refusal(error.status, { ...error.body, details: [] }) });
      } else setState({ ...state, value: kept, refused: error });
    }
    setBusy(false);
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
      setState({ ...state, refused: error });
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
    <div role="status">${said && html`<p class="notice good">${said}</p>`}</div>
    ${state.clash && html`<${Clash} base=${state.base} mine=${state.value} other=${state.clash.value}
      onChosen=${(/** @type {any} */ value) => save(undefined, { value, etag: state.clash.etag })}
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
