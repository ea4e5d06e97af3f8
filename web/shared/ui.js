// @ts-check
/** Pieces that every page is made of. */
import { html, useEffect, useLayoutEffect, useRef, useState, useCallback } from './vendor/htm-preact.js';
import { signal } from './vendor/signals-core.js';
import { LAST_DAY, isDay, t } from './intl.js';
import { Refusal, serviceNow } from './client.js';

export { html, signal, useEffect, useLayoutEffect, useRef, useState };
export { useMemo, render } from './vendor/htm-preact.js';

/** The value of a signal; the component is drawn again when it changes. @template T @param {{value: T, subscribe: (run: (value: T) => void) => () => void, peek: () => T}} of @returns {T} */
export function useValue(of) {
  const [, draw] = useState(0);
  const seen = of.peek();
  useEffect(() => of.subscribe((value) => {
    if (value !== seen) draw((/** @type {number} */ n) => n + 1);
  }), [of, seen]);
  return seen;
}

/**
 * The address as the one source of truth: the names that it may have, and the moves between its views.
 * @template {string} N
 * @param {readonly N[]} names
 * @param {{stays?: readonly N[], mayLeave?: () => boolean, fits?: Partial<Record<N, (text: string) => boolean>>}} [how] `stays` is
 * kept by every move; what does not fit is read as if it were not there
 */
export function makeAddress(names, { stays = [], mayLeave = () => true, fits = {} } = {}) {
  /** @typedef {Partial<Record<N, string>>} Route */
  const read = () => {
    const query = new URLSearchParams(location.search);
    return /** @type {Route} */ (Object.fromEntries(names.flatMap((name) => {
      const text = query.get(name);
      return text && (fits[name]?.(text) ?? true) ? [[name, text]] : [];
    })));
  };
  const route = signal(read());
  /** Counts the moves, so that the focus follows them. */
  const moves = signal(0);
  /** @param {Route} to */
  const href = (to) => {
    const query = new URLSearchParams();
    for (const name of names) {
      const value = name in to || !stays.includes(name) ? to[name] : route.peek()[name];
      if (value) query.set(name, value);
    }
    return query.size ? `?${query}` : location.pathname;
  };
  /** @param {Route} to @param {{replace?: boolean, still?: boolean}} [how] `still` keeps focus and scroll where they are */
  const go = (to, how = {}) => {
    if (!mayLeave()) return;
    const address = href(to);
    if (how.replace) history.replaceState(null, '', address);
    else if (address !== location.search) history.pushState(null, '', address);
    route.value = read();
    if (!how.still) moves.value += 1;
  };
  addEventListener('popstate', () => {
    if (!mayLeave()) {
      history.pushState(null, '', href(route.peek()));
      return;
    }
    route.value = read();
    moves.value += 1;
  });
  /** A click on a link inside of the page. @param {any} event */
  const follow = (event) => {
    /** @type {HTMLAnchorElement | null} */
    const link = event.target.closest?.('a[href]');
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const inside = link.origin === location.origin && link.pathname === location.pathname && !link.hash;
    if (!inside || link.target || link.hasAttribute('data-reload')) return;
    event.preventDefault();
    go(/** @type {Route} */ (Object.fromEntries(new URLSearchParams(link.search))), { still: link.hasAttribute('data-still') });
  };
  return { route, moves, href, go, follow };
}

/** Takes the token of a mailed link out of the address, before anything else happens. @param {string} name */
export function takeToken(name) {
  const query = new URLSearchParams(location.search);
  const token = query.get(name);
  if (token !== null) {
    query.delete(name);
    history.replaceState(null, '', query.size ? `?${query}` : location.pathname);
  }
  return token;
}

/**
 * Something takes the focus when `on` changes, in the moment in which it is drawn: what is typed or pressed a frame later is
 * meant for where the focus is then.
 * @param {{current: HTMLElement | null}} box @param {unknown[]} on @param {() => boolean} [when]
 */
export function useFocus(box, on, when = () => true) {
  useLayoutEffect(() => {
    if (when()) box.current?.focus();
  }, on);
}

/** After a move the focus goes to the heading, once it is there. @param {{current: HTMLElement | null}} main @param {number} move @param {unknown} shown @param {(heading: HTMLElement) => void} [tell] */
export function useHeading(main, move, shown, tell) {
  useLayoutEffect(() => {
    if (!move) return undefined;
    const focus = () => {
      const heading = main.current?.querySelector('h1');
      if (!heading) return false;
      tell?.(heading);
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      return true;
    };
    scrollTo(0, 0);
    if (focus()) return undefined;
    const watch = new MutationObserver(() => focus() && watch.disconnect());
    if (main.current) watch.observe(main.current, { childList: true, subtree: true });
    return () => watch.disconnect();
  }, [move, shown]);
}

/** The way past what is on every page. @param {{main: {current: HTMLElement | null}}} of */
export function Skip({ main }) {
  return html`<a class="skip" href="#main" onClick=${(/** @type {any} */ e) => {
    e.preventDefault();
    main.current?.focus();
  }}>${t('skip')}</a>`;
}

