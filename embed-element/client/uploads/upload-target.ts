import type { RequestOf, ResultOf } from "../operations.js";
import type { Call } from "../request.js";

/** Where uploads go, and how the platform hears of them: by the keys of objects, or as a hand-in page does. */
export interface UploadTarget {
  /** An unfinished upload can be continued on a later visit. */
  readonly resumes: boolean;
  /** A file gets the next number if an earlier one had its name, also when that is gone: nobody is asked, and each name is used once. */
  readonly numbersNames: boolean;
  /** Signs the request that stores a small file. @throws a FilesError, or the signal's reason */
  prepare(request: RequestOf<"presign-upload">, signal: AbortSignal): Promise<ResultOf<"presign-upload">>;
  /** Whether a name is taken, for stores that cannot refuse to overwrite. @throws a FilesError, or the signal's reason */
  isTaken(folderPath: string, name: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Whether the object that is stored is the one that was sent, with `size` bytes; null if only its content can tell.
   * @throws a FilesError, or the signal's reason
   */
  isStored(key: string, size: number, signal: AbortSignal): Promise<boolean | null>;
  /** Completes an upload in parts, or tells again what has come of it. @throws a FilesError, or the signal's reason */
  finish(
    request: RequestOf<"multipart/complete">,
    signal?: AbortSignal,
  ): Promise<ResultOf<"multipart/complete">>;
  /** Tells the platform which small files the store has taken: at most MAX_CONFIRMED_UPLOADS. @throws a FilesError */
  confirm(keys: readonly string[]): Promise<void>;
}

/** Uploads under the names that the files have. */
export function createStorageTarget(call: Call): UploadTarget {
  return {
    resumes: true,
    numbersNames: false,
    prepare: (request, signal) => call("presign-upload", request, signal),
    async isTaken(folderPath, name, signal) {
      let cursor: string | undefined;
      do {
        const page = await call("list", { folderPath, cursor, pageSize: 1000 }, signal);
        if (page.files.some((file) => file.name === name)) return true;
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return false;
    },
    isStored: async () => null,
    finish: (request, signal) => call("multipart/complete", request, signal),
    confirm: async (keys) => void (await call("uploaded", { keys: [...keys] })),
  };
}
