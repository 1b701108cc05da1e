/** Files that can be read only with a tag: every way to read or spread one, with and without it, and what an attacker may try. */
import { randomUUID } from "node:crypto";
import {
  GetObjectTaggingCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectTaggingCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { copyItems } from "../../app/services/files/changes/copy-items.server";
import { copyBounds } from "../../app/services/files/changes/copy-large.server";
import { scopeActions } from "../../app/services/files/place/actions";
import { MiB } from "../../embed-element/shared/part-sizes";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";
import { testGrant } from "../support/files/grant";
import { emptyDatabase, testEvents } from "../support/files/test-events";

const requireTag = { key: "GuardDutyMalwareScanStatus", value: "NO_THREATS_FOUND" };
const CLEAN = { [requireTag.key]: requireTag.value };
const INFECTED = { [requireTag.key]: "THREATS_FOUND" };

const stack = inject("stack");
let faulty: FaultyStore;
let app: RouteApp;
let impatient: RouteApp;
let store: S3Client;
let bucket: TestBucket;
let client: TestEmbedClient;
let ask: Caller;
/** tag requests that the store has received */
let tagRequests = 0;

// biome-ignore lint/suspicious/noExplicitAny: the contract of each response is checked by createRouteApp
type Answer = { status: number; body: any };
type Caller = (endpoint: string, body: object) => Promise<Answer>;

beforeAll(async () => {
  faulty = await startFaultyStore(stack);
  app = createRouteApp(faulty.stack);
  impatient = createRouteApp(faulty.stack, { CLOUD_S3_TIMEOUT_SECONDS: "2" });
  const { endpoint, region, accessKeyId, secretAccessKey } = faulty.stack.objectStore;
  store = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
  });
  bucket = await makeBucket(faulty.stack);
  await bucket.keepVersions();
  client = await makeEmbedClient(faulty.stack, {
    bucket: bucket.name,
    files: { actions: [...scopeActions], requireTag },
  });
  ask = await callerOf(client);
});
afterEach(() => {
  faulty.intercept = null;
});
afterAll(async () => {
  await app.close();
  await impatient.close();
  await faulty.close();
});

const post = (address: string, body: object, by = app) =>
  by.fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });

async function callerOf(of: TestEmbedClient, scope: object = {}, by = app): Promise<Caller> {
  const issued = await issueEmbedUrl(stack, of, { scope: { actions: scopeActions, ...scope } });
  return callerWith(issued.token, of.bucket, by);
}

function callerWith(token: string, name: string, by = app): Caller {
  return async (endpoint, body) => {
    const address = `${faulty.stack.platformBaseUrl}/api/embed/storage/${endpoint}`;
    const response = await post(address, { token, bucket: name, ...body }, by);
    return { status: response.status, body: await response.json() };
  };
}

/** A key in a folder of its own. */
const newKey = (name = "a.txt") => `place-${randomUUID().slice(0, 8)}/${name}`;
const folderOf = (key: string) => `/${key.slice(0, key.lastIndexOf("/"))}`;

async function put(key: string, text: string, tags?: Record<string, string>) {
  await bucket.put(key, text, "text/plain");
  if (tags) await tag(key, tags);
}

async function tag(Key: string, tags: Record<string, string>, VersionId?: string) {
  const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const object = { Bucket: bucket.name, Key, VersionId };
  await store.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
}

async function tagsOf(Key: string, VersionId?: string): Promise<Record<string, string>> {
  const object = { Bucket: bucket.name, Key, VersionId };
  const { TagSet = [] } = await store.send(new GetObjectTaggingCommand(object));
  return Object.fromEntries(TagSet.map(({ Key = "", Value = "" }) => [Key, Value]));
}

/** Newest first. */
async function versionsOf(key: string): Promise<string[]> {
  const command = new ListObjectVersionsCommand({ Bucket: bucket.name, Prefix: key });
  return ((await store.send(command)).Versions ?? []).map(({ VersionId = "" }) => VersionId);
}