/** Says so while there is no network. */
export function Offline() {
  const [off, setOff] = useState(!navigator.onLine);
  useEffect(() => {
    const look = () => setOff(!navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return html`<div role="status">${off && html`<p class="banner">${t('offline')}</p>`}</div>`;
}

/**
 * Loads, and loads again. What was shown stays while it is loaded anew, and is `stale` if that fails.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} on
 */
export function useLoad(load, on) {
  const [state, setState] = useState(/** @type {{data?: T, error?: Refusal, at?: number, of?: string}} */ ({}));
  const turn = useRef(0);
  const of = JSON.stringify(on);
  const run = useCallback(async () => {
    const mine = (turn.current += 1);
    try {
      const data = await load();
      if (mine === turn.current) setState({ data, at: serviceNow(), of });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (mine === turn.current) setState((/** @type {any} */ before) => (before.of === of ? { ...before, error } : { error, of }));
    }
  }, [of]);
  useEffect(() => {
    run();
    const refresh = () => {
      if (document.visibilityState === 'visible') run();
    };
    const online = () => run();
    const timer = setInterval(refresh, 60_000);
    document.addEventListener('visibilitychange', refresh);
    addEventListener('online', online);
    return () => {
      turn.current += 1;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
      removeEventListener('online', online);
    };
  }, [run]);
  const mine = state.of === of ? state : {};
  return {
    data: /** @type {T | undefined} */ (mine.data),
    error: mine.data === undefined ? mine.error : undefined,
    stale: mine.data !== undefined && mine.error !== undefined,
    at: mine.at,
    reload: run,
  };
}

/** What happened, in words. @param {Refusal} error */
export function reason(error) {
  if (error.type === 'OFFLINE') return t('error.offline');
  if (error.status === 0) return t('error.noAnswer');
  if (error.status === 404) return t('error.notFound');
  if (error.status === 429) return t('error.throttled');
  if (error.type === 'TRY_AGAIN') return t('error.busy');
  return t('error.other');
}

/** A place of the final size while something is loaded. */
export function Loading({ lines = 3, block = false }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 2000);
    return () => clearTimeout(timer);
  }, []);
  return html`<div class="loading" aria-busy="true">
    ${Array.from({ length: lines }, () => html`<div class=${block ? 'bone block' : 'bone'}></div>`)}
    <p class="visually-hidden" role="status">${late ? t('loading.late') : t('loading')}</p>
    ${late && html`<p class="muted" aria-hidden="true">${t('loading.late')}</p>`}
  </div>`;
}

/** What went wrong with a load, and the one thing to do. @param {{error: Refusal, retry: () => void}} of */
export function Failed({ error, retry }) {
  return html`<div class="notice bad" role="alert">
    <p><strong>${t('error.title')}</strong> ${reason(error)}</p>
    <button type="button" class="quiet" onClick=${retry}>${t('error.again')}</button>
  </div>`;
}

/** @param {{kind?: 'bad' | 'warn' | 'good' | 'info', title?: string, children?: any, alert?: boolean, id?: string}} of */
export function Notice({ kind = 'info', title, children, alert, id }) {
  return html`<div class=${`notice ${kind}`} role=${alert ? 'alert' : undefined} id=${id}>
    ${title && html`<p><strong>${title}</strong></p>`}${children}
  </div>`;
}

/**
 * One question: its label, hint, fault and control.
 * @param {any} of
 */
export function Field({ id, label, hint, fault, optional, children, value, onValue, type = 'text', options, rows, ...rest }) {
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ') || undefined;
  const common = {
    id,
    name: id,
    'aria-describedby': described,
    'aria-invalid': fault ? 'true' : undefined,
    required: !optional,
    max: type === 'date' ? LAST_DAY : undefined,
    ...rest,
  };
  const control = children ?? (options
    ? html`<select ...${common} value=${value ?? ''} onChange=${(/** @type {any} */ e) => onValue(e.currentTarget.value)}>
        <option value=""></option>
        ${options.map((/** @type {any} */ o) => html`<option value=${o.value ?? o}>${o.label ?? o}</option>`)}
      </select>`
    : html`<input ...${common} type=${type} value=${value ?? ''} onInput=${(/** @type {any} */ e) => onValue(e.currentTarget.value)} />`);
  return html`<div class=${fault ? 'field faulty' : 'field'}>
    <label for=${id}>${label}${optional && html` <span class="muted">${t('field.optional')}</span>`}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${fault && html`<p class="fault" id=${`${id}-fault`}><span aria-hidden="true">▲ </span>${fault}</p>`}
    ${control}
  </div>`;
}

/** A day is taken once nobody has typed for so long: every digit on the way makes a day too, such as one in the year 2. */
const PAUSE_MS = 600;

/**
 * The field of a day, which is chosen or typed, and emptied where it is `optional`.
 * @param {{id: string, label: string, value: string, min?: string, optional?: boolean, onDay: (day: string) => void}} of
 */
