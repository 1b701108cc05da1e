import { describe, expect, it } from "vitest";
import {
  chooseDownloadSchema,
  diagnoseSchema,
  downloadByFolderSchema,
  downloadByKeySchema,
  listingSchema,
  listSchema,
  presignedDownloadSchema,
  storageDiagnosisSchema,
} from "./storage-contract.server";
import { presignedUploadSchema, presignUploadSchema } from "./uploads-contract.server";

type Schema = Pick<typeof listSchema, "safeParse">;
const issuesOf = (schema: unknown, value: object) =>
  ((schema as Schema).safeParse(value).error?.issues ?? []).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );
const parse = (schema: unknown, value: object) => (schema as Schema).safeParse(value).data;

const upload = { token: "t", bucket: "b", folderPath: "/", fileName: "a.txt", contentType: "text/plain" };
const byKey = { token: "t", bucket: "b", key: "a/b.txt" };
const byFolder = { token: "t", bucket: "b", folderPath: "/a", fileName: "b.txt" };

describe("a request for an upload's URL", () => {
  it("may overwrite, and names no size, unless it says so", () => {
    expect(parse(presignUploadSchema, upload)).toEqual({ ...upload, ifNoneMatch: false });
    const all = { ...upload, ifNoneMatch: true, size: 0 };
    expect(parse(presignUploadSchema, all)).toEqual(all);
  });

  it("is for as much as S3 takes in one PUT", () => {
    const most = 5 * 2 ** 30;
    expect(issuesOf(presignUploadSchema, { ...upload, size: most })).toEqual([]);
    for (const size of [most + 1, -1, 1.5]) {
      expect(issuesOf(presignUploadSchema, { ...upload, size })).toEqual([expect.stringMatching(/^size: /)]);
    }
  });

  it.each([
    "a/b",
    "image/svg+xml",
    "text/plain; charset=utf-8",
    "text/plain ;",
    "x!#$&^_.+-/y!#$&^_.+-1",
    'video/mp4; codecs="avc1.42E01E, mp4a.40.2"',
    "a/b;!#$%&'()*+-./0:;<=>?@AZ[]^_`az{|}~",
  ])("may be of the type %s", (contentType) =>
    expect(issuesOf(presignUploadSchema, { ...upload, contentType })).toEqual([]),
  );

  it.each([
    "",
    "text",
    "/plain",
    "text/",
    "a/b/c",
    " a/b",
    "a/b ",
    "a/b; \u00e9",
    "a/b;\n",
    "x a/b",
    "a b/c",
    "a/b c",
    "a/b;,c/d",
    'a/b; x="c", d/e',
    'a/b; x="c',
    'a/b; x="\\", d/e;"',
  ])("may not be of the type %j", (contentType) =>
    expect(issuesOf(presignUploadSchema, { ...upload, contentType })).toEqual([
      "contentType: must be a media type, like image/png",
    ]),
  );

  it("names each wrong member once", () => {
    expect(issuesOf(presignUploadSchema, { ...upload, contentType: `é${"a".repeat(255)}` })).toHaveLength(1);
    expect(
      issuesOf(presignUploadSchema, { ...upload, fileName: "a/b", folderPath: "a", token: "", extra: 1 }),
    ).toEqual([
      expect.stringMatching(/^token: /),
      "folderPath: must start with /",
      "fileName: must not contain /",
      expect.stringMatching(/^: Unrecognized key/),
    ]);
  });

  it.each([
    ["upload", presignUploadSchema, upload],
    ["download", downloadByFolderSchema, byFolder],
  ])("is of a key of 1024 bytes at most, slash and all: %s", (_, schema, request) => {
    // Each é is two bytes; "/a" and a slash of the path is not all of the key, whose first slash is left out.
    const name = "é".repeat(500);
    const folder = (length: number) => `/${"a".repeat(length)}`;
    expect(issuesOf(schema, { ...request, folderPath: folder(22), fileName: name })).toEqual([]);
    expect(issuesOf(schema, { ...request, folderPath: folder(23), fileName: name })).toEqual([
      "fileName: must, with its folder, be at most 1024 bytes long",
    ]);
  });
});

