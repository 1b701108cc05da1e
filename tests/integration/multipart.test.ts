/** Multipart uploads with the app, a store that checks signatures, and the requests of a browser. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { issueEmbedUrl, makeEmbedClient } from "../support/app/embed-client";
import { multipartCalls, sha256, someBytes } from "../support/files/multipart-calls";
import { openStorage, type StorageCalls } from "../support/files/storage-calls";

const stack = inject("stack");
const MiB = 1024 ** 2;
const bytes = someBytes();
let storage: StorageCalls;
let calls: ReturnType<typeof multipartCalls>;
let made = 0;

beforeAll(async () => {
  storage = await openStorage(stack);
  calls = multipartCalls(stack.platformBaseUrl, storage);
});

const create = async (changes: object = {}) =>
  (await calls.create({ fileName: `large-${made++}.bin`, ...changes })).body;
const stored = async (key: string) => sha256((await storage.bucket.get(key)) ?? Buffer.of());

describe("a multipart upload", () => {
  it("becomes the file once its parts have arrived, and completing again gives the same response", async () => {
    const created = await create({ folderPath: "/docs" });
    expect(created).toMatchObject({ partSize: 8 * MiB, partCount: 3, checksum: "CRC64NVME" });
    expect(created.key).toMatch(/^docs\/large-\d+\.bin$/);
    const { upload, key } = created;
    expect(await calls.send(created, bytes, [3, 1])).toEqual([200, 200]);

    const listed = await calls.ask("list", { upload });
    expect(
      listed.body.parts.map(({ number, size }: { number: number; size: number }) => [number, size]),
    ).toEqual([
      [1, 8 * MiB],
      [3, 1 * MiB],
    ]);
    const early = await calls.ask("complete", { upload });
    expect([early.status, early.body]).toMatchObject([
      409,
      { code: "upload_incomplete", error: expect.stringContaining("2.") },
    ]);

    await calls.send(created, bytes, [2]);
    const answers = [await calls.ask("complete", { upload }), await calls.ask("complete", { upload })];
    for (const { status, body } of answers) {
      expect([status, body]).toMatchObject([200, { bucket: storage.bucket.name, key, size: bytes.length }]);
      expect(body.etag).toBe(answers[0]?.body.etag);
    }
    expect(await stored(key)).toBe(sha256(bytes));
  });

  it("becomes the file once if it is completed several times at once", async () => {
    const created = await create();
    await calls.send(created, bytes, [1, 2, 3]);
    const { upload } = created;
    const answers = await Promise.all(Array.from({ length: 5 }, () => calls.ask("complete", { upload })));
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: answers[0]?.body });
    expect(await stored(created.key)).toBe(sha256(bytes));
  });

  it("that is completed and aborted at once is either the file or aborted, and both are told so", {
    timeout: 60_000,
  }, async () => {
    for (let times = 0; times < 4; times++) {
      const created = await create();
      await calls.send(created, bytes, [1, 2, 3]);
      const { upload } = created;
      const asked = ["complete", "abort"] as const;
      const order = times % 2 === 0 ? asked : asked.toReversed();
      const answers = await Promise.all(order.map((what) => calls.ask(what, { upload })));
      const [completed, aborted] = times % 2 === 0 ? answers : answers.toReversed();
      const isThere = completed?.status === 200;
      expect(aborted).toEqual({ status: 200, body: { aborted: !isThere } });
      expect(await stored(created.key)).toBe(sha256(isThere ? bytes : Buffer.of()));
    }
  });

  it("that is complete is told not to be aborted, and stays", async () => {
    const created = await create();
    await calls.send(created, bytes, [1, 2, 3]);
    await calls.ask("complete", { upload: created.upload });
    const aborted = await calls.ask("abort", { upload: created.upload });
    expect(aborted).toEqual({ status: 200, body: { aborted: false } });
    expect(await stored(created.key)).toBe(sha256(bytes));
  });

  it("continues with later tokens of the same company only", async () => {
    const created = await create();
    await calls.send(created, bytes, [1]);
    const later = await issueEmbedUrl(stack, storage.client, { expiresInSeconds: 60 });
    const { status } = await calls.ask("list", { upload: created.upload, token: later.token });
    expect(status).toBe(200);

    const stranger = await issueEmbedUrl(
      stack,
      await makeEmbedClient(stack, { bucket: storage.bucket.name }),
    );
    const refused = await calls.ask("sign", {
      upload: created.upload,
      parts: [{ number: 2 }],
      token: stranger.token,
    });
    expect([refused.status, refused.body.code]).toEqual([403, "scope_not_allowed"]);
  });

  it.each([
    ["cannot upload", { actions: ["download"] }, "scope_not_allowed"],
    ["uploads elsewhere", { uploadFolder: "/docs" }, "scope_not_allowed"],
    ["has a smaller limit", { limits: { maxFileBytes: 5 } }, "too_large"],
    ["is for other types", { limits: { fileTypes: ["image/*"] } }, "type_not_allowed"],
  ])("is nothing to a token that %s", async (_, scope, code) => {
    const { upload } = await create();
    const { token } = await issueEmbedUrl(stack, storage.client, { scope });
    for (const [what, body] of [
      ["sign", { parts: [{ number: 1 }] }],
      ["list", {}],
      ["complete", {}],
      ["abort", {}],
    ] as const) {
      const refused = await calls.ask(what, { upload, token, ...body });
      expect([what, refused.status, refused.body.code]).toEqual([what, 403, code]);
    }
    expect((await calls.create({ token })).body.code).toBe(code);
  });

  it("is refused before any part is sent if its name is taken", async () => {
    await storage.bucket.put("taken.bin", "another's");
    const taken = await calls.create({ fileName: "taken.bin" });
    expect([taken.status, taken.body.code]).toEqual([409, "name_taken"]);
    expect((await calls.create({ fileName: "taken.bin", ifNoneMatch: false })).status).toBe(200);
  });

  it("overwrites only on request, whoever was first, and then without sending the bytes again", async () => {
    const created = await create();
    await calls.send(created, bytes, [1, 2, 3]);
    await storage.bucket.put(created.key, "another's");
    const { upload } = created;
    for (const body of [{ upload }, { upload, overwrite: false }]) {
      const taken = await calls.ask("complete", body);
      expect([taken.status, taken.body.code]).toEqual([409, "name_taken"]);
    }
    expect(String(await storage.bucket.get(created.key))).toBe("another's");
    const replaced = await calls.ask("complete", { upload, overwrite: true });
    expect(replaced).toMatchObject({ status: 200, body: { key: created.key } });
    expect(await stored(created.key)).toBe(sha256(bytes));
    // If its response is lost, the page repeats the request, with or without `overwrite`.
    expect(await calls.ask("complete", { upload, overwrite: true })).toEqual(replaced);
    expect(await calls.ask("complete", { upload })).toEqual(replaced);
  });

  it("does not overwrite if the request to do so is withdrawn", async () => {
    const created = await create({ ifNoneMatch: false });
    await calls.send(created, bytes, [1, 2, 3]);
    await storage.bucket.put(created.key, "another's");
    const taken = await calls.ask("complete", { upload: created.upload, overwrite: false });
    expect([taken.status, taken.body.code]).toEqual([409, "name_taken"]);
  });

  it("overwrites if that was requested at the start", async () => {
    const created = await create({ ifNoneMatch: false });
    await storage.bucket.put(created.key, "older");
    await calls.send(created, bytes, [1, 2, 3]);
    expect((await calls.ask("complete", { upload: created.upload })).status).toBe(200);
    expect(await stored(created.key)).toBe(sha256(bytes));
  });

  it("is removed once it is aborted, which may be repeated", async () => {
    const created = await create();
    await calls.send(created, bytes, [1]);
    for (let time = 0; time < 2; time++) {
      expect(await calls.ask("abort", { upload: created.upload })).toEqual({
        status: 200,
        body: { aborted: true },
      });
    }
    const gone = await calls.ask("complete", { upload: created.upload });
    expect([gone.status, gone.body.code]).toEqual([404, "upload_not_found"]);
  });
});

describe("a checksum", () => {
  /** A valid CRC64NVME value, but not the part's. */
  const WRONG = "AAAAAAAAAAA=";

  it("that is wrong makes the store refuse the part", async () => {
    const { upload } = await create();
    const { body } = await calls.ask("sign", { upload, parts: [{ number: 3, checksum: WRONG }] });
    const [{ url, headers }] = body.parts;
    expect(headers).toEqual({ "x-amz-checksum-crc64nvme": WRONG });
    const last = bytes.subarray(16 * MiB);
    const corrupted = await fetch(url, { method: "PUT", headers, body: new Uint8Array(last) });
    expect([corrupted.status, await corrupted.text()]).toEqual([
      400,
      expect.stringContaining("<Code>BadDigest</Code>"),
    ]);
  });

  it("of the whole file that is wrong prevents the file", async () => {
    const created = await create();
    await calls.send(created, bytes, [1, 2, 3]);
    const wrong = await calls.ask("complete", { upload: created.upload, checksum: WRONG });
    expect([wrong.status, wrong.body.code]).toEqual([409, "checksum_mismatch"]);
    expect(await storage.bucket.get(created.key)).toBeNull();
  });
});

describe("a part", () => {
  it("has its length signed", async () => {
    const { upload } = await create();
    const { body } = await calls.ask("sign", { upload, parts: [{ number: 3 }] });
    const [{ url, headers }] = body.parts;
    expect((await fetch(url, { method: "PUT", headers, body: "short" })).status).toBe(403);
  });

  it.each([0, 4, 1.5])("with number %j of three is refused", async (number) => {
    const { upload } = await create();
    const refused = await calls.ask("sign", { upload, parts: [{ number }] });
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, "parts[0].number"]);
  });
});

describe("the size of a part", () => {
  it.each([
    [1, 8 * MiB, 1],
    [8 * MiB + 1, 8 * MiB, 2],
    [70 * 1024 * MiB, 8 * MiB, 8_960],
    [5 * 1024 ** 2 * MiB, 583 * MiB, 8_993],
  ])("of a file of %j bytes is %j", async (size, partSize, partCount) => {
    expect(await create({ size })).toMatchObject({ partSize, partCount });
  });

  it.each([0, 5 * 1024 ** 2 * MiB + 1])("is refused for a file of %j bytes", async (size) => {
    expect((await calls.create({ size })).status).toBe(400);
  });
});
