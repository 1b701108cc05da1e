import { z } from "zod";
import type { Database } from "../../providers/database.server";
import { readUsageDays } from "./usage-days.sql.server";

/** The most days of one response: two years. */
const MAX_DAYS = 732;

const day = z.iso.date().describe("like 2026-11-29, UTC");
/** PostgreSQL has no year 0. */
const askedDay = z.iso
  .date({ abort: true })
  .refine((text) => text >= "1970-01-01", "must be in the years 1970 to 9999");
const bytes = z.int().describe("bytes");

/** The query of `GET /api/usage`. */
export const usageQuerySchema = z.object({
  bucket: z.string().min(1).max(255),
  path: z
    .string()
    .max(1_024)
    .startsWith("/", "must begin with a slash")
    .transform((path) => (path === "/" ? path : path.replace(/\/$/, "")))
    .default("/")
    .describe("a folder that a policy names; the whole bucket by default"),
  from: askedDay.optional().describe("the first day; like 2026-11-01, UTC"),
  to: askedDay.optional().describe("the last day"),
});
export type UsageQuery = z.output<typeof usageQuerySchema>;

export const usageSchema = z.object({
  days: z.array(
    z
      .object({
        day,
        objects: z.int().describe("current objects"),
        bytes,
        versionBytes: bytes.nullable().describe("bytes of older versions; null: not counted"),
        unfinishedBytes: bytes.nullable().describe("bytes of unfinished uploads; null: not counted"),
      })
      .meta({ id: "UsageDay" }),
  ),
});

/** What a folder held on some days, oldest first: the newest two years of them. A day without a row is missing. */
export async function listUsage(
  database: Pick<Database, "$driverQuery">,
  { bucket, path, from, to }: UsageQuery,
): Promise<z.input<typeof usageSchema>> {
  return { days: await readUsageDays(database, { bucket, path }, { from, to, limit: MAX_DAYS }) };
}
