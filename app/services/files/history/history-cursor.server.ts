import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import type { VersionPosition } from "../../../providers/listings.server";
import { invalidRequest } from "../../../shared/app-error";

const PURPOSE = "files-history";

const cursorSchema = z.object({ listing: z.string(), key: z.string(), versionId: z.string().optional() });

/** The listing that a cursor belongs to. */
export interface HistoryListing {
  companyId: string;
  bucket: string;
  /** the prefix of all keys */
  prefix: string;
  /** `versions`, `deleted`, or the point in time for which a folder is listed */
  of: string;
}

const nameOf = ({ companyId, bucket, prefix, of }: HistoryListing) =>
  JSON.stringify([of, companyId, bucket, prefix]);

/** Signs a cursor. So the server keeps no state, and no caller can make it list anything else. */
export function signPosition(
  listing: HistoryListing,
  position: VersionPosition,
  tools: ServiceTools,
): string {
  const [secret] = tools.signingSecrets;
  return signValue({ listing: nameOf(listing), ...position }, secret, PURPOSE);
}

/** @throws AppError `invalid_request` if we did not sign the cursor, or if it belongs to another listing */
export function readPosition(
  cursor: string | undefined,
  listing: HistoryListing,
  tools: ServiceTools,
): VersionPosition | undefined {
  if (cursor === undefined) return undefined;
  const { data } = cursorSchema.safeParse(readSignedValue(cursor, tools.signingSecrets, PURPOSE));
  if (data?.listing !== nameOf(listing)) {
    throw invalidRequest([{ path: "cursor", message: "is not what this listing returned" }]);
  }
  return { key: data.key, versionId: data.versionId };
}
