import {
  type Change,
  type FilesClient,
  type FolderTime,
  folderOf,
  isFolderContent,
  isInside,
  issueOfFolderPath,
  nameOf,
  type Row,
  rowId,
} from "platform-embed-element/client";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import type { ShowRows } from "../browse/folder/use-show-rows";
import type { ExplorerProps } from "../place/props";
import { useLanguage } from "../screen/language";
import type { Point } from "../screen/menu";
import type { SetNotice } from "../screen/notice";
import { useStore } from "../screen/use-store";
import type { ChangeResults } from "./use-change-results";
import { type Drop, useRowDrag } from "./use-row-drag";

/**
 * `clip` and `cut` put rows on the clipboard, for copying and moving. `restore` and `purge` change files of the past; without rows,
 * everything in the open folder.
 */
export type Command =
  | "menu"
  | "new-folder"
  | "rename"
  | "move"
  | "copy"
  | "cut"
  | "clip"
  | "paste"
  | "drop"
  | "delete"
  | "restore"
  | "purge"
  | "undo"
  | "redo";

/** What copies or moves rows. */
const transfers: readonly Command[] = ["rename", "move", "copy", "cut", "clip", "drop"];

/** The menu or dialog that is open, or the field for a new name. */
export interface OpenCommand {
  command: "menu" | "new-folder" | "rename" | "move" | "copy";
  rows: Row[];
  /** what the list showed then */
  time: FolderTime;
  at: Point | undefined;
  /** for `rename`: the element with the row's name */
  place: HTMLElement | null;
}

/** The clipboard for files and folders. It exists in this page only. */
interface Clipboard {
  way: "move" | "copy";
  rows: readonly Row[];
  from: string;
  /** has been pasted at least once */
  isPasted: boolean;
}

export type ChangeCommands = ReturnType<typeof useChangeCommands>;

const rowOf = (path: string): Row => ({ type: "folder", name: nameOf(path), path });

interface Screen {
  files: FilesClient;
  folder: Folder;
  list: List;
  showRows: Pick<ShowRows, "keepSelection">;
  results: Pick<ChangeResults, "report" | "last">;
  /** the embedding page asks for files or a folder: nothing else is offered than what leads to them */
  isPicking: boolean;
  announce(sentence: string): void;
  setNotice: SetNotice;
}

