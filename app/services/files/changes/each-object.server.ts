import { Semaphore } from "../../../../embed-element/shared/semaphore";
import type { PendingChange } from "../../../events/pending-change.server";
import { AppError } from "../../../shared/app-error";
import { logWarning } from "../../../shared/log.server";
import type { RequestContext } from "../../../shared/request-context.server";
import { type FailureCode, objectFailures } from "../place/contract/changes-contract.server";
import { type ChangeItem, keyOrPrefix } from "./change-items";

/*
 * What one request does with the objects of a change: it walks through them, works on several at a time up to its bounds, and counts what
 * became of each.
 */

/** One object of an item, or an item whose objects are not known. */
export interface WalkedEntry<Entry> {
  /** the index of the item */
  index: number;
  /** the key of the object; for an empty folder, its prefix */
  key: string;
  /** undefined for a file, which has not been described yet, and for an empty folder */
  entry: Entry | undefined;
}

/**
 * All objects of the items, from the position of a request on. Pages of folders begin after a key, and not at a store's cursor, because
 * folders change meanwhile.
 * @param listPage lists the objects below a prefix, after a key
 */
export async function* walkObjects<Entry extends { key: string }>(
  items: readonly ChangeItem[],
  from: { index: number; after?: string | undefined },
  listPage: (prefix: string, after: string | undefined) => Promise<{ entries: Entry[]; next: string | null }>,
): AsyncGenerator<WalkedEntry<Entry>> {
  for (const [index, item] of items.entries()) {
    if (index < from.index) continue;
    const key = keyOrPrefix(item);
    let after = index === from.index ? from.after : undefined;
    if (!item.isFolder) {
      if (after === undefined) yield { index, key, entry: undefined };
      continue;
    }
    let isEmpty = after === undefined;
    for (let isLast = false; !isLast; ) {
      const { entries, next } = await listPage(key, after);
      for (const entry of entries) {
        isEmpty = false;
        yield { index, key: entry.key, entry };
      }
      isLast = next === null;
      // A page without objects to change: the request may still stop here.
      if (entries.length === 0 && next !== null) yield { index, key: next, entry: undefined };
      after = next ?? after;
    }
    if (isEmpty) yield { index, key, entry: undefined };
  }
}

/** The position of a request that has begun everything up to this object. */
export const positionAfter = ({ index, key }: WalkedEntry<unknown>) => ({ index, after: key });

/** How much one request does. */
export interface Bounds {
  /** milliseconds, after which no more work is begun */
  ms: number;
  objects: number;
  concurrency: number;
}

export const requestBounds: Bounds = { ms: 2_000, objects: 1_000, concurrency: 16 };

/**
 * Runs `work` on each unit of `source`, several at a time, until the source ends or the bounds are reached, and waits for all work that was
 * begun. At least one unit is begun.
 * @param isFull called before each unit: whether the response has no room for more
 * @returns the last unit that was begun, and whether the source has ended
 * @throws the first error of `work`, once all work has ended
 */
export async function runBounded<Unit>(
  source: AsyncIterable<Unit> | Iterable<Unit>,
  { ms, objects, concurrency }: Bounds,
  work: (unit: Unit) => Promise<void>,
  isFull: () => boolean = () => false,
): Promise<{ last: Unit | undefined; isComplete: boolean }> {
  const end = performance.now() + ms;
  const permits = new Semaphore(concurrency);
  const begun: Promise<void>[] = [];
  const failures: unknown[] = [];
  let last: Unit | undefined;
  let isComplete = true;
  for await (const unit of source) {
    const release = await permits.acquire();
    const isOver = begun.length >= objects || performance.now() >= end || isFull();
    if (failures.length > 0 || (begun.length > 0 && isOver)) {
      isComplete = false;
      break;
    }
    last = unit;
    begun.push(
      work(unit)
        .catch((error: unknown) => void failures.push(error))
        .finally(release),
    );
  }
  await Promise.all(begun);
  if (failures.length > 0) throw failures[0];
  return { last, isComplete };
}

/**
 * Counts what happened to the objects of one request.
 * @typeParam Other failures of this change alone
 */
export class Outcomes<Other extends string = never> {
  done = 0;
  readonly failed: { key: string; code: FailureCode | Other }[] = [];
  #isLogged = false;

  constructor(private readonly context: RequestContext) {}

  /** Counts the result of `work`. An error that concerns only this object is counted as well; others are thrown. */
  async count(key: string, work: Promise<"done" | "uncounted" | FailureCode | Other>): Promise<void> {
    const outcome = await work.catch((error: unknown) => this.#codeOf(error));
    if (outcome === "done") this.done += 1;
    else if (outcome !== "uncounted") this.failed.push({ key, code: outcome });
  }

  #codeOf(error: unknown): FailureCode {
    const code = error instanceof AppError ? objectFailures.find((name) => name === error.code) : undefined;
    if (!(error instanceof AppError) || code === undefined) throw error;
    if (code === "provider_failed" && !this.#isLogged) {
      this.#isLogged = true;
      logWarning(`An object could not be changed. ${error.logDetail ?? error.message}`, this.context);
    }
    return code;
  }
}

/** After these, another attempt of the same request may have made the change. Then the pending row is left to `npm run cleanup`. */
const outcomesOfAttempts: readonly unknown[] = ["done", "uncounted", "upload_conflict"];

/** Ends an object's event when `work` is done. If `work` fails, nobody knows what has become of the object, and the event stays pending. */
export async function endChange<Outcome>(change: PendingChange, work: Promise<Outcome>): Promise<Outcome> {
  const outcome = await work;
  if (change.isMade || !outcomesOfAttempts.includes(outcome)) await change.end();
  return outcome;
}

/** An object that a change has deleted. Removing its delete marker brings it back. */
export interface DeletedObject {
  key: string;
  /** the version of the delete marker */
  marker: string;
}

/** An object that a change has created. */
export interface CreatedObject {
  key: string;
  etag: string;
  /** the version that it replaced, which is made the newest again; without it, the object is removed */
  replaced?: string | undefined;
}
