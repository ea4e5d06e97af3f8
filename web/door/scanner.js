// @ts-check
/** The one screen of a steward: the camera, the last verdict, and three buttons. */
import { html, useEffect, useFocus, useRef, useState, useValue, Loading } from '/shared/ui.js';
import { t } from '/shared/intl.js';
import { last, scanCode, undo, undoable, verdict } from '/door/admit.js';
import { href, route, set, settings } from '/door/state.js';
import { startCamera } from '/door/camera.js';
import { openOrderOf } from '/door/find.js';
import { nameOf, share, why } from '/door/words.js';
import { changed } from '/door/list.js';

/** @type {Promise<unknown>} */
let line = Promise.resolve();
let scanning = false;

const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));

/** Scans one code after the other. @param {string} code @param {number} [seenAt] when the picture was taken that has it */
function read(code, seenAt = performance.now()) {
  scanning = true;
  const turn = line.catch(() => undefined).then(async () => {
    try {
      await scanCode(code);
      await painted();
      if (performance.getEntriesByName('scan to answer').length > 100) performance.clearMeasures('scan to answer');
      performance.measure('scan to answer', { start: seenAt, end: performance.now() });
    } finally {
      scanning = false;
    }
  });
  line = turn;
  return turn;
}

/** What was done last, to be taken back. @param {{order?: boolean}} of `order`: with a way to the order */
export function Last({ order = true }) {
  const of = useValue(last);
  useValue(changed);
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    setSaid('');
    setBusy(false);
  }, [of?.turn]);
  if (!of) return html`<section class="last" aria-label=${t('last.label')}><p class="muted">${t('last.none')}</p></section>`;
  const { result } = of;
  const others = result.orderId && result.quantity > 1;
  const takeBack = async () => {
    if (busy) return;
    setBusy(true);
    const how = await undo(of);
    setBusy(false);
    setSaid(t(`undo.${how}`));
  };
  return html`<section class="last" aria-label=${t('last.label')}>
    <div class="last-text"><p><span class=${`dot ${of.undone ? '' : of.kind}`} aria-hidden="true"></span><strong>${of.undone ? t('last.undone') : t(`verdict.${of.key}`)}</strong>${!of.undone && share(result) ? ` · ${share(result)}` : ''}</p>
      <p class="small muted">${of.result.admitted ? why(of) : [why(of), result.ticketTypeName, nameOf(result)].filter(Boolean).join(' · ')}</p>
      <p class="small" role="status">${said}</p></div>
    <div class="last-acts">
      ${undoable(of) && html`<button type="button" class="quiet" onClick=${takeBack}>${busy ? t('undo.busy') : t('undo')}</button>`}
      ${order && (others || of.key === 'order') && html`<a class="button quiet" href=${href({ event: route.peek().event, view: 'order' })} onClick=${() => openOrderOf(of)}>${t('last.order')}</a>`}
    </div></section>`;
}

/** @type {Record<string, string>} */
const FAULTS = { NotAllowedError: 'denied', SecurityError: 'denied', NotFoundError: 'none', OverconstrainedError: 'none', NotReadableError: 'busy', AbortError: 'busy', NotSupportedError: 'unsupported' };

