import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  API_KEY,
  ISSUED,
  startTestPlatform,
  type TestPlatform,
} from "../../../tests/support/integrator/test-platform.js";
import { ConfigurationError, EmbedUrlError } from "./embed-url-error.js";
import { type EmbedScope, type IssueEmbedUrlOptions, issueEmbedUrl } from "./issue-embed-url.js";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await startTestPlatform();
});
afterEach(() => platform.close());

const issue = (options: Partial<IssueEmbedUrlOptions> = {}) =>
  issueEmbedUrl({ apiBaseUrl: platform.apiBaseUrl, apiKey: API_KEY, scope: { bucket: "b" }, ...options });

async function failure(options: Partial<IssueEmbedUrlOptions> = {}): Promise<EmbedUrlError> {
  const error = await issue(options).then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(EmbedUrlError);
  expect(inspect(error, { depth: 9 })).not.toContain(API_KEY);
  return error as EmbedUrlError;
}

test("asks the platform with the key, and hands its response on", async () => {
  expect(await issue({ expiresInSeconds: 60 })).toEqual(ISSUED);
  const [{ path, headers, body } = { path: "", headers: {}, body: null }] = platform.received;
  expect(path).toBe("/api/embed/url");
  expect(headers).toMatchObject({ "x-api-key": API_KEY, "content-type": "application/json" });
  expect(body).toEqual({ service: "files", scope: { bucket: "b" }, expiresInSeconds: 60 });
});

test("keeps the path of a platform below one", async () => {
  for (const apiBaseUrl of [`${platform.apiBaseUrl}/platform`, `${platform.apiBaseUrl}/platform/`]) {
    await issue({ apiBaseUrl });
  }
  expect(platform.received.map(({ path }) => path)).toEqual(Array(2).fill("/platform/api/embed/url"));
});

test("says which member was refused, and under which number the platform logged it", async () => {
  const issues = [{ path: "scope.bucket", message: "must be a bucket's name" }];
  platform.responds = {
    status: 400,
    body: { error: "The request is invalid.", code: "invalid_request", issues },
  };
  expect(await failure()).toMatchObject({
    code: "invalid_request",
    status: 400,
    issues,
    requestId: "request-1",
    retryable: false,
    message: "The request is invalid. scope.bucket must be a bucket's name",
  });
});

test("tells a platform that is busy from one that refuses", async () => {
  platform.responds = { status: 429, body: { error: "Slow down." }, headers: { "Retry-After": "7" } };
  expect(await failure()).toMatchObject({ code: "platform_unavailable", retryable: true, retryAfter: 7 });
  platform.responds = { status: 500, body: "<h1>Oops</h1>" };
  expect(await failure()).toMatchObject({ code: "platform_unavailable", status: 500, retryable: true });
});

test.each([
  [200, "<h1>Welcome</h1>"],
  [200, { url: "https://x.example" }],
  [404, "<h1>Not found</h1>"],
  [404, { error: "There is nothing at this address." }],
])("takes nothing for the platform that does not speak like it: %i %j", async (status, body) => {
  platform.responds = { status, body };
  const error = await failure();
  expect(error).toMatchObject({ code: "platform_invalid", retryable: false });
  expect(error.message).toBe(
    `${platform.apiBaseUrl}/api/embed/url responded with ${status}, and not as the platform's API does. Check apiBaseUrl.`,
  );
});

test("does not follow a redirection, which would take the key elsewhere", async () => {
  const elsewhere = await startTestPlatform();
  platform.responds = {
    status: 307,
    body: "",
    headers: { Location: `${elsewhere.apiBaseUrl}/api/embed/url` },
  };
  expect(await failure()).toMatchObject({ code: "platform_unreachable" });
  expect(elsewhere.received).toEqual([]);
  await elsewhere.close();
});

test("gives up on a platform that says nothing, and on one that is not there", async () => {
  platform.responds = "silent";
  expect(await failure({ timeoutMs: 50 })).toMatchObject({ code: "platform_timeout", retryable: true });
  await platform.close();
  const error = await failure();
  expect(error).toMatchObject({ code: "platform_unreachable", retryable: true });
  expect(error.message).toContain(`${platform.apiBaseUrl}. Check apiBaseUrl.`);
});

