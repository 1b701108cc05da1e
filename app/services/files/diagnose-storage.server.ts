import type { ServiceTools } from "../../embed/service";
import { logError, writeLog } from "../../log.server";
import { assertBucketInScope, type FilesGrant } from "./scope-guards.server";
import type { DiagnoseRequest, StorageDiagnosis } from "./storage-contract.server";

/**
 * Why a browser's request to the store failed, for the explorer that could not know. What to mend goes to the log, under the
 * request id that the person at the screen can pass on.
 * @throws AppError `scope_not_allowed`
 */
export async function diagnoseStorage(
  request: DiagnoseRequest,
  grant: FilesGrant,
  { objectStore, production, request: { requestId }, platformBaseUrl }: ServiceTools,
): Promise<StorageDiagnosis> {
  assertBucketInScope(request.bucket, grant.scope);
  const { bucket, operation } = request;
  const { problem, advice } = await objectStore.diagnose({ bucket, operation, origin: platformBaseUrl });
  if (advice === null) {
    const message = `A browser's ${operation} failed on its way to bucket ${bucket}, which lets this server and browsers in.${operation === "upload" ? " Should it go on, run the doctor: it also tries to write." : ""}`;
    writeLog("info", { requestId, message }, () => message);
    return { problem };
  }
  logError(advice, { requestId });
  return production ? { problem } : { problem, advice };
}
