import { expect, test } from "vitest";
import { FilesError } from "./errors";
import { createCall, postWithToken } from "./request";
import type { TokenSource } from "./tokens";
import { realWorld, type World } from "./world";

const tokens: TokenSource = { freshToken: async () => "token", reportExpired() {} };

/** A world in which time passes only when a test says so. */
function stillWorld(fetch: World["fetch"]) {
  const timers = new Map<() => void, number>();
  const world: World = {
    ...realWorld,
    fetch,
    timers: {
      start(act, milliseconds) {
        timers.set(act, milliseconds);
        return () => timers.delete(act);
      },
    },
  };
  return { world, timers };
}

/** A platform that never answers. */
const silent: World["fetch"] = (_, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
const json = (body: unknown, init?: ResponseInit) => new Response(JSON.stringify(body), init);

test("a platform that does not answer is unreachable after a minute", async () => {
  const { world, timers } = stillWorld(silent);
  const call = createCall({ world, tokens }, "docs")("list", {});
  await expect.poll(() => [...timers.values()]).toEqual([60_000]);
  for (const act of timers.keys()) act();
  await expect(call).rejects.toMatchObject({ code: "unreachable", isTemporary: true });
  expect(timers.size).toBe(0);
});

test("the minute also covers the body of the response", async () => {
  const { world, timers } = stillWorld(async (_, { signal }) => {
    const body = new ReadableStream({
      start: (controller) => signal?.addEventListener("abort", () => controller.error(signal.reason)),
    });
    return new Response(body);
  });
  const call = createCall({ world, tokens }, "docs")("list", {});
  await expect.poll(() => timers.size).toBe(1);
  for (const act of timers.keys()) act();
  await expect(call).rejects.toMatchObject({ code: "unreachable" });
});

test("a request that is given up ends with the signal's reason, and leaves nothing behind", async () => {
  const { world, timers } = stillWorld(silent);
  const abort = new AbortController();
  const call = createCall({ world, tokens }, "docs")("list", {}, abort.signal);
  await expect.poll(() => timers.size).toBe(1);
  abort.abort();
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  expect(timers.size).toBe(0);
});

test("an error has the code of the contract, its status, the request id and the pause", async () => {
  const headers = { "X-Request-Id": "r-1", "Retry-After": "Thu, 01 Jan 1970 00:01:40 GMT" };
  const { world } = stillWorld(async () =>
    json({ code: "rate_limited", error: "Wait." }, { status: 429, headers }),
  );
  const clock = { ...realWorld.clock, date: () => 90_000 };
  const error = await createCall({ world: { ...world, clock }, tokens }, "docs")("list", {}).catch((e) => e);
  expect(error).toBeInstanceOf(FilesError);
  expect(error).toMatchObject({
    code: "rate_limited",
    status: 429,
    requestId: "r-1",
    retryAfter: 10,
    message: "Wait.",
    isTemporary: true,
  });
});

test("the tokens' origin is asked, unless another one is given", async () => {
  const urls: string[] = [];
  const { world } = stillWorld(async (url) => {
    urls.push(url);
    return json({});
  });
  const abroad = { ...tokens, baseUrl: "https://embed.example.com" };
  const read = (response: Response) => response.json();
  await postWithToken({ world, tokens }, "/a", {}, read);
  await postWithToken({ world, tokens: abroad }, "/a", {}, read);
  await postWithToken({ world, tokens: abroad, baseUrl: "http://localhost" }, "/a", {}, read);
  expect(urls).toEqual(["/a", "https://embed.example.com/a", "http://localhost/a"]);
});
