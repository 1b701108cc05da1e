import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CorsRule } from "./cors";
import { DataFiles, fileName, writeWhole } from "./data-files";
import { S3Error } from "./errors";
import { KeyIndex } from "./key-index";
import { MultipartStorage, type Upload } from "./multipart-storage";
import {
  type DeleteMarker,
  filesOf,
  idOf,
  isDeleteMarker,
  isRecord,
  type ObjectRecord,
  readVersions,
  type Version,
} from "./object-record";
import type { XmlObject } from "./xml";

/** What can be set of a bucket. */
export interface BucketSettings {
  cors: CorsRule[];
  /** rules as they were put, each with an ID */
  lifecycle?: XmlObject[];
  /** `BlockPublicAcls` and its like */
  publicAccessBlock?: Record<string, boolean>;
  /** of what is stored from now on; nothing is really encrypted, but the ETags are as if */
  encryption?: "AES256" | "aws:kms";
  /** unset: never switched on */
  versioning?: "Enabled" | "Suspended";
}

export interface BucketRecord extends BucketSettings {
  /** unix milliseconds */
  created: number;
}

/** One bucket: its settings, its objects, and its uploads in progress. See `storage.ts` for its files. */
export class Bucket {
  /** keys of objects */
  readonly index = new KeyIndex();
  /** those, and the keys of which there are only older versions */
  readonly allKeys = new KeyIndex();
  readonly data: DataFiles;
  readonly uploads: MultipartStorage;
  /** of each key all versions, the newest first; without versioning there is one */
  private readonly stacks = new Map<string, Version[]>();
  private record: BucketRecord;
  private readonly objects: string;

  constructor(
    readonly name: string,
    private readonly folder: string,
  ) {
    this.record = JSON.parse(readFileSync(join(folder, "bucket.json"), "utf8"));
    this.objects = join(folder, "objects");
    for (const file of readdirSync(this.objects).filter((name) => name.endsWith(".json"))) {
      const stack = readVersions(join(this.objects, file));
      for (const { key } of stack.slice(0, 1)) this.stacks.set(key, stack);
    }
    this.allKeys.fill([...this.stacks.keys()]);
    this.index.fill([...this.stacks.keys()].filter((key) => this.find(key)));
    this.data = new DataFiles(this.objects);
    this.uploads = new MultipartStorage(join(folder, "uploads"), this.data);
    const records = [...this.stacks.values()].flat().filter(isRecord);
    for (const record of records) {
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
    writeWhole(join(this.folder, "bucket.json"), record);
    this.record = record;
  }

  /** What a record says of these bytes. */
  sealed(md5: string): Pick<ObjectRecord, "etag" | "encryption"> {
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
    const headers = marker && { "x-amz-delete-marker": "true", ...this.versionHeader(marker) };
    throw new S3Error("NoSuchKey", "The specified key does not exist.", { Key: key }, headers);
  }

  /** The newest first. */
  versions(key: string): readonly Version[] {
    return this.stacks.get(key) ?? [];
  }

  /** Throws NoSuchVersion. */
  getVersion(key: string, id: string): Version {
    const found = this.versions(key).find((version) => idOf(version) === id);
    if (found) return found;
    throw new S3Error("NoSuchVersion", "The specified version does not exist.", { Key: key, VersionId: id });
  }

  /** Nothing while the bucket has never kept versions. */
  versionHeader(version: Version): Record<string, string> {
    return this.record.versioning ? { "x-amz-version-id": idOf(version) } : {};
  }

  /** Makes the record, whose bytes are written, the object. `check` sees the one it replaces and may throw. */
  commit(record: ObjectRecord, check: (current: ObjectRecord | undefined) => void): ObjectRecord {
    const { key } = record;
    check(this.find(key));
    const added = { ...record, ...this.newVersion() };
    this.write(key, [added, ...this.versions(key).filter(({ version }) => version !== added.version)]);
    return added;
  }

  /** Makes parts of the upload, which then is over, the object. Nothing can come between the two, but a kill. */
  complete(
    upload: Upload,
    record: ObjectRecord,
    check: (current: ObjectRecord | undefined) => void,
  ): ObjectRecord {
    const completed = this.commit({ ...record, upload: upload.id }, check);
    this.uploads.remove(upload, record.pieces);
    return completed;
  }

  /** Gives the object other tags: it stays the version that it is. Throws NoSuchKey. */
  retag(key: string, tags: ObjectRecord["tags"]): void {
    const { tags: _, ...record } = this.get(key);
    this.write(key, [{ ...record, ...(tags && { tags }) }, ...this.versions(key).slice(1)]);
  }

  /** Deletes the object. With versioning a marker takes its place, also where there is nothing, and is returned. */
  remove(key: string): DeleteMarker | undefined {
    const { versioning } = this.record;
    const { version: id } = this.newVersion();
    const kept = this.versions(key).filter(({ version }) => version !== id);
    if (!versioning) {
      this.write(key, kept);
      return undefined;
    }
    const lastModified = Math.floor(Date.now() / 1000) * 1000;
    const marker: DeleteMarker = { key, ...(id && { version: id }), lastModified, isDeleted: true };
    this.write(key, [marker, ...kept]);
    return marker;
  }

  /** Takes one version away for good; the one that was there. */
  removeVersion(key: string, id: string): Version | undefined {
    const removed = this.versions(key).find((version) => idOf(version) === id);
    if (removed)
      this.write(
        key,
        this.versions(key).filter((version) => version !== removed),
      );
    return removed;
  }

  /** An id of its own, or none where each version takes the place of the one before. */
  private newVersion(): { version?: string } {
    return this.record.versioning === "Enabled" ? { version: randomBytes(24).toString("base64url") } : {};
  }

  /** The file is written first: killed after it, the next start knows all that this one did. */
  private write(key: string, stack: Version[]): void {
    const before = this.versions(key);
    const [newest] = stack;
    if (newest === undefined) rmSync(this.recordPath(key), { force: true });
    else {
      const isPlain = stack.length === 1 && newest.version === undefined && !isDeleteMarker(newest);
      writeWhole(this.recordPath(key), isPlain ? newest : { key, versions: stack });
    }
    if (newest === undefined) this.stacks.delete(key);
    else this.stacks.set(key, stack);
    if (newest === undefined) this.allKeys.remove(key);
    else if (before.length === 0) this.allKeys.add(key);
    if (this.find(key)) this.index.add(key);
    else this.index.remove(key);
    const kept = new Set(filesOf(stack).map(({ file }) => file));
    this.data.discard(filesOf(before).filter(({ file }) => !kept.has(file)));
  }

  private recordPath(key: string): string {
    return join(this.objects, `${fileName(key)}.json`);
  }
}
