// @ts-check
/** Several events for one price: a time for each, then how many. */
import { html, useEffect, useLayoutEffect, useLoad, useValue, Failed, Loading, Notice, Paragraphs } from '/shared/ui.js';
import { Refusal } from '/shared/client.js';
import { cents, dayKey, dayShort, isDay, range, t, time } from '/shared/intl.js';
import { api, basket, setBasket, taxOf, totals, venue } from '/shop/state.js';
import { Days, Tickets, Times } from '/shop/event.js';
import { Bar, Donation } from '/shop/extras.js';

/** @param {string} id */
async function load(id) {
  const all = await api.get('/v2/b2c/combos');
  const combo = all.find((/** @type {any} */ one) => one.id === id);
  if (!combo) throw new Refusal(404, {});
  const events = await Promise.all(combo.parts.map((/** @type {any} */ part) => api.get(`/v2/b2c/event/templates/${part.eventTemplateId}`)));
  const days = await Promise.all(combo.parts.map((/** @type {any} */ part) => api.get(`/v2/b2c/events/${part.eventTemplateId}/nextAvailable`)
    .then((/** @type {any} */ next) => dayKey(next.startTime), () => null)));
  return { combo, events, days };
}

/** What the parts cost one by one, for the ticket types that all of them have. @param {any} combo @param {any[]} events */
function fullPrices(combo, events) {
  const lists = events.map((event) => event.priceLists[0]?.prices ?? []);
  return (lists[0] ?? []).filter((/** @type {any} */ p) => lists.every((list) => list.some((/** @type {any} */ q) => q.personType.id === p.personType.id)))
    .map((/** @type {any} */ p) => ({
      personType: p.personType,
      price: lists.reduce((all, list, at) => all + cents(list.find((/** @type {any} */ q) => q.personType.id === p.personType.id).price) * combo.parts[at].quantity, 0) / 100,
      discount: null,
    }));
}

/**
 * The address keeps, for each part in its order, a day and a time: `2026-12-01.SLOT,2026-12-04.`
 * @param {string | undefined} text @param {number} parts
 */
function readSlots(text, parts) {
  const given = (text ?? '').split(',');
  return Array.from({ length: parts }, (_, at) => {
    const [day = '', slot = ''] = (given[at] ?? '').split('.');
    return { day: isDay(day) ? day : '', slot };
  });
}

/** @param {{part: any, event: any, day: string, slot: string, at: any, to: (day: string, slot: string) => any, onTime: (time: any) => void, combo: string}} of */
function Part({ part, event, day, slot, at, to, onTime, combo }) {
  const times = useLoad(async () => (day ? api.get(`/v2/b2c/event/templates/${part.eventTemplateId}/times`, { query: { ...range(day, day), comboTemplateId: combo } }) : []), [day, combo]);
  const found = times.data?.find((/** @type {any} */ one) => one.id === slot);
  useLayoutEffect(() => onTime(found), [found?.id]);
  return html`<section class="part stack" aria-label=${event.name}><h2>${event.name}</h2>
    <p class="muted">${found ? `${dayShort(found.startTime)}, ${time(found.startTime)}` : event.summary}</p>
    <${Days} event=${part.eventTemplateId} day=${day || null} at=${at} to=${(/** @type {string} */ key) => to(key, '')} />
    ${times.error ? html`<${Failed} error=${times.error} retry=${times.reload} />` : day && html`<${Times} event=${part.eventTemplateId} day=${day} times=${times.data} slot=${slot} to=${(/** @type {string} */ s) => to(day, s)} />`}
  </section>`;
}

/** @param {{at: import('/shop/state.js').Route}} of */
export default function Combo({ at }) {
  const id = /** @type {string} */ (at.combo);
  const { data, error, reload } = useLoad(() => load(id), [id]);
  const chosen = useValue(basket);
  useEffect(() => {
    if (data) document.title = `${data.combo.name} · ${venue.peek().name}`;
  }, [data]);
  if (error) return html`<h1>${t('event.missing')}</h1><${Failed} error=${error} retry=${reload} />`;
  if (!data) return html`<h1 class="visually-hidden">${t('loading')}</h1><${Loading} lines=${3} block />`;
  const { combo, events, days } = data;
  const slots = readSlots(at.slots, combo.parts.length).map((one, n) => ({ day: one.day || days[n] || '', slot: one.slot }));
  const write = (/** @type {number} */ part, /** @type {string} */ day, /** @type {string} */ slot) => ({
    combo: id,
    slots: slots.map((one, n) => (n === part ? `${day}.${slot}` : `${one.day}.${one.slot}`)).join(','),
  });
  const names = new Map(events.flatMap((/** @type {any} */ e) => e.priceLists.flatMap((/** @type {any} */ list) => list.prices.map((/** @type {any} */ p) => [p.personType.id, p.personType]))));
  const reduced = combo.comboTemplateType === 'discountCode';
  const prices = reduced ? fullPrices(combo, events) : (combo.prices ?? []).filter((/** @type {any} */ p) => names.has(p.personTypeId))
    .map((/** @type {any} */ p) => ({ personType: names.get(p.personTypeId), price: cents(p.price) / 100, discount: null }));
  const mine = chosen.combos[id];
  const ready = slots.every((one) => one.slot) && mine && combo.parts.every((/** @type {any} */ p, /** @type {number} */ n) => mine.slots[p.eventTemplateId]?.slot === slots[n].slot);
  const update = (/** @type {any} */ change) => {
    const before = basket.peek().combos[id] ?? { name: combo.name, ...taxOf(combo), slots: {}, quantities: {}, types: Object.fromEntries(prices.map((/** @type {any} */ p) => [p.personType.id, { name: p.personType.name, cents: cents(p.price), retail: cents(p.price) }])) };
    setBasket({ ...basket.peek(), combos: { ...basket.peek().combos, [id]: change(before) } });
  };
  return html`<h1>${combo.name}</h1><div class="prose"><${Paragraphs} text=${combo.description} /></div>
    ${combo.parts.map((/** @type {any} */ part, /** @type {number} */ n) => html`<${Part} key=${part.eventTemplateId} part=${part} event=${events[n]} day=${slots[n].day} slot=${slots[n].slot} at=${at} combo=${id}
      to=${(/** @type {string} */ day, /** @type {string} */ slot) => write(n, day, slot)}
      onTime=${(/** @type {any} */ found) => found && update((/** @type {any} */ b) => ({ ...b, slots: { ...b.slots, [part.eventTemplateId]: { slot: found.id, start: found.startTime, name: events[n].name, quantity: part.quantity } } }))} />`)}
    <section class="stack"><h2>${t('combo.tickets')}</h2>
      ${!ready && html`<p class="muted">${t('combo.choose')}</p>`}
      ${reduced && html`<p class="muted">${t('combo.reduced')}</p>`}
      ${prices.length ? html`<${Tickets} prices=${prices} quantities=${ready ? mine.quantities : {}} max=${99} choosing=${Boolean(ready)} onCount=${(/** @type {string} */ type, /** @type {number} */ n) => update((/** @type {any} */ b) => {
        const quantities = { ...b.quantities, [type]: n };
        if (!n) delete quantities[type];
        return { ...b, quantities };
      })} />` : html`<${Notice}><p>${t('on.noDate')}</p></${Notice}>`}
    </section>
    ${totals(chosen).seats > 0 && html`<${Donation} /><${Bar} />`}`;
}
