import { addedRowsOf, type Change, leavingRows } from "../changes/change.js";
import { asFilesError, FilesError } from "../errors.js";
import { rowsOf, withRows } from "../folder/folder-rows.js";
import { isInside, joinPath } from "../folder-path.js";
import { sendWithToken, storagePath } from "../request.js";
import { retryDelay, retryTimingOf } from "../retry.js";
import { type FileEntry, type FolderEntry, fileId, pathOf, type Row, rowId } from "../rows.js";
import type { FollowContext, FollowedFolder } from "./follow-context.js";
import { readEvents, type StreamMessage } from "./read-events.js";

/** The platform sends something every 20 seconds. What comes later was held back on the way. */
const MAX_SILENCE_MS = 25_000;
/** How often the platform is asked where nothing gets through while a response is open. */
const ASK_INTERVAL_MS = 20_000;
/** After so many questions, a stream is tried once more. */
const QUESTIONS_BEFORE_STREAM = 30;
/** Where it has worked before, it will again: a platform that cannot tell at the moment is asked again after this time. */
const AGAIN_MS = 60_000;
/** The platform replays so much without a position. A list that is older has to be listed again. */
const MAX_LIST_AGE_MS = 100_000;
/** A folder is listed again so often at most, whatever happens in it. */
const MIN_RELOAD_INTERVAL_MS = 10_000;
/** All that look at a folder are told at once to list it again. */
const RELOAD_SPREAD_MS = 2_000;
/** The platform tells of our own changes, too, a moment later. */
const OWN_MS = 60_000;

/** Of a `changes` message. docs/contract.md#what-others-change */
interface FollowedChanges {
  files: FileEntry[];
  deleted: string[];
  folders: FolderEntry[];
  deletedFolders: string[];
}

/** How far a folder was followed, for when somebody looks at it again. */
const positions = new WeakMap<FollowedFolder, { path: string; id: string }>();

/** Nobody will tell anything. */
class Unavailable extends Error {}

/** Follows a folder until the signal is aborted, or the platform says that it cannot tell. */
export async function followFolder(context: FollowContext, signal: AbortSignal): Promise<void> {
  const { folder } = context;
  const own = new OwnChanges(context);
  const reload = reloader(context, signal);
  let listedAt = 0;
  try {
    while (!signal.aborted) {
      const { path } = folder.getState();
      const place = new AbortController();
      const leave = () => place.abort();
      signal.addEventListener("abort", leave);
      const stopWatching = folder.subscribe(() => {
        if (!isOpen(folder, path)) leave();
      });
      try {
        if (isOpen(folder, path)) await followPath({ ...context, path, listedAt, own, reload }, place.signal);
        else await new Promise<void>((resolve) => place.signal.addEventListener("abort", () => resolve()));
      } catch (thrown) {
        if (!place.signal.aborted) throw thrown;
      } finally {
        stopWatching();
        signal.removeEventListener("abort", leave);
      }
      listedAt = context.platform.world.clock.now();
      await untilOpen(folder, signal);
    }
  } catch (thrown) {
    // The list stays as it was listed: nothing that the person does depends on this.
    if (!(thrown instanceof Unavailable) && !(thrown instanceof FilesError)) throw thrown;
  } finally {
    own.close();
  }
}

const isOpen = (folder: FollowedFolder, path: string) => {
  const state = folder.getState();
  return state.path === path && state.time.kind === "now";
};

/** Resolves when the folder shows what is there now. */
const untilOpen = (folder: FollowedFolder, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (!signal.aborted && folder.getState().time.kind !== "now") return;
      stop();
      signal.removeEventListener("abort", look);
      resolve();
    };
    const stop = folder.subscribe(look);
    signal.addEventListener("abort", look);
    look();
  });

interface PathContext extends FollowContext {
  path: string;
  listedAt: number;
  own: OwnChanges;
  reload: () => void;
}

