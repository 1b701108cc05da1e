import { afterEach, describe, expect, it, vi } from "vitest";
import { campaignJobSchema } from "../campaigns/campaign-job.server";
import { createClusterDatabaseSchema } from "../databases/create-database.server";
import { newCredentialSchema } from "../databases/credentials/database-credentials.server";
import { normalizeEmailAddress } from "../email/email-address.server";
import { simpleEmailSchema } from "../email/simple-email.server";
import { chooseEmbedUrlSchema } from "../embed/issue-embed-url.server";
import { embeddingOriginOf, hasShortHost } from "../embed/origin";
import { chooseDownloadSchema, listSchema } from "../services/files/place/contract/storage-contract.server";
import { presignUploadSchema } from "../services/files/place/contract/uploads-contract.server";
import { services } from "../services/registry.server";
import { AppError } from "../shared/app-error";
import { parseInput } from "./request-body.server";

type Schema = Parameters<typeof parseInput>[0];
/** A schema that our code chooses is chosen inside a test, so that the test fails where that goes wrong. */
type ChosenSchema = Schema | (() => Schema);

/** What the caller of a request with this body is told, and how many URLs were parsed until then. */
function judge(schema: ChosenSchema, body: unknown) {
  let parsedUrls = 0;
  const counted = new Proxy(URL, {
    construct: (target, [url, base]) => {
      parsedUrls++;
      return new target(url, base);
    },
    get: (target, name) => {
      if (name === "canParse" || name === "parse") parsedUrls++;
      return Reflect.get(target, name);
    },
  });
  vi.stubGlobal("URL", counted);
  try {
    parseInput(typeof schema === "function" ? schema() : schema, body);
    return { issues: [], paths: [], bytes: 0, parsedUrls };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const issues = error.issues ?? [];
    const bytes = JSON.stringify(issues).length;
    return { issues, paths: issues.map(({ path }) => path), bytes, parsedUrls };
  }
}

afterEach(() => vi.unstubAllGlobals());

const email = { to: "ada@example.com", title: "Hello", description: "Text" };
const job = {
  recipient: { email: "ada@example.com" },
  campaignId: "spring",
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
};
const upload = { token: "t", bucket: "b", folderPath: "/", fileName: "a", contentType: "text/plain" };
const list = { token: "t", bucket: "b" };
const database = { companyId: "c", name: "orders", region: "ca-central-1" };
const url = { service: "files", scope: { bucket: "b" } };
const url2000 = (host: string) => `https://${host}/`.padEnd(2000, "a");
const other = { service: "notif", scope: {} };

describe("a field at its limit is taken, and over it is named in one issue", () => {
  it.each<[field: string, schema: ChosenSchema, body: (length: number) => object, limit: number]>([
    ["title", simpleEmailSchema, (length) => ({ ...email, title: "a".repeat(length) }), 200],
    ["description", simpleEmailSchema, (length) => ({ ...email, description: "a".repeat(length) }), 20_000],
    ["siteName", simpleEmailSchema, (length) => ({ ...email, siteName: "a".repeat(length) }), 100],
    [
      "logoUrl",
      simpleEmailSchema,
      (length) => ({ ...email, logoUrl: "https://a/".padEnd(length, "a") }),
      2000,
    ],
    ["pdf[0]", simpleEmailSchema, (length) => ({ ...email, pdf: ["https://a/".padEnd(length, "a")] }), 2000],
    ["pdf", simpleEmailSchema, (length) => ({ ...email, pdf: Array(length).fill("https://a/") }), 20],
    ["to", simpleEmailSchema, (length) => ({ ...email, to: Array(length).fill("a@a.aa") }), 50],
    ["to", simpleEmailSchema, (length) => ({ ...email, to: "a@a.aa".padEnd(length, " ") }), 320],
    ["to[0]", simpleEmailSchema, (length) => ({ ...email, to: ["a@a.aa".padEnd(length, " ")] }), 320],
    [
      "featuredProducts",
      campaignJobSchema,
      (length) => ({ ...job, featuredProducts: Array(length).fill({ name: "a" }) }),
      100,
    ],
    [
      "events",
      campaignJobSchema,
      (length) => ({ ...job, events: Array(length).fill({ title: "a", date: "b" }) }),
      100,
    ],
    [
      "recipient.email",
      campaignJobSchema,
      (length) => ({ ...job, recipient: { email: "a@a.aa".padEnd(length, " ") } }),
      320,
    ],
    [
      "recipient.unsubscribeToken",
      campaignJobSchema,
      (length) => ({ ...job, recipient: { email: "a@a.aa", unsubscribeToken: "a".repeat(length) } }),
      500,
    ],
    ["campaignId", campaignJobSchema, (length) => ({ ...job, campaignId: "a".repeat(length) }), 200],
    [
      "branding.siteUrl",
      campaignJobSchema,
      (length) => ({ ...job, branding: { siteName: "N", siteUrl: "https://a/".padEnd(length, "a") } }),
      2000,
    ],
    [
      "service",
      () => chooseEmbedUrlSchema(other, services),
      (length) => ({ ...other, service: "a".repeat(length) }),
      64,
    ],
    [
      "scope.bucket",
      () => chooseEmbedUrlSchema(url, services),
      (length) => ({ ...url, scope: { bucket: "a".repeat(length) } }),
      255,
    ],
    [
      "scope.path",
      () => chooseEmbedUrlSchema(url, services),
      (length) => ({ ...url, scope: { bucket: "b", path: "/".padEnd(length, "a") } }),
      1024,
    ],
    [
      "folderPath",
      presignUploadSchema,
      (length) => ({ ...upload, folderPath: "/".padEnd(length, "a"), fileName: "" }),
      1024,
    ],
    ["fileName", presignUploadSchema, (length) => ({ ...upload, fileName: "a".repeat(length) }), 1023],
    [
      "contentType",
      presignUploadSchema,
      (length) => ({ ...upload, contentType: "a/".padEnd(length, "a") }),
      255,
    ],
    ["key", () => chooseDownloadSchema({}), (length) => ({ ...list, key: "a".repeat(length) }), 1024],
    ["cursor", listSchema, (length) => ({ ...list, cursor: "a".repeat(length) }), 4096],
    [
      "companyId",
      createClusterDatabaseSchema,
      (length) => ({ ...database, companyId: "a".repeat(length) }),
      200,
    ],
    ["name", createClusterDatabaseSchema, (length) => ({ ...database, name: "a".repeat(length) }), 63],
    ["name", newCredentialSchema, (length) => ({ name: "n".repeat(length) }), 200],
    ["region", createClusterDatabaseSchema, (length) => ({ ...database, region: "a".repeat(length) }), 100],
  ])("%s", (field, schema, body, limit) => {
    expect(judge(schema, body(limit)).paths).not.toContain(field);
    expect(judge(schema, body(limit + 1)).paths).toContain(field);
    // As long as a body can be, it is one issue and no other check ran on it.
    expect(judge(schema, body(60_000)).paths.filter((path) => path === field)).toHaveLength(1);
  });
});

