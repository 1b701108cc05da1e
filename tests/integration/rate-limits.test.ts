import { afterAll, afterEach, describe, expect, inject, it } from "vitest";
import { startBuiltApp } from "../support/app/built-app";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { makeBucket } from "../support/files/bucket";

const stack = inject("stack");
const apps: RouteApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});
afterAll(() => query(stack.postgresUrl, "DELETE FROM rate_limits"));

function start(settings: Record<string, string>): RouteApp {
  const app = createRouteApp(stack, settings);
  apps.push(app);
  return app;
}

const post = (body: object, headers: HeadersInit = {}): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const issueAt = (app: RouteApp, apiKey: string, bucket: string) =>
  app.fetch(
    `${app.apiBaseUrl}/api/embed/url`,
    post({ service: "files", scope: { bucket } }, { "X-Api-Key": apiKey }),
  );
const listAt = (app: RouteApp, token: string, bucket: string) =>
  app.fetch(`${app.platformBaseUrl}/api/embed/storage/list`, post({ token, bucket }));

async function expectLimited(response: Response): Promise<void> {
  expect(response.status).toBe(429);
  const seconds = Number(response.headers.get("Retry-After"));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(await response.json()).toEqual({
    error: "There were too many requests. Wait a moment, then try again.",
    code: "rate_limited",
  });
}

