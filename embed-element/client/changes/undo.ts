import { issueOfFileName } from "../file-name.js";
import { isBelow } from "../folder-path.js";
import { MAX_CHANGED_ITEMS } from "../limits.js";
import { folderOf, type Row } from "../rows.js";
import {
  type Change,
  choiceOf,
  isSkipped,
  itemOf,
  nameAt,
  placed,
  type RequestedChange,
  rowIn,
} from "./change.js";

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
   * @returns what the person may do next, and with which change; undefined if nothing was changed
   */
  record(change: Change): { way: Way; undoable: Undoable } | undefined {
    if (change.done === 0) return undefined;
    const { stepOf } = change;
    const steps = reverseOf(change);
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

/** The steps that undo what a change has done so far; null if it cannot be undone. */
export function reverseOf(change: Change): RequestedChange[] | null {
  const { action, items, from, to, undoHandles, stepOf, error, time } = change;
  switch (action) {
    case "rename":
    case "move":
      return moveBack(change);
    case "delete":
      return undoHandles.length === 0 ? null : [{ action: "undo-delete", items, from, to, undoHandles }];
    case "copy":
    case "create-folder":
      return undoHandles.length === 0
        ? null
        : [{ action: "remove-created", items: placed(change), from: to, to, undoHandles }];
    case "undo-delete":
    case "remove-created":
      // After undoing, what was deleted is listed again, and can be restored from there.
      return stepOf && error === null && stepOf.change.action !== "restore"
        ? [repeated(stepOf.change)]
        : null;
    case "restore":
      return undoHandles.length === 0
        ? null
        : [{ action: "remove-created", items, from, to, undoHandles, ...(time && { time }) }];
    case "purge":
      return null;
    default:
      return action satisfies never;
  }
}

/** The same change once more, without what was skipped. It never replaces anything that has appeared meanwhile. */
function repeated(change: Change): RequestedChange {
  const { action, from, to, name, choice, choices } = change;
  const items = change.items.filter((row) => !isSkipped(change, row));
  const both = choices && new Map([...choices].filter(([, one]) => one === "keep-both"));
  return {
    action,
    items,
    from,
    to,
    name,
    choice: choice === "keep-both" ? choice : undefined,
    choices: both,
  };
}

/** Moves items back to where they were, under their old names. */
function moveBack(change: Change): RequestedChange[] | null {
  const { to, failed, status, replaced, items } = change;
  const moved = items.filter(
    (row) => !isSkipped(change, row) && !(row.type === "file" && failed.some(({ key }) => key === row.key)),
  );
  const isPartly = (row: Row) =>
    row.type === "folder" &&
    (status === "cancelled" || failed.some(({ key }) => isBelow(`/${key}`, row.path)));
  // A folder that was merged with another cannot be told from it any more.
  const isMerged = (row: Row) =>
    row.type === "folder" &&
    choiceOf(change, [itemOf(row)]) === "replace" &&
    (replaced === null ||
      items.length > MAX_CHANGED_ITEMS ||
      replaced.some(({ folderPath }) => folderPath === row.path));
  // The old name is one that this service gives to nothing.
  const isOdd = (row: Row) => nameAt(change, row) !== row.name && issueOfFileName(row.name) !== null;
  if (change.error !== null || moved.some((row) => isPartly(row) || isMerged(row) || isOdd(row))) return null;
  const byFolder = new Map<string, Row[]>();
  const steps: RequestedChange[] = [];
  for (const row of moved) {
    const folder = folderOf(row);
    const there = rowIn(to, row, nameAt(change, row));
    if (there.name !== row.name) {
      const action = folder === to ? "rename" : "move";
      steps.push({ action, items: [there], from: to, to: folder, name: row.name });
    } else if (folder !== to) byFolder.set(folder, [...(byFolder.get(folder) ?? []), there]);
  }
  for (const [folder, rows] of byFolder) steps.push({ action: "move", items: rows, from: to, to: folder });
  return steps.length > 0 ? steps : null;
}
