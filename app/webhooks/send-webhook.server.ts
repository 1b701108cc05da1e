import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import type { LookupFunction } from "node:net";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { eventSchemas } from "../events/stored-event.server";
import { codeOf, messageOf } from "../shared/error-text";
import { issueOfUrl, lookupPublic, PrivateAddressError } from "./public-address.server";

/** Sent by `npm run webhooks -- test`. */
const testEventSchema = eventSchemas.file
  .pick({ id: true, occurredAt: true })
  .extend({ type: z.enum(["webhook.test"]), companyId: z.string() })
  .meta({ id: "TestEvent" });
export type TestEvent = z.infer<typeof testEventSchema>;

/** The bodies of messages. `type` says which of these it is. docs/contract.md#webhooks */
export const webhookMessageSchemas = [
  eventSchemas.file,
  eventSchemas.email,
  eventSchemas.database,
  eventSchemas.usage,
  testEventSchema,
] as const;

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#webhook-headers-sent-to-consumers */
export const webhookHeadersSchema = z.object({
  "webhook-id": z.string().describe("the event's id, the same in every attempt"),
  "webhook-timestamp": z.string().describe("when this attempt was made, in unix seconds"),
  "webhook-signature": z
    .string()
    .describe(
      "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, for each valid secret; separated by spaces",
    ),
});

/** milliseconds for a response, from the lookup of the name to the status */
export const RESPONSE_TIMEOUT_MS = 15_000;
/** Of a response's body, which nobody reads. Reading a little lets most receivers end their response in peace. */
const MAX_RESPONSE_BYTES = 16 * 1024;

export interface WebhookMessage {
  url: string;
  /** Several sign while a secret is being changed. */
  secrets: readonly string[];
  /** the same for every attempt, so that the receiver recognizes a repetition */
  id: string;
  payload: object;
}

export interface SendSettings {
  /** whether http and private addresses are allowed */
  allowPrivate: boolean;
  timeoutMs?: number;
  /** of host names, where private addresses are not allowed; tests pass their own */
  lookup?: LookupFunction;
}

/** The result of an attempt. The event was delivered if there is no error. */
export interface SendResult {
  /** the HTTP status; null if there was no response */
  status: number | null;
  /** a sentence for people, without anything that the receiver has sent */
  error: string | null;
}

/** Sends a message once, signed as Standard Webhooks says. Never rejects. Redirects are not followed: a 3xx is an error. */
export async function sendWebhook(
  { url, secrets, id, payload }: WebhookMessage,
  { allowPrivate, timeoutMs = RESPONSE_TIMEOUT_MS, lookup = lookupPublic() }: SendSettings,
): Promise<SendResult> {
  const issue = issueOfUrl(url, { allowPrivate });
  if (issue !== null) return { status: null, error: `The URL ${issue}.` };
  const body = JSON.stringify(payload);
  const sentAt = new Date();
  const signal = AbortSignal.timeout(timeoutMs);
  const signed: z.infer<typeof webhookHeadersSchema> = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, sentAt, body)).join(" "),
  };
  const { request: open } = new URL(url).protocol === "https:" ? https : http;
  const request = open(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      "User-Agent": "Platform-Embed-Webhooks",
      ...signed,
    },
    agent: false,
    signal,
    ...(allowPrivate ? {} : { lookup }),
  });
  // An error after the response must not end the process.
  request.on("error", () => {});
  // A receiver that changes the protocol has not taken the event. Node would emit nothing else.
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    request.emit("error", new Error("the receiver changed the protocol"));
  });
  try {
    const [response]: http.IncomingMessage[] = await once(request.end(body), "response", { signal });
    const status = response?.statusCode ?? 0;
    await discard(response as http.IncomingMessage);
    const isDelivered = status >= 200 && status < 300;
    return { status, error: isDelivered ? null : `The response had the status ${status}.` };
  } catch (error) {
    return { status: null, error: wordError(error, signal, timeoutMs) };
  } finally {
    request.destroy();
  }
}

/** Reads a little of the body, for as long as the request's time lasts. */
async function discard(response: http.IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The status is known.
  }
}

function wordError(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `There was no response within ${timeoutMs / 1000} seconds.`;
  if (error instanceof PrivateAddressError) return "The host name leads to an address that is not public.";
  return `The connection failed: ${codeOf(error) || messageOf(error)}.`;
}
