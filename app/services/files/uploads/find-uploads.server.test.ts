import { expect, it } from "vitest";
import type { StoreTools } from "../../../embed/service";
import { findUploads, versionsOfRequest } from "./find-uploads.server";

/** A store in which each file has so many versions, all of uploads; it counts what it is asked about. */
function storeOf(versionsOfFile: number) {
  const asked: string[] = [];
  const objectStore = {
    listVersions: async ({ prefix }: { prefix: string }) => ({
      versions: Array.from({ length: versionsOfFile }, (_, index) => ({
        key: prefix,
        versionId: `v${index}`,
        isMarker: false,
        lastModified: new Date(),
      })),
      prefixes: [],
      next: null,
    }),
    describeObject: async ({ key }: { key: string }) => {
      asked.push(key);
      return { uploadMark: `mark of ${key}` };
    },
  };
  return { asked, tools: { objectStore, context: undefined } as unknown as StoreTools };
}

it("the files of a request share the number of versions that the store is asked about", async () => {
  const { asked, tools } = storeOf(150);
  const versions = versionsOfRequest(11);
  const found: string[] = [];
  for (const key of ["a", "b", "c"])
    for await (const { uploadMark } of findUploads({ bucket: "b", key }, 0, tools, { versions }))
      found.push(uploadMark);
  expect(asked).toHaveLength(200);
  expect(found.filter((mark) => mark === "mark of b")).toHaveLength(50);
  expect(found).not.toContain("mark of c");
});
