/** Objects that are copied in parts. All tests share one large file and lowered limits. */
import { createHash, randomBytes } from "node:crypto";
import {
  DeleteObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, inject, it } from "vitest";
import { UPLOAD_MARK } from "../../app/providers/presigned-urls.server";
import { copyItems } from "../../app/services/files/changes/copy-items.server";
import { type CopyBounds, copyBounds } from "../../app/services/files/changes/copy-large.server";
import { undoChange } from "../../app/services/files/changes/undo.server";
import { restoreVersions } from "../../app/services/files/history/restore-versions.server";
import type { ScopeAction } from "../../app/services/files/place/actions";
import type { CopyRequest } from "../../app/services/files/place/contract/changes-contract.server";
import type { FilesScope } from "../../app/services/files/place/scope.server";
import { ceph16, type Intercept } from "../../local/object-store";
import { openFaultyStore, secondsAgo } from "../support/files/cut-off-changes";
import { eventsOf } from "../support/files/event-calls";
import { testGrant } from "../support/files/grant";
import { serviceTools } from "../support/files/service-tools";

const MiB = 1024 ** 2;
/** Lowers the maximum size of a single copy to 6 MiB and the minimum size of a part to 5 MiB. Parts are copied one at a time. */
const bounds: CopyBounds = {
  ...copyBounds,
  maxSingleCopyBytes: 6 * MiB,
  minPartBytes: 5 * MiB,
  objects: 1,
  concurrency: 1,
};
const bytes = randomBytes(12 * MiB);
const { faulty, app, open } = await openFaultyStore();
const calls = await open();
let made = 0;

/** Creates a large file and a request that moves it. */
async function large(
  onConflict: CopyRequest["onConflict"] = "fail",
  more: Partial<PutObjectCommand["input"]> = {},
) {
  const at = `large-${made++}`;
  const Key = `${at}/film.mp4`;
  const Metadata = { director: "somebody" };
  const of = { Bucket: calls.bucket.name, Key, ContentType: "video/mp4", Metadata, ...more };
  const put = new PutObjectCommand({ ...of, Body: bytes, CacheControl: "no-cache" });
  await secondsAgo(() => calls.store.send(put));
  const ask = (cursor?: string | null, changes: Partial<CopyRequest> = {}) =>
    transfer({ items: [{ key: Key }], to: `/${at}/to`, onConflict, cursor: cursor ?? undefined, ...changes });
  return { at, key: Key, to: `${at}/to/film.mp4`, ask };
}

type Asked = Pick<CopyRequest, "items" | "to" | "onConflict" | "cursor"> & Partial<CopyRequest>;

const toolsNow = () => serviceTools(app);

const grantOf = (...actions: ScopeAction[]) =>
  testGrant({ bucket: calls.bucket.name, actions }, { expiresAt: app.now() + 600 });

function transfer(request: Asked, isMove = true, limits?: FilesScope["limits"]) {
  const body = { token: "", bucket: calls.bucket.name, stop: false, ...request };
  const grant = grantOf("organize", "delete");
  const scope = { ...grant.scope, ...(limits && { limits }) };
  return copyItems(body, { ...grant, scope }, toolsNow(), { isMove, bounds });
}

const uploadsOf = async (at: string) => {
  const command = new ListMultipartUploadsCommand({ Bucket: calls.bucket.name, Prefix: at });
  return (await calls.store.send(command)).Uploads?.length ?? 0;
};
/** Repeats the request until the move is done or an object has failed. */
async function finish(ask: Awaited<ReturnType<typeof large>>["ask"]) {
  const total = { done: 0, failed: [] as object[] };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const response = await ask(cursor);
    total.done += response.done;
    total.failed.push(...response.failed);
    ({ cursor } = response);
  }
  return total;
}

async function kept(Key: string) {
  const at = { Bucket: calls.bucket.name, Key };
  const { TagSet } = await calls.store.send(new GetObjectTaggingCommand(at));
  const { StorageClass, ExpiresString } = await calls.store.send(new HeadObjectCommand(at));
  return { tags: TagSet?.map((tag) => `${tag.Key}: ${tag.Value}`), StorageClass, ExpiresString };
}
const sha256 = createHash("sha256").update(bytes).digest("hex");

