import { postWithToken } from "../../../../embed/frame/post-with-token";
import type { TokenSession } from "../../../../embed/frame/token-session";
import type { ChangeOperations } from "./changes-contract.server";
import type { HandInOperations } from "./hand-in-contract.server";
import type { HistoryOperations } from "./history-contract.server";
import type { SearchOperations } from "./search-contract.server";
import type { FolderOperations, Listing, StorageDiagnosis } from "./storage-contract.server";
import {
  asProblem,
  isAbort,
  type ProblemCode,
  problemOf,
  retryAfter,
  StorageProblem,
} from "./storage-problem";
import type { UploadOperations } from "./uploads-contract.server";

/** By their paths below `/api/embed/storage/`. */
export type StorageOperations = FolderOperations &
  UploadOperations &
  ChangeOperations &
  HistoryOperations &
  HandInOperations &
  SearchOperations;
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

  /** @param at RFC 3339: list the folder as it was then */
  list(folderPath: string, cursor: string | null, signal?: AbortSignal, at?: string): Promise<Listing> {
    return this.call("list", { folderPath, cursor: cursor ?? undefined, pageSize: 1000, at }, signal);
  }

  /**
   * Whether the object at `key` is the one that this page has sent, with `size` bytes, if the server can tell; null if only its content can.
   * @throws StorageProblem, or the signal's reason
   */
  async hasArrived(_key: string, _size: number, _signal?: AbortSignal): Promise<boolean | null> {
    return null;
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

  #request(endpoint: Name, body: object, signal?: AbortSignal): Promise<Response> {
    const { baseUrl = "", development } = this.options;
    // The handles of uploads contain their bucket.
    const whole = { bucket: "upload" in body || "takeBack" in body ? undefined : this.bucket, ...body };
    return postToService(this.session, `${baseUrl}/api/embed/storage/${endpoint}`, whole, {
      development,
      signal,
    });
  }
}

/**
 * Posts to an endpoint of an embedded service, with a valid token.
 * @throws StorageProblem, or the signal's reason
 */
export async function postToService(
  session: TokenSession,
  url: string,
  body: object,
  {
    development = false,
    signal,
  }: { development?: boolean | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Response> {
  const answer = await postWithToken(session, url, body, signal).catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
    throw new StorageProblem(navigator.onLine ? "unreachable" : "offline");
  });
  if (answer instanceof Response) return answer;
  const { response, code, error } = answer;
  throw new StorageProblem(problemOf(code, response.status), {
    ...(development ? { advice: error } : {}),
    serverCode: code,
    requestId: requestIdOf(response),
    retryAfter: retryAfter(response.headers.get("Retry-After")),
  });
}

/** The URL among what `presign-downloads` returns for a file; undefined if the file may not be read. */
export function urlOf(
  download: StorageOperations["presign-downloads"]["result"]["downloads"][number],
): string | undefined {
  return "url" in download ? download.url : undefined;
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get("X-Request-Id") ?? undefined;
}
