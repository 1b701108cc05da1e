import { asFilesError, type EngineErrorCode, FilesError, isAbort } from "./errors.js";
import type { ResultOf } from "./operations.js";
import { type Platform, postWithToken, storagePath, withBucket } from "./request.js";

type Diagnosis = ResultOf<"diagnose">;

const codes: Record<NonNullable<Diagnosis["problem"]>, EngineErrorCode> = {
  store_unreachable: "unreachable",
  store_busy: "unavailable",
  store_refused: "store_refused",
  clock_skewed: "store_refused",
  bucket_not_found: "not_found",
  cors_missing: "cors_blocked",
};

/**
 * Asks the platform why the store could not be reached, because a browser does not tell a page. The error has the code `unreachable` when the
 * platform finds nothing wrong; on a developer's machine, its message says what the operator has to do.
 * @throws the signal's reason
 */
export type Diagnose = (signal?: AbortSignal) => Promise<FilesError>;

export function createDiagnose(
  platform: Platform,
  bucket: string,
  operation: "upload" | "download",
): Diagnose {
  const read = async (response: Response) => {
    const { problem, advice } = (await response.json()) as Diagnosis;
    const requestId = response.headers.get("X-Request-Id") ?? undefined;
    const code = problem === null ? "unreachable" : codes[problem];
    return new FilesError(code, { requestId, ...(advice !== undefined && { message: advice }) });
  };
  return async (signal) => {
    if (!platform.world.network.isOnline()) return new FilesError("offline");
    try {
      const body = withBucket(bucket, { operation });
      return await postWithToken(platform, storagePath("diagnose"), body, read, { signal });
    } catch (error) {
      if (isAbort(error)) throw error;
      return asFilesError(error);
    }
  };
}
