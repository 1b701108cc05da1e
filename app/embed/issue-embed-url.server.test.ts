import { describe, expect, it } from "vitest";
import { z } from "zod";
import { services } from "../services/registry.server";
import { verifyEmbedToken } from "./embed-token.server";
import {
  chooseEmbedUrlSchema,
  embedUrlSchemaFor,
  type IssueEmbedUrlRequest,
  issuedEmbedUrlSchema,
  issueEmbedUrl,
} from "./issue-embed-url.server";

const { files } = services;
const body = { service: "files", scope: { bucket: "docs" } };
const settings = {
  services,
  signingSecret: "a-secret-of-at-least-thirty-two-bytes",
  platformBaseUrl: "https://embed.example.com",
  nowSeconds: 1_000,
};
const client = {
  id: "client",
  companyId: "company",
  allowedServices: ["files", "notif", "nothing"],
  allowedOrigins: ["HTTPS://App.example.com:443", "https://*"],
  allowedScopes: { files: { buckets: ["docs"] } } as unknown,
};
/** What the body becomes, or the members with an issue. */
const judge = (json: unknown) => {
  const { data, error } = chooseEmbedUrlSchema(json, services).safeParse(json);
  return data ?? error?.issues.map(({ path }) => path.join("."));
};
const issue = (changes: Partial<IssueEmbedUrlRequest> = {}, clientChanges: Partial<typeof client> = {}) =>
  issueEmbedUrl(
    { service: "files", scope: { bucket: "docs" }, expiresInSeconds: 900, ...changes },
    { ...client, ...clientChanges },
    settings,
  );
const refused = (code: string, message: string) => expect.objectContaining({ code, message });

describe("the body of a request for an embed URL", () => {
  it("has a lifetime of 900 seconds unless it names one; more than 3600 counts as 3600", () => {
    const lifetimeOf = (expiresInSeconds?: unknown) => judge({ ...body, expiresInSeconds });
    expect(lifetimeOf()).toEqual({ ...body, expiresInSeconds: 900 });
    for (const [asked, given] of [
      [1, 1],
      [3600, 3600],
      [3601, 3600],
      [1e9, 3600],
    ]) {
      expect(lifetimeOf(asked)).toMatchObject({ expiresInSeconds: given });
    }
    for (const wrong of [0, -1, 1.5, "900", null]) expect(lifetimeOf(wrong)).toEqual(["expiresInSeconds"]);
  });

  it("has the scope of the service it names", () => {
    expect(judge({ ...body, scope: { bucket: "docs", path: "docs" } })).toEqual(["scope.path"]);
    expect(judge({ ...body, scope: { bucket: "docs", colour: "red" } })).toEqual(["scope"]);
    expect(judge({ ...body, scope: undefined })).toEqual(["scope"]);
  });

  it("has any scope for a service that is not enabled, and says nothing of which there are", () => {
    for (const service of ["notif", "nothing", "toString"]) {
      expect(judge({ service, scope: { a: 1 } })).toEqual({
        service,
        scope: { a: 1 },
        expiresInSeconds: 900,
      });
    }
    expect(judge({ service: "notif", scope: "all" })).toEqual(["scope"]);
    expect(judge({ service: ["files"], scope: { a: 1 } })).toEqual(["service"]);
  });

  it("has nothing else", () => {
    expect(judge({ ...body, extra: 1 })).toEqual([""]);
    expect(judge({ service: "notif", scope: {}, extra: 1 })).toEqual([""]);
  });

  it.each([null, undefined, 1, "service", [], {}, { service: 1 }, { service: "" }, { service: null }])(
    "is no %j",
    (json) => {
      expect(judge(json)).toEqual(expect.arrayContaining([expect.stringMatching(/^(service|)$/)]));
    },
  );

  it("is described once for each service", () => {
    expect(embedUrlSchemaFor(files)).toBe(embedUrlSchemaFor(files));
    expect(embedUrlSchemaFor(files).safeParse({ ...body, service: "notif" }).success).toBe(false);
  });
});

