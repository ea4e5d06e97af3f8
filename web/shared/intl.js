// @ts-check
/** Words, money and dates, by the visitor's language and the venue's zone and currency. */

/** @typedef {Record<string, string | Record<string, string>>} Catalog */

let language = 'en';
let zone = 'UTC';
let currency = 'USD';
/** @type {Catalog} */
let catalog = {};
/** @type {Map<string, any>} */
const made = new Map();

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

/**
 * The first of the visitor's languages that is offered.
 * @param {readonly string[]} offered
 * @param {string | null | undefined} wanted
 */
export function pickLanguage(offered, wanted) {
  const asked = [wanted ?? '', ...(navigator.languages ?? [navigator.language])];
  for (const tag of asked) {
    const base = tag.toLowerCase().split('-')[0];
    if (offered.includes(base)) return base;
  }
  return offered.includes('en') ? 'en' : offered[0] ?? 'en';
}

/** @param {string} tag @param {Catalog} texts */
export function setLanguage(tag, texts) {
  language = tag;
  catalog = texts;
  made.clear();
  document.documentElement.lang = tag;
  document.documentElement.dir = RIGHT_TO_LEFT.has(tag) ? 'rtl' : 'ltr';
}

/** @param {string | undefined} timeZone @param {string | undefined} code */
export function setPlace(timeZone, code) {
  zone = timeZone ?? 'UTC';
  currency = code ?? 'USD';
  made.clear();
}

export const languageNow = () => language;

/** The regional form of the language that the browser prefers, so that dates and numbers look as the visitor expects. */
function tagNow() {
  return (navigator.languages ?? []).find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language;
}

/** @template T @param {string} name @param {() => T} make @returns {T} */
function once(name, make) {
  if (!made.has(name)) made.set(name, make());
  return made.get(name);
}

/**
 * A text of the catalog. `n` chooses the plural; `{name}` is filled in.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  let text = catalog[key];
  if (text === undefined) return key;
  if (typeof text === 'object') {
    const rules = once('plural', () => new Intl.PluralRules(language));
    text = text[rules.select(Number(values.n ?? 0))] ?? text.other;
  }
  return text.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    if (value === undefined) return all;
    return typeof value === 'number' ? number(value) : value;
  });
}

/** @param {number} value */
export const number = (value) => once('number', () => new Intl.NumberFormat(tagNow())).format(value);

/** Whole cents of an amount as the interface writes it. @param {string | number | null | undefined} amount */
export function cents(amount) {
  if (amount === null || amount === undefined || amount === '') return 0;
  if (typeof amount === 'number') return Math.round(amount * 100);
  const [whole, part = ''] = amount.split('.');
  return Number(whole) * 100 + (amount.startsWith('-') ? -1 : 1) * Number(part.padEnd(2, '0').slice(0, 2));
}

/** The amount as the interface reads it. @param {number} value */
export const decimal = (value) => `${Math.trunc(value / 100)}.${String(Math.abs(value % 100)).padStart(2, '0')}`;

/** Money with its two decimals, which every currency of a venue has, whatever is usual in speech. @param {string} name @param {Intl.NumberFormatOptions} [more] */
const moneyFormat = (name, more) => once(name, () =>
  new Intl.NumberFormat(tagNow(), { style: 'currency', currency, minimumFractionDigits: 2, maximumFractionDigits: 2, ...more }));

/** @param {number} value in cents */
export const money = (value) => moneyFormat('money').format(value / 100);

/** Money as it is spoken, "48.50 US dollars". @param {number} value in cents */
export const spokenMoney = (value) => moneyFormat('spoken', { currencyDisplay: 'name' }).format(value / 100);

/** @param {string} name @param {Intl.DateTimeFormatOptions} options */
const formatter = (name, options) =>
  once(name, () => new Intl.DateTimeFormat(tagNow(), { timeZone: zone, ...options }));

/** @param {number | string | Date} at */
const date = (at) => new Date(at);

/** @param {number | string | Date} at */
export const time = (at) => formatter('time', { hour: 'numeric', minute: '2-digit' }).format(date(at));
/** @param {number | string | Date} at */
export const dayLong = (at) =>
  formatter('dayLong', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(date(at));
/** @param {number | string | Date} at */
export const dayShort = (at) =>
  formatter('dayShort', { weekday: 'short', day: 'numeric', month: 'short' }).format(date(at));
/** @param {number | string | Date} at */
export const dateOnly = (at) =>
  formatter('dateOnly', { day: 'numeric', month: 'long', year: 'numeric' }).format(date(at));
/** @param {number | string | Date} at */
export const dayAndTime = (at) =>
  formatter('dayAndTime', { weekday: 'short', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' })
    .format(date(at));

/** Parts of a day that has no zone, written yyyy-mm-dd. @param {string} day @param {Intl.DateTimeFormatOptions} options */
export const ofDay = (day, options) =>
  once(`day${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(tagNow(), { timeZone: 'UTC', ...options }))
    .format(new Date(`${day}T12:00:00Z`));

/** A day that has no zone, in full. @param {string} day yyyy-mm-dd */
export const dayInFull = (day) => ofDay(day, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** Whether a text is a day, yyyy-mm-dd. The days around it have four digits of a year too. @param {string} text */
export const isDay = (text) => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1000' || text >= '9999') return false;
  const at = new Date(`${text}T12:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
};
/** Whether a text is a month, yyyy-mm. @param {string} text */
export const isMonth = (text) => isDay(`${text}-01`);
/** The last day that a field takes, so that nobody types a year of more digits. */
export const LAST_DAY = '9999-12-31';

/** The venue's day of an instant, yyyy-mm-dd. @param {number | string | Date} at */
export const dayKey = (at) =>
  once('key', () => new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit',
  })).format(date(at));

/** @param {string} day @param {number} by */
export function addDays(day, by) {
  const moved = new Date(`${day}T12:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + by);
  return moved.toISOString().slice(0, 10);
}

/** @param {string} month yyyy-mm @param {number} by */
export function addMonths(month, by) {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** A range of the venue's days as the interface reads it, both included. @param {string} from @param {string} to */
export const range = (from, to) => ({ startTime: `${from}T00:00:00`, endTime: `${to}T23:59:59` });

/** 0 for Sunday. @param {string} day */
export const weekday = (day) => new Date(`${day}T12:00:00Z`).getUTCDay();

/** The first day of the week where the visitor is, 0 for Sunday. */
export function firstWeekday() {
  const locale = /** @type {any} */ (new Intl.Locale(tagNow()));
  const info = locale.getWeekInfo?.() ?? locale.weekInfo;
  return (info?.firstDay ?? 1) % 7;
}

/** The languages' own names. @type {Record<string, string>} */
const NAMES = { en: 'English', es: 'Español', fr: 'Français', de: 'Deutsch', it: 'Italiano', nl: 'Nederlands', pt: 'Português' };
/** @param {string} tag */
export const languageName = (tag) => NAMES[tag] ?? tag;
