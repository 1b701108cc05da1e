import {
  FilesError,
  isAbort,
  type OperationName,
  postWithToken,
  type RequestOf,
  type ResultOf,
  realWorld,
  storagePath,
  withBucket,
} from "platform-embed-element/client";
import type { TokenSession } from "../../../../embed/frame/token-session";
import type { Listing, StorageDiagnosis } from "./storage-contract.server";
import { asProblem, type ProblemCode, StorageProblem } from "./storage-problem";

/** By their paths below `/api/embed/storage/`. */
export type StorageOperations = {
  [Name in OperationName]: { request: RequestOf<Name>; result: ResultOf<Name> };
};

const problemByDiagnosis: Record<NonNullable<StorageDiagnosis["problem"]>, ProblemCode> = {
  store_unreachable: "unreachable",
  store_busy: "unavailable",
  store_refused: "store_refused",
  clock_skewed: "store_refused",
  bucket_not_found: "not_found",
  cors_missing: "cors_blocked",
};

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
  async call<Endpoint extends OperationName>(
    endpoint: Endpoint,
    request: RequestOf<Endpoint>,
    signal?: AbortSignal,
  ): Promise<ResultOf<Endpoint>> {
    return this.#request(endpoint, request, (response) => response.json(), signal);
  }

  /** @param at RFC 3339: list the folder as it was then */
  list(folderPath: string, cursor: string | null, signal?: AbortSignal, at?: string): Promise<Listing> {
    return this.call("list", { folderPath, cursor: cursor ?? undefined, pageSize: 1000, at }, signal);
  }

  /** Seconds until a moment by the server's clock, given in unix seconds. */
  secondsUntil(moment: number): number {
    return moment - this.session.clock.now();
  }

  /**
   * Asks the server why the store could not be reached, because a browser does not tell a page. Never rejects with a StorageProblem but
   * returns it: `unreachable` when the server finds nothing wrong.
   */
  async diagnose(operation: "upload" | "download", signal?: AbortSignal): Promise<StorageProblem> {
    if (!realWorld.network.isOnline()) return new StorageProblem("offline");
    const read = async (response: Response) => {
      const { problem, advice }: StorageDiagnosis = await response.json();
      const code = problem === null ? "unreachable" : problemByDiagnosis[problem];
      return new StorageProblem(code, {
        advice,
        requestId: response.headers.get("X-Request-Id") ?? undefined,
      });
    };
    try {
      return await this.#request("diagnose", { operation }, read, signal);
    } catch (error) {
      if (isAbort(error)) throw error;
      return asProblem(error);
    }
  }

  async #request<Result>(
    endpoint: OperationName,
    body: object,
    read: (response: Response) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const { baseUrl, development } = this.options;
    try {
      const platform = { world: realWorld, tokens: this.session, baseUrl };
      return await postWithToken(platform, storagePath(endpoint), withBucket(this.bucket, body), read, {
        signal,
      });
    } catch (error) {
      throw error instanceof FilesError ? asProblem(error, development) : error;
    }
  }
}

/** The URL among what `presign-downloads` returns for a file; undefined if the file may not be read. */
export function urlOf(
  download: StorageOperations["presign-downloads"]["result"]["downloads"][number],
): string | undefined {
  return "url" in download ? download.url : undefined;
}
