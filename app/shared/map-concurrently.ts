import { Semaphore } from "../../embed-element/shared/semaphore";

/**
 * Runs `work` on every item, at most `concurrency` at a time. Results are in the order of the items. Rejects with the first error, after
 * which no more work begins.
 */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const permits = new Semaphore(concurrency);
  let failure: { error: unknown } | undefined;
  const attempt = async (item: Item) => {
    if (failure !== undefined) throw failure.error;
    try {
      return await work(item);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };
  return Promise.all(items.map((item) => permits.run(() => attempt(item))));
}
