import { FilesError } from "platform-embed-element/client";
import { beforeEach, describe, expect, it } from "vitest";
import { type FakeOperations, fakeCall } from "../../../../tests/support/files/fake-call";
import { HandInTarget } from "./hand-in-target";

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
let waited: number[];
let target: HandInTarget;

/** The platform's part. */
function serve(operations: FakeOperations): void {
  const call = fakeCall(operations);
  const wait = async (milliseconds: number) => void waited.push(milliseconds);
  target = new HandInTarget(
    async (endpoint, request) => {
      asked.push([endpoint, request]);
      return call(endpoint, request);
    },
    { wait },
  );
}

beforeEach(() => {
  asked = [];
  waited = [];
});

describe("where uploads of a hand-in page go", () => {
  it("names the same object again by its receipt", async () => {
    serve({ "presign-upload": async () => ({ ...signed, key: "inbox/cv (m).pdf", receipt: "r1" }) });
    await target.prepare({ ...file, ifNoneMatch: true });
    await target.prepare({ ...file, ifNoneMatch: true });
    expect(asked).toEqual([
      ["presign-upload", { ...file, ifNoneMatch: true, receipt: undefined }],
      ["presign-upload", { ...file, ifNoneMatch: true, receipt: "r1" }],
    ]);
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
      await target.prepare(file);
      expect(await target.isStored(key, 3)).toBe(expected);
    },
  );

  it.each(["invalid_request", "upload_not_found"])(
    "starts over when its receipt is refused as %s",
    async (code) => {
      let calls = 0;
      serve({
        "presign-upload": async ({ receipt }) => {
          if (receipt !== undefined) throw new FilesError(code);
          calls += 1;
          return { ...signed, key: `inbox/cv (${calls}).pdf`, receipt: `r${calls}` };
        },
      });
      await target.prepare(file);
      expect((await target.prepare(file)).key).toBe("inbox/cv (2).pdf");
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
    for (const fileName of names) await target.prepare({ ...file, fileName });
    await target.confirm(names.map((name) => `inbox/${name} (m)`));
    expect(asked.slice(-2)).toEqual([
      ["uploaded", { receipts: names.slice(0, 20) }],
      ["uploaded", { receipts: names.slice(20) }],
    ]);
    expect(await target.takeBack("inbox/20.pdf (m)")).toBe(true);
    expect(asked.at(-1)).toEqual(["take-back", { takeBack: "back 20.pdf" }]);
  });

  it("confirms first what it is to take back, and says when it is not there", async () => {
    serve({
      "presign-upload": async () => ({ ...signed, key: "inbox/cv (m).pdf", receipt: "r" }),
      uploaded: async () => ({ uploaded: [] }),
    });
    await target.prepare(file);
    expect(await target.takeBack("inbox/cv (m).pdf")).toBe(false);
    expect(await target.takeBack("inbox/unknown.pdf")).toBe(false);
    expect(asked.map(([endpoint]) => endpoint)).toEqual(["presign-upload", "uploaded"]);
  });

  it("takes back an upload in parts by what completing it returned", async () => {
    const completed = { bucket: "docs", key: "inbox/film (m).mp4", size: 9, etag: '"e"', takeBack: "back" };
    serve({ "multipart/complete": async () => completed, "take-back": async () => ({ removed: false }) });
    await target.finish({ upload: "u" });
    expect(await target.takeBack(completed.key)).toBe(false);
  });

  it("takes back once the platform is no longer busy, and not if it asks for a long pause", async () => {
    const completed = { bucket: "docs", key: "inbox/film (m).mp4", size: 9, etag: '"e"', takeBack: "back" };
    const refusals = [
      new FilesError("rate_limited", { retryAfter: 2 }),
      new FilesError("unavailable", { retryAfter: 1 }),
    ];
    serve({
      "multipart/complete": async () => completed,
      "take-back": async () => {
        const refused = refusals.shift();
        if (refused) throw refused;
        return { removed: true };
      },
    });
    await target.finish({ upload: "u" });
    expect(await target.takeBack(completed.key)).toBe(true);
    expect(waited).toEqual([2_000, 1_000]);
    refusals.push(new FilesError("rate_limited", { retryAfter: 40 }));
    await expect(target.takeBack(completed.key)).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("asks nobody whether a name is taken", async () => {
    serve({});
    expect(await target.isTaken()).toBe(false);
    expect(asked).toEqual([]);
  });
});
