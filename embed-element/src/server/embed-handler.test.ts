import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  API_KEY,
  ISSUED,
  startTestPlatform,
  type TestPlatform,
} from "../../../tests/support/integrator/test-platform.js";
import { createEmbedHandler, type EmbedHandlerOptions } from "./embed-handler.js";

let platform: TestPlatform;
let errors: unknown[];
beforeEach(async () => {
  platform = await startTestPlatform();
  errors = [];
});
afterEach(() => platform.close());

const ADDRESS = "https://portal.example/embed-url";
const OWN = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };

function handle(
  options: Partial<EmbedHandlerOptions<{ user?: string }>> = {},
  { headers = OWN, ...init }: RequestInit = {},
  context: { user?: string } = { user: "ada" },
): Promise<Response> {
  const handler = createEmbedHandler<{ user?: string }>({
    apiBaseUrl: platform.apiBaseUrl,
    apiKey: API_KEY,
    scope: (_, { user }) => (user ? { bucket: "b", path: `/${user}` } : null),
    onError: (error) => errors.push(error),
    ...options,
  });
  return handler(new Request(ADDRESS, { method: "POST", headers, ...init }), context);
}

async function outcome(response: Promise<Response>) {
  const { status, headers } = await response;
  const text = await (await response).text();
  expect(text).not.toContain(API_KEY);
  expect(headers.get("Cache-Control")).toBe("no-store");
  return { status, ...JSON.parse(text) };
}

test("issues what the visitor may see, whatever the page would like", async () => {
  const body = JSON.stringify({ service: "files", scope: { bucket: "everything" }, reason: "initial" });
  expect(await outcome(handle({ expiresInSeconds: 60 }, { body }))).toEqual({ status: 200, ...ISSUED });
  expect(platform.received[0]?.body).toEqual({
    service: "files",
    scope: { bucket: "b", path: "/ada" },
    expiresInSeconds: 60,
  });
});

test("names the visitor, if there is one", async () => {
  await handle({ visitor: async (_, { user = "" }) => ({ id: user, name: "Ada" }) });
  expect(platform.received[0]?.body).toMatchObject({ visitor: { id: "ada", name: "Ada" } });
  await handle({ visitor: () => null });
  expect(platform.received[1]?.body).not.toHaveProperty("visitor");
});

test("lets scope read what the page sent", async () => {
  const scope = async (request: Request) => ({ bucket: "b", path: (await request.json()).scope.path });
  await handle({ scope }, { body: JSON.stringify({ service: "files", scope: { path: "/invoices" } }) });
  expect(platform.received[0]?.body).toMatchObject({ scope: { path: "/invoices" } });
});

test.each([null, undefined, false] as const)("says 401 to who may see %s", async (decision) => {
  const decided = handle({ scope: () => decision });
  expect(await outcome(decided)).toMatchObject({ status: 401, code: "not_signed_in" });
  expect(platform.received).toEqual([]);
});

test("refuses a scope with an undefined member, which would open the whole bucket, and names the member", async () => {
  const reply = await outcome(handle({ scope: () => ({ bucket: "b", path: undefined }) }));
  expect(reply).toMatchObject({ status: 502, code: "configuration_invalid" });
  expect(reply.error).toMatch(/scope.path is undefined. Without it.*the whole bucket/);
  const bucket = process.env.NOT_SET as string;
  expect((await outcome(handle({ scope: () => ({ bucket }) }))).error).toBe(
    "scope.bucket is undefined. It is required. Is its environment variable set?",
  );
  const limits = { maxFileBytes: undefined as unknown as number };
  expect(await outcome(handle({ scope: () => ({ bucket: "b", limits }) }))).toMatchObject({
    status: 502,
    code: "configuration_invalid",
    error: expect.stringContaining("scope.limits.maxFileBytes is undefined"),
  });
  const tooLarge = { maxFileBytes: 10n as unknown as number };
  expect(await outcome(handle({ scope: () => ({ bucket: "b", limits: tooLarge }) }))).toMatchObject({
    status: 502,
    code: "configuration_invalid",
    error: expect.stringContaining("cannot be written as JSON"),
  });
  expect(platform.received).toEqual([]);
});

test("says nothing of why scope failed, but to the log", async () => {
  const failure = new Error("connect ECONNREFUSED db.internal");
  const reply = await outcome(handle({ scope: () => Promise.reject(failure) }));
  expect(reply).toEqual({ status: 500, code: "failed", error: "This server failed; its log says why." });
  expect(errors).toEqual([failure]);
});

