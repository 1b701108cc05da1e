import { type Row, rowId } from "../browse/folder/folder-state";
import type { ConflictChoice } from "../place/conflict-choice";
import type { RetryTiming } from "../place/contract/retry";
import type { StorageClient } from "../place/contract/storage-client";
import { asProblem, isAbort } from "../place/contract/storage-problem";
import { isBelow } from "../place/folder-path";
import type { Change, RequestedChange } from "./change";
import { fileOf } from "./change-versions";
import type { Answer } from "./each-call";
import { runChange } from "./run-change";

/** Longer changes are shown with their progress. */
const LONG_CHANGE_MS = 700;
/** How long to wait for the running call of a cancelled change: its response says how many objects were changed. */
const LAST_CALL_TIMEOUT_MS = 5_000;

interface ChangeCallbacks {
  /** The change begins to change stored objects. */
  onStart(change: Change): void;
  onEnd(change: Change): void;
}

interface Entry {
  change: Change;
  abort: AbortController;
  /** receives the person's decision */
  answer: ((answer: Answer) => void) | null;
  ended: (change: Change) => void;
}

/** Runs changes one after the other. A small store for `useSyncExternalStore`. */
export class ChangeQueue {
  #entries: Entry[] = [];
  #snapshot: Change[] = [];
  #listeners = new Set<() => void>();
  #nextId = 1;
  #isRunning = false;
  #running = Promise.resolve();

  /** @param callbacks returns the current callbacks, which change with the screen */
  constructor(
    readonly client: Pick<StorageClient, "call">,
    readonly timing: RetryTiming,
    readonly callbacks: () => ChangeCallbacks,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getChanges = (): Change[] => this.#snapshot;

  /** Resolves when the change has ended, also after failure. */
  add(wanted: RequestedChange): Promise<Change> {
    return new Promise((ended) => {
      const change = { ...NEW_CHANGE, ...wanted, id: this.#nextId++ };
      this.#entries.push({ change, abort: new AbortController(), answer: null, ended });
      this.#publish();
      this.#start();
    });
  }

  /** The rows that no change is about to delete: a double click on Delete is one deletion. */
  notBeingDeleted(rows: readonly Row[]): Row[] {
    const isOpen = ({ action, status }: Change) =>
      action === "delete" && (status === "waiting" || status === "running" || status === "asking");
    const deleted = new Set(this.#snapshot.filter(isOpen).flatMap(({ items }) => items.map(rowId)));
    return rows.filter((row) => !deleted.has(rowId(row)));
  }

  /** Resolves when no change runs or waits; failed ones do not count. */
  async idle(): Promise<void> {
    while (this.#isRunning) await this.#running;
  }

  /** Passes a decision to a change that is asking. */
  answer(id: number, answer: ConflictChoice | "delete"): void {
    this.#find(id)?.answer?.(answer);
  }

  /** Stops a change. What it has done is not undone. */
  cancel(id: number): void {
    const entry = this.#find(id);
    if (!entry) return;
    const { change, abort } = entry;
    const stop = () => abort.abort(new DOMException("The change was cancelled.", "AbortError"));
    if (change.status === "waiting") this.#end(entry, { status: "cancelled" });
    entry.answer?.("cancel");
    if (change.status !== "running") return;
    this.#update(entry, { isStopping: true });
    if (change.isRetrying) stop();
    else setTimeout(stop, LAST_CALL_TIMEOUT_MS);
  }

  /** Continues a failed change, or repeats it for the objects that failed. */
  retry(id: number): void {
    const entry = this.#find(id);
    if (entry?.change.status !== "failed") return;
    if (entry.change.problem === null) {
      this.dismiss(id);
      for (const wanted of remainder(entry.change)) void this.add(wanted);
      return;
    }
    entry.abort = new AbortController();
    this.#update(entry, { status: "waiting", problem: null, isLong: true });
    this.#start();
  }

  /** Removes a failed change from the list. */
  dismiss(id: number): void {
    this.#entries = this.#entries.filter(({ change }) => change.id !== id);
    this.#publish();
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find(({ change }) => change.id === id);
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#runAll();
  }

  async #runAll(): Promise<void> {
    for (;;) {
      const entry = this.#entries.find(({ change }) => change.status === "waiting");
      if (!entry) break;
      await this.#run(entry);
    }
    this.#isRunning = false;
  }

  async #run(entry: Entry): Promise<void> {
    this.#update(entry, { status: "running" });
    const timer = setTimeout(() => this.#update(entry, { isLong: true }), LONG_CHANGE_MS);
    try {
      await runChange({
        client: this.client,
        timing: this.timing,
        signal: entry.abort.signal,
        get: () => entry.change,
        update: (members) => this.#update(entry, members),
        ask: (members) => this.#ask(entry, members),
        onStart: () => this.callbacks().onStart(entry.change),
      });
      const { isStopping, status, failed } = entry.change;
      const isCancelled = isStopping || status === "cancelled";
      this.#end(entry, { status: isCancelled ? "cancelled" : failed.length > 0 ? "failed" : "done" });
    } catch (error) {
      if (isAbort(error)) this.#end(entry, { status: "cancelled" });
      else this.#end(entry, { status: "failed", problem: asProblem(error) });
    } finally {
      clearTimeout(timer);
    }
  }

  #ask(entry: Entry, members: Partial<Change>): Promise<Answer> {
    return new Promise((resolve) => {
      entry.answer = (answer) => {
        entry.answer = null;
        this.#update(entry, { status: answer === "cancel" ? "cancelled" : "running", conflicts: [] });
        resolve(answer);
      };
      this.#update(entry, { ...members, status: "asking" });
    });
  }

  /** Failed changes stay in the list until they are dismissed; others are removed. */
  #end(entry: Entry, members: Partial<Change>): void {
    this.#update(entry, { ...members, isRetrying: false });
    if (entry.change.status !== "failed") this.dismiss(entry.change.id);
    this.callbacks().onEnd(entry.change);
    entry.ended(entry.change);
  }

  #update(entry: Entry, members: Partial<Change>): void {
    entry.change = { ...entry.change, ...members };
    this.#publish();
  }

  #publish(): void {
    this.#snapshot = this.#entries.map(({ change }) => change);
    for (const listener of this.#listeners) listener();
  }
}

/** Changes for the objects that failed. The rest of a folder goes to the same destination: part of the folder is there already. */
function remainder({ failed, items, action, from, to, name, choice, time }: Change): RequestedChange[] {
  if (action === "restore" || action === "purge")
    return [{ action, items, from, to, choice, time, files: failed.map(fileOf) }];
  const keys = failed.map(({ key }) => key);
  const files = items.filter((row) => row.type === "file" && keys.includes(row.key));
  const folders = items.filter(
    (row) => row.type === "folder" && keys.some((key) => isBelow(`/${key}`, row.path)),
  );
  const merged = choice === "keep-both" ? choice : "replace";
  const parts: RequestedChange[] = [
    { action, items: files, from, to, name, choice },
    { action, items: folders, from, to, name, choice: merged },
  ];
  return parts.filter((part) => part.items.length > 0);
}

/** A change before it has begun. */
export const NEW_CHANGE = {
  status: "waiting",
  isLong: false,
  isStopping: false,
  isRetrying: false,
  done: 0,
  failed: [],
  conflicts: [],
  skipped: [],
  replaced: null,
  renamed: [],
  isUndoable: null,
  undoHandles: [],
  left: null,
  cursor: null,
  unread: null,
  found: 0,
  taken: [],
  isConfirmed: false,
  problem: null,
} satisfies Partial<Change>;
