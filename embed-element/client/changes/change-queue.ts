import { asFilesError, FilesError, isAbort } from "../errors.js";
import { isBelow } from "../folder-path.js";
import { loadOnDemand, type OnDemand } from "../load-on-demand.js";
import type { Call } from "../request.js";
import { retryTimingOf } from "../retry.js";
import { type Row, rowId } from "../rows.js";
import { Store } from "../store.js";
import type { World } from "../world.js";
import {
  type Answer,
  type Change,
  fileOf,
  NEW_CHANGE,
  type Question,
  type RequestedChange,
} from "./change.js";
import { callAgain, type Run } from "./each-call.js";

/** Longer changes are shown with their progress. */
const LONG_CHANGE_MS = 700;
/** How long to wait for the running call of a cancelled change: its response says how many objects were changed. */
const LAST_CALL_TIMEOUT_MS = 5_000;

/** What carries changes out, and what undoes them. */
type Runner = Pick<OnDemand, "runChange" | "reverseOf">;

interface ChangeContext {
  call: Call;
  world: World;
  /** The change begins to change stored objects. */
  onStart(change: Change): void;
  /** @param steps what undoes what it has done so far; null if nothing can */
  onEnd(change: Change, steps: RequestedChange[] | null): void;
  /** by default, the engine's own */
  load?: () => Promise<Runner>;
}

interface Entry {
  change: Change;
  abort: AbortController;
  /** receives the person's decision */
  answer: ((answer: Answer | "cancel") => void) | null;
  ended: (change: Change) => void;
}

/** Runs changes one after the other. */
export class ChangeQueue {
  readonly state = new Store<readonly Change[]>([]);
  #entries: Entry[] = [];
  #nextId = 1;
  #isRunning = false;
  #running = Promise.resolve();
  /** since the code of the first change was loaded */
  #runner: Runner | undefined;

