import { afterEach, beforeEach, expect, test } from "vitest";
import {
  API_KEY,
  startTestPlatform,
  type TestPlatform,
} from "../../../tests/support/integrator/test-platform.js";
import { ConfigurationError, EmbedUrlError } from "./embed-url-error.js";
import { revokeEmbedTokens } from "./revoke-embed-tokens.js";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await startTestPlatform();
});
afterEach(() => platform.close());

const revoke = (options = {}) =>
  revokeEmbedTokens({ apiBaseUrl: platform.apiBaseUrl, apiKey: API_KEY, visitor: "u-42", ...options });

test("names the visitor to the platform, and returns since when tokens are valid", async () => {
  platform.responds = { status: 200, body: { revokedBefore: 1_800_000_000 } };
  expect(await revoke()).toEqual({ revokedBefore: 1_800_000_000 });
  expect(platform.received).toMatchObject([
    { path: "/api/embed/revoke", headers: { "x-api-key": API_KEY }, body: { visitor: "u-42" } },
  ]);
});

test.each([
  [401, { error: "Invalid API key", code: "invalid_api_key" }, "invalid_api_key"],
  [503, { error: "Busy" }, "platform_unavailable"],
  [200, { ok: true }, "platform_invalid"],
  [404, "<h1>Not found</h1>", "platform_invalid"],
])("fails if the platform responds with %i %j", async (status, body, code) => {
  platform.responds = { status, body };
  await expect(revoke()).rejects.toBeInstanceOf(EmbedUrlError);
  await expect(revoke()).rejects.toMatchObject({ code, status });
});

test("gives up on a platform that says nothing", async () => {
  platform.responds = "silent";
  await expect(revoke({ timeoutMs: 50 })).rejects.toMatchObject({ code: "platform_timeout" });
});

test.each([undefined, ""])("refuses to revoke the tokens of everybody: visitor %j", async (visitor) => {
  await expect(revoke({ visitor })).rejects.toBeInstanceOf(ConfigurationError);
  expect(platform.received).toEqual([]);
});
