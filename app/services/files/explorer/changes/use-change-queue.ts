import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ChangeMessage } from "../../../../../embed-element/protocol";
import type { EmbeddingPage } from "../../../../embed/frame/embedding-page";
import { nameOf } from "../../folder-path";
import type { StorageClient } from "../../storage-client";
import { asProblem } from "../../storage-problem";
import { realTiming } from "../../transfers/retry";
import { type Arrival, folderOf, type Moved, type Row, rowId } from "../folder/folder-state";
import type { Folder } from "../folder/use-folder";
import type { List } from "../folder/use-list";
import { useLanguage } from "../language";
import { problemText } from "../problem-details";
import { SERVICE } from "../props";
import { type Change, itemOf, rowIn } from "./change";
import { ChangeQueue } from "./change-queue";
import type { Notice } from "./notices";

/** A folder of at most this many rows is one request, so it is listed again after each change. */
const MAX_ROWS_LISTED_AGAIN = 1000;

export interface ChangeQueueOptions {
  embeddingPage: EmbeddingPage;
  client: StorageClient;
  bucket: string;
  folder: Folder;
  list: List;
  /** for screen readers */
  announce(sentence: string): void;
}

/** The queue of changes. It keeps the list, notices, screen readers and the embedding page up to date. */
export function useChangeQueue({
  embeddingPage,
  client,
  bucket,
  folder,
  list,
  announce,
}: ChangeQueueOptions) {
  const { t } = useLanguage();
  const words = useChangeWords();
  const focusRow = useFocusRow(list.rows);
  const [notices, setNotices] = useState<readonly Notice[]>([]);

  const post = (change: Omit<ChangeMessage, "type" | "service" | "bucket">) => {
    embeddingPage.post({ type: "platform.embed.change", service: SERVICE, bucket, ...change });
  };
  const notify = (sentence: string, undo?: Change) => {
    announce(sentence);
    setNotices((before) => [...before, { id: (before.at(-1)?.id ?? 0) + 1, sentence, undo }]);
  };
  /** The row that takes the place of rows that are removed. */
  const neighbour = (ids: ReadonlySet<string>) => {
    const staying = list.rows.filter((row) => !ids.has(rowId(row)));
    const first = list.rows.findIndex((row) => ids.has(rowId(row)));
    return staying[first] ?? staying.at(-1);
  };

  const events = {
    onStart(change: Change) {
      const { action, items, from, to } = change;
      const isLeaving = action === "delete" || (action === "move" && from !== to);
      if (!isLeaving) return;
      const ids = new Set(items.map(rowId));
      const next = neighbour(ids);
      list.selection.clear();
      folder.changed([], ids);
      list.follow(movesOf(change));
      focusRow(next && rowId(next));
    },
    onEnd(change: Change) {
      const { action, items, from, to, name, status, choice, done, failed, problem } = change;
      const hasEnded = status === "done";
      const arrivals = hasEnded && choice !== "keep-both" ? arrivalsOf(change) : [];
      if (action === "rename" && hasEnded) {
        folder.changed(arrivals, new Set(items.map(rowId)));
        list.follow(movesOf(change));
      } else folder.changed(arrivals);
      const isShown = [from, to].includes(folder.path);
      const isExact = hasEnded && choice !== "keep-both";
      // Refreshing the folder also repeats the search below it.
      const isFound = list.filter !== "" && (!isExact || action === "restore" || action === "copy");
      if (isFound || (isShown && (!isExact || folder.rows.length <= MAX_ROWS_LISTED_AGAIN))) folder.refresh();
      const isNewHere = action === "restore" || (hasEnded && from !== to && to === folder.path);
      if (isNewHere && choice !== "keep-both") focusRow(firstId(change));
      if (done > 0 || failed.length > 0) {
        const target = action === "delete" || action === "restore" ? {} : { to, name };
        post({ action, items: items.map(itemOf), ...target, done, failed: [...failed] });
      }
      if (status === "cancelled" && done > 0) notify(words.cancelled(change), undoOf(change));
      else if (status === "cancelled") announce(words.cancelled(change));
      else if (hasEnded) notify(words.done(change), undoOf(change));
      else if (problem?.details.serverCode !== "name_taken") announce(words.note(change));
    },
  };
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(() => new ChangeQueue(client, realTiming, () => latest.current));
  const changes = useSyncExternalStore(queue.subscribe, queue.getChanges);

  /** @returns an error message for the person, or null when the folder has been created */
  const createFolder = async (folderPath: string, name: string): Promise<string | null> => {
    try {
      const { path } = await client.createFolder(folderPath, name);
      folder.changed([{ folderPath: path, file: null }]);
      announce(t("changes.folderMade", { name }));
      post({ action: "create-folder", items: [{ folderPath: path }], done: 1, failed: [] });
      return null;
    } catch (error) {
      return problemText(t, asProblem(error).code);
    }
  };
  return { queue, changes, createFolder, focusRow, notices, setNotices };
}

