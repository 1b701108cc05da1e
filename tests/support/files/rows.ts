import { nameOf, nameOfKey, type Row } from "platform-embed-element/client";

/** A file in the explorer's list. */
export const fileRow = (key: string, members: Partial<Extract<Row, { type: "file" }>> = {}): Row => ({
  type: "file",
  name: nameOfKey(key),
  key,
  size: 1,
  lastModified: "2026-11-22T00:00:00.000Z",
  etag: "e",
  ...members,
});

/** A folder in the explorer's list. */
export const folderRow = (path: string): Row => ({ type: "folder", name: nameOf(path), path });
