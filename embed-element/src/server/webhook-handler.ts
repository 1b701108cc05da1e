import type { EmbedHandler } from "./embed-handler.js";
import { ConfigurationError } from "./embed-url-error.js";
import { log, refusal, reportTo } from "./responses.js";

interface Happened {
  /** UUID version 7. The same event may arrive again, with the same id. */
  id: string;
  /** ISO 8601, UTC */
  occurredAt: string;
  companyId: string;
  /** the embed client whose token or API key was used */
  clientId: string | null;
  /** as the embed URL was issued for them */
  visitor: { id: string; name?: string } | null;
  /** `store` if the bucket's own notification told the platform */
  source: "service" | "store";
}

/** Something happened to a file or folder. */
export interface FileEvent extends Happened {
  type:
    | "file.uploaded"
    | "file.download_signed"
    | "file.copied"
    | "file.moved"
    | "file.deleted"
    | "file.restored"
    | "file.purged"
    | "folder.created";
  /** The key of a folder ends with a slash. */
  subject: { bucket: string; key: string };
  /** What else is known, by type: `size` in bytes, `etag`, `contentType`, `version`, `from` (the key of the source) and others. */
  data: { size?: number; etag?: string; contentType?: string; version?: string; from?: string } & Record<
    string,
    unknown
  >;
}

/** Something happened to an e-mail. */
export interface EmailEvent extends Happened {
  type:
    | "email.sent"
    | "email.delivered"
    | "email.bounced"
    | "email.complained"
    | "email.opened"
    | "email.clicked"
    | "email.unsubscribed";
  /** `recipient` is in lower case, and empty once it has been erased. */
  subject: { campaignId?: string; recipient: string };
  /** What else is known, by type: `messageId` of the mail provider, `bounceType`, and `site` of who unsubscribed. */
  data: {
    messageId?: string;
    bounceType?: "permanent" | "transient" | "undetermined";
    site?: string;
  } & Record<string, unknown>;
}

/** Something happened to a database. */
export interface DatabaseEvent extends Happened {
  type: "database.created" | "database.deleted" | "database.restored";
  subject: { databaseId: string };
  data: { name?: string; region?: string } & Record<string, unknown>;
}

/** Folders with a quota have become fuller: `limits.maxTotalBytes`. */
export interface UsageEvent extends Happened {
  type: "usage.threshold";
  /** the first of the folders; its key ends with a slash, and is empty for the whole bucket */
  subject: { bucket: string; key: string };
  /** `percent`: 80, 95 or 100; `paths`: the folders that the quota counts together, in all of `buckets` */
  data: {
    percent: number;
    usedBytes: number;
    maxBytes: number;
    paths: string[];
    buckets?: string[];
  } & Record<string, unknown>;
}

/** Sent by `npm run webhooks -- test`. */
export interface TestEvent {
  type: "webhook.test";
  id: string;
  occurredAt: string;
  companyId: string;
}

/** What happened; `type` tells the rest. Newer platforms may have further types. */
export type PlatformEvent = FileEvent | EmailEvent | DatabaseEvent | UsageEvent | TestEvent;

export interface WebhookHandlerOptions<Context> {
  /** `whsec_…`, as it was shown when the webhook was created */
  secret: string | undefined;
  /**
   * Called with each event whose signature is right. The platform waits 15 seconds for it. If it throws, the platform sends the event again
   * later. It may also send an event again that was handled: remember its id.
   */
  onEvent(event: PlatformEvent, context: Context): unknown;
  /** Called with every failure, for your log; default `console.error`. */
  onError?(error: unknown): void;
}

/** how old or new a message may be, so that a recorded one cannot be sent later */
const TOLERANCE_SECONDS = 300;
/** Each that is compared costs a pass over the body. The platform sends one, or two while a secret is being changed. */
const MAX_SIGNATURES = 4;

/**
 * Creates a receiver of webhooks, which checks their signatures as Standard Webhooks says. Needs `crypto.subtle`: Node 20, Deno, Bun, workers.
 *
 * | status | code | when |
 * | --- | --- | --- |
 * | 204 | | `onEvent` has handled the event |
 * | 400 | `invalid_signature` | the signature is missing or wrong, or the message is older than five minutes |
 * | 405 | `method_not_allowed` | the method is not POST |
 * | 500 | `failed` | `onEvent` threw |
 * | 502 | `configuration_invalid` | `secret` is missing or invalid |
 *
 * A missing or invalid `secret` is also passed to `onError` at once.
 */
// biome-ignore lint/suspicious/noExplicitAny: as in createEmbedHandler
export function createWebhookHandler<Context = any>({
  secret,
  onEvent,
  onError = log,
}: WebhookHandlerOptions<Context>): EmbedHandler<Context> {
  const report = reportTo(onError);
  const key = keyOf(secret);
  if (key === null) report(invalidSecret());

  return async (request, context) => {
    if (request.method !== "POST") return refusal(405, "method_not_allowed", "Use POST.", { Allow: "POST" });
    try {
      if (key === null) throw invalidSecret();
      const body = await request.text();
      if (!(await isSigned(body, request.headers, key)))
        return refusal(400, "invalid_signature", "The signature is missing, wrong or too old.");
      await onEvent(JSON.parse(body) as PlatformEvent, context as Context);
      return new Response(null, { status: 204 });
    } catch (error) {
      report(error);
      if (error instanceof ConfigurationError) return refusal(502, "configuration_invalid", error.message);
      return refusal(500, "failed", "This server failed; its log says why.");
    }
  };
}

const invalidSecret = () => new ConfigurationError("secret is missing, or is not the whsec_… of a webhook.");

function keyOf(secret: string | undefined): Uint8Array<ArrayBuffer> | null {
  const [, text = ""] = /^whsec_(.+)$/.exec(secret?.trim() ?? "") ?? [];
  const bytes = decode(text);
  return bytes === null || bytes.length === 0 ? null : bytes;
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme */
async function isSigned(body: string, headers: Headers, secret: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map(
    (name) => headers.get(`webhook-${name}`) ?? "",
  ) as [string, string, string];
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp || Number.NaN));
  if (!(ageSeconds <= TOLERANCE_SECONDS)) return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(" ", MAX_SIGNATURES)) {
    const bytes = signature.startsWith("v1,") ? decode(signature.slice("v1,".length)) : null;
    // While a secret is being changed, there are two.
    if (bytes !== null && (await crypto.subtle.verify("HMAC", key, bytes, signed))) return true;
  }
  return false;
}

/** The bytes of base64, or null if it is malformed. */
function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
