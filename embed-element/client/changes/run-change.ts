import { FilesError } from "../errors.js";
import { MAX_PAGE_SIZE } from "../limits.js";
import { pathOf, type Row } from "../rows.js";
import {
  batchesOf,
  type Change,
  choiceOf,
  isSkipped,
  itemId,
  itemOf,
  type NamedItem,
  type Run,
} from "./change.js";
import { purge, restoreVersions } from "./change-versions.js";

export { UndoStack } from "./undo.js";

/** Counting further would cost more requests than a total is worth. */
const MAX_COUNTED_PAGES = 100;

/** Carries out a change, one call after the other, until it is done or stopped. @throws a FilesError, or the signal's reason */
export async function runChange(run: Run): Promise<void> {
  const { action } = run.change;
  if (action === "delete") return deleteItems(run);
  if (action === "create-folder") return createFolder(run);
  if (action === "restore") return restoreVersions(run);
  if (action === "purge") return purge(run);
  if (action === "undo-delete" || action === "remove-created") return sendUndoHandles(run);
  return transfer(run, action === "copy" ? "copy" : "move");
}

async function transfer(run: Run, way: "copy" | "move"): Promise<void> {
  const { to, name, action, stepOf } = run.change;
  const onConflict = (choice: Change["choice"]) =>
    choice === undefined || choice === "skip" ? ("fail" as const) : choice;
  let isCounted = false;
  await run.eachCall(async (items, cursor) => {
    const choice = choiceOf(run.change, items);
    const body = { items, to, name, onConflict: onConflict(choice), cursor };
    const result = await run.call(way, body);
    const { conflicts, renamed, undo } = result;
    if (renamed) run.update({ renamed: [...otherItems(run.change.renamed, renamed), ...renamed] });
    if (undo) run.update({ undoHandles: [...run.change.undoHandles, undo] });
    if (way === "copy" && result.cursor !== null && cursor === undefined && !isCounted) {
      isCounted = true;
      void countTotal(run);
    }
    if (conflicts.length === 0) return result;
    // The rename field shows the problem. Undoing never replaces anything, so there is nothing to ask.
    if (action === "rename" || stepOf) throw new FilesError("name_taken");
    const decided = choice === "skip" ? choice : await run.ask({ about: "conflicts", items: conflicts });
    if (decided === "cancel" || decided === "delete") return null;
    // What is skipped does not count.
    isCounted = false;
    const { replaced, choices: before, skipped, left } = run.change;
    const namesakes = namesakesOf(run.change);
    const taken = new Set(conflicts.map(itemId));
    if (typeof decided !== "string") {
      const [, ...others] = left ?? [];
      const choices = new Map(
        conflicts.map(itemId).map((id) => {
          const choice = decided.get(id) ?? "skip";
          return [id, choice === "replace" && namesakes.has(id) ? "keep-both" : choice] as const;
        }),
      );
      const chosen = (choice: Change["choice"]) =>
        conflicts.filter((conflict) => choices.get(itemId(conflict)) === choice);
      run.update({
        choices: new Map([...(before ?? []), ...choices]),
        replaced: [...(replaced ?? []), ...chosen("replace")],
        skipped: [...skipped, ...chosen("skip").map(itemId)],
      });
      const wanted = items.filter((item) => choices.get(itemId(item)) !== "skip");
      run.update({ left: [...batchesOf(run.change, wanted), ...others] });
      return "repeat";
    }
    run.update({ choice: decided });
    if (decided === "replace") {
      const both = [...namesakes].map((id) => [id, "keep-both"] as const);
      run.update({
        replaced: [...(replaced ?? []), ...conflicts.filter((item) => !namesakes.has(itemId(item)))],
        ...(both.length > 0 && { choices: new Map([...(before ?? []), ...both]) }),
      });
      run.update({ left: batchesOf(run.change, (left ?? []).flat()) });
    }
    if (decided !== "skip") return "repeat";
    run.update({ skipped: [...skipped, ...taken] });
    return items.filter((item) => !taken.has(itemId(item)));
  });
  const { isStopping, cursor, left } = run.change;
  const [items] = left ?? [];
  if (!isStopping || cursor === null || !items) return;
  // Abort the multipart copy of a large object. If this fails, the bucket's lifecycle rule removes the parts.
  const end = {
    items: [...items],
    to,
    name,
    onConflict: onConflict(choiceOf(run.change, items)),
    cursor,
    stop: true,
  };
  await run.callOnce(way, end).catch(() => {});
}

