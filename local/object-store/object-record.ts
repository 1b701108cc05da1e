import { readFileSync } from "node:fs";
import type { Checksum } from "./checksums";
import type { Piece } from "./data-files";

/** What is known of an object beside its bytes. */
export interface ObjectRecord {
  key: string;
  /** bytes */
  size: number;
  /** in quotes: MD5 in hex, or for an object uploaded in parts, the MD5 of their MD5s, `-` and their number */
  etag: string;
  /** unix milliseconds, whole seconds: S3 keeps no finer time */
  lastModified: number;
  /** headers of a response, names in lower case: content-type, cache-control, x-amz-meta-… */
  headers: Record<string, string>;
  checksum?: Checksum;
  /** values by names */
  tags?: Record<string, string>;
  /** none for `STANDARD` */
  storageClass?: string;
  /** by a key of KMS: then the ETag is no MD5, and another for each copy */
  encryption?: "aws:kms";
  /** the files that hold the bytes, in order */
  pieces: Piece[];
  /** id of the upload in parts that made it, so that a repeated completion gets the response of the first */
  upload?: string;
  /** none for what was stored while the bucket kept no versions; S3 then says `null` */
  version?: string;
}

/** What a deletion leaves on top of an object's versions. */
export interface DeleteMarker {
  key: string;
  version?: string;
  /** unix milliseconds, whole seconds */
  lastModified: number;
  isDeleted: true;
}

export type Version = ObjectRecord | DeleteMarker;

export function isRecord(version: Version): version is ObjectRecord {
  return !isDeleteMarker(version);
}

export function isDeleteMarker(version: Version): version is DeleteMarker {
  return "isDeleted" in version;
}

export function filesOf(versions: readonly Version[]): Piece[] {
  return versions.flatMap((version) => (isDeleteMarker(version) ? [] : version.pieces));
}

export function idOf({ version = "null" }: Version): string {
  return version;
}

/** A file without versions is one object's. Stores made before objects could have several pieces name one file, `data`. */
export function readVersions(path: string): Version[] {
  const { versions, data, ...record } = JSON.parse(readFileSync(path, "utf8"));
  return versions ?? [{ pieces: [{ file: data, size: record.size }], ...record }];
}