/** Follows one folder: by a stream, or by asking where no stream gets through. @throws Unavailable, a FilesError that is permanent */
async function followPath(context: PathContext, signal: AbortSignal): Promise<void> {
  const { platform, folder, path, listedAt, reload } = context;
  const { world } = platform;
  const timing = retryTimingOf(world);
  const known = positions.get(folder);
  let after = known?.path === path ? known.id : undefined;
  if (after === undefined && world.clock.now() - listedAt > MAX_LIST_AGE_MS) reload();
  let failures = 0;
  let hasWorked = after !== undefined;
  let questions = 0;
  while (!signal.aborted) {
    const once = questions > 0;
    let isSilent = false;
    try {
      const onMessage = (message: StreamMessage) => {
        failures = 0;
        if (message.name === "unavailable") throw new Unavailable();
        hasWorked = true;
        if (message.name === "reload") reload();
        if (message.name === "changes") apply(context, JSON.parse(message.data));
        if (message.id === undefined) return;
        after = message.id;
        positions.set(folder, { path, id: message.id });
      };
      const end = await listen(context, { after, once }, onMessage, signal);
      isSilent = end === "silent";
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof Unavailable) {
        if (!hasWorked) throw thrown;
        await timing.wait(AGAIN_MS, signal);
        continue;
      }
      const error = asFilesError(thrown);
      // A platform in which too many follow still answers questions.
      if (error.code === "rate_limited" && !once) isSilent = true;
      else {
        const delay = retryDelay(failures++, 0, error, timing.random);
        if (delay === null) throw error;
        await timing.wait(delay, signal);
      }
    }
    if (isSilent || once) {
      questions = (questions + 1) % QUESTIONS_BEFORE_STREAM;
      if (once) await timing.wait(ASK_INTERVAL_MS, signal);
    } else if (failures === 0) await timing.wait(timing.random() * 1_000, signal);
  }
}

/**
 * Sends the request, and reads what comes.
 * @returns `silent` if nothing has come for longer than the platform is ever silent
 * @throws a FilesError, or what `onMessage` throws
 */
async function listen(
  { platform, bucket, path, search }: Pick<PathContext, "platform" | "bucket" | "path" | "search">,
  { after, once }: { after: string | undefined; once: boolean },
  onMessage: (message: StreamMessage) => void,
  signal: AbortSignal,
): Promise<"ended" | "silent"> {
  const { world } = platform;
  const query = new URLSearchParams({
    bucket,
    folderPath: path,
    ...(search && { below: "true" }),
    ...(after === undefined ? {} : { after }),
    ...(once ? { once: "true" } : {}),
  });
  const requestWith = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
  const open = async (response: Response) => response;
  let response: Response;
  try {
    const options = { signal, timeoutMs: MAX_SILENCE_MS };
    response = await sendWithToken(
      platform,
      `${storagePath("changes")}?${query}`,
      requestWith,
      open,
      options,
    );
  } catch (thrown) {
    const isHeldBack = thrown instanceof FilesError && thrown.message === "unreachable";
    if (isHeldBack && !once) return "silent";
    throw thrown;
  }
  const reader = response.body?.getReader();
  if (reader === undefined) return "ended";
  const close = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", close);
  let isSilent = false;
  const startTimer = () =>
    world.timers.start(() => {
      isSilent = true;
      close();
    }, MAX_SILENCE_MS);
  let stopWatching = startTimer();
  async function* chunks() {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      stopWatching();
      stopWatching = startTimer();
      yield next.value;
    }
  }
  try {
    for await (const message of readEvents(chunks())) {
      if (signal.aborted) break;
      onMessage(message);
    }
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || signal.aborted) throw thrown;
    throw new FilesError(world.network.isOnline() ? "unreachable" : "offline", { message: thrown.message });
  } finally {
    stopWatching();
    signal.removeEventListener("abort", close);
    close();
  }
  return isSilent ? "silent" : "ended";
}

