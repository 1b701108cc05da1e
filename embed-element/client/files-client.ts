import type { FetchToken } from "../src/token-types.js";
import { type ChangeEvents, Changes } from "./changes/changes.js";
import { Downloads } from "./downloads/downloads.js";
import { Events } from "./events.js";
import { Folder, type KnownFolder } from "./folder/folder.js";
import { type Page, readPage } from "./folder/folder-rows.js";
import { type FolderTime, now } from "./folder-time.js";
import { History } from "./history/history.js";
import { follow } from "./live/follow.js";
import type { FolderNews, FollowedSearch } from "./live/follow-context.js";
import { type PagesOptions, pagesOf } from "./pages.js";
import { type Call, createCall } from "./request.js";
import type { FolderSizes, QuotaUse, RecentFiles } from "./rows.js";
import { type FoundRows, type SearchOptions, search } from "./search/search.js";
import { TokenKeeper, type TokenSource } from "./tokens.js";
import type { UploadEvents, UploadOptions } from "./uploads/upload.js";
import type { UploadTarget } from "./uploads/upload-target.js";
import { Uploads } from "./uploads/uploads.js";
import { realWorld, type World } from "./world.js";

export type FilesEvents = ChangeEvents & UploadEvents;

export type FilesClientOptions = {
  bucket: string;
  /** everything outside of the engine; by default the browser, or Node */
  world?: World;
  uploads?: UploadOptions | undefined;
  /** how the platform hears of uploads; by default, they have the names of their files */
  uploadTarget?: ((call: Call) => UploadTarget) | undefined;
} & (
  | { /** gets the platform's response to `POST /api/embed/url` from your server */ fetchToken: FetchToken }
  | { /** for whoever keeps a token already */ tokens: TokenSource }
);

/** Files of a bucket without a screen. Nothing is requested before a method is called. */
export interface FilesClient {
  readonly bucket: string;
  /** What one person looks at. @param known what is listed already */
  folder(known?: KnownFolder): Folder;
  /**
   * What a folder contains, page by page, for whoever keeps no open folder.
   * @throws a FilesError, or the signal's reason
   */
  list(
    folderPath: string,
    options?: PagesOptions & { time?: FolderTime },
  ): AsyncGenerator<Page, void, undefined>;
  readonly changes: Changes;
  readonly downloads: Downloads;
  readonly history: History;
  /**
   * Searches below a folder for names that contain all words of `query`, page by page. A filter says which files are wanted besides their names.
   * @throws a FilesError, or the signal's reason; the `cursor` of the last page continues the search
   */
  search(
    folderPath: string,
    query: string,
    options?: SearchOptions,
  ): AsyncGenerator<FoundRows, void, undefined>;
  /** The files that were added last, newest first. @throws a FilesError, or the signal's reason */
  recent(signal?: AbortSignal): Promise<RecentFiles>;
  /**
   * How many files are in folders and below them, and their bytes, if the platform has a catalogue of the bucket.
   * @param folderPaths at most 100
   * @param options `thorough`: counts for up to three seconds, instead of a tenth of one
   * @throws a FilesError, or the signal's reason
   */
  sizes(
    folderPaths: readonly string[],
    options?: { thorough?: boolean; signal?: AbortSignal },
  ): Promise<FolderSizes>;
  /** How full the token's quota is; null if it has none, or may not know. @throws a FilesError, or the signal's reason */
  quota(signal?: AbortSignal): Promise<QuotaUse | null>;
  readonly uploads: Uploads;
  /**
   * Shows in an open folder what others add, change and delete, if the platform can tell. Stop it while nobody sees the folder: browsers open
   * few connections to one server.
   * @param onNews called when others have changed something that was shown, or is shown now
   * @param search with what a search has found below the folder. Then this is what is shown
   * @returns a function that stops it
   */
  follow(folder: Folder, onNews?: (news: FolderNews) => void, search?: FollowedSearch): () => void;
  /** Calls `listener` when something has happened. @returns a function that stops it */
  on: Events<FilesEvents>["on"];
  /**
   * Stops what runs, when nobody needs the client any more: uploads as if the tab was closed, and changes after the request that is being made.
   * Folders have a `close` of their own, and searches end with their signal.
   */
  close(): void;
}

export function createFilesClient(options: FilesClientOptions): FilesClient {
  const { bucket, world = realWorld } = options;
  const events = new Events<FilesEvents>();
  const tokens = "tokens" in options ? options.tokens : new TokenKeeper(options.fetchToken, world);
  const platform = { world, tokens };
  const call = createCall(platform, bucket);
  const { uploads, uploadTarget: target } = options;
  const changes = new Changes(call, world, events);
  const sending = new Uploads({ bucket, platform, call, events, options: uploads, target });
  return {
    bucket,
    folder: (known) => new Folder({ call, events, world }, known),
    list: (folderPath, { time = now, ...options } = {}) =>
      pagesOf((cursor, signal) => readPage(call, { path: folderPath, time }, cursor, signal), options),
    changes,
    uploads: sending,
    downloads: new Downloads(platform, bucket, call),
    history: new History(call),
    search: (folderPath, query, options = {}) => search(call, world, folderPath, query, options),
    recent: (signal) => call("recent", {}, signal),
    follow: (folder, onNews, search) =>
      follow({ platform, bucket, folder, search, events, changes, uploads: sending, onNews }),
    sizes: (folderPaths, { thorough, signal } = {}) =>
      call("sizes", { folderPaths: [...folderPaths], thorough }, signal),
    quota: async (signal) => (await call("quota", {}, signal)).quota,
    on: events.on,
    close() {
      sending.close();
      for (const { id } of changes.getState()) changes.cancel(id);
    },
  };
}