/** Repeats a change until nothing is left to do. */
async function finish(endpoint: string, body: object, call = ask) {
  const total = { done: 0, failed: [] as { key: string; code: string }[] };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body: answer } = await call(endpoint, { ...body, ...(cursor && { cursor }) });
    expect([status, answer]).toEqual([200, answer]);
    total.done += answer.done ?? answer.restored;
    total.failed.push(...answer.failed);
    cursor = answer.cursor;
  }
  return total;
}

const countTagRequests = () => {
  tagRequests = 0;
  faulty.intercept = ({ query }) => {
    if (query.has("tagging")) tagRequests += 1;
    return {};
  };
};

const states = [
  ["without the tag", undefined, 409, "being_checked"],
  ["with other tags only", { kind: "letter" }, 409, "being_checked"],
  [
    "with the tag's name in other letters",
    { guarddutymalwarescanstatus: "NO_THREATS_FOUND" },
    409,
    "being_checked",
  ],
  ["with another value", INFECTED, 403, "blocked"],
  ["with a value that only begins alike", { [requireTag.key]: "NO_THREATS_FOUND_" }, 403, "blocked"],
] as const;

describe("a file", () => {
  it("with the tag can be downloaded and shown; each URL costs one more request", async () => {
    const key = newKey();
    await put(key, "clean", { ...CLEAN, kind: "letter" });
    countTagRequests();
    for (const disposition of ["attachment", "inline"]) {
      const { status, body } = await ask("presign-download", { key, disposition });
      expect(status).toBe(200);
      expect(await (await fetch(body.url)).text()).toBe("clean");
    }
    const { body } = await ask("presign-downloads", { keys: [key, key], purpose: "thumbnail" });
    for (const { url } of body.downloads) expect(await (await fetch(url)).text()).toBe("clean");
    expect(tagRequests).toBe(4);
  });

  it.each(states)("%s cannot be downloaded or shown", async (_, tags, status, code) => {
    const key = newKey();
    await put(key, "secret", tags);
    for (const disposition of ["attachment", "inline"]) {
      const refused = await ask("presign-download", { key, disposition });
      expect(refused).toMatchObject({ status, body: { code } });
      expect(JSON.stringify(refused.body)).not.toContain("Signature");
      const byName = { folderPath: folderOf(key), fileName: "a.txt", disposition };
      expect(await ask("presign-download", byName)).toMatchObject({ status, body: { code } });
      const several = await ask("presign-downloads", { keys: [key], disposition });
      expect(several.body.downloads).toEqual([{ key, error: code }]);
    }
  });

  it("is among others in one request, and each is told apart", async () => {
    const [clean, checking, infected] = [newKey("a"), newKey("b"), newKey("c")];
    await put(clean, "clean", CLEAN);
    await put(checking, "checking");
    await put(infected, "infected", INFECTED);
    const keys = [clean, checking, infected, newKey("gone")];
    const { body } = await ask("presign-downloads", { keys });
    expect(body.downloads).toMatchObject([
      { key: clean, url: expect.stringContaining("versionId=") },
      { error: "being_checked" },
      { error: "blocked" },
      { error: "not_found" },
    ]);
    countTagRequests();
    const checked = await ask("presign-downloads", { keys, check: true });
    expect(checked.body.downloads).toEqual([
      { key: clean },
      { key: checking, error: "being_checked" },
      { key: infected, error: "blocked" },
      { key: keys[3], error: "not_found" },
    ]);
    expect(tagRequests).toBe(4);
  });

  it("is told of files to be chosen also to a token that signs no downloads", async () => {
    const [clean, checking] = [newKey(), newKey()];
    for (const key of [clean, checking]) await put(key, "text");
    await bucket.tag(clean, CLEAN);
    const chooser = await callerOf(client, { actions: ["upload"] });
    const keys = [clean, checking];
    const { body } = await chooser("presign-downloads", { keys, check: true });
    expect(body.downloads).toEqual([{ key: clean }, { key: checking, error: "being_checked" }]);
    const signed = await chooser("presign-downloads", { keys });
    expect(signed.body.downloads).toEqual(keys.map((key) => ({ key, error: "scope_not_allowed" })));
  });

  it("costs no request for tags where none is required", async () => {
    const free = await makeEmbedClient(faulty.stack, {
      bucket: bucket.name,
      files: { actions: [...scopeActions] },
    });
    const call = await callerOf(free);
    const key = newKey();
    await put(key, "unchecked");
    countTagRequests();
    expect((await call("presign-download", { key })).status).toBe(200);
    const { body } = await call("presign-downloads", { keys: [key], check: true });
    expect(body.downloads).toEqual([{ key }]);
    const to = `${folderOf(key)}/copies`;
    expect(await finish("copy", { items: [{ key }], to, onConflict: "fail" }, call)).toMatchObject({
      done: 1,
    });
    expect(tagRequests).toBe(0);
  });
});