/** Shows what has happened, and tells what of it others have done. */
function apply({ folder, search, own, onNews }: PathContext, changes: FollowedChanges): void {
  const { rows, status } = folder.getState();
  const isShown = (row: Row) => search?.finds(row) ?? true;
  const shown = search === undefined ? rows : withRows(search.getRows(), rows).filter(isShown);
  const before = new Map(shown.map((row) => [rowId(row), row]));
  const listed = rowsOf(changes);
  const found = listed.filter(isShown);
  const added = found.filter((row) => isNewOrChanged(row, before.get(rowId(row))));
  const goneIds = [...changes.deleted.map(fileId), ...changes.deletedFolders];
  const left = listed.filter((row) => !isShown(row)).map(rowId);
  const gone = [...goneIds, ...left].flatMap((id) => before.get(id) ?? []);
  folder.applyChanges(listed, new Set(goneIds));
  search?.applyChanges(found, new Set([...goneIds, ...left]));
  // A folder that is being listed shows all of it as new.
  if (status !== "ready") return;
  const ofOthers = (of: readonly Row[]) => of.filter((row) => !own.has(pathOf(row))).map(rowId);
  const news = { added: ofOthers(added), gone: ofOthers(gone) };
  if (news.added.length + news.gone.length > 0) onNews?.(news);
}

const isNewOrChanged = (row: Row, before: Row | undefined) =>
  before === undefined ||
  (row.type === "file" &&
    before.type === "file" &&
    (row.size !== before.size || row.etag !== before.etag || row.lastModified !== before.lastModified));

/** Lists the folder again, but not all the time. */
function reloader({ platform: { world }, folder }: FollowContext, signal: AbortSignal): () => void {
  let last = Number.NEGATIVE_INFINITY;
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    const earliest = last + MIN_RELOAD_INTERVAL_MS - world.clock.now();
    const stop = world.timers.start(
      () => {
        signal.removeEventListener("abort", stop);
        isPlanned = false;
        last = world.clock.now();
        // Somebody looks at the past, or the folder is being listed anyway.
        const { time, status } = folder.getState();
        if (time.kind === "now" && status === "ready") void folder.refresh();
      },
      Math.max(0, earliest) + world.random() * RELOAD_SPREAD_MS,
    );
    signal.addEventListener("abort", stop);
  };
}

/** What the person does: the platform tells of that, too. */
class OwnChanges {
  /** by path: until when, by the world's clock */
  readonly #paths = new Map<string, number>();
  readonly #stop: (() => void)[];

  constructor(private readonly context: FollowContext) {
    const { events } = context;
    this.#stop = [
      events.on("changing", ({ change }) => this.#add(leavingRows(change).map(pathOf))),
      events.on("changed", ({ change }) => this.#add(pathsOf(change))),
      events.on("uploaded", ({ files }) => this.#add(files.map(({ key }) => `/${key}`))),
    ];
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  has(path: string): boolean {
    const { platform, changes, uploads } = this.context;
    const now = platform.world.clock.now();
    for (const [own, until] of this.#paths) {
      if (until < now) this.#paths.delete(own);
      else if (isInside(own, path) || isInside(path, own)) return true;
    }
    const isBeingChanged = changes
      .getState()
      .some(({ status, from, to }) => status === "running" && (isInside(path, to) || isInside(path, from)));
    const isBeingUploaded = uploads
      .getState()
      .uploads.some(({ folderPath, name }) => isInside(joinPath(folderPath, name), path));
    return isBeingChanged || isBeingUploaded;
  }

  #add(paths: readonly string[]): void {
    const until = this.context.platform.world.clock.now() + OWN_MS;
    for (const path of paths) this.#paths.set(path, until);
  }
}

const pathsOf = (change: Change): string[] => [
  ...change.items.map(pathOf),
  ...addedRowsOf(change).map(({ folderPath, file }) => (file === null ? folderPath : `/${file.key}`)),
];
