import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { hasCode } from "../../../shared/app-error";
import type { TakeBackRequest, TakenBack } from "../place/contract/hand-in-contract.server";
import type { FilesGrant } from "../place/scope-guards.server";
import { readTakeBack } from "../uploads/hand-in-handles.server";

/**
 * Deletes what was handed in, unless somebody has changed it since. A bucket with versioning keeps it as an older version.
 * @throws AppError as `readTakeBack`, `upload_conflict`, and those of the store
 */
export async function takeBackUpload(
  body: TakeBackRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<TakenBack> {
  const upload = readTakeBack(body.takeBack, grant, tools);
  // Whoever moves it at the same moment is either first, or finds it gone.
  return tools.claims.during([upload], tools.context, () => removeUpload(upload, grant, tools));
}

async function removeUpload(
  { bucket, key, eventId, size, etag }: ReturnType<typeof readTakeBack>,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<TakenBack> {
  const { objectStore, context } = tools;
  const found = await objectStore.describeObject({ bucket, key }, context);
  // Whether it is gone or replaced, the answer is the same. Somebody else's file with the same bytes has another mark.
  if (found?.etag !== etag || found.uploadMark !== eventId) return { removed: false };
  const author = authorOf(grant, context);
  const change = new PendingChange(tools.events, { ...author, type: "file.deleted", bucket, key, data: {} });
  try {
    await change.run(
      { size, etag },
      () => objectStore.removeObject({ bucket, key, etag }, context),
      ({ marker }) => ({ version: marker }),
    );
    return { removed: true };
  } catch (error) {
    // Changed in between.
    if (hasCode(error, "not_found", "name_taken")) return { removed: false };
    throw error;
  }
}
