import {
  addedRowsOf,
  type Change,
  effectOf,
  hasExpectedNames,
  isShownAt,
  leavingRows,
} from "../changes/change.js";
import type { ChangeEvents } from "../changes/changes.js";
import { asFilesError, type FilesError, isAbort } from "../errors.js";
import type { Events } from "../events.js";
import { isInside } from "../folder-path.js";
import { type FolderTime, now } from "../folder-time.js";
import { MAX_PAGE_SIZE } from "../limits.js";
import type { ResultOf } from "../operations.js";
import type { Call } from "../request.js";
import { type AddedRow, folderOf, type Row, rowId } from "../rows.js";
import { Store } from "../store.js";
import type { UploadEvents } from "../uploads/upload.js";
import type { World } from "../world.js";
import {
  addedRowOf,
  changedRows,
  type FileOrder,
  GrowingRows,
  noFolders,
  type Page,
  pageOf,
  readPage,
} from "./folder-rows.js";

/**
 * A folder is listed to this number of rows without being asked. A browser keeps and sorts them with ease, and they are 50 requests.
 */
const MAX_ROWS_UNASKED = 50_000;
/** By how much the rows grow at once while pages are loaded. */
const MIN_GROWTH = 0.1;
/** A folder of at most this many rows is one request, so it is listed again after each change. */
const MAX_ROWS_LISTED_AGAIN = MAX_PAGE_SIZE;

/**
 * - `ready`: nothing is being loaded.
 * - `loading`: nothing to show yet.
 * - `refreshing`: the rows or the problem stay until the response arrives.
 * - `more`: the pages that follow are being loaded.
 */
export type FolderStatus = "ready" | "loading" | "refreshing" | "more";

export interface FolderState {
  /** the path of the folder */
  readonly path: string;
  readonly time: FolderTime;
  readonly status: FolderStatus;
  /** all deleted files below the folder, if the time is `deleted`; otherwise what is in the folder */
  readonly rows: readonly Row[];
  /** all rows are there */
  readonly complete: boolean;
  /** the rows are the subfolders, and the first of all files in this order; null: they are the first by key, or all */
  readonly order: FileOrder | null;
  /** false if the platform says that there is no such folder */
  readonly exists: boolean;
  /** if the time is `deleted`: the paths of folders around the rows in which something still is, as far as is known; what is around these exists, too */
  readonly existingFolders: ReadonlySet<string>;
  /** why the last request failed */
  readonly problem: FilesError | null;
}

/** A folder that was listed elsewhere: by the server that has rendered the page. */
export type KnownFolder = { path: string } & ({ listing: ResultOf<"list"> } | { problem: FilesError });

type FolderEvents = ChangeEvents & UploadEvents;

/**
 * The folder that one person looks at. Its first page is in the state at once, and the others follow one after the other: the store lists by
 * bytes, so an order by name is right only when all are there. A new request aborts the previous one. Methods that list resolve when the
 * listing has ended, also after failure, and never reject. Changes and uploads of the same client are applied to the rows.
 */
export class Folder {
  readonly #call: Call;
  readonly #store: Store<FolderState>;
  /** of the page that follows; null at the end, and before the first page */
  #cursor: string | null = null;
  /** number of rows up to which pages are loaded */
  #limit = MAX_ROWS_UNASKED;
  /** the order that is asked for where a folder has more than a page; null: by key */
  #order: FileOrder | null = null;
  /** all rows are wanted, so that an order of the first ones is of no use */
  #isWhole = false;
  /** aborts the requests that are being made; null when there are none */
  #running: AbortController | null = null;
  /** What has happened to rows since the requests began: a page may have been read before. */
  #meanwhile: { added: readonly AddedRow[]; gone: ReadonlySet<string> }[] = [];
  readonly #stopListening: (() => void)[];

  constructor(
    { call, events, world }: { call: Call; events: Pick<Events<FolderEvents>, "on">; world: World },
    known?: KnownFolder,
  ) {
    this.#call = call;
    this.#store = new Store(emptyFolder(known?.path ?? "/", now, "ready"));
    if (known && "problem" in known) this.#update({ problem: known.problem });
    if (known && "listing" in known) this.#showFirst(pageOf(known.listing), "ready");
    this.#stopListening = [
      events.on("changing", ({ change }) => this.#changing(change)),
      events.on("changed", ({ change }) => this.#changed(change)),
      events.on("uploaded", ({ files }) => {
        const lastModified = new Date(world.clock.date()).toISOString();
        this.#apply(files.map((file) => addedRowOf(file, lastModified)));
      }),
    ];
  }

  /** The same object until something has changed. */
  getState = (): FolderState => this.#store.getState();

  subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener);

