import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { StackInfo } from "../../../local/stack-info";
import { createRouteApp, type RouteApp } from "./route-app";

/**
 * - `before`: the message that it dies at is not sent.
 * - `after`: it arrives and is handled. The process dies before it reads the response.
 */
export type Death = "before" | "after";

export interface MortalApp {
  app: RouteApp;
  /** Lets the process die at the nth message that it sends to the database or the store, counted from now on. */
  dieAt(count: number, when: Death): void;
  /** resolves when it has died */
  died: Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts routes whose connections to the database and the store can end for good. To both, that is the same as a process that is killed: what it
 * has sent before is done, and nothing comes after.
 */
export async function startMortalApp(stack: StackInfo, settings: Record<string, string>): Promise<MortalApp> {
  const sockets = new Set<Socket>();
  let isDead = false;
  let left = Number.POSITIVE_INFINITY;
  let death: Death = "before";
  let tellDied = () => {};
  const died = new Promise<void>((resolve) => {
    tellDied = resolve;
  });
  function die() {
    isDead = true;
    for (const socket of sockets) socket.destroy();
    tellDied();
  }
  async function proxyTo(url: string): Promise<{ url: string; close(): Promise<void> }> {
    const target = new URL(url);
    const server = createServer((from) => {
      if (isDead) return void from.destroy();
      const to = connect(Number(target.port), target.hostname);
      let isLast = false;
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        sockets.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
      }
      from.on("data", (message) => {
        left -= 1;
        if (left === 0 && death === "before") return die();
        if (left === 0) isLast = true;
        to.write(message);
      });
      to.on("data", (message) => (isLast ? die() : from.write(message)));
    });
    server.listen(0, target.hostname);
    await once(server, "listening");
    target.port = String((server.address() as AddressInfo).port);
    const close = async () => {
      server.close();
      await once(server, "close");
    };
    return { url: target.href.replace(/\/$/, ""), close };
  }
  const postgres = await proxyTo(stack.postgresUrl);
  const store = await proxyTo(stack.objectStore.endpoint);
  const objectStore = { ...stack.objectStore, endpoint: store.url };
  const app = createRouteApp({ ...stack, postgresUrl: postgres.url, objectStore }, settings);
  return {
    app,
    dieAt(count, when) {
      left = count;
      death = when;
    },
    died,
    async close() {
      die();
      await Promise.all([postgres.close(), store.close(), app.close()]);
    },
  };
}
