/** The local mailbox: takes what SES v2 takes, and shows it on a web page. It keeps mail until it stops. */
import { createRequire } from "node:module";
import { closeServer } from "./listen";

// A CommonJS module with a default export, which Node and TypeScript disagree on how to import.
const { default: startServer }: typeof import("aws-ses-v2-local") = createRequire(import.meta.url)(
  "aws-ses-v2-local",
);

export async function startMailbox(port: number): Promise<{ close(): Promise<void> }> {
  const server = await startServer({ host: "127.0.0.1", port });
  return { close: () => closeServer(server) };
}
