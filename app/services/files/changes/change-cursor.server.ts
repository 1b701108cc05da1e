import { createHash } from "node:crypto";
import { z } from "zod";
import { invalidRequest } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";

const PURPOSE = "files-change";
/** characters: sixteen copies by parts of objects with the longest keys, each character of them escaped, and a thousand numbers */
export const LONGEST_CURSOR = 160_000;
/** seconds that a request may be gone on with */
const LIFETIME = 24 * 3600;

const largeCopySchema = z.object({
  /** of its item */
  index: z.int(),
  key: z.string(),
  uploadId: z.string(),
  /** ours, in the copy's metadata */
  mark: z.string(),
  /** bytes, of the source; and its ETag */
  size: z.int(),
  etag: z.string(),
});

/** A copy by parts that is under way. */
export type LargeCopy = z.infer<typeof largeCopySchema>;

const cursorSchema = z.object({
  /** of what was asked, by whom and in which bucket */
  request: z.string(),
  /** of the items: the one to go on with */
  index: z.int(),
  /** of its objects: the last that was taken */
  after: z.string().optional(),
  /** while it is still asked which names are taken: of how many items that is known; nothing is changed before */
  planned: z.int().optional(),
  /** of those: the items whose names are */
  taken: z.array(z.int()).optional(),
  /** for keeping both: how often each item's name is numbered on; 0 is its own name */
  numbers: z.array(z.int()).optional(),
  large: z.array(largeCopySchema).optional(),
  /** by the store's clock, unix seconds: what was deleted since was deleted by this request */
  since: z.int().optional(),
  /** unix seconds */
  exp: z.int(),
});

/** How far a request has come. It is all there is: any replica goes on from it. */
export type Progress = Omit<z.infer<typeof cursorSchema>, "request" | "exp">;

/** Whether nothing of what was asked for has been begun yet. */
export const isAtBeginning = ({ index, after }: Progress): boolean => index === 0 && after === undefined;

/** What a cursor belongs to. */
export function digestOf(request: { companyId: string; bucket: string } & Record<string, unknown>): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("base64url");
}

export function signCursor(progress: Progress, digest: string, tools: ServiceTools): string {
  const [secret = ""] = tools.signingSecrets;
  return signValue({ ...progress, request: digest, exp: tools.nowSeconds + LIFETIME }, secret, PURPOSE);
}

/** @throws AppError `invalid_request` for a cursor that is not ours, another request's, or over a day old */
export function readCursor(cursor: string, digest: string, tools: ServiceTools): Progress {
  const { data } = cursorSchema.safeParse(
    readSignedValue(cursor, tools.signingSecrets, PURPOSE, LONGEST_CURSOR),
  );
  if (data === undefined || data.request !== digest || tools.nowSeconds >= data.exp) {
    const message = "is not a cursor of this request, or an old one; start again without";
    throw invalidRequest([{ path: "cursor", message }]);
  }
  const { request: _, exp: __, ...progress } = data;
  return progress;
}
