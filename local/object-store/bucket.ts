import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Checksum } from "./checksums";
import { DataFiles, fileName, type Piece, replaceFile } from "./data-files";
import { noSuchKey, S3Error } from "./errors";
import { KeyIndex } from "./key-index";
import { type Upload, Uploads } from "./uploads";

/** Amazon S3 API Reference, "CORSRule". */
export interface CorsRule {
  id: string | undefined;
  /** each with at most one `*` */
  allowedOrigins: string[];
  allowedMethods: string[];
  /** each with at most one `*`; compared without regard to case */
  allowedHeaders: string[];
  exposeHeaders: string[];
  maxAgeSeconds: number | undefined;
}

export interface BucketSettings {
  cors: CorsRule[];
  /** the XML document of the lifecycle rules as it was put; the rules are not carried out */
  lifecycleDocument?: string;
  /** the XML document that says what to publish; nothing is published */
  notificationDocument?: string;
  /** of new objects. Nothing is really encrypted, but ETags are as in S3 */
  encryption?: "AES256" | "aws:kms";
  /** undefined: never enabled */
  versioning?: "Enabled" | "Suspended";
}

export interface BucketRecord extends BucketSettings {
  /** Unix milliseconds */
  created: number;
}

/** One version of an object, without its bytes. */
export interface ObjectRecord {
  key: string;
  /** bytes */
  size: number;
  /** in quotes: the MD5 in hexadecimal, or for an object uploaded in parts, the MD5 of their MD5s, `-` and their number */
  etag: string;
  /** Unix milliseconds, whole seconds as in S3 */
  lastModified: number;
  /** of responses, names in lower case: content-type, cache-control, x-amz-meta-… */
  headers: Record<string, string>;
  checksum?: Checksum;
  /** values by name */
  tags?: Record<string, string>;
  /** undefined for `STANDARD` */
  storageClass?: string;
  /** set when the ETag is not an MD5, and each copy has another one */
  encryption?: "aws:kms";
  /** the files with the bytes, in order */
  pieces: Piece[];
  /** id of the multipart upload that created it, so that a repeated completion gets the same response */
  upload?: string;
  /** undefined for what was stored without versioning, which S3 calls `null` */
  version?: string;
}

/** What a deletion in a bucket with versioning puts on top of an object's versions. */
export interface DeleteMarker {
  key: string;
  version?: string;
  /** Unix milliseconds, whole seconds */
  lastModified: number;
  isDeleted: true;
}

export type Version = ObjectRecord | DeleteMarker;

/** Names a version that has been stored. */
export interface StoredVersion {
  bucket: string;
  key: string;
  /** `null` without versioning */
  versionId: string;
}

export type OnStored = (stored: StoredVersion) => void;

export function isDeleteMarker(version: Version): version is DeleteMarker {
  return "isDeleted" in version;
}

function isObject(version: Version): version is ObjectRecord {
  return !isDeleteMarker(version);
}

export function versionIdOf({ version = "null" }: Version): string {
  return version;
}

/** The current time, as precise as S3 keeps it. */
export function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
}

/** One bucket: its settings, its objects, and its uploads in progress. See storage.ts for its files. */
export class Bucket {
  /** keys of objects */
  readonly index = new KeyIndex();
  /** keys of objects, and keys that only have older versions */
  readonly allKeys = new KeyIndex();
  readonly data: DataFiles;
  readonly uploads: Uploads;
  /** all versions of each key, newest first; without versioning there is one */
  private readonly stacks = new Map<string, Version[]>();
  private record: BucketRecord;
  private readonly objects: string;

  constructor(
    readonly name: string,
    private readonly folder: string,
    private readonly onStored: OnStored = () => {},
  ) {
    this.record = JSON.parse(readFileSync(join(folder, "bucket.json"), "utf8"));
    this.objects = join(folder, "objects");
    for (const file of readdirSync(this.objects).filter((name) => name.endsWith(".json"))) {
      const { versions, ...record } = JSON.parse(readFileSync(join(this.objects, file), "utf8"));
      this.stacks.set(record.key, versions ?? [record]);
    }
    this.allKeys.fill([...this.stacks.keys()]);
    this.index.fill([...this.stacks.keys()].filter((key) => this.find(key)));
    this.data = new DataFiles(this.objects);
    this.uploads = new Uploads(join(folder, "uploads"), this.data);
    const records = [...this.stacks.values()].flat().filter(isObject);
    for (const record of records) {
      // The process was killed between creating the object and removing the upload.
      const completed = record.upload === undefined ? undefined : this.uploads.find(record.upload);
      if (completed) this.uploads.remove(completed, record.pieces);
    }
    this.data.sweep([...records.flatMap((record) => record.pieces), ...this.uploads.pieces()]);
  }

  get created(): number {
    return this.record.created;
  }

  get settings(): Readonly<BucketSettings> {
    return this.record;
  }

  set(settings: Partial<BucketSettings>): void {
    const record = { ...this.record, ...settings };
    replaceFile(join(this.folder, "bucket.json"), record);
    this.record = record;
  }

