import {
  type Change,
  type ChangeEvents,
  effectOf,
  type FilesClient,
  type FolderTime,
  folderOf,
  hasExpectedNames,
  isAmong,
  isFolderContent,
  isInside,
  isShownAt,
  issueOfFolderPath,
  itemOf,
  leavingRows,
  movesOf,
  nameOf,
  placed,
  type Row,
  rowId,
  type Way,
} from "platform-embed-element/client";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ChangeAction } from "../../../../embed-element/protocol";
import type { FrameSession } from "../../../embed/frame/use-session";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import { isFocusFree, type ShowRows } from "../browse/folder/use-show-rows";
import { type ExplorerProps, SERVICE } from "../place/props";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import type { Point } from "../screen/menu";
import type { Notice, SetNotice } from "../screen/notice";
import { useStore } from "../screen/use-store";
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

/** What has come of a change, or of asking to undo one. */
export type ChangeResult =
  | ({ status: "ended" } & ChangeEvents["changed"])
  | { status: "nothing"; way: Way }
  | { status: "impossible"; change: Change };

/** Each has another id. */
type KnownResult = ChangeResult & { id: number };

export type ChangeCommands = ReturnType<typeof useChangeCommands>;

const rowOf = (path: string): Row => ({ type: "folder", name: nameOf(path), path });

interface Screen {
  client: FilesClient;
  embeddingPage: FrameSession["embeddingPage"];
  folder: Folder;
  list: List;
  showRows: ShowRows;
  /** the embedding page asks for files or a folder: nothing else is offered than what leads to them */
  isPicking: boolean;
  announce(sentence: string): void;
  notice: Notice | null;
  setNotice: SetNotice;
}

/**
 * What the person can do with rows in the open folder, and what has come of it. A command changes files at once, or opens what asks for more.
 * The panel puts the results into words.
 */
export function useChangeCommands(props: ExplorerProps, screen: Screen) {
  const { actions, uploadFolder, rootPath } = props;
  const { client, folder, list, showRows, isPicking, announce, setNotice } = screen;
  const results = useResults(props, screen);
  const { t } = useLanguage();
  const { rows, selected, selection } = list;
  const { time } = folder;
  const changes = useStore(client.changes);
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
    void client.changes[way](items, to);
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
    const outcome = await client.changes[way](id);
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
    if (command === "purge") void client.changes.purge(changed, folder.path);
    else if (time.kind === "at") void client.changes.restoreVersion(changed, folder.path, time.moment);
    else void client.changes.undelete(changed, folder.path);
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
        void client.changes.remove(acted);
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
  /** ids of rows that are cut or are being changed, with what is in them */
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
        if (status === "failed") client.changes.dismiss(id);
        else if (done === 0) client.changes.cancel(id);
      }
    },
    dimmed,
    dispatch,
    transfer,
    undoOrRedo,
    results,
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

/** Lets search results, selection and focus follow what the engine tells of changes, and tells the embedding page. */
function useResults({ bucket }: Pick<ExplorerProps, "bucket">, screen: Screen) {
  const { client, folder, notice, setNotice } = screen;
  const [last, setLast] = useState<KnownResult | null>(null);
  /** stays until the person or another notice removes it */
  const [shown, setShown] = useState<KnownResult | null>(null);
  const nextId = useRef(1);
  /** the id of the last result that the panel has announced: it may be mounted anew */
  const announcedId = useRef(0);
  const report = (result: ChangeResult) => {
    const known = { ...result, id: nextId.current++ };
    setLast(known);
    if (!isShown(result)) return;
    setNotice(null);
    setShown(known);
  };
  const handlers = {
    changing: ({ change }: ChangeEvents["changing"]) => followLeaving(change, screen),
    changed(event: ChangeEvents["changed"]) {
      updateList(event.change, screen);
      postChange(event.change, bucket, screen.embeddingPage);
      report({ status: "ended", ...event });
    },
  };
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const stopChanging = client.on("changing", (event) => latest.current.changing(event));
    const stopChanged = client.on("changed", (event) => latest.current.changed(event));
    return () => {
      stopChanging();
      stopChanged();
    };
  }, [client]);
  // A notice is about the folder in which it appeared, and stays when that is shown as it is now. Its change can still be undone by the keyboard.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is open
  useEffect(() => setShown(null), [folder.path]);
  const hasOtherNotice = notice !== null;
  useEffect(() => {
    if (hasOtherNotice) setShown(null);
  }, [hasOtherNotice]);
  return { last, announcedId, shown, removeNotice: () => setShown(null), report };
}

/** What else has come of a change is only announced, or shown where the person has asked for it. */
function isShown(result: ChangeResult): boolean {
  if (result.status !== "ended") return true;
  const { status, done } = result.change;
  return status === "done" || (status === "cancelled" && done > 0);
}

/** The rows that a change begins to take away have left the folder, with what is in them. Moves the focus to their neighbour. */
function followLeaving(change: Change, { folder, list, showRows }: Screen): void {
  const leaving = leavingRows(change);
  if (leaving.length === 0 || !isShownAt(change, folder.time)) return;
  const ids = new Set(leaving.map(rowId));
  const first = list.rows.findIndex((row) => isAmong(ids, row));
  const staying = list.rows.filter((row) => !isAmong(ids, row));
  const neighbour = staying[first] ?? staying.at(-1);
  list.follow(movesOf(change));
  // Undoing from another folder changes nothing on the screen.
  if (first === -1) return;
  list.selection.clear();
  if (neighbour) showRows.show([rowId(neighbour)], { selects: false });
  else if (isFocusFree()) focusList();
}

/** The folder has heard of the change. What the search has found and what is selected follows. */
function updateList(change: Change, { folder, list, showRows }: Screen): void {
  const { action, to, done } = change;
  const isListed = isShownAt(change, folder.time);
  if (action === "rename" && change.status === "done" && isListed) list.follow(movesOf(change));
  // The dialog that has created a folder shows it.
  if (action === "create-folder" && !change.stepOf) return;
  if (list.isFiltered && mustSearchAgain(change)) void folder.refresh();
  const isVisible = to === folder.path || (list.isFiltered && isInside(to, folder.path));
  const isThere = ["places", "returns"].includes(effectOf(change));
  if (done > 0 && isListed && isVisible && isThere) showRows.show(placed(change).map(rowId));
}

/** Refreshing the folder also repeats the search below it. */
const mustSearchAgain = (change: Change) =>
  !hasExpectedNames(change) ||
  effectOf(change) === "past" ||
  change.action === "undo-delete" ||
  change.action === "copy";

function postChange(change: Change, bucket: string, embeddingPage: Screen["embeddingPage"]): void {
  const { action, items, to, name, done, failed } = change;
  if (done === 0 && failed.length === 0) return;
  const target = effectOf(change) === "places" ? { to, name } : {};
  embeddingPage.post({
    type: "platform.embed.change",
    service: SERVICE,
    bucket,
    action: eventAction(action),
    items: items.map(itemOf),
    ...target,
    done,
    failed: failed.map(({ key, code }) => ({ key, code })),
  });
}

/** The action in the words of the embedding page's event. */
function eventAction(action: Change["action"]): ChangeAction {
  if (action === "remove-created") return "delete";
  return action === "undo-delete" ? "restore" : action;
}
