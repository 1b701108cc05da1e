import { startDeadline } from "./deadline.js";
import { errorOfResponse, FilesError } from "./errors.js";
import { MAX_BYTES_WITHOUT_TOKEN_HEADER } from "./limits.js";
import type { OperationName, RequestOf, ResultOf } from "./operations.js";
import type { TokenSource } from "./tokens.js";
import type { World } from "./world.js";

/** A response has to be there, with its body, after this time. Waiting for a token does not count. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The platform, as the engine reaches it. */
export interface Platform {
  world: World;
  tokens: TokenSource;
  /** the origin of the endpoints, if it is not that of the tokens */
  baseUrl?: string | undefined;
}

/** Unix seconds, by the platform's clock if it is known. */
export const platformNow = ({ world, tokens }: Platform): number =>
  tokens.clock?.now() ?? world.clock.date() / 1000;

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

/**
 * Posts `body` with a valid token to an endpoint of the platform, again with another token if this one has expired or was revoked meanwhile.
 * Once also if the platform does not know its signature: an operator may have replaced a signing secret that had leaked.
 * @param read reads the body of a success
 * @throws a FilesError, the signal's reason, or the reason why there is no token
 */
export function postWithToken<Result>(
  platform: Platform,
  path: string,
  body: object,
  read: (response: Response) => Promise<Result>,
  options?: RequestOptions,
): Promise<Result> {
  const requestWith = (token: string) => {
    const text = JSON.stringify({ token, ...body });
    const isLarge = new Blob([text]).size > MAX_BYTES_WITHOUT_TOKEN_HEADER;
    const headers = {
      "Content-Type": "application/json",
      ...(isLarge ? { Authorization: `Bearer ${token}` } : {}),
    };
    return { method: "POST", headers, body: text };
  };
  return sendWithToken(platform, path, requestWith, read, options);
}

/** As `postWithToken`, for any request. @param requestWith the request with a token */
export async function sendWithToken<Result>(
  { world, tokens, baseUrl }: Platform,
  path: string,
  requestWith: (token: string) => RequestInit,
  read: (response: Response) => Promise<Result>,
  { signal, timeoutMs = REQUEST_TIMEOUT_MS }: RequestOptions = {},
): Promise<Result> {
  let wasUnknown = false;
  for (;;) {
    const token = await tokens.freshToken(signal);
    const request = requestWith(token);
    const deadline = startDeadline(world, timeoutMs, signal);
    let error: FilesError;
    try {
      const init = { ...request, signal: deadline.signal };
      const response = await world.fetch(`${baseUrl ?? tokens.baseUrl ?? ""}${path}`, init);
      if (response.ok) return await read(response);
      error = await errorOfResponse(response, world.clock.date());
    } catch (thrown) {
      if (deadline.isOver()) throw new FilesError("unreachable");
      if (!(thrown instanceof TypeError)) throw thrown;
      throw new FilesError(world.network.isOnline() ? "unreachable" : "offline", { message: thrown.message });
    } finally {
      deadline.end();
    }
    const hasEnded = error.code === "token_expired" || error.code === "token_revoked";
    if (!hasEnded && (error.code !== "invalid_token" || wasUnknown)) throw error;
    if (!hasEnded) wasUnknown = true;
    tokens.reportExpired(token);
  }
}

export const storagePath = (operation: string): string => `/api/embed/storage/${operation}`;

/** The body of a storage operation. Handles of uploads contain their bucket. */
export function withBucket(bucket: string, body: object): object {
  return "upload" in body || "takeBack" in body ? body : { bucket, ...body };
}

/** Calls a storage operation of the bucket (docs/contract.md#storage). @throws a FilesError, or the signal's reason */
export type Call = <Name extends OperationName>(
  operation: Name,
  request: RequestOf<Name>,
  signal?: AbortSignal,
) => Promise<ResultOf<Name>>;

export function createCall(platform: Platform, bucket: string): Call {
  return <Name extends OperationName>(operation: Name, request: RequestOf<Name>, signal?: AbortSignal) => {
    // The integration tests check every response against the contract.
    const read = (response: Response): Promise<ResultOf<Name>> => response.json() as Promise<ResultOf<Name>>;
    return postWithToken(platform, storagePath(operation), withBucket(bucket, request), read, { signal });
  };
}
