// @ts-check
/** The venue's colour, made to be read: darkened or lightened until it keeps 4.5 : 1. */

/** @param {string} hex @returns {number[] | null} */
function parse(hex) {
  const found = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(hex.trim());
  if (!found) return null;
  const full = found[1].length === 3 ? [...found[1]].map((c) => c + c).join('') : found[1];
  return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16)).map((n) => n / 255);
}

/** @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {number[]} a @param {number[]} b */
function contrast(a, b) {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}

/** @param {number[]} rgb */
const write = (rgb) => `#${rgb.map((c) => Math.round(c * 255).toString(16).padStart(2, '0')).join('')}`;

/** @param {number[]} rgb @param {number[]} ground @param {number} to */
function until(rgb, ground, to) {
  let now = rgb;
  for (let step = 0; step <= 20; step += 1) {
    now = rgb.map((c) => c + (to - c) * (step / 20));
    if (contrast(now, ground) >= 4.6) break;
  }
  return now;
}

const LIGHT = [0.93, 0.92, 0.89];
const DARK = [0.17, 0.18, 0.2];

/**
 * The colour for light and dark pages, and whether it had to be changed.
 * @param {string} hex
 */
export function legible(hex) {
  const rgb = parse(hex);
  if (!rgb) return null;
  const light = until(rgb, LIGHT, 0);
  const dark = until(rgb, DARK, 1);
  return { light: write(light), dark: write(dark), changed: write(light) !== write(rgb) };
}

/** The one of a venue's colours that pages are in. @param {{name: string, value: string}[] | undefined} colours */
export const mainColour = (colours) => colours?.find(({ name }) => name === 'accent' || name === 'primary') ?? colours?.[0];

/** Puts the page into the venue's colour. @param {{name: string, value: string}[]} colours */
export function paint(colours) {
  const colour = legible(mainColour(colours)?.value ?? '');
  if (!colour) return;
  document.documentElement.style.setProperty('--venue-light', colour.light);
  document.documentElement.style.setProperty('--venue-dark', colour.dark);
}
