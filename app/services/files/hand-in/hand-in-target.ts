import {
  type Call,
  FilesError,
  joinPath,
  MAX_CONFIRMED_RECEIPTS,
  type RequestOf,
  type ResultOf,
  type RetryTiming,
  type UploadTarget,
  whileBusy,
} from "platform-embed-element/client";

/** A stored file of this visit. */
interface HandedIn {
  /** what the platform takes instead of the key; undefined for an upload in parts */
  receipt: string | undefined;
  /** takes the file back; undefined until the platform has confirmed it */
  takeBack: string | undefined;
}

/**
 * Where the uploads of a hand-in page go: the platform chooses their keys, with random characters, and takes receipts instead of them. So no
 * name is taken, no folder is listed, and no unfinished upload of an earlier visit is looked for.
 */
export class HandInTarget implements UploadTarget {
  /** On a shared computer, the next visitor would be shown what the last one was sending. */
  readonly resumes = false;
  /** A phone calls every photo that it takes `image.jpg`, and a person tells them apart by their numbers. */
  readonly numbersNames = true;
  /** by folder and name of the file, which are unique in a visit */
  #receipts = new Map<string, string>();
  /** by key */
  #handedIn = new Map<string, HandedIn>();

  /** @param timing how long to wait while the platform is busy */
  constructor(
    private readonly call: Call,
    private readonly timing: Pick<RetryTiming, "wait">,
  ) {}

  async prepare(
    request: RequestOf<"presign-upload">,
    signal?: AbortSignal,
  ): Promise<ResultOf<"presign-upload">> {
    const path = joinPath(request.folderPath, request.fileName);
    const sign = (receipt: string | undefined) =>
      this.call("presign-upload", { ...request, receipt }, signal);
    const before = this.#receipts.get(path);
    const signed = await sign(before).catch((error: unknown) => {
      // A receipt expires; and its secret may have been rotated out.
      if (before === undefined || !isRefusedReceipt(error)) throw error;
      return sign(undefined);
    });
    const { key, receipt } = signed;
    if (receipt !== undefined) this.#receipts.set(path, receipt);
    this.#handedIn.set(key, { receipt, takeBack: undefined });
    return signed;
  }

  async isTaken(): Promise<boolean> {
    return false;
  }

  /** The receipt names the object, and its mark tells that this upload has stored it. */
  async isStored(key: string, size: number, signal?: AbortSignal): Promise<boolean> {
    const uploaded = await this.#confirm([key], signal);
    return uploaded.some((stored) => stored.key === key && stored.size === size);
  }

  async finish(
    request: RequestOf<"multipart/complete">,
    signal?: AbortSignal,
  ): Promise<ResultOf<"multipart/complete">> {
    const completed = await this.call("multipart/complete", request, signal);
    const { key, takeBack } = completed;
    this.#handedIn.set(key, { receipt: undefined, takeBack });
    return completed;
  }

  async confirm(keys: readonly string[]): Promise<void> {
    await this.#confirm(keys);
  }

  /**
   * Deletes a file of this visit.
   * @returns false if it is no longer there, or has been changed
   * @throws a FilesError
   */
  async takeBack(key: string): Promise<boolean> {
    const handedIn = this.#handedIn.get(key);
    // The engine confirms finished uploads; this one may still be under way, or have failed.
    if (handedIn?.receipt !== undefined && handedIn.takeBack === undefined) await this.#confirm([key]);
    const takeBack = handedIn?.takeBack;
    if (takeBack === undefined) return false;
    const { removed } = await whileBusy(() => this.call("take-back", { takeBack }), this.timing);
    return removed;
  }

  async #confirm(keys: readonly string[], signal?: AbortSignal): Promise<ResultOf<"uploaded">["uploaded"]> {
    const receipts = keys.flatMap((key) => this.#handedIn.get(key)?.receipt ?? []);
    const all: ResultOf<"uploaded">["uploaded"] = [];
    for (let at = 0; at < receipts.length; at += MAX_CONFIRMED_RECEIPTS) {
      const batch = receipts.slice(at, at + MAX_CONFIRMED_RECEIPTS);
      const { uploaded } = await this.call("uploaded", { receipts: batch }, signal);
      for (const { key, takeBack } of uploaded) {
        const handedIn = this.#handedIn.get(key);
        if (handedIn) handedIn.takeBack = takeBack;
      }
      all.push(...uploaded);
    }
    return all;
  }
}

function isRefusedReceipt(error: unknown): boolean {
  const code = error instanceof FilesError ? error.code : undefined;
  return code === "invalid_request" || code === "upload_not_found";
}
