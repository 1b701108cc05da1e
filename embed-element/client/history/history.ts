import type { ResultOf } from "../operations.js";
import { type PagesOptions, pagesOf } from "../pages.js";
import type { Call } from "../request.js";

/** What the bucket has kept of the past. Each page is requested when it is asked for. */
export class History {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The versions of a file, newest first, in pages. @throws a FilesError, or the signal's reason */
  versions(
    { key }: { key: string },
    options: PagesOptions = {},
  ): AsyncGenerator<ResultOf<"versions">, void, undefined> {
    return pagesOf((cursor, signal) => this.#call("versions", { key, cursor }, signal), options);
  }

  /**
   * The times at which something has changed in a folder and its subfolders, in pages.
   * @param place the folder's path
   * @param range RFC 3339: the first moment, and the moment after the last
   * @throws a FilesError, or the signal's reason
   */
  changeTimes(
    place: string,
    range: { from: string; to: string },
    options: PagesOptions = {},
  ): AsyncGenerator<ResultOf<"change-times">, void, undefined> {
    return pagesOf(
      (cursor, signal) => this.#call("change-times", { folderPath: place, ...range, cursor }, signal),
      options,
    );
  }
}
