import { beforeAll, describe, expect, inject, it } from "vitest";
import { verifyEmbedToken } from "../../app/embed/embed-token.server";
import {
  databaseOf,
  issueEmbedUrl,
  makeEmbedClient,
  postEmbedUrl,
  type TestEmbedClient,
} from "../support/app/embed-client";

const stack = inject("stack");
let client: TestEmbedClient;
beforeAll(async () => {
  client = await makeEmbedClient(stack);
});

const request = (changes: object = {}) => ({
  service: "files",
  scope: { bucket: client.bucket },
  ...changes,
});
const answerTo = async (body: unknown, apiKey: string | null = client.apiKey) => {
  const response = await postEmbedUrl(stack, apiKey, body);
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe("POST /api/embed/url", () => {
  it("returns a URL on the platform, its service and its expiry", async () => {
    const before = nowSeconds();
    const { status, headers, body } = await answerTo(request());
    expect(status).toBe(200);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(headers.get("X-Request-Id")).toBeTruthy();
    expect(Object.keys(body).sort()).toEqual(["expiresAt", "service", "url"]);
    expect(body.service).toBe("files");
    expect(body.url).toMatch(`${stack.platformBaseUrl}/embed/files?t=`);
    expect(body.expiresAt).toBeGreaterThanOrEqual(before + 900);
    expect(body.expiresAt).toBeLessThanOrEqual(nowSeconds() + 900);
  });

  it("signs the client, the scope and the allowed origins", async () => {
    const { token, expiresAt } = await issueEmbedUrl(stack, client);
    const payload = verifyEmbedToken(token, [stack.embedSigningSecret], nowSeconds());
    expect(payload).toMatchObject({
      cid: client.id,
      svc: "files",
      scope: { bucket: client.bucket },
      origins: [stack.demoClient.origin],
      exp: expiresAt,
    });
    expect(payload.companyId).not.toBe("");
  });

  it.each([
    [1, 1],
    [60, 60],
    [3600, 3600],
    [3601, 3600],
    [1_000_000, 3600],
    [1e20, 3600],
  ])("lets a token asked for %d s live for %d s", async (expiresInSeconds, lifetime) => {
    const { token } = await issueEmbedUrl(stack, client, { expiresInSeconds });
    const { iat, exp } = verifyEmbedToken(token, [stack.embedSigningSecret], nowSeconds() - 1);
    expect(exp - iat).toBe(lifetime);
  });

  it.each([0, -1, 1.5, "60", true])("refuses expiresInSeconds of %j", async (expiresInSeconds) => {
    const { status, body } = await answerTo(request({ expiresInSeconds }));
    expect(status).toBe(400);
    expect(body.code).toBe("invalid_request");
    expect(body.issues).toMatchObject([{ path: "expiresInSeconds" }]);
  });

  it("reads a number that is too large for JavaScript as the largest lifetime", async () => {
    const response = await fetch(`${stack.apiBaseUrl}/api/embed/url`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
      body: JSON.stringify(request({ expiresInSeconds: 0 })).replace(/0\}$/, "1e400}"),
    });
    expect(response.status).toBe(200);
    const { expiresAt } = await response.json();
    expect(expiresAt).toBeGreaterThan(nowSeconds() + 3500);
  });

  it("takes null in an optional member for none, at any depth, and in a required one for a missing one", async () => {
    const scope = { bucket: client.bucket, path: null, uploadFolder: null, limits: { maxFileBytes: null } };
    const optional = { expiresInSeconds: null, origin: null, visitor: { id: "ada", name: null }, scope };
    const { status, body } = await answerTo(request(optional));
    expect(status).toBe(200);
    const token = new URL(body.url).searchParams.get("t") ?? "";
    const payload = verifyEmbedToken(token, [stack.embedSigningSecret], nowSeconds());
    expect(payload).toMatchObject({ visitor: { id: "ada" }, scope: { bucket: client.bucket } });
    expect(payload.exp - payload.iat).toBe(900);
    const without = await answerTo(request({ scope: { bucket: null } }));
    expect(without.body.issues).toEqual([{ path: "scope.bucket", message: "is required" }]);
    expect((await answerTo(request({ visitor: { id: null } }))).status).toBe(400);
  });

  it("lists all errors of a body", async () => {
    const { status, body } = await answerTo({
      service: "files",
      scope: { path: "docs/", uploadFolder: "/../x", bukcet: "b" },
      expiresInSeconds: 0,
      extra: 1,
    });
    expect(status).toBe(400);
    const paths = body.issues.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual([
      "",
      "expiresInSeconds",
      "scope",
      "scope.bucket",
      "scope.path",
      "scope.uploadFolder",
    ]);
  });

  it.each([[{}], [[]], [null], ["files"], [{ service: 1, scope: {} }], [{ service: "files", scope: "b" }]])(
    "refuses the body %j",
    async (body) => {
      expect(await answerTo(body)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
    },
  );

  it("gives the same response for a missing, malformed, mistyped, unknown or revoked key", async () => {
    const revoked = await makeEmbedClient(stack);
    await databaseOf(stack).embedClient.update({
      where: { id: revoked.id },
      data: { revokedAt: new Date() },
    });
    const mistyped = `${client.apiKey.slice(0, -1)}${client.apiKey.endsWith("0") ? "1" : "0"}`;
    const keys = [null, "x", "k".repeat(5000), mistyped, `pek_${"0".repeat(49)}`, revoked.apiKey];
    const answers = await Promise.all(keys.map((key) => answerTo(request(), key)));
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual(answers[0]?.body);
      expect(body.code).toBe("invalid_api_key");
    }
  });

  it("accepts a key whose hash is stored in upper case", async () => {
    const { id, apiKey } = await makeEmbedClient(stack);
    const { apiKeyHash } = await databaseOf(stack).embedClient.findUniqueOrThrow({ where: { id } });
    const data = { apiKeyHash: apiKeyHash.toUpperCase() };
    await databaseOf(stack).embedClient.update({ where: { id }, data });
    expect((await answerTo(request(), apiKey)).status).toBe(200);
  });

  it("says that no page could show the frame if none of the key's origins is one", async () => {
    const { id, apiKey } = await makeEmbedClient(stack);
    const store = (allowedOrigins: string[]) =>
      databaseOf(stack).embedClient.update({ where: { id }, data: { allowedOrigins } });
    await store(["https://x.example/app", "*"]);
    const { status, body } = await answerTo(request(), apiKey);
    expect([status, body.code]).toEqual([403, "origin_not_allowed"]);
    expect(body.error).toContain("none of this API key's allowed origins is an origin");
    const other = await makeEmbedClient(stack);
    const data = { allowedOrigins: [" https://x.example ", "https://x.example/app"] };
    await databaseOf(stack).embedClient.update({ where: { id: other.id }, data });
    const issued = await answerTo(request(), other.apiKey);
    const token = new URL(issued.body.url).searchParams.get("t") ?? "";
    expect(verifyEmbedToken(token, [stack.embedSigningSecret], nowSeconds()).origins).toEqual([
      "https://x.example",
    ]);
  });

  it("accepts a key of any form whose hash is stored", async () => {
    const { createHash } = await import("node:crypto");
    const other = await makeEmbedClient(stack);
    const raw = "made-elsewhere-0123456789";
    await databaseOf(stack).embedClient.update({
      where: { id: other.id },
      data: { apiKeyHash: createHash("sha256").update(raw).digest("hex") },
    });
    expect((await answerTo(request(), raw)).status).toBe(200);
    expect((await answerTo(request(), other.apiKey)).status).toBe(401);
  });

  it("refuses a revoked key within 5 seconds", async () => {
    const other = await makeEmbedClient(stack);
    expect((await answerTo(request(), other.apiKey)).status).toBe(200);
    await databaseOf(stack).embedClient.update({ where: { id: other.id }, data: { revokedAt: new Date() } });
    const status = async () => (await answerTo(request(), other.apiKey)).status;
    // Two seconds more, for a busy machine.
    await expect.poll(status, { timeout: 7_000, interval: 200 }).toBe(401);
  });

  it("distinguishes services that are not allowed from services that are not enabled", async () => {
    const other = await makeEmbedClient(stack, { services: ["files", "notif", "tasks"] });
    const ask = (service: string, key: string) => answerTo({ service, scope: {} }, key);
    expect(await ask("notif", other.apiKey)).toMatchObject({
      status: 403,
      body: { code: "service_not_enabled" },
    });
    expect(await ask("tasks", other.apiKey)).toMatchObject({
      status: 403,
      body: { code: "service_not_enabled" },
    });
    expect(await ask("notif", client.apiKey)).toMatchObject({
      status: 403,
      body: { code: "service_not_allowed" },
    });
    expect(await ask("mail", client.apiKey)).toMatchObject({
      status: 403,
      body: { code: "service_not_allowed" },
    });
  });

  it("refuses a bucket or folder outside the client's policy", async () => {
    const other = await makeEmbedClient(stack, { files: { paths: ["/docs"] } });
    for (const scope of [{ bucket: "another" }, { bucket: other.bucket, path: "/docs-old" }]) {
      expect(await answerTo({ service: "files", scope }, other.apiKey)).toMatchObject({
        status: 403,
        body: { code: "scope_not_allowed" },
      });
    }
    const { token } = await issueEmbedUrl(stack, other);
    const { scope } = verifyEmbedToken(token, [stack.embedSigningSecret], nowSeconds());
    expect(scope).toEqual({ bucket: other.bucket, path: "/docs" });
  });
});