describe("an object that is too large for a single copy", () => {
  it("is copied in parts over several repeatable requests, and keeps its metadata", async () => {
    const Metadata = { director: "somebody", [UPLOAD_MARK]: "the upload" };
    const { at, key, to, ask } = await large("fail", { Metadata });
    let cursor: string | null | undefined;
    let requests = 0;
    let done = 0;
    do {
      const response = await ask(cursor);
      expect(await calls.bucket.sha256(to)).toBe(response.done === 1 ? sha256 : null);
      // Repeats the request as if its response had been lost.
      const again = requests > 0 && response.cursor !== null ? await ask(cursor) : response;
      ({ cursor } = again);
      done += again.done;
      requests += 1;
    } while (cursor !== null && requests < 10);
    expect(done).toBe(1);
    expect(requests).toBeGreaterThanOrEqual(2);
    expect(await calls.bucket.get(key)).toBeNull();
    expect(await calls.typeOf(to)).toBe("video/mp4");
    const { headers, uploadMark } =
      (await app.objectStore.describeObject({ bucket: calls.bucket.name, key: to })) ?? {};
    expect(headers).toMatchObject({ CacheControl: "no-cache", Metadata: { director: "somebody" } });
    expect(uploadMark, "the copy is known to be of that upload").toBe("the upload");
    expect(await uploadsOf(at)).toBe(0);
  });

  it("overwrites no file that took its name meanwhile, also in a store that ignores conditions", async () => {
    const { at, key, to, ask } = await large();
    faulty.intercept = () => ({ ignores: ceph16 });
    const { cursor } = await ask();
    await calls.bucket.put(to, "taken");
    const total = await finish((next) => ask(next ?? cursor));
    expect(total).toEqual({ done: 0, failed: [{ key, code: "name_taken" }] });
    faulty.intercept = null;
    expect(String(await calls.bucket.get(to))).toBe("taken");
    expect(await calls.bucket.sha256(key)).toBe(sha256);
    expect(await uploadsOf(at)).toBe(0);
  });

  it("is removed when its copy is undone", async () => {
    const { at, key, to } = await large();
    const request = { items: [{ key }], to: `/${at}/to`, onConflict: "fail" as const };
    let undo: string | undefined;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const response = await transfer({ ...request, cursor }, false);
      undo ??= response.undo;
      ({ cursor } = response);
    }
    expect(await calls.bucket.sha256(to)).toBe(sha256);
    const body = { token: "", bucket: calls.bucket.name, undo: undo ?? "" };
    expect(await undoChange(body, grantOf("delete"), toolsNow())).toMatchObject({
      restored: 1,
      failed: [],
    });
    expect(await calls.bucket.get(to)).toBeNull();
    expect(await calls.bucket.sha256(key)).toBe(sha256);
  });

  it("is not copied further if the request continues with a token whose limit is lower, and leaves no parts", async () => {
    const { at, key, to } = await large();
    const request = { items: [{ key }], to: `/${at}/to`, onConflict: "fail" as const };
    const first = await transfer(request, false, { maxFileBytes: bytes.length });
    const { cursor } = await transfer({ ...request, cursor: first.cursor ?? undefined }, false);
    expect(await uploadsOf(at)).toBe(1);
    const lower = { maxFileBytes: bytes.length - 1 };
    expect(await transfer({ ...request, cursor: cursor ?? undefined }, false, lower)).toMatchObject({
      done: 0,
      failed: [{ key, code: "too_large" }],
      cursor: null,
    });
    expect(await uploadsOf(at)).toBe(0);
    expect(await calls.bucket.get(to)).toBeNull();
  });

  it("is moved by repeating the request if the response to its completion is lost", async () => {
    const { key, to, ask } = await large();
    let { cursor } = await ask();
    faulty.intercept = ({ method, query }) =>
      method === "POST" && query.has("uploadId") ? { loseResponse: true } : undefined;
    let failed = 0;
    for (let requests = 0; requests < 10 && failed === 0; requests++) {
      await ask(cursor).then(
        (response) => {
          cursor = response.cursor;
        },
        () => failed++,
      );
    }
    faulty.intercept = null;
    for (let requests = 0; requests < 5 && cursor !== null; requests++) ({ cursor } = await ask(cursor));
    expect(cursor).toBeNull();
    expect(await calls.bucket.sha256(to)).toBe(sha256);
    expect(await calls.bucket.get(key)).toBeNull();
  });

  it("is moved by repeating the request if it was copied and the cursor is lost", async () => {
    const { key, to, ask } = await large();
    faulty.intercept = ({ method, key: asked }) =>
      method === "DELETE" && asked === key ? { reset: true } : undefined;
    await expect(finish(ask)).rejects.toMatchObject({ code: "unavailable" });
    faulty.intercept = null;
    expect(await calls.bucket.sha256(to)).toBe(sha256);
    expect(await finish(ask)).toEqual({ done: 1, failed: [] });
    expect(await calls.bucket.get(key)).toBeNull();
  });

  it("is not moved if it changes meanwhile, and leaves no parts", async () => {
    const { at, key, to, ask } = await large();
    const first = await ask();
    const { cursor } = await ask(first.cursor);
    expect(await uploadsOf(at)).toBe(1);
    await calls.bucket.put(key, "another");
    expect(await ask(cursor)).toMatchObject({ done: 0, failed: [{ key, code: "upload_conflict" }] });
    expect(await uploadsOf(at)).toBe(0);
    expect(String(await calls.bucket.get(key))).toBe("another");
    expect(await calls.bucket.get(to)).toBeNull();
  });

  it("does not overwrite an object that appears meanwhile", async () => {
    const { at, key, to, ask } = await large();
    let { cursor } = await ask();
    await calls.bucket.put(to, "appeared");
    let failed: { key: string; code: string }[] = [];
    for (let requests = 0; requests < 10 && cursor !== null; requests++) {
      ({ cursor, failed } = await ask(cursor).then((response) => ({
        cursor: response.cursor,
        failed: [...failed, ...response.failed],
      })));
    }
    expect(failed).toEqual([{ key, code: "name_taken" }]);
    expect(String(await calls.bucket.get(to))).toBe("appeared");
    expect(await calls.bucket.sha256(key)).toBe(sha256);
    expect(await uploadsOf(at)).toBe(0);
  });

  it("leaves no parts if the user stops", async () => {
    const { at, key, ask } = await large();
    const first = await ask();
    const { cursor } = await ask(first.cursor);
    expect(await ask(cursor, { stop: true })).toMatchObject({ done: 0, cursor: null });
    expect(await ask(cursor, { stop: true })).toMatchObject({ done: 0, cursor: null });
    expect(await uploadsOf(at)).toBe(0);
    expect(await calls.bucket.sha256(key)).toBe(sha256);
  });
});

