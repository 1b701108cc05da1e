/** The local mailbox: takes what SES v2 takes, and shows it on a web page. It keeps mail until it stops. */
import { createRequire } from "node:module";

export interface Mailbox {
  close(): Promise<void>;
}

// A CommonJS module with a default export, which Node and TypeScript disagree on how to import.
const { default: startServer }: typeof import("aws-ses-v2-local") = createRequire(import.meta.url)(
  "aws-ses-v2-local",
);

export async function startMailbox(port: number): Promise<Mailbox> {
  const server = await startServer({ host: "127.0.0.1", port });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
