import {
  createDiagnose,
  type FilesError,
  type OperationName,
  type Platform,
  postWithToken,
  type RequestOf,
  type ResultOf,
  realWorld,
  storagePath,
  withBucket,
} from "platform-embed-element/client";
import type { TokenSession } from "../../../../embed/frame/token-session";
import type { Listing } from "./storage-contract.server";

/** By their paths below `/api/embed/storage/`. */
export type StorageOperations = {
  [Name in OperationName]: { request: RequestOf<Name>; result: ResultOf<Name> };
};

/** Calls the storage endpoints (docs/contract.md#storage), each time with a valid token. Methods reject with a FilesError or the signal's reason; `diagnose` returns the problem instead. */
export class StorageClient {
  constructor(
    readonly session: TokenSession,
    readonly bucket: string,
    readonly options: {
      /** the origin of the endpoints; by default the frame's own */
      baseUrl?: string;
    } = {},
  ) {}

  /** @throws FilesError, or the signal's reason */
  async call<Endpoint extends OperationName>(
    endpoint: Endpoint,
    request: RequestOf<Endpoint>,
    signal?: AbortSignal,
  ): Promise<ResultOf<Endpoint>> {
    const [path, body] = [storagePath(endpoint), withBucket(this.bucket, request)];
    return postWithToken(this.#platform, path, body, (response) => response.json(), { signal });
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
   * Asks the server why the store could not be reached, because a browser does not tell a page. Never rejects with a FilesError but
   * returns it: `unreachable` when the server finds nothing wrong.
   */
  async diagnose(operation: "upload" | "download", signal?: AbortSignal): Promise<FilesError> {
    return createDiagnose(this.#platform, this.bucket, operation)(signal);
  }

  get #platform(): Platform {
    return { world: realWorld, tokens: this.session, baseUrl: this.options.baseUrl };
  }
}

/** The URL among what `presign-downloads` returns for a file; undefined if the file may not be read. */
export function urlOf(
  download: StorageOperations["presign-downloads"]["result"]["downloads"][number],
): string | undefined {
  return "url" in download ? download.url : undefined;
}