describe("a change in parts, and another change of the same file at once", () => {
  type Response = { done: number; failed: { code: string }[]; conflicts?: object[] };
  const short = ({ done, failed, conflicts = [] }: Response) => [
    done,
    failed.map(({ code }) => code),
    conflicts.length,
  ];
  /** Copies or moves the large file, over several requests. */
  async function transferAll(at: string, key: string, isMove: boolean): Promise<Response> {
    const total = { done: 0, failed: [] as Response["failed"], conflicts: [] as object[] };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const request = { items: [{ key }], to: `/${at}/to`, onConflict: "fail" as const };
      const response = await transfer({ ...request, cursor: cursor ?? undefined }, isMove);
      total.done += response.done;
      total.failed.push(...response.failed);
      total.conflicts.push(...response.conflicts);
      ({ cursor } = response);
    }
    return total;
  }
  const typesBelow = async (at: string) =>
    (await eventsOf(inject("stack").postgresUrl, calls.bucket.name))
      .filter(({ key }) => key.startsWith(`${at}/`) && !key.endsWith("/"))
      .map(({ type }) => type)
      .sort();
  const filesBelow = async (at: string) =>
    (await calls.keysBelow(at)).filter((key) => key !== "" && !key.endsWith("/")).sort();

  type End = { told: unknown[]; files: string[]; events: string[] };
  const done = [1, [], 0];
  const nothing = [0, [], 0];
  const notFound = [0, ["not_found"], 0];
  const conflict = [0, [], 1];
  const film = "film.mp4";
  const pairs: [string, boolean, (at: string) => Promise<Response>, End[]][] = [
    [
      "a copy, another copy to its name",
      false,
      (at) =>
        calls.change("copy", { items: [{ key: `${at}/x/${film}` }], to: `/${at}/to`, onConflict: "fail" }),
      [
        { told: [done, conflict], files: [film, `to/${film}`, `x/${film}`], events: ["file.copied"] },
        { told: [conflict, done], files: [film, `to/${film}`, `x/${film}`], events: ["file.copied"] },
      ],
    ],
    [
      "a copy, a deletion of it",
      false,
      (at) => calls.change("delete", { items: [{ key: `${at}/to/${film}` }] }),
      [
        { told: [done, done], files: [film, `x/${film}`], events: ["file.copied", "file.deleted"] },
        { told: [done, nothing], files: [film, `to/${film}`, `x/${film}`], events: ["file.copied"] },
      ],
    ],
    [
      "a copy, a rename of it",
      false,
      (at) => {
        const request = { items: [{ key: `${at}/to/${film}` }], to: `/${at}`, name: "b.mp4" };
        return calls.change("move", { ...request, onConflict: "fail" });
      },
      [
        { told: [done, done], files: ["b.mp4", film, `x/${film}`], events: ["file.copied", "file.moved"] },
        { told: [done, notFound], files: [film, `to/${film}`, `x/${film}`], events: ["file.copied"] },
      ],
    ],
    [
      "a move, a deletion of its source",
      true,
      (at) => calls.change("delete", { items: [{ key: `${at}/${film}` }] }),
      [
        { told: [done, nothing], files: [`to/${film}`, `x/${film}`], events: ["file.moved"] },
        { told: [notFound, done], files: [`x/${film}`], events: ["file.deleted"] },
      ],
    ],
    [
      "a move, a move of its source",
      true,
      (at) => {
        const request = { items: [{ key: `${at}/${film}` }], to: `/${at}`, name: "b.mp4" };
        return calls.change("move", { ...request, onConflict: "fail" });
      },
      [
        { told: [done, notFound], files: [`to/${film}`, `x/${film}`], events: ["file.moved"] },
        { told: [notFound, done], files: ["b.mp4", `x/${film}`], events: ["file.moved"] },
      ],
    ],
  ];

  it.each(pairs)("%s: one after the other", async (_, isMove, change, ends) => {
    for (const isFirst of [true, false]) {
      const { at, key } = await large();
      await calls.put({ [`${at}/x/${film}`]: "short" });
      const changing = isFirst ? undefined : change(at);
      const told = await Promise.all([transferAll(at, key, isMove), changing ?? change(at)]);
      expect(ends).toContainEqual({
        told: told.map(short),
        files: await filesBelow(at),
        events: await typesBelow(at),
      });
      expect(await uploadsOf(at)).toBe(0);
    }
  });
});