describe("a field that is too long costs nothing more", () => {
  const cjk = String.fromCharCode(...Array.from({ length: 20_000 }, (_, at) => 0x4e00 + at)).repeat(4);
  it.each<[string, Schema, object]>([
    ["a logo's URL", simpleEmailSchema, { ...email, logoUrl: `https://${cjk}` }],
    [
      "a long host in a URL of a length that is taken",
      simpleEmailSchema,
      { ...email, logoUrl: `https://${cjk.slice(0, 1900)}` },
    ],
    ["the same without slashes", simpleEmailSchema, { ...email, logoUrl: `https:${cjk.slice(0, 1900)}` }],
    [
      "the same in hiding",
      simpleEmailSchema,
      { ...email, logoUrl: `\n ht\ttps:\\\n\\${cjk.slice(0, 1900)}` },
    ],
    [
      "a product's URL",
      campaignJobSchema,
      { ...job, featuredProducts: [{ name: "a", url: `https://${cjk}` }] },
    ],
  ])("%s is not parsed", (_name, schema, body) => {
    expect(judge(schema, body)).toMatchObject({ issues: [{}], parsedUrls: 0 });
  });

  it("an address with a long domain is refused before the domain is read", () => {
    // Split, a domain this long would be valid: so its length alone refuses it.
    const domain = `${"ü.".repeat(200)}example`;
    const matched = vi.spyOn(RegExp.prototype, "test");
    expect(normalizeEmailAddress(`a@${domain}`)).toBeNull();
    expect(matched).not.toHaveBeenCalled();
    matched.mockRestore();
  });

  it("the origin of a page with a long host is not parsed", () => {
    const parsed = vi.spyOn(URL, "canParse");
    const host = "é".repeat(16_000);
    expect(embeddingOriginOf(new Headers({ Referer: `https://${host}/` }))).toBeNull();
    expect(embeddingOriginOf(new Headers({ Origin: `https://${host}` }))).toBeNull();
    expect(parsed).not.toHaveBeenCalled();
    parsed.mockRestore();
    expect(embeddingOriginOf(new Headers({ Referer: `https://portal.example/${"a".repeat(2_000)}` }))).toBe(
      "https://portal.example",
    );
  });

  it("a host is long above 300 characters, however the URL is written", () => {
    const long = "a".repeat(301);
    for (const start of [
      "https://",
      "HTTP:",
      "https:/",
      "https:\\\\",
      " \u0000https:////",
      "ht\ntps:/\t/",
      "https://user:password@",
      "wss://",
    ]) {
      expect(hasShortHost(`${start}${long}/`), start).toBe(false);
      expect(hasShortHost(`${start}a.example/${long}?${long}#${long}`), start).toBe(true);
    }
    expect(hasShortHost(`mailto:${long}@a.example`)).toBe(true);
    expect(hasShortHost(url2000("a.example"))).toBe(true);
  });

  it("items beyond a list's limit are not parsed", () => {
    const wrong = Array(5_000).fill(`ftp://a.example/`);
    expect(judge(simpleEmailSchema, { ...email, pdf: wrong })).toMatchObject({
      paths: ["pdf"],
      parsedUrls: 0,
    });
    expect(judge(simpleEmailSchema, { ...email, to: Array(20_000).fill(1) }).issues).toHaveLength(1);
    expect(judge(campaignJobSchema, { ...job, events: Array(60_000).fill({}) }).bytes).toBeLessThan(8_000);
  });
});
