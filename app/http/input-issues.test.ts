import { describe, expect, it } from "vitest";
import { campaignJobSchema } from "../campaigns/campaign-job.server";
import { formatMailbox } from "../email/email-address.server";
import { simpleEmailSchema } from "../email/simple-email.server";
import { chooseEmbedUrlSchema } from "../embed/issue-embed-url.server";
import { listSchema } from "../services/files/place/contract/storage-contract.server";
import { services } from "../services/registry.server";
import { AppError } from "../shared/app-error";
import { parseInput } from "./request-body.server";

type Schema = Parameters<typeof parseInput>[0];

/** What the caller of a request with this body is told. */
function judge(schema: Schema, body: unknown) {
  try {
    parseInput(schema, body);
    return { issues: [], bytes: 0 };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const issues = error.issues ?? [];
    return { issues, bytes: JSON.stringify(issues).length };
  }
}

const email = { to: "ada@example.com", title: "Hello", description: "Text" };
const job = {
  recipient: { email: "ada@example.com" },
  campaignId: "spring",
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
};
describe("issues", () => {
  it("are at most 50, and one that says how many more", () => {
    const { issues } = judge(campaignJobSchema, { ...job, events: Array(100).fill({}) });
    expect(issues).toHaveLength(51);
    expect(issues.at(-1)).toEqual({ path: "", message: "and 150 more issues" });
  });

  it("name ten unknown members, by at most 60 characters each", () => {
    const keys = Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 0]);
    const { issues } = judge(simpleEmailSchema, { ...email, ...Object.fromEntries(keys) });
    expect(issues).toEqual([
      { path: "", message: expect.stringMatching(/^must not have the members "k0", .* "k9" and 9990 more$/) },
    ]);
    expect(judge(simpleEmailSchema, { ...email, ["k".repeat(60_000)]: 0 }).bytes).toBeLessThan(150);
    expect(judge(simpleEmailSchema, { ...email, cc: 1 }).issues[0]?.message).toBe(
      'must not have the member "cc"',
    );
  });

  it("say of what is not there that it is required, and of the rest what is wrong with it", () => {
    expect(judge(simpleEmailSchema, { title: 1 }).issues).toEqual([
      { path: "to", message: "must be an e-mail address, or a list of 1 to 50 of them" },
      { path: "title", message: "must be a string, not a number" },
      { path: "description", message: "is required" },
    ]);
    expect(judge(campaignJobSchema, { ...job, recipient: {}, branding: undefined }).issues).toEqual([
      { path: "recipient.email", message: "is required" },
      { path: "branding", message: "is required" },
    ]);
    expect(judge(simpleEmailSchema, undefined).issues).toEqual([{ path: "", message: "is required" }]);
  });

  it("of odd JSON are few and plain", () => {
    const nested = JSON.parse("[".repeat(30_000) + "]".repeat(30_000));
    const members = ["to", "title", "description", "theme", "logoUrl", "siteName", "pdf"];
    for (const value of [
      nested,
      Number.POSITIVE_INFINITY,
      JSON.parse(`${"9".repeat(60_000)}`),
      -0,
      JSON.parse('{"__proto__": 1}'),
    ]) {
      for (const member of members) {
        const { issues, bytes } = judge(simpleEmailSchema, { ...email, [member]: value });
        expect(issues.length).toBeGreaterThan(0);
        expect(bytes).toBeLessThan(500);
      }
    }
    const body = JSON.parse(
      `{"service":"notif","scope":{"__proto__":{"polluted":1},"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}}`,
    );
    expect(judge(chooseEmbedUrlSchema(body, services), body).issues).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const list = { token: "t", bucket: "b", cursor: "\ud83d" };
    expect(judge(listSchema, list).issues.map(({ path }) => path)).toEqual(["cursor"]);
  });
});

describe("a mailbox with a long name", () => {
  it.each([
    ["漢".repeat(200)],
    ["a 🎉".repeat(60)],
    ['"'.repeat(200)],
    [`${"a".repeat(290)} ${"é".repeat(30)}`],
    [`${"a ".repeat(200)}`],
  ])("is cut as if one character after the other were taken away: %#", (name) => {
    const address = `${"a".repeat(64)}@example.com`;
    const mailbox = formatMailbox(name, address);
    expect(mailbox.length).toBeLessThanOrEqual(320);
    // One more character would not fit.
    const characters = Array.from(name);
    const kept = characters.findIndex(
      (_, count) => formatMailbox(characters.slice(0, count + 1).join(""), address) === mailbox,
    );
    expect(kept).toBeGreaterThan(0);
  });
});