describe("another version", () => {
  it("that arrives between the check and the download is not served", async () => {
    const key = newKey();
    await put(key, "clean", CLEAN);
    const { body } = await ask("presign-download", { key });
    const { body: shown } = await ask("presign-download", { key, disposition: "inline" });
    await put(key, "malware");
    for (const { url } of [body, shown]) expect(await (await fetch(url)).text()).toBe("clean");
    expect(await ask("presign-download", { key })).toMatchObject({ body: { code: "being_checked" } });
    const moved = body.url.replace(/versionId=[^&]+/, `versionId=${(await versionsOf(key))[0]}`);
    expect((await fetch(moved)).status).toBe(403);
    expect((await fetch(body.url.replace(/&?versionId=[^&]+/, ""))).status).toBe(403);
  });

  it("is judged by its own tags", async () => {
    const key = newKey();
    await put(key, "first", CLEAN);
    await put(key, "second", INFECTED);
    await put(key, "third");
    const [third, second, first] = await versionsOf(key);
    expect(await ask("presign-download", { key, versionId: third })).toMatchObject({ status: 409 });
    expect(await ask("presign-download", { key, versionId: second })).toMatchObject({ status: 403 });
    const { body } = await ask("presign-download", { key, versionId: first });
    expect(await (await fetch(body.url)).text()).toBe("first");
    const keys = [third, second, first].map((versionId) => ({ key, versionId }));
    const several = await ask("presign-downloads", { keys });
    expect(several.body.downloads.map(({ error = "url" }) => error)).toEqual([
      "being_checked",
      "blocked",
      "url",
    ]);
    // Nothing of an earlier decision is remembered.
    await tag(key, INFECTED, first);
    expect(await ask("presign-download", { key, versionId: first })).toMatchObject({ status: 403 });
  });

  it("that does not exist, or is a delete marker, is not found", async () => {
    const key = newKey();
    await put(key, "clean", CLEAN);
    await finish("delete", { items: [{ key }] });
    const { DeleteMarkers = [] } = await store.send(
      new ListObjectVersionsCommand({ Bucket: bucket.name, Prefix: key }),
    );
    for (const versionId of [DeleteMarkers[0]?.VersionId, "no-such-version", undefined])
      expect(await ask("presign-download", { key, versionId })).toMatchObject({ status: 404 });
  });
});

describe("a bucket that does not keep versions", () => {
  it.each([
    ["never did", undefined, 502],
    ["did", "Suspended", 502],
    ["does since the file was stored", "Enabled", 200],
  ] as const)("(it %s)", async (_, later, status) => {
    const plain = await makeBucket(faulty.stack);
    const key = newKey();
    await plain.put(key, "clean");
    const object = { Bucket: plain.name, Key: key };
    const TagSet = [{ Key: requireTag.key, Value: requireTag.value }];
    await store.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
    if (later !== undefined) {
      const VersioningConfiguration = { Status: later };
      await store.send(new PutBucketVersioningCommand({ Bucket: plain.name, VersioningConfiguration }));
    }
    const files = { actions: [...scopeActions], requireTag };
    const call = await callerOf(await makeEmbedClient(faulty.stack, { bucket: plain.name, files }));
    expect(await call("presign-download", { key })).toMatchObject({ status });
    if (later !== undefined)
      expect(await call("presign-download", { key, versionId: "null" })).toMatchObject({ status });
    const copied = await finish("copy", { items: [{ key }], to: "/copies", onConflict: "fail" }, call);
    expect(copied).toMatchObject(
      status === 200 ? { done: 1 } : { done: 0, failed: [{ key, code: "provider_failed" }] },
    );
  });
});

