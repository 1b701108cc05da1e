import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Checksum } from "./checksums";
import type { CorsRule } from "./cors";
import { DataFiles, fileName, type Piece, writeWhole } from "./data-files";
import { S3Error } from "./errors";
import { KeyIndex } from "./key-index";
import { MultipartStorage, type Upload } from "./multipart-storage";
import type { XmlObject } from "./xml";

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
  /** the files that hold the bytes, in order */
  pieces: Piece[];
  /** id of the upload in parts that made it, so that a repeated completion gets the response of the first */
  upload?: string;
}

/** What can be set of a bucket. */
export interface BucketSettings {
  cors: CorsRule[];
  /** rules as they were put, each with an ID */
  lifecycle?: XmlObject[];
  /** `BlockPublicAcls` and its like */
  publicAccessBlock?: Record<string, boolean>;
}

export interface BucketRecord extends BucketSettings {
  /** unix milliseconds */
  created: number;
}

/** One bucket: its settings, its objects, and its uploads in progress. See `storage.ts` for its files. */
export class Bucket {
  readonly index = new KeyIndex();
  readonly data: DataFiles;
  readonly uploads: MultipartStorage;
  private readonly records = new Map<string, ObjectRecord>();
  private record: BucketRecord;
  private readonly objects: string;

  constructor(
    readonly name: string,
    private readonly folder: string,
  ) {
    this.record = JSON.parse(readFileSync(join(folder, "bucket.json"), "utf8"));
    this.objects = join(folder, "objects");
    for (const file of readdirSync(this.objects).filter((name) => name.endsWith(".json"))) {
      const record = readObjectRecord(join(this.objects, file));
      this.records.set(record.key, record);
    }
    this.index.fill([...this.records.keys()]);
    this.data = new DataFiles(this.objects);
    this.uploads = new MultipartStorage(join(folder, "uploads"), this.data);
    for (const record of this.records.values()) {
      const completed = record.upload === undefined ? undefined : this.uploads.find(record.upload);
      if (completed) this.uploads.remove(completed, record.pieces);
    }
    const pieces = [...this.records.values()].flatMap((record) => record.pieces);
    this.data.sweep([...pieces, ...this.uploads.pieces()]);
  }

  get created(): number {
    return this.record.created;
  }

  get settings(): Readonly<BucketSettings> {
    return this.record;
  }

  set(settings: Partial<BucketSettings>): void {
    const record = { ...this.record, ...settings };
    writeWhole(join(this.folder, "bucket.json"), record);
    this.record = record;
  }

  find(key: string): ObjectRecord | undefined {
    return this.records.get(key);
  }

  /** Throws NoSuchKey. */
  get(key: string): ObjectRecord {
    const record = this.records.get(key);
    if (!record) throw new S3Error("NoSuchKey", "The specified key does not exist.", { Key: key });
    return record;
  }

  /** Makes the record, whose bytes are written, the object. `check` sees the one it replaces and may throw. */
  commit(record: ObjectRecord, check: (current: ObjectRecord | undefined) => void): void {
    const current = this.records.get(record.key);
    check(current);
    writeWhole(this.recordPath(record.key), record);
    this.records.set(record.key, record);
    if (current) this.data.discard(current.pieces);
    else this.index.add(record.key);
  }

  /** Makes parts of the upload, which then is over, the object. Nothing can come between the two, but a kill. */
  complete(upload: Upload, record: ObjectRecord, check: (current: ObjectRecord | undefined) => void): void {
    this.commit({ ...record, upload: upload.id }, check);
    this.uploads.remove(upload, record.pieces);
  }

  remove(key: string): void {
    const record = this.records.get(key);
    if (!record) return;
    rmSync(this.recordPath(key));
    this.records.delete(key);
    this.index.remove(key);
    this.data.discard(record.pieces);
  }

  private recordPath(key: string): string {
    return join(this.objects, `${fileName(key)}.json`);
  }
}

/** Stores made before objects could have several pieces name one file, `data`. */
function readObjectRecord(path: string): ObjectRecord {
  const { data, ...record } = JSON.parse(readFileSync(path, "utf8"));
  return { pieces: [{ file: data, size: record.size }], ...record };
}
