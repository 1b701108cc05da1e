import { X509Certificate } from "node:crypto";
import { LRUCache } from "lru-cache";
import { AppError } from "../shared/app-error";
import { causeOf } from "../shared/error-text";
import { redact } from "../shared/log.server";
import { readBeginning } from "../shared/read-beginning";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import { SharedCalls } from "../shared/shared-calls";
import { observeCall } from "../telemetry/observe.server";

/** The time limit of one call. */
const TIMEOUT_MS = 4_000;
/** A certificate has about 2,000 bytes. */
const MAX_CERTIFICATE_BYTES = 16 * 1024;
/** Each region has one certificate at a time, which changes about once a year. */
const MAX_CERTIFICATES = 16;

export type Sns = ReturnType<typeof createSns>;

/** Requests to Amazon SNS. The caller makes sure that a URL belongs to Amazon. */
export function createSns() {
  /** by URL; the certificate at a URL never changes */
  const known = new LRUCache<string, X509Certificate>({ max: MAX_CERTIFICATES });
  const running = new SharedCalls<string, X509Certificate | null>();

  async function fetchCertificate(url: string, context: CallContext | undefined) {
    const certificate = await ask(url, timeLeft(TIMEOUT_MS, context), readCertificate);
    if (certificate !== null) known.set(url, certificate);
    return certificate;
  }

  return {
    /** The certificate at a URL; null if there is none. @throws AppError `unavailable` */
    async certificate(url: string, context?: CallContext): Promise<X509Certificate | null> {
      const kept = known.get(url);
      if (kept !== undefined) return kept;
      if (running.size >= MAX_CERTIFICATES && !running.has(url))
        throw unavailable("too many certificates are requested at once");
      return running.get(url, () => fetchCertificate(url, context));
    },
    /** Confirms a subscription by its URL. @throws AppError `unavailable`, `provider_failed` */
    confirm: (url: string, context?: CallContext): Promise<void> =>
      ask(url, timeLeft(TIMEOUT_MS, context), async (response) => {
        await response.body?.cancel();
        if (response.ok) return;
        throw new AppError("provider_failed", "Amazon SNS did not confirm the subscription.", {
          logDetail: `Amazon SNS: status ${response.status} to a confirmation`,
        });
      }),
  };
}

/** Sends a GET request within the time limit, without following redirects. */
function ask<Result>(
  url: string,
  limitMs: number,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  return observeCall("sns", "get", async () => {
    try {
      const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(limitMs) });
      if (response.status >= 500) {
        await response.body?.cancel();
        throw unavailable(`status ${response.status}`);
      }
      return await read(response);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw unavailable(redact(String(causeOf(error))));
    }
  });
}

async function readCertificate(response: Response): Promise<X509Certificate | null> {
  if (!response.ok) {
    await response.body?.cancel();
    return null;
  }
  const pem = await readBeginning(response, MAX_CERTIFICATE_BYTES);
  try {
    return pem.cut ? null : new X509Certificate(pem.bytes);
  } catch {
    return null;
  }
}

function unavailable(why: string): AppError {
  return new AppError("unavailable", "Amazon SNS cannot be reached. Try again in a moment.", {
    logDetail: `Amazon SNS: ${why}`,
    retryAfterSeconds: 20,
  });
}
