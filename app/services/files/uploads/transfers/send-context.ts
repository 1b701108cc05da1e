import type { RetryTiming } from "platform-embed-element/client";
import type { ChecksumAlgorithm } from "../../../../../embed-element/shared/checksums";
import { Semaphore } from "../../../../../embed-element/shared/semaphore";
import { realTiming, withRetries } from "../../place/contract/retry";
import type { StorageClient, StorageOperations } from "../../place/contract/storage-client";
import type { StorageProblem } from "../../place/contract/storage-problem";
import type { Integrity } from "../../place/contract/uploads-contract.server";
import { type BlobReader, createBlobReader } from "./blob-reader";
import type { MultipartUpload } from "./multipart-upload";
import { type PutFile, putFile } from "./put-file";
import { MAX_CONCURRENT_REQUESTS, UploadConcurrency } from "./upload-concurrency";

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
  /** base64; null if the store keeps no checksums */
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
}

/** What every function that sends needs: the page's tools, and the callbacks and the signal of one attempt to send a file. */
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
  onRetry(problem: StorageProblem): void;
  /** the parts that are stored are being compared with the file */
  onChecking(): void;
  /** an attempt begins to send */
  onSending(): void;
}

/** Shared by all uploads of a page. */
export interface SendTools {
  client: UploadClient;
  put: PutFile;
  timing: RetryTiming;
  read: BlobReader;
  /** limits requests that are sending */
  concurrency: UploadConcurrency;
  /** limits parts in memory: read but not stored yet */
  partSlots: Semaphore;
  traits: StoreTraits;
}

export type UploadClient = Pick<StorageClient, "call" | "hasArrived" | "list" | "diagnose" | "secondsUntil">;

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
  integrity: Integrity;
}

/** Parts in memory besides those being sent: read and signed in advance. */
const PARTS_AHEAD = 2;

export function createSendTools(client: UploadClient): SendTools {
  return {
    client,
    put: putFile,
    timing: realTiming,
    read: createBlobReader(),
    concurrency: new UploadConcurrency(),
    partSlots: new Semaphore(MAX_CONCURRENT_REQUESTS + PARTS_AHEAD),
    // What is expected of a store until more is known.
    traits: { conditional: true, checksums: true, integrity: "checksum" },
  };
}

/** Calls our server, and calls it again after temporary failures. @throws a StorageProblem, or the signal's reason */
export function callWithRetries<Endpoint extends keyof StorageOperations>(
  endpoint: Endpoint,
  request: StorageOperations[Endpoint]["request"],
  context: SendContext,
) {
  const { tools, signal } = context;
  return withRetries(() => tools.client.call(endpoint, request, signal), tools.timing, context);
}

/** When a URL expires, by `RetryTiming.now`. @param expiresAt unix seconds, by the server's clock */
export function usableUntil(expiresAt: number, { client, timing }: SendTools): number {
  return timing.now() + client.secondsUntil(expiresAt) * 1000;
}
