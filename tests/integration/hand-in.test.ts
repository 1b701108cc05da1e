/** Hand-in pages: what their tokens may do, and that they learn nothing about what is stored. */

import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import { signValue } from "../../app/embed/signed-value.server";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { routeOfFile } from "../support/app/route-files";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { type FaultyStore, startFaultyStore } from "../support/files/faulty-store";

const stack = inject("stack");
const MiB = 1024 ** 2;
const PREFIX = "/api/embed/storage/";
let store: FaultyStore;
let app: RouteApp;
let bucket: TestBucket;

beforeAll(async () => {
  store = await startFaultyStore(stack);
  app = createRouteApp(store.stack);
  bucket = await makeBucket(store.stack);
});
afterAll(async () => {
  await app?.close();
  await store?.close();
});

interface Token {
  scope?: object;
  companyId?: string;
  cid?: string;
  visitor?: { id: string };
}

function tokenFor({ scope = {}, companyId = "company", cid = "c", ...rest }: Token = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { cid, companyId, svc: "files", origins: [], iat: now, exp: now + 900, ...rest };
  const drop = { bucket: bucket.name, view: "hand-in" as const, uploadFolder: "/inbox", actions: ["upload"] };
  return signEmbedToken({ ...payload, scope: { ...drop, ...scope } }, stack.embedSigningSecret);
}

