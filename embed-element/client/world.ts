import type { DigestAlgorithm, ReadBlob } from "../shared/read-blob.js";
import { type SendRequest, type SendResponse, sendByFetch, sendByXhr } from "./world-send.js";
import { browserStorage, type RecordStorage } from "./world-storage.js";

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
  /** Sends bytes to a presigned URL. @throws a TypeError if the connection broke, or the signal's reason */
  send(request: SendRequest): Promise<SendResponse>;
  /** of unfinished uploads, between visits */
  storage: RecordStorage;
  /** Reads bytes elsewhere, for example in a worker; null if that is not possible. By default, this thread reads them, and knows no MD5. */
  readBlob?(blob: Blob, algorithm: DigestAlgorithm): Promise<ReadBlob | null>;
  /** Opens a file of this machine. Browsers have none. @throws a FilesError `unreadable` */
  openFile?(path: string): Promise<LocalFile>;
}

/** As a `File` of browsers. `lastModified` is in unix milliseconds. */
export type LocalFile = Blob & { name: string; lastModified: number };

/** What browsers have, and Node does not. */
const browser: {
  XMLHttpRequest?: unknown;
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
  send: (request) => (browser.XMLHttpRequest ? sendByXhr(request) : sendByFetch(request)),
  storage: browserStorage,
};
