import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../providers/database.server";
import { compareKeys, type ListedObject, type Page } from "../providers/listings.server";
import type { ObjectStore } from "../providers/object-store.server";
import { AppError, hasCode } from "../shared/app-error";
import { retry } from "../shared/retry";
import { type Catalogue, findCatalogue } from "./catalogues.server";
import {
  applyStep,
  beginScan,
  endScan,
  findEndOfStep,
  readOpenRanges,
  readProgress,
  readRange,
  releaseRange,
  splitRange,
  type TakenRange,
  takeRange,
} from "./scan.sql.server";
import { findSplit } from "./split-range.server";

/** Ranges that this process lists at once. The store is asked for as many pages at once (`MAX_CONCURRENT_PAGES`). */
const MAX_CONCURRENT_RANGES = 4;
/** When every range is taken: how long to wait until looking again. */
const WAIT_MS = 100;
/** A scan takes minutes or hours. It survives a store or a database that is away for a while. */
const RETRIES = { firstPauseMs: 500, maxPauseMs: 30_000, retries: 10 };

/** What a scan needs. */
export interface ScanTools {
  database: Database;
  objectStore: Pick<ObjectStore, "listBelow">;
}

interface ScanOptions {
  /** stops the scan, which can be continued */
  signal: AbortSignal;
  /** gets the number of objects that the scan has found so far, with its earlier runs, and how many of them this run has found */
  onProgress?: (objects: number, here: number) => void;
  /** ranges that are listed at once; by default as many as the store is asked for pages at once */
  ranges?: number;
  /** by default, as many as the store answers */
  maxRequestsPerSecond?: number;
  /** how often a request to a store that is away is repeated; by default for some minutes */
  storeRetries?: number;
}

/**
 * Makes a catalogue equal to its bucket: begins a scan, or goes on with the one that has begun. Several processes may do so at once, and each
 * may be killed. README.md
 * @returns what the scan has found; undefined if it was stopped, or the catalogue was removed
 * @throws AppError as `ObjectStore.list`; `unavailable` if store or database stay away
 */
export async function scanCatalogue(
  tools: ScanTools,
  catalogue: Catalogue,
  { signal, onProgress, ranges = MAX_CONCURRENT_RANGES, maxRequestsPerSecond, storeRetries }: ScanOptions,
): Promise<{ objects: number; differences: number } | undefined> {
  const { database } = tools;
  const { id, bucket } = catalogue;
  await persist(() => beginScan(database, id));
  const { scanStartedAt } = (await persist(() => findCatalogue(database, bucket))) ?? {};
  const { objects: before } = await persist(() => readProgress(database, id));
  let here = 0;
  const stop = new AbortController();
  const scan: Scan = {
    ...tools,
    catalogue,
    undivided: new Set(),
    signal: AbortSignal.any([signal, stop.signal]),
    beforeRequest: atMost(maxRequestsPerSecond),
    storeRetries,
    count(found: number) {
      here += found;
      onProgress?.(before + here, here);
    },
  };
  const workers = Array.from({ length: ranges }, () =>
    listRanges(scan).catch((error: unknown) => {
      stop.abort();
      throw error;
    }),
  );
  // All of them end before this does: each gives its range back.
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  if (signal.aborted || !scanStartedAt) return undefined;
  if (!(await persist(() => endScan(database, id, scanStartedAt)))) return undefined;
  const ended = await persist(() => findCatalogue(database, bucket));
  return ended?.id === id && ended.scannedAt !== null
    ? { objects: Number(ended.objects), differences: Number(ended.differences) }
    : undefined;
}

interface Scan extends ScanTools {
  catalogue: Pick<Catalogue, "id" | "bucket">;
  /** ids of ranges that have so little left that they are not divided */
  undivided: Set<string>;
  signal: AbortSignal;
  /** waits until the store may be asked */
  beforeRequest(signal: AbortSignal): Promise<void>;
  storeRetries: number | undefined;
  count(objects: number): void;
}

/** Lets requests begin at equal distances. */
function atMost(perSecond = Number.POSITIVE_INFINITY): Scan["beforeRequest"] {
  let nextAt = 0;
  return async (signal) => {
    const now = performance.now();
    const pauseMs = nextAt - now;
    nextAt = Math.max(now, nextAt) + 1_000 / perSecond;
    // A scan that is stopped waits no longer.
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {});
  };
}

/** Lists one range after the other, until all are listed. */
async function listRanges(scan: Scan): Promise<void> {
  while (!scan.signal.aborted) {
    const range = (await takeFreeRange(scan)) ?? (await takePartOfRange(scan));
    if (range === "all listed") return;
    if (range === undefined) await sleep(WAIT_MS, undefined, { signal: scan.signal }).catch(() => {});
    else await listRange(scan, range);
  }
}

