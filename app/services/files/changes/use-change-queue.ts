import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ChangeAction } from "../../../../embed-element/protocol";
import type { FrameSession } from "../../../embed/frame/use-session";
import { type AddedRow, folderOf, type Moved, rowId } from "../browse/folder/folder-state";
import type { Folder } from "../browse/folder/use-folder";
import type { List } from "../browse/folder/use-list";
import { isFocusFree, type ShowRows } from "../browse/folder/use-show-rows";
import { realTiming } from "../place/contract/retry";
import type { StorageClient } from "../place/contract/storage-client";
import { asProblem } from "../place/contract/storage-problem";
import { isInside, nameOf } from "../place/folder-path";
import { now } from "../place/folder-time";
import { type ExplorerProps, SERVICE } from "../place/props";
import { focusList } from "../screen/focus-list";
import { useLanguage } from "../screen/language";
import type { Notice, SetNotice } from "../screen/notice";
import { problemText } from "../screen/problem-details";
import { type Change, itemOf, type RequestedChange, rowIn } from "./change";
import type { ChangeNotice } from "./change-notice";
import { ChangeQueue, NEW_CHANGE } from "./change-queue";
import { placed, type Undoable, UndoStack, type Way } from "./undo-stack";

/** A folder of at most this many rows is one request, so it is listed again after each change. */
const MAX_ROWS_LISTED_AGAIN = 1000;

/** What the queue needs of the explorer. */
export interface ChangeQueueState {
  props: Pick<ExplorerProps, "bucket">;
  frame: Pick<FrameSession, "embeddingPage">;
  client: StorageClient;
  folder: Folder;
  list: List;
  showRows: ShowRows;
  announce(sentence: string): void;
  notice: Notice | null;
  setNotice: SetNotice;
}