/** A copy that takes several calls is long enough for its total to matter. A move takes away what would be counted. */
async function countTotal(run: Run): Promise<void> {
  const change = run.change;
  const items = change.items.filter((row) => !isSkipped(change, row));
  const folders = items.filter(({ type }) => type === "folder");
  // Without a total, the progress says how many have been copied so far.
  const inFolders = await countObjects(run, folders.map(pathOf)).catch(() => null);
  if (inFolders !== null) run.update({ total: items.length - folders.length + inFolders });
}

/** The number of objects in folders and their subfolders; null if there are too many pages, or the change has ended meanwhile. @throws a FilesError */
async function countObjects(run: Run, folders: readonly string[]): Promise<number | null> {
  const unread: { folderPath: string; cursor?: string }[] = folders.map((folderPath) => ({ folderPath }));
  let count = 0;
  for (let page = 0; page < MAX_COUNTED_PAGES; page++) {
    const request = unread.pop();
    if (!request) return count;
    const listing = await run.callOnce("list", { ...request, pageSize: MAX_PAGE_SIZE });
    if (run.change.status !== "running") return null;
    count += listing.files.length;
    unread.push(...listing.folders.map(({ path }) => ({ folderPath: path })));
    if (listing.nextCursor !== null) unread.push({ ...request, cursor: listing.nextCursor });
  }
  return null;
}

async function deleteItems(run: Run): Promise<void> {
  const { items, isUndoable } = run.change;
  if (isUndoable === null) {
    const [first = []] = batchesOf(run.change, items.map(itemOf));
    const body = { items: first, check: true };
    const { undoable } = await run.call("delete", body);
    run.update({ isUndoable: undoable });
    if (!undoable && (await run.ask({ about: "delete" })) !== "delete") return;
  }
  await run.eachCall(async (items, cursor) => {
    const result = await run.call("delete", { items, cursor });
    if (result.undo) run.update({ undoHandles: [...run.change.undoHandles, result.undo] });
    return result;
  });
}

async function createFolder(run: Run): Promise<void> {
  const { to, items } = run.change;
  run.onStart();
  for (const { name } of items) {
    const { undo } = await run.call("create-folder", { folderPath: to, name });
    run.update({ done: 1, undoHandles: undo === undefined ? [] : [undo] });
  }
}

/** Sends the handles, the last one first: a folder's own object was copied before what is in it. */
async function sendUndoHandles(run: Run): Promise<void> {
  run.onStart();
  for (;;) {
    const { undoHandles: handles, isStopping } = run.change;
    const handle = handles.at(-1);
    if (handle === undefined || isStopping) return;
    const { restored, failed } = await run.call("restore", { undo: handle });
    const { done, failed: before } = run.change;
    run.update({ done: done + restored, failed: [...before, ...failed], undoHandles: handles.slice(0, -1) });
  }
}

/** `before` without the items of `renamed`: every response of a call lists all of them. */
function otherItems(before: readonly NamedItem[], renamed: readonly NamedItem[]): NamedItem[] {
  const ids = new Set(renamed.map(itemId));
  return before.filter((one) => !ids.has(itemId(one)));
}

/**
 * The items that have the name of an earlier item of the change. They never replace what is taken: it may be that item, which the server cannot
 * see if it was in another call.
 */
function namesakesOf({ items }: Change): ReadonlySet<string> {
  const names = new Set<string>();
  // A file and a folder may have the same name.
  const isNew = ({ type, name }: Row) => names.size < names.add(`${type} ${name}`).size;
  return new Set(items.filter((row) => !isNew(row)).map((row) => itemId(itemOf(row))));
}
