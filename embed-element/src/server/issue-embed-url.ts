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

/** What a token for `files` permits. A member that is `undefined` is refused. */
export interface EmbedScope {
  bucket: string;
  /** the folder to browse; default: the key's only path, or the whole bucket */
  path?: string;
  /** the folder for uploads; default: the key's only upload folder, or `path` */
  uploadFolder?: string;
  /** of `download`, `upload`, `organize`, `delete` and `activity`; default: the first two */
  actions?: readonly string[];
  limits?: { maxFileBytes?: number; fileTypes?: readonly string[] };
  /** `drop`: a page to hand files in, without seeing any; default: the explorer, unless the key is for such pages only */
  view?: "explorer" | "drop";
  /** only files with this tag can be read, copied or moved; default: what the key requires */
  requireTag?: { key: string; value: string };
}

/** What a token for `activity` permits; `{}` for everything of your company. A member that is `undefined` is refused. */
export interface ActivityScope {
  /** only what happened to files in this bucket; default: the key's only bucket, or everything */
  bucket?: string;
  /** only what happened in this folder; needs `bucket` */
  path?: string;
}

/** The scope of a token for `Service`. */
export type ScopeOf<Service extends string> = Service extends "activity" ? ActivityScope : EmbedScope;

/** Who is visiting, for the record of who did what. Revoking a visitor's tokens needs the id. */
export interface EmbedVisitor {
  /** your own id of the person, 1 to 128 characters; prefer one that is not an e-mail address */
  id: string;
  /** 1 to 120 characters */
  name?: string;
}

export interface IssueEmbedUrlOptions<Service extends string = "files"> extends PlatformAccess {
  /** default `files` */
  service?: Service;
  scope: ScopeOf<Service>;
  /** default 900, at most 3600 */
  expiresInSeconds?: number;
  /** the origin of the embedding page. If the API key has many origins, the token then contains only this one and the URL is shorter */
  origin?: string;
  visitor?: EmbedVisitor | undefined;
  signal?: AbortSignal;
}

/** The platform's response, which the token endpoint passes on to `<platform-embed>`. */
export interface IssuedEmbedUrl {
  /** contains the token; for one page view */
  url: string;
  /** unix seconds, by the platform's clock */
  expiresAt: number;
  service: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Requests a signed embed URL: `POST /api/embed/url`.
 * @throws EmbedUrlError when the platform does not issue one; ConfigurationError, a TypeError, when an option is missing or invalid
 */
export async function issueEmbedUrl<Service extends string = "files">({
  service,
  scope,
  expiresInSeconds,
  origin,
  visitor,
  signal,
  ...access
}: IssueEmbedUrlOptions<Service>): Promise<IssuedEmbedUrl> {
  const { endpoint, apiKey } = checkAccess(access);
  const body = toJson({ service: service ?? "files", scope, expiresInSeconds, origin, visitor });
  assertComplete("scope", scope);
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
    return response.ok ? readIssued(text, response, endpoint) : refuse(text, response, endpoint);
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
 * Validates the settings, and returns the URL of the endpoint.
 * @throws ConfigurationError when a setting is missing or invalid; its message contains no value
 */
export function checkAccess({ apiBaseUrl, apiKey }: PlatformAccess): { endpoint: URL; apiKey: string } {
  if (!apiKey) throw new ConfigurationError("apiKey is empty. Is its environment variable set?");
  // `fetch` would refuse it with an error that contains it.
  if (!/^[!-~]+$/.test(apiKey)) throw new ConfigurationError("apiKey contains spaces or line breaks.");
  if (!apiBaseUrl) throw new ConfigurationError("apiBaseUrl is empty. Is its environment variable set?");
  const base = apiBaseUrl.endsWith("/") ? apiBaseUrl : `${apiBaseUrl}/`;
  if (!URL.canParse(base)) throw new ConfigurationError("apiBaseUrl is not a URL that begins with https://.");
  const endpoint = new URL("api/embed/url", base);
  if (!/^https?:$/.test(endpoint.protocol))
    throw new ConfigurationError("apiBaseUrl must begin with https://.");
  if (endpoint.username || endpoint.password)
    throw new ConfigurationError("apiBaseUrl must not contain a user name or a password.");
  return { endpoint, apiKey };
}

/** @throws ConfigurationError for what JSON cannot express */
function toJson(options: object): string {
  try {
    return JSON.stringify(options);
  } catch {
    const says =
      "The scope or the visitor cannot be written as JSON: it contains a BigInt, or refers to itself.";
    throw new ConfigurationError(says);
  }
}

const remedies: Record<string, string> = {
  "scope.bucket": "It is required. Is its environment variable set?",
  "scope.path": "Without it, the visitor would see the key's only path, or the whole bucket.",
  "scope.uploadFolder": "Without it, uploads would go to the key's only upload folder, or anywhere in path.",
  "scope.view": "Without it, the visitor would see the explorer.",
  "scope.limits.maxFileBytes": "Without it, the visitor could upload files of any size that the key allows.",
  "scope.requireTag": "Without it, the visitor could read all files that the key allows.",
  "scope.limits.fileTypes": "Without it, the visitor could upload files of any type that the key allows.",
};

/**
 * Refuses members that are `undefined`, also in `limits`. JSON would leave them out, so `path: customer.folder` without a folder would
 * open the whole bucket.
 * @param value has been written as JSON, so it does not refer to itself
 */
function assertComplete(path: string, value: unknown): void {
  if (value === undefined) {
    const remedy = remedies[path] ?? "Leave it out if that is intended.";
    throw new ConfigurationError(`${path} is undefined. ${remedy}`);
  }
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) assertComplete(`${path}.${name}`, member);
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

function readIssued(text: string, { status, headers }: Response, endpoint: URL): IssuedEmbedUrl {
  const { url, expiresAt, service } = parse(text) as Partial<IssuedEmbedUrl>;
  if (typeof url !== "string" || typeof expiresAt !== "number" || typeof service !== "string") {
    const requestId = headers.get("X-Request-Id") ?? undefined;
    throw new EmbedUrlError("platform_invalid", notThePlatform(endpoint, status), { status, requestId });
  }
  return { url, expiresAt, service };
}

function refuse(text: string, { status, headers }: Response, endpoint: URL): never {
  const body = parse(text) as { error?: unknown; code?: unknown; issues?: unknown };
  const issues = Array.isArray(body.issues) ? (body.issues as PlatformIssue[]) : [];
  const details = {
    status,
    issues,
    requestId: headers.get("X-Request-Id") ?? undefined,
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

/** Parses a JSON object. Returns an empty object for anything else. */
function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
