import { request as httpRequest } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, inject, it } from "vitest";

const stack = inject("stack");
const list = "/api/embed/storage/list";
const issue = "/api/embed/url";
const json = { "Content-Type": "application/json" };

describe("every response", () => {
  it("has the request's own ID if it is valid, and otherwise a new one", async () => {
    const get = (id: string) => fetch(`${stack.apiBaseUrl}/healthz`, { headers: { "X-Request-Id": id } });
    expect((await get("abc-123")).headers.get("X-Request-Id")).toBe("abc-123");
    for (const id of ["a b", "x".repeat(200), "<script>"]) {
      expect((await get(id)).headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it.each(["/healthz", issue])(
    "of %s says its length, and is not compressed while it is short",
    async (path) => {
      const response = await fetch(stack.apiBaseUrl + path, { headers: { "Accept-Encoding": "gzip" } });
      expect(response.headers.get("Content-Encoding")).toBeNull();
      const body = await response.arrayBuffer();
      expect(response.headers.get("Content-Length")).toBe(String(body.byteLength));
    },
  );
});

describe("an empty header", () => {
  it("is no Idempotency-Key: a caller who relies on one is told", async () => {
    const email = { to: `${crypto.randomUUID()}@example.com`, title: "Hello", description: "Text" };
    const send = (headers: Record<string, string>) =>
      fetch(`${stack.apiBaseUrl}/api/send-simple-email`, {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify(email),
      });
    for (const empty of ["", "  "]) {
      const response = await send({ "Idempotency-Key": empty });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: "invalid_request",
        issues: [{ path: "Idempotency-Key", message: expect.stringContaining("must not be empty") }],
      });
    }
    const { emails } = await (await fetch(`${stack.mailboxUrl}/store`)).json();
    expect(JSON.stringify(emails)).not.toContain(email.to);
    expect((await send({})).status).toBe(200);
  });

  it("is an API key that is not valid, also where the bearer token is another way", async () => {
    const response = await fetch(`${stack.apiBaseUrl}/api/events`, {
      headers: { "X-Api-Key": "", Authorization: "Bearer token" },
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: "invalid_api_key" });
  });

  it("means nothing where it is a preference or a credential that is not needed", async () => {
    const response = await fetch(
      `${stack.apiBaseUrl}/api/cluster/databases?companyId=${stack.demoClient.companyId}`,
      {
        headers: { Prefer: "", Authorization: "" },
      },
    );
    expect(response.status).toBe(200);
  });
});

describe("the two base URLs", () => {
  const cases: [string, string, "api" | "platform"][] = [
    ["POST", issue, "api"],
    ["GET", "/api/cluster/databases", "api"],
    ["POST", "/api/cluster/databases", "api"],
    ["POST", list, "platform"],
    ["POST", "/api/embed/storage/presign-upload", "platform"],
    ["POST", "/api/embed/storage/presign-download", "platform"],
    ["GET", "/embed/files", "platform"],
    ["GET", "/embed/notif", "platform"],
  ];
  it.each(cases)("%s %s is served by the %s only", async (method, path, role) => {
    const wrong = role === "api" ? stack.platformBaseUrl : stack.apiBaseUrl;
    const right = role === "api" ? stack.apiBaseUrl : stack.platformBaseUrl;
    const ask = (base: string) =>
      fetch(base + path, { method, ...(method === "POST" ? { headers: json, body: "{}" } : {}) });
    expect((await ask(wrong)).status).toBe(404);
    expect((await ask(right)).status).not.toBe(404);
  });

  it("ignore X-Forwarded-Host unless a proxy is trusted", async () => {
    const answer = await fetch(stack.platformBaseUrl + issue, {
      method: "POST",
      headers: { ...json, "X-Forwarded-Host": new URL(stack.apiBaseUrl).host },
      body: "{}",
    });
    expect(answer.status).toBe(404);
  });

  it("both report that the process is up and the database responds", async () => {
    for (const base of [stack.apiBaseUrl, stack.platformBaseUrl]) {
      expect((await fetch(`${base}/healthz`)).status).toBe(200);
      expect((await fetch(`${base}/readyz`)).status).toBe(200);
    }
  });

  it("respond with 404 as JSON to unknown paths", async () => {
    for (const path of ["/", "/nope", "/api/embed", "/embed", "/api/embed/url/more", "/embed/files.data"]) {
      const answer = await fetch(stack.platformBaseUrl + path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: "There is nothing at this address.", code: "not_found" });
    }
  });
});

describe("a malformed request", () => {
  it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])(
    "by %s is told the right method",
    async (method) => {
      const answer = await fetch(stack.apiBaseUrl + issue, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("Allow")).toBe("POST");
    },
  );

  it("that is not JSON is refused", async () => {
    const post = (headers: HeadersInit, body: string) =>
      fetch(stack.platformBaseUrl + list, { method: "POST", headers, body });
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      const answer = await post({ "Content-Type": type }, "{}");
      expect(answer.status).toBe(415);
      expect(await answer.json()).toMatchObject({ code: "unsupported_media_type" });
    }
    expect((await post({ "Content-Type": "application/json; charset=utf-8" }, "{}")).status).toBe(400);
    for (const body of ["", "{", "{'a':1}", "\u0000"]) {
      const answer = await post(json, body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: "invalid_request" });
    }
  });

  it.each([
    [stack.platformBaseUrl + list, json],
    [`${stack.apiBaseUrl}/api/send-simple-email`, json],
    [`${stack.apiBaseUrl}/api/email/events`, { "Content-Type": "text/plain" }],
  ])("to %s with a compressed body is told to send it without compression", async (url, headers) => {
    const post = (coding: string, body: BodyInit) =>
      fetch(url, { method: "POST", headers: { ...headers, "Content-Encoding": coding }, body });
    for (const [coding, body] of [
      ["gzip", gzipSync("{}")],
      ["GZIP", gzipSync("{}")],
      ["br", brotliCompressSync("{}")],
      ["gzip, identity", gzipSync("{}")],
    ] as const) {
      const answer = await post(coding, body);
      expect(answer.status).toBe(415);
      expect(answer.headers.get("Accept-Encoding")).toBe("identity");
      expect(await answer.json()).toEqual({
        code: "unsupported_media_type",
        error: "Send the body without compression, and without the header Content-Encoding.",
      });
    }
    expect((await post("identity", "{}")).status).not.toBe(415);
  });

  it("with a body that is nested very deeply, and a null, is refused like any other", async () => {
    const nested = (depth: number) => `{"token":null,"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    for (const depth of [10, 100, 19_000])
      for (const path of [list, "/api/embed/storage/copy", "/api/embed/activity/list"]) {
        const answer = await fetch(stack.platformBaseUrl + path, {
          method: "POST",
          headers: json,
          body: nested(depth),
        });
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ code: "invalid_request" });
      }
  });

  it("with a body over the limit is refused while it still streams, whatever its Content-Length", async () => {
    const { status, sent } = await streamEndlessly(stack.platformBaseUrl + list);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

/** Sends an endless body without Content-Length. Resolves with the status and the number of bytes sent. */
function streamEndlessly(url: string): Promise<{ status: number | undefined; sent: number }> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let stopped = false;
    const request = httpRequest(url, { method: "POST", headers: json }, (response) => {
      stopped = true;
      resolve({ status: response.statusCode, sent });
      request.destroy();
    });
    request.on("error", (error) => (stopped ? undefined : reject(error)));
    const chunk = Buffer.alloc(16 * 1024, " ");
    const write = (): void => {
      if (stopped) return;
      sent += chunk.length;
      if (request.write(chunk)) setImmediate(write);
      else request.once("drain", write);
    };
    write();
  });
}

describe("a caller that is refused before its body has arrived", () => {
  it("gets a response although it never sends the rest", async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { ...json, "Content-Length": "1000" };
      const request = httpRequest(stack.apiBaseUrl + issue, { method: "POST", headers }, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on("error", reject);
      request.write("{");
    });
    expect(status).toBe(401);
  });

  it("gets an error if its body does not arrive, and the connection is closed", async () => {
    const headers = { ...json, "Content-Length": "1000" };
    const { status, connection } = await new Promise<{ status?: number; connection?: string }>(
      (resolve, reject) => {
        const request = httpRequest(stack.platformBaseUrl + list, { method: "POST", headers }, (response) => {
          resolve({ status: response.statusCode, connection: response.headers.connection });
          request.destroy();
        });
        request.on("error", reject);
        request.write("{");
      },
    );
    expect(status).toBe(408);
    expect(connection).toBe("close");
  });
});
