import { Batches } from "../../shared/batches.js";
import { FilesError } from "../errors.js";
import { joinPath } from "../folder-path.js";
import { MAX_CONFIRMED_UPLOADS, MIN_MULTIPART_BYTES } from "../limits.js";
import { withRetries } from "../retry.js";
import { type MultipartUpload, storedBytesOf, wholeChecksum } from "./multipart-upload.js";
import { newId } from "./new-id.js";
import type { SendCallbacks, SendContext, SendTools, StoredFile } from "./send-context.js";
import { sendLargeFile } from "./send-large-file.js";
import { sendSmallFile } from "./send-small-file.js";
import { type FileToUpload, newRecord, type UploadEntry } from "./upload-entry.js";
import type { UploadRecords } from "./upload-records.js";

export interface RunnerOptions {
  tools: SendTools;
  /** null if no later visit may continue an upload */
  records: UploadRecords | null;
  bucket: string;
  contentTypeOf(file: { name: string; type: string }): string;
}

/** Each call of `run` sends one upload, in one request or in parts, and keeps the world's record of it up to date. */
export class UploadRunner {
  /** keys of small files that the store has taken */
  readonly #confirmations = new Batches<string, void>((keys) => this.#confirm(keys), MAX_CONFIRMED_UPLOADS);

  constructor(readonly options: RunnerOptions) {}

  /** @throws what `sendLargeFile` and `sendSmallFile` throw */
  async run(entry: UploadEntry, callbacks: SendCallbacks, signal: AbortSignal): Promise<StoredFile> {
    const { tools, contentTypeOf } = this.options;
    const { file, overwrite, mayBeStored, mayFind } = entry;
    const { folderPath, name } = entry.upload;
    if (file === null) return this.#makeFolder(folderPath, name, callbacks, signal);
    const contentType = contentTypeOf({ name: file.name ?? name, type: file.type });
    const context: SendContext = {
      ...callbacks,
      tools,
      signal,
      keep: (multipart) => {
        entry.multipart = multipart;
        if (multipart !== null) this.#remember(entry, multipart, file, contentType);
      },
    };
    if (!(await this.#claim(entry))) throw new FilesError("elsewhere");
    const toSend = { file, folderPath, name, overwrite, contentType, mayBeStored, mayFind };
    // The next attempt may find the file stored by this one.
    entry.mayBeStored = true;
    const isLarge = file.size >= MIN_MULTIPART_BYTES;
    const stored = isLarge
      ? await sendLargeFile(toSend, entry.multipart, context)
      : await sendSmallFile(toSend, context);
    this.#forget(entry);
    // `multipart/complete` has recorded large files already.
    if (!isLarge) void this.#confirmations.add(stored.key);
    return stored;
  }

  /**
   * Forgets the multipart upload, and aborts it, unless another tab sends it, or it may be the upload of another file. If that fails, the
   * bucket's lifecycle rule removes it in a week. Never rejects.
   * @returns the file, if the upload had been completed before
   */
  async discard(entry: UploadEntry): Promise<StoredFile | null> {
    const { multipart, record } = entry;
    const { records, tools } = this.options;
    const claimed = entry.release;
    entry.multipart = null;
    entry.record = null;
    entry.release = null;
    if (record !== null) {
      const release = claimed ?? (await records?.claim(record.id));
      if (!release) return null;
      records?.forget(record.id);
      release();
    }
    const mayBeOfAnotherFile = multipart?.isFound && multipart.needsCheck;
    if (multipart === null || mayBeOfAnotherFile) return null;
    const abort = () => tools.call("multipart/abort", { upload: multipart.handle });
    const { aborted } = await withRetries(abort, tools.timing).catch(() => ({ aborted: true }));
    if (aborted) return null;
    // The response has been lost, and a target may need what it says.
    const finish = () => tools.target.finish({ upload: multipart.handle });
    await withRetries(finish, tools.timing).catch(() => {});
    const isWhole = multipart.storedParts.size === multipart.partCount;
    return { key: multipart.key, checksum: isWhole ? wholeChecksum(multipart) : null };
  }

  async #makeFolder(
    folderPath: string,
    name: string,
    { onRetry }: Pick<SendCallbacks, "onRetry">,
    signal: AbortSignal,
  ): Promise<StoredFile> {
    const { call, timing } = this.options.tools;
    const create = () => call("create-folder", { folderPath, name }, signal);
    await withRetries(create, timing, { onRetry, signal });
    return { key: `${joinPath(folderPath, name).slice(1)}/`, checksum: null };
  }

  /**
   * Tells the platform which files the store has taken, so that it records them. Uploads do not wait for it. If it fails, the platform learns
   * of the files from the bucket's notification, or by `npm run cleanup`.
   */
  async #confirm(keys: string[]): Promise<never[]> {
    const { target, timing } = this.options.tools;
    const confirm = () => target.confirm(keys);
    await withRetries(confirm, timing).catch(() => {});
    return [];
  }

  /** @returns false if another tab sends the upload */
  async #claim(entry: UploadEntry): Promise<boolean> {
    if (entry.record === null) return true;
    entry.release ??= (await this.options.records?.claim(entry.record.id)) ?? null;
    return entry.release !== null;
  }

  /** Keeps the record of a large file up to date, with which a later visit can resume it. */
  #remember(entry: UploadEntry, multipart: MultipartUpload, file: FileToUpload, contentType: string): void {
    const { bucket, records, tools } = this.options;
    if (records === null) return;
    const { record } = entry;
    if (record?.handle === multipart.handle) {
      const storedBytes = storedBytesOf(multipart);
      if (storedBytes <= record.arrived) return;
      record.arrived = storedBytes;
      records.keep(record);
      return;
    }
    this.#forget(entry);
    const sent = { bucket, file, contentType };
    const created = newRecord(newId(tools.world), entry, multipart, sent, tools.world);
    entry.record = created;
    // Claim first, then record. Otherwise another tab could offer to resume it.
    void this.#claim(entry).then(() => entry.record === created && records.keep(created));
  }

  /** Deletes the record, and gives up the claim on it. */
  #forget(entry: UploadEntry): void {
    if (entry.record) this.options.records?.forget(entry.record.id);
    entry.record = null;
    entry.release?.();
    entry.release = null;
  }
}
