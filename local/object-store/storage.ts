import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CorsRule } from "./cors";
import { S3Error } from "./errors";
import { KeyIndex } from "./key-index";

/** What is known of an object beside its bytes. */
export interface ObjectRecord {
  key: string;
  /** bytes */
  size: number;
  /** MD5, hex, in quotes */
  etag: string;
  /** unix milliseconds, whole seconds: S3 keeps no finer time */
  lastModified: number;
  /** headers to answer with, names in lower case: content-type, cache-control, x-amz-meta-… */
  headers: Record<string, string>;
  /** name of the file that holds the bytes */
  data: string;
}

interface BucketRecord {
  /** unix milliseconds */
  created: number;
  cors: CorsRule[];
}

/**
 * Buckets and objects as files:
 *
 *     <dataDir>/<bucket>/bucket.json
 *     <dataDir>/<bucket>/objects/<sha256 of the key>.json        what is known of the object
 *     <dataDir>/<bucket>/objects/<sha256 of the key>.<id>.data   its bytes
 *
 * The bytes are written first, under a name of their own; renaming the small JSON file over its predecessor is the one
 * moment at which an object changes. A process killed before it leaves a stray file that the next start sweeps up;
 * killed after it, nothing is lost. Keys are hashed, so no key can name a file of its choosing.
 * Small files are read and written synchronously: nothing else can then happen between a condition and its write.
 */
export class ObjectStorage {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
  }

  names(): string[] {
    return readdirSync(this.dataDir)
      .filter((name) => existsSync(bucketFile(this.dataDir, name)))
      .sort();
  }

  find(name: string): Bucket | undefined {
    if (!isBucketName(name)) return undefined;
    const known = this.buckets.get(name);
    if (known) return known;
    if (!existsSync(bucketFile(this.dataDir, name))) return undefined;
    const bucket = new Bucket(name, join(this.dataDir, name));
    this.buckets.set(name, bucket);
    return bucket;
  }

  /** Throws NoSuchBucket. */
  get(name: string): Bucket {
    const bucket = this.find(name);
    if (!bucket) {
      throw new S3Error("NoSuchBucket", "The specified bucket does not exist", { BucketName: name });
    }
    return bucket;
  }

  /** Throws InvalidBucketName and BucketAlreadyOwnedByYou. */
  create(name: string): void {
    if (!isBucketName(name)) {
      throw new S3Error("InvalidBucketName", "The specified bucket is not valid.", { BucketName: name });
    }
    if (this.find(name)) {
      throw new S3Error(
        "BucketAlreadyOwnedByYou",
        "Your previous request to create the named bucket succeeded and you already own it.",
        { BucketName: name },
      );
    }
    ensureBucket(this.dataDir, name);
  }

  /** Throws NoSuchBucket and BucketNotEmpty. */
  remove(name: string): void {
    if (this.get(name).index.size > 0) {
      throw new S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty", {
        BucketName: name,
      });
    }
    // First what makes the folder a bucket: a kill before the rest leaves an empty folder and no half of a bucket.
    rmSync(bucketFile(this.dataDir, name));
    rmSync(join(this.dataDir, name), { recursive: true });
    this.buckets.delete(name);
  }
}

export class Bucket {
  readonly index = new KeyIndex();
  private readonly records = new Map<string, ObjectRecord>();
  private record: BucketRecord;
  private readonly objects: string;

  constructor(
    readonly name: string,
    private readonly folder: string,
  ) {
    this.record = JSON.parse(readFileSync(join(folder, "bucket.json"), "utf8"));
    this.objects = join(folder, "objects");
    const files = readdirSync(this.objects);
    for (const file of files.filter((name) => name.endsWith(".json"))) {
      const record: ObjectRecord = JSON.parse(readFileSync(join(this.objects, file), "utf8"));
      this.records.set(record.key, record);
    }
    this.index.fill([...this.records.keys()]);
    const inUse = new Set([...this.records.values()].map((record) => record.data));
    for (const file of files.filter((name) => !name.endsWith(".json") && !inUse.has(name))) {
      rmSync(join(this.objects, file));
    }
  }

  get created(): number {
    return this.record.created;
  }

  get cors(): CorsRule[] {
    return this.record.cors;
  }

  setCors(cors: CorsRule[]): void {
    const record = { ...this.record, cors };
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

  /** A file descriptor on the object's bytes, which stays good when the object is replaced; to be closed by the caller. */
  open(record: ObjectRecord): number {
    return openSync(this.dataPath(record.data), "r");
  }

  /** A name for a new version's bytes, to be written to `dataPath(name)` before `commit`. */
  newDataName(key: string): string {
    return `${fileName(key)}.${randomBytes(8).toString("hex")}.data`;
  }

  dataPath(name: string): string {
    return join(this.objects, name);
  }

  /** Makes the record, whose bytes are written, the object. `check` sees the one it replaces and may throw. */
  commit(record: ObjectRecord, check: (current: ObjectRecord | undefined) => void): void {
    const current = this.records.get(record.key);
    check(current);
    writeWhole(this.recordPath(record.key), record);
    this.records.set(record.key, record);
    if (current) this.discard(current.data);
    else this.index.add(record.key);
  }

  remove(key: string): void {
    const record = this.records.get(key);
    if (!record) return;
    rmSync(this.recordPath(key));
    this.records.delete(key);
    this.index.remove(key);
    this.discard(record.data);
  }

  /** Bytes that no record names. Should removing them fail, the next start does it. */
  discard(data: string): void {
    rm(this.dataPath(data), { force: true }).catch(() => undefined);
  }

  private recordPath(key: string): string {
    return join(this.objects, `${fileName(key)}.json`);
  }
}

/** Makes the bucket's folder where it is missing; a store that is running sees it at once. */
export function ensureBucket(dataDir: string, name: string): void {
  if (!isBucketName(name)) {
    throw new Error(`"${name}" is not a bucket name: use 3 to 63 letters a-z, digits, "-" and ".".`);
  }
  const file = bucketFile(dataDir, name);
  if (existsSync(file)) return;
  mkdirSync(join(dataDir, name, "objects"), { recursive: true });
  const record: BucketRecord = { created: Date.now(), cors: [] };
  writeWhole(file, record);
}

/** Amazon S3 User Guide, "General purpose bucket naming rules", as far as they keep a name usable. */
function isBucketName(name: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes("..");
}

function bucketFile(dataDir: string, name: string): string {
  return join(dataDir, name, "bucket.json");
}

function fileName(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function writeWhole(path: string, content: object): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, JSON.stringify(content));
  renameSync(temporary, path);
}
