import { isPortFree } from "../../local/process/ports";

/**
 * Above the local stack's ports, and below those that a system hands to outgoing connections (from 32768 on Linux): one of these
 * could take the port before whoever asked for it listens.
 */
const FIRST = 20_000;
const COUNT = 12_000;

/** A port of 127.0.0.1 that nobody listens on. Drawn at random, so that runs side by side do not meet. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isPortFree(port)) return port;
  }
}
