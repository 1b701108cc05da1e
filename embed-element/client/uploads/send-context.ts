import type { Checksum } from "../../shared/checksums.js";
import type { BlobReader } from "../../shared/read-blob.js";
import type { Semaphore } from "../../shared/semaphore.js";
import type { Diagnose } from "../diagnose.js";
import type { FilesError } from "../errors.js";
import type { OperationName, RequestOf, ResultOf } from "../operations.js";
import type { Call } from "../request.js";
import { type RetryTiming, withRetries } from "../retry.js";
import type { World } from "../world.js";
import type { MultipartUpload } from "./multipart-upload.js";
import type { UploadConcurrency } from "./upload-concurrency.js";
import type { UploadTarget } from "./upload-target.js";

export interface FileToSend {
  file: Blob;
  folderPath: string;
  name: string;
  contentType: string;
  overwrite: boolean;
  /** an earlier attempt may have stored it, with its response lost */
  mayBeStored: boolean;
  /** Look for an unfinished upload of it. False if the person has chosen to start over. */
  mayFind: boolean;
}

/** A stored file. */
export interface StoredFile {
  key: string;
  /** null if the store keeps no checksums */
  checksum: Checksum | null;
}

/** What every function that sends needs: the shared tools, and the callbacks and the signal of one attempt to send a file. */
export interface SendContext extends SendCallbacks {
  tools: SendTools;
  signal: AbortSignal;
  /**
   * Keeps a multipart upload, so that a later attempt or visit continues it; null to begin anew. Called when the upload has been created or
   * found, and after each part.
   */
  keep(multipart: MultipartUpload | null): void;
}

export interface SendCallbacks {
  /** bytes so far: of the file, or for `sendBlob` of the blob */
  onProgress(sent: number): void;
  /** it failed, and is retried after a pause */
  onRetry(error: FilesError): void;
  /** the parts that are stored are being compared with the file */
  onChecking(): void;
  /** an attempt begins to send */
  onSending(): void;
}

/** The platform, as uploads use it. */
export interface UploadPlatform {
  call: Call;
  target: UploadTarget;
  diagnose: Diagnose;
  /** unix seconds, by the platform's clock if it is known */
  platformNow(): number;
}

/**
 * - `done`: the bytes are in the store.
 * - `exists`: the name is taken, and overwriting was not allowed.
 * - `unsupported`: the store does not support `If-None-Match` or the checksum.
 * - `forbidden`: the presigned URL or the session that signed it has expired, or the store refuses it for another reason.
 * - `stalled`: nothing was transferred for a while.
 * - `unexplained`: it failed before a byte was sent and the browser gives no reason. CORS is a possible cause only in this case.
 */
export type PutOutcome = "done" | "exists" | "unsupported" | "forbidden" | "stalled" | "unexplained";

export type PutFile = (
  target: { url: string; headers: Record<string, string> },
  body: Blob,
  /** bytes sent so far */
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<PutOutcome>;

/** Shared by all uploads. */
export interface SendTools extends UploadPlatform {
  world: World;
  put: PutFile;
  timing: RetryTiming;
  read: BlobReader;
  /** limits requests that are sending */
  concurrency: UploadConcurrency;
  /** limits parts in memory: read but not stored yet */
  partSlots: Semaphore;
  traits: StoreTraits;
}

/**
 * What the store supports. The functions that send write to it what they learn: `conditional` and `checksums` from the store's refusals,
 * `integrity` from the server. A store may take checksums and compare nothing.
 */
interface StoreTraits {
  /** `If-None-Match`; without it, the folder is listed before sending */
  conditional: boolean;
  /** checksum headers are not refused */
  checksums: boolean;
  /** what the store compares bytes with; null if damage on the way goes unnoticed */
  integrity: ResultOf<"presign-upload">["integrity"];
}

/** Calls the platform, and calls it again after temporary failures. @throws a FilesError, or the signal's reason */
export function callWithRetries<Name extends OperationName>(
  operation: Name,
  request: RequestOf<Name>,
  context: SendContext,
): Promise<ResultOf<Name>> {
  const { tools, signal } = context;
  return withRetries(() => tools.call(operation, request, signal), tools.timing, context);
}

/** When a URL expires, by `RetryTiming.now`. @param expiresAt unix seconds, by the platform's clock */
export function usableUntil(expiresAt: number, { platformNow, timing }: SendTools): number {
  return timing.now() + (expiresAt - platformNow()) * 1000;
}
