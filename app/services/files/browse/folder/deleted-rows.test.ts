import { pathOf, type Row } from "platform-embed-element/client";
import { describe, expect, it } from "vitest";
import { deletedFilesOf, deletedRows, rowsOfDeleted } from "./deleted-rows";

const ada = { id: "u-1", name: "Ada" };
const grace = { id: "u-2", name: "Grace" };
const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** A deleted file as the endpoint returns it; a key that ends with a slash is an empty folder. */
function deleted(key: string, { at = "2026-11-25T10:00:00.000Z", size = 10, visitor = ada } = {}) {
  const path = `/${key.replace(/\/$/, "")}`;
  const folderPath = path.slice(0, path.lastIndexOf("/")) || "/";
  return { key, name: nameOf(path), folderPath, versionId: `v-${key}`, size, deletedAt: at, visitor };
}

const rows = rowsOfDeleted(
  [
    deleted("Photos/", { size: 0 }),
    deleted("Photos/2026/a.jpg", { at: "2026-11-26T10:00:00.000Z" }),
    deleted("Photos/b.jpg", { size: 5 }),
    deleted("Docs/plan.txt"),
    deleted("Docs/notes.txt", { visitor: grace }),
    deleted("plan.txt"),
  ],
  "/",
);
const paths = (shown: readonly Row[]) => shown.map(pathOf);

describe("the list of deleted files", () => {
  it("has the files of the folder, and one row for all that was deleted in a subfolder", () => {
    const shown = deletedRows(rows, "/", "");
    expect(paths(shown)).toEqual(["/Photos", "/Docs", "/plan.txt"]);
    expect(shown[0]).toEqual({
      type: "folder",
      name: "Photos",
      path: "/Photos",
      deletion: { at: "2026-11-26T10:00:00.000Z", visitor: ada, count: 3, size: 15 },
    });
    expect(shown[1]?.deletion?.visitor, "several people").toBeUndefined();
    expect(shown[2]).toMatchObject({ key: "plan.txt", versionId: "v-plan.txt", deletion: { visitor: ada } });
  });

  it("finds files in subfolders, but none twice", () => {
    expect(paths(deletedRows(rows, "/", "plan"))).toEqual([
      "/Photos",
      "/Docs",
      "/Docs/plan.txt",
      "/plan.txt",
    ]);
    expect(paths(deletedRows(rows, "/", "PHOTOS"))).toEqual(["/Photos", "/Docs", "/plan.txt"]);
  });

  it("of a subfolder begins there", () => {
    const inPhotos = rowsOfDeleted(
      [deleted("Photos/", { size: 0 }), deleted("Photos/2026/a.jpg"), deleted("Photos/b.jpg")],
      "/Photos",
    );
    expect(paths(deletedRows(inPhotos, "/Photos", ""))).toEqual(["/Photos/2026", "/Photos/b.jpg"]);
  });

  it("downloads folders as the files in them, with their paths", () => {
    const [photos, , plan] = deletedRows(rows, "/", "");
    const files = deletedFilesOf([photos, plan] as Row[], rows, "/");
    expect(files.map(({ name, versionId }) => [name, versionId])).toEqual([
      ["plan.txt", "v-plan.txt"],
      ["Photos/2026/a.jpg", "v-Photos/2026/a.jpg"],
      ["Photos/b.jpg", "v-Photos/b.jpg"],
    ]);
  });
});
