import { X509Certificate } from "node:crypto";
import { AppError } from "../app-error";
import { causeOf } from "../error-text";
import { redact } from "../log.server";
import { type CallContext, timeLeft } from "../request-context.server";
import { observeCall } from "../telemetry/observe.server";

/** milliseconds for one call */
const TIMEOUT_MS = 4_000;
/** bytes; a certificate has some two thousand */
const MAX_CERTIFICATE_BYTES = 16 * 1024;
/** Amazon signs with one at a time in each region, and changes it about once a year. */
const MAX_CERTIFICATES = 16;

/** What Amazon SNS answers beside its messages. Who calls has made sure that an address is Amazon's. */
export interface Sns {
  /** The certificate at an address; null where there is none. @throws AppError `unavailable` */
  certificate(url: string, request?: CallContext): Promise<X509Certificate | null>;
  /** Confirms a subscription by its address. @throws AppError `unavailable`, `provider_failed` */
  confirm(url: string, request?: CallContext): Promise<void>;
}

export function createSns(timeoutMs = TIMEOUT_MS): Sns {
  /** by address; an address never gets another certificate */
  const known = new Map<string, X509Certificate>();
  const running = new Map<string, Promise<X509Certificate | null>>();

  async function fetchCertificate(url: string, request: CallContext | undefined) {
    const certificate = await ask(url, timeLeft(timeoutMs, request), readCertificate);
    if (certificate === null) return null;
    const [oldest] = known.keys();
    if (known.size >= MAX_CERTIFICATES && oldest !== undefined) known.delete(oldest);
    known.set(url, certificate);
    return certificate;
  }

  return {
    async certificate(url, request) {
      const kept = known.get(url);
      if (kept !== undefined) return kept;
      // Those who come at once wait for one answer. There are never more at a time than are kept.
      const asked = running.get(url);
      if (asked !== undefined) return asked;
      if (running.size >= MAX_CERTIFICATES) throw unavailable("too many certificates are asked for at once");
      const answer = fetchCertificate(url, request).finally(() => running.delete(url));
      running.set(url, answer);
      return answer;
    },
    confirm: (url, request) =>
      ask(url, timeLeft(timeoutMs, request), async (response) => {
        await response.body?.cancel();
        if (response.ok) return;
        throw new AppError("provider_failed", "Amazon SNS did not confirm the subscription.", {
          logDetail: `Amazon SNS: status ${response.status} to a confirmation`,
        });
      }),
  };
}

/** Asks, follows nobody elsewhere, and has its answer within the time: what comes later is not waited for. */
function ask<Answer>(
  url: string,
  limitMs: number,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
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
  const pem = await readBounded(response);
  try {
    return pem === null ? null : new X509Certificate(pem);
  } catch {
    return null;
  }
}

/** The body, or null when it is longer than a certificate can be. */
async function readBounded({ body }: Response): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    length += next.value.length;
    chunks.push(next.value);
    if (length <= MAX_CERTIFICATE_BYTES) continue;
    await reader?.cancel();
    return null;
  }
  return Buffer.concat(chunks);
}

function unavailable(why: string): AppError {
  return new AppError("unavailable", "Amazon SNS cannot be reached. Try again in a moment.", {
    logDetail: `Amazon SNS: ${why}`,
    retryAfterSeconds: 20,
  });
}
