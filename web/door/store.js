// @ts-check
/** What the device keeps: scans that wait, lists of the door, and which venue it is. */

const NAME = 'boxoffice-door';
const STORES = /** @type {const} */ (['kept', 'lists', 'scans', 'notices']);
/** @typedef {typeof STORES[number]} Store */

/** @type {Promise<IDBDatabase | null> | null} */
let opened = null;
/** Where a browser keeps nothing, for as long as the page is open. @type {Record<string, Map<string, any>>} */
const memory = Object.fromEntries(STORES.map((name) => [name, new Map()]));

function open() {
  opened ??= new Promise((done) => {
    try {
      const asked = indexedDB.open(NAME, 1);
      asked.onupgradeneeded = () => STORES.forEach((name) => asked.result.createObjectStore(name));
      asked.onsuccess = () => {
        asked.result.onversionchange = () => asked.result.close();
        done(asked.result);
      };
      asked.onerror = () => done(null);
      asked.onblocked = () => done(null);
    } catch {
      done(null);
    }
  });
  return opened;
}

/** Whether what is kept outlives the page. */
export const lasting = async () => (await open()) !== null;

/**
 * @param {Store} store @param {IDBTransactionMode} mode @param {(of: IDBObjectStore) => IDBRequest} work @param {boolean} [strict] it has to be there even if the battery is taken out
 * @returns {Promise<any>}
 */
async function run(store, mode, work, strict = false) {
  const base = await open();
  if (!base) return undefined;
  return new Promise((done, fail) => {
    const turn = base.transaction(store, mode, { durability: strict ? 'strict' : 'default' });
    const asked = work(turn.objectStore(store));
    turn.oncomplete = () => done(asked.result);
    turn.onerror = () => fail(turn.error);
    turn.onabort = () => fail(turn.error);
  });
}

/** @param {Store} store @param {string} key @param {any} value */
export async function put(store, key, value) {
  if (await lasting()) {
    try {
      await run(store, 'readwrite', (of) => of.put(value, key), store === 'scans' && value.state !== 'asking');
      memory[store].delete(key);
      return;
    } catch { /* full: kept in memory instead */ }
  }
  memory[store].set(key, structuredClone(value));
}

/** @param {Store} store @param {string} key */
export async function get(store, key) {
  return memory[store].get(key) ?? await run(store, 'readonly', (of) => of.get(key));
}

/** @param {Store} store @returns {Promise<any[]>} */
export async function all(store) {
  return [...(await run(store, 'readonly', (of) => of.getAll()) ?? []), ...memory[store].values()];
}

/** @param {Store} store @param {string} key */
export async function remove(store, key) {
  memory[store].delete(key);
  await run(store, 'readwrite', (of) => of.delete(key));
}

/** @param {Store} store */
export async function clear(store) {
  memory[store].clear();
  await run(store, 'readwrite', (of) => of.clear());
}
