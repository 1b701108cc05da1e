import { joinPath } from "../folder-path";
import { StorageProblem } from "../storage-problem";
import { withRetries } from "./retry";
import type { SendTools } from "./send-blob";
import { type FileCallbacks, sendFile } from "./send-file";
import { type MultipartUpload, storedBytesOf } from "./send-parts";
import type { SentFile, StoreTraits } from "./send-single";
import type { UploadEntry } from "./upload";
import { UploadConfirmations } from "./upload-confirmations";
import type { UploadRecords } from "./upload-records";

export interface RunnerOptions {
  tools: SendTools;
  records: UploadRecords;
  bucket: string;
  contentTypeOf: (file: File) => string;
}

/** Each call of `run` sends one upload, in one request or in parts, and keeps the browser's record of it up to date. */
export class UploadRunner {
  #traits: StoreTraits = { conditional: true, checksums: true, integrity: "checksum" };

  readonly #confirmations: UploadConfirmations;

  constructor(readonly options: RunnerOptions) {
    this.#confirmations = new UploadConfirmations(options.tools);
  }

  /** Whether the store notices bytes that changed on the way to it, as far as that is known. */
  get noticesDamage(): boolean {
    return this.#traits.integrity !== null;
  }

  /**
   * @returns null when the name is taken
   * @throws DifferentFileError, a StorageProblem or the signal's reason
   */
  async run(
    entry: UploadEntry,
    callbacks: Omit<FileCallbacks, "onCreated">,
    signal: AbortSignal,
  ): Promise<SentFile | null> {
    const { tools, contentTypeOf } = this.options;
    const { folderPath, name } = entry.upload;
    const { file, overwrite } = entry;
    if (file === null) return this.#makeFolder(folderPath, name, callbacks, signal);
    if (!(await this.#claim(entry))) throw new StorageProblem("elsewhere");
    const { mayBeStored } = entry;
    entry.mayBeStored = true;
    const sent = await sendFile(
      { file, folderPath, name, overwrite, contentType: contentTypeOf(file), mayBeStored },
      entry,
      this.#traits,
      tools,
      {
        ...callbacks,
        onCreated: (multipart) => this.#record(entry, file, multipart),
        onProgress: (bytes) => {
          this.#noteStoredBytes(entry);
          callbacks.onProgress(bytes);
        },
      },
      signal,
    );
    if (sent === null) return null;
    this.#forget(entry);
    // The server itself completes uploads in parts.
    if (entry.multipart === null) this.#confirmations.add(sent.key);
    return sent;
  }

  /** Aborts the multipart upload in the background, and forgets it. If that fails, the bucket's lifecycle rule removes it in a week. */
  discard(entry: UploadEntry): void {
    const { client, timing } = this.options.tools;
    const { multipart } = entry;
    entry.multipart = null;
    entry.needsCheck = false;
    entry.mayBeStored = false;
    this.#forget(entry);
    if (multipart === null) return;
    withRetries(
      () => client.call("multipart/abort", { upload: multipart.handle }),
      timing,
      () => {},
    ).catch(() => {});
  }

  async #makeFolder(
    folderPath: string,
    name: string,
    callbacks: Omit<FileCallbacks, "onCreated">,
    signal: AbortSignal,
  ): Promise<SentFile> {
    const { client, timing } = this.options.tools;
    const create = () => client.call("create-folder", { folderPath, name }, signal);
    await withRetries(create, timing, callbacks.onRetry, signal);
    return { key: `${joinPath(folderPath, name).slice(1)}/`, checksum: null };
  }

  async #claim(entry: UploadEntry): Promise<boolean> {
    if (entry.record === null) return true;
    entry.release ??= await this.options.records.claim(entry.record.id);
    return entry.release !== null;
  }

  #record(entry: UploadEntry, file: File, multipart: MultipartUpload): void {
    this.#forget(entry);
    const { bucket, contentTypeOf, records } = this.options;
    const { name, folderPath } = entry.upload;
    const { lastModified } = file;
    const { storedParts: _, ...created } = multipart;
    const kept = {
      ...created,
      id: crypto.randomUUID(),
      bucket,
      folderPath,
      name,
      lastModified,
      contentType: contentTypeOf(file),
      overwrite: entry.overwrite,
      arrived: 0,
      begunAt: Date.now(),
    };
    entry.record = kept;
    // Claim first, then record. Otherwise another tab could offer to resume it.
    void this.#claim(entry).then(() => entry.record === kept && records.keep(kept));
  }

  #noteStoredBytes({ multipart, record }: UploadEntry): void {
    if (multipart === null || record === null) return;
    const storedBytes = storedBytesOf(multipart);
    if (storedBytes <= record.arrived) return;
    record.arrived = storedBytes;
    this.options.records.keep(record);
  }

  #forget(entry: UploadEntry): void {
    if (entry.record) this.options.records.forget(entry.record.id);
    entry.record = null;
    entry.release?.();
    entry.release = null;
  }
}
