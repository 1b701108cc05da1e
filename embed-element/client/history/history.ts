import { FilesError } from "../errors.js";
import type { RequestOf, ResultOf } from "../operations.js";
import { type PagesOptions, pagesOf } from "../pages.js";
import type { Call } from "../request.js";

/** A version of a file. */
export interface FileVersion {
  key: string;
  versionId: string;
}

/** What the bucket has kept of the past. Each page is requested when it is asked for. */
export class History {
  constructor(private readonly call: Call) {}

  /** The versions of a file, newest first, in pages. @throws a FilesError, or the signal's reason */
  versions(
    { key }: { key: string },
    options: PagesOptions = {},
  ): AsyncGenerator<ResultOf<"versions">, void, undefined> {
    return pagesOf((cursor, signal) => this.call("versions", { key, cursor }, signal), options);
  }

  /** Makes an older version the newest one. @throws a FilesError, with the code of the service if it has left the file as it is */
  restoreVersion({ key, versionId }: FileVersion): Promise<void> {
    const request = { items: [{ key, versionId }], onConflict: "replace" as const };
    return untilDone((cursor) => this.call("restore", { ...request, cursor }));
  }

  /** Deletes an older version permanently. @throws as `restoreVersion` */
  purge({ key, versionId }: FileVersion): Promise<void> {
    return untilDone((cursor) => this.call("purge", { items: [{ key, versionId }], cursor }));
  }

  /** A page of the events of a file, or in a folder. @throws a FilesError, or the signal's reason */
  activity(request: RequestOf<"activity">, signal?: AbortSignal): Promise<ResultOf<"activity">> {
    return this.call("activity", request, signal);
  }

  /**
   * The times at which something has changed in a folder and its subfolders, in pages.
   * @param folderPath the folder's path
   * @param range RFC 3339: the first moment, and the moment after the last
   * @throws a FilesError, or the signal's reason
   */
  changeTimes(
    folderPath: string,
    range: { from: string; to: string },
    options: PagesOptions = {},
  ): AsyncGenerator<ResultOf<"change-times">, void, undefined> {
    return pagesOf(
      (cursor, signal) => this.call("change-times", { folderPath, ...range, cursor }, signal),
      options,
    );
  }
}

/** Sends a request with the cursor of its response until nothing is left to do. @throws the first failure, and as `send` */
async function untilDone(
  send: (
    cursor: string | undefined,
  ) => Promise<{ failed: readonly { code: string }[]; cursor: string | null }>,
): Promise<void> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { failed, cursor: next } = await send(cursor);
    const [failure] = failed;
    if (failure) throw new FilesError(failure.code);
    cursor = next;
  }
}
