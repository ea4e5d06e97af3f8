// A hand is what a person uses a page with: a mouse, or a keyboard and nothing else. A journey is written once, for both.
import assert from 'node:assert/strict';

export const HANDS = ['mouse', 'keyboard'];
let hand = HANDS[0];
/** Chooses the hand for the pages that are opened from now on. */
export const useHand = (name) => { hand = name; };
export const byKeyboard = () => hand === 'keyboard';

/** The objects of the browser library from which a journey gets to something that it clicks or fills. */
const WRAPPED = new Set(['BrowserContext', 'Page', 'Locator', 'FrameLocator']);
const kindOf = (target) => target?.constructor?.name.replace(/^_/, '');
/** No page has as many stops. What is not reached by then cannot be reached. */
const MOST_TABS = 250;
/** Calls of a locator that no key makes. A journey that is played with the keyboard does without them. */
const OF_THE_MOUSE = new Set(['clear', 'dispatchEvent', 'dragTo', 'hover', 'setChecked', 'tap', 'uncheck']);
/** From the library's objects to the wrapped ones, and back. */
const proxies = new WeakMap();
const originals = new WeakMap();

/** What the library is given: its own object in place of a wrapped one, within options too. */
function unwrapped(value) {
  if (originals.has(value)) return originals.get(value);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unwrapped(one)]));
}

/** The same page, context or part of a page. With the keyboard as the hand, it is clicked and filled by keys. */
export function withHand(target) {
  if (!byKeyboard() || !WRAPPED.has(kindOf(target))) return target;
  const known = proxies.get(target);
  if (known) return known;
  const isLocator = kindOf(target) === 'Locator';
  const proxy = new Proxy(target, {
    get(of, name) {
      assert.ok(!isLocator || !OF_THE_MOUSE.has(name), `${name} is not done by keys`);
      if (isLocator && Object.hasOwn(KEYS, name)) return (...how) => KEYS[name](of, ...how);
      const member = Reflect.get(of, name, of);
      if (typeof member !== 'function') return member;
      return (...how) => {
        const answer = member.apply(of, how.map(unwrapped));
        return typeof answer?.then === 'function' ? answer.then(withHand) : withHand(answer);
      };
    },
  });
  proxies.set(target, proxy);
  originals.set(proxy, target);
  return proxy;
}

/**
 * Runs in the page. Where a node is, as seen from what has the focus: the key that leads there, and how often that is pressed
 * at least. Also what shows a focus on the node (`looks`), and what lies over it once it has the focus (`cover`).
 */
function survey(node) {
  if (!node.checkVisibility({ visibilityProperty: true })) return { hidden: true };
  const at = document.activeElement;
  const shown = [node, node.closest('label'), node.labels?.[0]].filter(Boolean).flatMap((one) => [getComputedStyle(one), getComputedStyle(one, '::after')]);
  const looks = shown.map((one) => [one.outlineStyle === 'none' ? '' : `${one.outline} ${one.outlineOffset}`, one.boxShadow, one.backgroundColor, one.borderColor].join(' ')).join('; ');
  const found = { looks, type: node.type, ticked: node.checked };
  if (at === node) {
    const [box] = node.getClientRects();
    const top = document.elementFromPoint(Math.min(innerWidth - 1, Math.max(0, box.x + box.width / 2)), box.y + Math.min(box.height, 44) / 2);
    const isFree = top === node || node.contains(top) || top?.contains(node) || top?.closest('label')?.control === node;
    return { ...found, cover: isFree ? '' : top?.outerHTML.slice(0, 120) ?? 'the edge of the window' };
  }
  if (!at || at === document.body || !document.hasFocus()) return { ...found, key: 'Tab', times: 1 };
  const isAfter = (first, second) => first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING;
  const isBack = isAfter(node, at) && !node.contains(at);
  const group = (one) => (one.type === 'radio' ? `${one.name} ${one.form?.id}` : one);
  if (group(at) === group(node)) return { ...found, key: isBack ? 'ArrowUp' : 'ArrowDown', times: 1 };
  const [first, last] = isBack ? [node, at] : [at, node];
  const between = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex^="-"])')]
    .filter((one) => isAfter(first, one) && isAfter(one, last) && one.checkVisibility());
  return { ...found, key: isBack ? 'Shift+Tab' : 'Tab', times: new Set(between.map(group).filter((one) => one !== group(node))).size + 1 };
}

