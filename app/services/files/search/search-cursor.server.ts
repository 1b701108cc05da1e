import { z } from "zod";
import { invalidRequest } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import type { KeyRange } from "./split-range";
import { LANES } from "./walk-keys.server";

const PURPOSE = "files-search";
/** characters; what can be read again, and far above what keys of ordinary length need */
export const LONGEST_CURSOR = 30_000;

const cursorSchema = z.object({
  bucket: z.string(),
  prefix: z.string(),
  query: z.string(),
  ranges: z
    .array(z.tuple([z.string(), z.string().nullable()]))
    .min(1)
    .max(LANES * 2),
});

/** Which search a cursor goes on with. */
export interface SearchPlace {
  bucket: string;
  /** what the keys begin with */
  prefix: string;
  query: string;
}

/** Where a search goes on: what it has still to look at, signed, so that nothing is kept on our side and nobody makes up ranges for us to list. */
export function signCursor(place: SearchPlace, ranges: readonly KeyRange[], tools: ServiceTools): string {
  const [secret = ""] = tools.signingSecrets;
  const { length } = place.prefix;
  const sign = (some: readonly KeyRange[]) => {
    const bare = some.map(({ after, last }) => [
      after.slice(length),
      last === null ? null : last.slice(length),
    ]);
    return signValue({ ...place, ranges: bare }, secret, PURPOSE);
  };
  const cursor = sign(ranges);
  if (cursor.length <= LONGEST_CURSOR) return cursor;
  // Keys of a thousand odd characters each: one range over all of them then, of which some is looked at twice.
  return sign([{ after: ranges[0]?.after ?? "", last: ranges.at(-1)?.last ?? null }]);
}

/** @throws AppError `invalid_request` when we did not sign it, or for another search */
export function readCursor(cursor: string, place: SearchPlace, tools: ServiceTools): KeyRange[] {
  const { data } = cursorSchema.safeParse(readSignedValue(cursor, tools.signingSecrets, PURPOSE));
  const { bucket, prefix, query } = place;
  if (data === undefined || data.bucket !== bucket || data.prefix !== prefix || data.query !== query) {
    throw invalidRequest([{ path: "cursor", message: "is not what this search returned" }]);
  }
  return data.ranges.map(([after, last]) => ({
    after: after && prefix + after,
    last: last === null ? null : prefix + last,
  }));
}
