/** `limits.maxTotalBytes`: nothing is signed, copied or restored that would exceed it, and nothing tells of what is outside a token's scope. */
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { addCatalogue, findCatalogue } from "../../app/catalogue/catalogues.server";
import { observeObjects } from "../../app/catalogue/observe-objects.server";
import { scanCatalogue } from "../../app/catalogue/scan-catalogue.server";
import { createEmbedClient } from "../../app/embed/manage-embed-clients.server";
import { findVisibleEvents, listVisibleEvents } from "../../app/events/visible-events.server";
import { services } from "../../app/services/registry.server";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
const TOKEN = "a-token-of-the-operator-of-this-deployment";
let url: string;
let apps: [RouteApp, RouteApp];

beforeAll(async () => {
  url = await makeDatabase(stack);
  const settings = { POSTGRES_URL: url, API_BEARER_TOKEN: TOKEN };
  apps = [createRouteApp(stack, settings), createRouteApp(stack, settings)];
  await query(url, "INSERT INTO companies (id, name) VALUES ('acme', 'Acme')");
});
afterAll(async () => {
  await Promise.all((apps ?? []).map((app) => app.close()));
});

const catalogueOf = async (bucket: TestBucket, { database, objectStore } = apps[0]) => {
  const catalogue = await addCatalogue(database, bucket.name);
  await scanCatalogue({ database, objectStore }, catalogue, { signal: new AbortController().signal });
};

/** The catalogue learns what the bucket holds at some keys. */
const note = (bucket: TestBucket, ...keys: string[]) => noteOf(apps[0], bucket, ...keys);
async function noteOf({ database, objectStore }: RouteApp, { name: bucket }: TestBucket, ...keys: string[]) {
  const names = keys.map((key) => ({ bucket, key }));
  await observeObjects({ database, objectStore }, names);
}

const actions = ["download", "upload", "organize", "delete", "history", "purge"];

const makeKey = async (bucket: TestBucket, files: object = {}) =>
  createEmbedClient(
    apps[0].database,
    {
      ...{
        company: { id: "acme" },
        name: "Portal",
        services: ["files"],
        origins: ["https://portal.example"],
      },
      policies: { files: { buckets: [bucket.name], actions, ...files } },
    },
    services,
  );

async function tokenFor({ apiKey }: { apiKey: string }, scope: object): Promise<string> {
  const response = await apps[0].fetch(`${apps[0].apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": apiKey },
    body: JSON.stringify({ service: "files", scope }),
  });
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return new URL(body.url).searchParams.get("t") ?? "";
}

async function call(what: string, body: object, app = apps[0]) {
  const response = await app.fetch(`${app.platformBaseUrl}/api/embed/storage/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
const refused = { status: 403, body: { code: "quota_exceeded" } };

/** A bucket with a catalogue, and a token for it with a quota. */
async function start(
  maxTotalBytes: number,
  stored: Record<string, string> = {},
  { versions = false, at = stack, app = apps[0] } = {},
) {
  const bucket = await makeBucket(at);
  if (versions) await bucket.keepVersions();
  for (const [key, text] of Object.entries(stored)) await bucket.put(key, text);
  await catalogueOf(bucket, app);
  const client = await makeKey(bucket, { limits: { maxTotalBytes } });
  const token = await tokenFor(client, { bucket: bucket.name, actions });
  const where = { token, bucket: bucket.name };
  const presign = (fileName: string, size?: number, changes: object = {}, app?: RouteApp) =>
    call(
      "presign-upload",
      { ...where, folderPath: "/", fileName, contentType: "text/plain", size, ...changes },
      app,
    );
  return { bucket, client, token, where, presign };
}

describe("a policy with a quota", () => {
  it("needs a complete catalogue of each bucket, and says how to make one", async () => {
    const bucket = await makeBucket(stack);
    const issues = [
      {
        path: "allowedScopes.files",
        message: expect.stringContaining(`npm run catalogue -- add ${bucket.name}`),
      },
    ];
    const limits = { maxTotalBytes: 10 };
    await expect(makeKey(bucket, { limits })).rejects.toMatchObject({ code: "invalid_request", issues });
    await addCatalogue(apps[0].database, bucket.name);
    await expect(makeKey(bucket, { limits })).rejects.toMatchObject({ issues });
    const { id } = await makeKey(bucket);
    const change = () =>
      apps[0].fetch(`${apps[0].apiBaseUrl}/api/embed/clients/${id}`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ allowedScopes: { files: { buckets: [bucket.name], limits } } }),
      });
    expect((await change()).status).toBe(400);
    await catalogueOf(bucket);
    expect((await change()).status).toBe(200);
  });

  it("ends the tokens that were issued before it had one, and holds at once for all others as it is changed", async () => {
    const { bucket, client, presign } = await start(10);
    const free = await makeKey(bucket);
    const before = await tokenFor(free, { bucket: bucket.name });
    const change = (id: string, maxTotalBytes: number) =>
      apps[0].fetch(`${apps[0].apiBaseUrl}/api/embed/clients/${id}`, {
        method: "PATCH",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({
          allowedScopes: { files: { buckets: [bucket.name], actions, limits: { maxTotalBytes } } },
        }),
      });
    await change(free.id, 10);
    const second = createRouteApp(stack, { POSTGRES_URL: url });
    const file = { bucket: bucket.name, folderPath: "/", fileName: "a", contentType: "text/plain", size: 1 };
    expect(await call("presign-upload", { token: before, ...file }, second)).toMatchObject({
      body: { code: "token_revoked" },
    });
    await second.close();
    await change(client.id, 4);
    expect(await presign("a", 5)).toMatchObject(refused);
    expect(await presign("a", 4)).toMatchObject({ status: 200 });
  });
});

