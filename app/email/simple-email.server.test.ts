import { describe, expect, it } from "vitest";
import { z } from "zod";
import { simpleEmailSchema } from "./simple-email.server";

const issues = (changes: object) => {
  const body = { to: "ada@example.com", title: "Hello", description: "Some text", ...changes };
  const { error } = simpleEmailSchema.safeParse(body);
  return error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];
};

describe("a simple e-mail's body", () => {
  it("has one limit for its title: in the schema, and in the error, however long the title is", () => {
    expect(issues({ title: `${"x".repeat(100)}\n${" ".repeat(300)}${"x".repeat(99)}` })).toEqual([]);
    for (const length of [201, 2_000, 2_001, 50_000])
      expect(issues({ title: "x".repeat(length) })).toEqual(["title: must have at most 200 characters"]);
    const { $defs } = z.toJSONSchema(simpleEmailSchema, { io: "input", unrepresentable: "any" });
    const { properties } = $defs?.SimpleEmail ?? {};
    expect(properties?.title).toMatchObject({ type: "string", maxLength: 200 });
    expect(properties?.siteName).toMatchObject({ type: "string", maxLength: 100 });
  });

  it("takes one PDF's address in place of a list, and nothing else", () => {
    const pdf = "https://files.example/a.pdf";
    const parsed = simpleEmailSchema.parse({ to: "a@b.example", title: "t", description: "d", pdf });
    expect(parsed.pdf).toEqual([pdf]);
    for (const wrong of [{ url: pdf }, 5, true, [[pdf]], [{ url: pdf }]])
      expect(issues({ pdf: wrong })).toEqual([expect.stringMatching(/^pdf/)]);
  });

  it("counts an empty theme, language or address for a picture as none", () => {
    const none = { theme: "", locale: "", logoUrl: "", siteName: "", replyTo: "", pdf: [] };
    const body = { to: "a@b.example", title: "t", description: "d" };
    expect(simpleEmailSchema.parse({ ...body, ...none })).toEqual(simpleEmailSchema.parse(body));
    expect(simpleEmailSchema.parse(body).theme).toBe("blue");
  });

  it("says how a name is written beside an address", () => {
    expect(issues({ to: ["Ada, Eve <ada@example.com>"] })).toEqual([
      "to.0: must be like ada@example.com or Ada <ada@example.com>; a name with any of , : ; @ [ ] goes in quotes",
    ]);
    expect(issues({ replyTo: "nobody" })).toEqual([
      "replyTo: must be an e-mail address, like ada@example.com",
    ]);
  });

  it("takes tags as SES does", () => {
    const rule = "must be 1 to 256 ASCII letters, digits, _ and -";
    const longest = "a".repeat(256);
    expect(issues({ tags: { mail: "welcome", [longest]: longest, "A_b-9": "0" } })).toEqual([]);
    for (const value of ["", "a b", "é", "a.b", "a\n", `${longest}a`]) {
      expect(issues({ tags: { mail: value } })).toEqual([`tags.mail: ${rule}`]);
      expect(issues({ tags: { [value]: "x" } })).toEqual([
        `tags.${value}: is not a valid tag name: it ${rule}`,
      ]);
    }
    expect(issues({ tags: { mail: 5 } })[0]).toMatch(/^tags\.mail: /);
    expect(issues({ tags: ["mail"] })[0]).toMatch(/^tags: /);
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`t${index}`, "x"]));
    expect(issues({ tags: eleven })).toEqual(["tags: must be at most 10 tags"]);
  });
});