  constructor(readonly context: ChangeContext) {}

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
      action === "delete" && (status === "queued" || status === "running" || status === "waiting");
    const deleted = new Set(
      this.state
        .getState()
        .filter(isOpen)
        .flatMap(({ items }) => items.map(rowId)),
    );
    return rows.filter((row) => !deleted.has(rowId(row)));
  }

  /** Resolves when no change runs or waits; failed ones do not count. */
  async idle(): Promise<void> {
    while (this.#isRunning) await this.#running;
  }

  /** Answers the question of a waiting change. @throws a RangeError if this is no answer to it */
  answer(id: number, answer: Answer): void {
    const entry = this.#find(id);
    const about = entry?.change.question?.about;
    if (about === undefined) return;
    if ((about === "conflicts") === (answer === "delete"))
      throw new RangeError(`"${answer}" does not answer a question about "${about}".`);
    entry?.answer?.(answer);
  }

  /** Stops a change. What it has done is not undone. */
  cancel(id: number): void {
    const entry = this.#find(id);
    if (!entry) return;
    const { change, abort } = entry;
    const stop = () => abort.abort(new DOMException("The change was cancelled.", "AbortError"));
    if (change.status === "queued") this.#end(entry, { status: "cancelled" });
    entry.answer?.("cancel");
    if (change.status !== "running") return;
    this.#update(entry, { isStopping: true });
    if (change.isRetrying) stop();
    else this.context.world.timers.start(stop, LAST_CALL_TIMEOUT_MS);
  }

  /** Continues a failed change, or repeats it for the objects that failed. */
  retry(id: number): void {
    const entry = this.#find(id);
    if (entry?.change.status !== "failed") return;
    if (entry.change.error === null) {
      this.#remove(id);
      for (const wanted of remainder(entry.change)) void this.add(wanted);
      return;
    }
    entry.abort = new AbortController();
    this.#update(entry, { status: "queued", error: null, isLong: true, isStopping: false });
    this.#start();
  }

  /** Removes a failed change from the list. */
  dismiss(id: number): void {
    if (this.#find(id)?.change.status === "failed") this.#remove(id);
  }

  #remove(id: number): void {
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
      const entry = this.#entries.find(({ change }) => change.status === "queued");
      if (!entry) break;
      await this.#run(entry);
    }
    this.#isRunning = false;
  }

  /** @throws a FilesError */
  async load(): Promise<Runner> {
    const { load = loadOnDemand } = this.context;
    try {
      this.#runner = await load();
      return this.#runner;
    } catch {
      throw new FilesError(this.context.world.network.isOnline() ? "code_not_loaded" : "offline");
    }
  }

  async #run(entry: Entry): Promise<void> {
    this.#update(entry, { status: "running" });
    const { call, world, onStart } = this.context;
    const stopTimer = world.timers.start(() => this.#update(entry, { isLong: true }), LONG_CHANGE_MS);
    const run: Run = {
      call,
      timing: retryTimingOf(world),
      signal: entry.abort.signal,
      get: () => entry.change,
      update: (members) => this.#update(entry, members),
      ask: (question) => this.#ask(entry, question),
      onStart: () => onStart(entry.change),
    };
    let outcome: Outcome;
    try {
      const { runChange } = await callAgain(run, () => this.load());
      // It may have been cancelled meanwhile.
      if (!entry.change.isStopping) await runChange(run);
      outcome = outcomeOf(entry.change);
    } catch (error) {
      outcome = outcomeOfError(error);
    }
    stopTimer();
    this.#end(entry, outcome);
  }

  #ask(entry: Entry, question: Question): Promise<Answer | "cancel"> {
    return new Promise((resolve) => {
      if (entry.change.isStopping) return resolve("cancel");
      entry.answer = (answer) => {
        entry.answer = null;
        this.#update(entry, { status: answer === "cancel" ? "cancelled" : "running", question: null });
        resolve(answer);
      };
      this.#update(entry, { status: "waiting", question });
    });
  }

  /** Failed changes stay in the list until they are dismissed; others are removed. */
  #end(entry: Entry, outcome: Outcome): void {
    this.#update(entry, { ...outcome, isRetrying: false });
    const { change } = entry;
    if (change.status !== "failed") this.#remove(change.id);
    this.context.onEnd(change, this.#runner?.reverseOf(change) ?? null);
    entry.ended(change);
  }

  #update(entry: Entry, members: Partial<Change>): void {
    entry.change = { ...entry.change, ...members };
    this.#publish();
  }

  #publish(): void {
    this.state.setState(this.#entries.map(({ change }) => change));
  }
}

type Outcome = Pick<Change, "status"> & Partial<Pick<Change, "error">>;

function outcomeOf({ isStopping, status, failed }: Change): Outcome {
  if (isStopping || status === "cancelled") return { status: "cancelled" };
  return { status: failed.length > 0 ? "failed" : "done" };
}

function outcomeOfError(error: unknown): Outcome {
  return isAbort(error) ? { status: "cancelled" } : { status: "failed", error: asFilesError(error) };
}

/** Changes for the objects that failed. The rest of a folder goes to the same destination: part of the folder is there already. */
function remainder(change: Change): RequestedChange[] {
  const { failed, items, action, from, to, name, time } = change;
  // A name that was taken meanwhile is asked about anew: what has it now may be an item of this change.
  const isTaken = failed.some(({ code }) => code === "name_taken");
  const { choice, choices }: Pick<Change, "choice" | "choices"> = isTaken ? {} : change;
  if (action === "restore" || action === "purge")
    return [{ action, items, from, to, choice, choices, time, files: failed.map(fileOf) }];
  const keys = failed.map(({ key }) => key);
  const files = items.filter((row) => row.type === "file" && keys.includes(row.key));
  const folders = items.filter(
    (row) => row.type === "folder" && keys.some((key) => isBelow(`/${key}`, row.path)),
  );
  const merged = change.choice === "keep-both" ? change.choice : "replace";
  const parts: RequestedChange[] = [
    { action, items: files, from, to, name, choice, choices },
    { action, items: folders, from, to, name, choice: merged, choices },
  ];
  return parts.filter((part) => part.items.length > 0);
}
