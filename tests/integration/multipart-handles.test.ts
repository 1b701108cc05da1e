/** Handles of multipart uploads: what they give access to, and for which tokens. */
import { beforeAll, describe, expect, inject, it } from "vitest";
import { readSignedValue, signValue } from "../../app/embed/signed-value.server";
import { multipartCalls } from "../support/files/multipart-calls";
import { openStorage, type StorageCalls } from "../support/files/storage-calls";

const stack = inject("stack");
let storage: StorageCalls;
let calls: ReturnType<typeof multipartCalls>;
let made = 0;

beforeAll(async () => {
  storage = await openStorage(stack);
  calls = multipartCalls(stack.platformBaseUrl, storage);
});

const create = async (changes: object = {}) =>
  (await calls.create({ fileName: `large-${made++}.bin`, ...changes })).body;

describe("a handle", () => {
  const PURPOSE = "files-upload";

  it.each<[string, (upload: string) => string]>([
    ["that is none", () => "x"],
    [
      "with another signature",
      (upload) => upload.replace(/\.(.)/, (_, first) => (first === "A" ? ".B" : ".A")),
    ],
    ["that is a token", () => storage.token],
    [
      "that was signed for another purpose",
      (upload) =>
        signValue(
          readSignedValue(upload, [stack.embedSigningSecret], PURPOSE) as object,
          stack.embedSigningSecret,
        ),
    ],
  ])("%s is refused", async (_, change) => {
    const { upload } = await create();
    const refused = await calls.ask("list", { upload: change(upload) });
    expect([refused.status, refused.body.issues]).toEqual([
      400,
      [{ path: "upload", message: "is not what multipart/create returned" }],
    ]);
  });

  it("is not accepted as a token", async () => {
    const { upload } = await create();
    expect((await calls.ask("list", { upload, token: upload })).status).toBe(401);
  });

  it("expires after seven days", async () => {
    const { upload } = await create();
    const value = readSignedValue(upload, [stack.embedSigningSecret], PURPOSE) as { exp: number };
    const week = 7 * 24 * 3600;
    expect(Math.abs(value.exp - Date.now() / 1000 - week)).toBeLessThan(60);
    const old = signValue({ ...value, exp: value.exp - week }, stack.embedSigningSecret, PURPOSE);
    const gone = await calls.ask("list", { upload: old });
    expect([gone.status, gone.body.code]).toEqual([404, "upload_not_found"]);
  });
});
