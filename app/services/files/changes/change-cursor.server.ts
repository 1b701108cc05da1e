import { hash, randomUUID } from "node:crypto";
import { z } from "zod";
import { openSealedValue, sealValue } from "../../../embed/sealed-value.server";
import type { ServiceTools } from "../../../embed/service";
import { invalidRequest } from "../../../shared/app-error";

const PURPOSE = "files-change";
/** how long a request can be continued */
const LIFETIME_SECONDS = 24 * 3600;

const largeCopySchema = z.object({
  /** the index of its item */
  index: z.int(),
  key: z.string(),
  /** the version that is copied; undefined: the newest */
  versionId: z.string().optional(),
  /** where it goes; undefined where the request tells */
  to: z.string().optional(),
  uploadId: z.string(),
  /** see `copyMarkOf` */
  mark: z.string(),
  /** of the source, bytes */
  size: z.int(),
  /** of the source */
  etag: z.string(),
});

/** A multipart copy that is under way. */
export type LargeCopy = z.infer<typeof largeCopySchema>;

const cursorSchema = z.object({
  /** the digest of the request, its bucket and the company */
  request: z.string(),
  /** identifies the change: its next request takes over the claims of the last one */
  change: z.string(),
  /** the index of the item to continue with */
  index: z.int(),
  /** the key of the last object of that item that was handled */
  after: z.string().optional(),
  /** while names are being looked up, before anything is changed: the number of items whose names are known */
  planned: z.int().optional(),
  /** the indexes of those whose names are taken */
  taken: z.array(z.int()).optional(),
  /** for `keep-both`: the number in the name of each copy; 0 for its own name */
  numbers: z.array(z.int()).optional(),
  large: z.array(largeCopySchema).optional(),
  /** the indexes of items that were begun and are not finished, before `index` */
  unfinished: z.array(z.int()).optional(),
  /** unix seconds by the store's clock: delete markers made since then are this request's own */
  since: z.int().optional(),
  /** unix seconds */
  exp: z.int(),
});

/**
 * How far a request has come. Any replica can continue from it, because no other state is kept. Cursors are encrypted: they contain versions,
 * ids of the store and names that no other response tells.
 */
export type Progress = Omit<z.infer<typeof cursorSchema>, "request" | "change" | "exp">;

/** Whether no item has been begun yet. */
export const isAtBeginning = ({ index, after }: Progress): boolean => index === 0 && after === undefined;

/**
 * How far a request has come, and the cursors with which another request continues it.
 * @param request identifies the request that a cursor belongs to
 * @param cursor undefined at the beginning
 * @throws AppError `invalid_request` for a cursor of another request, for one that is older than a day, and for one that we did not make
 */
export function continueRequest(
  request: { companyId: string; bucket: string } & Record<string, unknown>,
  cursor: string | undefined,
  tools: ServiceTools,
) {
  const digest = hash("sha256", JSON.stringify(request), "base64url");
  const [secret] = tools.signingSecrets;
  const exp = tools.nowSeconds + LIFETIME_SECONDS;
  const read = cursor === undefined ? undefined : readCursor(cursor, digest, tools);
  const { change, ...progress }: ReturnType<typeof readCursor> = read ?? { change: randomUUID(), index: 0 };
  return {
    progress,
    /** Null if there is nothing to continue with. */
    cursorAt: (next: Progress | null): string | null =>
      next && sealValue(JSON.stringify({ ...next, request: digest, change, exp }), secret, PURPOSE),
    /** For the claims of what this request changes. */
    longChange: {
      id: change,
      isContinued: read !== undefined,
      isOver: (response: { cursor: string | null }) => response.cursor === null,
    },
  };
}

function readCursor(cursor: string, digest: string, tools: ServiceTools): Progress & { change: string } {
  const opened = openSealedValue(cursor, tools.signingSecrets, PURPOSE);
  const { data } = cursorSchema.safeParse(opened === null ? null : JSON.parse(opened));
  if (data === undefined || data.request !== digest || tools.nowSeconds >= data.exp) {
    const message = "is not a cursor of this request, or has expired; start again without one";
    throw invalidRequest([{ path: "cursor", message }]);
  }
  const { request: _, exp: __, ...progress } = data;
  return progress;
}
