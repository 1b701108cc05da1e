import { asFilesError, FilesError, isAbort } from "../errors.js";
import type { Events } from "../events.js";
import { isBelow } from "../folder-path.js";
import { loadOnDemand, type OnDemand } from "../load-on-demand.js";
import type { Call } from "../request.js";
import { retryTimingOf, withRetries } from "../retry.js";
import { folderOf, isAmong, outermost, type Row, rowId } from "../rows.js";
import { Store } from "../store.js";
import type { World } from "../world.js";
import {
  type Answer,
  batchesOf,
  type CallOutcome,
  type Change,
  type ConflictChoice,
  fileOf,
  type Item,
  itemOf,
  NEW_CHANGE,
  type Question,
  type RequestedChange,
  type Run,
} from "./change.js";
import type { UndoStack, Way } from "./undo.js";

/** Longer changes are shown with their progress. */
const LONG_CHANGE_MS = 700;
/** How long to wait for the running call of a cancelled change: its response says how many objects were changed. */
const LAST_CALL_TIMEOUT_MS = 5_000;

/** What carries changes out, and undoes them. */
type Code = Pick<OnDemand, "runChange" | "UndoStack">;

/** What the engine tells of changes. */
export interface ChangeEvents {
  /** What a change takes away can be removed from a list: its first objects have been changed, or are about to be. */
  changing: { change: Change };
  /** A change has ended: done, failed or cancelled. */
  changed: {
    change: Change;
    /** how it can be undone or redone, and the change that this is about; null if it cannot */
    next: { way: Way; change: Change } | null;
  };
}

/**
 * - `started`: its steps are in the queue.
 * - `nothing`: there is nothing to undo or redo.
 * - `impossible`: the last change cannot be undone.
 */
export type UndoOutcome = { status: "started" | "impossible"; change: Change } | { status: "nothing" };

/**
 * Copies, moves, renames, deletes and restores, one change after the other. The state is the list of changes that are queued, run, wait for an
 * answer or have failed. Methods that add a change resolve when it has ended, also after failure, and never reject. `undo` and `redo` resolve
 * earlier, when their steps are in the queue; `createFolder` can reject.
 */
export class Changes {
  readonly #state = new Store<readonly Change[]>([]);
  /** since the code was loaded */
  #undoStack: UndoStack | undefined;
  #queue: QueuedChange[] = [];
  #nextId = 1;
  #isRunning = false;
  #running = Promise.resolve();

  /** @param loadCode by default, the engine's own */
  constructor(
    private readonly call: Call,
    private readonly world: World,
    private readonly events: Pick<Events<ChangeEvents>, "emit">,
    private readonly loadCode: () => Promise<Code> = loadOnDemand,
  ) {}

  getState = (): readonly Change[] => this.#state.getState();

  subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener);

  move(items: readonly Row[], to: string): Promise<Change> {
    return this.add({ action: "move", items, from: folderOfFirst(items, to), to });
  }

  /** If an item is there already, copies get other names: nobody is asked whether it replaces itself. */
  copy(items: readonly Row[], to: string): Promise<Change> {
    const from = folderOfFirst(items, to);
    const isThere = items.some((item) => folderOf(item) === to);
    const choice: ConflictChoice | undefined = isThere ? "keep-both" : undefined;
    return this.add({ action: "copy", items, from, to, choice });
  }

  /** It fails with `name_taken` if another file or folder has the name. */
  rename(item: Row, name: string): Promise<Change> {
    const folder = folderOf(item);
    return this.add({ action: "rename", items: [item], from: folder, to: folder, name });
  }

  /** Deletes. Items that are being deleted already are left out. @returns null if no others are left */
  async remove(items: readonly Row[]): Promise<Change | null> {
    const others = this.#notBeingDeleted(items);
    const [first] = others;
    if (!first) return null;
    const folder = folderOf(first);
    return this.add({ action: "delete", items: others, from: folder, to: folder });
  }

  /** Restores files as they were; those without a `versionId` are left out. @param moment RFC 3339 @param folderPath the folder in which the items are shown */
  restoreVersion(items: readonly Row[], folderPath: string, moment: string): Promise<Change> {
    const time = { kind: "at", moment } as const;
    return this.add({ action: "restore", items, from: folderPath, to: folderPath, time });
  }

  /** Restores files of the list of deleted ones; those without a `versionId` are left out. @param folderPath the folder in which they are shown */
  undelete(items: readonly Row[], folderPath: string): Promise<Change> {
    const time = { kind: "deleted" } as const;
    return this.add({ action: "restore", items, from: folderPath, to: folderPath, time });
  }

  /** Deletes deleted files permanently, after an answer. @param folderPath the folder in which they are shown */
  purge(items: readonly Row[], folderPath: string): Promise<Change> {
    const time = { kind: "deleted" } as const;
    return this.add({ action: "purge", items, from: folderPath, to: folderPath, time });
  }

  /** Creates an empty folder at once: a dialog waits for it. @throws a FilesError */
  async createFolder(folderPath: string, name: string): Promise<void> {
    await this.#loadCode();
    const { path, undo } = await this.call("create-folder", { folderPath, name });
    this.#ended({
      ...NEW_CHANGE,
      id: this.#nextId++,
      action: "create-folder",
      items: [{ type: "folder", name, path }],
      from: folderPath,
      to: folderPath,
      status: "done",
      done: 1,
      undoHandles: undo === undefined ? [] : [undo],
    });
  }

  /** Adds any change to the queue. Items in a folder that is another item, which search results may contain, are changed with it. */
  add(requested: RequestedChange): Promise<Change> {
    return new Promise((hasEnded) => {
      const items = outermost(requested.items);
      const change = { ...NEW_CHANGE, ...requested, items, id: this.#nextId++ };
      const { call, world, events } = this;
      const onStart = (change: Change) => events.emit("changing", { change });
      const publish = () => this.#publish();
      this.#queue.push(new QueuedChange(change, { call, world, publish, onStart, hasEnded }));
      this.#publish();
      this.#start();
    });
  }

  /** Undoes the last change, once those that are running have ended. @param id of another change */
  undo(id?: number): Promise<UndoOutcome> {
    return this.#undoOrRedo("undo", id);
  }

  /** @see undo */
  redo(id?: number): Promise<UndoOutcome> {
    return this.#undoOrRedo("redo", id);
  }

  /** Answers the question of a waiting change. @throws a RangeError if this is no answer to it */
  answer(id: number, answer: Answer): void {
    const queued = this.#find(id);
    const about = queued?.change.question?.about;
    if (about === undefined) return;
    if ((about === "conflicts") === (answer === "delete"))
      throw new RangeError(`"${answer}" does not answer a question about "${about}".`);
    queued?.answer?.(answer);
  }

  /** Stops a change. What it has done is not undone. */
  cancel(id: number): void {
    const queued = this.#find(id);
    if (!queued) return;
    const { change, abort } = queued;
    const stop = () => abort.abort(new DOMException("The change was cancelled.", "AbortError"));
    if (change.status === "queued") this.#end(queued, { status: "cancelled" });
    queued.answer?.("cancel");
    if (change.status !== "running") return;
    queued.update({ isStopping: true });
    if (change.isRetrying) stop();
    else this.world.timers.start(stop, LAST_CALL_TIMEOUT_MS);
  }

  /** Continues a failed change, or repeats it for the objects that failed. */
  retry(id: number): void {
    const queued = this.#find(id);
    if (queued?.change.status !== "failed") return;
    if (queued.change.error === null) {
      this.#remove(id);
      for (const requested of remainder(queued.change)) void this.add(requested);
      return;
    }
    queued.abort = new AbortController();
    queued.update({ status: "queued", error: null, isLong: true, isStopping: false });
    this.#start();
  }

  /** Removes a failed change from the state. */
  dismiss(id: number): void {
    if (this.#find(id)?.change.status === "failed") this.#remove(id);
  }

  /** Resolves when no change runs or waits; failed ones do not count. */
  async idle(): Promise<void> {
    while (this.#isRunning) await this.#running;
  }

  async #undoOrRedo(way: Way, id: number | undefined): Promise<UndoOutcome> {
    if (id === undefined) await this.idle();
    const undoable = this.#undoStack?.take(way, id);
    if (!undoable) return { status: "nothing" };
    const { change, steps } = undoable;
    if (steps === null) return { status: "impossible", change };
    for (const step of steps) void this.add({ ...step, stepOf: { way, change } });
    return { status: "started", change };
  }

  /** The rows that no change is about to delete: a double click on Delete is one deletion. */
  #notBeingDeleted(rows: readonly Row[]): Row[] {
    const isOpen = ({ action, status }: Change) =>
      action === "delete" && (status === "queued" || status === "running" || status === "waiting");
    const deleted = new Set(
      this.getState()
        .filter(isOpen)
        .flatMap(({ items }) => items.map(rowId)),
    );
    return rows.filter((row) => !isAmong(deleted, row));
  }

  #remove(id: number): void {
    this.#queue = this.#queue.filter(({ change }) => change.id !== id);
    this.#publish();
  }

  #find(id: number): QueuedChange | undefined {
    return this.#queue.find(({ change }) => change.id === id);
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#runAll();
  }

  async #runAll(): Promise<void> {
    for (;;) {
      const queued = this.#queue.find(({ change }) => change.status === "queued");
      if (!queued) break;
      await this.#run(queued);
    }
    this.#isRunning = false;
  }

  async #run(queued: QueuedChange): Promise<void> {
    queued.update({ status: "running" });
    const stopTimer = this.world.timers.start(() => queued.update({ isLong: true }), LONG_CHANGE_MS);
    let outcome: Outcome;
    try {
      const { runChange } = await queued.withRetries(() => this.#loadCode());
      // It may have been cancelled meanwhile.
      if (!queued.change.isStopping) await runChange(queued);
      outcome = outcomeOf(queued.change);
    } catch (error) {
      outcome = outcomeOfError(error);
    }
    stopTimer();
    this.#end(queued, outcome);
  }

  /** @throws a FilesError */
  async #loadCode(): Promise<Code> {
    const code = await this.loadCode().catch(() => {
      throw new FilesError(this.world.network.isOnline() ? "code_not_loaded" : "offline");
    });
    this.#undoStack ??= new code.UndoStack();
    return code;
  }

  /** Failed changes stay in the list until they are dismissed; others are removed. */
  #end(queued: QueuedChange, outcome: Outcome): void {
    queued.update({ ...outcome, isRetrying: false });
    const { change } = queued;
    if (change.status !== "failed") this.#remove(change.id);
    this.#ended(change);
    queued.context.hasEnded(change);
  }

  #ended(change: Change): void {
    const recorded = this.#undoStack?.record(change);
    const next = recorded?.undoable.steps ? { way: recorded.way, change: recorded.undoable.change } : null;
    this.events.emit("changed", { change, next });
  }

  #publish(): void {
    this.#state.setState(this.#queue.map(({ change }) => change));
  }
}

