import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Checksum } from "./checksums";
import { type DataFiles, type Piece, replaceFile } from "./data-files";
import { S3Error } from "./errors";
import { compareUtf8 } from "./key-index";

/** What was asked for when a multipart upload began. */
export interface UploadRecord {
  /** ids sort by their creation time */
  id: string;
  key: string;
  /** Unix milliseconds */
  initiated: number;
  /** as in the object's record later */
  headers: Record<string, string>;
  checksum?: Pick<Checksum, "algorithm" | "type">;
  tags?: Record<string, string>;
  storageClass?: string;
}

export interface Part extends Piece {
  number: number;
  /** MD5 in hexadecimal, in quotes */
  etag: string;
  /** Unix milliseconds, whole seconds */
  lastModified: number;
  checksum?: Pick<Checksum, "algorithm" | "value">;
}

export interface Upload extends UploadRecord {
  parts: Map<number, Part>;
}

/** The uploads in progress of one bucket. See storage.ts for their files. */
export class Uploads {
  private readonly uploads = new Map<string, Upload>();

  constructor(
    private readonly folder: string,
    private readonly data: DataFiles,
  ) {
    mkdirSync(folder, { recursive: true });
    for (const id of readdirSync(folder)) {
      const path = join(folder, id);
      // Left by a process that was killed while it created or removed the upload.
      if (!existsSync(join(path, "upload.json"))) rmSync(path, { recursive: true });
      else this.uploads.set(id, readUpload(path));
    }
  }

  find(id: string): Upload | undefined {
    return this.uploads.get(id);
  }

  /** Throws NoSuchUpload. */
  get(id: string, key: string): Upload {
    const upload = this.uploads.get(id);
    if (upload?.key === key) return upload;
    throw new S3Error(
      "NoSuchUpload",
      "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
      { UploadId: id },
    );
  }

  /** Sorted by key, and by age for the same key. */
  list(): Upload[] {
    return [...this.uploads.values()].sort((a, b) => compareUtf8(a.key, b.key) || compareUtf8(a.id, b.id));
  }

  pieces(): Piece[] {
    return [...this.uploads.values()].flatMap((upload) => [...upload.parts.values()]);
  }

  create(asked: Omit<UploadRecord, "id" | "initiated">): Upload {
    const initiated = Date.now();
    const id = initiated.toString(16).padStart(12, "0") + randomBytes(16).toString("hex");
    const record: UploadRecord = { ...asked, id, initiated };
    mkdirSync(join(this.folder, id));
    replaceFile(join(this.folder, id, "upload.json"), record);
    const upload = { ...record, parts: new Map() };
    this.uploads.set(id, upload);
    return upload;
  }

  /** Adds a part whose bytes have been written, or replaces the one with its number. Throws NoSuchUpload. */
  commitPart({ id, key }: Upload, part: Part): void {
    const upload = this.get(id, key);
    const current = upload.parts.get(part.number);
    replaceFile(join(this.folder, id, `${part.number}.json`), part);
    upload.parts.set(part.number, part);
    if (current) this.data.discard([current]);
  }

  /** Ends an upload, and removes the bytes of its parts, except the pieces that an object has taken over. */
  remove({ id, parts }: Upload, taken: Piece[] = []): void {
    const kept = new Set(taken.map(({ file }) => file));
    rmSync(join(this.folder, id, "upload.json"));
    rmSync(join(this.folder, id), { recursive: true });
    this.uploads.delete(id);
    this.data.discard([...parts.values()].filter(({ file }) => !kept.has(file)));
  }
}

function readUpload(folder: string): Upload {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const parts = readdirSync(folder)
    .filter((file) => /^\d+\.json$/.test(file))
    .map((file): Part => read(file));
  return { ...read("upload.json"), parts: new Map(parts.map((part) => [part.number, part])) };
}
