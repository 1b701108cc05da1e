import { EmbedUrlError, type PlatformIssue } from "./embed-url-error";

/** How the platform is reached. Of the first two neither may be missing; their types say that they may, as those of environment variables do. */
export interface PlatformAccess {
  /** the platform's API: `https://api.embed.example.com` */
  apiBaseUrl: string | undefined;
  /** `pek_…`; stays on this server */
  apiKey: string | undefined;
  /** until the platform's response has to be complete, milliseconds; 10,000 by default */
  timeoutMs?: number;
  /** the runtime's own by default */
  fetch?: typeof fetch;
}

/** What a token allows. For `files`: `{ bucket, path?, uploadFolder?, actions?, limits? }`. */
export type EmbedScope = Readonly<Record<string, unknown>>;

export interface IssueEmbedUrlOptions extends PlatformAccess {
  /** `files` by default */
  service?: string;
  scope: EmbedScope;
  /** 900 by default, 3600 at most */
  expiresInSeconds?: number;
  /** the page's, where the API key has many: the token then holds this one only, and the URL is short */
  origin?: string;
  signal?: AbortSignal;
}

/** The platform's response, which the token endpoint hands on to `<platform-embed>`. */
export interface IssuedEmbedUrl {
  /** for one page view: it holds the token */
  url: string;
  /** unix seconds */
  expiresAt: number;
  service: string;
}

const TIMEOUT_MS = 10_000;

/**
 * Asks the platform for a signed embed URL: `POST /api/embed/url`.
 * @throws EmbedUrlError when there is none, whatever the reason; TypeError when it is called wrongly
 */
export async function issueEmbedUrl({
  service = "files",
  scope,
  expiresInSeconds,
  origin,
  signal,
  ...access
}: IssueEmbedUrlOptions): Promise<IssuedEmbedUrl> {
  const { address, apiKey } = checkAccess(access);
  assertComplete(scope);
  const { timeoutMs = TIMEOUT_MS, fetch: send = fetch } = access;
  const abort = new AbortController();
  const stop = () => abort.abort();
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  try {
    const response = await send(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-Api-Key": apiKey },
      body: JSON.stringify({ service, scope, expiresInSeconds, origin }),
      // The key goes to this address and nowhere else.
      redirect: "error",
      signal: abort.signal,
    });
    const text = await response.text();
    return response.ok ? readIssued(text, response, address) : refuse(text, response, address);
  } catch (error) {
    if (error instanceof EmbedUrlError) throw error;
    if (abort.signal.aborted && !signal?.aborted) {
      throw new EmbedUrlError("platform_timeout", `The platform did not respond within ${timeoutMs} ms.`);
    }
    const says = `The platform cannot be reached at ${address.origin}. Check apiBaseUrl.`;
    throw new EmbedUrlError("platform_unreachable", says, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/**
 * Where URLs are issued, and with which key.
 * @throws TypeError when a setting is missing
 */
export function checkAccess({ apiBaseUrl, apiKey }: PlatformAccess): { address: URL; apiKey: string } {
  if (!apiKey) throw new TypeError("apiKey is empty. Is its environment variable set?");
  if (!apiBaseUrl) throw new TypeError("apiBaseUrl is empty. Is its environment variable set?");
  const base = apiBaseUrl.endsWith("/") ? apiBaseUrl : `${apiBaseUrl}/`;
  const address = new URL("api/embed/url", base);
  if (!/^https?:$/.test(address.protocol)) throw new TypeError("apiBaseUrl must begin with https://.");
  return { address, apiKey };
}

/** JSON leaves members out that are `undefined`: `path: customer.folder` would open the whole bucket then. */
function assertComplete(scope: EmbedScope): void {
  for (const [name, value] of Object.entries(scope)) {
    if (value === undefined)
      throw new TypeError(`scope.${name} is undefined. Leave it out if that is what you mean.`);
  }
}

function readIssued(text: string, { status, headers }: Response, address: URL): IssuedEmbedUrl {
  const { url, expiresAt, service } = parse(text) as Partial<IssuedEmbedUrl>;
  if (typeof url !== "string" || typeof expiresAt !== "number" || typeof service !== "string") {
    const requestId = headers.get("X-Request-Id") ?? undefined;
    throw new EmbedUrlError("platform_invalid", notThePlatform(address, status), { status, requestId });
  }
  return { url, expiresAt, service };
}

function refuse(text: string, { status, headers }: Response, address: URL): never {
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
  // What the API refuses of a scope has a code. Its "nothing at this address" has none: the platform's address for browsers says that too.
  if (typeof body.error !== "string" || typeof body.code !== "string") {
    throw new EmbedUrlError("platform_invalid", notThePlatform(address, status), details);
  }
  const faults = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new EmbedUrlError(body.code, faults ? `${body.error} ${faults}` : body.error, details);
}

/** The address as it was called, without what a base URL may hide in its user info or query. */
function notThePlatform({ origin, pathname }: URL, status: number): string {
  return `${origin}${pathname} responded with ${status}, and not as the platform's API does. Check apiBaseUrl.`;
}

/** An empty object for what is no JSON object. */
function parse(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