describe("the properties kept with a large object", () => {
  const expires = "Wed, 21 Oct 2065 07:28:00 GMT";
  const more = {
    Tagging: "case=a%20%2B%20b&empty=",
    StorageClass: "STANDARD_IA",
    Expires: new Date(expires),
  } as const;
  const all = { tags: ["case: a + b", "empty: "], StorageClass: "STANDARD_IA", ExpiresString: expires };

  it("include its tags, storage class and expiry", async () => {
    const { to, ask } = await large("fail", more);
    expect(await finish(ask)).toEqual({ done: 1, failed: [] });
    expect(await kept(to)).toEqual(all);
  });

  const refusals: [string, Intercept, object][] = [
    [
      "may not be read",
      ({ query }) => error(query.has("tagging"), 403, "AccessDenied"),
      { ...all, tags: [] },
    ],
    [
      "are not known",
      ({ query }) => error(query.has("tagging"), 501, "NotImplemented"),
      { ...all, tags: [] },
    ],
    [
      "are not taken",
      ({ headers }) => error("x-amz-tagging" in headers, 501, "NotImplemented"),
      { ...all, tags: [], StorageClass: undefined },
    ],
    [
      "is not taken",
      ({ headers }) => error("x-amz-storage-class" in headers, 400, "InvalidStorageClass"),
      { ...all, StorageClass: undefined },
    ],
  ];
  it.each(refusals)(
    "is what the store gives and takes: tags or a class that %s",
    async (_, intercept, expected) => {
      const { key, to, ask } = await large("fail", more);
      faulty.intercept = intercept;
      expect(await finish(ask)).toEqual({ done: 1, failed: [] });
      faulty.intercept = null;
      expect(await kept(to)).toEqual(expected);
      expect(await calls.bucket.get(key)).toBeNull();
    },
  );

  it("are not lost by a move that may not write them", async () => {
    const { key, to, ask } = await large("fail", more);
    faulty.intercept = ({ headers }) => error("x-amz-tagging" in headers, 403, "AccessDenied");
    expect(await finish(ask)).toEqual({ done: 0, failed: [{ key, code: "provider_failed" }] });
    faulty.intercept = null;
    expect(await calls.bucket.get(to)).toBeNull();
    expect(await kept(key)).toEqual(all);
  });

  function error(isMeant: boolean, status: number, code: string) {
    return isMeant ? { error: { status, code } } : undefined;
  }
});

