import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Bucket, type BucketRecord } from "./bucket";
import { writeWhole } from "./data-files";
import { S3Error } from "./errors";

/**
 * Buckets, objects and uploads in progress as files:
 *
 *     <dataDir>/<bucket>/bucket.json                             when it was made, and its settings
 *     <dataDir>/<bucket>/objects/<sha256 of the key>.json        what is known of the object and its versions, and which files hold their bytes
 *     <dataDir>/<bucket>/objects/<sha256 of the key>.<id>.data   bytes of an object, or of a part
 *     <dataDir>/<bucket>/uploads/<upload id>/upload.json         what is known of an upload in parts
 *     <dataDir>/<bucket>/uploads/<upload id>/<number>.json       what is known of a part, and which file holds its bytes
 *
 * The bytes are written first, under a name of their own; renaming the small JSON file over its predecessor is the one
 * moment at which an object or a part changes. A process killed before it leaves a stray file that the next start sweeps
 * up; killed after it, nothing is lost. Completing an upload writes the object's JSON file, which names the parts' files:
 * no bytes are moved. Keys are hashed, so no key can name a file of its choosing.
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

  /** Uploads in progress go with it, as in S3. Throws NoSuchBucket and BucketNotEmpty. */
  remove(name: string): void {
    if (this.get(name).allKeys.size > 0) {
      throw new S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty", {
        BucketName: name,
      });
    }
    // First what makes the folder a bucket: a kill before the rest leaves a folder that is no bucket.
    rmSync(bucketFile(this.dataDir, name));
    rmSync(join(this.dataDir, name), { recursive: true });
    this.buckets.delete(name);
  }
}

/** Makes the bucket's folder where it is missing; a store that is running sees it at once. */
export function ensureBucket(dataDir: string, name: string): void {
  if (!isBucketName(name)) {
    throw new Error(`"${name}" is not a bucket name: use 3 to 63 letters a-z, digits, "-" and ".".`);
  }
  const file = bucketFile(dataDir, name);
  if (existsSync(file)) return;
  // What is left of a bucket whose removal was cut short.
  rmSync(join(dataDir, name), { recursive: true, force: true });
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
