import type { TokenSession } from "../../embed/frame/token-session";
import type { ChecksumAlgorithm } from "../../shared/checksums";
import { MAX_BYTES_WITHOUT_TOKEN_HEADER } from "../../shared/embed-token-header";
import type { ChangeOperations } from "./changes/changes-contract.server";
import { byteLength } from "./folder-path";
import type { SearchOperations } from "./search/search-contract.server";
import type {
  CreatedFolder,
  FolderOperations,
  Listing,
  PresignedDownload,
  PresignedDownloads,
  StorageDiagnosis,
} from "./storage-contract.server";
import {
  asProblem,
  isAbort,
  type ProblemCode,
  problemOf,
  retryAfter,
  StorageProblem,
} from "./storage-problem";

import type {
  CompletedUpload,
  CreatedUpload,
  PresignedUpload,
  SignedParts,
  StoredParts,
  UploadOperations,
} from "./uploads/uploads-contract.server";

/** By their paths below `/api/embed/storage/`. */
type StorageOperations = FolderOperations & UploadOperations & ChangeOperations & SearchOperations;
type Name = keyof StorageOperations;
type RequestOf<Endpoint extends Name> = StorageOperations[Endpoint]["request"];
type ResultOf<Endpoint extends Name> = StorageOperations[Endpoint]["result"];

const problemByDiagnosis: Record<NonNullable<StorageDiagnosis["problem"]>, ProblemCode> = {
  store_unreachable: "unreachable",
  store_busy: "unavailable",
  store_refused: "store_refused",
  clock_skewed: "store_refused",
  bucket_not_found: "not_found",
  cors_missing: "cors_blocked",
};

export interface PresignUploadRequest {
  folderPath: string;
  fileName: string;
  contentType: string;
  /** bytes */
  size: number;
  /** fail instead of overwriting */
  ifNoneMatch: boolean;
  /** The store refuses content with another checksum. */
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
  /** base64; the same, for stores that ignore checksums */
  contentMd5?: string | undefined;
}

/** Calls the storage endpoints (docs/contract.md#storage), each time with a valid token. Methods reject with a StorageProblem or the signal's reason; `diagnose` returns the problem instead. */
export class StorageClient {
  constructor(
    readonly session: TokenSession,
    readonly bucket: string,
    readonly options: {
      /** the server runs on a developer's machine, and its responses say what to fix */
      development?: boolean;
      /** the origin of the endpoints; by default the frame's own */
      baseUrl?: string;
    } = {},
  ) {}

  /** @throws StorageProblem, or the signal's reason */
  async call<Endpoint extends Name>(
    endpoint: Endpoint,
    request: RequestOf<Endpoint>,
    signal?: AbortSignal,
  ): Promise<ResultOf<Endpoint>> {
    const response = await this.#request(endpoint, request, signal);
    return (await response.json()) as ResultOf<Endpoint>;
  }

  list(folderPath: string, cursor: string | null, signal?: AbortSignal): Promise<Listing> {
    return this.call("list", { folderPath, cursor: cursor ?? undefined, pageSize: 1000 }, signal);
  }

  /** @param cursor as the previous request returned it; undefined to begin */
  search(folderPath: string, query: string, cursor: string | undefined, signal?: AbortSignal) {
    return this.call("search", { folderPath, query, cursor }, signal);
  }

  presignUpload(request: PresignUploadRequest, signal?: AbortSignal): Promise<PresignedUpload> {
    const { ifNoneMatch, checksum } = request;
    const body = { ...request, ifNoneMatch: ifNoneMatch || undefined, checksum: checksum ?? undefined };
    return this.call("presign-upload", body, signal);
  }

  createFolder(folderPath: string, name: string, signal?: AbortSignal): Promise<CreatedFolder> {
    return this.call("create-folder", { folderPath, name }, signal);
  }

  /** One request of a change, which does as much as it can in about two seconds. */
  change<Way extends keyof ChangeOperations>(
    way: Way,
    request: RequestOf<Way>,
    signal?: AbortSignal,
  ): Promise<ResultOf<Way>> {
    return this.call(way, request, signal);
  }

