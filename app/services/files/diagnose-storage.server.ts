import { logError, writeLog } from "../../log.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { assertBucketInScope, readFilesToken, type TokenSettings } from "./files-token.server";
import type { StorageDiagnosis } from "./listing";
import type { DiagnoseRequest } from "./storage-requests.server";

/**
 * Why a browser's request to the store failed, for the explorer that could not know. What to mend goes to the log, under the
 * request id that the person at the screen can pass on.
 * @throws AppError `invalid_token`, `token_expired`, `scope_not_allowed`
 */
export async function diagnoseStorage(
  request: DiagnoseRequest,
  objectStore: ObjectStore,
  settings: TokenSettings,
  { platformBaseUrl, production }: { platformBaseUrl: string; production: boolean },
): Promise<StorageDiagnosis> {
  const { scope } = readFilesToken(request.token, settings);
  assertBucketInScope(request.bucket, scope);
  const { bucket, operation } = request;
  const { problem, advice } = await objectStore.diagnose({ bucket, operation, origin: platformBaseUrl });
  if (advice === null) {
    const message = `A browser's ${operation} failed on its way to bucket ${bucket}, which lets this server and browsers in.`;
    writeLog("info", { message }, () => message);
    return { problem };
  }
  logError(advice);
  return production ? { problem } : { problem, advice };
}
