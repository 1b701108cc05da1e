import { expect, test } from "vitest";
import { rowsOfDeleted } from "./folder-rows";

const deletedAt = "2026-11-25T10:00:00.000Z";
const visitor = { id: "u-1", name: "Ada" };
const deleted = (key: string, folderPath: string, name: string, size: number) => ({
  key,
  folderPath,
  name,
  size,
  versionId: `v-${key}`,
  deletedAt,
  visitor,
});

test("deleted files are rows with their deletion, and the folder itself is none", () => {
  const files = [
    deleted("Photos/", "/", "Photos", 0),
    deleted("Photos/2026/", "/Photos", "2026", 0),
    deleted("Photos/b.jpg", "/Photos", "b.jpg", 5),
  ];
  const [folder, file] = rowsOfDeleted(files, "/Photos");
  expect(rowsOfDeleted(files, "/Photos")).toHaveLength(2);
  const deletion = { at: deletedAt, visitor };
  expect(folder).toEqual({
    type: "folder",
    name: "2026",
    path: "/Photos/2026",
    deletion: { ...deletion, count: 1, size: 0 },
  });
  expect(file).toMatchObject({ type: "file", key: "Photos/b.jpg", versionId: "v-Photos/b.jpg", deletion });
});