  createUpload(request: RequestOf<"multipart/create">, signal?: AbortSignal): Promise<CreatedUpload> {
    return this.call("multipart/create", request, signal);
  }

  /** @param upload as `createUpload` returned it; in the methods below as well */
  signParts(
    upload: string,
    parts: { number: number; checksum?: string; contentMd5?: string }[],
    signal?: AbortSignal,
  ): Promise<SignedParts> {
    return this.call("multipart/sign", { upload, parts }, signal);
  }

  listParts(upload: string, signal?: AbortSignal): Promise<StoredParts> {
    return this.call("multipart/list", { upload }, signal);
  }

  completeUpload(
    { overwrite, ...request }: { upload: string; checksum?: string; overwrite: boolean },
    signal?: AbortSignal,
  ): Promise<CompletedUpload> {
    return this.call("multipart/complete", { ...request, overwrite: overwrite || undefined }, signal);
  }

  abortUpload(upload: string, signal?: AbortSignal): Promise<{ aborted: true }> {
    return this.call("multipart/abort", { upload }, signal);
  }

  /** Seconds until a moment by the server's clock, given in unix seconds. */
  secondsUntil(moment: number): number {
    return moment - this.session.clock.now();
  }

  presignDownload(
    key: string,
    disposition: "inline" | "attachment",
    signal?: AbortSignal,
  ): Promise<PresignedDownload> {
    return this.call("presign-download", { key, disposition }, signal);
  }

  /** @param keys at most 100 */
  presignDownloads(keys: readonly string[], signal?: AbortSignal): Promise<PresignedDownloads> {
    return this.call("presign-downloads", { keys: [...keys] }, signal);
  }

  /**
   * Asks the server why the store could not be reached, because a browser does not tell a page. Never rejects with a StorageProblem but
   * returns it: `unreachable` when the server finds nothing wrong.
   */
  async diagnose(operation: "upload" | "download", signal?: AbortSignal): Promise<StorageProblem> {
    if (!navigator.onLine) return new StorageProblem("offline");
    try {
      const response = await this.#request("diagnose", { operation }, signal);
      const { problem, advice } = (await response.json()) as StorageDiagnosis;
      const code = problem === null ? "unreachable" : problemByDiagnosis[problem];
      return new StorageProblem(code, { advice, requestId: requestIdOf(response) });
    } catch (error) {
      if (isAbort(error)) throw error;
      return asProblem(error);
    }
  }

  async #request(endpoint: Name, body: object, signal?: AbortSignal): Promise<Response> {
    // The handle of an upload contains its bucket.
    const bucket = "upload" in body ? undefined : this.bucket;
    for (;;) {
      const token = await this.session.freshToken(signal);
      const response = await this.#send(endpoint, { token, bucket, ...body }, signal);
      if (response.ok) return response;
      const { code, error }: { error?: string; code?: string } = await response.json().catch(() => ({}));
      if (code === "token_expired") {
        this.session.reportExpired(token);
        continue;
      }
      throw new StorageProblem(problemOf(code, response.status), {
        ...(this.options.development ? { advice: error } : {}),
        serverCode: code,
        requestId: requestIdOf(response),
        retryAfter: retryAfter(response.headers.get("Retry-After")),
      });
    }
  }

  async #send(
    endpoint: Name,
    body: { token: string; bucket: string | undefined },
    signal?: AbortSignal,
  ): Promise<Response> {
    const text = JSON.stringify(body);
    try {
      return await fetch(`${this.options.baseUrl ?? ""}/api/embed/storage/${endpoint}`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(byteLength(text) > MAX_BYTES_WITHOUT_TOKEN_HEADER
            ? { Authorization: `Bearer ${body.token}` }
            : {}),
        },
        body: text,
        signal,
      });
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new StorageProblem(navigator.onLine ? "unreachable" : "offline");
    }
  }
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get("X-Request-Id") ?? undefined;
}