describe("uploads", () => {
  it("200 at once, of two replicas, get the last bytes and no more", async () => {
    const { presign } = await start(1_000, { "old.txt": "x".repeat(900) });
    const signed = await Promise.all(
      Array.from({ length: 200 }, async (_, number) => {
        const size = 1 + ((number * 37) % 30);
        const { status } = await presign(`${number}.txt`, size, {}, apps[number % 2]);
        // A busy machine may refuse some until later.
        expect([200, 403, 503]).toContain(status);
        return status === 200 ? size : 0;
      }),
    );
    const bytes = signed.reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeLessThanOrEqual(100);
    if (bytes < 100) expect(await presign("exactly.txt", 100 - bytes)).toMatchObject({ status: 200 });
    expect(await presign("more.txt", 1)).toMatchObject(refused);
  });

  it("need their size, which the store enforces", async () => {
    const { presign } = await start(10);
    expect(await presign("a.txt")).toMatchObject({
      status: 400,
      body: { issues: [{ path: "size" }] },
    });
    for (const size of [0, 3]) {
      const { body } = await presign(`${size}.txt`, size);
      const sent = await fetch(body.url, { method: "PUT", headers: body.headers, body: "12345" });
      expect(sent.status).toBe(403);
    }
  });

  it("in parts keep their room until they are aborted or complete, and parts have the size that was declared", async () => {
    const { where, presign, bucket } = await start(20_000_000);
    const film = {
      ...where,
      folderPath: "/",
      fileName: "film.mp4",
      contentType: "video/mp4",
      size: 17_000_000,
    };
    const created = await call("multipart/create", film);
    expect(created).toMatchObject({ status: 200 });
    expect(await presign("more.txt", 4_000_000)).toMatchObject(refused);
    // The same file once more takes no further room.
    const again = await call("multipart/create", { ...film, fileName: "film.mp4" });
    expect(again).toMatchObject({ status: 200 });
    const { token } = where;
    const { upload } = created.body;
    const { body: signed } = await call("multipart/sign", { token, upload, parts: [{ number: 1 }] });
    const part = signed.parts[0];
    const larger = new Uint8Array(created.body.partSize + 1);
    expect((await fetch(part.url, { method: "PUT", headers: part.headers, body: larger })).status).toBe(403);
    for (const one of [upload, again.body.upload])
      expect(await call("multipart/abort", { token, upload: one })).toMatchObject({
        body: { aborted: true },
      });
    // Completing it takes the room once more, and finds nothing to complete.
    expect((await call("multipart/complete", { token, upload })).status).toBe(404);
    expect(await presign("more.txt", 4_000_000)).toMatchObject({ status: 200 });
    expect(await bucket.list()).toEqual([]);
  });

  it("complete and aborted at once are counted as what has happened", async () => {
    const { where, presign, bucket } = await start(10);
    const { token } = where;
    const file = { ...where, folderPath: "/", fileName: "a.bin", contentType: "text/plain", size: 8 };
    const { body: created } = await call("multipart/create", file);
    const { body: signed } = await call("multipart/sign", {
      token,
      upload: created.upload,
      parts: [{ number: 1 }],
    });
    const [part] = signed.parts;
    expect((await fetch(part.url, { method: "PUT", headers: part.headers, body: "12345678" })).status).toBe(
      200,
    );
    await Promise.all([
      call("multipart/complete", { token, upload: created.upload }),
      call("multipart/abort", { token, upload: created.upload }, apps[1]),
    ]);
    const left = (await bucket.list()).length > 0 ? 2 : 10;
    expect(await presign("b.txt", left + 1)).toMatchObject(refused);
    expect(await presign("b.txt", left)).toMatchObject({ status: 200 });
  });

  it("of a handle that is older than the quota have no room for nothing", async () => {
    const bucket = await makeBucket(stack);
    await bucket.put("full", "x".repeat(10));
    await catalogueOf(bucket);
    const free = {
      token: await tokenFor(await makeKey(bucket), { bucket: bucket.name }),
      bucket: bucket.name,
    };
    const file = { folderPath: "/", fileName: "a.bin", contentType: "text/plain", size: 8 };
    const { body: created } = await call("multipart/create", { ...free, ...file });
    const parts = [{ number: 1 }];
    const { body: signed } = await call("multipart/sign", {
      token: free.token,
      upload: created.upload,
      parts,
    });
    const [part] = signed.parts;
    await fetch(part.url, { method: "PUT", headers: part.headers, body: "12345678" });
    const client = await makeKey(bucket, { limits: { maxTotalBytes: 12 } });
    const token = await tokenFor(client, { bucket: bucket.name });
    expect(await call("multipart/complete", { token, upload: created.upload })).toMatchObject(refused);
  });

  it("to a hand-in page are told no number", async () => {
    const { bucket } = await start(10, { "inbox/secret": "123456" });
    const client = await makeKey(bucket, {
      ...{ view: "hand-in", uploadFolders: ["/inbox"], actions: ["upload"], limits: { maxTotalBytes: 9 } },
    });
    const token = await tokenFor(client, { bucket: bucket.name });
    const file = {
      token,
      bucket: bucket.name,
      folderPath: "/inbox",
      fileName: "a",
      contentType: "text/plain",
    };
    const full = await call("presign-upload", { ...file, size: 4 });
    expect(full).toMatchObject(refused);
    const { requestId: _, ...told } = full.body;
    expect(JSON.stringify(told)).not.toMatch(/\d/);
    expect(await call("presign-upload", { ...file, size: 3 })).toMatchObject({ status: 200 });
  });

  it("hold to the quotas of token and policy, of which each counts its own folders", async () => {
    const { bucket } = await start(100, { "acme/a/1": "1234", "acme/b/2": "1234" });
    const client = await makeKey(bucket, { paths: ["/acme"], limits: { maxTotalBytes: 20 } });
    const token = await tokenFor(client, {
      ...{ bucket: bucket.name, path: "/acme/a", limits: { maxTotalBytes: 10 } },
    });
    const inA = { token, bucket: bucket.name, folderPath: "/acme/a", contentType: "text/plain" };
    expect(await call("presign-upload", { ...inA, fileName: "x", size: 7 })).toMatchObject(refused);
    expect(await call("presign-upload", { ...inA, fileName: "x", size: 6 })).toMatchObject({ status: 200 });
    // Another key of the company, for the folder beside it, finds six bytes of the policy's twenty.
    const beside = await makeKey(bucket, { paths: ["/acme"], limits: { maxTotalBytes: 20 } });
    const other = { token: await tokenFor(beside, { bucket: bucket.name, path: "/acme/b" }) };
    const inB = { ...inA, ...other, folderPath: "/acme/b", fileName: "y" };
    expect(await call("presign-upload", { ...inB, size: 7 }, apps[1])).toMatchObject(refused);
    expect(await call("presign-upload", { ...inB, size: 6 }, apps[1])).toMatchObject({ status: 200 });
    const wide = await tokenFor(client, {
      bucket: bucket.name,
      path: "/acme",
      limits: { maxTotalBytes: 99 },
    });
    const more = { ...inA, token: wide, folderPath: "/acme", fileName: "z", size: 1 };
    expect(await call("presign-upload", more)).toMatchObject(refused);
  });
});

