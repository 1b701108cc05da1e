/** The built app on an object store of the test's own, which the test can make fail in every way that `Fault` knows. */
import { rm } from "node:fs/promises";
import { type Intercept, startObjectStore } from "../../local/object-store";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "./built-app";
import { makeTestFolder } from "./postgres";

export interface FaultyStore {
  /** the stack as a test's helpers want it, with this store in it */
  stack: StackInfo;
  /** what goes wrong with a request from now on; null: nothing */
  intercept: Intercept | null;
  /** how far the store's clock is ahead from now on, milliseconds */
  clockOffsetMs: number;
  /** the requests that have arrived, preflights included: `GET bucket`, `PUT bucket/key` */
  requests: string[];
  /** Another app on this store. */
  startApp(settings?: Record<string, string>): Promise<{ app: BuiltApp; stack: StackInfo }>;
  close(): Promise<void>;
}

/** @param seed fills the store's folder before it starts */
export async function startFaultyStore(
  stack: StackInfo,
  seed: (dataDir: string) => void = () => {},
): Promise<FaultyStore> {
  const dataDir = await makeTestFolder();
  seed(dataDir);
  const { region, accessKeyId, secretAccessKey } = stack.objectStore;
  const store = await startObjectStore({
    port: 0,
    dataDir,
    region,
    accessKeyId,
    secretAccessKey,
    clockOffsetMs: () => faulty.clockOffsetMs,
    intercept(request) {
      const { method, bucket, key } = request;
      faulty.requests.push(key === "" ? `${method} ${bucket}` : `${method} ${bucket}/${key}`);
      return faulty.intercept?.(request);
    },
  });
  const apps: BuiltApp[] = [];
  const withStore = { ...stack, objectStore: { ...stack.objectStore, endpoint: store.endpoint } };
  const faulty: FaultyStore = {
    stack: withStore,
    intercept: null,
    clockOffsetMs: 0,
    requests: [],
    async startApp(settings = {}) {
      const app = await startBuiltApp(withStore, settings);
      apps.push(app);
      const platformBaseUrl = app.env.PLATFORM_BASE_URL ?? "";
      return { app, stack: { ...withStore, apiBaseUrl: app.apiBaseUrl, platformBaseUrl } };
    },
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return faulty;
}
