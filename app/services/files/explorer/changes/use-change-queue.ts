import { useRef, useState, useSyncExternalStore } from "react";
import type { ChangeMessage } from "../../../../../embed-element/protocol";
import { asProblem } from "../../storage-problem";
import { realTiming } from "../../transfers/retry";
import { type Arrival, folderOf, rowId } from "../folder/folder-state";
import type { Moved } from "../folder/follow-moves";
import { useLanguage } from "../language";
import { problemText } from "../problem-details";
import { SERVICE } from "../props";
import type { ExplorerState } from "../use-explorer";
import { type Change, itemOf, rowIn } from "./change";
import { ChangeQueue } from "./change-queue";
import type { Notice } from "./notices";
import { useChangeWords } from "./use-change-words";
import { useFocusRow } from "./use-focus-row";

/** A list of so many rows comes in one response, and is listed again after each change. */
const ONE_PAGE = 1000;

/** The queue of changes, and what the rest of the screen learns of them. */
export function useChangeQueue(explorer: ExplorerState) {
  const { t } = useLanguage();
  const words = useChangeWords();
  const { folder, list, announce } = explorer;
  const focusRow = useFocusRow(list.rows);
  const [notices, setNotices] = useState<readonly Notice[]>([]);

  const post = (change: Omit<ChangeMessage, "type" | "service" | "bucket">) => {
    const { bucket } = explorer.props;
    explorer.host.post({ type: "platform.embed.change", service: SERVICE, bucket, ...change });
  };
  const notify = (sentence: string, undo?: Change) => {
    announce(sentence);
    setNotices((before) => [...before, { id: (before.at(-1)?.id ?? 0) + 1, sentence, undo }]);
  };
  /** The row that takes the place of those that go away. */
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
      // With the folder, what was found below it is searched for again.
      const isFound = list.filter !== "" && (!isExact || action === "restore" || action === "copy");
      if (isFound || (isShown && (!isExact || folder.rows.length <= ONE_PAGE))) folder.refresh();
      const isNewHere = action === "restore" || (hasEnded && from !== to && to === folder.path);
      if (isNewHere && choice !== "keep-both") focusRow(firstId(change));
      if (done > 0 || failed.length > 0) {
        const target = action === "delete" || action === "restore" ? {} : { to, name };
        post({ action, items: items.map(itemOf), ...target, done, failed: [...failed] });
      }
      if (status === "cancelled" && done > 0) notify(words.cancelled(change), undoOf(change));
      else if (status === "cancelled") announce(words.cancelled(change));
      else if (hasEnded) notify(words.done(change), undoOf(change));
      else if (problem?.details.said !== "name_taken") announce(words.note(change));
    },
  };
  const latest = useRef(events);
  latest.current = events;
  const [queue] = useState(() => new ChangeQueue(explorer.client, realTiming, () => latest.current));
  const changes = useSyncExternalStore(queue.subscribe, queue.getChanges);

  /** @returns why it could not be made, for a person; null when it has been */
  const createFolder = async (folderPath: string, name: string): Promise<string | null> => {
    try {
      const { path } = await explorer.client.createFolder(folderPath, name);
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

/** What a change that went well has added where it was to be. */
function arrivalsOf({ action, items, to, name }: Change): Arrival[] {
  if (action === "delete") return [];
  return items.map((item) => {
    const row = action === "restore" ? item : rowIn(to, item, name);
    if (row.type === "folder") return { folderPath: row.path, file: null };
    const { type: _, ...file } = row;
    return { folderPath: folderOf(row), file };
  });
}

/** Where a change takes its items; by another name they are nowhere that is known. */
function movesOf({ action, items, to, name, choice }: Change): Moved[] {
  const isGone = action === "delete" || choice === "keep-both";
  return items.map((from) => ({ from, to: isGone ? null : rowIn(to, from, name) }));
}

function firstId({ action, items, to, name }: Change): string | undefined {
  const [first] = items;
  return first && rowId(action === "restore" ? first : rowIn(to, first, name));
}