interface QueueContext {
  call: Call;
  world: World;
  publish(): void;
  onStart(change: Change): void;
  hasEnded(change: Change): void;
}

/** A change in the queue. */
class QueuedChange implements Run {
  abort = new AbortController();
  /** receives the person's decision */
  answer: ((answer: Answer | "cancel") => void) | null = null;

  constructor(
    public change: Change,
    readonly context: QueueContext,
  ) {}

  update = (members: Partial<Change>): void => {
    this.change = { ...this.change, ...members };
    this.context.publish();
  };

  ask(question: Question): Promise<Answer | "cancel"> {
    return new Promise((resolve) => {
      if (this.change.isStopping) return resolve("cancel");
      this.answer = (answer) => {
        this.answer = null;
        this.update({ status: answer === "cancel" ? "cancelled" : "running", question: null });
        resolve(answer);
      };
      this.update({ status: "waiting", question });
    });
  }

  onStart(): void {
    this.context.onStart(this.change);
  }

  callOnce: Call = (operation, request) => this.context.call(operation, request, this.abort.signal);

  call: Call = (operation, request) => this.withRetries(() => this.callOnce(operation, request));

  /** Works, again while the failure is temporary. @throws a FilesError, or the signal's reason */
  withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
    const attempt = async () => {
      const result = await work();
      if (this.change.isRetrying) this.update({ isRetrying: false });
      return result;
    };
    const onRetry = () => this.update({ isRetrying: true });
    return withRetries(attempt, retryTimingOf(this.context.world), { onRetry, signal: this.abort.signal });
  }

  async eachCall(send: (items: Item[], cursor: string | undefined) => Promise<CallOutcome>): Promise<void> {
    const { left, items } = this.change;
    this.update({ left: left ?? batchesOf(this.change, items.map(itemOf)) });
    for (;;) {
      const { left, cursor, done, failed, isStopping } = this.change;
      const [items, ...others] = left ?? [];
      const hasStarted = done > 0 || failed.length > 0 || cursor !== null;
      if (!items || isStopping) return;
      const outcome = items.length === 0 ? [] : await send([...items], cursor ?? undefined);
      if (outcome === null) return;
      if (outcome === "repeat") {
        this.update({ cursor: null });
        continue;
      }
      if (Array.isArray(outcome)) {
        this.update({ left: outcome.length === 0 ? others : [outcome, ...others], cursor: null });
        continue;
      }
      if (!hasStarted) this.onStart();
      this.update({
        done: done + outcome.done,
        failed: [...failed, ...outcome.failed],
        left: outcome.cursor === null ? others : left,
        cursor: outcome.cursor,
      });
    }
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

/** Found items may be in several folders. */
const folderOfFirst = ([first]: readonly Row[], otherwise: string) => (first ? folderOf(first) : otherwise);