it("a bucket is asked once for its versioning by a request about many files that are older than it", async () => {
  const plain = await makeBucket(faulty.stack);
  const keys = Array.from({ length: 5 }, () => newKey());
  for (const key of keys) {
    await plain.put(key, "clean");
    await plain.tag(key, CLEAN);
  }
  await plain.keepVersions();
  const files = { actions: [...scopeActions], requireTag };
  const call = await callerOf(await makeEmbedClient(faulty.stack, { bucket: plain.name, files }));
  for (const check of [true, false]) {
    let asked = 0;
    faulty.intercept = ({ query }) => {
      if (query.has("versioning")) asked += 1;
      return {};
    };
    const { body } = await call("presign-downloads", { keys, check });
    expect(body.downloads.filter((download: object) => "error" in download)).toEqual([]);
    expect(asked).toBe(1);
  }
});

describe("a store", () => {
  it.each([
    ["that refuses to tell tags", { error: { status: 403, code: "AccessDenied" } }, 502],
    ["that knows no tags", { error: { status: 501, code: "NotImplemented" } }, 502],
    ["that asks for a pause", { error: { status: 503, code: "SlowDown" } }, 503],
    ["that is silent", { hang: true }, 503],
  ])("%s serves nothing", async (_, fault, status) => {
    const key = newKey();
    await put(key, "clean", CLEAN);
    faulty.intercept = ({ query }) => (query.has("tagging") ? fault : {});
    const call = await callerOf(client, {}, impatient);
    expect(await call("presign-download", { key })).toMatchObject({ status });
    const { body } = await call("presign-downloads", { keys: [key, key] });
    expect(body.downloads.every((download: object) => !("url" in download))).toBe(true);
  });
});

describe("copying and moving", () => {
  it.each([
    ["copy", 1],
    ["move", 1],
  ])("%s takes a clean file with its tag, and asks once for it", async (change, requests) => {
    const key = newKey();
    await put(key, "clean", CLEAN);
    const to = `${folderOf(key)}/to`;
    countTagRequests();
    expect(await finish(change, { items: [{ key }], to, onConflict: "fail" })).toEqual({
      done: 1,
      failed: [],
    });
    expect(tagRequests).toBe(requests);
    const copy = `${to.slice(1)}/a.txt`;
    expect(String(await bucket.get(copy))).toBe("clean");
    expect(await tagsOf(copy)).toEqual(CLEAN);
    expect(await bucket.get(key)).toEqual(change === "move" ? null : Buffer.from("clean"));
  });

  it.each(states)("leaves a file %s where it is", async (_, tags, _status, code) => {
    const key = newKey();
    await put(key, "secret", tags);
    const [items, to] = [[{ key }], `${folderOf(key)}/to`];
    for (const change of ["copy", "move"]) {
      for (const onConflict of ["fail", "replace", "keep-both"]) {
        const result = await finish(change, { items, to, onConflict });
        expect(result).toEqual({ done: 0, failed: [{ key, code }] });
      }
    }
    const renaming = { items, to: folderOf(key), name: "b.txt", onConflict: "fail" };
    expect(await finish("move", renaming)).toEqual({ done: 0, failed: [{ key, code }] });
    expect(await bucket.get(`${to.slice(1)}/a.txt`)).toBeNull();
    expect(String(await bucket.get(key))).toBe("secret");
  });

  it("takes what is clean of a folder, and its empty folders", async () => {
    const at = newKey("from");
    await put(`${at}/clean.txt`, "clean", CLEAN);
    await put(`${at}/checking.txt`, "checking");
    await put(`${at}/infected.txt`, "infected", INFECTED);
    await ask("create-folder", { folderPath: `/${at}`, name: "empty" });
    const to = `${folderOf(at)}/to`;
    const request = { items: [{ folderPath: `/${at}` }], to, onConflict: "fail" };
    const { failed } = await finish("move", request);
    expect(failed).toEqual([
      { key: `${at}/checking.txt`, code: "being_checked" },
      { key: `${at}/infected.txt`, code: "blocked" },
    ]);
    const moved = `${to.slice(1)}/from`;
    expect((await bucket.list()).filter((key) => key.startsWith(moved))).toEqual([
      `${moved}/clean.txt`,
      `${moved}/empty/`,
    ]);
  });

  it("treats a key that ends with a slash and has content as a file", async () => {
    const at = newKey("from");
    await put(`${at}/inner/`, "hidden content");
    const request = { items: [{ folderPath: `/${at}` }], to: `${folderOf(at)}/to`, onConflict: "fail" };
    expect((await finish("copy", request)).failed).toEqual([{ key: `${at}/inner/`, code: "being_checked" }]);
  });

  it("copies the version that was checked when another arrives meanwhile", async () => {
    const key = newKey();
    await put(key, "clean", CLEAN);
    let isReplaced = false;
    faulty.intercept = async ({ headers }) => {
      if (isReplaced || headers["x-amz-copy-source"] === undefined) return {};
      isReplaced = true;
      await put(key, "malware");
      return {};
    };
    const to = `${folderOf(key)}/to`;
    const result = await finish("copy", { items: [{ key }], to, onConflict: "fail" });
    expect(isReplaced).toBe(true);
    expect(result.done).toBe(1);
    expect(String(await bucket.get(`${to.slice(1)}/a.txt`))).toBe("clean");
    expect(await tagsOf(`${to.slice(1)}/a.txt`)).toEqual(CLEAN);
  });

  it("back copies the file if the scanner has refused the version that it was moved from", async () => {
    const key = newKey();
    await put(key, "text", CLEAN);
    const [original = ""] = await versionsOf(key);
    const [from, to] = [folderOf(key), `${folderOf(key)}/sub`];
    const move = (at: string, folder: string) =>
      finish("move", { items: [{ key: at }], to: folder, onConflict: "fail" });
    await move(key, to);
    await tag(key, INFECTED, original);
    expect(await move(`${to.slice(1)}/a.txt`, from)).toEqual({ done: 1, failed: [] });
    expect((await versionsOf(key))[0]).not.toBe(original);
    expect(await tagsOf(key)).toEqual(CLEAN);
  });
});

