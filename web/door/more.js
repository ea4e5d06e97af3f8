// @ts-check
/** What is not needed while scanning: the way, the list, what waits, what turned out otherwise, and leaving. */
import { html, useEffect, useLayoutEffect, useState, useValue, Notice } from '/shared/ui.js';
import { languageName, time, t } from '/shared/intl.js';
import { notices, seen, unseen, waiting } from '/door/admit.js';
import { settle, tryAgain } from '/door/send.js';
import { credentials, go, href, reach, route, set, settings, signOut } from '/door/state.js';
import { changed, refreshAll, since, tickets } from '/door/list.js';
import { forgetPersons } from '/door/find.js';
import { Elsewhere } from '/door/signin.js';
import { cameras } from '/door/camera.js';
import { lasting } from '/door/store.js';
import { before, nameOf, when } from '/door/words.js';
import { allowSound } from '/door/signals.js';

const LANGUAGES = ['en', 'es', 'fr', 'de', 'it', 'nl', 'pt'];

/** A choice of a few. @param {{name: string, label: string, value: string, options: [string, string][], onValue: (value: any) => void}} of */
function Pick({ name, label, value, options, onValue }) {
  // What is pressed shows at once, and holds once it is kept.
  const [pressed, setPressed] = useState(value);
  useLayoutEffect(() => setPressed(value), [value]);
  const press = (/** @type {string} */ key) => {
    setPressed(key);
    onValue(key);
  };
  return html`<fieldset class="part"><legend class="label">${label}</legend><div class="picks">${options.map(([key, text]) => html`<label class="pick" for=${`${name}-${key}`}>
    <input type="radio" id=${`${name}-${key}`} name=${name} checked=${pressed === key} onChange=${() => press(key)} /> <span>${text}</span></label>`)}</div></fieldset>`;
}

/** What the door decided alone and the service knows otherwise. */
function Notices() {
  const all = useValue(notices);
  if (!all.length) return null;
  return html`<section aria-labelledby="notices"><h2 id="notices" class="part">${t('notices.title', { n: all.length })}</h2>
    <ul class="plain">${all.map((one) => html`<li key=${one.id}><${Notice} kind="warn" title=${t(`notice.${one.of}`)}>
      <p>${[one.who?.ticketTypeName, nameOf(one.who), one.orderNumber && t('find.order', { number: one.orderNumber })].filter(Boolean).join(' · ') || one.code || ''}</p>
      <p>${t('notice.here', { when: when(one.at) })}</p>
      ${one.of === 'conflict' && one.previous?.at && html`<p><strong>${t('notice.there', { where: before(one.previous) })}</strong></p>`}
      ${one.of === 'notValid' && one.reason && html`<p><strong>${t(`verdict.${one.reason}`)}</strong></p>`}
      <p><button type="button" class="quiet" onClick=${() => seen(one.id)}>${t('notice.seen')}</button></p></${Notice}></li>`)}</ul></section>`;
}

export default function More() {
  const chosen = useValue(settings);
  const waits = useValue(waiting);
  const line = useValue(reach);
  const who = useValue(credentials);
  useValue(changed);
  const [all, setAll] = useState(/** @type {MediaDeviceInfo[]} */ ([]));
  const [kept, setKept] = useState(true);
  const [busy, setBusy] = useState('');
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    document.title = t('more.title');
    cameras().then(setAll, () => undefined);
    lasting().then(setKept);
  }, []);
  const asOf = since();
  let n = 0;
  for (const one of tickets()) if (one) n += 1;
  const bring = async () => {
    if (busy) return;
    setBusy('list');
    await tryAgain();
    await settle();
    if (reach.peek() === 'on') await refreshAll();
    setBusy('');
  };
  const leave = async () => {
    if ((waits > 0 || unseen() > 0) && !leaving) {
      setLeaving(true);
      return;
    }
    await signOut();
    await forgetPersons();
    go({ view: 'sign' });
  };
  return html`<h1>${t('more.title')}</h1>
    ${!kept && html`<${Notice} kind="bad" title=${t('more.notKept')}><p>${t('more.notKeptHelp')}</p></${Notice}>`}
    <${Notices} />
    <${Pick} name="way" label=${t('more.way')} value=${chosen.way} options=${[['entry', t('more.entry')], ['exit', t('more.exit')]]} onValue=${(/** @type {any} */ way) => set({ way })} />
    <section aria-labelledby="kept"><h2 id="kept" class="part">${t('more.kept')}</h2>
      <p>${asOf ? t('more.list', { n, time: when(asOf) }) : t('more.noList')}</p>
      <p>${waits ? t('more.waits', { n: waits }) : t('more.nothingWaits')}</p>
      <${Elsewhere} />
      <p class="part"><button type="button" class="quiet wide" onClick=${bring}>${busy === 'list' ? t('more.bringing') : waits ? t('more.send') : t('more.bring')}</button></p>
      <p class="small" role="status">${line === 'off' ? t('more.off') : line === 'ended' || !who ? t('more.ended') : ''}</p></section>
    ${all.length > 1 && html`<div class="field part"><label for="camera">${t('more.camera')}</label><select id="camera" value=${chosen.camera} onChange=${(/** @type {any} */ e) => set({ camera: e.currentTarget.value })}>
      <option value="">${t('more.backCamera')}</option>${all.map((one, at) => html`<option value=${one.deviceId}>${one.label || t('more.cameraNumber', { n: at + 1 })}</option>`)}</select></div>`}
    <${Pick} name="sound" label=${t('more.sound')} value=${chosen.sound ? 'on' : 'off'} options=${[['on', t('more.soundOn')], ['off', t('more.soundOff')]]} onValue=${(/** @type {string} */ value) => {
      allowSound();
      set({ sound: value === 'on' });
    }} />
    <${Pick} name="look" label=${t('more.look')} value=${chosen.look} options=${[['dark', t('more.dark')], ['light', t('more.light')]]} onValue=${(/** @type {any} */ look) => set({ look })} />
    <nav class="part" aria-label=${t('more.language')}><p class="label">${t('more.language')}</p><ul class="plain picks">${LANGUAGES.map((tag) => html`<li><a class="button quiet" href=${`?${new URLSearchParams({ ...route.peek(), lang: tag })}`} lang=${tag} hreflang=${tag} data-reload
      aria-current=${document.documentElement.lang === tag ? 'true' : undefined}>${languageName(tag)}</a></li>`)}</ul></nav>
    <section class="part" aria-labelledby="leave"><h2 id="leave">${who ? who.name ?? t('more.byKey') : t('more.nobody')}</h2>
      ${leaving && html`<${Notice} kind="warn" alert>${waits > 0 && html`<p>${t('more.leaveWaits', { n: waits })}</p>`}${unseen() > 0 && html`<p>${t('more.leaveUnseen', { n: unseen() })}</p>`}</${Notice}>`}
      <p class="part"><a class="button quiet wide" href=${href({})}>${t('more.otherEvent')}</a></p>
      <p class="part">${who ? html`<button type="button" class="quiet wide" onClick=${leave}>${leaving ? t('more.leaveStill') : t('more.leave')}</button>` : html`<a class="button wide" href=${href({ view: 'sign' })}>${t('sign.title')}</a>`}</p></section>`;
}
