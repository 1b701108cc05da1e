/** Delivers a signed job to the webhook, as the queue does. */
import { signDelivery } from "../../../local/queue/signature";

/** Posts `job` with a valid signature. A string is sent as it is, anything else as JSON. */
export async function deliverJob(
  { apiBaseUrl, signingKey }: { apiBaseUrl: string; signingKey: string },
  job: object | string,
): Promise<Response> {
  const url = `${apiBaseUrl}/api/queue/send-email`;
  const body = typeof job === "string" ? job : JSON.stringify(job);
  return fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Upstash-Signature": await signDelivery(body, url, signingKey),
    },
    body,
  });
}