describe("changes", () => {
  it("copy what there is room for, also out of a folder, and say what there is not", async () => {
    const { bucket, where, presign } = await start(20, { "a/1": "1234", "a/2": "1234", "a/3": "1234" });
    const items = [{ folderPath: "/a" }];
    const begun = await call("copy", { ...where, items, to: "/b", onConflict: "replace" });
    expect(begun.body).toMatchObject({ done: 2, failed: [{ code: "quota_exceeded" }] });
    await note(bucket, ...(await bucket.list()));
    expect(await presign("x", 1)).toMatchObject(refused);
    // Replacing by as many bytes, moving and renaming add nothing.
    const same = await call("copy", { ...where, items: [{ key: "a/1" }], to: "/b/a", onConflict: "replace" });
    expect(same.body).toMatchObject({ failed: [] });
    const moved = await call("move", { ...where, items: [{ key: "a/2" }], to: "/c", onConflict: "replace" });
    expect(moved.body).toMatchObject({ done: 1, failed: [] });
  });

  it("move a file whose upload URL can be used again only while there is room for two of them", async () => {
    const { bucket, where, presign } = await start(10, {}, { versions: true });
    const { body: signed } = await presign("k", 6);
    const put = async () => {
      const response = await fetch(signed.url, { method: "PUT", headers: signed.headers, body: "123456" });
      expect(response.status).toBe(200);
    };
    const move = (key: string, name: string) =>
      call("move", { ...where, items: [{ key }], to: "/", name, onConflict: "replace" });
    await put();
    await note(bucket, "k");
    expect((await move("k", "moved")).body).toMatchObject({ done: 0, failed: [{ code: "quota_exceeded" }] });
    expect(await bucket.list()).toEqual(["k"]);
    // Nothing can arrive at "k" any more.
    await query(url, "UPDATE quota_reservations SET held_until = made_at");
    expect((await move("k", "moved")).body).toMatchObject({ done: 1, failed: [] });
    await note(bucket, "k", "moved");
    expect(await bucket.list()).toEqual(["moved"]);
    expect((await move("moved", "k")).body).toMatchObject({ done: 1, failed: [] });
  });

  it("keep no room for a move back during which the store could not be asked what to bring back", async () => {
    const settings = { POSTGRES_URL: url, API_BEARER_TOKEN: TOKEN };
    const faulty = await startFaultyStore(stack);
    const app = createRouteApp(faulty.stack, settings);
    onTestFinished(async () => {
      await app.close();
      await faulty.close();
    });
    const files = { a: "123456" };
    const { bucket, where, presign } = await start(24, files, { versions: true, at: faulty.stack, app });
    const move = (key: string, to: string) =>
      call("move", { ...where, items: [{ key }], to, onConflict: "fail" }, app);
    expect((await move("a", "/to")).body).toMatchObject({ done: 1 });
    await noteOf(app, bucket, "a", "to/a");
    // Its URL could fill "to/a" anew after the move back.
    expect(await presign("a", 6, { folderPath: "/to" }, app)).toMatchObject({ status: 200 });
    faulty.intercept = ({ query }) =>
      query.has("versions") ? { error: { status: 503, code: "SlowDown" } } : undefined;
    expect(await move("to/a", "/")).toMatchObject({ status: 503 });
    faulty.intercept = null;
    expect(await bucket.list()).not.toContain("a");
    expect(await presign("b", 18, {}, app)).toMatchObject({ status: 200 });
  });

  it("restore versions and deleted files, and undo a deletion, only while there is room", async () => {
    const { bucket, where, presign } = await start(10, { "a.txt": "12345678" }, { versions: true });
    const { body: deleted } = await call("delete", { ...where, items: [{ key: "a.txt" }] });
    await note(bucket, "a.txt");
    expect(await presign("b.txt", 9)).toMatchObject({ status: 200 });
    const undone = await call("restore", { ...where, undo: deleted.undo });
    expect(undone.body).toMatchObject({ restored: 0, failed: [{ key: "a.txt", code: "quota_exceeded" }] });
    const { body: found } = await call("versions", { ...where, key: "a.txt" });
    const { versionId } = found.versions.at(-1);
    const restore = () =>
      call("restore", { ...where, items: [{ key: "a.txt", versionId }], onConflict: "replace" });
    expect((await restore()).body).toMatchObject({ restored: 0, failed: [{ code: "quota_exceeded" }] });
    expect(await bucket.list()).toEqual([]);
    await query(url, "UPDATE quota_reservations SET held_until = made_at");
    expect((await restore()).body).toMatchObject({ restored: 1, failed: [] });
  });
});

