import { beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeOperations, fakeCall } from "../../../../tests/support/files/fake-call";
import type { TokenSession } from "../../../embed/frame/token-session";
import { StorageClient } from "../place/contract/storage-client";
import { StorageProblem } from "../place/contract/storage-problem";
import { HandInClient } from "./hand-in-client";

const file = { folderPath: "/inbox", fileName: "cv.pdf", contentType: "application/pdf", size: 3 };
const signed = {
  url: "https://store.example/x",
  method: "PUT" as const,
  headers: {},
  bucket: "docs",
  integrity: null,
  expiresAt: 2_000,
};
let asked: [endpoint: string, request: object][];
let client: HandInClient;

/** The server's part of the calls; the client's own part is tested. */
function serve(operations: FakeOperations): void {
  const call = fakeCall(operations);
  vi.spyOn(StorageClient.prototype, "call").mockImplementation(async (endpoint, request) => {
    asked.push([endpoint, request]);
    return call(endpoint, request);
  });
}

beforeEach(() => {
  asked = [];
  client = new HandInClient({} as TokenSession, "docs");
  return () => vi.restoreAllMocks();
});

describe("the client of a hand-in page", () => {
  it("names the same object again by its receipt", async () => {
    serve({ "presign-upload": async () => ({ ...signed, key: "inbox/cv (m).pdf", receipt: "r1" }) });
    await client.call("presign-upload", { ...file, ifNoneMatch: true });
    await client.call("presign-upload", { ...file, ifNoneMatch: true });
    expect(asked).toEqual([
      ["presign-upload", { ...file, ifNoneMatch: true, receipt: undefined }],
      ["presign-upload", { ...file, ifNoneMatch: true, receipt: "r1" }],
    ]);
    expect(client.storedKeyOf("inbox/cv.pdf")).toBe("inbox/cv (m).pdf");
  });

  it.each([
    [3, true],
    [4, false],
  ])(
    "knows by the receipt whether a file of 3 bytes has arrived if %i are stored",
    async (size, expected) => {
      const key = "inbox/cv (m).pdf";
      serve({
        "presign-upload": async () => ({ ...signed, key, receipt: "r1" }),
        uploaded: async () => ({ uploaded: [{ key, size, etag: '"e"' }] }),
      });
      await client.call("presign-upload", file);
      expect(await client.hasArrived("inbox/cv.pdf", 3)).toBe(expected);
    },
  );

  it.each(["invalid_request", "upload_not_found"])(
    "starts over when its receipt is refused as %s",
    async (code) => {
      let calls = 0;
      serve({
        "presign-upload": async ({ receipt }) => {
          if (receipt !== undefined) throw new StorageProblem("failed", { serverCode: code });
          calls += 1;
          return { ...signed, key: `inbox/cv (${calls}).pdf`, receipt: `r${calls}` };
        },
      });
      await client.call("presign-upload", file);
      await client.call("presign-upload", file);
      expect(client.storedKeyOf("inbox/cv.pdf")).toBe("inbox/cv (2).pdf");
    },
  );

  it("confirms by receipts, twenty at a time, and takes back by what that returns", async () => {
    serve({
      "presign-upload": async ({ fileName }) => ({
        ...signed,
        key: `inbox/${fileName} (m)`,
        receipt: fileName,
      }),
      uploaded: async ({ receipts = [] }) => ({
        uploaded: receipts.map((name) => ({
          key: `inbox/${name} (m)`,
          size: 3,
          etag: '"e"',
          takeBack: `back ${name}`,
        })),
      }),
      "take-back": async () => ({ removed: true }),
    });
    const names = Array.from({ length: 21 }, (_, index) => `${index}.pdf`);
    for (const fileName of names) await client.call("presign-upload", { ...file, fileName });
    const { uploaded } = await client.call("uploaded", { keys: names.map((name) => `inbox/${name}`) });
    expect(uploaded.map(({ key }) => key)).toEqual(names.map((name) => `inbox/${name} (m)`));
    expect(asked.slice(-2)).toEqual([
      ["uploaded", { receipts: names.slice(0, 20) }],
      ["uploaded", { receipts: names.slice(20) }],
    ]);
    expect(await client.takeBack("inbox/20.pdf")).toBe(true);
    expect(asked.at(-1)).toEqual(["take-back", { takeBack: "back 20.pdf" }]);
  });

  it("confirms first what it is to take back, and says when it is not there", async () => {
    serve({
      "presign-upload": async () => ({ ...signed, key: "inbox/cv (m).pdf", receipt: "r" }),
      uploaded: async () => ({ uploaded: [] }),
    });
    await client.call("presign-upload", file);
    expect(await client.takeBack("inbox/cv.pdf")).toBe(false);
    expect(await client.takeBack("inbox/unknown.pdf")).toBe(false);
    expect(asked.map(([endpoint]) => endpoint)).toEqual(["presign-upload", "uploaded"]);
  });

  it("takes back an upload in parts by what completing it returned", async () => {
    const completed = { bucket: "docs", key: "inbox/film (m).mp4", size: 9, etag: '"e"', takeBack: "back" };
    serve({ "multipart/complete": async () => completed, "take-back": async () => ({ removed: false }) });
    await client.call("multipart/complete", { upload: "u" });
    expect(client.storedKeyOf(completed.key)).toBe(completed.key);
    expect(await client.takeBack(completed.key)).toBe(false);
  });

  it("lists nothing", async () => {
    serve({});
    expect(await client.list()).toEqual({ folders: [], files: [], nextCursor: null });
    expect(asked).toEqual([]);
  });
});