describe("an object that is copied in parts", () => {
  const bounds = {
    ...copyBounds,
    maxSingleCopyBytes: 5 * MiB,
    minPartBytes: 5 * MiB,
    objects: 1,
    concurrency: 1,
  };
  const bytes = "x".repeat(6 * MiB);
  const transfer = (key: string, cursor?: string) =>
    copyItems(
      {
        token: "",
        bucket: bucket.name,
        stop: false,
        items: [{ key }],
        to: `${folderOf(key)}/to`,
        onConflict: "replace",
        cursor,
      },
      testGrant(
        { bucket: bucket.name, actions: [...scopeActions], requireTag },
        { expiresAt: app.now() + 600 },
      ),
      {
        events: testEvents(),
        claims: app.claims,
        catalogues: app.catalogues,
        quotas: app.quotas,
        database: emptyDatabase,
        objectStore: app.objectStore,
        context: {
          requestId: "tests",
          route: "/",
          callerAddress: "::1",
          deadline: performance.now() + 60_000,
        },
        nowSeconds: app.now(),
        production: true,
        platformBaseUrl: faulty.stack.platformBaseUrl,
        signingSecrets: app.env.embedSigningSecrets,
      },
      { isMove: false, bounds },
    );

  async function finishTransfer(key: string, afterFirst: () => Promise<void>) {
    const total = { done: 0, failed: [] as { key: string; code: string }[] };
    let isFirst = true;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const answer = await transfer(key, cursor);
      total.done += answer.done;
      total.failed.push(...answer.failed);
      ({ cursor } = answer);
      if (isFirst) await afterFirst();
      isFirst = false;
    }
    return total;
  }
  const copyOf = (key: string) => `${folderOf(key).slice(1)}/to/a.txt`;

  it("is the checked version with its tag, whatever arrives meanwhile", async () => {
    const key = newKey();
    await put(key, bytes, CLEAN);
    const { done } = await finishTransfer(key, () => put(key, "malware".repeat(MiB)));
    expect(done).toBe(1);
    expect(String(await bucket.get(copyOf(key)))).toBe(bytes);
    expect(await tagsOf(copyOf(key))).toEqual(CLEAN);
  });

  it("is refused without the tag, and when the scanner decides otherwise meanwhile", async () => {
    const key = newKey();
    await put(key, bytes);
    expect(await finishTransfer(key, async () => {})).toEqual({
      done: 0,
      failed: [{ key, code: "being_checked" }],
    });
    await tag(key, CLEAN);
    const result = await finishTransfer(key, () => tag(key, INFECTED));
    expect(result).toEqual({ done: 0, failed: [{ key, code: "blocked" }] });
    expect(await bucket.get(copyOf(key))).toBeNull();
  });
});