  /**
   * Lists a folder, up to 50,000 rows.
   * @param path its path
   * @param time by default, the folder as it is now
   */
  open = (path: string, { time = now }: { time?: FolderTime } = {}): Promise<void> => {
    this.#limit = MAX_ROWS_UNASKED;
    this.#isWhole = false;
    this.#cursor = null;
    this.#store.setState(emptyFolder(path, time, "loading"));
    return this.#list(0);
  };

  /** Lists the folder again. The rows or the problem stay until then. */
  refresh = (): Promise<void> => {
    const { status, rows } = this.getState();
    if (status !== "loading") this.#update({ status: "refreshing" });
    return this.#list(rows.length);
  };

  /**
   * Loads the rows that follow, up to 50,000: after a failure, after `stop`, or where `open` has ended.
   * @param all however many follow; also while pages are being loaded
   */
  more = async ({ all = false } = {}): Promise<void> => {
    const { rows, order } = this.getState();
    // In an order, each page costs the platform a look at all files. By key, it costs a page.
    const next = order === null ? Math.max(this.#limit, nextLimit(rows.length)) : rows.length + 1;
    this.#limit = all ? Number.POSITIVE_INFINITY : next;
    if (all && order !== null) {
      this.#isWhole = true;
      this.#update({ order: null });
      return this.#run((signal) => this.#listOn(signal, true));
    }
    // What is being loaded goes on up to the limit.
    if (this.#running !== null || this.getState().complete) return;
    await (this.#cursor === null ? this.refresh() : this.#run((signal) => this.#listOn(signal)));
  };

  /**
   * Shows the first of all files by date or size, where there are more than a page of them and the platform knows their order; otherwise, all rows are
   * loaded, as by `more`. Folders that are opened later are shown so, too.
   * @param order null: by key
   */
  sort = async (order: FileOrder | null): Promise<void> => {
    const { complete, time, status } = this.getState();
    this.#order = order;
    this.#isWhole = false;
    if (complete || time.kind !== "now" || status === "loading") return;
    if (order === null) return this.more({ all: true });
    this.#limit = Number.POSITIVE_INFINITY;
    this.#update({ status: "refreshing" });
    await this.#run(async (signal) => {
      const page = await this.#page(null, signal, order);
      if (page.inOrder) return this.#showOrdered(order, page);
      const isFromStart = this.#cursor === null || this.getState().order !== null;
      this.#update({ order: null });
      await this.#listOn(signal, isFromStart);
    });
  };

  /** Stops loading. The rows that are there stay. */
  stop = (): void => {
    this.#limit = 0;
    this.#running?.abort();
    this.#running = null;
    this.#update({ status: "ready" });
  };

  /** Shows what others have added or changed, and what is gone, in the folder or below it. @param gone ids of rows */
  applyChanges(added: readonly Row[], gone: ReadonlySet<string>): void {
    if (this.getState().time.kind !== "now") return;
    this.#apply(
      added.map((row) =>
        row.type === "file" ? { folderPath: folderOf(row), file: row } : { folderPath: row.path, file: null },
      ),
      gone,
    );
  }

  /** Stops loading, and applies no changes any more. */
  close(): void {
    this.stop();
    for (const stop of this.#stopListening) stop();
  }

  /** Adds and removes rows without listing the folder again. @param gone ids of rows */
  #apply(added: readonly AddedRow[], gone: ReadonlySet<string> = new Set()): void {
    if (this.#running !== null) this.#meanwhile.push({ added, gone });
    const state = this.getState();
    const rows = changedRows(state, added, gone);
    if (rows === state.rows) return;
    this.#update({ rows, exists: state.exists || rows.length > 0 });
  }

  /** What a change begins to take away leaves the rows. */
  #changing(change: Change): void {
    if (isShownAt(change, this.getState().time)) this.#apply([], idsOf(leavingRows(change)));
  }

  #changed(change: Change): void {
    const { action, status, items } = change;
    if (isShownAt(change, this.getState().time)) {
      const renamed = action === "rename" && status === "done" ? items : [];
      this.#apply(hasExpectedNames(change) ? addedRowsOf(change) : [], idsOf(renamed));
    }
    if (this.#mustListAgain(change)) void this.refresh();
  }

