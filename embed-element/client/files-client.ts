import type { FetchToken } from "../src/fetch-token.js";
import { type ChangeEvents, Changes } from "./changes/changes.js";
import { Events } from "./events.js";
import { Folder, type KnownFolder } from "./folder/folder.js";
import { History } from "./history/history.js";
import type { PagesOptions } from "./pages.js";
import { createCall } from "./request.js";
import { type FoundRows, search } from "./search/search.js";
import { TokenKeeper, type TokenSource } from "./tokens.js";
import { realWorld, type World } from "./world.js";

export type FilesEvents = ChangeEvents;

export type FilesClientOptions = {
  bucket: string;
  /** everything outside of the engine; by default the browser, or Node */
  world?: World;
} & (
  | { /** gets the platform's response to `POST /api/embed/url` from your server */ fetchToken: FetchToken }
  | { /** for whoever keeps a token already */ tokens: TokenSource }
);

/** Files of a bucket without a screen. Nothing is requested before a method is called. */
export interface FilesClient {
  /** What one person looks at. @param known what is listed already */
  folder(known?: KnownFolder): Folder;
  readonly changes: Changes;
  readonly history: History;
  /**
   * Searches below the folder `place` for names that contain all words of `query`, page by page.
   * @throws a FilesError, or the signal's reason; the `cursor` of the last page continues the search
   */
  search(place: string, query: string, options?: PagesOptions): AsyncGenerator<FoundRows, void, undefined>;
  /** Calls `listener` when something has happened. @returns a function that stops it */
  on: Events<FilesEvents>["on"];
}

export function createFilesClient(options: FilesClientOptions): FilesClient {
  const { bucket, world = realWorld } = options;
  const events = new Events<FilesEvents>();
  const tokens = "tokens" in options ? options.tokens : new TokenKeeper(options.fetchToken, world);
  const call = createCall({ world, tokens }, bucket);
  return {
    folder: (known) => new Folder(call, events, known),
    changes: new Changes(call, world, events),
    history: new History(call),
    search: (place, query, options = {}) => search(call, world, place, query, options),
    on: events.on,
  };
}
