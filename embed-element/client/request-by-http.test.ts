import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createDiagnose } from "./diagnose";
import { asFilesError, FilesError, readRetryAfter } from "./errors";
import { type Call, createCall, type Platform } from "./request";
import { realWorld } from "./world";

type Handler = (body: Record<string, unknown>, response: ServerResponse, request: IncomingMessage) => void;

let handle: Handler;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  handle(JSON.parse(Buffer.concat(chunks).toString()), response, request);
});

/** Hands out `t1`, and after that has been reported as expired `t2`, and so on. */
class Tokens {
  count = 1;
  freshToken = async () => `t${this.count}`;
  reportExpired = (token: string) => {
    if (token === `t${this.count}`) this.count += 1;
  };
}

let tokens: Tokens;
let platform: Platform;
let call: Call;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  tokens = new Tokens();
  const { port } = server.address() as AddressInfo;
  platform = { world: realWorld, tokens, baseUrl: `http://127.0.0.1:${port}` };
  call = createCall(platform, "docs");
});

const respond = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
};

async function problemOfCall(): Promise<FilesError> {
  return call("list", { folderPath: "/" }).then(
    () => {
      throw new Error("The call should have failed.");
    },
    (error) => asFilesError(error),
  );
}

test("a listing is asked for with token, bucket, folder and cursor", async () => {
  const seen: unknown[] = [];
  handle = (body, response, request) => {
    seen.push([request.url, body]);
    respond(response, 200, { folders: [], files: [], nextCursor: "next" });
  };
  const listing = await call("list", { folderPath: "/a", cursor: "here", pageSize: 1000 });
  expect(listing.nextCursor).toBe("next");
  expect(seen).toEqual([
    [
      "/api/embed/storage/list",
      { token: "t1", bucket: "docs", folderPath: "/a", cursor: "here", pageSize: 1000 },
    ],
  ]);
});

test("the token is also in a header if the body is large, so that the server can check it first", async () => {
  const seen: unknown[] = [];
  handle = (body, response, request) => {
    seen.push([body.token, request.headers.authorization]);
    if (body.token === "t1") respond(response, 401, { error: "Expired.", code: "token_expired" });
    else respond(response, 200, {});
  };
  const remove = (count: number, name: string) =>
    call("delete", { items: Array.from({ length: count }, () => ({ key: name })) });
  // 300 names of 1,000 bytes; "é" is one character and two bytes.
  await remove(300, "é".repeat(500));
  await remove(200, "é".repeat(500));
  expect(seen).toEqual([
    ["t1", "Bearer t1"],
    ["t2", "Bearer t2"],
    ["t2", undefined],
  ]);
});

test("an expired token is renewed and the same request goes out again", async () => {
  const used: unknown[] = [];
  handle = (body, response) => {
    used.push(body.token);
    if (body.token === "t3") respond(response, 200, { folders: [], files: [], nextCursor: null });
    else respond(response, 401, { error: "Expired.", code: "token_expired" });
  };
  await call("list", { folderPath: "/" });
  expect(used).toEqual(["t1", "t2", "t3"]);
});

test("a token that the server does not know is replaced once, as after a new signing secret", async () => {
  const used: unknown[] = [];
  let known = "t2";
  handle = (body, response) => {
    used.push(body.token);
    if (body.token === known) respond(response, 200, { folders: [], files: [], nextCursor: null });
    else respond(response, 401, { error: "Unknown.", code: "invalid_token" });
  };
  await call("list", { folderPath: "/" });
  expect(used).toEqual(["t1", "t2"]);
  known = "none";
  expect((await problemOfCall()).code).toBe("invalid_token");
  expect(used).toEqual(["t1", "t2", "t2", "t3"]);
});

test.each([
  [null, "unreachable"],
  ["store_unreachable", "unreachable"],
  ["store_busy", "unavailable"],
  ["store_refused", "store_refused"],
  ["clock_skewed", "store_refused"],
  ["bucket_not_found", "not_found"],
  ["cors_missing", "cors_blocked"],
] as const)("the diagnosis %s is the problem %s, with a number to pass on", async (problem, code) => {
  vi.stubGlobal("navigator", { onLine: true });
  const seen: unknown[] = [];
  handle = (body, response, request) => {
    seen.push([request.url, body]);
    respond(response, 200, { problem }, { "X-Request-Id": "r-2" });
  };
  const found = await createDiagnose(platform, "docs", "upload")();
  expect(found).toMatchObject({ code, requestId: "r-2" });
  expect(seen).toEqual([
    ["/api/embed/storage/diagnose", { token: "t1", bucket: "docs", operation: "upload" }],
  ]);
  vi.unstubAllGlobals();
});

test("a diagnosis that cannot be had is a lost connection, and offline makes no request", async () => {
  handle = (_, response) => response.destroy();
  vi.stubGlobal("navigator", { onLine: true });
  expect((await createDiagnose(platform, "docs", "download")()).code).toBe("unreachable");
  vi.stubGlobal("navigator", { onLine: false });
  expect((await createDiagnose(platform, "docs", "download")()).code).toBe("offline");
  vi.unstubAllGlobals();
});

test("a response that is no JSON, as a proxy's, is still a problem with its status", async () => {
  handle = (_, response) => response.writeHead(503, { "Retry-After": "7" }).end("<html>busy</html>");
  const problem = await problemOfCall();
  expect(problem.code).toBe("unavailable");
  expect(problem.retryAfter).toBe(7);
});

test("a connection that breaks is unreachable, or offline when the browser is", async () => {
  handle = (_, response) => response.destroy();
  vi.stubGlobal("navigator", { onLine: true });
  expect((await problemOfCall()).code).toBe("unreachable");
  vi.stubGlobal("navigator", { onLine: false });
  expect((await problemOfCall()).code).toBe("offline");
  vi.unstubAllGlobals();
});

test("a request that is given up ends as given up, not as a problem", async () => {
  handle = () => {};
  const abort = new AbortController();
  const request = call("list", { folderPath: "/" }, abort.signal);
  abort.abort();
  await expect(request).rejects.toMatchObject({ name: "AbortError" });
});

test("Retry-After is read as seconds and as a date", () => {
  expect(readRetryAfter("120", Date.now())).toBe(120);
  expect(readRetryAfter(new Date(Date.now() + 60_000).toUTCString(), Date.now())).toBeGreaterThan(55);
  expect(readRetryAfter(new Date(0).toUTCString(), Date.now())).toBe(0);
  expect(readRetryAfter("soon", Date.now())).toBeUndefined();
  expect(readRetryAfter(null, Date.now())).toBeUndefined();
});

test("an unknown error is `failed`", () => {
  expect(asFilesError(new TypeError("x")).code).toBe("failed");
  expect(asFilesError(new FilesError("denied")).code).toBe("denied");
});
