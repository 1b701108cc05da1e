import {
  type AddedRow,
  type Change,
  type ChangeEvents,
  type FilesClient,
  folderOf,
  isInside,
  itemOf,
  type Moved,
  now,
  placed,
  rowId,
  rowIn,
  type Way,
} from "platform-embed-element/client";
import { useEffect, useRef, useState } from "react";
import type { ChangeAction } from "../../../../embed-element/protocol";
import type { FrameSession } from "../../../embed/frame/use-session";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import { isFocusFree, type ShowRows } from "../browse/folder/use-show-rows";
import { type ExplorerProps, SERVICE } from "../place/props";
import { focusList } from "../screen/focus-list";
import type { Notice, SetNotice } from "../screen/notice";

/** A folder of at most this many rows is one request, so it is listed again after each change. */
const MAX_ROWS_LISTED_AGAIN = 1000;

/** What has come of a change, or of asking to undo one. */
export type ChangeResult =
  | ({ status: "ended" } & ChangeEvents["changed"])
  | { status: "nothing"; way: Way }
  | { status: "impossible"; change: Change };

/** Each has another id. */
type KnownResult = ChangeResult & { id: number };

export type ChangeResults = ReturnType<typeof useChangeResults>;

interface Screen {
  files: FilesClient;
  embeddingPage: FrameSession["embeddingPage"];
  folder: Folder;
  list: List;
  showRows: ShowRows;
  notice: Notice | null;
  setNotice: SetNotice;
}

/** Applies what the engine tells of changes to the list, and tells the embedding page. The panel puts the results into words. */
export function useChangeResults({ bucket }: Pick<ExplorerProps, "bucket">, screen: Screen) {
  const { files, folder, notice, setNotice } = screen;
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
    changing: ({ change }: ChangeEvents["changing"]) => removeLeaving(change, screen),
    changed(event: ChangeEvents["changed"]) {
      updateList(event.change, screen);
      postChange(event.change, bucket, screen.embeddingPage);
      report({ status: "ended", ...event });
    },
  };
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const stopChanging = files.on("changing", (event) => latest.current.changing(event));
    const stopChanged = files.on("changed", (event) => latest.current.changed(event));
    return () => {
      stopChanging();
      stopChanged();
    };
  }, [files]);
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

/** The list shows what the change is about: a deletion, for example, changes nothing in a folder as it was. */
const isListed = ({ time = now }: Change, folder: Folder) => time.kind === folder.time.kind;

/** Removes the rows that a change begins to take away, and moves the focus to their neighbour. */
function removeLeaving(change: Change, { folder, list, showRows }: Screen): void {
  const { action, items, from, to } = change;
  const isRemoved = isRemoving(change) && !isOfPast(change);
  const isLeaving = isRemoved || leavesPast(change) || (action === "move" && from !== to);
  if (!isLeaving || !isListed(change, folder)) return;
  const ids = new Set(items.map(rowId));
  const first = list.rows.findIndex((row) => ids.has(rowId(row)));
  const staying = list.rows.filter((row) => !ids.has(rowId(row)));
  const neighbour = staying[first] ?? staying.at(-1);
  folder.changed([], ids);
  list.follow(movesOf(change));
  // Undoing from another folder changes nothing on the screen.
  if (first === -1) return;
  list.selection.clear();
  if (neighbour) showRows.show([rowId(neighbour)], { selects: false });
  else if (isFocusFree()) focusList();
}

function updateList(change: Change, { folder, list, showRows }: Screen): void {
  const { action, items, to, done } = change;
  const added = hasExpectedNames(change) && isListed(change, folder) ? addedRowsOf(change) : [];
  if (action === "rename" && change.status === "done" && isListed(change, folder)) {
    folder.changed(added, new Set(items.map(rowId)));
    list.follow(movesOf(change));
  } else folder.changed(added);
  // The dialog that has created a folder shows it.
  if (action === "create-folder" && !change.stepOf) return;
  if (mustListAgain(change, folder, list)) folder.refresh();
  const isVisible = to === folder.path || (list.filter !== "" && isInside(to, folder.path));
  if (done > 0 && isListed(change, folder) && isVisible && !isRemoving(change) && !isOfPast(change))
    showRows.show(placed(change).map(rowId));
}

function mustListAgain(change: Change, folder: Folder, list: List): boolean {
  const { action, from, to } = change;
  const isExact = hasExpectedNames(change) && !isOfPast(change);
  // Refreshing the folder also repeats the search below it.
  if (list.filter !== "" && (!isExact || action === "undo-delete" || action === "copy")) return true;
  // Files of the past are in subfolders, too.
  const isShown = [from, to].includes(folder.path) || (isOfPast(change) && isInside(folder.path, from));
  return isShown && (!isExact || folder.rows.length <= MAX_ROWS_LISTED_AGAIN);
}

function postChange(change: Change, bucket: string, embeddingPage: Screen["embeddingPage"]): void {
  const { action, items, to, name, done, failed } = change;
  if (done === 0 && failed.length === 0) return;
  const target = isRemoving(change) || isBack(change) || isOfPast(change) ? {} : { to, name };
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

/** The change has succeeded, and its items have the names that were asked for: with `keep-both`, the server chooses them. */
const hasExpectedNames = ({ status, choice }: Change) => status === "done" && choice !== "keep-both";
const isRemoving = ({ action }: Change) => action === "delete" || action === "remove-created";
/** Its items are where they were, or where they are to be created. */
const isBack = ({ action }: Change) => action === "undo-delete" || action === "create-folder";
/** It restores or deletes files of the past, or undoes that. */
const isOfPast = ({ time }: Change) => time !== undefined;
/** Files that are restored are no longer among the deleted ones. */
const leavesPast = ({ action, time }: Change) => action !== "remove-created" && time?.kind === "deleted";

/** The action in the words of the embedding page's event. */
function eventAction(action: Change["action"]): ChangeAction {
  if (action === "remove-created") return "delete";
  return action === "undo-delete" ? "restore" : action;
}

/** The rows that a successful change has added at its destination. */
function addedRowsOf(change: Change): AddedRow[] {
  const { items, to, name } = change;
  if (isRemoving(change) || isOfPast(change)) return [];
  return items.map((item) => {
    const row = isBack(change) ? item : rowIn(to, item, name);
    if (row.type === "folder") return { folderPath: row.path, file: null };
    const { type: _, ...file } = row;
    return { folderPath: folderOf(row), file };
  });
}

/** Where a change takes its items; null for a name that only the server knows. */
function movesOf(change: Change): Moved[] {
  const { items, to, name, choice } = change;
  const isGone = isRemoving(change) || isOfPast(change) || choice === "keep-both";
  return items.map((from) => ({ from, to: isGone ? null : rowIn(to, from, name) }));
}
