import type { Change, RequestedChange } from "./change.js";

/** Older changes are forgotten. Each holds its rows and the server's handles. */
const MAX_UNDOABLE = 20;

export type Way = "undo" | "redo";

/** A change of the person, and what undoes or redoes it. */
export interface Undoable {
  change: Change;
  /** null if it cannot be undone */
  steps: readonly RequestedChange[] | null;
}

/** The last changes of this session that can be undone or redone. */
export class UndoStack {
  #stacks: Record<Way, Undoable[]> = { undo: [], redo: [] };

  /**
   * Remembers a change that has ended: one of the person, or a step that undoes or redoes one.
   * @param steps what undoes it; null if nothing can
   * @returns what the person may do next, and with which change; undefined if nothing was changed
   */
  record(change: Change, steps: RequestedChange[] | null): { way: Way; undoable: Undoable } | undefined {
    if (change.done === 0) return undefined;
    const { stepOf } = change;
    const way = stepOf?.way === "undo" ? "redo" : "undo";
    const original = stepOf?.change ?? change;
    const before = this.#stacks[way].find((undoable) => undoable.change.id === original.id);
    // A new change makes the redone ones unreachable, as in any editor.
    if (!stepOf) this.#stacks.redo = [];
    if (stepOf && steps === null) return undefined;
    // Several steps belong to one change. A change that failed and was retried counts once.
    const earlier = stepOf ? (before?.steps ?? []) : [];
    const undoable = { change: original, steps: steps && [...steps, ...earlier] };
    const others = this.#stacks[way].filter((one) => one !== before);
    this.#stacks[way] = [...others, undoable].slice(-MAX_UNDOABLE);
    return { way, undoable };
  }

  /** Removes and returns a change: the last one, or the one with this id if it is still there. */
  take(way: Way, id?: number): Undoable | undefined {
    const stack = this.#stacks[way];
    const taken = id === undefined ? stack.at(-1) : stack.find(({ change }) => change.id === id);
    this.#stacks[way] = this.#stacks[way].filter((one) => one !== taken);
    return taken;
  }
}