async function ask(what: string, body: object, token = tokenFor()) {
  const response = await app.fetch(`${app.platformBaseUrl}${PREFIX}${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, ...body }),
  });
  return { status: response.status, body: await response.json() };
}

const presign = (file: object = {}, token = tokenFor()) =>
  ask(
    "presign-upload",
    {
      bucket: bucket.name,
      folderPath: "/inbox",
      fileName: "cv.pdf",
      contentType: "application/pdf",
      size: 3,
      ...file,
    },
    token,
  );

/** Hands in a small file as the page does. */
async function handIn(content = "abc", file: object = {}, token = tokenFor()) {
  const { status, body: signed } = await presign({ size: content.length, ...file }, token);
  expect([status, signed.code]).toEqual([200, undefined]);
  const sent = await fetch(signed.url, { method: "PUT", headers: signed.headers, body: content });
  expect(sent.status).toBe(200);
  const { body } = await ask("uploaded", { bucket: bucket.name, receipts: [signed.receipt] }, token);
  const [confirmed] = body.uploaded;
  return { ...signed, ...confirmed } as {
    key: string;
    receipt: string;
    takeBack: string;
    url: string;
    headers: Record<string, string>;
  };
}

/** Hands in a file in two parts. */
async function handInParts(token = tokenFor()) {
  const size = 9 * MiB;
  const file = {
    bucket: bucket.name,
    folderPath: "/inbox",
    fileName: "film.mp4",
    contentType: "video/mp4",
    size,
  };
  const { body: created } = await ask("multipart/create", { ...file, ifNoneMatch: true }, token);
  const numbers = [1, 2];
  const { body: signed } = await ask(
    "multipart/sign",
    { upload: created.upload, parts: numbers.map((number) => ({ number })) },
    token,
  );
  for (const { number, url, headers } of signed.parts) {
    const length = number === 1 ? created.partSize : size - created.partSize;
    const sent = await fetch(url, { method: "PUT", headers, body: new Uint8Array(length) });
    expect(sent.status).toBe(200);
  }
  const { body } = await ask("multipart/complete", { upload: created.upload }, token);
  return { ...created, ...body } as { key: string; upload: string; takeBack: string };
}

/** The requests that the store gets while `work` runs, without the names of the objects. */
async function requestsDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = store.requests.length;
  await work();
  return store.requests.slice(before).map((request) => request.replace(/\/.*/, ""));
}

describe("the token of a hand-in page", () => {
  it("may call nothing but what uploads need", async () => {
    await bucket.put("inbox/secret.txt", "secret");
    const where = { bucket: bucket.name };
    const items = [{ key: "inbox/secret.txt" }];
    const upload = "made-up";
    const bodies: Record<string, object> = {
      activity: { ...where, key: "inbox/secret.txt" },
      "change-times": { ...where, from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" },
      copy: { ...where, items, to: "/inbox", onConflict: "fail" },
      "create-folder": { ...where, folderPath: "/inbox", name: "new" },
      delete: { ...where, items },
      deleted: { ...where, folderPath: "/inbox" },
      list: { ...where, folderPath: "/inbox" },
      move: { ...where, items, to: "/inbox", onConflict: "fail" },
      "multipart/find": { ...where, folderPath: "/inbox", fileName: "a", contentType: "a/b", size: 1 },
      "presign-download": { ...where, key: "inbox/secret.txt" },
      "presign-downloads": { ...where, keys: ["inbox/secret.txt"] },
      purge: { ...where, items },
      quota: where,
      recent: where,
      restore: { ...where, undo: "made-up" },
      search: { ...where, query: "secret" },
      sizes: { ...where, folderPaths: ["/inbox"] },
      versions: { ...where, key: "inbox/secret.txt" },
    };
    const needed: Record<string, [body: object, answer: string]> = {
      diagnose: [{ ...where, operation: "upload" }, "200 undefined"],
      "multipart/abort": [{ upload }, "400 invalid_request"],
      "multipart/complete": [{ upload }, "400 invalid_request"],
      "multipart/create": [
        { ...where, folderPath: "/inbox", fileName: "a", contentType: "a/b", size: 1 },
        "200 undefined",
      ],
      "multipart/list": [{ upload }, "400 invalid_request"],
      "multipart/sign": [{ upload, parts: [{ number: 1 }] }, "400 invalid_request"],
      "presign-upload": [
        { ...where, folderPath: "/inbox", fileName: "a", contentType: "a/b" },
        "200 undefined",
      ],
      "take-back": [{ takeBack: "made-up" }, "400 invalid_request"],
      uploaded: [{ ...where, keys: ["inbox/secret.txt"] }, "403 scope_not_allowed"],
    };
    const all = readdirSync("app/routes")
      .map(routeOfFile)
      .filter((route) => route.startsWith(PREFIX));
    expect(all.map((route) => route.slice(PREFIX.length)).sort()).toEqual(
      ["changes", ...Object.keys(bodies), ...Object.keys(needed)].sort(),
    );
    const following = new URL(`${app.platformBaseUrl}${PREFIX}changes`);
    following.search = String(new URLSearchParams({ ...where, folderPath: "/inbox" }));
    const follow = await app.fetch(following.href, { headers: { Authorization: `Bearer ${tokenFor()}` } });
    expect([follow.status, (await follow.json()).code]).toEqual([403, "scope_not_allowed"]);
    for (const [what, body] of Object.entries(bodies)) {
      const requests = await requestsDuring(async () => {
        const answer = await ask(what, body);
        expect([what, answer.status, answer.body.code]).toEqual([what, 403, "scope_not_allowed"]);
        expect(answer.body.error).toBe(
          "This token is for handing files in, and for nothing else (scope.view).",
        );
      });
      expect([what, requests]).toEqual([what, []]);
    }
    for (const [what, [body, expected]] of Object.entries(needed)) {
      const { status, body: answer } = await ask(what, body);
      expect([what, `${status} ${answer.code}`]).toEqual([what, expected]);
    }
    expect(String(await bucket.get("inbox/secret.txt"))).toBe("secret");
  });

  it("is refused the same when a forged scope names more actions", async () => {
    const token = tokenFor({
      scope: { actions: ["download", "upload", "organize", "delete", "history", "purge"] },
    });
    const where = { bucket: bucket.name };
    for (const [what, body] of [
      ["list", where],
      ["delete", { ...where, items: [{ folderPath: "/inbox" }] }],
      ["versions", { ...where, key: "inbox/secret.txt" }],
    ] as const)
      expect((await ask(what, body, token)).status).toBe(403);
  });

  it("uploads to its folder and below, within its limits", async () => {
    expect((await presign({ folderPath: "/" })).body.code).toBe("scope_not_allowed");
    expect((await presign({ folderPath: "/inbox-2" })).body.code).toBe("scope_not_allowed");
    expect((await presign({ bucket: "another-bucket" })).body.code).toBe("scope_not_allowed");
    const { key } = await handIn("abc", { folderPath: "/inbox/Photos/2026" });
    expect(key).toMatch(/^inbox\/Photos\/2026\/cv \([2-9b-z]{12}\)\.pdf$/);
    const limited = tokenFor({ scope: { limits: { maxFileBytes: 2, fileTypes: [".tar.gz", ".pdf"] } } });
    expect((await presign({}, limited)).body.code).toBe("too_large");
    expect((await presign({ size: 1, fileName: "a.exe" }, limited)).body.code).toBe("type_not_allowed");
    const archive = await presign({ size: 1, fileName: "A.TAR.GZ" }, limited);
    expect(archive.body.key).toMatch(/^inbox\/A \(.{12}\)\.TAR\.GZ$/);
  });

  it("has no room for a name that is too long with its mark", async () => {
    const fileName = `${"n".repeat(1024 - "/inbox/".length - 4)}.pdf`;
    const { status, body } = await presign({ fileName });
    expect([status, body.issues?.[0]?.path]).toEqual([400, "fileName"]);
  });
});

describe("a name that is taken", () => {
  it("is answered as one that is free, with the same calls of the store", async () => {
    await bucket.put("inbox/taken.pdf", "theirs");
    const attempt = async (fileName: string) => {
      const requests = await requestsDuring(() => handIn("mine", { fileName }));
      const withCondition = await requestsDuring(() => presign({ fileName, ifNoneMatch: true }));
      return [requests, withCondition];
    };
    // Learns once how the store checks integrity.
    await attempt("first.pdf");
    expect(await attempt("taken.pdf")).toEqual(await attempt("free.pdf"));
    expect(String(await bucket.get("inbox/taken.pdf"))).toBe("theirs");
  });

  it("is as little told by an upload in parts", async () => {
    await bucket.put("inbox/film.mp4", "theirs");
    const taken = await requestsDuring(() => handInParts());
    await bucket.remove("inbox/film.mp4");
    const free = await requestsDuring(() => handInParts());
    expect(taken).toEqual(free);
  });

  it("is never the same twice, so that nothing is overwritten", async () => {
    const [one, two] = [await handIn("one"), await handIn("two")];
    expect(one.key).not.toBe(two.key);
    expect(String(await bucket.get(one.key))).toBe("one");
    expect(String(await bucket.get(two.key))).toBe("two");
  });

  it("cannot be asked for by `uploaded`, whoever signed the upload", async () => {
    const explorer = tokenFor({ scope: { view: undefined } });
    const { body: theirs } = await presign({ fileName: "theirs.pdf" }, explorer);
    await fetch(theirs.url, { method: "PUT", headers: theirs.headers, body: "abc" });
    const { status, body } = await ask("uploaded", { bucket: bucket.name, keys: [theirs.key] });
    expect([status, body.code]).toEqual([403, "scope_not_allowed"]);
  });

  it("is not told by a receipt either, once somebody else's file has its key", async () => {
    const { body } = await presign();
    await bucket.put(body.key, "somebody else's");
    const confirmed = await ask("uploaded", { bucket: bucket.name, receipts: [body.receipt] });
    expect(confirmed.body).toEqual({ uploaded: [] });
  });
});

describe("sending a file again", () => {
  it("names the same object, by its receipt", async () => {
    const { body: first } = await presign();
    const { body: again } = await presign({ receipt: first.receipt });
    expect([again.key, again.receipt]).toEqual([first.key, first.receipt]);
    await fetch(again.url, { method: "PUT", headers: again.headers, body: "abc" });
    const { body } = await ask("uploaded", { bucket: bucket.name, receipts: [again.receipt] });
    expect(body.uploaded).toEqual([expect.objectContaining({ key: first.key, size: 3 })]);
  });

  it("is refused once the file is stored, so that nobody gets other content than they were told of", async () => {
    const { receipt, url, headers } = await handIn("abc", { ifNoneMatch: true });
    expect(await presign({ receipt })).toMatchObject({ status: 409, body: { code: "name_taken" } });
    const again = await fetch(url, { method: "PUT", headers, body: "xyz" });
    expect(again.status).toBe(412);
    const { body } = await ask("uploaded", { bucket: bucket.name, receipts: [receipt] });
    expect(body.uploaded).toEqual([expect.objectContaining({ size: 3 })]);
  });

  it("names the same object also with the person's token for the explorer", async () => {
    const { body: first } = await presign();
    const { body: again } = await presign(
      { receipt: first.receipt },
      tokenFor({ scope: { view: undefined } }),
    );
    expect([again.key, again.receipt]).toEqual([first.key, first.receipt]);
  });

  it("takes no receipt of another file", async () => {
    const { body } = await presign();
    for (const other of [{ fileName: "other.pdf" }, { folderPath: "/inbox/deeper" }]) {
      const again = await presign({ ...other, receipt: body.receipt });
      expect(again.body.issues).toEqual([{ path: "receipt", message: "is another file's" }]);
    }
  });
});

describe("taking back", () => {
  it("deletes what was handed in, once", async () => {
    const { key, takeBack } = await handIn();
    expect(await ask("take-back", { takeBack })).toEqual({ status: 200, body: { removed: true } });
    expect(await bucket.get(key)).toBeNull();
    expect((await ask("take-back", { takeBack })).body).toEqual({ removed: false });
  });

  it("and moving it at once: it is either removed or moved, and both are told so", async () => {
    const staff = tokenFor({ scope: { view: undefined, uploadFolder: undefined, actions: ["organize"] } });
    for (let times = 0; times < 10; times++) {
      const { key, takeBack } = await handIn();
      const to = `/kept-${times}`;
      const move = { bucket: bucket.name, items: [{ key }], to, onConflict: "fail" };
      const [taken, moved] = await Promise.all([ask("take-back", { takeBack }), ask("move", move, staff)]);
      const kept = await bucket.get(`${to.slice(1)}/${key.slice("inbox/".length)}`);
      expect([taken.body.removed, moved.body.done, kept === null]).toEqual(
        taken.body.removed ? [true, 0, true] : [false, 1, false],
      );
    }
  });

  it("deletes what was handed in in parts", async () => {
    const { key, takeBack } = await handInParts();
    expect((await ask("take-back", { takeBack })).body).toEqual({ removed: true });
    expect(await bucket.get(key)).toBeNull();
  });

  it("works with a later token of the same visitor", async () => {
    const visitor = { id: randomUUID() };
    const { takeBack } = await handIn("abc", {}, tokenFor({ visitor }));
    expect((await ask("take-back", { takeBack }, tokenFor({ visitor }))).body).toEqual({ removed: true });
  });

  it("leaves a file that somebody has changed since, and does not tell it from one that is gone", async () => {
    const [changed, gone] = [await handIn(), await handIn()];
    await bucket.put(changed.key, "reviewed");
    await bucket.remove(gone.key);
    const answers: unknown[] = [];
    const requests = [];
    for (const { takeBack } of [changed, gone])
      requests.push(await requestsDuring(async () => answers.push(await ask("take-back", { takeBack }))));
    expect(answers).toEqual([
      { status: 200, body: { removed: false } },
      { status: 200, body: { removed: false } },
    ]);
    expect(requests[0]).toEqual(requests[1]);
    expect(String(await bucket.get(changed.key))).toBe("reviewed");
  });

  it("leaves a file that somebody has replaced by the same bytes", async () => {
    const { key, takeBack } = await handIn("abc");
    const explorer = tokenFor({ scope: { view: undefined } });
    const { body: theirs } = await presign({ fileName: key.slice("inbox/".length) }, explorer);
    const sent = await fetch(theirs.url, { method: "PUT", headers: theirs.headers, body: "abc" });
    expect([sent.status, theirs.key]).toEqual([200, key]);
    expect((await ask("take-back", { takeBack })).body).toEqual({ removed: false });
    expect(String(await bucket.get(key))).toBe("abc");
  });

  it.each<[string, Token]>([
    ["another visitor", { visitor: { id: "somebody else" } }],
    ["somebody without a name", {}],
    ["another API key", { cid: "another", visitor: { id: "ada" } }],
    ["another company", { companyId: "another", visitor: { id: "ada" } }],
    ["a token for another folder", { scope: { uploadFolder: "/inbox/2" }, visitor: { id: "ada" } }],
    ["a token for another bucket", { scope: { bucket: "another-bucket" }, visitor: { id: "ada" } }],
    ["another visitor of the explorer", { scope: { view: undefined }, visitor: { id: "somebody else" } }],
    ["somebody without a name in the explorer", { scope: { view: undefined } }],
  ])("is refused to %s", async (_, theirs) => {
    const mine = tokenFor({ visitor: { id: "ada" } });
    const { key, takeBack, receipt } = await handIn("abc", {}, mine);
    const parts = await handInParts(mine);
    const token = tokenFor(theirs);
    const asBucket = (theirs.scope as { bucket?: string } | undefined)?.bucket ?? bucket.name;
    const answers = [
      await ask("take-back", { takeBack }, token),
      await ask("uploaded", { bucket: asBucket, receipts: [receipt] }, token),
      await presign({ receipt, bucket: asBucket }, token),
      await ask("multipart/sign", { upload: parts.upload, parts: [{ number: 1 }] }, token),
      await ask("multipart/list", { upload: parts.upload }, token),
      await ask("multipart/complete", { upload: parts.upload }, token),
      await ask("multipart/abort", { upload: parts.upload }, token),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
    expect(String(await bucket.get(key))).toBe("abc");
  });

  it("takes no handle that was made for another purpose, or changed, or by others", async () => {
    await bucket.put("inbox/secret.txt", "secret");
    const { takeBack, receipt } = await handIn();
    const parts = await handInParts();
    const [payload = "", mac] = takeBack.split(".");
    const value = JSON.parse(String(Buffer.from(payload, "base64url")));
    const changed = (changes: object) =>
      `${Buffer.from(JSON.stringify({ ...value, ...changes })).toString("base64url")}.${mac}`;
    const forged = [
      receipt,
      parts.upload,
      tokenFor(),
      changed({ key: "inbox/secret.txt" }),
      changed({ etag: '"another"' }),
      changed({ exp: value.exp + 1 }),
      signValue(value, "another secret of at least thirty-two bytes", "files-handed-in"),
      signValue(value, stack.embedSigningSecret, "files-receipt"),
      `${takeBack}=`,
    ];
    for (const handle of forged) {
      const { status, body } = await ask("take-back", { takeBack: handle });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
    }
    for (const handle of [takeBack, parts.upload, parts.takeBack]) {
      const { body } = await ask("uploaded", { bucket: bucket.name, receipts: [handle] });
      expect(body.code).toBe("invalid_request");
    }
    expect(String(await bucket.get("inbox/secret.txt"))).toBe("secret");
  });

  it("ends after a day", async () => {
    const { takeBack } = await handIn();
    const [payload = ""] = takeBack.split(".");
    const value = JSON.parse(String(Buffer.from(payload, "base64url")));
    const exp = Math.floor(Date.now() / 1000);
    const old = signValue({ ...value, exp }, stack.embedSigningSecret, "files-handed-in");
    expect((await ask("take-back", { takeBack: old })).body.code).toBe("upload_not_found");
  });
});

describe("an upload of the explorer", () => {
  it("cannot be continued, listed or completed by a hand-in page of the same company", async () => {
    const explorer = tokenFor({ scope: { view: undefined } });
    const file = {
      bucket: bucket.name,
      folderPath: "/inbox",
      fileName: "x.bin",
      contentType: "a/b",
      size: 5,
    };
    const { body } = await ask("multipart/create", file, explorer);
    for (const what of ["list", "complete", "abort"]) {
      const answer = await ask(`multipart/${what}`, { upload: body.upload });
      expect([what, answer.status]).toEqual([what, 403]);
    }
  });
});
