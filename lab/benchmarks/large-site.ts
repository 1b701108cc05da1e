/** The built app on a store of its own, whose buckets hold very many objects. */
import { rm } from "node:fs/promises";
import { signEmbedToken } from "../../app/embed/embed-token.server";
import type { ScopeAction } from "../../app/services/files/place/actions";
import { startObjectStore } from "../../local/object-store";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../../tests/support/app/built-app";
import { startTestStack } from "../../tests/support/app/stack";
import { makeTestFolder } from "../../tests/support/databases/postgres";

const METRICS_TOKEN = "token-of-this-benchmark";

/**
 * @param fill writes the buckets into the store's folder, before the store starts
 * @param settings of the app
 */
export async function startLargeSite(
  fill: (dataDir: string, stack: StackInfo) => void | Promise<void>,
  settings: Parameters<typeof startBuiltApp>[1] = {},
) {
  const dataDir = await makeTestFolder();
  const stack = await startTestStack({ app: "none" });
  await fill(dataDir, stack.info);
  const { region, accessKeyId, secretAccessKey } = stack.info.objectStore;
  let requests = 0;
  const intercept = () => {
    requests += 1;
    return undefined;
  };
  const store = await startObjectStore({ port: 0, dataDir, region, accessKeyId, secretAccessKey, intercept });
  const objectStore = { ...stack.info.objectStore, endpoint: store.endpoint };
  const app = await startBuiltApp({ ...stack.info, objectStore }, { ...settings, METRICS_TOKEN });

  return {
    objectStore,
    postgresUrl: stack.info.postgresUrl,
    /** the app's environment, for the commands */
    env: app.env,

    /** Requests to the store since the last call. */
    countRequests(): number {
      const count = requests;
      requests = 0;
      return count;
    },

    /** A token for a bucket. It needs no embed client. */
    tokenFor(bucket: string, actions: readonly ScopeAction[] = []): string {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        cid: "c",
        companyId: "c",
        svc: "files",
        origins: ["http://127.0.0.1"],
        iat: now,
        exp: now + 3600,
      };
      return signEmbedToken({ ...claims, scope: { bucket, actions } }, stack.info.embedSigningSecret);
    },

    /** Calls an endpoint of the explorer. @throws Error if the response is not a success */
    async ask<Result>(what: string, body: object): Promise<Result> {
      const response = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/${what}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as Result;
    },

    /** The app's JavaScript heap in use, with what has not been collected yet. */
    async heapBytes(): Promise<number> {
      const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
      const metrics = await (await fetch(`${app.apiBaseUrl}/metrics`, { headers })).text();
      return Number(/^nodejs_heap_size_used_bytes (.+)$/m.exec(metrics)?.[1]);
    },

    async close(): Promise<void> {
      await app.close();
      await store.close();
      await stack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type LargeSite = Awaited<ReturnType<typeof startLargeSite>>;
