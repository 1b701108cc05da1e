import { ConfigurationError, EmbedUrlError, type PlatformIssue } from "./embed-url-error.js";

/**
 * How to reach the platform. `apiBaseUrl` and `apiKey` are required; their types allow `undefined` because environment
 * variables have it.
 */
export interface PlatformAccess {
  /** the base URL of the platform's API, like `https://api.embed.example.com` */
  apiBaseUrl: string | undefined;
  /** `pek_…`; must not leave this server */
  apiKey: string | undefined;
  /** how long the platform's whole response may take, milliseconds; default 10,000 */
  timeoutMs?: number;
  /** default: the global `fetch` */
  fetch?: typeof fetch;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** A request that the platform's API has accepted. */
export interface PlatformResponse {
  /** the members of its JSON object; none if it was something else */
  body: object;
  /** an error for a response that has not the members that were expected */
  invalid: () => EmbedUrlError;
}

/**
 * Sends a POST request to the platform's API.
 * @param path without a slash at its beginning, such as `api/embed/url`
 * @param body JSON
 * @throws EmbedUrlError when the platform refuses, does not respond, or is not the platform; ConfigurationError, a TypeError, when a setting is
 * missing or invalid
 */
export async function requestPlatform(
  path: string,
  body: string,
  { signal, ...access }: PlatformAccess & { signal?: AbortSignal | undefined },
): Promise<PlatformResponse> {
  const { base, apiKey } = checkAccess(access);
  const endpoint = new URL(path, base);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = fetch } = access;
  const abort = new AbortController();
  const stop = () => abort.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const response = await send(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-Api-Key": apiKey },
      body,
      // Do not send the API key anywhere else.
      redirect: "error",
      signal: abort.signal,
    });
    const text = await response.text();
    if (!response.ok) return refuse(text, response, endpoint);
    const { status, headers } = response;
    const details = { status, requestId: requestIdOf(headers) };
    const invalid = () => new EmbedUrlError("platform_invalid", notThePlatform(endpoint, status), details);
    return { body: parse(text), invalid };
  } catch (error) {
    if (error instanceof EmbedUrlError) throw error;
    if (abort.signal.aborted && !signal?.aborted) {
      throw new EmbedUrlError("platform_timeout", `The platform did not respond within ${timeoutMs} ms.`);
    }
    const says = `The platform cannot be reached at ${endpoint.origin}. Check apiBaseUrl.`;
    throw new EmbedUrlError("platform_unreachable", says, { cause: copyWithout(apiKey, error) });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Validates the settings. `base` ends with a slash.
 * @throws ConfigurationError when a setting is missing or invalid; its message contains no value
 */
export function checkAccess({ apiBaseUrl, apiKey }: PlatformAccess): { base: URL; apiKey: string } {
  if (!apiKey) throw new ConfigurationError("apiKey is empty. Is its environment variable set?");
  // `fetch` would refuse it with an error that contains it.
  if (!/^[!-~]+$/.test(apiKey)) throw new ConfigurationError("apiKey contains spaces or line breaks.");
  if (!apiBaseUrl) throw new ConfigurationError("apiBaseUrl is empty. Is its environment variable set?");
  const text = apiBaseUrl.endsWith("/") ? apiBaseUrl : `${apiBaseUrl}/`;
  if (!URL.canParse(text)) throw new ConfigurationError("apiBaseUrl is not a URL that begins with https://.");
  const base = new URL(text);
  if (!/^https?:$/.test(base.protocol)) throw new ConfigurationError("apiBaseUrl must begin with https://.");
  if (base.username || base.password)
    throw new ConfigurationError("apiBaseUrl must not contain a user name or a password.");
  return { base, apiKey };
}

/** An error may be the cause of itself, so this many of its causes are kept. */
const MAX_CAUSES = 4;

/**
 * Copies name, code, message and causes of an error, with `secret` replaced. Other members are not copied: clients like axios keep
 * the request's headers there, and a log would print them.
 */
function copyWithout(secret: string, error: unknown, causes = MAX_CAUSES): Error | undefined {
  if (!(error instanceof Error) || causes === 0) return undefined;
  const redact = (text: unknown) => String(text).replaceAll(secret, "[the API key]");
  const copy = new Error(redact(error.message), { cause: copyWithout(secret, error.cause, causes - 1) });
  const code = (error as { code?: unknown }).code;
  return Object.assign(copy, { name: redact(error.name) }, code === undefined ? {} : { code: redact(code) });
}

function refuse(text: string, { status, headers }: Response, endpoint: URL): never {
  const body = parse(text) as { error?: unknown; code?: unknown; issues?: unknown };
  const issues = Array.isArray(body.issues) ? (body.issues as PlatformIssue[]) : [];
  const details = {
    status,
    issues,
    requestId: requestIdOf(headers),
    retryAfter: Number(headers.get("Retry-After")) || undefined,
  };
  if (status >= 500 || status === 408 || status === 429) {
    throw new EmbedUrlError("platform_unavailable", `The platform responded with ${status}.`, details);
  }
  // At the platform's URL for browsers, the endpoint is a 404.
  const isOther = status === 404 || status === 405;
  if (isOther || typeof body.error !== "string" || typeof body.code !== "string") {
    throw new EmbedUrlError("platform_invalid", notThePlatform(endpoint, status), details);
  }
  const problems = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new EmbedUrlError(body.code, problems ? `${body.error} ${problems}` : body.error, details);
}

/** Names the URL without credentials or a query, which a base URL may contain. */
function notThePlatform({ origin, pathname }: URL, status: number): string {
  return `${origin}${pathname} responded with ${status}, and not as the platform's API does. Check apiBaseUrl.`;
}

const requestIdOf = (headers: Headers) => headers.get("X-Request-Id") ?? undefined;

/** Parses a JSON object. Returns an empty object for anything else. */
function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
