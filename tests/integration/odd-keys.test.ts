/**
 * Whatever keys a bucket holds, each object is shown, counted, found, archived, moved and deleted: exactly those, and no other. KEY_RUNS runs
 * it with more sets of keys.
 */

import { randomUUID } from "node:crypto";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import fc from "fast-check";
import {
  createFilesClient,
  folderPathOf,
  isAddressable,
  isFolderMarker,
  realWorld,
} from "platform-embed-element/client";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import { createRouteApp } from "../support/app/route-app";
import { anyObjects as objects } from "../support/files/any-objects";
import { type ChangeCalls, openChanges } from "../support/files/change-calls";

const stack = inject("stack");
const app = createRouteApp(stack);
let plain: ChangeCalls;
let versioned: ChangeCalls;
beforeAll(async () => {
  plain = await openChanges(stack, app.fetch);
  versioned = await openChanges(stack, app.fetch);
  await versioned.keepVersions();
});
afterAll(() => app.close());

// biome-ignore lint/suspicious/noExplicitAny: the contract of each response is checked by createRouteApp
type Answer = any;

async function ask(calls: ChangeCalls, endpoint: string, body: object): Promise<Answer> {
  const response = await app.fetch(`${stack.platformBaseUrl}/api/embed/storage/${endpoint}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: calls.token, bucket: calls.bucket.name, ...body }),
  });
  const answer = await response.json();
  if (response.status !== 200) throw new Error(`${endpoint}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** Everything in the bucket below a prefix, with sizes, as the store tells it. */
async function stored(calls: ChangeCalls, prefix: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const page = await calls.store.send(
      new ListObjectsV2Command({
        Bucket: calls.bucket.name,
        Prefix: prefix,
        EncodingType: "url",
        ContinuationToken: cursor,
      }),
    );
    for (const { Key = "", Size = 0 } of page.Contents ?? [])
      found.set(decodeURIComponent(Key.replaceAll("+", " ")), Size);
    cursor = page.NextContinuationToken;
    isLast = cursor === undefined;
  }
  return found;
}

/** Everything that the explorer shows below a folder when one opens each folder. */
async function shown(calls: ChangeCalls, folderPath: string, more: object = {}) {
  const files: string[] = [];
  const folders: string[] = [];
  for (const open = [folderPath]; open.length > 0; ) {
    const path = open.pop();
    for (let cursor: string | undefined, isLast = false; !isLast; ) {
      const page: Answer = await ask(calls, "list", { folderPath: path, pageSize: 3, cursor, ...more });
      files.push(...page.files.map(({ key }: { key: string }) => key));
      for (const folder of page.folders) {
        folders.push(folder.path);
        open.push(folder.path);
      }
      cursor = page.nextCursor ?? undefined;
      isLast = cursor === undefined;
    }
  }
  return { files: files.sort(), folders: folders.sort() };
}

/** What has to be shown of these keys: each as a file, but empty objects of folders as folders; and all folders on the way. */
function expected(objects: ReadonlyMap<string, number>, prefix: string) {
  const files: string[] = [];
  const folders = new Set<string>();
  for (const [key, size] of objects) {
    if (!isFolderMarker(key, size)) files.push(key);
    for (let at = key.indexOf("/", prefix.length); at !== -1; at = key.indexOf("/", at + 1))
      folders.add(folderPathOf(key.slice(0, at + 1)));
  }
  return { files: files.sort(), folders: [...folders].sort() };
}

async function putBelow(calls: ChangeCalls, base: string, given: readonly [string, string][]) {
  await mapConcurrently(given, 4, ([key, text]) =>
    calls.bucket.put(`${base}/${key}`, text && `${text} of ${key}`),
  );
  // Neighbours that begin alike are nobody's business.
  await calls.put({ [`${base}x/neighbour`]: "n", [`${base}.txt`]: "n" });
  return stored(calls, `${base}/`);
}

const neighbours = async (calls: ChangeCalls, base: string) => [
  ...(await stored(calls, `${base}x`)).keys(),
  ...(await stored(calls, `${base}.`)).keys(),
];

const runs = { numRuns: Number(process.env.KEY_RUNS ?? 12) };
const newBase = () => `p-${randomUUID().slice(0, 8)}`;

describe("of any set of keys", () => {
  it("the listing shows exactly what the store has, and a search counts and finds exactly the files", async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (given) => {
        const base = newBase();
        const has = await putBelow(plain, base, given);
        expect(has.size).toBe(given.length);
        const wanted = expected(has, `${base}/`);
        expect(await shown(plain, `/${base}`)).toEqual(wanted);
        const found = { files: [] as string[], scanned: 0 };
        for (let cursor: string | undefined, isLast = false; !isLast; ) {
          const page = await ask(plain, "search", { folderPath: `/${base}`, query: "b.txt", cursor });
          found.scanned += page.scanned;
          found.files.push(...page.files.map(({ key }: { key: string }) => key));
          cursor = page.cursor ?? undefined;
          isLast = cursor === undefined;
        }
        expect(found.scanned).toBe(wanted.files.length);
        expect(found.files.sort()).toEqual(
          // The name of a folder's own object with content ends with a slash.
          wanted.files.filter((key) => /b\.txt[^/]*\/?$/.test(key)),
        );
      }),
      runs,
    );
  });

  it("deleting a folder deletes exactly what it showed, and undoing brings exactly that back", async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.boolean(), async (given, keepsVersions) => {
        const calls = keepsVersions ? versioned : plain;
        const base = newBase();
        await calls.put({ "stays.txt": "s" });
        const has = await putBelow(calls, base, given);
        const { done, failed, undo } = await calls.change("delete", { items: [{ folderPath: `/${base}` }] });
        expect(failed).toEqual([]);
        expect(done).toBe(has.size);
        expect([...(await stored(calls, `${base}/`))]).toEqual([]);
        expect(await neighbours(calls, base)).toEqual([`${base}x/neighbour`, `${base}.txt`]);
        if (!keepsVersions) return;
        const deleted = await ask(calls, "deleted", { folderPath: `/${base}` });
        expect(deleted.files.map(({ key }: { key: string }) => key).sort()).toEqual([...has.keys()].sort());
        for (const handle of undo.reverse()) await ask(calls, "restore", { undo: handle });
        expect(await stored(calls, `${base}/`)).toEqual(has);
      }),
      runs,
    );
  });

  it("moving a folder moves exactly what it showed, and so does moving each of its rows", async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.boolean(), async (given, asRows) => {
        const base = newBase();
        const has = await putBelow(plain, base, given);
        const { files, folders } = await ask(plain, "list", { folderPath: `/${base}` });
        const own = `${base}/`;
        const rows = [
          ...files.flatMap(({ key }: { key: string }) => (key === own ? [] : { key })),
          ...folders.map(({ path }: { path: string }) => ({ folderPath: path })),
        ];
        if (asRows && rows.length === 0) return;
        const target = asRows ? `to-${base}` : `to-${base}/${base}`;
        const items = asRows ? rows : [{ folderPath: `/${base}` }];
        const { failed } = await plain.change("move", { items, to: `/to-${base}`, onConflict: "fail" });
        expect(failed).toEqual([]);
        const moved = [...has].filter(([key]) => !(asRows && key === own));
        const wanted = moved.map(([key, size]) => [`${target}/${key.slice(own.length)}`, size] as const);
        expect(await stored(plain, `${target}/`)).toEqual(new Map(wanted.sort(byKey)));
        // The folder that was emptied stays.
        const left = [...(await stored(plain, own)).keys()];
        expect(left).toEqual(asRows ? [own] : []);
        expect(await neighbours(plain, base)).toEqual([`${base}x/neighbour`, `${base}.txt`]);
      }),
      runs,
    );
  });

  it("an archive has exactly what the folder showed, or says what not before it begins; and each URL serves its own object", async () => {
    const client = createFilesClient({
      bucket: plain.bucket.name,
      tokens: { baseUrl: stack.platformBaseUrl, freshToken: async () => plain.token, reportExpired() {} },
      world: {
        ...realWorld,
        fetch: (url, init) =>
          url.startsWith(stack.platformBaseUrl) ? app.fetch(url, init) : fetch(url, init),
      },
    });
    await fc.assert(
      fc.asyncProperty(objects, async (given) => {
        const base = newBase();
        const has = await putBelow(plain, base, given);
        const zip = await client.downloads.zip([{ type: "folder", name: base, path: `/${base}` }]);
        const { entries, leftOut, length } = zip;
        let bytes = 0;
        for await (const chunk of zip.bytes()) bytes += chunk.length;
        expect(bytes).toBe(length);
        const files = entries.filter(({ key }) => key !== "");
        const wanted = expected(has, `${base}/`).files;
        expect(files.map(({ key }) => key).sort()).toEqual(wanted.filter(isAddressable));
        expect(leftOut.length).toBe(wanted.length - files.length);
        for (const { path } of files) expect(path).not.toMatch(/\/$/);
        // Two folders may be one in the archive, but no file takes another's place.
        const paths = files.map(({ path }) => path.toLowerCase().normalize("NFC"));
        expect(new Set(paths).size).toBe(paths.length);
        if (wanted.length === 0) return;
        const { downloads } = await ask(plain, "presign-downloads", { keys: wanted });
        for (const { key, url, error } of downloads) {
          expect(error).toBe(isAddressable(key) ? undefined : "not_addressable");
          if (url === undefined) continue;
          const response = await fetch(url);
          expect([key, response.status]).toEqual([key, 200]);
          const { size } = files.find((file) => file.key === key) ?? {};
          const text = await response.text();
          expect(Buffer.byteLength(text)).toBe(size);
          if (size !== 0) expect(text).toBe(`content of ${key.slice(base.length + 1)}`);
        }
      }),
      runs,
    );
  });

  it("the past has exactly what there was", async () => {
    await fc.assert(
      fc.asyncProperty(objects, async (given) => {
        const base = newBase();
        const has = await putBelow(versioned, base, given);
        const at = new Date(Date.now() + 60_000).toISOString();
        expect(await shown(versioned, `/${base}`, { at, pageSize: 1000 })).toEqual(expected(has, `${base}/`));
        const [key = ""] = has.keys();
        const { versions } = await ask(versioned, "versions", { key });
        expect(versions).toHaveLength(1);
      }),
      runs,
    );
  });
});

