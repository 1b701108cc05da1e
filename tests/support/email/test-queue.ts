import { afterEach, inject } from "vitest";
import type { LocalServer } from "../../../local/listen";
import { startLocalQueue } from "../../../local/queue";
import { findFreePort } from "../machine/free-port";

/** The token for publishing to test queues. */
export const QUEUE_TOKEN = "publish-token";

const closers: (() => unknown)[] = [];

/** Registers a cleanup for the end of the running test. For tests that start their own queues or other servers. */
export const closeAfterTest = (close: () => unknown) => closers.push(close);

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a local queue with short pauses for the running test. */
export async function startQueue(
  signingKey = inject("stack").queue.currentSigningKey,
): Promise<LocalServer & { log: string[] }> {
  const log: string[] = [];
  const queue = await startLocalQueue({
    port: await findFreePort(),
    token: QUEUE_TOKEN,
    signingKey,
    retrySeconds: [0.1, 0.1, 0.1],
    log: (text) => log.push(text),
  });
  closeAfterTest(queue.close);
  return { ...queue, log };
}
