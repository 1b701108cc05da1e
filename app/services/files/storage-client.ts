import type { TokenSession } from "../../embed/frame/token-session";
import type { ChecksumAlgorithm } from "../../providers/checksums";
import type { ChangeCalls } from "./change-calls";
import type {
  CompletedUpload,
  CreatedUpload,
  CreateUploadRequest,
  SignedParts,
  StoredParts,
} from "./multipart-contract.server";
import type { SearchResult } from "./search/search-contract.server";
import type {
  Listing,
  PresignedDownload,
  PresignedDownloads,
  PresignedUpload,
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
  /** refuse to overwrite */
  ifNoneMatch: boolean;
  /** which the store compares with what arrives */
  checksum: { algorithm: ChecksumAlgorithm; value: string } | null;
}

/** The handle of an upload names its bucket. */
const ofHandle = { bucket: undefined };

/** The storage endpoints (docs/contract.md#storage), each request with a valid token. */
export class StorageClient {
  constructor(
    readonly session: TokenSession,
    readonly bucket: string,
    readonly options: {
      /** the server runs on a developer's machine, and says what to fix */
      development?: boolean;
      /** where the endpoints are; the frame's own origin unless a test says otherwise */
      baseUrl?: string;
    } = {},
  ) {}

  list(folderPath: string, cursor: string | null, signal?: AbortSignal): Promise<Listing> {
    return this.#post("list", { folderPath, cursor: cursor ?? undefined, pageSize: 1000 }, signal);
  }

  /** @param cursor as the request before returned it; undefined to begin */
  search(
    folderPath: string,
    query: string,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<SearchResult> {
    return this.#post("search", { folderPath, query, cursor }, signal);
  }

  presignUpload(request: PresignUploadRequest, signal?: AbortSignal): Promise<PresignedUpload> {
    const { ifNoneMatch, checksum } = request;
    return this.#post(
      "presign-upload",
      { ...request, ifNoneMatch: ifNoneMatch || undefined, checksum: checksum ?? undefined },
      signal,
    );
  }

  createFolder(folderPath: string, name: string, signal?: AbortSignal): Promise<{ path: string }> {
    return this.#post("create-folder", { folderPath, name }, signal);
  }

  /** One call of a change (docs/contract.md#storage): as much as it does in its time. */
  change<Way extends keyof ChangeCalls>(
    way: Way,
    request: ChangeCalls[Way]["request"],
    signal?: AbortSignal,
  ): Promise<ChangeCalls[Way]["result"]> {
    return this.#post(way, request, signal);
  }

  createUpload(
    request: Omit<CreateUploadRequest, "token" | "bucket">,
    signal?: AbortSignal,
  ): Promise<CreatedUpload> {
    return this.#post("multipart/create", request, signal);
  }

  /** @param upload as `createUpload` returned it; so for those below */
  signParts(
    upload: string,
    parts: { number: number; checksum?: string }[],
    signal?: AbortSignal,
  ): Promise<SignedParts> {
    return this.#post("multipart/sign", { ...ofHandle, upload, parts }, signal);
  }

  listParts(upload: string, signal?: AbortSignal): Promise<StoredParts> {
    return this.#post("multipart/list", { ...ofHandle, upload }, signal);
  }

  completeUpload(
    { overwrite, ...request }: { upload: string; checksum?: string; overwrite: boolean },
    signal?: AbortSignal,
  ): Promise<CompletedUpload> {
    return this.#post(
      "multipart/complete",
      { ...ofHandle, ...request, overwrite: overwrite || undefined },
      signal,
    );
  }

  abortUpload(upload: string, signal?: AbortSignal): Promise<{ aborted: true }> {
    return this.#post("multipart/abort", { ...ofHandle, upload }, signal);
  }

  /** Until a moment that the server named in unix seconds, by the server's clock. */
  secondsUntil(moment: number): number {
    return moment - this.session.clock.now();
  }

  presignDownload(
    key: string,
    disposition: "inline" | "attachment",
    signal?: AbortSignal,
  ): Promise<PresignedDownload> {
    return this.#post("presign-download", { key, disposition }, signal);
  }

  /** @param keys a hundred at most */
  presignDownloads(keys: readonly string[], signal?: AbortSignal): Promise<PresignedDownloads> {
    return this.#post("presign-downloads", { keys }, signal);
  }

  /**
   * Why the store could not be reached, as far as the server can find out: a browser tells a page nothing. Always a problem,
   * `unreachable` when the server sees nothing wrong.
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

  async #post<Result>(endpoint: string, body: object, signal?: AbortSignal): Promise<Result> {
    return (await this.#request(endpoint, body, signal)).json() as Result;
  }

  /** A response that is a success. Rejects with a StorageProblem or the signal's reason. */
  async #request(endpoint: string, body: object, signal?: AbortSignal): Promise<Response> {
    for (;;) {
      const token = await this.session.freshToken(signal);
      const response = await this.#send(endpoint, { token, bucket: this.bucket, ...body }, signal);
      if (response.ok) return response;
      const { code, error }: { error?: string; code?: string } = await response.json().catch(() => ({}));
      if (code === "token_expired") {
        this.session.reportExpired(token);
        continue;
      }
      throw new StorageProblem(problemOf(code, response.status), {
        ...(this.options.development ? { advice: error } : {}),
        said: code,
        requestId: requestIdOf(response),
        retryAfter: retryAfter(response.headers.get("Retry-After")),
      });
    }
  }

  async #send(endpoint: string, body: object, signal?: AbortSignal): Promise<Response> {
    try {
      return await fetch(`${this.options.baseUrl ?? ""}/api/embed/storage/${endpoint}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
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