const byKey = ([one]: readonly [string, number], [other]: readonly [string, number]) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

describe("a scope", () => {
  const actions = ["download", "organize", "delete", "history", "activity"];

  it("is checked on the raw key: nothing is resolved", async () => {
    await plain.put({ "s/in/a": "a", "s/in/../up": "up", "s/up": "other", "s/in//b": "b", "s/in": "file" });
    const token = await plain.tokenOf({ path: "/s/in", actions });
    const within = (endpoint: string, body: object) =>
      app
        .fetch(`${stack.platformBaseUrl}/api/embed/storage/${endpoint}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ token, bucket: plain.bucket.name, ...body }),
        })
        .then(({ status }) => status);
    for (const key of ["s/up", "s/in", "s//in/a", "/s/in/a", "s/./in/a", "s/x/../in/a"]) {
      expect([key, await within("presign-download", { key })]).toEqual([key, 403]);
      expect([key, await within("delete", { items: [{ key }] })]).toEqual([key, 403]);
      expect([key, await within("versions", { key })]).toEqual([key, 403]);
      expect([key, await within("activity", { key })]).toEqual([key, 403]);
      const copy = { items: [{ key }], to: "/s/in", onConflict: "fail" };
      expect([key, await within("copy", copy)]).toEqual([key, 403]);
    }
    for (const folderPath of ["/s", "/s/inner", "//s/in", "/s//in", "/s/./in", "//"]) {
      expect([folderPath, await within("list", { folderPath })]).toEqual([folderPath, 403]);
      expect([folderPath, await within("search", { folderPath, query: "a" })]).toEqual([folderPath, 403]);
      expect([folderPath, await within("deleted", { folderPath })]).toEqual([folderPath, 403]);
      const items = [{ folderPath }];
      expect([folderPath, await within("delete", { items })]).toEqual([folderPath, 403]);
      const into = { items: [{ key: "s/in/a" }], to: folderPath, onConflict: "fail" };
      expect([folderPath, await within("copy", into)]).toEqual([folderPath, 403]);
    }
    // Literally below the folder, although a URL parser would lead out of it.
    expect(await within("list", { folderPath: "/s/in/.." })).toBe(200);
    expect(await within("presign-download", { key: "s/in/../up" })).toBe(409);
    expect(await within("delete", { items: [{ key: "s/in/../up" }] })).toBe(200);
    expect(String(await plain.bucket.get("s/up"))).toBe("other");
    expect(await within("delete", { items: [{ folderPath: "/s/in" }] })).toBe(403);
  });

  it("has one spelling for each folder, besides a slash at its end", async () => {
    for (const folderPath of ["s", ""]) {
      const { status } = await plain.ask("delete", { items: [{ folderPath }] });
      expect([folderPath, status]).toEqual([folderPath, 400]);
    }
  });
});

describe("what is created", () => {
  it.each(["a//b", "..", "a\\b", "a\nb", "/"])("has no such name or folder: %j", async (name) => {
    await plain.put({ "plain.txt": "p" });
    const status = async (endpoint: string, body: object) =>
      (await plain.ask(endpoint as "move", body)).status;
    expect(await status("create-folder", { folderPath: "/", name })).toBe(400);
    expect(await status("create-folder", { folderPath: `/${name}`, name: "x" })).toBe(400);
    const upload = { fileName: "x", contentType: "text/plain" };
    expect(await status("presign-upload", { ...upload, folderPath: `/${name}` })).toBe(400);
    const items = [{ key: "plain.txt" }];
    expect(await status("move", { items, to: "/", name, onConflict: "fail" })).toBe(400);
  });

  it("is not a copy of a folder's own object alone, which would be another folder", async () => {
    await plain.put({ "own/": "content" });
    const body = { items: [{ key: "own/" }], to: "/elsewhere", onConflict: "fail" };
    expect(await plain.ask("copy", body)).toMatchObject({ status: 400 });
    expect((await plain.change("delete", { items: [{ key: "own/" }] })).done).toBe(1);
    expect(await plain.bucket.get("own/")).toBeNull();
  });
});