const takeFreeRange = ({ database, catalogue: { id } }: Scan) => persist(() => takeRange(database, id));

/**
 * Takes a part of a range that another worker is listing, here or in another process.
 * @returns undefined if none of them has more than the next page left
 */
async function takePartOfRange(scan: Scan): Promise<TakenRange | "all listed" | undefined> {
  const { database, catalogue } = scan;
  const open = await persist(() => readOpenRanges(database, catalogue.id));
  if (open.length === 0) return "all listed";
  for (const range of open) {
    if (scan.signal.aborted) return undefined;
    if (scan.undivided.has(range.id)) continue;
    // The next page is left to the other worker: it has asked for it already.
    const { next } = await listPage(scan, range.after);
    if (next === null || isAfter(next, range.until)) {
      scan.undivided.add(range.id);
      continue;
    }
    const firstKeyAfter = async (after: string) => (await listPage(scan, after, 1)).entries[0]?.key ?? null;
    const split = await findSplit(next, range.until, firstKeyAfter);
    const part = split === undefined ? undefined : await persist(() => splitRange(database, range, split));
    if (part !== undefined) return part;
  }
  return undefined;
}

/** Lists a range from where it is to its end, page by page. Each page is applied before the next one is requested. */
async function listRange(scan: Scan, taken: TakenRange): Promise<void> {
  const { database, signal } = scan;
  let range: TakenRange | undefined = taken;
  while (range !== undefined && !signal.aborted) {
    const page = await listPage(scan, range.after);
    range = await applyPage(scan, range, page);
  }
  if (range !== undefined) await persist(() => releaseRange(database, range.id));
}

/**
 * Applies a page, in several steps where the catalogue has many rows that the page has not.
 * @returns the range after the page; undefined if it is listed to its end, or somebody else has listed it
 */
async function applyPage(
  scan: Scan,
  range: TakenRange,
  { entries, next }: Page<ListedObject>,
): Promise<TakenRange | undefined> {
  const { database, catalogue } = scan;
  const askedAt = range.now;
  let current = range;
  for (;;) {
    const { after, until } = current;
    let end = next === null || isAfter(next, until) ? until : next;
    end = (await persist(() => findEndOfStep(database, catalogue.id, after, end))) ?? end;
    const objects = entries.filter(({ key }) => compareKeys(key, after) > 0 && !isAfter(key, end));
    const step = { catalogueId: catalogue.id, range: current, objects, end, askedAt };
    const applied = await persist(() => applyStep(database, step));
    if (applied === undefined) {
      const found = await persist(() => readRange(database, range.id));
      // Somebody has taken a part of the range: what is left of it is still ours.
      if (found?.after !== after) return undefined;
      current = found;
      continue;
    }
    scan.count(objects.length);
    if (applied.isListed) return undefined;
    current = { ...current, after: end ?? after, now: applied.now };
    if (end === next) return current;
  }
}

/** Whether a key comes after the end of a range. Nothing comes after the end of the bucket, which is null. */
const isAfter = (key: string, end: string | null) => end !== null && compareKeys(key, end) > 0;

/** @throws AppError `provider_failed` if the store does not list keys in the order of their bytes */
async function listPage(
  { objectStore, catalogue: { bucket }, signal, beforeRequest, storeRetries }: Scan,
  after: string,
  pageSize?: number,
): Promise<Page<ListedObject>> {
  const page = { bucket, prefix: "", after: after || undefined, ...(pageSize && { pageSize }) };
  const ask = async () => {
    await beforeRequest(signal);
    return objectStore.listBelow(page);
  };
  const found = await persist(ask, { signal, retries: storeRetries });
  found.entries.reduce((previous, { key }) => {
    if (compareKeys(previous, key) < 0) return key;
    const logDetail =
      "The store does not list keys in the order of their bytes, so its bucket cannot have a catalogue.";
    throw new AppError("provider_failed", "The object store cannot be used for this.", { logDetail });
  }, after);
  return found;
}

/** Repeats what a store or a database that is away for a while has made fail. */
const persist = <Result>(
  work: () => Promise<Result>,
  { signal, retries = RETRIES.retries }: { signal?: AbortSignal; retries?: number | undefined } = {},
): Promise<Result> =>
  retry(work, {
    ...RETRIES,
    retries,
    shouldRetry: (error) => !signal?.aborted && hasCode(error, "unavailable"),
  });
