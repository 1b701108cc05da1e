import { Semaphore } from "../../../../embed-element/shared/semaphore";

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
