/** Everything outside of the engine that it uses. Tests and simulations pass their own. */
export interface World {
  fetch(url: string, init: RequestInit): Promise<Response>;
  clock: {
    /** milliseconds of a monotonic clock */
    now(): number;
    /** milliseconds since 1970 */
    date(): number;
  };
  timers: {
    /** Calls `act` after this time. @returns a function that stops it */
    start(act: () => void, milliseconds: number): () => void;
  };
  /** at least 0 and less than 1 */
  random(): number;
  network: {
    /** false if there is certainly no network */
    isOnline(): boolean;
    /** Calls `listener` when the network is back. @returns a function that stops it */
    onOnline(listener: () => void): () => void;
  };
}

/** What browsers have, and Node does not. */
const browser: {
  fetch: unknown;
  navigator?: { onLine?: boolean };
  addEventListener?: (type: string, listener: () => void) => void;
  removeEventListener?: (type: string, listener: () => void) => void;
} = globalThis;

/** The browser, or Node. */
export const realWorld: World = {
  fetch: (url, init) => fetch(url, init),
  clock: {
    now: () => performance.now(),
    date: () => Date.now(),
  },
  timers: {
    start(act, milliseconds) {
      const timer = setTimeout(act, milliseconds);
      return () => clearTimeout(timer);
    },
  },
  random: () => Math.random(),
  network: {
    isOnline: () => browser.navigator?.onLine ?? true,
    onOnline(listener) {
      browser.addEventListener?.("online", listener);
      return () => browser.removeEventListener?.("online", listener);
    },
  },
};
