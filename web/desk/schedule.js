// @ts-check
/** The slots that the schedules of an event make, as the service makes them: in the venue's own time, across clock changes. */

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** The offset of a zone at an instant, in milliseconds. @param {string} zone @param {number} at */
export function offsetAt(zone, at) {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' });
    formats.set(zone, format);
  }
  /** @type {Record<string, number>} */
  const part = {};
  for (const { type, value } of format.formatToParts(at)) part[type] = Number(value);
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - Math.floor(at / 1000) * 1000;
}

const DAY = 86_400_000;

/**
 * The instant of a local time. One that a change of the clocks leaves out moves forward by as much; one that comes twice
 * is the first.
 * @param {string} zone @param {number} local the local time as if it were UTC
 * @returns {{at: number, moved: number, twice: boolean}}
 */
function instantOf(zone, local) {
  const before = offsetAt(zone, local - DAY);
  const after = offsetAt(zone, local + DAY);
  const fits = [...new Set([before, after])].map((offset) => local - offset).filter((at) => offsetAt(zone, at) === local - at).sort((a, b) => a - b);
  if (fits.length) return { at: fits[0], moved: 0, twice: fits.length > 1 };
  return { at: local - before, moved: after - before, twice: false };
}

/** @param {string} day yyyy-mm-dd */
const utc = (day) => Date.parse(`${day}T00:00:00Z`);
/** The Sunday that a day's week begins with, in weeks. @param {number} at */
const week = (at) => Math.floor((at / DAY + 4) / 7);
/** An instant as forms have it; without an offset it is the venue's own time. @param {string} zone @param {string | null | undefined} text */
function read(zone, text) {
  if (!text) return null;
  if (/[zZ]|[+-]\d\d:?\d\d$/.test(text.slice(10))) return Date.parse(text);
  const local = Date.parse(`${text.length === 10 ? `${text}T00:00` : text}Z`);
  return Number.isNaN(local) ? null : instantOf(zone, local).at;
}

const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * @typedef {{at: number, day: string, local: string, moved: number, twice: boolean, capacity: number, schedule: number, minutes: number}} Slot
 */

/**
 * @param {any} event a template as its form has it
 * @param {string} zone
 * @param {string} from yyyy-mm-dd @param {string} to yyyy-mm-dd, included
 * @param {number} now
 * @returns {Slot[]}
 */
export function slotsOf(event, zone, from, to, now) {
  const starts = read(zone, event.startTime) ?? now;
  const ends = read(zone, event.endTime);
  const minutesOf = (/** @type {any} */ of) => (of ? Number(of.hour ?? of.hours ?? 0) * 60 + Number(of.minutes ?? 0) : 0);
  const shownDay = (/** @type {number} */ at) => new Date(at + offsetAt(zone, at)).toISOString().slice(0, 10);
  if (!event.schedules?.length) {
    const day = shownDay(starts);
    if (!event.startTime || day < from || day > to) return [];
    return [{ at: starts, day, local: new Date(starts + offsetAt(zone, starts)).toISOString().slice(11, 16), moved: 0, twice: false,
      capacity: Number(event.capacity) || 0, schedule: -1, minutes: minutesOf(event.duration) }];
  }
  /** @type {Map<string, Slot>} */
  const found = new Map();
  const firstWeek = week(utc(shownDay(starts)));
  event.schedules.forEach((/** @type {any} */ schedule, /** @type {number} */ index) => {
    const cycle = Math.max(1, Number(schedule.repeatCycle) || 1);
    const days = new Set((schedule.weekdays ?? []).map((/** @type {string} */ day) => NAMES.indexOf(day)));
    const first = read(zone, schedule.effectiveStartTime);
    const last = read(zone, schedule.effectiveEndTime);
    const ranges = (schedule.ranges ?? []).filter((/** @type {any} */ one) => one.start && one.end);
    for (let day = utc(from); day <= utc(to); day += DAY) {
      if (!days.has(new Date(day).getUTCDay())) continue;
      const runs = ranges.length
        ? ranges.some((/** @type {any} */ one) => utc(one.start) <= day && day <= utc(one.end) && (week(day) - week(utc(one.start))) % cycle === 0)
        : Math.abs(week(day) - firstWeek) % cycle === 0;
      if (!runs) continue;
      for (const hour of schedule.hours ?? []) {
        const local = day + Number(hour.hour ?? 0) * 3_600_000 + Number(hour.minutes ?? 0) * 60_000;
        const { at, moved, twice } = instantOf(zone, local);
        if (at < starts || (ends !== null && at > ends) || (first !== null && at < first) || (last !== null && at > last)) continue;
        found.set(`${index} ${local}`, {
          at, day: shownDay(at), local: new Date(local).toISOString().slice(11, 16), moved, twice, schedule: index,
          capacity: Number(hour.quantity || schedule.capacity || event.capacity) || 0,
          minutes: minutesOf(schedule.duration) || minutesOf(event.duration),
        });
      }
    }
  });
  return [...found.values()].sort((a, b) => a.at - b.at || a.schedule - b.schedule);
}

/** The days of a range on which the clocks change, with by how much. @param {string} zone @param {string} from @param {string} to */
export function clockChanges(zone, from, to) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (let day = utc(from); day <= utc(to); day += DAY) {
    const start = instantOf(zone, day).at;
    const end = instantOf(zone, day + DAY).at;
    const by = offsetAt(zone, end) - offsetAt(zone, start);
    if (by) found.set(new Date(day).toISOString().slice(0, 10), by);
  }
  return found;
}