describe("a request for a download's URL", () => {
  it("names a file by its key, or by folder and name, and saves it unless it says otherwise", () => {
    expect(parse(chooseDownloadSchema(byKey), byKey)).toEqual({ ...byKey, disposition: "attachment" });
    const inline = { ...byFolder, disposition: "inline" };
    expect(parse(chooseDownloadSchema(inline), inline)).toEqual(inline);
    expect(issuesOf(downloadByKeySchema, { ...byKey, disposition: "attachment" })).toEqual([]);
    expect(issuesOf(downloadByKeySchema, { ...byKey, disposition: "other" })).toHaveLength(1);
    expect(issuesOf(downloadByFolderSchema, { ...byFolder, extra: 1 })).toHaveLength(1);
  });

  it.each<[unknown, unknown]>([
    [{ folderPath: "/" }, downloadByFolderSchema],
    [{ fileName: "a" }, downloadByFolderSchema],
    [{ key: "a" }, downloadByKeySchema],
    [null, downloadByKeySchema],
    ["folderPath", downloadByKeySchema],
    [undefined, downloadByKeySchema],
  ])("is judged by what it names: %j", (json, schema) => {
    expect(chooseDownloadSchema(json)).toBe(schema);
  });

  it.each([
    ["", "must not be empty"],
    ["a".repeat(1025), "must be at most 1024 bytes long"],
    ["é".repeat(513), "must be at most 1024 bytes long"],
    ["half \ud83d", "must be well-formed Unicode"],
  ])("may not have the key %j", (key, message) => {
    expect(issuesOf(downloadByKeySchema, { ...byKey, key })).toEqual([`key: ${message}`]);
  });

  it.each(["/a", "a//b", "a/../b", "a\\b", "a\nb", "folder/", "a".repeat(1024)])(
    "may have the key %j, which a store may hold",
    (key) => {
      expect(issuesOf(downloadByKeySchema, { ...byKey, key })).toEqual([]);
    },
  );
});

describe("a request for a list", () => {
  const list = { token: "t", bucket: "b" };

  it("is for 200 entries unless it says so, and for 1000 at most", () => {
    expect(parse(listSchema, list)).toEqual({ ...list, pageSize: 200 });
    const all = { ...list, folderPath: "/a", cursor: "c", pageSize: 1 };
    expect(parse(listSchema, all)).toEqual(all);
    expect(parse(listSchema, { ...list, pageSize: 1000 })).toEqual({ ...list, pageSize: 1000 });
    for (const pageSize of [0, 1001, 1.5]) {
      expect(issuesOf(listSchema, { ...list, pageSize })).toEqual([expect.stringMatching(/^pageSize: /)]);
    }
  });

  it.each(["\ud83d", "\ud83da", "a\ud83d"])("has a cursor of whole characters: %j", (cursor) => {
    expect(issuesOf(listSchema, { ...list, cursor })).toEqual(["cursor: must be well-formed Unicode"]);
  });

  it("has one issue with a cursor that is empty or too long", () => {
    expect(issuesOf(listSchema, { ...list, cursor: "" })).toHaveLength(1);
    expect(issuesOf(listSchema, { ...list, cursor: `\ud83d${"a".repeat(4096)}` })).toHaveLength(1);
    expect(issuesOf(listSchema, { ...list, extra: 1 })).toHaveLength(1);
  });
});

it("a request for a diagnosis is about an upload or a download", () => {
  for (const operation of ["upload", "download"]) {
    expect(issuesOf(diagnoseSchema, { token: "t", bucket: "b", operation })).toEqual([]);
  }
  expect(issuesOf(diagnoseSchema, { token: "t", bucket: "b", operation: "", extra: 1 })).toHaveLength(2);
});

describe("a response", () => {
  const wrong = (schema: unknown, value: object) =>
    issuesOf(schema, value).map((issue) => issue.split(":")[0]);

  it("with a list says of each entry what the explorer needs", () => {
    const folder = { name: "a", path: "/a" };
    const file = { name: "b", key: "b", size: 0, lastModified: "2026-01-02T03:04:05.678Z", etag: "e" };
    expect(wrong(listingSchema, { folders: [folder], files: [file], nextCursor: null })).toEqual([]);
    expect(wrong(listingSchema, { folders: [{}], files: [{}], nextCursor: "c" })).toEqual([
      "folders.0.name",
      "folders.0.path",
      "files.0.name",
      "files.0.key",
      "files.0.size",
      "files.0.lastModified",
      "files.0.etag",
    ]);
    expect(wrong(listingSchema, { folders: [], files: [{ ...file, size: -1 }], nextCursor: 1 })).toEqual([
      "files.0.size",
      "nextCursor",
    ]);
  });

  it("with a URL says how to use it, and until when", () => {
    const url = { url: "https://x.example", bucket: "b", key: "k", expiresAt: 1 };
    const headers = { "Content-Type": "text/plain" };
    for (const integrity of ["checksum", "contentMd5", null]) {
      expect(wrong(presignedUploadSchema, { ...url, method: "PUT", headers, integrity })).toEqual([]);
    }
    expect(wrong(presignedDownloadSchema, { ...url, method: "GET" })).toEqual([]);
    expect(wrong(presignedUploadSchema, {})).toEqual([
      "url",
      "method",
      "headers",
      "bucket",
      "key",
      "integrity",
      "expiresAt",
    ]);
    expect(wrong(presignedDownloadSchema, {})).toEqual(["url", "method", "bucket", "key", "expiresAt"]);
  });

  it("with a diagnosis names a problem, or none", () => {
    expect(wrong(storageDiagnosisSchema, { problem: null })).toEqual([]);
    expect(wrong(storageDiagnosisSchema, { problem: "no such problem", advice: 1 })).toEqual([
      "problem",
      "advice",
    ]);
  });
});
