import { nameOf, pathOfKey } from "../folder-path.js";
import { type FolderTime, now } from "../folder-time.js";
import { MAX_CHANGED_ITEMS, MAX_PAGE_SIZE } from "../limits.js";
import { pathOf } from "../rows.js";
import {
  batchesOf,
  type Change,
  choiceOf,
  type Failure,
  type FileItem,
  fileOf,
  type Item,
  itemId,
  type Run,
  type UnreadFolder,
} from "./change.js";

/** Restoring and permanently deleting files of the past. Folders are read page by page, and a retry goes on reading where it was. */

/**
 * Restores the files of the items. Folders are read while their files are being restored, so the browser never holds all of them. Files whose
 * names are taken are collected, and the person is asked once, at the end.
 * @throws a FilesError, or the signal's reason
 */
export async function restoreVersions(run: Run): Promise<void> {
  begin(run);
  for (;;) {
    await run.eachCall((items, cursor) => restoreSome(run, items, cursor));
    const { unread, taken, isStopping } = run.change;
    if (isStopping) return;
    if (unread?.length) {
      await readOn(run, MAX_CHANGED_ITEMS);
      continue;
    }
    if (taken.length === 0) return;
    // The server restores several at once, so they come in any order.
    const conflicts = taken
      .map(({ key }) => ({ key, name: nameOf(pathOfKey(key)) }))
      .sort((one, other) => one.name.localeCompare(other.name));
    const choice = await run.ask({ about: "conflicts", items: conflicts });
    if (choice === "cancel" || choice === "delete") return;
    if (typeof choice !== "string") {
      const isSkipped = (file: FileItem) => (choice.get(itemId(file)) ?? "skip") === "skip";
      const choices = new Map([...(run.change.choices ?? []), ...choice]);
      run.update({ choices, ...skipping(run.change, taken.filter(isSkipped)) });
      const wanted = taken.filter((file) => !isSkipped(file));
      run.update({ left: batchesOf(run.change, wanted), taken: [], cursor: null });
    } else if (choice === "skip") run.update({ choice, ...skipping(run.change, taken), taken: [] });
    else {
      run.update({ choice });
      run.update({ left: batchesOf(run.change, taken), taken: [], cursor: null });
    }
  }
}

async function restoreSome(run: Run, items: readonly Item[], cursor: string | undefined) {
  const { time } = run.change;
  const choice = choiceOf(run.change, items);
  const onConflict = choice === undefined || choice === "skip" ? "fail" : choice;
  const body = { items: items.filter(isVersion), onConflict, cursor } as const;
  const result = await run.call("restore", body);
  const { restored, unchanged = 0, renamed = [] } = result;
  const failures = withVersions(result.failed, items);
  const isTaken = ({ code }: Failure) => code === "name_taken" && onConflict === "fail";
  const taken = failures.filter(isTaken).map(fileOf);
  const before = run.change;
  // A deleted file that is there again has been restored. A file that a moment shows may never have changed.
  const needless = time?.kind === "at" ? unchanged : 0;
  run.update({
    renamed: [...before.renamed, ...renamed],
    found: before.found - needless,
    ...(result.undo && { undoHandles: [...before.undoHandles, result.undo] }),
    ...(choice === "skip" ? skipping(before, taken) : { taken: [...before.taken, ...taken] }),
  });
  const failed = failures.filter((failure) => !isTaken(failure));
  return { done: restored - needless, failed, cursor: result.cursor };
}

/**
 * Permanently deletes deleted files. All of them are read first, because the person is asked before anything is deleted.
 * @throws a FilesError, or the signal's reason
 */
export async function purge(run: Run): Promise<void> {
  begin(run);
  await readOn(run, Number.POSITIVE_INFINITY);
  const { found, isStopping, isConfirmed } = run.change;
  if (isStopping || found === 0) return;
  if (!isConfirmed && (await run.ask({ about: "purge" })) !== "delete") return;
  run.update({ isConfirmed: true });
  await run.eachCall(async (items, cursor) => {
    const files = items.filter(isFile);
    const result = await run.call("purge", { items: files, cursor });
    return { ...result, failed: withVersions(result.failed, items) };
  });
}

/** Before the first call: which files are known, and which folders have to be read. */
function begin({ change, update }: Run): void {
  const { unread, items, files: onlyThese, action } = change;
  if (unread !== null) return;
  const folders = items.filter(({ type }) => type === "folder").map(pathOf);
  const files = items.flatMap((row) => {
    if (row.type === "folder") return [];
    return action === "purge" ? { key: row.key } : fileOf(row);
  });
  const known = onlyThese ?? files;
  update({
    left: batchesOf(change, known),
    found: known.length,
    unread: onlyThese ? [] : folders.map((folderPath) => ({ folderPath, cursor: undefined })),
  });
}

/** Reads folders until `enough` files wait to be changed, or all are read. */
async function readOn(run: Run, enough: number): Promise<void> {
  for (;;) {
    const { unread, left, found, isStopping, time = now, action } = run.change;
    const [folder, ...others] = unread ?? [];
    const waiting = left?.flat() ?? [];
    if (folder === undefined || isStopping || waiting.length >= enough) return;
    const page = await readPage(run, folder, time);
    const files = page.files.map(({ key, versionId }) => (action === "purge" ? { key } : { key, versionId }));
    const rest = page.cursor === null ? [] : [{ ...folder, cursor: page.cursor }];
    run.update({
      left: batchesOf(run.change, [...waiting, ...files]),
      found: found + files.length,
      // Subfolders come before the rest of their folder: so few folders wait at any time.
      unread: [
        ...page.folders.map(({ path }) => ({ folderPath: path, cursor: undefined })),
        ...rest,
        ...others,
      ],
    });
  }
}

interface PastPage {
  files: readonly FileItem[];
  folders: readonly { path: string }[];
  cursor: string | null;
}

async function readPage(
  { call }: Run,
  { folderPath, cursor }: UnreadFolder,
  time: FolderTime,
): Promise<PastPage> {
  if (time.kind !== "at") {
    const page = await call("deleted", { folderPath, cursor });
    // Subfolders are included.
    return { ...page, folders: [] };
  }
  const request = { folderPath, cursor, at: time.moment, pageSize: MAX_PAGE_SIZE };
  const { files, folders, nextCursor } = await call("list", request);
  return { files, folders, cursor: nextCursor };
}

const isFile = (item: Item): item is FileItem => "key" in item;
const isVersion = (item: Item): item is { key: string; versionId: string } =>
  isFile(item) && item.versionId !== undefined;

/** The failures with the versions that were to be restored, so that they can be tried again. */
function withVersions(failed: readonly Failure[], items: readonly Item[]): Failure[] {
  const versions = new Map(items.filter(isFile).map(({ key, versionId }) => [key, versionId]));
  return failed.map((failure) => ({ ...failure, versionId: versions.get(failure.key) }));
}

/** What the person leaves as it is need not be restored. */
const skipping = ({ skipped, found }: Change, files: readonly FileItem[]): Partial<Change> => ({
  skipped: [...skipped, ...files.map(({ key }) => key)],
  found: found - files.length,
});
