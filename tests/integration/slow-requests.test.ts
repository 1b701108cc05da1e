import { connect } from "node:net";
import { describe, inject, it } from "vitest";
import { createRouteApp } from "../support/app/route-app";

const stack = inject("stack");
const { apiBaseUrl, platformBaseUrl } = stack;

/** Sends `head`, and then `next()` twice a second. Returns what has arrived when the server closes the connection. */
function drip(baseUrl: string, head: string[], next: () => string): Promise<string> {
  const { hostname, port, host } = new URL(baseUrl);
  return new Promise((resolve) => {
    let text = "";
    const address = hostname === "localhost" ? "127.0.0.1" : hostname;
    const socket = connect(Number(port), address);
    // At once: on a busy machine, what drips before the connection is made would be sent before the head.
    socket.write([head[0], `Host: ${host}`, ...head.slice(1), ""].join("\r\n"));
    const timer = setInterval(() => socket.write(next()), 500);
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

const dripBody = (baseUrl: string, requestLine: string) =>
  drip(baseUrl, [requestLine, "Content-Type: application/json", "Content-Length: 50000", ""], () => " ");

// 15 seconds for the headers, and some more on a busy machine.
it.concurrent("closes a connection whose headers do not arrive in 15 seconds", { timeout: 25_000 }, async ({
  expect,
}) => {
  const received = await drip(apiBaseUrl, ["GET /healthz HTTP/1.1"], () => `X-Drip-${Date.now()}: 1\r\n`);
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
});

it.concurrent("closes a connection whose body does not arrive in 10 seconds", { timeout: 25_000 }, async ({
  expect,
}) => {
  const received = await dripBody(platformBaseUrl, "POST /api/embed/storage/list HTTP/1.1");
  expect(received).toMatch(/^HTTP\/1\.1 408 /);
  expect(received).toContain('"code":"request_timeout"');
});

it.concurrent("responds to a late body that it is late, also to an address over its limit", {
  timeout: 25_000,
}, async ({ expect }) => {
  const app = createRouteApp(stack, { RATE_LIMIT_PER_ADDRESS: "1" });
  const post = async (body: BodyInit) => {
    const headers = { "Content-Type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" } as const;
    return (await app.fetch(`${app.platformBaseUrl}/api/embed/storage/list`, init)).status;
  };
  expect([await post("{"), await post("{")]).toEqual([400, 429]);
  expect(await post(new ReadableStream())).toBe(408);
  await app.close();
});

// Node itself would close these connections after 30 seconds.
describe.concurrent("closes a connection whose body is still arriving after the response", {
  timeout: 20_000,
}, () => {
  const oneMegabyte = ["Content-Type: application/json", "Content-Length: 1000000", ""];
  it("to a key that is refused", async ({ expect }) => {
    expect(await dripBody(apiBaseUrl, "POST /api/embed/url HTTP/1.1")).toMatch(/^HTTP\/1\.1 401 /);
  });
  it("to a body that is too large", async ({ expect }) => {
    const head = ["POST /api/embed/storage/move HTTP/1.1", ...oneMegabyte];
    expect(await drip(platformBaseUrl, head, () => " ")).toMatch(/^HTTP\/1\.1 413 /);
  });
  it("to a token in the header that is refused", async ({ expect }) => {
    const head = ["POST /api/embed/storage/move HTTP/1.1", "Authorization: Bearer guess", ...oneMegabyte];
    expect(await drip(platformBaseUrl, head, () => " ")).toMatch(/^HTTP\/1\.1 401 /);
  });
  it("to a path without a route", async ({ expect }) => {
    expect(await dripBody(apiBaseUrl, "POST /nothing HTTP/1.1")).toMatch(/^HTTP\/1\.1 404 /);
  });
  it("to a method that is not supported", async ({ expect }) => {
    expect(await dripBody(apiBaseUrl, "PUT /api/embed/url HTTP/1.1")).toMatch(/^HTTP\/1\.1 405 /);
  });
  it("to a request that needs no body", async ({ expect }) => {
    expect(await dripBody(apiBaseUrl, "GET /healthz HTTP/1.1")).toMatch(/^HTTP\/1\.1 200 /);
  });
});