  #mustListAgain(change: Change): boolean {
    const { action, items, from, to, stepOf } = change;
    const { path, rows } = this.getState();
    // The whole change is one row.
    if (action === "create-folder" && !stepOf) return false;
    const isPast = effectOf(change) === "past";
    // Found rows are of several folders. Files of the past are in subfolders, too.
    const isShown =
      [from, to].includes(path) ||
      items.some((item) => folderOf(item) === path) ||
      (isPast && isInside(path, from));
    const isExact = hasExpectedNames(change) && !isPast;
    return isShown && (!isExact || rows.length <= MAX_ROWS_LISTED_AGAIN);
  }

  #update(members: Partial<FolderState>): void {
    const state = this.getState();
    const isNew = Object.entries(members).some(([name, value]) => state[name as keyof FolderState] !== value);
    if (isNew) this.#store.setState({ ...state, ...members });
  }

  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#running?.abort();
    const abort = new AbortController();
    this.#running = abort;
    this.#meanwhile = [];
    try {
      await work(abort.signal);
    } catch (error) {
      if (isAbort(error) || abort.signal.aborted) return;
      this.#update({ status: "ready", problem: asFilesError(error) });
    } finally {
      if (this.#running === abort) this.#running = null;
    }
  }

  /** Lists the folder from its start. @param atLeast minimum number of rows in the first state, if there are as many: a refresh keeps the loaded pages */
  #list(atLeast: number): Promise<void> {
    return this.#run(async (signal) => {
      const byKey = await this.#page(null, signal);
      const hasMore = byKey.cursor !== null && this.getState().time.kind === "now";
      const order = hasMore && !this.#isWhole ? this.#order : null;
      const inOrder = order && (await this.#page(null, signal, order));
      if (order && inOrder?.inOrder) return this.#showOrdered(order, inOrder);
      const all = byKey;
      while (all.cursor !== null && all.rows.length < atLeast) {
        const page = await this.#page(all.cursor, signal);
        all.rows.push(...page.rows);
        all.cursor = page.cursor;
        all.existingFolders = union(all.existingFolders, page.existingFolders);
      }
      this.#showFirst(all, all.cursor !== null && all.rows.length < this.#limit ? "more" : "ready");
      await this.#listOn(signal);
    });
  }

  #showOrdered(order: FileOrder, page: Page): void {
    this.#showFirst(page, "ready");
    this.#update({ order });
  }

  /**
   * Loads pages up to the limit. The next one is requested while the last is being shown, and each time more rows are shown at once: to sort them
   * takes as long as there are rows. @param fromStart begins with the first page; the rows stay
   */
  async #listOn(signal: AbortSignal, fromStart = false): Promise<void> {
    let cursor = fromStart ? null : this.#cursor;
    let isMore = fromStart || (cursor !== null && this.getState().rows.length < this.#limit);
    if (isMore) this.#update({ status: "more", problem: null });
    const order = this.getState().order ?? undefined;
    let waiting: Row[] = [];
    let folders = noFolders;
    const growing = new GrowingRows();
    const show = () => {
      const before = this.getState();
      this.#cursor = cursor;
      this.#update({
        rows: growing.add(before.rows, this.#upToDate(waiting)),
        complete: cursor === null,
        existingFolders: union(before.existingFolders, folders),
      });
      waiting = [];
      folders = noFolders;
    };
    let coming = isMore ? this.#page(cursor, signal, order) : null;
    while (coming !== null) {
      const page = await coming.catch((error: unknown) => {
        if (!signal.aborted && waiting.length > 0) show();
        throw error;
      });
      cursor = page.cursor;
      waiting.push(...page.rows);
      folders = union(folders, page.existingFolders);
      const shown = this.getState().rows.length;
      isMore = cursor !== null && shown + waiting.length < this.#limit;
      coming = isMore ? this.#page(cursor, signal, order) : null;
      if (!isMore || waiting.length >= shown * MIN_GROWTH) show();
    }
    this.#update({ status: "ready" });
  }

  #showFirst(page: Page, status: FolderStatus): void {
    const { cursor, existingFolders } = page;
    const rows = this.#upToDate(page.rows);
    const exists = page.exists || rows.length > 0;
    this.#cursor = cursor;
    this.#update({
      rows,
      complete: cursor === null,
      order: null,
      exists,
      existingFolders,
      status,
      problem: null,
    });
  }

  /** The rows of a page after what has happened since the requests began. */
  #upToDate(listed: readonly Row[]): readonly Row[] {
    const { path, time } = this.getState();
    return this.#meanwhile.reduce(
      (rows, { added, gone }) => changedRows({ path, time, rows }, added, gone),
      listed,
    );
  }

  /** One page of what the folder shows at its time. @throws a FilesError, or the signal's reason */
  async #page(cursor: string | null, signal: AbortSignal, order?: FileOrder): Promise<Page> {
    const { path, time } = this.getState();
    const page = await readPage(this.#call, { path, time, order }, cursor ?? undefined, signal);
    signal.throwIfAborted();
    return page;
  }
}

/** The next number of rows up to which pages are loaded unasked. */
const nextLimit = (rows: number) => (Math.floor(rows / MAX_ROWS_UNASKED) + 1) * MAX_ROWS_UNASKED;

/** The first set itself if the second adds nothing. */
const union = (one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> =>
  other.size === 0 ? one : new Set([...one, ...other]);

const emptyFolder = (path: string, time: FolderTime, status: FolderStatus): FolderState => ({
  path,
  time,
  status,
  rows: [],
  complete: false,
  order: null,
  exists: true,
  existingFolders: noFolders,
  problem: null,
});

const idsOf = (rows: readonly Row[]): ReadonlySet<string> => new Set(rows.map(rowId));
