import { nameOf } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { MAX_CHANGED_ITEMS } from "../../storage-limits";
import { StorageProblem } from "../../storage-problem";
import { type RetryTiming, withRetries } from "../../transfers/retry";
import type { ConflictChoice } from "../../transfers/upload";
import { type Change, type Item, itemOf, type NamedItem } from "./change";

/** The person's decision. `delete`: permanently. */
export type Answer = ConflictChoice | "delete" | "cancel";

export interface Run {
  client: Pick<StorageClient, "call">;
  timing: RetryTiming;
  signal: AbortSignal;
  get(): Change;
  update(members: Partial<Change>): void;
  /** Asks the person. @param members of the change that the question shows */
  ask(members: Partial<Change>): Promise<Answer>;
  onStart(): void;
}

/** Carries out a change, one call after the other, until it is done or stopped. @throws a StorageProblem, or the signal's reason */
export async function runChange(run: Run): Promise<void> {
  const { action } = run.get();
  if (action === "delete") return remove(run);
  if (action === "create-folder") return createFolder(run);
  if (action === "restore" || action === "remove") return restore(run);
  return transfer(run, action === "copy" ? "copy" : "move");
}

async function transfer(run: Run, way: "copy" | "move"): Promise<void> {
  const { to, name, action, again } = run.get();
  const onConflict = (choice: Change["choice"]) =>
    choice === undefined || choice === "skip" ? ("fail" as const) : choice;
  await eachCall(run, async (items, cursor) => {
    const { choice } = run.get();
    const body = { items, to, name, onConflict: onConflict(choice), cursor };
    const result = await call(run, (signal) => run.client.call(way, body, signal));
    const { conflicts, renamed, undo } = result;
    if (renamed) run.update({ renamed: [...otherItems(run.get().renamed, renamed), ...renamed] });
    if (undo) run.update({ undo: [...run.get().undo, undo] });
    if (conflicts.length === 0) return result;
    // The rename field shows the problem. Undoing never replaces anything, so there is nothing to ask.
    if (action === "rename" || again) throw new StorageProblem("failed", { serverCode: "name_taken" });
    const decided = choice === "skip" ? choice : await run.ask({ conflicts });
    if (decided === "cancel" || decided === "delete") return null;
    run.update({ choice: decided });
    if (decided === "replace") run.update({ replaced: conflicts });
    if (decided !== "skip") return "again";
    const taken = new Set(conflicts.map((conflict) => conflict.name));
    run.update({ skipped: [...run.get().skipped, ...taken] });
    return items.filter((item) => !taken.has(itemName(item)));
  });
  const { isStopping, cursor, left, choice } = run.get();
  const [items] = left ?? [];
  if (!isStopping || cursor === null || !items) return;
  // Abort the multipart copy of a large object. If this fails, the bucket's lifecycle rule removes the parts.
  const end = { items: [...items], to, name, onConflict: onConflict(choice), cursor, stop: true };
  await run.client.call(way, end, run.signal).catch(() => {});
}

async function remove(run: Run): Promise<void> {
  const { items, isUndoable } = run.get();
  if (isUndoable === null) {
    const [first = []] = slices(items.map(itemOf));
    const body = { items: first, check: true };
    const { undoable } = await call(run, (signal) => run.client.call("delete", body, signal));
    run.update({ isUndoable: undoable });
    if (!undoable && (await run.ask({})) === "cancel") return;
  }
  await eachCall(run, async (items, cursor) => {
    const result = await call(run, (signal) => run.client.call("delete", { items, cursor }, signal));
    if (result.undo) run.update({ undo: [...run.get().undo, result.undo] });
    return result;
  });
}

/** `null`: cancelled by the person. Items: call again with these instead. */
type Step = Pick<Change, "done" | "failed" | "cursor"> | Item[] | "again" | null;

/** Calls `send` for the remaining items, and records the position, so that a retry continues there. */
async function eachCall(
  run: Run,
  send: (items: Item[], cursor: string | undefined) => Promise<Step>,
): Promise<void> {
  let hasStarted = run.get().cursor !== null;
  run.update({ left: run.get().left ?? slices(run.get().items.map(itemOf)) });
  for (;;) {
    const { left, cursor, done, failed, isStopping } = run.get();
    const [items, ...others] = left ?? [];
    if (!items || isStopping) return;
    const step = items.length === 0 ? [] : await send([...items], cursor ?? undefined);
    if (step === null) return;
    if (step === "again") {
      run.update({ cursor: null });
      continue;
    }
    if (Array.isArray(step)) {
      run.update({ left: step.length === 0 ? others : [step, ...others], cursor: null });
      continue;
    }
    if (!hasStarted) run.onStart();
    hasStarted = true;
    run.update({
      done: done + step.done,
      failed: [...failed, ...step.failed],
      left: step.cursor === null ? others : left,
      cursor: step.cursor,
    });
  }
}

async function createFolder(run: Run): Promise<void> {
  const { to, items } = run.get();
  run.onStart();
  for (const { name } of items) {
    const { undo } = await call(run, (signal) =>
      run.client.call("create-folder", { folderPath: to, name }, signal),
    );
    run.update({ done: 1, undo: undo === undefined ? [] : [undo] });
  }
}

/**
 * Sends the handles, the last one first: a folder's own object was copied before what is in it. Processes of an older version list no
 * failures.
 */
async function restore(run: Run): Promise<void> {
  run.onStart();
  for (;;) {
    const { undo: handles, isStopping } = run.get();
    const undo = handles.at(-1);
    if (undo === undefined || isStopping) return;
    const { restored, failed = [] } = await call(run, (signal) =>
      run.client.call("restore", { undo }, signal),
    );
    const { done, failed: before } = run.get();
    run.update({ done: done + restored, failed: [...before, ...failed], undo: handles.slice(0, -1) });
  }
}

function call<Result>(run: Run, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { timing, signal, update } = run;
  const send = async () => {
    const result = await work(signal);
    if (run.get().isInterrupted) update({ isInterrupted: false });
    return result;
  };
  return withRetries(send, timing, () => update({ isInterrupted: true }), signal);
}

/** `before` without the items of `renamed`: every response of a call lists all of them. */
function otherItems(before: readonly NamedItem[], renamed: readonly NamedItem[]): NamedItem[] {
  const idOf = ({ key, folderPath }: NamedItem) => key ?? folderPath;
  const ids = new Set(renamed.map(idOf));
  return before.filter((one) => !ids.has(idOf(one)));
}

function itemName(item: Item): string {
  return nameOf("key" in item ? item.key : item.folderPath);
}

function slices(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / MAX_CHANGED_ITEMS);
  return Array.from({ length: count }, (_, at) =>
    items.slice(at * MAX_CHANGED_ITEMS, (at + 1) * MAX_CHANGED_ITEMS),
  );
}
