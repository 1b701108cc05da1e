import type { Events } from "../events.js";
import type { Call } from "../request.js";
import { folderOf, type Row } from "../rows.js";
import type { World } from "../world.js";
import { type Answer, type Change, type ConflictChoice, NEW_CHANGE, type RequestedChange } from "./change.js";
import { ChangeQueue } from "./change-queue.js";
import { type Undoable, UndoStack, type Way } from "./undo-stack.js";

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
  readonly #call: Call;
  readonly #events: Pick<Events<ChangeEvents>, "emit">;
  readonly #queue: ChangeQueue;
  readonly #undoStack = new UndoStack();
  /** The queue gives positive ids to its changes. */
  #nextFolderId = -1;

  constructor(call: Call, world: World, events: Pick<Events<ChangeEvents>, "emit">) {
    this.#call = call;
    this.#events = events;
    this.#queue = new ChangeQueue({
      call,
      world,
      onStart: (change) => events.emit("changing", { change }),
      onEnd: (change, steps) => this.#ended(change, steps),
    });
  }

  getState = (): readonly Change[] => this.#queue.state.getState();

  subscribe = (listener: () => void): (() => void) => this.#queue.state.subscribe(listener);

  move(items: readonly Row[], to: string): Promise<Change> {
    return this.#queue.add({ action: "move", items, from: folderOfFirst(items, to), to });
  }

  /** If an item is there already, copies get other names: nobody is asked whether it replaces itself. */
  copy(items: readonly Row[], to: string): Promise<Change> {
    const from = folderOfFirst(items, to);
    const isThere = items.some((item) => folderOf(item) === to);
    const choice: ConflictChoice | undefined = isThere ? "keep-both" : undefined;
    return this.#queue.add({ action: "copy", items, from, to, choice });
  }

  /** It fails with `name_taken` if another file or folder has the name. */
  rename(item: Row, name: string): Promise<Change> {
    const folder = folderOf(item);
    return this.#queue.add({ action: "rename", items: [item], from: folder, to: folder, name });
  }

  /** Deletes. Items that are being deleted already are left out. @returns null if no others are left */
  async remove(items: readonly Row[]): Promise<Change | null> {
    const others = this.#queue.notBeingDeleted(items);
    const [first] = others;
    if (!first) return null;
    const folder = folderOf(first);
    return this.#queue.add({ action: "delete", items: others, from: folder, to: folder });
  }

  /** Restores files as they were; those without a `versionId` are left out. @param moment RFC 3339 @param folderPath the folder in which the items are shown */
  restoreVersion(items: readonly Row[], folderPath: string, moment: string): Promise<Change> {
    const time = { kind: "at", moment } as const;
    return this.#queue.add({ action: "restore", items, from: folderPath, to: folderPath, time });
  }

  /** Restores files of the list of deleted ones; those without a `versionId` are left out. @param folderPath the folder in which they are shown */
  undelete(items: readonly Row[], folderPath: string): Promise<Change> {
    const time = { kind: "deleted" } as const;
    return this.#queue.add({ action: "restore", items, from: folderPath, to: folderPath, time });
  }

  /** Deletes deleted files permanently, after an answer. @param folderPath the folder in which they are shown */
  purge(items: readonly Row[], folderPath: string): Promise<Change> {
    const time = { kind: "deleted" } as const;
    return this.#queue.add({ action: "purge", items, from: folderPath, to: folderPath, time });
  }

  /** Creates an empty folder at once: a dialog waits for it. @throws a FilesError */
  async createFolder(folderPath: string, name: string): Promise<void> {
    const { reverseOf } = await this.#queue.load();
    const { path, undo } = await this.#call("create-folder", { folderPath, name });
    const change: Change = {
      ...NEW_CHANGE,
      id: this.#nextFolderId--,
      action: "create-folder",
      items: [{ type: "folder", name, path }],
      from: folderPath,
      to: folderPath,
      status: "done",
      done: 1,
      undoHandles: undo === undefined ? [] : [undo],
    };
    this.#ended(change, reverseOf(change));
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
    this.#queue.answer(id, answer);
  }

  /** Stops a change. What it has done is not undone. */
  cancel(id: number): void {
    this.#queue.cancel(id);
  }

  /** Continues a failed change, or repeats it for the objects that failed. */
  retry(id: number): void {
    this.#queue.retry(id);
  }

  /** Removes a failed change from the state. */
  dismiss(id: number): void {
    this.#queue.dismiss(id);
  }

  async #undoOrRedo(way: Way, id: number | undefined): Promise<UndoOutcome> {
    if (id === undefined) await this.#queue.idle();
    const undoable = this.#undoStack.take(way, id);
    if (!undoable) return { status: "nothing" };
    const { change, steps } = undoable;
    if (steps === null) return { status: "impossible", change };
    for (const step of steps) void this.#queue.add({ ...step, stepOf: { way, change } });
    return { status: "started", change };
  }

  #ended(change: Change, steps: RequestedChange[] | null): void {
    const next = this.#undoStack.record(change, steps);
    this.#events.emit("changed", { change, next: next ? nextOf(next) : null });
  }
}

function nextOf({ way, undoable }: { way: Way; undoable: Undoable }): ChangeEvents["changed"]["next"] {
  return undoable.steps && { way, change: undoable.change };
}

/** Found items may be in several folders. */
const folderOfFirst = ([first]: readonly Row[], otherwise: string) => (first ? folderOf(first) : otherwise);
