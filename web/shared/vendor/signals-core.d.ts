// What the pages use of signals-core.js.
export interface Signal<T> {
  value: T;
  peek(): T;
  subscribe(run: (value: T) => void): () => void;
}
export function signal<T>(value: T): Signal<T>;
export function computed<T>(make: () => T): Readonly<Signal<T>>;
export function effect(run: () => void | (() => void)): () => void;
export function batch<T>(run: () => T): T;