describe("how full a quota is", () => {
  const eventsOf = async (bucket: TestBucket) => {
    await apps[0].events.flush();
    const rows = await query<{ key: string; data: { percent: number; usedBytes: number } }>(
      url,
      "SELECT key, data FROM events WHERE type = 'usage.threshold' AND bucket = $1 ORDER BY (data->>'percent')::int",
      [bucket.name],
    );
    return rows.map(({ key, data: { percent, usedBytes } }) => ({ key, percent, usedBytes }));
  };

  it("is an event at 80 and 95 percent and when there is no room, each once a day", async () => {
    const { bucket, presign, client } = await start(100);
    await presign("a", 79);
    expect(await eventsOf(bucket)).toEqual([]);
    await presign("b", 1);
    expect(await eventsOf(bucket)).toEqual([{ key: "", percent: 80, usedBytes: 80 }]);
    await presign("c", 18);
    for (const name of ["d", "e"]) expect(await presign(name, 3)).toMatchObject(refused);
    expect(await eventsOf(bucket)).toEqual([
      { key: "", percent: 80, usedBytes: 80 },
      { key: "", percent: 95, usedBytes: 98 },
      { key: "", percent: 100, usedBytes: 98 },
    ]);
    const response = await apps[0].fetch(`${apps[0].apiBaseUrl}/api/events?type=usage.*`, {
      headers: { "X-Api-Key": client.apiKey },
    });
    const { events } = await response.json();
    const own = events.filter(
      ({ subject }: { subject: { bucket: string } }) => subject.bucket === bucket.name,
    );
    expect(own).toHaveLength(3);
    expect(own[0]).toMatchObject({
      subject: { bucket: bucket.name, key: "" },
      data: { paths: ["/"], buckets: [bucket.name] },
    });
  });

  it("is told to no visitor", async () => {
    const { bucket, presign } = await start(10);
    await presign("a", 10);
    expect(await eventsOf(bucket)).toHaveLength(2);
    const { database } = apps[0];
    const reach = { companyId: "acme", bucket: bucket.name, prefix: "" };
    const told = [];
    for await (const events of findVisibleEvents({}, reach, database)) told.push(...events);
    expect(told).toEqual([]);
    const settings = { database, signingSecrets: apps[0].env.embedSigningSecrets };
    await expect(listVisibleEvents({}, {}, reach, settings)).resolves.toMatchObject({ events: [] });
  });
});

