import {
  type Change,
  type ChangeEvents,
  type FilesClient,
  hasExpectedNames,
  isBack,
  isInside,
  isOfPast,
  isRemoving,
  isShownAt,
  itemOf,
  leavingRows,
  movesOf,
  placed,
  rowId,
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

/** Lets search results, selection and focus follow what the engine tells of changes, and tells the embedding page. The panel puts the results into words. */
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

/** The rows that a change begins to take away have left the folder. Moves the focus to their neighbour. */
function followLeaving(change: Change, { folder, list, showRows }: Screen): void {
  const leaving = leavingRows(change);
  if (leaving.length === 0 || !isShownAt(change, folder.time)) return;
  const ids = new Set(leaving.map(rowId));
  const first = list.rows.findIndex((row) => ids.has(rowId(row)));
  const staying = list.rows.filter((row) => !ids.has(rowId(row)));
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
  if (list.filter !== "" && mustSearchAgain(change)) void folder.refresh();
  const isVisible = to === folder.path || (list.filter !== "" && isInside(to, folder.path));
  if (done > 0 && isListed && isVisible && !isRemoving(change) && !isOfPast(change))
    showRows.show(placed(change).map(rowId));
}

/** Refreshing the folder also repeats the search below it. */
const mustSearchAgain = (change: Change) =>
  !hasExpectedNames(change) ||
  isOfPast(change) ||
  change.action === "undo-delete" ||
  change.action === "copy";

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

/** The action in the words of the embedding page's event. */
function eventAction(action: Change["action"]): ChangeAction {
  if (action === "remove-created") return "delete";
  return action === "undo-delete" ? "restore" : action;
}
