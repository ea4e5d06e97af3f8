// @ts-check
/** The verdict, over everything: a colour, a sign, a word, and one line why. */
import { html, useLayoutEffect, useRef, useState, useValue } from '/shared/ui.js';
import { time, t } from '/shared/intl.js';
import { letIn, scanCode, verdict } from '/door/admit.js';
import { go, route, settings } from '/door/state.js';
import { openOrderOf } from '/door/find.js';
import { signalOf } from '/door/signals.js';
import { remarks, share, why } from '/door/words.js';

const SHOWN_MS = 1500;
const SIGNS = { good: '✓', warn: '!', bad: '✕' };

/** Whether the steward is asked something, so that it stays. @param {import('/door/admit.js').Verdict} of */
const asks = (of) => of.key === 'ambiguous' || of.key === 'notListed' || of.key === 'noAnswer' || of.key === 'order';

const away = () => {
  verdict.value = null;
};

/** Puts everything but the verdict out of reach. Answers what undoes that. */
function setApart() {
  const others = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('#app > :not(.verdict-place)')]);
  others.forEach((other) => other.toggleAttribute('inert', true));
  return () => others.forEach((other) => other.toggleAttribute('inert', false));
}

/** Tells of a verdict, and lets it go by itself or by a key, from the moment in which it is drawn. @param {import('/door/admit.js').Verdict | null} of @param {{current: HTMLElement | null}} box */
function useTurn(of, box) {
  useLayoutEffect(() => {
    if (!of) return undefined;
    signalOf(of.kind, settings.peek().sound);
    const before = document.activeElement;
    const timer = asks(of) ? undefined : setTimeout(away, SHOWN_MS);
    // A question leaves nothing else to be reached until it is answered.
    const undo = asks(of) ? setApart() : undefined;
    if (asks(of)) box.current?.focus();
    return () => {
      clearTimeout(timer);
      undo?.();
      // A focus that went with the verdict goes back to where it was before.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, [of?.turn]);
  useLayoutEffect(() => {
    if (!of) return undefined;
    const key = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Escape') away();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, [of?.turn]);
}

export function Verdict() {
  const of = useValue(verdict);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => setBusy(false), [of?.turn]);
  useTurn(of, box);
  if (!of) return html`<div class="verdict-place" aria-live="assertive"></div>`;
  const question = asks(of);
  const act = async (/** @type {any} */ event, /** @type {() => Promise<any>} */ run) => {
    event.stopPropagation();
    if (busy) return;
    setBusy(true);
    await run().finally(() => setBusy(false));
  };
  const count = share(of.result);
  return html`<div class="verdict-place" aria-live="assertive">
    <div class=${`verdict ${of.kind}`} key=${of.turn} ref=${box} tabindex="-1" role=${question ? 'dialog' : undefined} aria-modal=${question ? 'true' : undefined}
      aria-labelledby=${question ? 'verdict-title' : undefined} data-reason=${of.key} data-offline=${of.offline ? 'true' : undefined} onClick=${away}>
      <p class="sign" aria-hidden="true">${SIGNS[of.kind]}</p>
      <p class="verdict-title" id="verdict-title">${t(`verdict.${of.key}`)}</p>
      ${count && html`<p class="share digits">${count}</p>`}
      <p class="why">${why(of)}</p>
      ${remarks(of).map((line) => html`<p class="remark">${line}</p>`)}
      ${of.offline && html`<p class="unknown">${of.asOf ? t(`offline.${of.kind}`, { time: time(of.asOf) }) : t('offline.noList')}</p>`}
      ${question ? html`<div class="verdict-acts">
          ${of.key === 'ambiguous' && (of.result.cards ?? []).map((/** @type {any} */ card) => html`<button type="button" class="on-verdict"
            onClick=${(/** @type {any} */ e) => act(e, () => scanCode(of.code ?? '', { cardId: card.cardId }))}>${card.cardName}</button>`)}
          ${of.key === 'order' && html`<button type="button" class="on-verdict" onClick=${(/** @type {any} */ e) => act(e, async () => {
            await openOrderOf(of);
            away();
            go({ event: route.peek().event, view: 'order' });
          })}>${t('verdict.openOrder')}</button>`}
          ${(of.key === 'notListed' || of.key === 'noAnswer') && html`<button type="button" class="on-verdict" onClick=${(/** @type {any} */ e) => act(e, () => letIn(of))}>${t('verdict.letIn')}</button>`}
          <button type="button" class="on-verdict" onClick=${away}>${t(of.key === 'ambiguous' || of.key === 'order' ? 'verdict.back' : 'verdict.notIn')}</button>
        </div>`
        : html`<button type="button" class="on-verdict next" onClick=${away}>${t('verdict.next')}</button>`}
    </div></div>`;
}
