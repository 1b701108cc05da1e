/** Unfinished uploads that are found again without the browser's record: whose they are, and when they are not found. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { query } from "../support/databases/postgres";
import { makeBucket, type TestBucket } from "../support/files/bucket";
import { multipartCalls, sha256, someBytes } from "../support/files/multipart-calls";

const stack = inject("stack");
const ada = { id: "ada-lovelace", name: "Ada Lovelace" };
const bytes = someBytes();
const none = { status: 200, body: { upload: null } };
let bucket: TestBucket;
let client: TestEmbedClient;
let made = 0;

beforeAll(async () => {
  bucket = await makeBucket(stack);
  client = await makeEmbedClient(stack, { bucket: bucket.name });
});

/** The calls of a visitor, as in another browser each time. */
async function callsOf(
  visitor?: object,
  { scope, of = client }: { scope?: object; of?: TestEmbedClient } = {},
) {
  const { token } = await issueEmbedUrl(stack, of, { visitor, scope });
  const calls = multipartCalls(stack.platformBaseUrl, { bucket, token });
  const find = (file: object) =>
    calls.ask("find", {
      bucket: bucket.name,
      folderPath: "/",
      size: bytes.length,
      contentType: "application/x-test",
      ifNoneMatch: true,
      ...file,
    });
  return { ...calls, find };
}

const rowsOf = (handle: string) =>
  query(stack.postgresUrl, "SELECT * FROM unfinished_uploads WHERE handle = $1", [handle]);

/** An upload of which the first part is stored. */
async function beginUpload(visitor?: object) {
  const calls = await callsOf(visitor);
  const fileName = `film-${made++}.bin`;
  const { body: created } = await calls.create({ fileName });
  expect(await calls.send(created, bytes, [1])).toEqual([200]);
  return { ...calls, created, fileName };
}

describe("an unfinished upload", () => {
  it("is found by its visitor in another browser, and completed there", async () => {
    const { created, fileName } = await beginUpload(ada);
    const elsewhere = await callsOf(ada);
    const { body: found } = await elsewhere.find({ fileName });
    expect(found).toEqual({ ...created, arrived: created.partSize, ownerUnknown: false });
    const { body: listed } = await elsewhere.ask("list", { upload: found.upload });
    expect(listed.parts).toEqual([{ number: 1, size: created.partSize, checksum: expect.any(String) }]);
    await elsewhere.send(found, bytes, [2, 3]);
    expect((await elsewhere.ask("complete", { upload: found.upload })).status).toBe(200);
    expect(await bucket.sha256(fileName)).toBe(sha256(bytes));
    expect(await elsewhere.find({ fileName, ifNoneMatch: false })).toEqual(none);
  });

  it("is found by nobody else, and under no other name, size or type", async () => {
    const { fileName, find } = await beginUpload(ada);
    const otherClient = await makeEmbedClient(stack, { bucket: bucket.name });
    for (const other of [
      await callsOf({ id: "grace-hopper" }),
      await callsOf(),
      await callsOf(ada, { of: otherClient }),
    ])
      expect(await other.find({ fileName })).toEqual(none);
    for (const file of [
      { fileName: `other-${fileName}` },
      { fileName, folderPath: "/docs" },
      { fileName, size: bytes.length + 1 },
      { fileName, contentType: "application/x-other" },
    ])
      expect(await find(file)).toEqual(none);
    expect((await find({ fileName })).body.upload).toEqual(expect.any(String));
  });

  it("is not found by a token that may not upload there", async () => {
    const { fileName } = await beginUpload(ada);
    for (const scope of [{ uploadFolder: "/docs" }, { path: "/docs" }, { actions: ["download"] }]) {
      const { find } = await callsOf(ada, { scope });
      expect(await find({ fileName })).toMatchObject({ status: 403, body: { code: "scope_not_allowed" } });
    }
    const elsewhere = { bucket: (await makeBucket(stack)).name };
    expect(await (await callsOf(ada)).find({ fileName, ...elsewhere })).toMatchObject({ status: 403 });
  });

  it("may be somebody else's if tokens name no visitor, and the response says so", async () => {
    const { fileName } = await beginUpload();
    const { body } = await (await callsOf()).find({ fileName });
    expect(body).toMatchObject({ upload: expect.any(String), ownerUnknown: true });
    expect(await (await callsOf(ada)).find({ fileName })).toEqual(none);
  });

  it("may not be aborted by a stranger who found it, but by the page that began it", async () => {
    const { fileName, ask, find, created } = await beginUpload();
    const stranger = await callsOf();
    const { body: found } = await stranger.find({ fileName });
    expect(await stranger.ask("abort", { upload: found.upload })).toMatchObject({
      status: 403,
      body: { code: "scope_not_allowed" },
    });
    expect((await find({ fileName })).body).toMatchObject({ arrived: created.partSize });
    expect((await ask("abort", { upload: created.upload })).status).toBe(200);
    expect(await stranger.find({ fileName })).toEqual(none);
  });

  it("is not found if nothing of it is stored, once it is aborted, or if its name is taken", async () => {
    const calls = await callsOf(ada);
    await calls.create({ fileName: "nothing.bin" });
    expect(await calls.find({ fileName: "nothing.bin" })).toEqual(none);

    const aborted = await beginUpload(ada);
    await aborted.ask("abort", { upload: aborted.created.upload });
    expect(await aborted.find({ fileName: aborted.fileName })).toEqual(none);

    const { fileName, find } = await beginUpload(ada);
    await bucket.put(fileName, "taken");
    expect(await find({ fileName })).toEqual(none);
    expect((await find({ fileName, ifNoneMatch: false })).body.upload).toEqual(expect.any(String));
  });

  it("is forgotten once the store has dropped it, and after a week", async () => {
    const { fileName, find, created } = await beginUpload(ada);
    // Another visitor's token aborts it, and does not know whose it was.
    const other = await callsOf({ id: "grace-hopper" });
    expect((await other.ask("abort", { upload: created.upload })).status).toBe(200);
    expect(await rowsOf(created.upload)).toHaveLength(1);
    expect(await find({ fileName })).toEqual(none);
    expect(await rowsOf(created.upload)).toEqual([]);

    const old = await beginUpload(ada);
    await query(
      stack.postgresUrl,
      "UPDATE unfinished_uploads SET created_at = created_at - interval '7 days' WHERE handle = $1",
      [old.created.upload],
    );
    expect(await old.find({ fileName: old.fileName })).toEqual(none);
  });

  it("is the latest one, if there are several", async () => {
    const { fileName, create, send, find, created } = await beginUpload(ada);
    const { body: latest } = await create({ fileName });
    await send(latest, bytes, [1, 2]);
    const { body } = await find({ fileName });
    expect(body).toMatchObject({ upload: latest.upload, arrived: 2 * created.partSize });
  });

  it("leaves nobody's id in the table", async () => {
    const { created } = await beginUpload(ada);
    const [row] = await rowsOf(created.upload);
    const text = `${JSON.stringify(row)} ${Buffer.from(created.upload, "base64url")}`;
    expect(text).not.toContain(ada.id);
    expect(text).not.toContain(ada.name);
  });
});
