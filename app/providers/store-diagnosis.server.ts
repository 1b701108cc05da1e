import { LRUCache } from "lru-cache";
import { checksumAlgorithms, checksumHeader } from "../../embed-element/shared/checksums";
import { explainStoreFailure, type StoreProblem } from "./store-failure.server";

/** The time limit of one request to the store. */
const PROBE_TIMEOUT_MS = 3_000;
/** How long a diagnosis is cached: when a thousand browsers fail at once, the store is asked once. */
const RESULT_TTL_MS = 10_000;
const MAX_CACHED_RESULTS = 1_000;

/** What a browser tried to do. */
interface Attempt {
  bucket: string;
  /** of the page */
  origin: string;
  operation: keyof typeof preflights;
}

interface StoreDiagnosis {
  /** null when the store would have accepted the request: then the cause is between the two */
  problem: StoreProblem | null;
  /** for the operator: what to do; null without a problem */
  advice: string | null;
}

/** The method and headers that a browser's preflight asks for. */
const preflights = {
  upload: {
    method: "PUT",
    headers: ["content-type", "if-none-match", ...checksumAlgorithms.map(checksumHeader)],
  },
  download: { method: "GET", headers: [] },
} as const;

interface Probes {
  bucketUrl(bucket: string): Promise<URL>;
  /** one unsigned request */
  sendUnsigned(
    method: string,
    url: URL,
    headers: Record<string, string>,
    limitMs: number,
  ): Promise<{ status: number; headers: Record<string, string> }>;
  /** one signed request for `bucket`; rejects with what the SDK throws */
  tryBucket(bucket: string, limitMs: number): Promise<unknown>;
}

/**
 * Returns a function that finds out why a browser's request to the store failed. A browser does not tell a page, so the server asks the
 * store, once with its signature and once as a browser would. app/providers/README.md
 * @param clock monotonic, milliseconds
 */
export function createStoreDiagnosis(probes: Probes, clock: { now(): number } = performance) {
  const results = new LRUCache<string, StoreDiagnosis, Attempt>({
    max: MAX_CACHED_RESULTS,
    ttl: RESULT_TTL_MS,
    ttlResolution: 0,
    perf: clock,
    fetchMethod: (_name, _stale, { context }) => probe(context),
    // A diagnosis that others pushed out of memory is still completed.
    ignoreFetchAbort: true,
  });

  async function probe(attempt: Attempt): Promise<StoreDiagnosis> {
    const [bucket, preflight] = await Promise.all([tryBucket(attempt.bucket), tryPreflight(attempt)]);
    return bucket.problem === null ? preflight : bucket;
  }

  async function tryBucket(bucket: string): Promise<StoreDiagnosis> {
    try {
      await probes.tryBucket(bucket, PROBE_TIMEOUT_MS);
      return { problem: null, advice: null };
    } catch (error) {
      const { problem, advice } = explainStoreFailure(error, { bucket, permission: "s3:ListBucket" });
      return { problem, advice };
    }
  }

  async function tryPreflight({ bucket, origin, operation }: Attempt): Promise<StoreDiagnosis> {
    const { method, headers } = preflights[operation];
    try {
      const url = new URL("_", await probes.bucketUrl(bucket));
      const asked = {
        origin,
        "access-control-request-method": method,
        ...(headers.length > 0 ? { "access-control-request-headers": headers.join(",") } : {}),
      };
      const response = await probes.sendUnsigned("OPTIONS", url, asked, PROBE_TIMEOUT_MS);
      if (response.status >= 500) {
        const advice = `The object store's response to a preflight for bucket ${bucket} has status ${response.status}.`;
        return { problem: "store_busy", advice };
      }
      if (allows(response, origin, method, headers)) return { problem: null, advice: null };
      const advice =
        `Bucket ${bucket} does not allow pages of ${origin} to ${operation} (CORS; the preflight's status was ${response.status}). ` +
        `Run: npm run storage:cors -- --bucket ${bucket}`;
      return { problem: "cors_missing", advice };
    } catch (error) {
      const { advice } = explainStoreFailure(error, { bucket, permission: "s3:ListBucket" });
      return { problem: "store_unreachable", advice };
    }
  }

  /** @param attempt `bucket` is one that a token names, `origin` our own: only the configured store is asked */
  return (attempt: Attempt): Promise<StoreDiagnosis> =>
    results.forceFetch(JSON.stringify([attempt.bucket, attempt.operation]), { context: attempt });
}

/** Whether a browser would send its request after this preflight response. Fetch Standard, "CORS-preflight fetch". */
function allows(
  response: { status: number; headers: Record<string, string> },
  origin: string,
  method: string,
  headers: readonly string[],
): boolean {
  const namesIn = (header: string) =>
    (response.headers[header] ?? "").split(",").map((name) => name.trim().toLowerCase());
  const has = (header: string, name: string) =>
    namesIn(header).some((allowed) => allowed === "*" || allowed === name.toLowerCase());
  const allowed = response.headers["access-control-allow-origin"];
  return (
    response.status >= 200 &&
    response.status < 300 &&
    (allowed === "*" || allowed === origin) &&
    // GET is safelisted: it needs not be named.
    (method === "GET" || has("access-control-allow-methods", method)) &&
    headers.every((name) => has("access-control-allow-headers", name))
  );
}