describe("too many requests in a minute", () => {
  it("with one API key are refused, while another key works", async () => {
    const app = start({ RATE_LIMIT_PER_KEY: "3" });
    const [busy, other] = [await makeEmbedClient(stack), await makeEmbedClient(stack)];
    for (let count = 0; count < 3; count++) {
      expect((await issueAt(app, busy.apiKey, busy.bucket)).status).toBe(200);
    }
    await expectLimited(await issueAt(app, busy.apiKey, busy.bucket));
    expect((await issueAt(app, other.apiKey, other.bucket)).status).toBe(200);
  });

  it("with one embed token are refused by the endpoints and the page", async () => {
    const app = start({ RATE_LIMIT_PER_TOKEN: "2" });
    const client = await makeEmbedClient(stack);
    const [busy, other] = [
      await issueEmbedUrl(stack, client),
      await issueEmbedUrl(stack, client, { expiresInSeconds: 60 }),
    ];
    for (let count = 0; count < 2; count++) {
      expect((await listAt(app, busy.token, client.bucket)).status).toBe(200);
    }
    await expectLimited(await listAt(app, busy.token, client.bucket));
    expect((await listAt(app, other.token, client.bucket)).status).toBe(200);

    const page = await app.fetch(`${app.platformBaseUrl}/embed/files?t=${busy.token}`, {
      headers: { Referer: `${stack.demoClient.origin}/` },
    });
    expect(page.status).toBe(429);
    expect(Number(page.headers.get("Retry-After"))).toBeGreaterThanOrEqual(1);
    expect(await page.text()).toContain("There were too many requests");
  });

  it("of one visitor are refused, whatever number of tokens they have, while other visitors are served", async () => {
    const app = start({ RATE_LIMIT_PER_TOKEN: "2" });
    const [client, another] = [await makeEmbedClient(stack), await makeEmbedClient(stack)];
    const tokenOf = async (id: string, expiresInSeconds: number, of = client) =>
      (await issueEmbedUrl(stack, of, { visitor: { id }, expiresInSeconds })).token;
    const tokens = [await tokenOf("ada", 60), await tokenOf("ada", 61), await tokenOf("ada", 62)];
    expect(new Set(tokens).size).toBe(3);
    const [first = "", second = "", third = ""] = tokens;
    expect((await listAt(app, first, client.bucket)).status).toBe(200);
    expect((await listAt(app, second, client.bucket)).status).toBe(200);
    await expectLimited(await listAt(app, third, client.bucket));
    const page = await app.fetch(`${app.platformBaseUrl}/embed/files?t=${third}`, {
      headers: { Referer: `${stack.demoClient.origin}/` },
    });
    expect(page.status).toBe(429);
    expect((await listAt(app, await tokenOf("grace", 60), client.bucket)).status).toBe(200);
    // An id of another key is another person's.
    expect((await listAt(app, await tokenOf("ada", 60, another), another.bucket)).status).toBe(200);
  });

  it("for many files count as one request for each ten of them", async () => {
    const app = start({ RATE_LIMIT_PER_TOKEN: "12" });
    const client = await makeEmbedClient(stack, { files: { actions: ["download"] } });
    const { token } = await issueEmbedUrl(stack, client, { scope: { actions: ["download"] } });
    const presign = (count: number) =>
      app.fetch(`${app.platformBaseUrl}/api/embed/storage/presign-downloads`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          token,
          bucket: client.bucket,
          keys: Array.from({ length: count }, (_, index) => `${index}.txt`),
        }),
      });
    expect((await presign(100)).status).toBe(200);
    expect((await presign(10)).status).toBe(200);
    await expectLimited(await presign(11));
  });

  it("for long pages of a folder count as one request for each 200 entries that they may have", async () => {
    const app = start({ RATE_LIMIT_PER_TOKEN: "12" });
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client);
    const list = (pageSize?: number) =>
      app.fetch(
        `${app.platformBaseUrl}/api/embed/storage/list`,
        post({ token, bucket: client.bucket, pageSize }),
      );
    // 5, 5 and 1 of 12.
    for (const pageSize of [1_000, 1_000, undefined]) expect((await list(pageSize)).status).toBe(200);
    await expectLimited(await list(201));
  });

  it("for many parts of an upload count as one request for each ten of them", async () => {
    const app = start({ RATE_LIMIT_PER_TOKEN: "12" });
    const client = await makeEmbedClient(stack, { files: { actions: ["upload"] } });
    const { token } = await issueEmbedUrl(stack, client, { scope: { actions: ["upload"] } });
    const ask = (what: string, body: object) =>
      app.fetch(`${app.platformBaseUrl}/api/embed/storage/multipart/${what}`, post({ token, ...body }));
    const created = await ask("create", {
      bucket: client.bucket,
      folderPath: "/",
      fileName: "large.bin",
      contentType: "application/octet-stream",
      size: 1024 ** 3,
    });
    const { upload } = await created.json();
    const sign = (count: number) =>
      ask("sign", { upload, parts: Array.from({ length: count }, (_, index) => ({ number: index + 1 })) });
    expect((await sign(100)).status).toBe(200);
    await expectLimited(await sign(11));
  });

  it.each(["list", "find", "complete"])(
    "to %s an upload count as one for each 200 parts that it may have",
    async (what) => {
      const app = start({ RATE_LIMIT_PER_TOKEN: "12" });
      const client = await makeEmbedClient(stack, { files: { actions: ["upload"] } });
      const { token } = await issueEmbedUrl(stack, client, { scope: { actions: ["upload"] } });
      const ask = (what: string, body: object) =>
        app.fetch(`${app.platformBaseUrl}/api/embed/storage/multipart/${what}`, post({ token, ...body }));
      const file = {
        bucket: client.bucket,
        folderPath: "/",
        fileName: "large.bin",
        contentType: "application/octet-stream",
        size: 1_000 * 8 * 1024 ** 2,
      };
      const { upload } = await (await ask("create", file)).json();
      const body = what === "find" ? file : { upload };
      // 1, 5 and 5 of 12. Nothing has been sent.
      for (let count = 0; count < 2; count++)
        expect((await ask(what, body)).status).toBe(what === "complete" ? 409 : 200);
      await expectLimited(await ask(what, body));
    },
  );
  it("for events that are sent again count as one for each 200 that they may read", async () => {
    const app = start({ RATE_LIMIT_PER_KEY: "55" });
    const client = await makeEmbedClient(stack);
    const webhooks = (path: string, body: object) =>
      app.fetch(`${app.apiBaseUrl}/api/webhooks${path}`, post(body, { "X-Api-Key": client.apiKey }));
    const made = await webhooks("", { url: "https://acme.example/hooks", types: ["*"] });
    const { id } = await made.json();
    const replay = (body: object) => webhooks(`/${id}/replay`, body);
    const named = (count: number) => ({ eventIds: Array(count).fill("unknown") });
    // 50, 3 and 1 of the 54 that are left.
    for (const body of [{ since: "2026-01-01T00:00:00Z" }, named(401), named(200)])
      expect((await replay(body)).status).toBe(200);
    await expectLimited(await replay(named(1)));
  });

  it("for long pages of events count as one for each 200, and for all events as five", async () => {
    const app = start({ RATE_LIMIT_PER_KEY: "12" });
    const { apiKey } = await makeEmbedClient(stack);
    const list = (query: string, headers: HeadersInit = {}) =>
      app.fetch(`${app.apiBaseUrl}/api/events${query}`, { headers: { "X-Api-Key": apiKey, ...headers } });
    // 5, 5 and 1 of 12.
    const responses = [await list("?limit=1000"), await list("", { Accept: "text/csv" }), await list("")];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await expectLimited(await list("?limit=201"));
  });

  it("for a visitor's export of events count as five", async () => {
    const app = start({ RATE_LIMIT_PER_TOKEN: "9" });
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client, { service: "activity", scope: {} });
    const exported = () => app.fetch(`${app.platformBaseUrl}/api/embed/activity/export`, post({ token }));
    expect((await exported()).status).toBe(200);
    await expectLimited(await exported());
  });

  it("without a valid credential are limited by address, while valid ones from there are served", async () => {
    const app = start({ RATE_LIMIT_PER_ADDRESS: "3" });
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client);
    const guesses = [
      () => issueAt(app, "a-guess", client.bucket),
      () => listAt(app, `${token}x`, client.bucket),
      () => app.fetch(`${app.platformBaseUrl}/embed/files?t=guess`),
    ];
    for (const guess of guesses) expect((await guess()).status).toBe(401);
    await expectLimited(await issueAt(app, "another-guess", client.bucket));
    await expectLimited(await listAt(app, `${token}y`, client.bucket));
    expect((await issueAt(app, client.apiKey, client.bucket)).status).toBe(200);
    expect((await listAt(app, token, client.bucket)).status).toBe(200);
    expect((await app.fetch(`${app.apiBaseUrl}/readyz`)).status).toBe(200);
  });

  it("to addresses that do not exist are limited by address", async () => {
    const app = start({ RATE_LIMIT_PER_ADDRESS: "2" });
    const client = await makeEmbedClient(stack);
    for (let count = 0; count < 2; count++)
      expect((await app.fetch(`${app.apiBaseUrl}/no/such/path`)).status).toBe(404);
    await expectLimited(await app.fetch(`${app.platformBaseUrl}/no/such/path`));
    await expectLimited(await app.fetch(`${app.platformBaseUrl}/api/events`));
    expect((await issueAt(app, client.apiKey, client.bucket)).status).toBe(200);
  });

  it("for frames that are refused are limited by address, whatever is wrong with them", async () => {
    const app = start({ RATE_LIMIT_PER_ADDRESS: "6" });
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client);
    const frame = (service: string, headers?: HeadersInit, base = app.platformBaseUrl) =>
      app.fetch(`${base}/embed/${service}?t=${token}`, { headers });
    const fromClient = { Referer: `${stack.demoClient.origin}/` };
    const refused = [
      () => frame("unknown", fromClient),
      () => frame("files", fromClient, app.apiBaseUrl),
      () => frame("activity", fromClient),
      () => frame("files"),
      () => frame("files", { Referer: "https://evil.example/" }),
      () => frame("files", { Origin: "null" }),
    ];
    const statuses: number[] = [];
    for (const ask of refused) statuses.push((await ask()).status);
    expect(statuses).toEqual([404, 404, 403, 403, 403, 403]);
    for (const ask of refused) expect((await ask()).status).toBe(429);
    expect((await frame("files", fromClient)).status).toBe(200);
  });

  it("are told apart by the last address that a trusted proxy appended, not by the caller's claim", async () => {
    // Uses a built app, because the middleware `checkRequest` determines the caller's address.
    const guessesAt = async (settings: Record<string, string>, forwarded: string[]) => {
      const app = await startBuiltApp(stack, { RATE_LIMIT_PER_ADDRESS: "1", ...settings });
      const statuses: number[] = [];
      for (const address of forwarded) {
        const headers = { "X-Api-Key": "a-guess", "X-Forwarded-For": address };
        const response = await fetch(`${app.apiBaseUrl}/api/embed/url`, { method: "POST", headers });
        statuses.push(response.status);
      }
      await app.close();
      return statuses;
    };
    const trusting = guessesAt({ TRUST_PROXY: "true" }, ["10.0.0.1", "10.0.0.2", "10.0.0.9, 10.0.0.1"]);
    const untrusting = guessesAt({}, ["10.0.0.1", "10.0.0.2"]);
    const neighbours = guessesAt({ TRUST_PROXY: "true" }, ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"]);
    expect(await trusting).toEqual([401, 401, 429]);
    expect(await neighbours).toEqual([401, 429, 401]);
    expect(await untrusting).toEqual([401, 429]);
  });

  it("that record more events of a visitor than a day may have are refused, and change nothing", async () => {
    const app = start({ RATE_LIMIT_EVENTS_PER_DAY: "5" });
    const client = await makeEmbedClient(stack, { files: { actions: ["delete", "download"] } });
    const visitor = { id: "busy" };
    const scope = { actions: ["delete", "download"] };
    const { token } = await issueEmbedUrl(stack, client, { visitor, scope });
    const { token: again } = await issueEmbedUrl(stack, client, { visitor, scope, expiresInSeconds: 60 });
    const send = (operation: string, used: string, body: object) =>
      app.fetch(
        `${app.platformBaseUrl}/api/embed/storage/${operation}`,
        post({ token: used, bucket: client.bucket, ...body }),
      );
    const download = (used: string, keys: string[]) =>
      send("presign-downloads", used, { keys, disposition: "attachment" });
    expect((await download(token, ["a", "b", "c", "d"])).status).toBe(200);
    const refused = await send("delete", again, { items: [{ key: "a" }, { key: "b" }] });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(60);
    expect(await refused.json()).toEqual({
      error: "There were too many changes, uploads and downloads in a day. Try again later.",
      code: "rate_limited",
    });
    expect((await listAt(app, token, client.bucket)).status).toBe(200);
    const other = await issueEmbedUrl(stack, client, { visitor: { id: "other" } });
    expect((await download(other.token, ["a"])).status).toBe(200);
    const recorded = await query(stack.postgresUrl, `SELECT type FROM events WHERE client_id = $1`, [
      client.id,
    ]);
    expect(recorded).toHaveLength(5);
  });

  it("of events of a day count the files of a folder, whose deletion and undoing are carried through", async () => {
    const app = start({ RATE_LIMIT_EVENTS_PER_DAY: "20" });
    const bucket = await makeBucket(stack);
    await bucket.keepVersions();
    for (const folder of ["one", "other"])
      for (let index = 0; index < 8; index++) await bucket.put(`${folder}/${index}`, "x");
    const actions: ("delete" | "download")[] = ["delete", "download"];
    const client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions } });
    const { token } = await issueEmbedUrl(stack, client, { visitor: { id: "busy" }, scope: { actions } });
    const send = (operation: string, body: object) =>
      app.fetch(
        `${app.platformBaseUrl}/api/embed/storage/${operation}`,
        post({ token, bucket: bucket.name, ...body }),
      );
    /** Deletes a folder in as many requests as it takes. @returns what undoes them, and the status of the last */
    const remove = async (folderPath: string) => {
      const undo: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const response = await send("delete", { items: [{ folderPath }], cursor });
        const deleted = await response.json();
        if (deleted.undo) undo.push(deleted.undo);
        if (!deleted.cursor) return { undo, status: response.status };
        cursor = deleted.cursor;
      }
    };
    const { undo } = await remove("/one");
    for (const one of undo) expect((await send("restore", { undo: one })).status).toBe(200);
    expect(await bucket.list()).toHaveLength(16);
    expect((await remove("/other")).status).toBe(200);
    expect((await remove("/one")).status).toBe(429);
    expect(await bucket.list()).toContain("one/0");
  });

  it("of events of a day end changes that are continued again and again from one cursor", async () => {
    const app = start({ RATE_LIMIT_EVENTS_PER_DAY: "20" });
    const bucket = await makeBucket(stack);
    await bucket.keepVersions();
    for (let index = 0; index < 8; index++) await bucket.put(`from/a/${index}`, "x");
    const actions: ("organize" | "delete" | "download")[] = ["organize", "delete", "download"];
    const client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions } });
    const { token } = await issueEmbedUrl(stack, client, { visitor: { id: "tireless" }, scope: { actions } });
    const send = (operation: string, body: object) =>
      app.fetch(
        `${app.platformBaseUrl}/api/embed/storage/${operation}`,
        post({ token, bucket: bucket.name, ...body }),
      );
    const copy = { items: [{ folderPath: "/from/a" }], to: "/to", onConflict: "fail" };
    const remove = { items: [{ folderPath: "/to/a" }] };
    const copyAgain = { ...copy, ...(await cursorOf(await send("copy", copy))) };
    const removeAgain = { ...remove, ...(await cursorOf(await send("delete", remove))) };
    const statuses = async () => [
      (await send("copy", copyAgain)).status,
      (await send("delete", removeAgain)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await expect.poll(statuses).toEqual([429, 429]);
    // 18 are left of the limit, and as many as it again may be recorded by changes that have begun.
    const recorded = await query(
      stack.postgresUrl,
      "SELECT id FROM events WHERE bucket = $1 AND type IN ('file.copied', 'file.deleted')",
      [bucket.name],
    );
    expect(recorded.length).toBeLessThanOrEqual(50);
  });

  it("are counted across processes with RATE_LIMIT_STORE=postgres, without storing keys", async () => {
    const settings = { RATE_LIMIT_PER_KEY: "4", RATE_LIMIT_STORE: "postgres" };
    const replicas = [start(settings), start(settings)];
    const client = await makeEmbedClient(stack);
    for (let count = 0; count < 4; count++) {
      const [app] = replicas.reverse();
      if (app) expect((await issueAt(app, client.apiKey, client.bucket)).status).toBe(200);
    }
    for (const app of replicas) await expectLimited(await issueAt(app, client.apiKey, client.bucket));
    const rows = await query(stack.postgresUrl, "SELECT key FROM rate_limits");
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(client.apiKey.slice(0, 12));
  });

  it("to endpoints that a proxy guards count for the key, not for the address", async () => {
    const app = start({
      RATE_LIMIT_PER_ADDRESS: "1",
      RATE_LIMIT_PER_KEY: "3",
      API_ALLOW_ANONYMOUS: "true",
    });
    const list = () => app.fetch(`${app.apiBaseUrl}/api/cluster/databases?companyId=nobody`);
    for (let count = 0; count < 3; count++) expect((await list()).status).toBe(404);
    await expectLimited(await list());
  });

  it("are counted for the accepted credential, whatever other headers are sent", async () => {
    const app = start({
      RATE_LIMIT_PER_TOKEN: "2",
      RATE_LIMIT_PER_KEY: "2",
      API_BEARER_TOKEN: "a-bearer-token-of-more-than-32-characters",
    });
    const client = await makeEmbedClient(stack);
    const { token } = await issueEmbedUrl(stack, client);
    const list = (count: number) =>
      app.fetch(
        `${app.platformBaseUrl}/api/embed/storage/list`,
        post(
          { token, bucket: client.bucket },
          { "X-Api-Key": `random-${count}`, Authorization: `random ${count}` },
        ),
      );
    const databases = (count: number) =>
      app.fetch(`${app.apiBaseUrl}/api/cluster/databases?companyId=nobody`, {
        headers: {
          Authorization: `Bearer${" ".repeat(count + 1)}a-bearer-token-of-more-than-32-characters`,
          "X-Api-Key": `random-${count}`,
        },
      });
    for (const ask of [list, databases]) {
      const statuses = [await ask(0), await ask(1), await ask(2)].map(({ status }) => status);
      expect(statuses.slice(0, 2)).not.toContain(429);
      expect(statuses[2]).toBe(429);
    }
  });

  it("that are malformed or go to an open endpoint are counted by address", async () => {
    const app = start({ RATE_LIMIT_PER_ADDRESS: "2" });
    const malformed = () => app.fetch(`${app.platformBaseUrl}/api/embed/storage/list`, post({ bucket: 1 }));
    expect([(await malformed()).status, (await malformed()).status, (await malformed()).status]).toEqual([
      400, 400, 429,
    ]);
    const open = (count: number) =>
      app.fetch(`${app.apiBaseUrl}/openapi.json`, { headers: { Authorization: `random ${count}` } });
    expect((await open(1)).status).toBe(429);
    expect((await app.fetch(`${app.platformBaseUrl}/locales/files.de.json`)).status).toBe(429);
  });

  it("are not counted if the limit is 0", async () => {
    const app = start({ RATE_LIMIT_PER_ADDRESS: "0", RATE_LIMIT_PER_KEY: "0" });
    for (let count = 0; count < 30; count++) expect((await issueAt(app, "a-guess", "b")).status).toBe(401);
  });
});

async function cursorOf(response: Response): Promise<{ cursor: string }> {
  const { cursor } = await response.json();
  return { cursor };
}
