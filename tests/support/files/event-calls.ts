/** What has been recorded of a bucket, and calls of the endpoints that record uploads. */
import { hash } from "node:crypto";
import { scopeActions } from "../../../app/services/files/place/actions";
import { resolvePendingEvents } from "../../../app/services/files/resolve-pending-events.server";
import type { StackInfo } from "../../../local/stack-info";
import { makeEmbedClient } from "../app/embed-client";
import type { RouteApp } from "../app/route-app";
import { query } from "../databases/postgres";
import { makeBucket } from "./bucket";

export interface RecordedEvent {
  id: string;
  type: string;
  companyId: string | null;
  clientId: string | null;
  visitorId: string | null;
  visitorName: string | null;
  key: string;
  data: Record<string, unknown>;
  source: string;
}

/** The events of a bucket, oldest first. */
export const eventsOf = (url: string, bucket: string): Promise<RecordedEvent[]> =>
  query(
    url,
    `SELECT id, type, "companyId", client_id AS "clientId", visitor_id AS "visitorId", visitor_name AS "visitorName", key, data, source
    FROM events WHERE bucket = $1 ORDER BY occurred_at, id`,
    [bucket],
  );

/** What is pending in a bucket, without uploads that are recorded. */
export const pendingOf = (url: string, bucket: string): Promise<{ type: string; key: string }[]> =>
  query(
    url,
    `SELECT type, key FROM pending_events AS pending
    WHERE bucket = $1 AND NOT EXISTS (SELECT FROM events WHERE events.id = pending.id) ORDER BY key`,
    [bucket],
  );

/** Makes what is pending in a bucket so old that `npm run cleanup` looks at it. */
export const age = (url: string, bucket: string, interval: string) =>
  query(url, "UPDATE pending_events SET pending_since = pending_since - $2::interval WHERE bucket = $1", [
    bucket,
    interval,
  ]);

/** Settles what is pending, as `npm run cleanup` does. */
export const settlePending = ({
  database,
  events,
  claims,
  objectStore,
}: Pick<RouteApp, "database" | "events" | "claims" | "objectStore">) =>
  resolvePendingEvents({ database, events, claims, objectStore }, new AbortController().signal);

/** Makes a bucket, and a client whose tokens may do everything with its files. The app may have a database of its own. */
export async function openRecorded(app: RouteApp, stack: StackInfo, keepsVersions: boolean) {
  const bucket = await makeBucket(stack);
  if (keepsVersions) await bucket.keepVersions();
  const client = await makeEmbedClient(stack, { bucket: bucket.name, files: { actions: [...scopeActions] } });
  async function tokenOf(visitor?: string): Promise<string> {
    const response = await app.fetch(`${app.apiBaseUrl}/api/embed/url`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Api-Key": client.apiKey },
      body: JSON.stringify({
        service: "files",
        scope: { bucket: bucket.name, actions: scopeActions },
        ...(visitor && { visitor: { id: visitor } }),
      }),
    });
    const { url } = (await response.json()) as { url: string };
    return new URL(url).searchParams.get("t") ?? "";
  }
  return { bucket, tokenOf };
}

export interface SignedUpload {
  url: string;
  key: string;
  headers: Record<string, string>;
  receipt?: string;
}

/** Sends a text to a presigned URL. @throws Error when the store refuses it */
export async function send({ url, headers }: SignedUpload, text: string): Promise<void> {
  const { status } = await fetch(url, { method: "PUT", headers, body: text });
  if (status !== 200) throw new Error(`The store responded with ${status}.`);
}

export function uploadCalls(
  { fetch: request }: Pick<RouteApp, "fetch">,
  stack: StackInfo,
  bucket: string,
  token: string,
) {
  async function ask(what: string, body: object) {
    const response = await request(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket, ...body }),
    });
    return { status: response.status, body: await response.json() };
  }
  /** Signs a URL by folder, name and type alone. Any content may be sent to it. */
  async function sign(fileName: string, more: object = {}): Promise<SignedUpload> {
    const file = { folderPath: "/", fileName, contentType: "text/plain" };
    const { status, body } = await ask("presign-upload", { ...file, ...more });
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  }
  return {
    ask,
    sign,
    /** Uploads a file as the explorer does, by a URL that fits this content, and does not tell the server. */
    async put(fileName: string, text: string): Promise<void> {
      const contentMd5 = hash("md5", text, "base64");
      await send(await sign(fileName, { size: Buffer.byteLength(text), contentMd5 }), text);
    },
    confirm: (...keys: string[]) => ask("uploaded", { keys }),
  };
}

/** Sends an upload of one part, and does not complete it. */
export async function sendInParts(
  { ask }: Pick<ReturnType<typeof uploadCalls>, "ask">,
  fileName: string,
  text: string,
): Promise<{ upload: string }> {
  const file = { folderPath: "/", fileName, contentType: "text/plain", size: text.length };
  const { body: created } = await ask("multipart/create", file);
  const { upload } = created;
  const { body: signed } = await ask("multipart/sign", { bucket: undefined, upload, parts: [{ number: 1 }] });
  await send(signed.parts[0], text);
  return created;
}