  /** The ETag of new bytes, and how they are encrypted. `md5` in hexadecimal. */
  etagOf(md5: string): Pick<ObjectRecord, "etag" | "encryption"> {
    if (this.record.encryption !== "aws:kms") return { etag: `"${md5}"` };
    return { etag: `"${randomBytes(16).toString("hex")}"`, encryption: "aws:kms" };
  }

  find(key: string): ObjectRecord | undefined {
    const [newest] = this.versions(key);
    return newest && !isDeleteMarker(newest) ? newest : undefined;
  }

  /** Throws NoSuchKey. */
  get(key: string): ObjectRecord {
    const record = this.find(key);
    if (record) return record;
    const [marker] = this.versions(key);
    throw noSuchKey(key, marker && { "x-amz-delete-marker": "true", ...this.versionHeader(marker) });
  }

  /** Newest first. */
  versions(key: string): readonly Version[] {
    return this.stacks.get(key) ?? [];
  }

  /** Throws NoSuchVersion. */
  getVersion(key: string, id: string): Version {
    const found = this.versions(key).find((version) => versionIdOf(version) === id);
    if (found) return found;
    throw new S3Error("NoSuchVersion", "The specified version does not exist.", { Key: key, VersionId: id });
  }

  /** Empty if the bucket has never had versioning. */
  versionHeader(version: Version): Record<string, string> {
    return this.record.versioning ? { "x-amz-version-id": versionIdOf(version) } : {};
  }

  /** Stores an object whose bytes have been written. `check` gets the object that it replaces, and may throw. */
  commit(record: ObjectRecord, check: (current: ObjectRecord | undefined) => void): ObjectRecord {
    const { key } = record;
    check(this.find(key));
    const added = { ...record, ...this.newVersion() };
    this.write(key, [added, ...this.versions(key).filter(({ version }) => version !== added.version)]);
    this.onStored({ bucket: this.name, key, versionId: versionIdOf(added) });
    return added;
  }

  /** Stores an object that consists of parts of the upload, and ends the upload. */
  complete(
    upload: Upload,
    record: ObjectRecord,
    check: (current: ObjectRecord | undefined) => void,
  ): ObjectRecord {
    const completed = this.commit({ ...record, upload: upload.id }, check);
    this.uploads.remove(upload, record.pieces);
    return completed;
  }

  /** Replaces the tags of a version, which stays the same version. */
  setTags(record: ObjectRecord, tags: Record<string, string>): void {
    const { tags: _, ...rest } = record;
    const tagged = Object.keys(tags).length === 0 ? rest : { ...rest, tags };
    const versions = this.versions(record.key).map((version) => (version === record ? tagged : version));
    this.write(record.key, versions);
  }

  /** Deletes the object. With versioning, adds a delete marker, even if there is no object, and returns it. */
  remove(key: string): DeleteMarker | undefined {
    const { version } = this.newVersion();
    const kept = this.versions(key).filter((other) => other.version !== version);
    if (!this.record.versioning) {
      this.write(key, kept);
      return undefined;
    }
    const marker: DeleteMarker = {
      key,
      ...(version && { version }),
      lastModified: wholeSecond(),
      isDeleted: true,
    };
    this.write(key, [marker, ...kept]);
    return marker;
  }

  /** Removes one version for good, and returns it if there was one. */
  removeVersion(key: string, id: string): Version | undefined {
    const versions = this.versions(key);
    const removed = versions.find((version) => versionIdOf(version) === id);
    const kept = versions.filter((version) => version !== removed);
    if (removed) this.write(key, kept);
    return removed;
  }

  /**
   * Sets the times of a key's versions, newest first, in Unix milliseconds. The versions that `times` leaves out keep theirs. S3 has no
   * such operation.
   */
  setTimes(key: string, times: readonly number[]): void {
    const versions = this.versions(key);
    this.write(
      key,
      versions.map((version, index) => ({ ...version, lastModified: times[index] ?? version.lastModified })),
    );
  }

  /** A new id, or none if the new version replaces the one without an id. */
  private newVersion(): { version?: string } {
    return this.record.versioning === "Enabled" ? { version: randomBytes(24).toString("base64url") } : {};
  }

  private write(key: string, stack: Version[]): void {
    const before = this.versions(key);
    const path = join(this.objects, `${fileName(key)}.json`);
    if (stack.length > 0) {
      replaceFile(path, { key, versions: stack });
      this.stacks.set(key, stack);
      this.allKeys.add(key);
    } else {
      rmSync(path, { force: true });
      this.stacks.delete(key);
      this.allKeys.remove(key);
    }
    if (this.find(key)) this.index.add(key);
    else this.index.remove(key);
    const kept = new Set(piecesOf(stack).map(({ file }) => file));
    this.data.discard(piecesOf(before).filter(({ file }) => !kept.has(file)));
  }
}

function piecesOf(versions: readonly Version[]): Piece[] {
  return versions.filter(isObject).flatMap(({ pieces }) => pieces);
}
