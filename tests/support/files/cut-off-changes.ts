/** Changes files and folders while the store fails, and repeats requests as a page does. */

import { afterAll, beforeEach, expect, inject, vi } from "vitest";
import type { Intercept, StoreFault } from "../../../local/object-store";
import { createRouteApp } from "../app/route-app";
import { type Change, type ChangeCalls, openChanges } from "./change-calls";
import { type FaultyStore, startFaultyStore } from "./faulty-store";

/**
 * Opens the change endpoints on a store with injectable faults. Faults end with the test. Call it at the top of a test file.
 * @returns `open`, which creates a bucket and the calls that change it
 */
export async function openFaultyStore(env?: Record<string, string>) {
  const faulty = await startFaultyStore(inject("stack"));
  const app = createRouteApp(faulty.stack, env);
  beforeEach(() => {
    faulty.intercept = null;
  });
  afterAll(async () => {
    await app.close();
    await faulty.close();
  });
  return { faulty, app, open: () => openChanges(faulty.stack, app.fetch) };
}

/** Waits a second: the store gives creation times in whole seconds. */
export async function aSecondLater(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await expect.poll(() => Math.floor(Date.now() / 1000), { timeout: 5_000 }).toBeGreaterThan(second);
}

export type Asked = Parameters<Intercept>[0];
export const asks = {
  list: ({ method, query }: Asked) => method === "GET" && (query.has("prefix") || query.has("versions")),
  look: ({ method }: Asked) => method === "HEAD",
  copy: ({ method, headers }: Asked) => method === "PUT" && "x-amz-copy-source" in headers,
  delete: ({ method }: Asked) => method === "DELETE",
  put: ({ method, headers }: Asked) => method === "PUT" && !("x-amz-copy-source" in headers),
};

/** Blocks every request from the nth request of a kind on, as if the process was killed there. */
export function cutAfter(
  faulty: FaultyStore,
  isMeant: (request: Asked) => boolean,
  count: number,
  fault: StoreFault,
): void {
  let seen = 0;
  faulty.intercept = (request) => {
    if (isMeant(request)) seen += 1;
    if (seen <= count) return undefined;
    return seen === count + 1 && isMeant(request) ? fault : { reset: true };
  };
}

let made = 0;

export const before = { "a.txt": "a", "docs/b": "b", "docs/c": "c", "docs/deep/": "", "docs/deep/d": "d" };

/**
 * Runs `make` with a clock five seconds in the past. An object and its copy cannot be told apart by time if both were made in the
 * same second.
 */
export async function secondsAgo<Made>(make: () => Promise<Made>): Promise<Made> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 5_000 });
  try {
    return await make();
  } finally {
    vi.useRealTimers();
  }
}

export async function filled({ put }: ChangeCalls) {
  const at = `place-${made++}`;
  const from = Object.entries(before).map(([key, text]) => [`${at}/from/${key}`, text]);
  await secondsAgo(() => put({ ...Object.fromEntries(from), [`${at}/stays`]: "stays" }));
  return { at, items: [{ key: `${at}/from/a.txt` }, { folderPath: `/${at}/from/docs` }] };
}

/** Sends requests as a page does: it repeats a failed request and continues with the cursor. The fault ends after the first failure. */
export async function repeatUntilDone(faulty: FaultyStore, { ask }: ChangeCalls, what: Change, body: object) {
  const undo: string[] = [];
  const failed: object[] = [];
  let failures = 0;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const response = await ask(what, { ...body, ...(cursor && { cursor }) });
    if (response.status === 200) {
      cursor = response.body.cursor ?? null;
      failed.push(...(response.body.failed ?? []));
      if (response.body.undo) undo.push(response.body.undo);
    } else {
      if (response.status < 500) throw new Error(`${response.status}: ${JSON.stringify(response.body)}`);
      failures += 1;
      faulty.intercept = null;
    }
  }
  return { failures, failed, undo };
}
