import { afterEach, inject } from "vitest";
import type { LocalServer } from "../../local/listen";
import { startLocalQueue } from "../../local/queue";
import { findFreePort } from "./free-port";

/** What may publish to the queues of tests. */
export const QUEUE_TOKEN = "publish-token";

const closers: (() => unknown)[] = [];

/** Has something closed after the test that is running; import this where tests start queues or other servers of their own. */
export const closeAfterTest = (close: () => unknown) => closers.push(close);

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A local queue with short pauses, for the test that is running. */
export async function startQueue(
  signingKey = inject("stack").queue.currentSigningKey,
): Promise<LocalServer & { log: string[] }> {
  const log: string[] = [];
  const queue = await startLocalQueue({
    port: await findFreePort(),
    token: QUEUE_TOKEN,
    signingKey,
    pauses: [0.1, 0.1, 0.1],
    log: (text) => log.push(text),
  });
  closeAfterTest(queue.close);
  return { ...queue, log };
}
