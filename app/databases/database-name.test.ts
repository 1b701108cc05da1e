import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { databaseNameSchema } from "./database-name";

const normalize = (name: string) => databaseNameSchema.safeParse(name).data;

describe("a database's name", () => {
  it.each([
    ["orders", "orders"],
    ["My Orders", "my_orders"],
    [" a ", "_a_"],
    ["2026", "2026"],
    ["a".repeat(63), "a".repeat(63)],
  ])("%j becomes %j", (name, normalized) => {
    expect(normalize(name)).toBe(normalized);
  });

  it.each([
    "",
    "a".repeat(64),
    "postgres",
    "Postgres",
    "TEMPLATE0",
    "template1",
    "rdsadmin",
    "a-b",
    'a"b',
    "a'b",
    "a;b",
    "a\\b",
    "a\tb",
    "a\nb",
    "a\u0000b",
    "a\u00a0b",
    "café",
    // Lowercase, these two would be a plain k and an i.
    "\u212A",
    "\u0130",
  ])("%j is refused", (name) => {
    expect(normalize(name)).toBeUndefined();
  });

  it("is refused, or made of nothing but a to z, digits and underscores, and never longer or shorter than it was", () => {
    const near = fc.string({
      unit: fc.constantFrom(..."aZ09_ -\"'`;\\\u0000\u212A".split("")),
      maxLength: 70,
    });
    fc.assert(
      fc.property(fc.oneof(near, fc.string({ unit: "binary" })), (name) => {
        const normalized = normalize(name);
        if (normalized === undefined) return;
        expect(normalized).toMatch(/^[a-z0-9_]{1,63}$/);
        expect(normalized).toHaveLength(name.length);
        expect(normalize(normalized)).toBe(normalized);
      }),
      { numRuns: 2000 },
    );
  });
});
