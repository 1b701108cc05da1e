/** Older versions, deleted files, and folders as they were, against the stack's store. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { scopeActions } from "../../app/services/files/place/actions";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp } from "../support/app/route-app";
import { makeBucket, type TestBucket } from "../support/files/bucket";

const stack = inject("stack");
const app = createRouteApp(stack);
let bucket: TestBucket;
let client: TestEmbedClient;
/** Ada may do everything; others are made where they are needed. */
let ada: Caller;

// biome-ignore lint/suspicious/noExplicitAny: the contract of each response is checked by createRouteApp
type Answer = { status: number; body: any };
type Caller = (endpoint: string, body: object) => Promise<Answer>;

beforeAll(async () => {
  bucket = await makeBucket(stack);
  await bucket.keepVersions();
  client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...scopeActions] } });
  ada = await callerWith({ visitor: { id: "u-1", name: "Ada" } });
});
afterAll(() => app.close());

async function callerWith(
  { scope = {}, visitor }: { scope?: object; visitor?: object },
  ofClient = client,
): Promise<Caller> {
  const { token } = await issueEmbedUrl(stack, ofClient, {
    scope: { actions: scopeActions, ...scope },
    visitor,
  });
  return async (endpoint, body) => {
    const response = await app.fetch(`${stack.platformBaseUrl}/api/embed/storage/${endpoint}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: ofClient.bucket, ...body }),
    });
    return { status: response.status, body: await response.json() };
  };
}

/** A folder of its own, so that tests do not see each other's files. */
const place = () => `place-${randomUUID().slice(0, 8)}`;
const textOf = async (key: string) => String(await bucket.get(key));

async function put(key: string, ...texts: string[]): Promise<void> {
  for (const text of texts) await bucket.put(key, text, "text/plain");
}

async function versionsOf(key: string): Promise<{ versionId: string; size: number; isLatest: boolean }[]> {
  const { status, body } = await ada("versions", { key });
  expect(status).toBe(200);
  return body.versions;
}

/** Repeats a request until nothing is left to do. */
async function finish(call: Caller, endpoint: string, body: object): Promise<Answer["body"][]> {
  const answers = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body: answer } = await call(endpoint, { ...body, ...(cursor && { cursor }) });
    expect([status, answer]).toEqual([200, answer]);
    answers.push(answer);
    cursor = answer.cursor ?? answer.nextCursor ?? null;
  }
  return answers;
}

async function deletedBelow(folder: string, call = ada) {
  const answers = await finish(call, "deleted", { folderPath: `/${folder}` });
  return answers.flatMap(({ files }) => files);
}

describe("versions", () => {
  it("are listed newest first, without those of keys that only begin alike", async () => {
    const at = place();
    await put(`${at}/a.txt`, "1", "22", "333");
    await put(`${at}/a.txt.bak`, "other");
    expect(await versionsOf(`${at}/a.txt`)).toMatchObject([
      { size: 3, isLatest: true },
      { size: 2, isLatest: false },
      { size: 1, isLatest: false },
    ]);
  });

  it("of a deleted file are listed, and none of them is the latest", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "1", "22");
    await finish(ada, "delete", { items: [{ key }] });
    expect((await versionsOf(key)).map(({ isLatest }) => isLatest)).toEqual([false, false]);
  });

  it("come page by page", async () => {
    const key = `${place()}/a.txt`;
    await Promise.all(Array.from({ length: 130 }, (_, index) => put(key, "x".repeat(index))));
    const answers = await finish(ada, "versions", { key });
    const ids = answers.flatMap(({ versions }) =>
      versions.map((one: { versionId: string }) => one.versionId),
    );
    expect([answers.length, ids.length, new Set(ids).size]).toEqual([2, 130, 130]);
  });

  it("say who uploaded them", async () => {
    const [key, fileName] = [`${place()}/a.txt`, "a.txt"];
    const folderPath = `/${key.split("/")[0]}`;
    const { body } = await ada("presign-upload", {
      folderPath,
      fileName,
      contentType: "text/plain",
      size: 5,
    });
    const stored = await fetch(body.url, { method: "PUT", headers: body.headers, body: "hello" });
    expect(stored.status).toBe(200);
    await ada("uploaded", { keys: [key] });
    await put(key, "by nobody");
    const { body: listed } = await ada("versions", { key });
    expect(listed.versions.map((version: object) => ("visitor" in version ? version.visitor : null))).toEqual(
      [null, { id: "u-1", name: "Ada" }],
    );
  });

  it("are downloaded by their ids, one or several", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first", "second");
    const [, first] = await versionsOf(key);
    const one = await ada("presign-download", { key, versionId: first?.versionId, disposition: "inline" });
    expect(await (await fetch(one.body.url)).text()).toBe("first");
    const several = await ada("presign-downloads", { keys: [key, { key, versionId: first?.versionId }] });
    const texts = several.body.downloads.map(async ({ url }: { url: string }) => (await fetch(url)).text());
    expect(await Promise.all(texts)).toEqual(["second", "first"]);
  });
});

describe("making a version the newest again", () => {
  const restore = (items: object[], onConflict = "replace", call = ada) =>
    finish(call, "restore", { items, onConflict });

  it("puts a copy on top, keeps all others, and repeats without another copy", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first", "second");
    const [, first] = await versionsOf(key);
    for (let times = 0; times < 2; times++) {
      expect(await restore([{ key, versionId: first?.versionId }])).toEqual([
        {
          restored: 1,
          ...(times > 0 ? { unchanged: 1 } : { undo: expect.any(String) }),
          failed: [],
          cursor: null,
        },
      ]);
      expect(await textOf(key)).toBe("first");
      expect((await versionsOf(key)).map(({ size }) => size)).toEqual([5, 6, 5]);
    }
  });

  it("leaves a newer file where it was asked to, or uses a numbered name", async () => {
    const at = place();
    const key = `${at}/a.txt`;
    await put(key, "first", "second");
    const [, first] = await versionsOf(key);
    const items = [{ key, versionId: first?.versionId }];
    expect(await restore(items, "fail")).toMatchObject([
      { restored: 0, failed: [{ key, code: "name_taken" }] },
    ]);
    expect(await restore(items, "keep-both")).toMatchObject([
      { restored: 1, renamed: [{ key, name: "a (1).txt" }] },
    ]);
    expect([await textOf(key), await textOf(`${at}/a (1).txt`)]).toEqual(["second", "first"]);
  });

  it("leaves a file as it is if it has that content already, whatever was asked for", async () => {
    const at = place();
    const key = `${at}/a.txt`;
    await put(key, "first", "second", "first");
    const [latest, , first] = await versionsOf(key);
    for (const onConflict of ["fail", "replace", "keep-both"])
      for (const version of [latest, first])
        expect(await restore([{ key, versionId: version?.versionId }], onConflict)).toEqual([
          { restored: 1, unchanged: 1, failed: [], cursor: null },
        ]);
    expect(await versionsOf(key)).toHaveLength(3);
    expect((await bucket.list()).filter((one) => one.startsWith(at))).toEqual([key]);
  });

  it("does not overwrite content that a bucket with suspended versioning would not keep", async () => {
    const suspended = await makeBucket(stack);
    const files = { actions: [...scopeActions] };
    const call = await callerWith({}, await makeEmbedClient(stack, { bucket: suspended.name, files }));
    await suspended.keepVersions();
    for (const key of ["a.txt", "kept.txt"]) await suspended.put(key, "first");
    await suspended.put("kept.txt", "second");
    await suspended.stopKeepingVersions();
    await suspended.put("a.txt", "second");
    const firstOf = async (key: string) => (await call("versions", { key })).body.versions.at(-1).versionId;
    const items = [{ key: "a.txt", versionId: await firstOf("a.txt") }];
    expect(await restore(items, "replace", call)).toEqual([
      { restored: 0, failed: [{ key: "a.txt", code: "would_be_lost" }], cursor: null },
    ]);
    expect(String(await suspended.get("a.txt"))).toBe("second");
    expect(await restore(items, "keep-both", call)).toMatchObject([{ restored: 1, failed: [] }]);
    expect(String(await suspended.get("a (1).txt"))).toBe("first");
    // The present content has an id of its own, so it is kept.
    const kept = [{ key: "kept.txt", versionId: await firstOf("kept.txt") }];
    expect(await restore(kept, "replace", call)).toMatchObject([{ restored: 1, failed: [] }]);
    expect(String(await suspended.get("kept.txt"))).toBe("first");
    expect((await call("versions", { key: "kept.txt" })).body.versions).toHaveLength(3);
    // What was deleted comes back without a copy.
    await suspended.remove("a.txt");
    expect(await restore(items, "fail", call)).toMatchObject([{ restored: 1, failed: [] }]);
    expect(String(await suspended.get("a.txt"))).toBe("first");
  });

  it("cannot be undone in a bucket with suspended versioning, where that would delete the only content", async () => {
    const suspended = await makeBucket(stack);
    const files = { actions: [...scopeActions] };
    const call = await callerWith({}, await makeEmbedClient(stack, { bucket: suspended.name, files }));
    await suspended.put("a.txt", "only");
    await suspended.keepVersions();
    await suspended.remove("a.txt");
    await suspended.stopKeepingVersions();
    const items = [{ key: "a.txt", versionId: "null" }];
    expect(await restore(items, "fail", call)).toEqual([{ restored: 1, failed: [], cursor: null }]);
    expect(String(await suspended.get("a.txt"))).toBe("only");
  });

  it("says of a version that is gone that it was not found", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first");
    expect(await restore([{ key, versionId: "gone" }])).toMatchObject([
      { restored: 0, failed: [{ key, code: "not_found" }] },
    ]);
  });

  it("is recorded with the version that was copied", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first", "second");
    const [, first] = await versionsOf(key);
    await restore([{ key, versionId: first?.versionId }]);
    const { body } = await ada("activity", { key });
    expect(body.events).toMatchObject([
      { type: "file.restored", visitor: { id: "u-1" }, data: { fromVersion: first?.versionId } },
    ]);
  });
});

describe("what was deleted", () => {
  it("is listed with subfolders, by whom and when, and comes back days later in another session", async () => {
    const at = place();
    await put(`${at}/a.txt`, "old", "newest");
    await put(`${at}/docs/b.txt`, "b");
    await put(`${at}/kept.txt`, "kept");
    await finish(ada, "delete", { items: [{ key: `${at}/a.txt` }, { folderPath: `/${at}/docs` }] });
    const files = await deletedBelow(at);
    expect(files).toMatchObject([
      {
        key: `${at}/a.txt`,
        name: "a.txt",
        folderPath: `/${at}`,
        size: 6,
        visitor: { id: "u-1", name: "Ada" },
      },
      { key: `${at}/docs/b.txt`, name: "b.txt", folderPath: `/${at}/docs`, size: 1 },
    ]);
    expect(Date.parse(files[0].deletedAt)).toBeGreaterThan(Date.now() - 60_000);
    const grace = await callerWith({ visitor: { id: "u-2" }, scope: { actions: ["history"] } });
    const items = files.map(({ key, versionId }) => ({ key, versionId }));
    expect(await finish(grace, "restore", { items, onConflict: "fail" })).toMatchObject([{ restored: 2 }]);
    expect([await textOf(`${at}/a.txt`), await textOf(`${at}/docs/b.txt`)]).toEqual(["newest", "b"]);
    expect(await deletedBelow(at)).toEqual([]);
    expect(await finish(grace, "restore", { items, onConflict: "fail" })).toMatchObject([{ restored: 2 }]);
  });

  it("names the folders around it in which something still is", async () => {
    const at = place();
    await put(`${at}/gone/deep/b.txt`, "b");
    await put(`${at}/kept/a.txt`, "a");
    await put(`${at}/kept/deep/b.txt`, "b");
    await put(`${at}/kept/z.txt`, "z");
    await put(`${at}/other/untouched.txt`, "x");
    const items = [
      { folderPath: `/${at}/gone` },
      { key: `${at}/kept/a.txt` },
      { folderPath: `/${at}/kept/deep` },
    ];
    await finish(ada, "delete", { items });
    const [{ existingFolders }] = await finish(ada, "deleted", { folderPath: `/${at}` });
    expect(existingFolders.filter((path: string) => !path.endsWith("/other"))).toEqual([`/${at}/kept`]);
  });

  it("says who deleted it and leaves out what was moved, whatever else is named there", async () => {
    const at = place();
    await put(`${at}/a.txt`, "1");
    await put(`${at}/moved.txt`, "2");
    // PostgreSQL has no NUL, and any visitor may copy into a folder with one.
    const odd = { to: `/${at}/nul\0`, onConflict: "fail" };
    await finish(ada, "copy", { items: [{ key: `${at}/a.txt` }], ...odd });
    await finish(ada, "move", { items: [{ key: `${at}/moved.txt` }], to: `/${place()}`, onConflict: "fail" });
    await finish(ada, "delete", { items: [{ key: `${at}/a.txt` }, { key: `${at}/nul\0/a.txt` }] });
    const files: { key: string; visitor?: object }[] = await deletedBelow(at);
    const [a] = files.filter(({ key }) => key === `${at}/a.txt`);
    expect(a).toMatchObject({ visitor: { id: "u-1", name: "Ada" } });
    expect(files.map(({ key }) => key).sort()).toEqual([`${at}/a.txt`, `${at}/nul\0/a.txt`]);
  });

  it("is deleted again by the handle of its restoring, unless somebody has changed it since", async () => {
    const at = place();
    for (const name of ["a.txt", "b.txt", "c.txt"]) await put(`${at}/${name}`, name, `${name} again`);
    const [, first] = await versionsOf(`${at}/c.txt`);
    await finish(ada, "delete", { items: [{ folderPath: `/${at}` }] });
    const [a, b] = await deletedBelow(at);
    const items = [a, b, { key: `${at}/c.txt`, versionId: first?.versionId }];
    const request = { items: items.map(({ key, versionId }) => ({ key, versionId })), onConflict: "fail" };
    const [{ undo }] = await finish(ada, "restore", request);
    expect(await textOf(`${at}/c.txt`), "by a copy").toBe("c.txt");
    await put(`${at}/b.txt`, "newer");
    expect((await ada("restore", { undo })).body).toMatchObject({
      restored: 2,
      failed: [{ key: `${at}/b.txt`, code: "changed" }],
    });
    expect(await bucket.get(`${at}/a.txt`)).toBeNull();
    expect(await bucket.get(`${at}/c.txt`)).toBeNull();
    expect(await textOf(`${at}/b.txt`)).toBe("newer");
    expect((await deletedBelow(at)).map(({ name }) => name)).toEqual(["a.txt", "c.txt"]);

    // There is none for somebody who may not delete.
    const again = { ...request, items: request.items.slice(0, 1) };
    const eve = await callerWith({ scope: { actions: ["history"] } });
    expect(await finish(eve, "restore", again)).toEqual([{ restored: 1, failed: [], cursor: null }]);
  });

  it("when its restoring is undone, comes back by the handle of its deletion, unless somebody else has deleted it", async () => {
    const at = place();
    const keys = [`${at}/a.txt`, `${at}/b.txt`];
    for (const key of keys) await put(key, "text");
    const [deletion] = await finish(ada, "delete", { items: keys.map((key) => ({ key })) });
    const items = (await deletedBelow(at)).map(({ key, versionId }) => ({ key, versionId }));
    const [restoring] = await finish(ada, "restore", { items, onConflict: "fail" });
    await bucket.remove(`${at}/b.txt`);
    await ada("restore", { undo: restoring.undo });
    expect(await bucket.get(`${at}/a.txt`)).toBeNull();
    expect((await ada("restore", { undo: deletion.undo })).body).toMatchObject({
      restored: 1,
      failed: [{ key: `${at}/b.txt`, code: "changed" }],
    });
    expect(await textOf(`${at}/a.txt`)).toBe("text");
    expect(await bucket.get(`${at}/b.txt`)).toBeNull();
  });

  it("replaces newer files, which come back by the handle, unless somebody has changed them since", async () => {
    const at = place();
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    for (const name of names) await put(`${at}/${name}`, `old ${name}`, `new ${name}`);
    await bucket.remove(`${at}/d.txt`);
    const items = [];
    for (const name of names) {
      const key = `${at}/${name}`;
      items.push({ key, versionId: (await versionsOf(key)).at(-1)?.versionId });
    }
    const [{ undo }] = await finish(ada, "restore", { items, onConflict: "replace" });
    const texts = () => Promise.all(names.map((name) => textOf(`${at}/${name}`)));
    expect(await texts()).toEqual(names.map((name) => `old ${name}`));
    await put(`${at}/b.txt`, "newer");
    await bucket.remove(`${at}/c.txt`);

    const eve = await callerWith({ scope: { actions: ["delete"] } });
    expect((await eve("restore", { undo })).body).toMatchObject({ code: "scope_not_allowed" });
    const changed = ["b.txt", "c.txt"].map((name) => ({ key: `${at}/${name}`, code: "changed" }));
    for (const attempt of ["once", "again"]) {
      expect((await ada("restore", { undo })).body, attempt).toMatchObject({
        restored: 2,
        failed: expect.arrayContaining(changed),
      });
      expect(await textOf(`${at}/a.txt`)).toBe("new a.txt");
      expect(await textOf(`${at}/b.txt`)).toBe("newer");
      for (const name of ["c.txt", "d.txt"]) expect(await bucket.get(`${at}/${name}`)).toBeNull();
    }
    expect(await versionsOf(`${at}/a.txt`), "the second attempt copies nothing").toHaveLength(4);
  });

  it("under a name that was given again comes back only where it may", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first");
    const [first] = await versionsOf(key);
    await finish(ada, "delete", { items: [{ key }] });
    await put(key, "newer");
    const items = [{ key, versionId: first?.versionId }];
    expect(await finish(ada, "restore", { items, onConflict: "fail" })).toMatchObject([
      { failed: [{ code: "name_taken" }] },
    ]);
    expect(await textOf(key)).toBe("newer");
    await finish(ada, "restore", { items, onConflict: "replace" });
    expect(await textOf(key)).toBe("first");
  });

  it("comes back under several delete markers, and an older version of it by a copy", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first", "second");
    await bucket.remove(key);
    await bucket.remove(key);
    const [second, first] = await versionsOf(key);
    await finish(ada, "restore", { items: [{ key, versionId: first?.versionId }], onConflict: "fail" });
    expect(await textOf(key)).toBe("first");
    await bucket.remove(key);
    const [restored] = await versionsOf(key);
    await finish(ada, "restore", { items: [{ key, versionId: restored?.versionId }], onConflict: "fail" });
    expect(await textOf(key)).toBe("first");
    expect((await versionsOf(key)).map(({ versionId }) => versionId)).toContain(second?.versionId);
  });

  it("leaves out what was moved away", async () => {
    const at = place();
    await put(`${at}/moved.txt`, "1");
    await put(`${at}/deleted.txt`, "2");
    await finish(ada, "move", { items: [{ key: `${at}/moved.txt` }], to: `/${at}/to`, onConflict: "fail" });
    await finish(ada, "delete", { items: [{ key: `${at}/deleted.txt` }] });
    expect((await deletedBelow(at)).map(({ name }) => name)).toEqual(["deleted.txt"]);
  });

  it("includes what was moved away and back before it was deleted", async () => {
    const at = place();
    await put(`${at}/a.txt`, "1");
    const move = (key: string, to: string) =>
      finish(ada, "move", { items: [{ key }], to, onConflict: "fail" });
    await move(`${at}/a.txt`, `/${at}/to`);
    await move(`${at}/to/a.txt`, `/${at}`);
    await finish(ada, "delete", { items: [{ key: `${at}/a.txt` }] });
    expect((await deletedBelow(at)).map(({ key }) => key)).toEqual([`${at}/a.txt`]);
  });

  it("comes back with the object of the token's own folder", async () => {
    const own = place();
    await put(`${own}/`, "");
    await put(`${own}/a.txt`, "1");
    await finish(ada, "delete", { items: [{ folderPath: `/${own}` }] });
    const eve = await callerWith({ scope: { path: `/${own}` } });
    const files = await deletedBelow(own, eve);
    expect(files.map(({ key }) => key)).toEqual([`${own}/`, `${own}/a.txt`]);
    const items = files.map(({ key, versionId }) => ({ key, versionId }));
    expect(await finish(eve, "restore", { items, onConflict: "fail" })).toMatchObject([
      { restored: 2, failed: [] },
    ]);
    expect(await deletedBelow(own, eve)).toEqual([]);
  });

  it("includes empty folders, which come back as well", async () => {
    const at = place();
    await put(`${at}/kept`, "1");
    await ada("create-folder", { folderPath: `/${at}`, name: "empty" });
    await finish(ada, "delete", { items: [{ folderPath: `/${at}/empty` }] });
    const [folder] = await deletedBelow(at);
    expect(folder).toMatchObject({ key: `${at}/empty/`, name: "empty", folderPath: `/${at}`, size: 0 });
    const items = [{ key: folder.key, versionId: folder.versionId }];
    await finish(ada, "restore", { items, onConflict: "fail" });
    expect((await bucket.list()).filter((key) => key.startsWith(at))).toContain(`${at}/empty/`);
  });
});

describe("a folder as it was", () => {
  /** Versions have times in whole seconds. */
  const nextSecond = async () => {
    const now = Math.floor(Date.now() / 1000);
    await expect
      .poll(() => Math.floor(Date.now() / 1000), { interval: 50, timeout: 3_000 })
      .toBeGreaterThan(now);
    return new Date(now * 1000 + 999).toISOString();
  };
  const listAt = async (folder: string, at: string, call = ada) => {
    const pages = await finish(call, "list", { folderPath: `/${folder}`, at });
    return {
      folders: pages.flatMap(({ folders }) => folders.map(({ name }: { name: string }) => name)),
      files: pages.flatMap(({ files }) =>
        files.map(({ name, size }: { name: string; size: number }) => [name, size]),
      ),
    };
  };

  it("has the files, their versions and the subfolders of that moment", async () => {
    const at = place();
    await put(`${at}/a.txt`, "1");
    await put(`${at}/docs/b.txt`, "b");
    const first = await nextSecond();
    await put(`${at}/a.txt`, "22");
    await put(`${at}/later/c.txt`, "c");
    await finish(ada, "delete", { items: [{ folderPath: `/${at}/docs` }] });
    const second = await nextSecond();
    await finish(ada, "delete", { items: [{ key: `${at}/a.txt` }] });
    expect(await listAt(at, first)).toEqual({ folders: ["docs"], files: [["a.txt", 1]] });
    expect(await listAt(at, second)).toEqual({ folders: ["later"], files: [["a.txt", 2]] });
    expect(await listAt(at, await nextSecond())).toEqual({ folders: ["later"], files: [] });
    expect(await listAt(at, "2020-01-01T00:00:00Z")).toEqual({ folders: [], files: [] });
    expect(await listAt(`${at}/docs`, first)).toEqual({ folders: [], files: [["b.txt", 1]] });
    const { body } = await ada("list", { folderPath: `/${at}`, at: first });
    const { key, versionId } = body.files[0];
    const { body: download } = await ada("presign-download", { key, versionId });
    expect(await (await fetch(download.url)).text()).toBe("1");
  });

  it("comes page by page, each file and folder once", async () => {
    const at = place();
    const names = Array.from({ length: 12 }, (_, index) => `f${String(index).padStart(2, "0")}`);
    for (const name of names) await put(`${at}/${name}`, "1", "2", "3");
    for (const name of names) await put(`${at}/dir-${name}/x`, "1");
    const now = await nextSecond();
    const pages = await finish(ada, "list", { folderPath: `/${at}`, at: now, pageSize: 5 });
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.flatMap(({ files }) => files.map(({ name }: { name: string }) => name))).toEqual(names);
    expect(pages.flatMap(({ folders }) => folders.map(({ name }: { name: string }) => name))).toEqual(
      names.map((name) => `dir-${name}`),
    );
  });
});

describe("the times of changes", () => {
  const timesOf = async (body: object, call = ada): Promise<string[]> => {
    const answers = await finish(call, "change-times", body);
    return answers.flatMap(({ times }) => times);
  };
  const minuteOf = (time: number) => new Date(Math.floor(time / 60_000) * 60_000).toISOString();

  it("are the minutes in which something was stored or deleted, in subfolders too", async () => {
    const at = place();
    const before = Date.now();
    await put(`${at}/docs/a.txt`, "1");
    await bucket.remove(`${at}/docs/a.txt`);
    const range = { from: minuteOf(before), to: new Date(Date.now() + 60_000).toISOString() };
    const times = await timesOf({ folderPath: `/${at}`, ...range });
    // The test may run over the end of a minute.
    const minutes = [minuteOf(before), minuteOf(Date.now())];
    expect(minutes).toEqual(expect.arrayContaining(times));
    expect(times.length).toBeGreaterThan(0);
    expect(await timesOf({ folderPath: `/${at}/other`, ...range })).toEqual([]);
    const past = { from: "2020-01-01T00:00:00Z", to: "2020-02-01T00:00:00Z" };
    expect(await timesOf({ folderPath: `/${at}`, ...past })).toEqual([]);
  });

  it("need a range that is not empty", async () => {
    const from = "2026-01-01T00:00:00Z";
    expect(await ada("change-times", { from, to: from })).toMatchObject({
      status: 400,
      body: { issues: [{ path: "to" }] },
    });
  });
});

describe("deleting permanently", () => {
  it("takes one older version, and not what the file contains now", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first", "second");
    const [second, first] = await versionsOf(key);
    expect(await finish(ada, "purge", { items: [{ key, versionId: first?.versionId }] })).toEqual([
      { purged: 1, done: 1, failed: [], cursor: null },
    ]);
    expect(await versionsOf(key)).toHaveLength(1);
    const latest = { key, versionId: second?.versionId };
    for (const item of [latest, { key }])
      expect(await finish(ada, "purge", { items: [item] })).toMatchObject([
        { purged: 0, failed: [{ ...item, code: "is_latest" }] },
      ]);
    expect(await textOf(key)).toBe("second");
    const { body } = await ada("activity", { key });
    expect(body.events).toMatchObject([
      { type: "file.purged", data: { version: first?.versionId, size: 5 } },
    ]);
  });

  it("takes no delete marker, which would bring the file back", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first");
    for (let times = 0; times < 2; times++) await bucket.remove(key);
    const { versions } = await app.objectStore.listVersions({ bucket: bucket.name, prefix: key });
    for (const { versionId } of versions.filter(({ isMarker }) => isMarker))
      expect(await finish(ada, "purge", { items: [{ key, versionId }] })).toEqual([
        { purged: 0, done: 0, failed: [{ key, versionId, code: "not_found" }], cursor: null },
      ]);
    expect(await app.objectStore.listVersions({ bucket: bucket.name, prefix: key })).toMatchObject({
      versions,
    });
  });

  it("takes all versions of a deleted file, and repeats without harm", async () => {
    const at = place();
    const key = `${at}/a.txt`;
    await put(key, "first", "second");
    await finish(ada, "delete", { items: [{ key }] });
    expect(await finish(ada, "purge", { items: [{ key }] })).toMatchObject([
      { purged: 2, done: 1, failed: [] },
    ]);
    expect(await finish(ada, "purge", { items: [{ key }] })).toMatchObject([
      { purged: 0, done: 1, failed: [] },
    ]);
    expect([await deletedBelow(at), await versionsOf(key)]).toEqual([[], []]);
  });
});

describe("a token", () => {
  it("without the action may do none of it", async () => {
    const key = `${place()}/a.txt`;
    await put(key, "first", "second");
    const [, first] = await versionsOf(key);
    const { versionId } = first ?? {};
    const all = scopeActions.filter((action) => action !== "history" && action !== "purge");
    const eve = await callerWith({ scope: { actions: all } });
    const attempts: [string, object][] = [
      ["versions", { key }],
      ["deleted", {}],
      ["change-times", { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" }],
      ["list", { at: new Date().toISOString() }],
      ["presign-download", { key, versionId }],
      ["restore", { items: [{ key, versionId }], onConflict: "replace" }],
      ["purge", { items: [{ key, versionId }] }],
    ];
    for (const [endpoint, body] of attempts)
      expect([endpoint, await eve(endpoint, body)]).toMatchObject([
        endpoint,
        { status: 403, body: { code: "scope_not_allowed" } },
      ]);
    const { body } = await eve("presign-downloads", { keys: [{ key, versionId }] });
    expect(body.downloads).toEqual([{ key, error: "scope_not_allowed" }]);
    const reader = await callerWith({ scope: { actions: ["history", "download"] } });
    expect(await reader("purge", { items: [{ key, versionId }] })).toMatchObject({ status: 403 });
    expect(await textOf(key)).toBe("second");
    expect(await versionsOf(key)).toHaveLength(2);
  });

  it("for a folder reaches no version, deletion or past of another", async () => {
    const [own, other] = [place(), place()];
    await put(`${other}/a.txt`, "first", "second");
    await put(`${own}/mine.txt`, "1");
    const [, first] = await versionsOf(`${other}/a.txt`);
    const [key, versionId] = [`${other}/a.txt`, first?.versionId];
    const eve = await callerWith({ scope: { path: `/${own}` } });
    const attempts: [string, object][] = [
      ["versions", { key }],
      ["deleted", { folderPath: "/" }],
      ["deleted", { folderPath: `/${other}` }],
      ["change-times", { folderPath: `/${other}`, from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z" }],
      ["list", { folderPath: `/${other}`, at: new Date().toISOString() }],
      ["presign-download", { key, versionId }],
      [
        "restore",
        {
          items: [
            { key: `${own}/mine.txt`, versionId },
            { key, versionId },
          ],
          onConflict: "replace",
        },
      ],
      ["purge", { items: [{ key, versionId }] }],
      ["versions", { key, bucket: stack.objectStore.bucket }],
    ];
    for (const [endpoint, body] of attempts)
      expect([endpoint, await eve(endpoint, body)]).toMatchObject([endpoint, { status: 403 }]);
    // The id of a version of another key names nothing under one's own.
    const mine = [{ key: `${own}/mine.txt`, versionId }];
    expect((await eve("restore", { items: mine, onConflict: "replace" })).body).toMatchObject({
      restored: 0,
      failed: [{ code: "not_found" }],
    });
    expect((await eve("purge", { items: mine })).body).toMatchObject({ purged: 0 });
    expect(await textOf(`${own}/mine.txt`)).toBe("1");
    const { body: signed } = await eve("presign-download", { key: `${own}/mine.txt`, versionId });
    expect((await fetch(signed.url)).status).toBe(404);
  });

  it("cannot use a cursor of another listing, or a forged one", async () => {
    const key = `${place()}/a.txt`;
    await Promise.all(Array.from({ length: 101 }, () => put(key, "x")));
    const { body } = await ada("versions", { key });
    expect(body.cursor).toEqual(expect.any(String));
    const other = `${place()}/b.txt`;
    for (const [endpoint, request] of [
      ["versions", { key: other, cursor: body.cursor }],
      ["deleted", { cursor: body.cursor }],
      ["change-times", { from: "2026-01-01T00:00:00Z", to: "2027-01-01T00:00:00Z", cursor: body.cursor }],
      ["list", { at: "2030-01-01T00:00:00Z", cursor: body.cursor }],
      ["versions", { key, cursor: `${body.cursor.slice(0, -2)}xx` }],
    ] as const)
      expect([endpoint, await ada(endpoint, request)]).toMatchObject([
        endpoint,
        { status: 400, body: { issues: [{ path: "cursor" }] } },
      ]);
  });
});
