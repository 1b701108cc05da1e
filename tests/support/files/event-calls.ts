/** What has been recorded of a bucket, and calls of the endpoints that record uploads. */
import type { StackInfo } from "../../../local/stack-info";
import type { RouteApp } from "../app/route-app";
import { query } from "../databases/postgres";

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

/** What is pending in a bucket. */
export const pendingOf = (url: string, bucket: string): Promise<{ type: string; key: string }[]> =>
  query(url, "SELECT type, key FROM begun_events WHERE bucket = $1 ORDER BY key", [bucket]);

/** Makes what is pending in a bucket so old that `npm run cleanup` looks at it. */
export const age = (url: string, bucket: string, interval: string) =>
  query(url, "UPDATE begun_events SET begun_at = begun_at - $2::interval WHERE bucket = $1", [
    bucket,
    interval,
  ]);

export function uploadCalls(
  { fetch: send }: Pick<RouteApp, "fetch">,
  stack: StackInfo,
  bucket: string,
  token: string,
) {
  async function ask(what: string, body: object) {
    const response = await send(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket, ...body }),
    });
    return { status: response.status, body: await response.json() };
  }
  return {
    ask,
    /** Uploads a file by a presigned URL, and does not tell the server. */
    async put(fileName: string, text: string): Promise<void> {
      const file = { folderPath: "/", fileName, contentType: "text/plain", size: Buffer.byteLength(text) };
      const { body } = await ask("presign-upload", file);
      const { status } = await fetch(body.url, { method: "PUT", headers: body.headers, body: text });
      if (status !== 200) throw new Error(`The store responded with ${status}.`);
    },
    confirm: (...keys: string[]) => ask("uploaded", { keys }),
  };
}
