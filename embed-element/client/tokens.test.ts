import { expect, test } from "vitest";
import { ConfigurationError } from "../src/server/embed-url-error";
import type { TokenAnswer, TokenRequest } from "../src/token-types";
import { TokenKeeper } from "./tokens";
import { realWorld } from "./world";

const answer = (token: string) => ({
  url: `https://embed.example.com/embed/files?t=${token}`,
  expiresAt: 0,
  service: "files",
});

/** Hands out `t1`, `t2` and so on. */
function keeper() {
  const requests: Pick<TokenRequest, "service" | "reason">[] = [];
  const fetchToken = async ({ service, reason }: TokenRequest) => {
    requests.push({ service, reason });
    return answer(`t${requests.length}`);
  };
  return { requests, tokens: new TokenKeeper(fetchToken, realWorld) };
}

test("one token serves all requests, until the platform calls it expired", async () => {
  const { requests, tokens } = keeper();
  expect(await Promise.all([tokens.freshToken(), tokens.freshToken()])).toEqual(["t1", "t1"]);
  expect(tokens.baseUrl).toBe("https://embed.example.com");
  tokens.reportExpired("t1");
  expect(await Promise.all([tokens.freshToken(), tokens.freshToken()])).toEqual(["t2", "t2"]);
  // A request that began with the first token.
  tokens.reportExpired("t1");
  expect(await tokens.freshToken()).toBe("t2");
  expect(requests).toEqual([
    { service: "files", reason: "initial" },
    { service: "files", reason: "expired" },
  ]);
});

test.each([
  [{ status: 401 }, "session_ended", false],
  [{ status: 403 }, "token_endpoint_failed", false],
  [{ status: 401, code: "invalid_api_key" }, "invalid_api_key", false],
  [{ status: 502, code: "platform_unavailable" }, "platform_unavailable", false],
  [{ status: 404 }, "token_endpoint_failed", false],
  [{ status: 503 }, "unreachable", true],
  [{ status: 429 }, "unreachable", true],
  [new TypeError("no network"), "unreachable", true],
  [new ConfigurationError("apiKey is missing."), "token_endpoint_failed", false],
])("what `fetchToken` throws, %o, is the error %s", async (thrown, code, isTemporary) => {
  const tokens = new TokenKeeper(() => Promise.reject(thrown), realWorld);
  await expect(tokens.freshToken()).rejects.toMatchObject({ code, isTemporary });
});

test("a failure is not kept: the next request asks again", async () => {
  const results = [Promise.reject(new TypeError("no network")), Promise.resolve(answer("t1"))];
  const tokens = new TokenKeeper(() => results.shift() ?? Promise.reject(new Error("twice")), realWorld);
  await expect(tokens.freshToken()).rejects.toMatchObject({ code: "unreachable" });
  expect(await tokens.freshToken()).toBe("t1");
});

test("a `fetchToken` that never settles fails all who wait when its time is over, and the next request asks again", async () => {
  let endTime = () => {};
  const timers = {
    start(act: () => void) {
      endTime = act;
      return () => {};
    },
  };
  const results = [new Promise<TokenAnswer>(() => {}), Promise.resolve(answer("t1"))];
  const tokens = new TokenKeeper(() => results.shift() as Promise<TokenAnswer>, { ...realWorld, timers });
  const waiting = [tokens.freshToken(), tokens.freshToken(new AbortController().signal)];
  endTime();
  for (const one of waiting)
    await expect(one).rejects.toMatchObject({ code: "unreachable", message: expect.stringMatching("30 s") });
  expect(await tokens.freshToken()).toBe("t1");
});

test("a response without a token is said to be invalid", async () => {
  const tokens = new TokenKeeper(async () => ({ ...answer(""), url: "https://example.com/" }), realWorld);
  await expect(tokens.freshToken()).rejects.toMatchObject({ code: "token_endpoint_invalid" });
});

test("a request that is given up does not wait for its token, and the others still get it", async () => {
  let respond = (_: ReturnType<typeof answer>) => {};
  const fetchToken = () =>
    new Promise<ReturnType<typeof answer>>((resolve) => {
      respond = resolve;
    });
  const tokens = new TokenKeeper(fetchToken, realWorld);
  const abort = new AbortController();
  const givenUp = tokens.freshToken(abort.signal);
  const other = tokens.freshToken();
  abort.abort();
  await expect(givenUp).rejects.toMatchObject({ name: "AbortError" });
  respond(answer("t1"));
  expect(await other).toBe("t1");
});

test("a renewal that is refused with 403 ends the session", async () => {
  const results = [Promise.resolve(answer("t1")), Promise.reject({ status: 403 })];
  const tokens = new TokenKeeper(() => results.shift() as Promise<TokenAnswer>, realWorld);
  tokens.reportExpired(await tokens.freshToken());
  await expect(tokens.freshToken()).rejects.toMatchObject({ code: "session_ended" });
});

test.each([
  {},
  null,
  { ...answer("t1"), url: undefined },
  answer(""),
  { ...answer("t1"), service: "activity" },
  { ...answer("t1"), url: "https://example.com/sign-in?t=1" },
  { ...answer("t1"), url: "javascript:/embed/files?t=1" },
])("%o is no embed URL of the service", async (returned) => {
  const tokens = new TokenKeeper(async () => returned as TokenAnswer, realWorld);
  await expect(tokens.freshToken()).rejects.toMatchObject({
    code: "token_endpoint_invalid",
    isTemporary: false,
  });
});

test("a backend that returns the expired token again is not asked in a loop", async () => {
  const tokens = new TokenKeeper(async () => answer("t1"), realWorld);
  tokens.reportExpired(await tokens.freshToken());
  await expect(tokens.freshToken()).rejects.toMatchObject({ code: "token_endpoint_invalid" });
});

test("a token of another visitor is refused, and one of the same goes on", async () => {
  const tokenOf = (id: string, note: string) =>
    `${Buffer.from(JSON.stringify({ companyId: "c1", visitor: { id }, note })).toString("base64url")}.mac`;
  const [first, others, next] = [tokenOf("ada", "1"), tokenOf("bob", "2"), tokenOf("ada", "3")] as const;
  const results = [first, others, next];
  const tokens = new TokenKeeper(async () => answer(results.shift() as string), realWorld);
  tokens.reportExpired(await tokens.freshToken());
  await expect(tokens.freshToken()).rejects.toMatchObject({
    code: "session_ended",
    message: expect.stringMatching("another visitor"),
  });
  expect(await tokens.freshToken()).toBe(next);
});
