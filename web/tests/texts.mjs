// node web/tests/texts.mjs
// The catalogs of texts: each has what the English one has, in the plural forms of its language.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WEB = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Forms of counts below a million. Some languages have another for whole millions, which no page counts. @param {string} tag */
function formsOf(tag) {
  const rules = new Intl.PluralRules(tag);
  const all = rules.resolvedOptions().pluralCategories;
  const used = new Set(['other', ...Array.from({ length: 1000 }, (_, n) => rules.select(n))]);
  return { all, needed: all.filter((form) => used.has(form)) };
}

const VARIABLE = /\{(\w+)\}/g;
/** @param {any} text */
const parts = (text) => (typeof text === 'string' ? [text] : Object.values(text));
/** @param {any} text */
const variables = (text) => [...new Set(parts(text).flatMap((part) => [...part.matchAll(VARIABLE)].map(([, name]) => name)))].sort().join(', ');

let gaps = 0;
for (const page of ['shop', 'desk', 'door']) {
  const folder = join(WEB, page, 'texts');
  const offered = /const LANGUAGES = \[(.*?)\]/.exec(readFileSync(join(WEB, page, 'main.js'), 'utf8'))?.[1].match(/\w+/g) ?? [];
  const tags = readdirSync(folder).map((file) => file.replace(/\.js$/, ''));
  const english = (await import(join(folder, 'en.js'))).default;
  /** @param {string} what */
  const gap = (what) => {
    gaps += 1;
    console.log(`GAP     ${page} ${what}`);
  };
  for (const tag of offered) if (!tags.includes(tag)) gap(`${tag}: offered, but has no catalog`);
  for (const tag of tags) {
    if (!offered.includes(tag)) gap(`${tag}: has a catalog, but is not offered`);
    const source = readFileSync(join(folder, `${tag}.js`), 'utf8');
    const catalog = (await import(join(folder, `${tag}.js`))).default;
    const { all, needed } = formsOf(tag);
    const before = gaps;
    let plurals = 0;
    for (const key of Object.keys(english)) if (!(key in catalog)) gap(`${tag} ${key}: is missing`);
    // A key that is written twice hides one of its texts.
    const written = [...source.matchAll(/(?:^|, ) *'([^']+)': [{'"`]/gm)].map(([, key]) => key);
    for (const key of new Set(written.filter((one, at) => written.indexOf(one) !== at))) gap(`${tag} ${key}: is there twice`);
    for (const [key, text] of Object.entries(catalog)) {
      if (!(key in english)) {
        gap(`${tag} ${key}: is not in English`);
        continue;
      }
      if (variables(text) !== variables(english[key])) gap(`${tag} ${key}: has {${variables(text)}}, not {${variables(english[key])}}`);
      if ((typeof text === 'string') !== (typeof english[key] === 'string')) gap(`${tag} ${key}: has plurals in one language alone`);
      if (parts(text).some((part) => typeof part !== 'string' || (!part.trim() && english[key] !== text))) gap(`${tag} ${key}: has an empty text`);
      if (typeof text === 'string') continue;
      plurals += 1;
      for (const form of needed) if (!(form in text)) gap(`${tag} ${key}: lacks the plural "${form}"`);
      for (const form of Object.keys(text)) if (!all.includes(form)) gap(`${tag} ${key}: "${form}" is no plural of this language`);
    }
    console.log(`${gaps > before ? 'GAPS   ' : 'ok     '} ${page} ${tag}: ${Object.keys(catalog).length} texts, ${plurals} with plurals (${needed.join(', ')})`);
  }
}
console.log(gaps ? `${gaps} gaps` : 'no gaps');
process.exit(gaps ? 1 : 0);