describe("a large object in a bucket that keeps versions", () => {
  it("does not get the tags of a version that comes while it is described", async () => {
    await calls.keepVersions();
    const { at, key, to, ask } = await large("fail", { Tagging: "scan=pending" });
    const object = { Bucket: calls.bucket.name, Key: key };
    let newer: string | undefined;
    let isRemoved = false;
    faulty.intercept = async ({ method, query }) => {
      if (method === "GET" && query.has("tagging") && newer === undefined) {
        const put = new PutObjectCommand({ ...object, Body: "newer", Tagging: "scan=clean" });
        newer = (await calls.store.send(put)).VersionId;
      }
      // Its parts would not be copied, but now the first one is the newest again.
      if (method === "POST" && query.has("uploads") && newer !== undefined && !isRemoved) {
        isRemoved = true;
        await calls.store.send(new DeleteObjectCommand({ ...object, VersionId: newer }));
      }
      return undefined;
    };
    const outcome = await finish(ask);
    faulty.intercept = null;
    expect(newer).toBeDefined();
    expect(outcome).toEqual({ done: 0, failed: [{ key, code: "upload_conflict" }] });
    expect(await uploadsOf(at)).toBe(0);
    expect(await calls.bucket.get(to)).toBeNull();
  });
});

describe("an older version that is too large for a single copy", () => {
  it("is copied in parts over several requests, on top of the newer one", async () => {
    await calls.keepVersions();
    const { key } = await large();
    await calls.bucket.put(key, "newer");
    const page = { bucket: calls.bucket.name, prefix: key };
    const [, older] = (await app.objectStore.listVersions(page)).versions;
    const items = [{ key, versionId: older?.versionId ?? "" }];
    let requests = 0;
    let restored = 0;
    for (let cursor: string | undefined | null; cursor !== null; requests++) {
      const body = { token: "", bucket: calls.bucket.name, items, onConflict: "replace" as const };
      const more = cursor === undefined ? body : { ...body, cursor };
      const answer = await restoreVersions(more, grantOf("history"), toolsNow(), bounds);
      expect(answer.failed).toEqual([]);
      restored += answer.restored;
      ({ cursor } = answer);
    }
    expect([restored, requests]).toEqual([1, expect.any(Number)]);
    expect(requests).toBeGreaterThan(3);
    expect(await calls.bucket.sha256(key)).toBe(sha256);
    expect((await app.objectStore.listVersions(page)).versions).toHaveLength(3);
    expect(await uploadsOf(key)).toBe(0);
  });
});