/** Moves the focus to something, by Tab, and by arrows within a group of radio buttons. The focus on it has to be seen. */
async function reach(locator) {
  const { keyboard } = locator.page();
  let now = await locator.evaluate(survey);
  while (now.hidden) {
    await locator.waitFor();
    now = await locator.evaluate(survey);
  }
  const before = now;
  for (let pressed = 0; now.key; now = await locator.evaluate(survey)) {
    assert.ok(pressed < MOST_TABS, `${locator} cannot be reached by the keyboard`);
    pressed += now.times;
    const [key, shift] = now.key.split('+').reverse();
    if (shift) await keyboard.down(shift);
    await Promise.all(Array.from({ length: now.times }, () => keyboard.down(key)));
    await keyboard.up(key);
    if (shift) await keyboard.up(shift);
  }
  if (before.key) assert.notEqual(now.looks, before.looks, `the focus on ${locator} cannot be seen`);
  assert.equal(now.cover, '', `${locator} has the focus and is covered`);
  return { keyboard, ...now };
}

/** How the value of a date and of a time is typed in American English, which the journeys use. */
const TYPED = {
  date: (text) => text.replace(/^(\d+)-(\d+)-(\d+)$/, '$2$3$1'),
  time: (text) => {
    const [hour, minutes] = text.split(':');
    return `${String(hour % 12 || 12).padStart(2, '0')}${minutes}${hour < 12 ? 'AM' : 'PM'}`;
  },
};

/** Calls of a locator, made by keys. */
const KEYS = {
  async click(locator) {
    const { keyboard, type } = await reach(locator);
    await keyboard.press(type === 'checkbox' || type === 'radio' ? 'Space' : 'Enter');
  },
  async dblclick(locator) {
    const { keyboard } = await reach(locator);
    await keyboard.press('Enter');
    await keyboard.press('Enter');
  },
  async fill(locator, text) {
    const { keyboard, type } = await reach(locator);
    if (type in TYPED) {
      // A field of three parts, any of which may have the focus, is typed from the first one on.
      for (let part = 1; part < 3; part += 1) await keyboard.press('ArrowLeft');
      await keyboard.type(TYPED[type](text));
      return;
    }
    await keyboard.press('Control+A');
    if (text) await keyboard.type(text);
    else await keyboard.press('Delete');
  },
  async check(locator) {
    if (await locator.isChecked()) return;
    const { keyboard, ticked } = await reach(locator);
    // A radio button that an arrow leads to is ticked already.
    if (!ticked) await keyboard.press('Space');
  },
  async selectOption(locator, wanted) {
    const { keyboard } = await reach(locator);
    const [from, to] = await locator.evaluate((node, { value, label }) => {
      const options = [...node.options].filter((one) => !one.disabled);
      return [options.indexOf(node.selectedOptions[0]), options.findIndex((one) => (label === undefined ? one.value === value : one.label.trim() === label))];
    }, typeof wanted === 'string' ? { value: wanted } : wanted);
    assert.ok(to >= 0, `${locator} has no ${JSON.stringify(wanted)}`);
    for (let at = from; at !== to; at += Math.sign(to - from)) await keyboard.press(to > from ? 'ArrowDown' : 'ArrowUp');
  },
  async blur(locator) {
    const { keyboard } = await reach(locator);
    await keyboard.press('Tab');
  },
  focus: reach,
};
