import type { Semaphore } from "./semaphore";

/**
 * The work for each part, as many at once as there is memory for. `begin` is told what stops it all. The first that fails stops the others, and is thrown once all have
 * ended; or the signal's reason.
 */
export async function forEachPart(
  numbers: Iterable<number>,
  memory: Semaphore,
  signal: AbortSignal,
  begin: (stop: AbortSignal) => (number: number) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const cancel = () => stop.abort(signal.reason);
  signal.addEventListener("abort", cancel, { once: true });
  const work = begin(stop.signal);
  const running = new Set<Promise<void>>();
  try {
    signal.throwIfAborted();
    for (const number of numbers) {
      const leave = await memory.enter(stop.signal);
      const task = work(number)
        .catch((error: unknown) => stop.abort(error))
        .finally(() => {
          leave();
          running.delete(task);
        });
      running.add(task);
    }
  } catch (error) {
    stop.abort(error);
  } finally {
    await Promise.all(running);
    signal.removeEventListener("abort", cancel);
  }
  stop.signal.throwIfAborted();
}
