import type { World } from "./world.js";

/** A signal that is aborted after this time, or with `outer`. Call `end` when the work has ended. */
export function startDeadline({ timers }: Pick<World, "timers">, milliseconds: number, outer?: AbortSignal) {
  const abort = new AbortController();
  let isOver = false;
  const giveUp = () => abort.abort(outer?.reason);
  if (outer?.aborted) giveUp();
  outer?.addEventListener("abort", giveUp);
  const stopTimer = timers.start(() => {
    isOver = true;
    abort.abort();
  }, milliseconds);
  return {
    signal: abort.signal,
    /** the time is over */
    isOver: () => isOver,
    end() {
      stopTimer();
      outer?.removeEventListener("abort", giveUp);
    },
  };
}
