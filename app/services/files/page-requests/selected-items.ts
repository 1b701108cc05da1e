import mime from "mime/lite";
import type { Row } from "platform-embed-element/client";
import type { FileAction, PickerMode, SelectedFile, SelectedItem } from "../../../../embed-element/protocol";
import { brokenLimit } from "../../../../embed-element/shared/upload-limits";

type FileRow = Extract<Row, { type: "file" }>;

/** A row as the messages to the embedding page name it. */
export function selectedItem(bucket: string, row: Row): SelectedItem {
  return row.type === "folder" ? { bucket, folderPath: row.path, name: row.name } : selectedFile(bucket, row);
}

export function selectedFile(bucket: string, { key, name, size }: FileRow): SelectedFile {
  return { bucket, key, name, size, contentType: typeByName(name) };
}

function typeByName(name: string): string {
  return mime.getType(name) ?? "application/octet-stream";
}

/** Whether a file is one of `accept`, which is written as in `<input accept>`. Absent or empty, it accepts all files. */
export function isAccepted(
  accept: string | null | undefined,
  { name, size }: Pick<FileRow, "name" | "size">,
): boolean {
  const fileTypes = (accept ?? "").split(",").flatMap((type) => type.trim() || []);
  if (fileTypes.length === 0) return true;
  return brokenLimit({ fileTypes }, { name, size, contentType: typeByName(name) }) === null;
}

/** Whether the visitor may choose exactly these rows. */
export function mayChoose(
  mode: PickerMode,
  accept: string | null | undefined,
  rows: readonly Row[],
): boolean {
  if (rows.length === 0 || (mode !== "files" && rows.length > 1)) return false;
  return rows.every((row) =>
    mode === "folder" ? row.type === "folder" : row.type === "file" && isAccepted(accept, row),
  );
}

/** Number of files in the message that starts an action. */
const MAX_ACTION_FILES = 1_000;

/** The embedding page's actions for exactly these rows. */
export function actionsFor(actions: readonly FileAction[], rows: readonly Row[]): FileAction[] {
  if (rows.length > MAX_ACTION_FILES) return [];
  return actions.filter(({ for: mode, accept }) => mayChoose(mode, accept, rows));
}