describe("restoring", () => {
  it("makes only a clean version the newest again", async () => {
    const key = newKey();
    await put(key, "first", CLEAN);
    await put(key, "second", INFECTED);
    await put(key, "third");
    await put(key, "fourth", CLEAN);
    const [, third, second, first] = await versionsOf(key);
    const restore = (versionId?: string) =>
      finish("restore", { items: [{ key, versionId }], onConflict: "replace" });
    expect(await restore(third)).toEqual({ done: 0, failed: [{ key, code: "being_checked" }] });
    expect(await restore(second)).toEqual({ done: 0, failed: [{ key, code: "blocked" }] });
    expect(String(await bucket.get(key))).toBe("fourth");
    expect(await restore(first)).toEqual({ done: 1, failed: [] });
    expect(String(await bucket.get(key))).toBe("first");
    expect(await tagsOf(key)).toEqual(CLEAN);
  });

  it("is undone for the files whose replaced versions are clean, and for no others", async () => {
    const at = newKey("f");
    const keys = Array.from({ length: 20 }, (_, index) => `${at}-${index}.txt`);
    const [first = ""] = keys;
    const items = [];
    for (const key of keys) {
      await put(key, "older", CLEAN);
      items.push({ key, versionId: (await versionsOf(key))[0] });
      await put(key, "newer", key === first ? INFECTED : CLEAN);
    }
    const total = { restored: 0, undone: 0, failed: [] as object[] };
    // On a busy machine, one request has no time for all.
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await ask("restore", { items, onConflict: "replace", ...(cursor && { cursor }) });
      expect(body.failed).toEqual([]);
      const { done, failed } = body.undo
        ? await finish("restore", { undo: body.undo })
        : { done: 0, failed: [] };
      total.restored += body.restored;
      total.undone += done;
      total.failed.push(...failed);
      cursor = body.cursor;
    }
    expect(total).toEqual({
      restored: keys.length,
      undone: keys.length - 1,
      failed: [{ key: first, code: "blocked" }],
    });
    const texts = await Promise.all(keys.map((key) => bucket.get(key)));
    expect(texts.map(String)).toEqual(keys.map((key) => (key === first ? "older" : "newer")));
  });

  it("brings back a deleted file only if it is clean, but a deletion can always be undone", async () => {
    const key = newKey();
    await put(key, "secret", INFECTED);
    const { body: deleted } = await ask("delete", { items: [{ key }] });
    const [versionId] = await versionsOf(key);
    const request = { items: [{ key, versionId }], onConflict: "fail" };
    expect(await finish("restore", request)).toEqual({ done: 0, failed: [{ key, code: "blocked" }] });
    expect(await finish("restore", { undo: deleted.undo })).toMatchObject({ done: 1 });
    expect(await ask("presign-download", { key })).toMatchObject({ status: 403, body: { code: "blocked" } });
  });
});

