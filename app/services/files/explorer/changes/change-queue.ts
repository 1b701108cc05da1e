import { isBelow } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { asProblem, isAbort } from "../../storage-problem";
import type { RetryTiming } from "../../transfers/retry";
import type { Change, ConflictChoice, Wanted } from "./change";
import { type Answer, runChange } from "./run-change";

/** Changes that take longer than this are shown with their progress, milliseconds. */
const LONG = 700;
/** A call that is on its way when a person cancels is waited for so long, milliseconds: it says how far it came. */
const LAST_CALL = 5_000;

export interface ChangeEvents {
  /** It is no longer asking, and begins to change what is stored. */
  onStart(change: Change): void;
  onEnd(change: Change): void;
}

interface Entry {
  change: Change;
  abort: AbortController;
  /** takes what the person says */
  answer: ((answer: Answer) => void) | null;
  ended: (change: Change) => void;
}

/** Changes one after the other, as they were asked for: a small store for `useSyncExternalStore`. */
export class ChangeQueue {
  #entries: Entry[] = [];
  #snapshot: Change[] = [];
  #listeners = new Set<() => void>();
  #nextId = 1;
  #isRunning = false;

  /** @param events those of the moment: what is on the screen changes */
  constructor(
    readonly client: Pick<StorageClient, "change">,
    readonly timing: RetryTiming,
    readonly events: () => ChangeEvents,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getChanges = (): Change[] => this.#snapshot;

  /** Resolves when it has ended, however it did. */
  add(wanted: Wanted): Promise<Change> {
    return new Promise((ended) => {
      const change = { ...NEW, ...wanted, id: this.#nextId++ };
      this.#entries.push({ change, abort: new AbortController(), answer: null, ended });
      this.#publish();
      void this.#runAll();
    });
  }

  /** What the person says to a change that is asking. */
  answer(id: number, answer: ConflictChoice | "delete"): void {
    this.#find(id)?.answer?.(answer);
  }

  /** What has been changed stays so; nothing more is. */
  cancel(id: number): void {
    const entry = this.#find(id);
    if (!entry) return;
    const { change, abort } = entry;
    const stop = () => abort.abort(new DOMException("The change was cancelled.", "AbortError"));
    if (change.status === "waiting") this.#end(entry, { status: "cancelled" });
    entry.answer?.("cancel");
    if (change.status !== "running") return;
    this.#update(entry, { isStopping: true });
    if (change.isInterrupted) stop();
    else setTimeout(stop, LAST_CALL);
  }

  /** Of a change that has failed: goes on where it ended, or does again what could not be done. */
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
    void this.#runAll();
  }

  /** Forgets a change that has failed. */
  dismiss(id: number): void {
    this.#entries = this.#entries.filter(({ change }) => change.id !== id);
    this.#publish();
  }

  #find(id: number): Entry | undefined {
    return this.#entries.find(({ change }) => change.id === id);
  }

  async #runAll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (;;) {
      const entry = this.#entries.find(({ change }) => change.status === "waiting");
      if (!entry) break;
      await this.#run(entry);
    }
    this.#isRunning = false;
  }

  async #run(entry: Entry): Promise<void> {
    this.#update(entry, { status: "running" });
    const timer = setTimeout(() => this.#update(entry, { isLong: true }), LONG);
    try {
      await runChange({
        client: this.client,
        timing: this.timing,
        signal: entry.abort.signal,
        get: () => entry.change,
        update: (members) => this.#update(entry, members),
        ask: (members) => this.#ask(entry, members),
        onStart: () => this.events().onStart(entry.change),
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

  /** What went well leaves the list, and so does what was cancelled; what failed stays until somebody has seen it. */
  #end(entry: Entry, members: Partial<Change>): void {
    this.#update(entry, { ...members, isInterrupted: false });
    if (entry.change.status !== "failed") this.dismiss(entry.change.id);
    this.events().onEnd(entry.change);
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

/** What could not be done. Of a folder the rest goes where its beginning went: it is there by now, and not in the way. */
export function remainder({ failed, items, action, from, to, name, choice }: Change): Wanted[] {
  const keys = failed.map(({ key }) => key);
  const files = items.filter((row) => row.type === "file" && keys.includes(row.key));
  const folders = items.filter(
    (row) => row.type === "folder" && keys.some((key) => isBelow(`/${key}`, row.path)),
  );
  const merged = choice === "keep-both" ? choice : "replace";
  const parts: Wanted[] = [
    { action, items: files, from, to, name, choice },
    { action, items: folders, from, to, name, choice: merged },
  ];
  return parts.filter((part) => part.items.length > 0);
}

const NEW = {
  status: "waiting",
  isLong: false,
  isStopping: false,
  isInterrupted: false,
  done: 0,
  failed: [],
  conflicts: [],
  isUndoable: null,
  undo: [],
  left: null,
  cursor: null,
  problem: null,
} satisfies Partial<Change>;
