// What the pages use of htm-preact.js. Templates are not checked, so that components take and give anything.
export const html: (strings: TemplateStringsArray, ...values: any[]) => any;
export function h(type: any, props?: any, ...children: any[]): any;
export function render(what: any, into: Element): void;
export function createContext<T>(value: T): { Provider: any; Consumer: any };
export function useState<T>(value: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useEffect(run: () => void | undefined | (() => void), on?: unknown[]): void;
export function useLayoutEffect(run: () => void | undefined | (() => void), on?: unknown[]): void;
export function useRef<T>(value: T): { current: T };
export function useMemo<T>(make: () => T, on: unknown[]): T;
export function useCallback<T extends Function>(run: T, on: unknown[]): T;
export function useContext(context: any): any;
