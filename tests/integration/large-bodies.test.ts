/** Bodies over 256 KiB have their token in a header as well, which is checked before they are read. */
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";

const stack = inject("stack");
let bucket: TestBucket;
let token: string;
let otherToken: string;
let app: RouteApp;
beforeAll(async () => {
  bucket = await makeBucket(stack);
  const client = await makeEmbedClient(stack, {
    bucket: bucket.name,
    files: { actions: ["organize", "delete"] },
  });
  const issue = async (expiresInSeconds: number) =>
    (await issueEmbedUrl(stack, client, { scope: { actions: ["organize", "delete"] }, expiresInSeconds }))
      .token;
  [token, otherToken] = [await issue(600), await issue(700)];
});
afterEach(() => app?.close());

/** A thousand keys of a thousand bytes, none of which exists. */
const items = Array.from({ length: 1_000 }, (_, index) => ({ key: `${index}-`.padEnd(1_000, "x") }));
const bodies: [string, object][] = [
  ["copy", { items, to: "/to", onConflict: "fail" }],
  ["move", { items, to: "/to", onConflict: "fail" }],
  ["delete", { items, check: true }],
  ["restore", { undo: "x".repeat(300_000) }],
];

async function ask(what: string, body: object | string, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify({ token, bucket: bucket.name, ...body });
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: text,
  });
  return { status: response.status, body: await response.json() };
}

const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });
const notJson = "x".repeat(300_000);

describe.each(bodies)("a large body for %s", (what, body) => {
  it("is accepted with the token in both places", async () => {
    app = createRouteApp(stack);
    const answer = await ask(what, body, bearer(token));
    // Its undo handle is none that `delete` has returned.
    if (what === "restore")
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "undo" }] } });
    else expect(answer.status).toBe(200);
  });

  it("is refused without the header, and the error says what is missing", async () => {
    app = createRouteApp(stack);
    for (const headers of [{}, { Authorization: "Basic YTpi" }, bearer("")]) {
      const { status, body: refusal } = await ask(what, body, headers);
      expect([status, refusal.code]).toEqual([413, "body_too_large"]);
      expect(refusal.error).toContain("Authorization: Bearer TOKEN");
    }
  });

  it("is not read if the token in the header is not valid", async () => {
    app = createRouteApp(stack);
    const { status, body: refusal } = await ask(what, notJson, bearer(`${token}x`));
    expect([status, refusal.code]).toEqual([401, "invalid_token"]);
  });

  it("is refused if the body has another token", async () => {
    app = createRouteApp(stack);
    const { status, body: refusal } = await ask(what, body, bearer(otherToken));
    expect([status, refusal.code]).toEqual([401, "invalid_token"]);
  });
});

it("a small body needs no header, and one that is sent must have the same token", async () => {
  app = createRouteApp(stack);
  const small = { items: items.slice(0, 200), check: true };
  expect((await ask("delete", small)).status).toBe(200);
  expect((await ask("delete", small, bearer(token))).status).toBe(200);
  expect((await ask("delete", small, bearer(otherToken))).status).toBe(401);
});

it("a token in the header is counted before the body is read, once for a request", async () => {
  app = createRouteApp(stack, { RATE_LIMIT_PER_TOKEN: "2" });
  const small = { items: items.slice(0, 1), check: true };
  expect((await ask("delete", small, bearer(token))).status).toBe(200);
  expect((await ask("delete", notJson, bearer(token))).status).toBe(400);
  expect((await ask("delete", notJson, bearer(token))).status).toBe(429);
});