describe("a visitor", () => {
  it("cannot write the tag by an upload", async () => {
    const key = newKey();
    const name = { folderPath: folderOf(key), fileName: "a.txt", contentType: "text/plain", size: 7 };
    const { body } = await ask("presign-upload", name);
    const tagging = `${requireTag.key}=${requireTag.value}`;
    const send = (url: string, headers = {}) =>
      fetch(url, { method: "PUT", headers: { ...body.headers, ...headers }, body: "malware" });
    expect((await send(body.url, { "x-amz-tagging": tagging })).status).toBe(403);
    expect((await send(`${body.url}&x-amz-tagging=${encodeURIComponent(tagging)}`)).status).toBe(403);
    expect((await send(`${body.url}&tagging`)).status).toBe(403);
    expect((await send(body.url, { "x-amz-copy-source": `/${bucket.name}/${key}` })).status).toBe(403);
    expect((await send(body.url)).status).toBe(200);
    expect(await tagsOf(key)).toEqual({});
    for (const extra of [{ tagging }, { headers: { "x-amz-tagging": tagging } }, { Tagging: tagging }]) {
      expect((await ask("presign-upload", { ...name, ...extra })).status).toBe(400);
      expect((await ask("multipart/create", { ...name, size: 20 * MiB, ...extra })).status).toBe(400);
    }
  });

  it("cannot write the tag by the parts of an upload", async () => {
    const key = newKey();
    const created = await ask("multipart/create", {
      folderPath: folderOf(key),
      fileName: "a.txt",
      contentType: "text/plain",
      size: 20 * MiB,
    });
    const { upload } = created.body;
    const { token } = await issueEmbedUrl(stack, client, { scope: { actions: scopeActions } });
    const response = await post(`${faulty.stack.platformBaseUrl}/api/embed/storage/multipart/sign`, {
      token,
      upload,
      parts: [{ number: 1 }],
    });
    const [{ url, headers }] = (await response.json()).parts;
    const tagging = `${requireTag.key}=${requireTag.value}`;
    const part = { method: "PUT", body: "malware" };
    const tagged = await fetch(url, { ...part, headers: { ...headers, "x-amz-tagging": tagging } });
    expect(tagged.status).toBe(403);
    const copied = await fetch(url, {
      ...part,
      headers: { ...headers, "x-amz-copy-source": `/${bucket.name}/${key}` },
    });
    expect(copied.status).toBe(403);
  });

  it("cannot pass the check by a copy over a clean file, or the other way round", async () => {
    const [clean, malware] = [newKey("clean.txt"), newKey("malware.txt")];
    await put(clean, "clean", CLEAN);
    await put(malware, "malware");
    const over = { items: [{ key: malware }], to: folderOf(clean), name: "clean.txt", onConflict: "replace" };
    for (const change of ["copy", "move"]) expect((await finish(change, over)).done).toBe(0);
    // A clean file over the other leaves its older version what it was.
    const onto = {
      items: [{ key: clean }],
      to: folderOf(malware),
      name: "malware.txt",
      onConflict: "replace",
    };
    expect((await finish("copy", onto)).done).toBe(1);
    const [, older] = await versionsOf(malware);
    expect(await ask("presign-download", { key: malware, versionId: older })).toMatchObject({ status: 409 });
  });
});

describe("a token", () => {
  const tokenOf = (of: TestEmbedClient, scope: object = {}) =>
    issueEmbedUrl(stack, of, { scope }).then(({ token }) => token);
  const scopeOf = (token: string) =>
    JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).scope;

  it("names the tag of its key, whether it was asked for or not, and never another", async () => {
    expect(scopeOf(await tokenOf(client))).toMatchObject({ requireTag });
    expect(scopeOf(await tokenOf(client, { requireTag }))).toMatchObject({ requireTag });
    for (const other of [
      { ...requireTag, value: "ANY" },
      { ...requireTag, key: "other" },
    ])
      await expect(tokenOf(client, { requireTag: other })).rejects.toThrow("scope_not_allowed");
    for (const invalid of [{}, { key: "a" }, { key: "", value: "b" }, { ...requireTag, more: 1 }])
      await expect(tokenOf(client, { requireTag: invalid })).rejects.toThrow("invalid_request");
  });

  it("may require a tag that its key does not", async () => {
    const free = await makeEmbedClient(faulty.stack, { bucket: bucket.name });
    const key = newKey();
    await put(key, "unchecked");
    const call = callerWith(await tokenOf(free, { requireTag }), bucket.name);
    expect(await call("presign-download", { key })).toMatchObject({ status: 409 });
  });
});