test("knows one method, and one service", async () => {
  const other = await handle({}, { method: "PUT" });
  expect([other.status, other.headers.get("Allow")]).toEqual([405, "POST"]);
  const body = JSON.stringify({ service: "tasks" });
  expect(await outcome(handle({}, { body }))).toMatchObject({ status: 403, code: "service_not_allowed" });
  expect(String(errors)).toContain('asks for the service "tasks", and this endpoint is for "files"');
});

describe("a page of another site", () => {
  test.each([
    [{ "Sec-Fetch-Site": "cross-site", Origin: "https://portal.example" }],
    [{ "Sec-Fetch-Site": "same-site", Origin: "https://evil.portal.example" }],
    [{ Origin: "https://evil.example" }],
    [{ Origin: "null" }],
    [{ Origin: "https://portal.example.evil" }],
    [{ Origin: "https://portal.example:8443" }],
  ])("is refused: %j", async (headers) => {
    expect(await outcome(handle({}, { headers }))).toMatchObject({ status: 403, code: "cross_site" });
    expect(String(errors[0])).toContain("add it to origins");
    expect(platform.received).toEqual([]);
  });

  test.each<[Record<string, string>]>([
    [{ Origin: "https://portal.example" }],
    [{ Origin: "https://portal.example", "X-Forwarded-Host": "portal.example, inner" }],
    [{ "Sec-Fetch-Site": "same-site", Origin: "https://app.example" }],
    [{ "Sec-Fetch-Site": "cross-site", Origin: "https://app.example" }],
    [{}],
  ])("is none: %j", async (headers) => {
    const reply = handle({ origins: ["https://app.example/"] }, { headers });
    expect(await outcome(reply)).toMatchObject({ status: 200 });
  });
});

test("never lets a wrong key look like a visitor's lapsed session", async () => {
  const error = { error: "The API key is missing, malformed, unknown or revoked.", code: "invalid_api_key" };
  platform.responds = { status: 401, body: error };
  expect(await outcome(handle())).toEqual({
    status: 502,
    code: "invalid_api_key",
    error: expect.stringContaining("does not know this server's API key: it is mistyped"),
    requestId: "request-1",
  });
  expect(errors[0]).toMatchObject({ code: "invalid_api_key", message: error.error });
});

test("passes on when to try again, and that it may help", async () => {
  platform.responds = { status: 503, body: { error: "Busy." }, headers: { "Retry-After": "3" } };
  const reply = await handle();
  expect([reply.status, reply.headers.get("Retry-After")]).toEqual([503, "3"]);
  platform.responds = "silent";
  expect(await outcome(handle({ timeoutMs: 30 }))).toMatchObject({ status: 503, code: "platform_timeout" });
});

test("reports nothing when the page was left", async () => {
  platform.responds = "silent";
  expect((await handle({}, { signal: AbortSignal.timeout(30) })).status).toBe(503);
  expect(errors).toEqual([]);
});

test("survives a log that fails", async () => {
  const onError = () => {
    throw new Error("The log is full.");
  };
  expect(await outcome(handle({ onError, scope: () => Promise.reject(new Error()) }))).toMatchObject({
    status: 500,
  });
});

test("names a setting that is missing when the process starts, which continues without it", async () => {
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const handle = createEmbedHandler({
    apiBaseUrl: "https://api.example",
    apiKey: "",
    scope: () => ({ bucket: "b" }),
    onError,
  });
  expect(String(failures)).toContain("apiKey is empty");

  const response = await handle(new Request("https://site.example/embed-url", { method: "POST" }));
  expect([response.status, await response.json()]).toMatchObject([
    502,
    { code: "configuration_invalid", error: expect.stringContaining("apiKey is empty") },
  ]);
  expect(failures).toHaveLength(2);
});

test.each(["portal.example.com", "capacitor://localhost", "file:///app/index.html", "null"])(
  "names what is not an origin (%s) when the process starts, which continues without it",
  async (origin) => {
    const reply = await outcome(handle({ origins: [origin] }));
    expect(reply).toMatchObject({ status: 200, url: ISSUED.url });
    expect(errors.map(String)).toEqual([
      `TypeError: origins has "${origin}", which is not an origin like https://portal.example.com.`,
    ]);
    const headers = { Origin: "null", "Sec-Fetch-Site": "cross-site" };
    expect(await outcome(handle({ origins: [origin] }, { headers }))).toMatchObject({ status: 403 });
  },
);
