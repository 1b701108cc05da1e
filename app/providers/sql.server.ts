import { z } from "zod";
import { Prisma } from "../../prisma/generated/client";

/** A statement with its values, or a part of one. */
export type Sql = Prisma.Sql;

/**
 * - `sql` makes a statement, or a part of one. What stands in `${}` becomes a parameter, unless it is `Sql` itself.
 * - `joinSql` joins parts, by commas unless told otherwise.
 * - `rawSql` makes a part of a text of our own, such as the name of a table. Never of what a caller has sent.
 */
export const { sql, join: joinSql, raw: rawSql } = Prisma;

/** The current time, as columns of this database have it. */
export const NOW = sql`(now() AT TIME ZONE 'UTC')`;

/** A `bigint` or `numeric` that the statement casts to text, because drivers read these differently. Exact up to 2^53. */
export const numberFromText = z.string().transform(Number);

/** A row is not what the statement and the code that reads it agree on. The message names the columns, without their values. */
export class UnexpectedRowError extends Error {
  override readonly name = "UnexpectedRowError";
}

/** @throws UnexpectedRowError if a row is not as `row` says */
export function checkRows<Row extends object>(rows: readonly object[], row: z.ZodType<Row>): Row[] {
  return rows.map((found) => {
    const { success, data, error } = row.safeParse(found);
    if (!success)
      throw new UnexpectedRowError(`A statement has returned an unexpected row. ${z.prettifyError(error)}`);
    return data;
  });
}