/** What the person can do with rows in the open folder. A command changes files at once, or opens what asks for more. */
export function useChangeCommands(
  { actions, uploadFolder, rootPath }: ExplorerProps,
  { files, folder, list, showRows, results, isPicking, announce, setNotice }: Screen,
) {
  const { t } = useLanguage();
  const { rows, selected, selection } = list;
  const { time } = folder;
  const changes = useStore(files.changes);
  const [open, setOpen] = useState<OpenCommand | null>(null);
  const [clipboard, setClipboard] = useState<Clipboard | null>(null);
  // Whoever leaves this page may copy something elsewhere: then the keys paste that.
  useEffect(() => {
    const forget = () => setClipboard((kept) => (kept?.isPasted ? null : kept));
    window.addEventListener("blur", forget);
    return () => window.removeEventListener("blur", forget);
  }, []);
  /** The panel could not be loaded, and the person has dismissed it. */
  const [isGivenUp, setGivenUp] = useState(false);
  const close = useCallback(() => setOpen(null), []);
  const isHere = uploadFolder === null || isInside(folder.path, uploadFolder);
  const isNow = time.kind === "now";
  const possible = actions.includes("organize");
  const create = isNow && possible && isHere;
  const organize = create && !isPicking;
  const remove = isHere && !isPicking;
  const may: Record<Command, boolean> = {
    menu: true,
    "new-folder": create && issueOfFolderPath(folder.path) === null,
    rename: organize,
    move: organize,
    cut: organize,
    copy: isNow && possible && !isPicking,
    clip: isNow && possible && !isPicking,
    paste: organize,
    drop: isNow && possible && !isPicking,
    delete: isNow && remove && actions.includes("delete"),
    restore: !isNow && remove && actions.includes("history"),
    // Of a file that a moment shows, this would delete one version, and perhaps the file's present content: details do that.
    purge: time.kind === "deleted" && remove && actions.includes("purge"),
    undo: isNow && (possible || actions.includes("delete")),
    redo: isNow && (possible || actions.includes("delete")),
  };

  const transfer = (way: "move" | "copy", items: readonly Row[], to: string) => {
    showRows.keepSelection();
    void files.changes[way](items, to);
  };
  const mayPaste = ({ way, rows, from }: Clipboard) => {
    const isItself = rows.some((row) => row.type === "folder" && isInside(folder.path, row.path));
    return may.paste && !isItself && !(way === "move" && from === folder.path);
  };
  const canPaste = clipboard !== null && mayPaste(clipboard);
  const paste = () => {
    if (!canPaste) return;
    transfer(clipboard.way, clipboard.rows, folder.path);
    // As on a desktop, copied files can be pasted again.
    setClipboard(clipboard.way === "move" ? null : { ...clipboard, isPasted: true });
  };
  /** @param id of the change; by default the last one */
  const undoOrRedo = async (way: "undo" | "redo", id?: number) => {
    showRows.keepSelection();
    const isRunning = changes.some(({ status }) => status === "running");
    if (id === undefined && isRunning) announce(t("changes.waiting"));
    const outcome = await files.changes[way](id);
    if (outcome.status === "nothing") results.report({ status: "nothing", way });
    if (outcome.status === "impossible") results.report({ status: "impossible", change: outcome.change });
  };
  /** The element with the name of a row that is being renamed. The row is selected. */
  const placeOf = (row: Row) => {
    selection.only(rowId(row));
    const index = rows.findIndex((one) => rowId(one) === rowId(row));
    return document.querySelector<HTMLElement>(`[data-row="${index}"] :is(.row__name, .tile__name)`);
  };
  const keep = (way: Clipboard["way"], items: readonly Row[]) => {
    const [first] = items;
    if (first) setClipboard({ way, rows: items, from: folderOf(first), isPasted: false });
  };
  /** @param items without any, all that the open folder shows of the past */
  const changePast = (command: "restore" | "purge", items: readonly Row[]) => {
    const changed = items.length > 0 ? items : [rowOf(folder.path)];
    showRows.keepSelection();
    if (command === "purge") void files.changes.purge(changed, folder.path);
    else if (time.kind === "at") void files.changes.restoreVersion(changed, folder.path, time.moment);
    else void files.changes.undelete(changed, folder.path);
  };
  /** @param more `at`: where a menu opens; `drop`: where rows were dropped */
  const dispatch = (command: Command, acted: Row[] = [], more: { at?: Point; drop?: Drop } = {}) => {
    if (!may[command]) return;
    setGivenUp(false);
    const content = transfers.includes(command) && acted.find(isFolderContent);
    if (content) {
      setNotice({ about: "change", sentence: "folderContent", name: content.name });
      return;
    }
    const [first] = acted;
    switch (command) {
      case "menu":
      case "new-folder":
      case "move":
      case "copy":
        setOpen({ command, rows: acted, time, at: more.at, place: null });
        break;
      case "rename":
        if (first) setOpen({ command, rows: acted, time, at: undefined, place: placeOf(first) });
        break;
      case "cut":
        keep("move", acted);
        break;
      case "clip":
        keep("copy", acted);
        break;
      case "paste":
        paste();
        break;
      case "drop":
        if (more.drop) transfer(more.drop.way, acted, more.drop.to);
        break;
      case "delete":
        showRows.keepSelection();
        void files.changes.remove(acted);
        break;
      case "restore":
      case "purge":
        changePast(command, acted);
        break;
      case "undo":
      case "redo":
        void undoOrRedo(command);
        break;
      default:
        command satisfies never;
    }
  };
  const drag = useRowDrag(
    rows,
    (path, way) => isInside(path, uploadFolder ?? rootPath) && may[way],
    (dragged, drop) => dispatch("drop", dragged, { drop }),
  );
  /** ids of rows that are cut, or are being changed */
  const dimmed = useMemo(() => {
    const cut = clipboard?.way === "move" ? clipboard.rows : [];
    return new Set([...cut, ...changes.filter(isDimming).flatMap(({ items }) => items)].map(rowId));
  }, [clipboard, changes]);
  return {
    /** in some folder; without, there are no buttons for changes */
    possible,
    may,
    changes,
    open,
    close,
    clipboard: clipboard?.isPasted === false ? clipboard : null,
    canPaste,
    clearClipboard: () => setClipboard(null),
    /** something is open or has changed: the panel draws it */
    needsPanel:
      !isGivenUp && (open !== null || clipboard !== null || changes.length > 0 || results.last !== null),
    /** Forgets what the person has asked for, unless it is being carried out. */
    giveUp() {
      setGivenUp(true);
      close();
      setClipboard(null);
      for (const { id, status, done } of changes) {
        if (status === "failed") files.changes.dismiss(id);
        else if (done === 0) files.changes.cancel(id);
      }
    },
    dimmed,
    dispatch,
    transfer,
    undoOrRedo,
    /**
     * A key acts on the selection; without one, on the row that has the focus. Only Delete needs a selection: after deleting, the focus is on
     * a row that the person has not chosen.
     */
    dispatchByKey(command: Command, focused: number | undefined) {
      if (command === "delete" && selected.length === 0) return;
      const row = focused === undefined ? undefined : rows[focused];
      const acted = selected.length === 0 && row ? [row] : selected;
      if (acted.length > 0)
        dispatch(command, command === "rename" && row && acted.includes(row) ? [row] : acted);
    },
    /** Undefined if the clipboard has nothing that can be pasted here. */
    paste: canPaste ? () => dispatch("paste") : undefined,
    drag,
    /** All selected rows if the person has selected them and `row` is one of them, otherwise `row` alone. */
    rowsFor: (row: Row) => (!selection.isResult && selection.ids.has(rowId(row)) ? selected : [row]),
  };
}

/** Rows that a dialog asks about stay legible: people read them before they answer. */
const isDimming = ({ action, status }: Change) =>
  action !== "copy" && status !== "waiting" && status !== "failed";
