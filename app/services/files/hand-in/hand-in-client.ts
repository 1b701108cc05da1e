import { MAX_CONFIRMED_RECEIPTS, objectKey } from "platform-embed-element/client";
import { StorageClient, type StorageOperations } from "../place/contract/storage-client";
import type { Listing } from "../place/contract/storage-contract.server";
import { StorageProblem } from "../place/contract/storage-problem";

/** An upload of this visit. */
interface HandedIn {
  /** the key that the server has chosen */
  key: string;
  /** what the server takes instead of the key; undefined for an upload in parts */
  receipt: string | undefined;
  /** takes the stored file back; undefined until the server has confirmed it */
  takeBack: string | undefined;
}

/**
 * The storage client of a hand-in page. The upload queue knows files by the keys that their names would have; the server chooses other
 * keys, and takes receipts instead. This class translates, and remembers what it needs to take files back. Names must be unique in a visit.
 */
export class HandInClient extends StorageClient {
  /** by the key that the upload queue knows */
  #handedIn = new Map<string, HandedIn>();

  override async call<Endpoint extends keyof StorageOperations>(
    endpoint: Endpoint,
    request: StorageOperations[Endpoint]["request"],
    signal?: AbortSignal,
  ): Promise<StorageOperations[Endpoint]["result"]> {
    switch (endpoint) {
      case "presign-upload":
        return this.#presign(request as StorageOperations["presign-upload"]["request"], signal) as Promise<
          StorageOperations[Endpoint]["result"]
        >;
      case "multipart/complete":
        return this.#complete(
          request as StorageOperations["multipart/complete"]["request"],
          signal,
        ) as Promise<StorageOperations[Endpoint]["result"]>;
      case "uploaded":
        return this.#confirm(request as StorageOperations["uploaded"]["request"], signal) as Promise<
          StorageOperations[Endpoint]["result"]
        >;
      // Random characters in their names make uploads of the same file different ones.
      case "multipart/find":
        return { upload: null } as StorageOperations[Endpoint]["result"];
      default:
        return super.call(endpoint, request, signal);
    }
  }

  /** The upload queue looks whether a name is taken, on stores without conditional requests. Here none ever is, and no folder may be listed. */
  override async list(): Promise<Listing> {
    return { folders: [], files: [], nextCursor: null };
  }

  /** The receipt names the object, and its mark tells that this upload has stored it. */
  override async hasArrived(key: string, size: number, signal?: AbortSignal): Promise<boolean> {
    const { uploaded } = await this.#confirm({ keys: [key] }, signal);
    return uploaded.some((stored) => stored.key === this.storedKeyOf(key) && stored.size === size);
  }

  /** The key under which the server has stored a file. @param key as the upload queue knows it */
  storedKeyOf(key: string): string {
    return this.#handedIn.get(key)?.key ?? key;
  }

  /**
   * Deletes a file of this visit.
   * @param key as the upload queue knows it
   * @returns false if it is no longer there, or has been changed
   * @throws StorageProblem
   */
  async takeBack(key: string): Promise<boolean> {
    const receipt = this.#handedIn.get(key)?.receipt;
    // The upload queue confirms finished uploads; this one may still be under way, or have failed.
    if (receipt !== undefined && this.#handedIn.get(key)?.takeBack === undefined) {
      await this.#confirm({ keys: [key] });
    }
    const takeBack = this.#handedIn.get(key)?.takeBack;
    if (takeBack === undefined) return false;
    const { removed } = await super.call("take-back", { takeBack });
    return removed;
  }

  async #presign(
    request: StorageOperations["presign-upload"]["request"],
    signal?: AbortSignal,
  ): Promise<StorageOperations["presign-upload"]["result"]> {
    const known = objectKey(request.folderPath, request.fileName);
    const sign = (receipt: string | undefined) =>
      super.call("presign-upload", { ...request, receipt }, signal);
    const receipt = this.#handedIn.get(known)?.receipt;
    const signed = await sign(receipt).catch((error: unknown) => {
      // A receipt expires; and its secret may have been rotated out.
      if (receipt === undefined || !isRefusedReceipt(error)) throw error;
      return sign(undefined);
    });
    this.#handedIn.set(known, { key: signed.key, receipt: signed.receipt, takeBack: undefined });
    return signed;
  }

  async #complete(
    request: StorageOperations["multipart/complete"]["request"],
    signal?: AbortSignal,
  ): Promise<StorageOperations["multipart/complete"]["result"]> {
    const completed = await super.call("multipart/complete", request, signal);
    const { key, takeBack } = completed;
    // The upload queue has this key from the server.
    this.#handedIn.set(key, { key, receipt: undefined, takeBack });
    return completed;
  }

  async #confirm(
    { keys = [] }: Pick<StorageOperations["uploaded"]["request"], "keys">,
    signal?: AbortSignal,
  ): Promise<StorageOperations["uploaded"]["result"]> {
    const begun = keys.flatMap((key) => this.#handedIn.get(key) ?? []);
    const uploaded: StorageOperations["uploaded"]["result"]["uploaded"] = [];
    for (let index = 0; index < begun.length; index += MAX_CONFIRMED_RECEIPTS) {
      const batch = begun.slice(index, index + MAX_CONFIRMED_RECEIPTS);
      const receipts = batch.flatMap(({ receipt }) => receipt ?? []);
      const confirmed = await super.call("uploaded", { receipts }, signal);
      for (const { key, takeBack } of confirmed.uploaded) {
        const found = batch.find((handedIn) => handedIn.key === key);
        if (found) found.takeBack = takeBack;
      }
      uploaded.push(...confirmed.uploaded);
    }
    return { uploaded };
  }
}

function isRefusedReceipt(error: unknown): boolean {
  const code = error instanceof StorageProblem ? error.details.serverCode : undefined;
  return code === "invalid_request" || code === "upload_not_found";
}
