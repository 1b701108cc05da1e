import { useEffect, useState } from "react";
import { isInside } from "../../folder-path";
import { folderOf, type Row, rowId } from "../folder/folder-state";
import type { ExplorerState } from "../use-explorer";
import type { ChangeQueue } from "./change-queue";

export interface Clipboard {
  /** what pasting does */
  way: "move" | "copy";
  rows: readonly Row[];
  from: string;
}

/** Files and folders that have been cut or copied, to be pasted into another folder. They are of this page alone. */
export function useClipboard({ folder, changes }: ExplorerState, queue: ChangeQueue) {
  const [clipboard, setClipboard] = useState<Clipboard | null>(null);
  const { path } = folder;
  const isItself = clipboard?.rows.some((row) => row.type === "folder" && isInside(path, row.path));
  const isMoved = clipboard?.way === "move";
  const canPaste =
    clipboard !== null && changes.may["new-folder"] && !isItself && !(isMoved && clipboard.from === path);

  const paste = () => {
    if (!canPaste) return;
    const { way, rows, from } = clipboard;
    // Beside itself it can only be another.
    const choice = from === path ? "keep-both" : undefined;
    void queue.add({ action: way, items: rows, from, to: path, choice });
    if (isMoved) setClipboard(null);
  };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isText = event.target instanceof Element && event.target.closest("input[type=text], dialog");
      if (isText || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "v") return;
      event.preventDefault();
      paste();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });

  return {
    clipboard,
    canPaste,
    paste,
    clear: () => setClipboard(null),
    keep(way: Clipboard["way"], rows: readonly Row[]) {
      const [first] = rows;
      if (first) setClipboard({ way, rows, from: folderOf(first) });
    },
    /** ids of what has been cut */
    cut: isMoved ? clipboard.rows.map(rowId) : [],
  };
}
