import type { FetchToken } from "../src/fetch-token.js";
import { type ChangeEvents, Changes } from "./changes/changes.js";
import { Events } from "./events.js";
import { Folder, type KnownFolder } from "./folder/folder.js";
import { createCall } from "./request.js";
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
    on: events.on,
  };
}
