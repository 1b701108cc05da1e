import type { FileEntry } from "../../listing";
import type { Row } from "../folder-state";
import type { StorageClient } from "../storage-client";

export interface PreviewDialogProps {
  file: FileEntry;
  files: Row[];
  client: StorageClient;
  onShow(id: string | null): void;
  onDownload(row: Row): void;
}

export default function PreviewDialog(_props: PreviewDialogProps) {
  return null;
}
