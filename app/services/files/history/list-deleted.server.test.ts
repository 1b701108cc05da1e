import { expect, it } from "vitest";
import { testGrant } from "../../../../tests/support/files/grant";
import { emptyDatabase } from "../../../../tests/support/files/test-events";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectVersion, VersionPosition } from "../../../providers/listings.server";
import type { DeletedFileList } from "../place/contract/history-contract.server";
import { listDeleted } from "./list-deleted.server";

const grant = testGrant({ bucket: "b", actions: ["history"] });

const versionOf = (key: string, isMarker: boolean, isLatest: boolean): ObjectVersion => ({
  ...{ key, versionId: `${isMarker}`, isMarker, isLatest, size: isMarker ? 0 : 1, etag: "" },
  lastModified: new Date(0),
});
const deleted = (key: string) => [versionOf(key, true, true), versionOf(key, false, false)];
const kept = (key: string) => [versionOf(key, false, true)];

/** All responses, from a store that returns the rest of its versions in each page. */
async function listAll(versions: ObjectVersion[]): Promise<DeletedFileList[]> {
  const tools = {
    objectStore: {
      listVersions: async ({ after }: { after?: VersionPosition }) => ({
        versions: versions.filter(({ key }) => after === undefined || key > after.key),
        prefixes: [],
        next: null,
      }),
    },
    database: emptyDatabase,
    context: { requestId: "r" },
    nowSeconds: 1_000,
    signingSecrets: ["a-secret-of-at-least-thirty-two-bytes"],
  } as unknown as ServiceTools;
  const responses: DeletedFileList[] = [];
  for (let cursor: string | undefined; ; ) {
    const response = await listDeleted({ bucket: "b", cursor }, grant, tools);
    responses.push(response);
    if (response.cursor === null) return responses;
    cursor = response.cursor;
  }
}

it("ends a response early where files are in hundreds of folders each, and names few of these", async () => {
  const folders = Array.from({ length: 100 }, (_, index) => `d${100 + index}${"/a".repeat(480)}`);
  const responses = await listAll(
    folders.flatMap((folder) => [...deleted(`${folder}/y`), ...kept(`${folder}/z`)]),
  );
  for (const { existingFolders } of responses) expect(existingFolders.length).toBeLessThan(1_100);
  const files = responses.flatMap((response) => response.files.map(({ key }) => key));
  expect(files).toEqual(folders.map((folder) => `${folder}/y`));
  const existing = new Set(responses.flatMap(({ existingFolders }) => existingFolders));
  expect(folders.filter((folder) => !existing.has(`/${folder}`))).toEqual([]);
});

it("names the innermost folder around each file that exists, and all around the first and the last key", async () => {
  const [response] = await listAll([
    ...kept("a/b/first"),
    ...deleted("c/d/e/f/x"),
    ...kept("c/d/y"),
    ...deleted("c/d/z/x"),
    ...kept("g/h/last"),
  ]);
  expect(response?.existingFolders).toEqual(["/c/d", "/a/b", "/a", "/g/h", "/g"]);
});
