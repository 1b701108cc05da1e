import { pathOf, type Row } from "platform-embed-element/client";
import { describe, expect, it } from "vitest";
import { fileRow, folderRow } from "../../../../../tests/support/files/rows";
import { deletedFilesOf, deletedRows } from "./deleted-rows";

const ada = { id: "u-1", name: "Ada" };
const grace = { id: "u-2", name: "Grace" };

/** A row of a deleted file or of an empty folder. */
function deleted(row: Row, { at = "2026-11-25T10:00:00.000Z", size = 10, visitor = ada } = {}): Row {
  const deletion = { at, visitor };
  if (row.type === "folder") return { ...row, deletion: { ...deletion, count: 1, size: 0 } };
  return { ...row, size, versionId: `v-${row.key}`, deletion };
}

const rows = [
  deleted(folderRow("/Photos")),
  deleted(fileRow("Photos/2026/a.jpg"), { at: "2026-11-26T10:00:00.000Z" }),
  deleted(fileRow("Photos/b.jpg"), { size: 5 }),
  deleted(fileRow("Docs/plan.txt")),
  deleted(fileRow("Docs/notes.txt"), { visitor: grace }),
  deleted(fileRow("plan.txt")),
];
const at = (here: string, filter = "", ...existing: string[]) => ({
  here,
  filter,
  existingFolders: new Set(existing),
});
const paths = (shown: readonly Row[]) => shown.map(pathOf);

describe("the list of deleted files", () => {
  it("has the files of the folder, and one row for all that was deleted in a subfolder", () => {
    const shown = deletedRows(rows, at("/"));
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

  it("shows no folder that still exists as deleted, but the files and folders that are gone from it", () => {
    expect(paths(deletedRows(rows, at("/", "", "/Photos")))).toEqual([
      "/Photos/2026",
      "/Docs",
      "/Photos/b.jpg",
      "/plan.txt",
    ]);
    const inside = deletedRows(rows, at("/", "", "/Photos", "/Photos/2026", "/Docs"));
    expect(inside.every(({ type }) => type === "file")).toBe(true);
    expect(inside).toHaveLength(5);
  });

  it("finds files in subfolders, but none twice", () => {
    expect(paths(deletedRows(rows, at("/", "plan")))).toEqual([
      "/Photos",
      "/Docs",
      "/Docs/plan.txt",
      "/plan.txt",
    ]);
    expect(paths(deletedRows(rows, at("/", "PHOTOS")))).toEqual(["/Photos", "/Docs", "/plan.txt"]);
  });

  it("of a subfolder begins there", () => {
    const inPhotos = [deleted(fileRow("Photos/2026/a.jpg")), deleted(fileRow("Photos/b.jpg"))];
    expect(paths(deletedRows(inPhotos, at("/Photos")))).toEqual(["/Photos/2026", "/Photos/b.jpg"]);
  });

  it("downloads folders as the files in them, with their paths", () => {
    const [photos, , plan] = deletedRows(rows, at("/"));
    const files = deletedFilesOf([photos, plan] as Row[], rows, "/");
    expect(files.map(({ name, versionId }) => [name, versionId])).toEqual([
      ["plan.txt", "v-plan.txt"],
      ["Photos/2026/a.jpg", "v-Photos/2026/a.jpg"],
      ["Photos/b.jpg", "v-Photos/b.jpg"],
    ]);
  });
});
