import type { ServiceTools } from "../../embed/service";
import { logError, writeLog } from "../../shared/log.server";
import type { DiagnoseRequest, StorageDiagnosis } from "./place/contract/storage-contract.server";
import { assertBucketInScope, type FilesGrant } from "./place/scope-guards.server";

/**
 * Finds out why a browser could not reach the store: a browser does not tell a page. What the operator has to do goes to the log, with the
 * request id that the explorer shows.
 * @throws AppError `scope_not_allowed`
 */
export async function diagnoseStorage(
  body: DiagnoseRequest,
  grant: FilesGrant,
  { objectStore, production, context: { requestId }, platformBaseUrl }: ServiceTools,
): Promise<StorageDiagnosis> {
  assertBucketInScope(body.bucket, grant.scope);
  const { bucket, operation } = body;
  const { problem, advice } = await objectStore.diagnose({ bucket, operation, origin: platformBaseUrl });
  if (advice === null) {
    const message =
      `A browser's ${operation} did not reach bucket ${bucket}, ` +
      "though the bucket accepts requests from this server and from browsers." +
      (operation === "upload" ? " If it happens again, run npm run doctor, which also tries to write." : "");
    writeLog("info", { requestId, message }, () => message);
    return { problem };
  }
  logError(advice, { requestId });
  return production ? { problem } : { problem, advice };
}
