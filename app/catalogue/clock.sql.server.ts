import { sql } from "../providers/sql.server";

/**
 * A moment by the database's clock: `as_of` of a row, and when the store was asked. As text, because a `Date` has no microseconds. Only these
 * tell apart what was asked before a change and after it.
 */
export type Moment = string;

/** The current moment. */
export const CLOCK = sql`to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
