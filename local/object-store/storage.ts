import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Bucket, type BucketRecord, type OnStored } from "./bucket";
import { replaceFile } from "./data-files";
import { S3Error } from "./errors";

/**
 * Buckets, objects and uploads in progress as files:
 *
 *     <dataDir>/<bucket>/bucket.json                             its creation time and its settings
 *     <dataDir>/<bucket>/objects/<sha256 of the key>.json        the records of an object's versions, which name the files with their bytes
 *     <dataDir>/<bucket>/objects/<sha256 of the key>.<id>.data   bytes of an object, or of a part of an upload
 *     <dataDir>/<bucket>/uploads/<upload id>/upload.json         the record of a multipart upload
 *     <dataDir>/<bucket>/uploads/<upload id>/<number>.json       the record of a part, which names the file with its bytes
 *
 * Bytes are written first, to a new file. Then the small JSON file is replaced by an atomic rename. If the process is killed
 * before that, the new file is unused, and the next start removes it. Completing an upload only writes the object's JSON file,
 * which names the files of the parts: no bytes are copied. Keys are hashed, so that no key can choose a path. Records are read
 * and written synchronously: nothing can happen between checking a condition and writing.
 */
export class ObjectStorage {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly dataDir: string,
    private readonly onStored?: OnStored,
  ) {
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
    const bucket = new Bucket(name, join(this.dataDir, name), this.onStored);
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

  /** Removes the bucket and its uploads in progress. Throws NoSuchBucket and BucketNotEmpty. */
  remove(name: string): void {
    if (this.get(name).allKeys.size > 0) {
      throw new S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty", {
        BucketName: name,
      });
    }
    // This file first: without it, a folder that is left by a killed process is not a bucket.
    rmSync(bucketFile(this.dataDir, name));
    rmSync(join(this.dataDir, name), { recursive: true });
    this.buckets.delete(name);
  }
}

/** Creates the bucket if it is missing; a running store sees it at once. */
export function ensureBucket(dataDir: string, name: string): void {
  if (!isBucketName(name)) {
    throw new Error(`"${name}" is not a bucket name: use 3 to 63 letters a-z, digits, "-" and ".".`);
  }
  const file = bucketFile(dataDir, name);
  if (existsSync(file)) return;
  // The rest of a bucket whose removal was interrupted.
  rmSync(join(dataDir, name), { recursive: true, force: true });
  mkdirSync(join(dataDir, name, "objects"), { recursive: true });
  const record: BucketRecord = { created: Date.now(), cors: [] };
  replaceFile(file, record);
}

/** Amazon S3 User Guide, "General purpose bucket naming rules"; only the rules that matter for a folder name. */
function isBucketName(name: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) && !name.includes("..");
}

function bucketFile(dataDir: string, name: string): string {
  return join(dataDir, name, "bucket.json");
}