export default function Scanner() {
  const { camera } = useValue(settings);
  const video = useRef(/** @type {HTMLVideoElement | null} */ (null));
  const [state, setState] = useState(/** @type {{now: string, torch?: any}} */ ({ now: 'asking' }));
  const [lit, setLit] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let gone = false;
    /** @type {{stop: () => void} | null} */
    let running = null;
    let starting = false;
    const start = async () => {
      if (gone || running || starting || document.hidden) return;
      starting = true;
      try {
        const begun = await startCamera(/** @type {HTMLVideoElement} */ (video.current), camera, (code, seenAt) => read(code, seenAt), () => (scanning ? 'asking' : verdict.peek() ? 'shown' : ''), () => {
          running?.stop();
          running = null;
          if (!gone) setState({ now: 'busy' });
        });
        if (gone || document.hidden) begun.stop();
        else {
          running = begun;
          setLit(false);
          setState({ now: 'on', torch: begun.torch });
        }
      } catch (error) {
        if (!gone) setState({ now: FAULTS[/** @type {any} */ (error)?.name] ?? 'busy' });
      } finally {
        starting = false;
      }
    };
    const seen = () => {
      if (document.hidden) {
        running?.stop();
        running = null;
      } else start();
    };
    start();
    document.addEventListener('visibilitychange', seen);
    return () => {
      gone = true;
      running?.stop();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [camera, turn]);
  const light = async () => {
    try {
      await state.torch(!lit);
      setLit(!lit);
    } catch {
      setState({ ...state, torch: null });
    }
  };
  const on = state.now === 'on';
  return html`<h1 class="visually-hidden">${t('scan.title')}</h1>
    <div class="view">
      <video ref=${video} class=${on ? '' : 'dark'} muted playsinline aria-label=${t('scan.camera')}></video>
      ${on && html`<div class="frame" aria-hidden="true"></div><p class="hint-over">${t('scan.hint')}</p>`}
      ${state.now === 'asking' && html`<div class="over"><${Loading} lines=${2} /><p class="muted">${t('camera.asking')}</p></div>`}
      ${!on && state.now !== 'asking' && html`<div class="over" role="status"><h2>${t(`camera.${state.now}`)}</h2><p class="muted">${t(`camera.${state.now}.help`)}</p>
        <p><button type="button" class="quiet" onClick=${() => {
          setState({ now: 'asking' });
          setTurn(turn + 1);
        }}>${t('camera.again')}</button></p></div>`}
      ${on && html`<div class="view-acts">
        ${state.torch && html`<button type="button" class="over-view" aria-pressed=${lit ? 'true' : 'false'} onClick=${light}>${t('scan.torch')}</button>`}
        <${Cameras} />
      </div>`}
    </div>
    <${Last} />`;
}

/** Goes to the next camera. */
function Cameras() {
  const [all, setAll] = useState(/** @type {MediaDeviceInfo[]} */ ([]));
  const { camera } = useValue(settings);
  useEffect(() => {
    import('/door/camera.js').then(({ cameras }) => cameras()).then(setAll, () => undefined);
  }, []);
  if (all.length < 2) return null;
  const at = all.findIndex((one) => one.deviceId === camera);
  return html`<button type="button" class="over-view" onClick=${() => set({ camera: all[(at + 1) % all.length].deviceId })}>${t('scan.otherCamera')}</button>`;
}

/** A code by hand, or by a scanner that types. */
export function Typed() {
  const [code, setCode] = useState('');
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [fault, setFault] = useState('');
  const shown = useValue(verdict);
  useFocus(field, [shown === null], () => !shown);
  const send = async (/** @type {any} */ event) => {
    event.preventDefault();
    const text = code.trim();
    if (!text) {
      setFault(t('typed.fault'));
      field.current?.focus();
      return;
    }
    setFault('');
    setCode('');
    await read(text);
  };
  return html`<h1>${t('typed.title')}</h1><p class="muted">${t('typed.lead')}</p>
    <form onSubmit=${send} novalidate class="part"><div class=${fault ? 'field faulty' : 'field'}>
      <label for="code">${t('typed.code')}</label>
      ${fault && html`<p class="fault" id="code-fault" role="alert"><span aria-hidden="true">▲ </span>${fault}</p>`}
      <input id="code" name="code" ref=${field} class="mono big" autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck="false" enterkeyhint="go" value=${code}
        aria-describedby=${fault ? 'code-fault' : undefined} aria-invalid=${fault ? 'true' : undefined} onInput=${(/** @type {any} */ e) => setCode(e.currentTarget.value)} /></div>
      <button type="submit" class="wide">${t('typed.check')}</button></form>
    <${Last} />`;
}