test("stops when its caller does", async () => {
  platform.responds = "silent";
  const error = failure({ signal: AbortSignal.timeout(20), timeoutMs: 5_000 });
  expect(await error).toMatchObject({ code: "platform_unreachable" });
  expect(await failure({ signal: AbortSignal.abort() })).toMatchObject({ code: "platform_unreachable" });
});

test.each([
  ["scope.path is undefined. Without it, the visitor would see", { path: undefined }],
  ["scope.limits is undefined", { limits: undefined }],
  ["scope.limits.maxFileBytes is undefined. Without it", { limits: { maxFileBytes: undefined } }],
  ["scope.limits.fileTypes is undefined. Without it", { limits: { fileTypes: undefined } }],
  ["scope.requireTag is undefined. Without it", { requireTag: undefined }],
])(
  "refuses a member that is undefined, as JSON would leave it out and allow more than was meant: %s",
  async (says, members) => {
    const scope = { bucket: "b", ...members } as EmbedScope;
    const refused = issue({ scope });
    await expect(refused).rejects.toThrow(says);
    await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
    expect(platform.received).toEqual([]);
  },
);

const cycle: { bucket: string; self?: unknown } = { bucket: "b" };
cycle.self = cycle;
test.each<[string, object]>([
  ["a BigInt in the scope", { scope: { bucket: "b", limits: { maxFileBytes: 10n } } }],
  ["a scope that refers to itself", { scope: cycle }],
  ["a BigInt in the visitor", { visitor: { id: 10n } }],
])(
  "names what JSON cannot express, and does not take it for a platform that is down: %s",
  async (_, options) => {
    const refused = issue(options);
    await expect(refused).rejects.toThrow("The scope or the visitor cannot be written as JSON");
    await expect(refused).rejects.toBeInstanceOf(ConfigurationError);
    expect(platform.received).toEqual([]);
  },
);

test.each([
  [{ apiKey: "" }, "apiKey is empty"],
  [{ apiBaseUrl: "" }, "apiBaseUrl is empty"],
  [{ apiBaseUrl: "file:///etc" }, "https://"],
])("names a setting that is missing: %j", async (options, says) => {
  await expect(issue(options)).rejects.toThrow(says);
});

const rejecting = (error: Error) => ({ fetch: () => Promise.reject(error) });

test.each([
  [{ apiKey: `${API_KEY}\n` }, "apiKey contains spaces or line breaks"],
  [{ apiBaseUrl: "https://ada:p4ssw0rd@api.example" }, "must not contain a user name or a password"],
  [{ apiBaseUrl: "https//ada:p4ssw0rd@api.example" }, "apiBaseUrl is not a URL"],
  [rejecting(new Error(`refused the header ${API_KEY}`)), "cannot be reached"],
  // As axios and others do: the whole request is a member of the error.
  [
    rejecting(Object.assign(new Error("away"), { config: { headers: { "X-Api-Key": API_KEY } } })),
    "cannot be reached",
  ],
  [rejecting(new AggregateError([new Error(`refused ${API_KEY}`)], "all failed")), "cannot be reached"],
  [rejecting(new Error("failed", { cause: { headers: { "X-Api-Key": API_KEY } } })), "cannot be reached"],
])("an error contains no credential, also in its cause: %#", async (options, says) => {
  const error = await issue(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(String(error)).toContain(says);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(new RegExp(`${API_KEY}|p4ssw0rd`));
});

test("an error keeps why the connection failed, and what a cause says besides the key", async () => {
  await platform.close();
  expect(await failure()).toMatchObject({
    cause: { message: "fetch failed", cause: { code: "ECONNREFUSED" } },
  });
  const refused = Object.assign(new TypeError(`refused ${API_KEY} here`), { code: "ERR_HEADER" });
  refused.cause = refused;
  const { cause } = await failure(rejecting(refused));
  expect(cause).toMatchObject({
    name: "TypeError",
    code: "ERR_HEADER",
    message: "refused [the API key] here",
  });
});
