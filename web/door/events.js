// @ts-check
/** What is on today, and which door this is. */
import { html, useEffect, useState, useValue, Failed, Loading, Notice } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { dayLong, time, t } from '/shared/intl.js';
import { credentials, href, now, set, settings, venue } from '/door/state.js';
import { events, loadEvents } from '/door/list.js';
import { Elsewhere } from '/door/signin.js';
import { allowSound } from '/door/signals.js';

/** What may be in the name of a door. */
const FITS = /^[A-Za-z0-9\-_. ]{1,60}$/;

export default function Events() {
  const known = useValue(events);
  const who = useValue(credentials);
  const place = useValue(venue);
  const { terminalId } = useValue(settings);
  const [error, setError] = useState(/** @type {Refusal | null} */ (null));
  const [name, setName] = useState(terminalId);
  const [fault, setFault] = useState('');
  const load = async () => {
    if (!who) return;
    try {
      await loadEvents();
      setError(null);
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      setError(problem);
    }
  };
  useEffect(() => {
    document.title = t('events.title');
    load();
    const timer = setInterval(() => !document.hidden && load(), 30_000);
    return () => clearInterval(timer);
  }, [who]);
  const rename = () => {
    const bare = name.trim();
    if (!FITS.test(bare)) {
      setFault(t('events.fault.name'));
      return false;
    }
    setFault('');
    set({ terminalId: bare });
    return true;
  };
  const choose = (/** @type {any} */ event) => {
    allowSound();
    if (!rename()) {
      event.preventDefault();
      document.getElementById('door-name')?.focus();
    }
  };
  const list = known?.list ?? [];
  const open = list.filter((one) => one.state !== 'cancelled' || one.sold > 0);
  const upcoming = open.find((one) => Date.parse(one.endTime) > now());
  return html`<h1>${t('events.title')}</h1>
    <p class="muted">${[place?.name, dayLong(now())].filter(Boolean).join(' · ')}</p>
    ${!who && html`<${Notice} kind="warn" title=${t('events.signedOut')}><p>${t('events.signedOutHelp')}</p><p><a class="button quiet" href=${href({ view: 'sign' })}>${t('sign.title')}</a></p></${Notice}>`}
    <${Elsewhere} />
    <div class=${fault ? 'field faulty part' : 'field part'}><label for="door-name">${t('events.name')}</label>
      <p class="hint" id="door-name-hint">${t('events.nameHint')}</p>
      ${fault && html`<p class="fault" id="door-name-fault" role="alert"><span aria-hidden="true">▲ </span>${fault}</p>`}
      <input id="door-name" autocomplete="off" maxlength="60" value=${name} aria-describedby=${fault ? 'door-name-hint door-name-fault' : 'door-name-hint'} aria-invalid=${fault ? 'true' : undefined}
        onInput=${(/** @type {any} */ e) => setName(e.currentTarget.value)} onChange=${rename} /></div>
    <h2 class="part">${t('events.choose')}</h2>
    ${error && !known && html`<${Failed} error=${error} retry=${load} />`}
    ${error && known && html`<p class="muted small" role="status">${error.status === 403 ? t('sign.fault.forbidden') : t('stale', { time: time(known.at) })}</p>`}
    ${!known && !error && who && html`<${Loading} lines=${3} />`}
    ${!known && !who && html`<p>${t('events.unknown')}</p>`}
    ${known && !open.length && html`<p>${t('events.none')}</p><p><button type="button" class="quiet" onClick=${load}>${t('events.look')}</button></p>
      <p class="part"><a class="button wide" href=${href({ event: 'all' })} onClick=${choose}>${t('events.without')}</a></p><p class="small muted">${t('events.withoutHelp')}</p>`}
    ${open.length > 1 && html`<p class="part"><a class="button wide quiet" href=${href({ event: 'all' })} onClick=${choose}>${t('events.all')}</a></p>`}
    <ul class="plain slots">${open.map((one) => html`<li><a class=${one === upcoming ? 'slot next-up' : 'slot'} href=${href({ event: one.id })} onClick=${choose}>
      <span class="slot-time digits">${time(one.startTime)}</span>
      <span class="slot-text"><strong>${one.name}</strong>
        <span class="small muted digits">${one.state === 'cancelled' ? t('events.cancelled') : t('events.numbers', { sold: one.sold, inside: one.inside })}</span></span></a></li>`)}</ul>`;
}
