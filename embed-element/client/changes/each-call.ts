import { MAX_CHANGED_ITEMS } from "../limits.js";
import type { Call } from "../request.js";
import { type RetryTiming, withRetries } from "../retry.js";
import {
  type Answer,
  type Change,
  choiceOf,
  type Item,
  itemOf,
  type Question,
  type RequestedChange,
} from "./change.js";

export interface Run {
  call: Call;
  timing: RetryTiming;
  signal: AbortSignal;
  get(): Change;
  update(members: Partial<Change>): void;
  /** Waits for the person's answer. */
  ask(question: Question): Promise<Answer | "cancel">;
  onStart(): void;
}

/** `null`: cancelled by the person. Items: call again with these instead. */
type CallResult = Pick<Change, "done" | "failed" | "cursor"> | Item[] | "repeat" | null;

/** Calls `send` for the remaining items, and records the position, so that a retry continues there. */
export async function eachCall(
  run: Run,
  send: (items: Item[], cursor: string | undefined) => Promise<CallResult>,
): Promise<void> {
  run.update({ left: run.get().left ?? batchesOf(run.get(), run.get().items.map(itemOf)) });
  for (;;) {
    const { left, cursor, done, failed, isStopping } = run.get();
    const [items, ...others] = left ?? [];
    const hasStarted = done > 0 || failed.length > 0 || cursor !== null;
    if (!items || isStopping) return;
    const result = items.length === 0 ? [] : await send([...items], cursor ?? undefined);
    if (result === null) return;
    if (result === "repeat") {
      run.update({ cursor: null });
      continue;
    }
    if (Array.isArray(result)) {
      run.update({ left: result.length === 0 ? others : [result, ...others], cursor: null });
      continue;
    }
    if (!hasStarted) run.onStart();
    run.update({
      done: done + result.done,
      failed: [...failed, ...result.failed],
      left: result.cursor === null ? others : left,
      cursor: result.cursor,
    });
  }
}

/** Sends a request, again while the failure is temporary. @throws a FilesError, or the signal's reason */
export function callAgain<Result>(run: Run, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { timing, signal, update } = run;
  const send = async () => {
    const result = await work(signal);
    if (run.get().isRetrying) update({ isRetrying: false });
    return result;
  };
  return withRetries(send, timing, { onRetry: () => update({ isRetrying: true }), signal });
}

/**
 * The items of a change in calls: as many in each as one may name, and only such for which the same was decided, because a call has one answer to
 * taken names.
 */
export function batchesOf(change: RequestedChange, items: readonly Item[]): Item[][] {
  const answers = [undefined, "skip", "replace", "keep-both"] as const;
  return answers.flatMap((answer) => {
    const alike = items.filter((item) => choiceOf(change, [item]) === answer);
    const count = Math.ceil(alike.length / MAX_CHANGED_ITEMS);
    return Array.from({ length: count }, (_, at) =>
      alike.slice(at * MAX_CHANGED_ITEMS, (at + 1) * MAX_CHANGED_ITEMS),
    );
  });
}