export function DayField({ id, label, value, min, optional, onDay }) {
  // What is typed is shown until there is another value.
  const [typed, setTyped] = useState({ over: value, text: value });
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  useEffect(() => () => clearTimeout(timer.current), [value]);
  /** @param {HTMLInputElement} field */
  const dayOf = (field) => (isDay(field.value) || (optional && !field.value && !field.validity.badInput) ? field.value : null);
  const take = (/** @type {string | null} */ day) => {
    clearTimeout(timer.current);
    if (day !== null && day !== value) onDay(day);
  };
  const leave = (/** @type {any} */ event) => {
    const day = dayOf(event.currentTarget);
    take(day);
    if (day === null) setTyped({ over: value, text: value });
  };
  const type = (/** @type {any} */ event) => {
    const day = dayOf(event.currentTarget);
    setTyped({ over: value, text: event.currentTarget.value });
    clearTimeout(timer.current);
    timer.current = setTimeout(() => take(day), PAUSE_MS);
  };
  return html`<div class="field inline"><label for=${id}>${label}</label>
    <input id=${id} type="date" min=${min} max=${LAST_DAY} value=${typed.over === value ? typed.text : value} onInput=${type} onBlur=${leave} /></div>`;
}

/** A yes or no. @param {any} of */
export function Check({ id, label, fault, value, onValue, optional = true }) {
  return html`<div class=${fault ? 'field faulty' : 'field'}>
    ${fault && html`<p class="fault" id=${`${id}-fault`}><span aria-hidden="true">▲ </span>${fault}</p>`}
    <label class="check" for=${id}><input type="checkbox" id=${id} name=${id} checked=${value === true} required=${!optional}
      aria-describedby=${fault ? `${id}-fault` : undefined} aria-invalid=${fault ? 'true' : undefined}
      onChange=${(/** @type {any} */ e) => onValue(e.currentTarget.checked)} /> <span>${label}</span></label>
  </div>`;
}

/**
 * All faults of a form on top of it, each a link to its field. It takes the focus when they change.
 * @param {{faults: Record<string, string>, turn?: number}} of
 */
export function Faults({ faults, turn }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const list = Object.entries(faults).filter(([, text]) => text);
  useFocus(box, [turn]);
  if (!list.length) return null;
  const jump = (/** @type {any} */ event, /** @type {string} */ id) => {
    event.preventDefault();
    document.getElementById(id)?.focus();
  };
  return html`<div class="notice bad" role="alert" tabindex="-1" ref=${box}>
    <h2 class="small">${t('faults.title', { n: list.length })}</h2>
    <ul class="plain">${list.map(([id, text]) => html`<li>${id === ''
      ? text : html`<a href=${`#${id}`} onClick=${(/** @type {any} */ e) => jump(e, id)}>${text}</a>`}</li>`)}</ul>
  </div>`;
}

/** How many, with buttons and a field. @param {{id: string, label: string, value: number, max?: number, onValue: (n: number) => void, describedby?: string}} of */
export function Count({ id, label, value, max = 99, onValue, describedby }) {
  const set = (/** @type {number} */ n) => onValue(Math.max(0, Math.min(max, Number.isFinite(n) ? Math.trunc(n) : 0)));
  return html`<div class="count">
    <button type="button" class="quiet square" aria-label=${t('count.less', { what: label })}
      aria-disabled=${value <= 0 ? 'true' : undefined} onClick=${() => set(value - 1)}>−</button>
    <input id=${id} inputmode="numeric" autocomplete="off" aria-label=${t('count.of', { what: label })} value=${value}
      aria-describedby=${describedby} onChange=${(/** @type {any} */ e) => {
        set(Number(e.currentTarget.value));
        e.currentTarget.value = String(Math.max(0, Math.min(max, Math.trunc(Number(e.currentTarget.value) || 0))));
      }} />
    <button type="button" class="quiet square" aria-label=${t('count.more', { what: label })}
      aria-disabled=${value >= max ? 'true' : undefined} onClick=${() => set(value + 1)}>+</button>
  </div>`;
}

/** Text with its paragraphs, without its markup. @param {{text: string | null | undefined}} of */
export function Paragraphs({ text }) {
  const bare = plainText(text ?? '');
  return html`${bare.split(/\n\s*\n|\n/).filter((line) => line.trim()).map((line) => html`<p>${line}</p>`)}`;
}

/** Tags that only shape a text. A text with any other tag is shown as it was written. */
const SHAPES = /^<\/?(a|b|blockquote|br|div|em|h[1-6]|i|li|ol|p|span|strong|sub|sup|u|ul)(\s+(class|dir|href|lang|rel|style|target|title)=("[^"]*"|'[^']*'))*\s*\/?>$/i;

/** What a text with markup says. Nothing of it is run or loaded. @param {string} text */
export function plainText(text) {
  const tags = text.match(/<\/?[a-z!][^>]*>?/gi);
  if (!tags || !tags.every((tag) => SHAPES.test(tag))) return text;
  const broken = text.replace(/<(br|\/p|\/div|\/li|\/h[1-6])\b[^>]*>/gi, '$&\n');
  return new DOMParser().parseFromString(broken, 'text/html').body.textContent ?? '';
}

/** @param {string} text */
export const looksLikeMail = (text) => /^\S+@\S+\.\S+$/.test(text.trim());