/** The queue of changes, and how they are undone. It keeps the list, the notice, screen readers and the embedding page up to date. */
export function useChangeQueue(explorer: ChangeQueueState) {
  const { client, folder, list, showRows, announce } = explorer;
  const { t } = useLanguage();
  const words = useChangeWords();
  const [notice, setNotice] = useState<ChangeNotice | null>(null);
  const nextNoticeId = useRef(1);
  const [undoStack] = useState(() => new UndoStack());
  /** Other changes get positive ids from the queue. */
  const newFolderId = useRef(-1);

  const notify = (sentence: string, next?: ChangeNotice["next"]) => {
    announce(sentence);
    explorer.setNotice(null);
    setNotice({ id: nextNoticeId.current++, sentence, next });
  };
  // A notice is about the folder in which it appeared, and stays when that is shown as it is now. Its change can still be undone by the keyboard.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is open
  useEffect(() => setNotice(null), [folder.path]);
  const hasOtherNotice = explorer.notice !== null;
  useEffect(() => {
    if (hasOtherNotice) setNotice(null);
  }, [hasOtherNotice]);
  /** The row that takes the place of rows that are removed. */
  const neighbour = (ids: ReadonlySet<string>) => {
    const staying = list.rows.filter((row) => !ids.has(rowId(row)));
    const first = list.rows.findIndex((row) => ids.has(rowId(row)));
    return staying[first] ?? staying.at(-1);
  };

  /** The list shows what the change is about: a deletion, for example, changes nothing in a folder as it was. */
  const isListed = ({ time = now }: Change) => time.kind === folder.time.kind;

  const events = {
    notify,
    onStart(change: Change) {
      const { action, items, from, to } = change;
      const isRemoved = isRemoving(change) && !isOfPast(change);
      const isLeaving = isRemoved || leavesPast(change) || (action === "move" && from !== to);
      if (!isLeaving || !isListed(change)) return;
      const ids = new Set(items.map(rowId));
      const isHere = list.rows.some((row) => ids.has(rowId(row)));
      const next = neighbour(ids);
      folder.changed([], ids);
      list.follow(movesOf(change));
      // Undoing from another folder changes nothing on the screen.
      if (!isHere) return;
      list.selection.clear();
      if (next) showRows.show([rowId(next)], { selects: false });
      else if (isFocusFree()) focusList();
    },
    onEnd(change: Change) {
      const next = undoable(change);
      updateList(change);
      postChange(change);
      announceEnd(change, next);
    },
  };
  const updateList = (change: Change) => {
    const { action, items, to, done } = change;
    const arrivals = hasExpectedNames(change) && isListed(change) ? addedRowsOf(change) : [];
    if (action === "rename" && change.status === "done" && isListed(change)) {
      folder.changed(arrivals, new Set(items.map(rowId)));
      list.follow(movesOf(change));
    } else folder.changed(arrivals);
    if (mustListAgain(change)) folder.refresh();
    const isVisible = to === folder.path || (list.filter !== "" && isInside(to, folder.path));
    if (done > 0 && isListed(change) && isVisible && !isRemoving(change) && !isOfPast(change))
      showRows.show(placed(change).map(rowId));
  };
  const mustListAgain = (change: Change) => {
    const { action, from, to } = change;
    const isExact = hasExpectedNames(change) && !isOfPast(change);
    // Refreshing the folder also repeats the search below it.
    if (list.filter !== "" && (!isExact || action === "undo-delete" || action === "copy")) return true;
    // Files of the past are in subfolders, too.
    const isShown = [from, to].includes(folder.path) || (isOfPast(change) && isInside(folder.path, from));
    return isShown && (!isExact || folder.rows.length <= MAX_ROWS_LISTED_AGAIN);
  };
  /** Tells the embedding page. */
  const postChange = (change: Change) => {
    const { action, items, to, name, done, failed } = change;
    if (done === 0 && failed.length === 0) return;
    const target = isRemoving(change) || isBack(change) || isOfPast(change) ? {} : { to, name };
    explorer.frame.embeddingPage.post({
      type: "platform.embed.change",
      service: SERVICE,
      bucket: explorer.props.bucket,
      action: eventAction(action),
      items: items.map(itemOf),
      ...target,
      done,
      failed: failed.map(({ key, code }) => ({ key, code })),
    });
  };
  /** Tells the person. */
  const announceEnd = (change: Change, next: ChangeNotice["next"]) => {
    const { status, done, stepOf, problem } = change;
    if (status === "done") notify(words.done(change), next);
    else if (status === "cancelled" && done > 0) notify(words.cancelled(change), next);
    else if (status === "cancelled") announce(words.cancelled(change));
    // The field in which the person renames shows it.
    else if (stepOf || problem?.details.serverCode !== "name_taken") announce(words.note(change));
  };
  /** Remembers the change. @returns what a notice of it offers */
  const undoable = (change: Change): ChangeNotice["next"] => {
    const next = undoStack.record(change);
    return next?.undoable.steps ? next : undefined;
  };
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(() => new ChangeQueue(client, realTiming, () => latest.current));
  const changes = useSyncExternalStore(queue.subscribe, queue.getChanges);

  /** Undoes or redoes a change: by default the last one, when it has ended. */
  const undoOrRedo = async (way: Way, wanted?: Undoable) => {
    showRows.keepSelection();
    if (!wanted && queue.getChanges().some(({ status }) => status === "running"))
      announce(t("changes.waiting"));
    if (!wanted) await queue.idle();
    const taken = undoStack.take(way, wanted);
    if (!taken)
      return latest.current.notify(t(way === "undo" ? "changes.nothingToUndo" : "changes.nothingToRedo"));
    const { change, steps } = taken;
    if (steps === null)
      return latest.current.notify(t("changes.cannotBeUndone", { change: words.done(change) }));
    for (const step of steps) void queue.add({ ...step, stepOf: { way, change } });
  };

  /** @returns an error message for the person, or null when the folder has been created */
  const createFolder = async (folderPath: string, name: string): Promise<string | null> => {
    try {
      const { path, undo } = await client.call("create-folder", { folderPath, name });
      folder.changed([{ folderPath: path, file: null }]);
      const change: Change = {
        ...NEW_CHANGE,
        id: newFolderId.current--,
        action: "create-folder",
        items: [{ type: "folder", name, path }],
        from: folderPath,
        to: folderPath,
        status: "done",
        done: 1,
        undoHandles: undo === undefined ? [] : [undo],
      };
      notify(words.done(change), undoable(change));
      postChange(change);
      return null;
    } catch (error) {
      return problemText(t, asProblem(error).code);
    }
  };
  const add = (wanted: RequestedChange) => {
    showRows.keepSelection();
    return queue.add(wanted);
  };
  return { queue, add, changes, createFolder, undoOrRedo, notice, removeNotice: () => setNotice(null) };
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

const failures = [
  "not_found",
  "name_taken",
  "name_too_long",
  "too_large",
  "upload_conflict",
  "being_checked",
  "blocked",
  "changed",
  "not_empty",
  "would_be_lost",
  "is_latest",
] as const;

/** Undo and redo steps use the messages of the action that they reverse. */
function messageAction(action: Change["action"]) {
  switch (action) {
    case "rename":
    case "move":
    case "copy":
    case "restore":
    case "purge":
      return action;
    default:
      return "delete";
  }
}

/** Sentences about changes: while they run, when they fail, and when they are done. */
export function useChangeWords() {
  const { t } = useLanguage();
  const folderName = (path: string) => (path === "/" ? t("root") : nameOf(path));
  const valuesOf = ({ items, to, name = "" }: Change) => ({
    count: items.length,
    name: items[0]?.type === "folder" ? folderName(items[0].path) : (items[0]?.name ?? ""),
    folder: folderName(to),
    newName: name,
  });
  const failure = (code: string) => {
    const known = failures.find((one) => one === code);
    return t(`changes.failures.${known ?? "failed"}`);
  };
  const done = (change: Change): string => {
    const { action, stepOf, done: count } = change;
    // An undo step is another kind of action, but its message names the original change.
    if (action === "create-folder" && !stepOf) return t("changes.folderMade", valuesOf(change));
    if (action === "restore" || action === "purge")
      return count === 0 ? t("changes.nothingChanged") : t(`changes.done.${action}`, { count });
    if (action === "delete" && !stepOf && count === 0) return failure("not_found");
    if (!stepOf) return t(`changes.done.${messageAction(action)}`, valuesOf(change));
    const { way, change: original } = stepOf;
    const left = action === "remove-created" ? original.done - count : 0;
    const parts = [
      t(way === "undo" ? "changes.undone" : "changes.redone", { change: done(original) }),
      way === "undo" &&
        original.choice === "replace" &&
        original.action !== "restore" &&
        t("changes.replacedIsGone"),
      left > 0 && t("changes.failed", { count: left }),
    ];
    return parts.filter(Boolean).join(" · ");
  };
  const title = (change: Change): string => {
    const { stepOf, action } = change;
    if (!stepOf) return t(`changes.doing.${messageAction(action)}`, valuesOf(change));
    return t(stepOf.way === "undo" ? "changes.undoing" : "changes.redoing", { change: done(stepOf.change) });
  };
  return {
    folderName,
    failure,
    title,
    /** after success */
    done,
    cancelled: ({ done }: Change) =>
      done === 0 ? t("changes.cancelledAtOnce") : t("changes.cancelled", { count: done }),
    note(change: Change) {
      const { status, problem, failed, done, found, isStopping, isRetrying } = change;
      if (status === "failed") {
        const code = problem?.details.serverCode;
        if (code === "name_taken" || code === "upload_conflict") return failure(code);
        if (problem) return problemText(t, problem.code);
        return t("changes.failed", { count: failed.length });
      }
      if (status === "waiting") return t("changes.waiting");
      if (isStopping) return t("changes.stopping");
      if (isRetrying) return t(navigator.onLine ? "changes.interrupted" : "uploads.problems.offline");
      if (done === 0 && found > 0) return t("changes.found", { count: found });
      return done === 0 ? t("changes.starting") : t("changes.doneSoFar", { count: done });
    },
  };
}
