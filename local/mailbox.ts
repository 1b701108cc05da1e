/** The local mailbox: an SES v2 double that shows the mail on a web page. It keeps the newest mail until it stops. */
import { createRequire } from "node:module";
import { closeServer } from "./listen";
import { refuseOtherSites } from "./refuse-other-sites";

// CommonJS modules. Node and TypeScript disagree about how to import the default export of the first one.
const require = createRequire(import.meta.url);
const { default: startServer }: typeof import("aws-ses-v2-local") = require("aws-ses-v2-local");
const { getStoreReadonly } = require("aws-ses-v2-local/dist/store.js") as {
  getStoreReadonly(): { readonly emails: unknown[] };
};

/** A campaign of 100,000 e-mails would fill the memory, and the web page shows all e-mails that are kept. */
const MAX_KEPT_EMAILS = 1_000;

export async function startMailbox(
  port: number,
  kept = MAX_KEPT_EMAILS,
): Promise<{ close(): Promise<void> }> {
  const server = refuseOtherSites(await startServer({ host: "127.0.0.1", port }));
  server.on("error", (error) => console.error("A connection could not be accepted.", error));
  server.on("request", () => {
    const { emails } = getStoreReadonly();
    // Many at a time, because each removal moves all e-mails that stay.
    if (emails.length > kept * 1.1) emails.splice(0, emails.length - kept);
  });
  return { close: () => closeServer(server) };
}
