import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { invalidRequest } from "../../../shared/app-error";

const PURPOSE = "files-search";

const positionSchema = z.object({
  /** folders listed in part: what their keys start with, and the last key that was looked at */
  open: z.array(z.tuple([z.string(), z.string()])),
  /** the first subfolder whose keys have not been listed; null when there is none */
  next: z.string().nullable(),
});

const cursorSchema = positionSchema.extend({ bucket: z.string(), prefix: z.string(), query: z.string() });

/** How far a search has come. */
export type Position = z.infer<typeof positionSchema>;

/** Identifies the search that a cursor belongs to. */
export interface Search {
  bucket: string;
  /** what all keys start with */
  prefix: string;
  query: string;
}

/** Signed, so that no state is kept on the server and no caller can make the server list another folder. */
export function signCursor(search: Search, position: Position, tools: ServiceTools): string {
  const [secret] = tools.signingSecrets;
  return signValue({ ...search, ...position }, secret, PURPOSE);
}

/** @throws AppError `invalid_request` when the cursor was not signed by us, or belongs to another search */
export function readCursor(cursor: string, search: Search, tools: ServiceTools): Position {
  const { data } = cursorSchema.safeParse(readSignedValue(cursor, tools.signingSecrets, PURPOSE));
  const { bucket, prefix, query } = search;
  if (data === undefined || data.bucket !== bucket || data.prefix !== prefix || data.query !== query) {
    throw invalidRequest([{ path: "cursor", message: "is not what this search returned" }]);
  }
  return { open: data.open, next: data.next };
}
