/**
 * Uploads a file from Node, in parts if it is large. If it is killed, start it again: it sends only what the store does not have.
 *
 *     EMBED_API_BASE_URL=… EMBED_API_KEY=… BUCKET=… node upload.mjs FILE [FOLDER]
 */
import { createFilesClient } from "platform-embed-element/client";
import { nodeWorld } from "platform-embed-element/client/node";
import { issueEmbedUrl } from "platform-embed-element/server";

const { EMBED_API_BASE_URL, EMBED_API_KEY, BUCKET, UPLOADS_FOLDER = ".uploads" } = process.env;
const [path, folder = "/"] = process.argv.slice(2);
if (!path || !EMBED_API_BASE_URL || !EMBED_API_KEY || !BUCKET) {
  console.error("Usage: EMBED_API_BASE_URL=… EMBED_API_KEY=… BUCKET=… node upload.mjs FILE [FOLDER]");
  process.exit(2);
}

const files = createFilesClient({
  bucket: BUCKET,
  world: nodeWorld({ storage: UPLOADS_FOLDER }),
  fetchToken: ({ signal }) =>
    issueEmbedUrl({
      apiBaseUrl: EMBED_API_BASE_URL,
      apiKey: EMBED_API_KEY,
      scope: { bucket: BUCKET, actions: ["upload"] },
      signal,
    }),
});

let shown = "";
files.uploads.subscribe(() => {
  for (const { name, status, sent, size, question } of files.uploads.getState().uploads) {
    const line = `${name}: ${status}${question ? ` (${question.about})` : ""}, ${sent} of ${size} bytes`;
    if (line !== shown) console.log(line);
    shown = line;
  }
});
files.on("uploaded", ({ files: stored }) => {
  for (const { key, checksum } of stored) {
    console.log(`Stored as ${key}${checksum ? `, ${checksum.algorithm} ${checksum.value}` : ""}`);
  }
});

const uploading = files.uploads.add([path], folder);
// Nobody is here to choose: a taken name is replaced, and an unfinished upload of this file is continued.
files.uploads.subscribe(() => {
  for (const { id, name, question, error } of files.uploads.getState().uploads) {
    if (question?.about === "conflict") files.uploads.answer(id, "replace");
    if (question?.about === "found") files.uploads.answer(id, "continue");
    if (question?.about !== "file" || error === null) continue;
    console.error(
      `${name} has changed since its upload began, which is given up. Start again to upload it anew.`,
    );
    files.uploads.cancel(id);
  }
});
const [upload] = await uploading;
if (upload?.status !== "done") {
  console.error(`${path} was not uploaded: ${upload?.error?.code ?? upload?.status}`);
  process.exitCode = 1;
}
