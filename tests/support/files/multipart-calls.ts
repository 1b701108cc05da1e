/** Calls the multipart upload endpoints and sends parts as a browser does. */
import { createHash, randomBytes } from "node:crypto";
import type { StorageCalls } from "./storage-calls";

interface Created {
  upload: string;
  key: string;
  partSize: number;
  partCount: number;
  checksum: string | null;
}

/**
 * @param platformBaseUrl base URL of the app
 * @param send sends a request to the app; the default is `fetch`
 */
export function multipartCalls(
  platformBaseUrl: string,
  { bucket, token }: Pick<StorageCalls, "bucket" | "token">,
  send: (url: string, init: RequestInit) => Promise<Response> = fetch,
) {
  async function ask(what: string, body: object) {
    const response = await send(`${platformBaseUrl}/api/embed/storage/multipart/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, ...body }),
    });
    return { status: response.status, body: await response.json() };
  }
  return {
    ask,
    async create(changes: object = {}): Promise<{ status: number; body: Created & { code?: string } }> {
      const file = { bucket: bucket.name, folderPath: "/", fileName: "large.bin", size: 17 * 1024 ** 2 };
      return ask("create", { ...file, contentType: "application/x-test", ifNoneMatch: true, ...changes });
    },
    /** Sends the parts with these numbers and returns the statuses of the responses. */
    async send({ upload, partSize }: Created, bytes: Buffer, numbers: number[]): Promise<number[]> {
      const { body } = await ask("sign", { upload, parts: numbers.map((number) => ({ number })) });
      return Promise.all(
        body.parts.map(
          async ({ number, url, headers }: { number: number; url: string; headers: HeadersInit }) => {
            const part = bytes.subarray((number - 1) * partSize, number * partSize);
            return (await fetch(url, { method: "PUT", headers, body: new Uint8Array(part) })).status;
          },
        ),
      );
    },
  };
}

export const someBytes = (size = 17 * 1024 ** 2) => randomBytes(size);
export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
