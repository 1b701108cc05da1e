/** A store as `fetch` meets it, with what a test has go wrong. */

import {
  type ArchiveEntry,
  type RetryTiming,
  realWorld,
  type SignKeys,
  type World,
} from "platform-embed-element/client";

/** How the store responds to one request; undefined: as a store in order does. */
type Respond = (request: {
  key: string;
  headers: Headers;
  /** the bytes that were asked for */
  bytes: Uint8Array;
  signal: AbortSignal;
}) => Response | Promise<Response> | undefined;

export interface StoreForTests {
  world: World;
  sign: SignKeys;
  /** a wait is over at once, and then so much later; the waits that there were, milliseconds */
  timing: RetryTiming;
  waits: number[];
  /** `key` or `key range`, in their order */
  requests: string[];
  /** the keys of each request for URLs */
  signed: string[][];
  /** what goes wrong from now on */
  respond: Respond | null;
  entries: ArchiveEntry[];
}

const ETAG = '"v1"';

/** @param files their bytes, by their keys, which are their paths in the archive too */
export function startStore(files: Record<string, Uint8Array>): StoreForTests {
  const store: StoreForTests = {
    waits: [],
    requests: [],
    signed: [],
    respond: null,
    timing: {
      random: () => 0.5,
      now: () => store.waits.reduce((sum, wait) => sum + wait, 0),
      wait: async (milliseconds, signal) => {
        signal.throwIfAborted();
        store.waits.push(milliseconds);
      },
    },
    entries: Object.entries(files).map(([key, { length: size }]) => ({
      path: key,
      key,
      size,
      etag: ETAG,
      modified: 0,
    })),
    sign: async (keys) => {
      store.signed.push(keys);
      const urls = keys.map(
        (key) =>
          `https://store.example/${encodeURI(key).replaceAll("?", "%3F")}?signed=${store.signed.length}`,
      );
      return { urls, validForMs: 300_000 };
    },
    world: {
      ...realWorld,
      fetch: async (input, init) => {
        const key = decodeURI(new URL(input).pathname.slice(1)).replaceAll("%3F", "?");
        const headers = new Headers(init?.headers);
        const range = headers.get("Range");
        store.requests.push(range === null ? key : `${key} ${range}`);
        const all = files[key] ?? new Uint8Array();
        const bytes = all.subarray(Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0));
        const signal = init?.signal ?? new AbortController().signal;
        const response = await store.respond?.({ key, headers, bytes, signal });
        return response ?? respondWith(bytes, range === null ? 200 : 206);
      },
    },
  };
  return store;
}

export function respondWith(bytes: Uint8Array, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    status,
    headers: { "Content-Length": String(bytes.length), ...headers },
  });
}

/** Some bytes, and then whatever `then` does: a reset (rejects), nothing (never resolves), the end (resolves). */
export function cutOff(bytes: Uint8Array, length: number, then: () => Promise<void>, status = 200): Response {
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent) {
        await then();
        controller.close();
      } else {
        sent = true;
        controller.enqueue(bytes.subarray(0, length));
      }
    },
  });
  return new Response(body, { status, headers: { "Content-Length": String(bytes.length) } });
}

export const reset = () => Promise.reject(new TypeError("network error"));
