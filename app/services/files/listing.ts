import type { StoreProblem } from "../../providers/object-store.server";

/** Shapes of `POST /api/embed/storage/list`, shared by the server and the explorer. Decisions, section 7. */

export interface FolderEntry {
  name: string;
  /** `/docs/reports`: starts with `/`, does not end with one; the bucket's root is `/` */
  path: string;
}

export interface FileEntry {
  name: string;
  /** the S3 key: the path without its leading slash */
  key: string;
  /** bytes */
  size: number;
  /** ISO 8601, UTC */
  lastModified: string;
  etag: string;
}

export interface Listing {
  folders: FolderEntry[];
  files: FileEntry[];
  /** pass as `cursor` for the next page; null when this was the last */
  nextCursor: string | null;
}

/** Answer of `presign-upload`. */
export interface PresignedUpload {
  url: string;
  method: "PUT";
  /** to be sent as they stand: they are part of the signature */
  headers: Record<string, string>;
  bucket: string;
  key: string;
  /** unix seconds */
  expiresAt: number;
}

/** Answer of `presign-download`. */
export interface PresignedDownload {
  url: string;
  method: "GET";
  bucket: string;
  key: string;
  /** unix seconds */
  expiresAt: number;
}

/** Response of `diagnose`. */
export interface StorageDiagnosis {
  /** null when the server finds nothing wrong: then it is something between the browser and the store */
  problem: StoreProblem | null;
  /** for the operator, on a developer's machine only */
  advice?: string;
}