describe("what a visitor sees of a quota", () => {
  const pageOf = async (token: string) => {
    const page = await apps[0].fetch(`${apps[0].platformBaseUrl}/embed/files?t=${token}`, {
      headers: { Referer: "https://portal.example/" },
    });
    const body = await page.json();
    expect(page.status, JSON.stringify(body)).toBe(200);
    return body.content;
  };

  /** What the page has, and the operation; null: nothing. */
  const quotaFor = async (bucket: TestBucket, client: { apiKey: string }, scope: object = {}) => {
    const token = await tokenFor(client, { bucket: bucket.name, ...scope });
    const { status, body } = await call("quota", { token, bucket: bucket.name });
    expect(status, JSON.stringify(body)).toBe(200);
    // On a busy machine the page may come without it.
    const ofPage = async () => (await pageOf(token)).quota;
    await expect.poll(ofPage, { timeout: 20_000 }).toEqual(body.quota);
    return body.quota;
  };
  const stored = { "acme/a/1": "1234", "acme/b/2": "123", "other/secret": "123456789" };

  it("is how full it is, also after an upload and a deletion", async () => {
    const { bucket, where, presign } = await start(100, stored);
    const told = createRouteApp(stack, { POSTGRES_URL: url, CATALOGUE_MAX_LAG_SECONDS: "3600" });
    const used = async () => (await call("quota", where, told)).body.quota;
    expect(await used()).toEqual({ usedBytes: 16, maxBytes: 100 });
    const { body: signed } = await presign("new.txt", 5, {}, told);
    await fetch(signed.url, { method: "PUT", headers: signed.headers, body: "12345" });
    expect(await used()).toEqual({ usedBytes: 21, maxBytes: 100 });
    await call("delete", { ...where, items: [{ key: "other/secret" }] }, told);
    expect(await used()).toEqual({ usedBytes: 12, maxBytes: 100 });
    const elsewhere = await call("quota", { ...where, bucket: `${bucket.name}-other` }, told);
    expect(elsewhere).toMatchObject({ status: 403 });
    await told.close();
  });

  it("is told only if it counts nothing outside of the token's folder", async () => {
    const { bucket } = await start(100, stored);
    const limits = { maxTotalBytes: 50 };
    const acme = await makeKey(bucket, { paths: ["/acme"], limits });
    expect(await quotaFor(bucket, acme)).toEqual({ usedBytes: 7, maxBytes: 50 });
    expect(await quotaFor(bucket, acme, { path: "/acme/a" })).toBeNull();
    // Its own quota counts its own folder, whatever the policy's counts.
    const own = { path: "/acme/a", limits: { maxTotalBytes: 20 } };
    expect(await quotaFor(bucket, acme, own)).toEqual({ usedBytes: 4, maxBytes: 20 });
    const two = await makeKey(bucket, { paths: ["/acme", "/other"], limits });
    expect(await quotaFor(bucket, two, { path: "/acme" })).toBeNull();
    const second = await makeBucket(stack);
    await catalogueOf(second);
    const both = await makeKey(bucket, { buckets: [bucket.name, second.name], limits });
    expect(await quotaFor(bucket, both)).toBeNull();
    const elsewhere = await makeKey(bucket, { paths: ["/acme"], uploadFolders: ["/other"], limits });
    expect(await quotaFor(bucket, elsewhere)).toBeNull();
    // A key for all customers, whose tokens have a quota each.
    const all = await makeKey(bucket);
    expect(await quotaFor(bucket, all, { path: "/acme", limits })).toEqual({ usedBytes: 7, maxBytes: 50 });
  });

  it("is nothing without one, with requireTag, without a catalogue and on a hand-in page", async () => {
    const { bucket } = await start(100, stored);
    const limits = { maxTotalBytes: 50 };
    const free = await makeKey(bucket);
    expect(await quotaFor(bucket, free)).toBeNull();
    const requireTag = { key: "scan", value: "clean" };
    expect(await quotaFor(bucket, free, { limits, requireTag })).toBeNull();
    const bare = await makeBucket(stack);
    expect(await quotaFor(bare, await makeKey(bare), { limits })).toBeNull();
    const handIn = await tokenFor(free, {
      ...{ bucket: bucket.name, view: "hand-in", uploadFolder: "/acme", limits },
    });
    expect(await call("quota", { token: handIn, bucket: bucket.name })).toMatchObject({ status: 403 });
    expect(JSON.stringify(await pageOf(handIn))).not.toContain("usedBytes");
  });
});

describe("without a quota", () => {
  it("nothing is asked and nothing reserved", async () => {
    const bucket = await makeBucket(stack);
    const token = await tokenFor(await makeKey(bucket), { bucket: bucket.name });
    const file = {
      token,
      bucket: bucket.name,
      folderPath: "/",
      fileName: "a",
      contentType: "text/plain",
      size: 1,
    };
    const [before] = await query<{ count: string }>(url, "SELECT count(*) FROM quota_reservations");
    expect(await call("presign-upload", file)).toMatchObject({ status: 200 });
    expect(await query(url, "SELECT count(*) FROM quota_reservations")).toEqual([before]);
    expect(await findCatalogue(apps[0].database, bucket.name)).toBeNull();
  });
});
