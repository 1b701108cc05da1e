import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import type { VersionPosition } from "../../../providers/listings.server";
import { invalidRequest } from "../../../shared/app-error";
import type { FilesGrant } from "../place/scope-guards.server";

const PURPOSE = "files-history";

const cursorSchema = z.object({ listing: z.string(), key: z.string(), versionId: z.string().optional() });

/**
 * Where this request begins, and the cursors with which another continues. They are signed. So the server keeps no state, and no caller can
 * make it list anything else.
 * @param listing `of`: `versions`, `deleted`, or the point in time for which a folder is listed; `prefix`: of all keys
 * @throws AppError `invalid_request` if we did not sign the cursor, or if it belongs to another listing
 */
export function continueListing(
  { of, bucket, prefix, cursor }: { of: string; bucket: string; prefix: string; cursor: string | undefined },
  { companyId }: FilesGrant,
  tools: ServiceTools,
) {
  const listing = JSON.stringify([of, companyId, bucket, prefix]);
  const [secret] = tools.signingSecrets;
  let after: VersionPosition | undefined;
  if (cursor !== undefined) {
    const { data } = cursorSchema.safeParse(readSignedValue(cursor, tools.signingSecrets, PURPOSE));
    if (data?.listing !== listing) {
      throw invalidRequest([{ path: "cursor", message: "is not what this listing returned" }]);
    }
    after = { key: data.key, versionId: data.versionId };
  }
  return {
    after,
    /** Null if there is nothing to continue with. */
    cursorAt: (position: VersionPosition | null | undefined): string | null =>
      position ? signValue({ listing, ...position }, secret, PURPOSE) : null,
  };
}