function undoOf(change: Change): Change | undefined {
  return change.undo.length > 0 && change.action === "delete" ? change : undefined;
}

/** The rows that a successful change has added at its destination. */
function arrivalsOf({ action, items, to, name }: Change): Arrival[] {
  if (action === "delete") return [];
  return items.map((item) => {
    const row = action === "restore" ? item : rowIn(to, item, name);
    if (row.type === "folder") return { folderPath: row.path, file: null };
    const { type: _, ...file } = row;
    return { folderPath: folderOf(row), file };
  });
}

/** Where a change takes its items; null for a name that only the server knows. */
function movesOf({ action, items, to, name, choice }: Change): Moved[] {
  const isGone = action === "delete" || choice === "keep-both";
  return items.map((from) => ({ from, to: isGone ? null : rowIn(to, from, name) }));
}

function firstId({ action, items, to, name }: Change): string | undefined {
  const [first] = items;
  return first && rowId(action === "restore" ? first : rowIn(to, first, name));
}

const failures = ["not_found", "name_taken", "name_too_long", "upload_conflict"] as const;

/** Sentences about changes: while they run, when they fail, and when they are done. */
export function useChangeWords() {
  const { t } = useLanguage();
  const folderName = (path: string) => (path === "/" ? t("root") : nameOf(path));
  const valuesOf = ({ items, to, name = "" }: Change) => ({
    count: items.length,
    name: items[0]?.name ?? "",
    folder: folderName(to),
    newName: name,
  });
  const failure = (code: string) => {
    const known = failures.find((one) => one === code);
    return t(`changes.failures.${known ?? "failed"}`);
  };
  return {
    folderName,
    failure,
    title: (change: Change) => t(`changes.doing.${change.action}`, valuesOf(change)),
    /** after success */
    done: (change: Change) => t(`changes.done.${change.action}`, valuesOf(change)),
    cancelled: ({ done }: Change) =>
      done === 0 ? t("changes.cancelledAtOnce") : t("changes.cancelled", { count: done }),
    note(change: Change) {
      const { status, problem, failed, done, isStopping, isInterrupted } = change;
      if (status === "failed") {
        if (problem?.details.serverCode === "name_taken") return failure("name_taken");
        if (problem) return problemText(t, problem.code);
        return t("changes.failed", { count: failed.length });
      }
      if (status === "waiting") return t("changes.waiting");
      if (isStopping) return t("changes.stopping");
      if (isInterrupted) return t("changes.interrupted");
      return done === 0 ? t("changes.starting") : t("changes.doneSoFar", { count: done });
    },
  };
}

/** A row that has not appeared within this time does not get the focus any more: the person has moved on. */
const FOCUS_TIMEOUT_MS = 3_000;
/** Number of animation frames that a scrolled list may take to render its rows. */
const MAX_FRAMES = 20;

interface Wish {
  id: string;
  /** takes the focus even from another control that has it */
  force: boolean;
  until: number;
}

/** Focuses a row as soon as it is in the list; without an id, focuses the list as a whole. */
function useFocusRow(rows: readonly Row[]): (id: string | undefined, force?: boolean) => void {
  const wish = useRef<Wish | null>(null);
  // No dependencies: any rendering may be the one that adds the row.
  useEffect(() => {
    if (wish.current === null) return;
    const { id, force, until } = wish.current;
    const index = rows.findIndex((row) => rowId(row) === id);
    const isDue = index !== -1 && (force || isFree());
    if (!isDue && performance.now() < until) return;
    wish.current = null;
    if (isDue) focusRow(index, rows.length, MAX_FRAMES);
  });
  return useCallback((id, force = false) => {
    if (id !== undefined) wish.current = { id, force, until: performance.now() + FOCUS_TIMEOUT_MS };
    else if (isFree()) document.querySelector<HTMLElement>(".main")?.focus({ preventScroll: true });
  }, []);
}

/** Whether no control has the focus: it was removed, or returned the focus to the list as a whole. */
function isFree(): boolean {
  const holder = document.activeElement;
  return holder === null || holder === document.body || holder.matches(".main, [data-row]");
}

function focusRow(index: number, count: number, frames: number): void {
  const list = document.querySelector<HTMLElement>(".list");
  const row = list?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row) {
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    return;
  }
  // Long lists are windowed: scroll to where the row will be rendered.
  if (list) list.scrollTop = (index / count) * list.scrollHeight - list.clientHeight / 2;
  if (frames > 0) requestAnimationFrame(() => focusRow(index, count, frames - 1));
}
