/** What one request does at most. */
export interface Bounds {
  /** milliseconds after which nothing more is begun */
  ms: number;
  objects: number;
  concurrency: number;
}

export const requestBounds: Bounds = { ms: 2_000, objects: 1_000, concurrency: 16 };

export async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/**
 * `work` on what `source` yields, several at a time, until it ends or the bounds are reached; whatever was begun is waited for. At least one
 * is begun.
 * @param isFull asked before each: whether no more fits in the response
 * @returns the last that was begun, and whether there was no more
 * @throws as the first `work` that failed, once all have ended
 */
export async function runBounded<Unit>(
  source: AsyncIterable<Unit>,
  { ms, objects, concurrency }: Bounds,
  work: (unit: Unit) => Promise<void>,
  isFull: () => boolean = () => false,
): Promise<{ last: Unit | undefined; isComplete: boolean }> {
  const end = performance.now() + ms;
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let last: Unit | undefined;
  let begun = 0;
  let isComplete = true;
  for await (const unit of source) {
    if (running.size >= concurrency) await Promise.race(running);
    const isOver = begun >= objects || performance.now() >= end || isFull();
    if (failures.length > 0 || (begun > 0 && isOver)) {
      isComplete = false;
      break;
    }
    begun += 1;
    last = unit;
    const run: Promise<void> = work(unit)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => running.delete(run));
    running.add(run);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  return { last, isComplete };
}