describe("an embed URL", () => {
  it("is the platform's address of the service, with a token of what the client may do", () => {
    const issued = issue({ expiresInSeconds: 60 });
    const [address, token] = issued.url.split("?t=");
    expect(address).toBe("https://embed.example.com/embed/files");
    expect(verifyEmbedToken(String(token), [settings.signingSecret], 1_000)).toEqual({
      cid: "client",
      companyId: "company",
      svc: "files",
      scope: { bucket: "docs" },
      origins: ["https://app.example.com"],
      iat: 1_000,
      exp: 1_060,
    });
    expect(issued).toEqual({ url: issued.url, expiresAt: 1_060, service: "files" });
    expect(issuedEmbedUrlSchema.parse(issued)).toEqual(issued);
    expect(issuedEmbedUrlSchema.safeParse({ ...issued, expiresAt: 1.5 }).success).toBe(false);
  });

  it("is refused for a service that the key may not use", () => {
    const notAllowed = (allowed: string) =>
      refused(
        "service_not_allowed",
        `This API key may not use that service. Services that it may use: ${allowed}.`,
      );
    expect(() => issue({}, { allowedServices: ["notif"] })).toThrow(notAllowed("notif"));
    expect(() => issue({ service: "notif" }, { allowedServices: ["files"] })).toThrow(notAllowed("files"));
    expect(() => issue({}, { allowedServices: [] })).toThrow(notAllowed("none"));
  });

  it.each(["notif", "nothing"])("is refused for a service that is not enabled: %s", (service) => {
    expect(() => issue({ service })).toThrow(
      refused("service_not_enabled", "That service is not enabled yet. Enabled services: files, activity."),
    );
  });

  it("names every service that is enabled", () => {
    const more = { files, second: { ...files, key: "second", scopeSchema: z.object({}) }, notif: null };
    expect(() =>
      issueEmbedUrl({ service: "notif", scope: {}, expiresInSeconds: 1 }, client, {
        ...settings,
        services: more,
      }),
    ).toThrow(
      refused("service_not_enabled", "That service is not enabled yet. Enabled services: files, second."),
    );
  });

  it.each([null, undefined, "x", {}])("is refused where the client's policies are %j", (allowedScopes) => {
    expect(() => issue({}, { allowedScopes })).toThrow(
      expect.objectContaining({
        code: "scope_not_allowed",
        message: "This API key has no policy for files.",
        logDetail: "allowed_scopes.files is missing",
      }),
    );
  });

  it.each([
    { files: { buckets: "docs" } },
    { files: null },
    // With "path" ignored, the token would reach the whole bucket.
    { files: { buckets: ["docs"], path: ["/a"] } },
    { files: { buckets: ["docs"], uploadfolders: ["/in"] } },
  ])("is refused where a policy is not valid: %j", (allowedScopes) => {
    expect(() => issue({}, { allowedScopes })).toThrow(
      expect.objectContaining({
        code: "scope_not_allowed",
        message: expect.stringMatching(/^This API key's policy for files is not valid\. npm run doctor/),
        logDetail: "allowed_scopes.files is invalid",
      }),
    );
  });

  it("is refused for what lies outside the policy", () => {
    expect(() => issue({ scope: { bucket: "other" } })).toThrow(
      expect.objectContaining({ code: "scope_not_allowed" }),
    );
  });
});

describe("the origins of a token", () => {
  const many = Array.from({ length: 300 }, (_, index) => `https://customer-${index}.portal.example`);
  const originsIn = ({ url }: { url: string }) =>
    verifyEmbedToken(String(new URL(url).searchParams.get("t")), [settings.signingSecret], 1_000).origins;

  it("are the one that was asked for, however it is written", () => {
    const issued = issue({ origin: "HTTPS://Customer-7.portal.example:443" }, { allowedOrigins: many });
    expect(originsIn(issued)).toEqual(["https://customer-7.portal.example"]);
    expect(issued.url.length).toBeLessThan(500);
  });

  it("are none but the client's own", () => {
    for (const origin of ["https://evil.example", "https://app.example.com.evil.example", "*", "null", ""]) {
      expect(() => issue({ origin })).toThrow(
        refused("origin_not_allowed", expect.stringContaining("is not one of this API key's")),
      );
    }
  });

  it("make no URL that servers would refuse, and the refusal names the way out", () => {
    expect(() => issue({}, { allowedOrigins: many })).toThrow(
      refused("invalid_request", expect.stringContaining('Set "origin" to the page\'s origin')),
    );
  });
});
