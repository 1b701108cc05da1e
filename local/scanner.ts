/**
 * Stands in for a malware scanner such as GuardDuty: it tags each new object of a bucket a moment after it was stored. It knows one
 * "virus", the EICAR test file, which all scanners treat as one.
 */
import {
  GetObjectCommand,
  GetObjectTaggingCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutObjectTaggingCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { messageOf } from "../app/shared/error-text";
import type { StoredVersion } from "./object-store";
import type { StackInfo } from "./stack-info";

/** As GuardDuty names and fills it. Amazon GuardDuty User Guide, "S3 object potential scan status and result status". */
export const SCAN_TAG = "GuardDutyMalwareScanStatus";
export const CLEAN = "NO_THREATS_FOUND";
export const INFECTED = "THREATS_FOUND";

/** https://www.eicar.org/download-anti-malware-testfile: in two pieces, so that no scanner takes this file for the test file. */
export const EICAR = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${"EICAR-STANDARD-ANTIVIRUS-TEST-FILE"}!$H+H*`;

/** How long people of the demo see "Being checked". */
const SCAN_AFTER_MS = 4_000;
/** Only the beginning is looked at: the test file is 68 bytes long. */
const MAX_SCANNED_BYTES = 4_096;

export interface ScannerOptions {
  objectStore: StackInfo["objectStore"];
  scanAfterMs?: number;
  log?: (line: string) => void;
}

export class Scanner {
  readonly #client: S3Client;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #isStarted = false;

  constructor(private readonly options: ScannerOptions) {
    const { bucket: _, ...access } = options.objectStore;
    this.#client = new S3Client({ ...access, forcePathStyle: true, credentials: access });
  }

  /** Scans everything that has not been scanned yet, in the background, and from then on what is stored. */
  start(): void {
    this.#isStarted = true;
    void this.scanUntagged().catch(this.#report);
  }

  /** To be called with each stored version; scans those of the bucket, a moment later. */
  readonly onStored = (stored: StoredVersion): void => {
    if (!this.#isStarted || stored.bucket !== this.options.objectStore.bucket) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.scan(stored).catch(this.#report);
    }, this.options.scanAfterMs ?? SCAN_AFTER_MS);
    timer.unref();
    this.#timers.add(timer);
  };

  /** Scans the versions without the tag. */
  async scanUntagged(): Promise<void> {
    const { bucket: Bucket } = this.options.objectStore;
    let position: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {};
    while (position) {
      const page: ListObjectVersionsCommandOutput = await this.#client.send(
        new ListObjectVersionsCommand({ Bucket, ...position }),
      );
      for (const { Key = "", VersionId = "null" } of page.Versions ?? []) {
        const version = { bucket: Bucket, key: Key, versionId: VersionId };
        if (!(SCAN_TAG in (await this.#tagsOf(version)))) await this.scan(version);
      }
      position = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
        : undefined;
    }
  }

  /** Tags one version, and keeps its other tags. A version that is gone meanwhile is left alone. */
  async scan(version: StoredVersion): Promise<void> {
    try {
      const object = toInput(version);
      const Range = `bytes=0-${MAX_SCANNED_BYTES - 1}`;
      // An empty object has no range.
      const text = await this.#client
        .send(new GetObjectCommand({ ...object, Range }))
        .then(({ Body }) => Body?.transformToString("latin1"))
        .catch((error: unknown) => {
          if (nameOf(error) === "InvalidRange") return "";
          throw error;
        });
      const tags = { ...(await this.#tagsOf(version)), [SCAN_TAG]: text?.includes(EICAR) ? INFECTED : CLEAN };
      const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      await this.#client.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
    } catch (error) {
      if (!["NoSuchKey", "NoSuchVersion"].includes(nameOf(error))) throw error;
    }
  }

  close(): void {
    this.#isStarted = false;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#client.destroy();
  }

  readonly #report = (error: unknown): void => {
    if (this.#isStarted) this.options.log?.(`The scanner failed. ${messageOf(error)}\n`);
  };

  async #tagsOf(version: StoredVersion): Promise<Record<string, string>> {
    const { TagSet = [] } = await this.#client.send(new GetObjectTaggingCommand(toInput(version)));
    return Object.fromEntries(TagSet.map(({ Key = "", Value = "" }) => [Key, Value]));
  }
}

const toInput = ({ bucket, key, versionId }: StoredVersion) => ({
  Bucket: bucket,
  Key: key,
  VersionId: versionId,
});

const nameOf = (error: unknown) => (error instanceof Error ? error.name : "");
