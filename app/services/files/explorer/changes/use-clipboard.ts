import { useRef, useState } from "react";
import { isInside } from "../../folder-path";
import { folderOf, type Row, rowId } from "../folder/folder-state";
import type { ExplorerState } from "../use-explorer";
import type { ChangeQueue } from "./change-queue";

export interface Clipboard {
  /** what pasting does */
  way: "move" | "copy";
  rows: readonly Row[];
  from: string;
  /** at least once */
  isPasted: boolean;
}

/** Files and folders that have been cut or copied, to be pasted into another folder. They are of this page alone. */
export function useClipboard({ folder, changes }: ExplorerState, queue: ChangeQueue) {
  const [clipboard, setClipboard] = useState<Clipboard | null>(null);
  /** What is copied and pasted at once, before the code for it was there, is so in one rendering. */
  const latest = useRef(clipboard);
  const set = (kept: Clipboard | null) => {
    latest.current = kept;
    setClipboard(kept);
  };
  const { path } = folder;
  const mayPaste = ({ way, rows, from }: Clipboard) => {
    const isItself = rows.some((row) => row.type === "folder" && isInside(path, row.path));
    return changes.may.paste && !isItself && !(way === "move" && from === path);
  };

  const paste = () => {
    const kept = latest.current;
    if (kept === null || !mayPaste(kept)) return;
    const { way, rows, from } = kept;
    // Beside itself it can only be another.
    const choice = from === path ? "keep-both" : undefined;
    void queue.add({ action: way, items: rows, from, to: path, choice });
    // As on a desktop, what was copied can be pasted again by its keys; nothing has to be put away for that.
    set(way === "move" ? null : { ...kept, isPasted: true });
  };

  return {
    clipboard,
    canPaste: clipboard !== null && mayPaste(clipboard),
    paste,
    clear: () => set(null),
    keep(way: Clipboard["way"], rows: readonly Row[]) {
      const [first] = rows;
      if (first) set({ way, rows, from: folderOf(first), isPasted: false });
    },
    /** ids of what has been cut */
    cut: clipboard?.way === "move" ? clipboard.rows.map(rowId) : [],
  };
}
