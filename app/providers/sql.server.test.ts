import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkRows, joinSql, rawSql, sql } from "./sql.server";

describe("a statement", () => {
  it("has its values as parameters, and parts as its own text", () => {
    const conditions = [sql`name = ${"O'Neil"}`, sql`size > ${5}`];
    const statement = sql`SELECT * FROM ${rawSql("files")} WHERE ${joinSql(conditions, " AND ")}`;
    expect(statement.text).toBe("SELECT * FROM files WHERE name = $1 AND size > $2");
    expect(statement.values).toEqual(["O'Neil", 5]);
  });
});

describe("rows", () => {
  const row = z.object({ id: z.string(), count: z.int() });

  it("are returned as their schema declares them", () => {
    expect(checkRows([{ id: "a", count: 1, more: true }], row)).toEqual([{ id: "a", count: 1 }]);
    expect(checkRows([], row)).toEqual([]);
  });

  it("that are not as declared are an error that names the columns, and no values", () => {
    const check = () =>
      checkRows(
        [
          { id: "a", count: 1 },
          { id: "ada@example.com", count: "secret" },
        ],
        row,
      );
    expect(check).toThrow(/^A statement has returned an unexpected row\..*count/s);
    expect(check).not.toThrow(/secret|ada@example/);
  });
});
