/** A bucket with files, a client with access to it, two of the client's tokens, and calls of the storage endpoints. */
import type { StackInfo } from "../../../local/stack-info";
import { issueEmbedUrl, makeEmbedClient } from "../app/embed-client";
import { makeBucket } from "./bucket";

export type StorageCalls = Awaited<ReturnType<typeof openStorage>>;

export async function openStorage(stack: StackInfo) {
  const bucket = await makeBucket(stack);
  const client = await makeEmbedClient(stack, { bucket: bucket.name });
  /** gives access to the whole bucket */
  const { token } = await issueEmbedUrl(stack, client);
  /** allows browsing /docs and uploading to /docs/in */
  const { token: narrow } = await issueEmbedUrl(stack, client, {
    scope: { path: "/docs", uploadFolder: "/docs/in" },
  });
  await bucket.put("readme.txt", "root");
  await bucket.put("docs/a.txt", "a");
  await bucket.put("docs/in/b.txt", "b");
  await bucket.put("docs-old/c.txt", "c");
  await bucket.put("docs/", "");
  await bucket.put("docs//ghost.txt", "x");
  await bucket.put("%2e%2e/é ü.txt", "odd");

  async function ask(
    what:
      | "copy"
      | "create-folder"
      | "delete"
      | "diagnose"
      | "list"
      | "move"
      | "presign-download"
      | "presign-downloads"
      | "presign-upload"
      | "restore"
      | "uploaded",
    body: object,
  ) {
    const response = await fetch(`${stack.platformBaseUrl}/api/embed/storage/${what}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: bucket.name, ...body }),
    });
    return { status: response.status, body: await response.json() };
  }
  return {
    bucket,
    client,
    token,
    narrow,
    ask,
    upload: (body: object = {}) =>
      ask("presign-upload", { folderPath: "/", fileName: "new.txt", contentType: "text/plain", ...body }),
    download: (body: object) => ask("presign-download", body),
    list: (body: object = {}) => ask("list", body),
  };
}
