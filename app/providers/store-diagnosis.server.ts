import { checksumAlgorithms, checksumHeader } from "./checksums";
import { explainStoreFailure } from "./store-failure.server";
import type { StoreProblem } from "./store-problems";

/** How long one probe may take, milliseconds. */
const PROBE_LIMIT = 3_000;
/** How long a diagnosis is remembered: a thousand browsers that fail at once cost the store one probe. Milliseconds. */
const REMEMBERED_FOR = 10_000;
/** The most diagnoses that are remembered at a time. */
const MOST_REMEMBERED = 1_000;

/** What a browser was about to do. */
interface Attempt {
  bucket: string;
  /** of the page */
  origin: string;
  operation: keyof typeof preflights;
}

interface StoreDiagnosis {
  /** null when the store would have let the browser: then what is between the two is the reason */
  problem: StoreProblem | null;
  /** for the operator: what to mend; null without a problem */
  advice: string | null;
}

/** What a browser's preflight asks for: the method, and the headers that presigning has it send. */
const preflights = {
  upload: {
    method: "PUT",
    headers: ["content-type", "if-none-match", ...checksumAlgorithms.map(checksumHeader)],
  },
  download: { method: "GET", headers: [] },
} as const;

interface Probes {
  addressOf(bucket: string): Promise<URL>;
  /** one unsigned request */
  touch(
    method: string,
    url: URL,
    headers: Record<string, string>,
    limitMs: number,
  ): Promise<{ status: number; headers: Record<string, string> }>;
  /** a cheap signed request for `bucket`; rejects with what the SDK throws */
  tryBucket(bucket: string, limitMs: number): Promise<unknown>;
}

/**
 * Finds out why a browser's request to the store failed. A browser tells a page nothing of the reason; the server asks the
 * store itself, once with its signature and once as the browser would. docs/decisions/0042-the-stores-failures-told-apart.md
 */
export class StoreDiagnoses {
  #remembered = new Map<string, { diagnosis: Promise<StoreDiagnosis>; until: number }>();

  constructor(
    private readonly probes: Probes,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Only the configured store is ever asked: `bucket` is one that a token names, `origin` our own. */
  diagnose(attempt: Attempt): Promise<StoreDiagnosis> {
    const name = JSON.stringify([attempt.bucket, attempt.operation]);
    const known = this.#remembered.get(name);
    if (known !== undefined && this.now() < known.until) return known.diagnosis;
    const diagnosis = this.#probe(attempt);
    this.#forgetOld();
    this.#remembered.set(name, { diagnosis, until: this.now() + REMEMBERED_FOR });
    return diagnosis;
  }

  async #probe(attempt: Attempt): Promise<StoreDiagnosis> {
    const [bucket, preflight] = await Promise.all([
      this.#tryBucket(attempt.bucket),
      this.#preflight(attempt),
    ]);
    return bucket.problem === null ? preflight : bucket;
  }

  async #tryBucket(bucket: string): Promise<StoreDiagnosis> {
    try {
      await this.probes.tryBucket(bucket, PROBE_LIMIT);
      return { problem: null, advice: null };
    } catch (error) {
      const { problem, advice } = explainStoreFailure(error, { bucket, permission: "s3:ListBucket" });
      return { problem, advice };
    }
  }

  async #preflight({ bucket, origin, operation }: Attempt): Promise<StoreDiagnosis> {
    const { method, headers } = preflights[operation];
    try {
      const url = new URL("_", await this.probes.addressOf(bucket));
      const asked = {
        origin,
        "access-control-request-method": method,
        ...(headers.length > 0 ? { "access-control-request-headers": headers.join(",") } : {}),
      };
      const response = await this.probes.touch("OPTIONS", url, asked, PROBE_LIMIT);
      if (response.status >= 500) {
        const advice = `The object store answers a preflight for bucket ${bucket} with status ${response.status}.`;
        return { problem: "store_busy", advice };
      }
      if (allows(response, origin, method, headers)) return { problem: null, advice: null };
      const advice =
        `Bucket ${bucket} does not let pages of ${origin} ${operation} (CORS; the preflight's status was ${response.status}). ` +
        `Run: npm run storage:cors -- --bucket ${bucket}`;
      return { problem: "cors_missing", advice };
    } catch (error) {
      const { advice } = explainStoreFailure(error, { bucket, permission: "s3:ListBucket" });
      return { problem: "store_unreachable", advice };
    }
  }

  #forgetOld(): void {
    const now = this.now();
    for (const [name, { until }] of this.#remembered) {
      if (until <= now || this.#remembered.size >= MOST_REMEMBERED) this.#remembered.delete(name);
    }
  }
}

/** Whether a browser would take `response` as leave to send. Fetch Standard, "CORS-preflight fetch". */
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
    // A GET is safelisted: no method needs to be named for it.
    (method === "GET" || has("access-control-allow-methods", method)) &&
    headers.every((name) => has("access-control-allow-headers", name))
  );
}
