/** The local mailbox: takes what SES v2 takes, and shows it on a web page. It keeps the newest mail until it stops. */
import { createRequire } from "node:module";
import { closeServer } from "./listen";

// CommonJS modules, the first with a default export, which Node and TypeScript disagree on how to import.
const require = createRequire(import.meta.url);
const { default: startServer }: typeof import("aws-ses-v2-local") = require("aws-ses-v2-local");
const { getStoreReadonly } = require("aws-ses-v2-local/dist/store.js") as {
  getStoreReadonly(): { readonly emails: unknown[] };
};

/** A campaign of 100,000 would fill the memory, and its page shows all that is kept. */
const KEPT_EMAILS = 1_000;

export async function startMailbox(port: number, kept = KEPT_EMAILS): Promise<{ close(): Promise<void> }> {
  const server = await startServer({ host: "127.0.0.1", port });
  server.on("request", () => {
    const { emails } = getStoreReadonly();
    // Some at a time: each time moves all that stay.
    if (emails.length > kept * 1.1) emails.splice(0, emails.length - kept);
  });
  return { close: () => closeServer(server) };
}
