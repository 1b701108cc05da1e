import { setTimeout as sleep } from "node:timers/promises";
import { isAfter } from "./key-order";
import { type Cut, findCut, type KeyRange } from "./split-range";

/** How many requests run at once. */
export const LANES = 8;
/** How long requests that run may still take when there is enough, milliseconds; what they list is asked for again after that. */
const LAST_WAIT = 150;
/** Guesses that find nothing, beside one for every four pages that find something: a bucket may be unlike anything that we guess. */
const FREE_MISSES = 4;

/** Keys as the store listed them. */
export interface ListedKeys {
  keys: readonly string[];
  /** there are more after them */
  isTruncated: boolean;
}

export interface Walk<Page extends ListedKeys> {
  /** what all keys begin with */
  prefix: string;
  list(after: string, signal: AbortSignal): Promise<Page>;
  /** Gets each page, of which the first `count` keys come after `after` and are nobody else's. */
  take(page: Page, count: number, after: string): void;
  /** Asked after each page: whether to begin no more requests. */
  isEnough(): boolean;
  /** milliseconds after which it is enough */
  limitMs: number;
}

interface Lane extends KeyRange {
  /** the first key of its last page; null before that */
  first: string | null;
}

/**
 * Lists the keys of `ranges`, a thousand a request and several requests at a time: a range is cut in two when there are fewer ranges than
 * may be listed at once. Begins with one request and doubles, so that what fits in a page or two costs no more.
 * @returns what has not been listed, in order; empty when all has been
 * @throws what `list` throws, when nothing else was listed
 */
export async function walkKeys<Page extends ListedKeys>(
  ranges: readonly KeyRange[],
  walk: Walk<Page>,
): Promise<KeyRange[]> {
  const state = new WalkState(ranges, walk);
  const { running, abandon } = state;
  const endsAt = performance.now() + walk.limitMs;
  const timeOver = sleep(walk.limitMs, undefined, { signal: abandon.signal }).catch(() => {});
  while (state.failure === undefined && performance.now() < endsAt && !walk.isEnough()) {
    state.beginMore();
    if (running.size === 0) break;
    await Promise.race([...running.values(), timeOver]);
  }
  // A slow store gets until its own time-out for a first page: else nothing would ever come of it.
  while (state.pages === 0 && running.size > 0) await Promise.race(running.values());
  const lastWait = sleep(LAST_WAIT, undefined, { signal: abandon.signal });
  await Promise.race([Promise.all(running.values()), lastWait]);
  abandon.abort();
  if (state.failure !== undefined && state.pages === 0) throw state.failure.thrown;
  return [...state.lanes]
    .map(({ after, last }) => ({ after, last }))
    .sort((a, b) => (isAfter(a.after, b.after) ? 1 : -1));
}

class WalkState<Page extends ListedKeys> {
  readonly lanes: Set<Lane>;
  readonly running = new Map<Lane, Promise<void>>();
  readonly abandon = new AbortController();
  pages = 0;
  failure: { thrown: unknown } | undefined;
  #misses = 0;
  readonly #atFirst: number;

  constructor(
    ranges: readonly KeyRange[],
    private readonly walk: Walk<Page>,
  ) {
    this.lanes = new Set(ranges.map((range) => ({ ...range, first: null })));
    this.#atFirst = ranges.length;
  }

  /** As many requests as there may be. */
  beginMore(): void {
    while (this.running.size < Math.min(LANES, Math.max(this.#atFirst, 2 ** this.pages))) {
      const lane = this.#nextLane();
      if (lane === undefined) return;
      const work = this.#list(lane)
        .catch((thrown: unknown) => {
          this.failure ??= { thrown };
        })
        .finally(() => this.running.delete(lane));
      this.running.set(lane, work);
    }
  }

  async #list(lane: Lane): Promise<void> {
    const page = await this.walk.list(lane.after, this.abandon.signal);
    if (this.abandon.signal.aborted) return;
    const { keys } = page;
    const count = countUpTo(keys, lane.last);
    this.pages += 1;
    if (count === 0) this.#misses += 1;
    this.walk.take(page, count, lane.after);
    const [first, last] = [keys[0], keys.at(-1)];
    // A store that lists the same again has no more to say.
    const isOver = count < keys.length || !page.isTruncated || last === lane.after;
    if (isOver || first === undefined || last === undefined) {
      this.lanes.delete(lane);
      return;
    }
    lane.after = last;
    lane.first = first;
  }

  #nextLane(): Lane | undefined {
    for (const lane of this.lanes) if (!this.running.has(lane)) return lane;
    return this.#misses < FREE_MISSES + this.pages / 4 ? this.#cutLongest() : undefined;
  }

  /** Cuts the range that seems to have most left, and returns its second half. */
  #cutLongest(): Lane | undefined {
    let best: { lane: Lane; cut: Cut } | undefined;
    for (const lane of this.lanes) {
      const cut = lane.first && findCut(lane, lane.first, this.walk.prefix);
      if (cut && cut.pages > (best?.cut.pages ?? 0)) best = { lane, cut };
    }
    if (best === undefined) return undefined;
    const { lane, cut } = best;
    const rest: Lane = { after: cut.at, last: lane.last, first: null };
    lane.last = cut.at;
    this.lanes.add(rest);
    return rest;
  }
}

/** How many of `keys`, which are in order, do not come after `last`. */
function countUpTo(keys: readonly string[], last: string | null): number {
  const end = keys.at(-1);
  if (last === null || end === undefined || !isAfter(end, last)) return keys.length;
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(keys[middle] ?? "", last)) high = middle;
    else low = middle + 1;
  }
  return low;
}
