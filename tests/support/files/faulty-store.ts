/** The built app on the test's own object store, which can inject every kind of `Fault`. */
import { rm } from "node:fs/promises";
import { type Intercept, startObjectStore } from "../../../local/object-store";
import type { StackInfo } from "../../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "../app/built-app";
import { makeTestFolder } from "../databases/postgres";

export interface FaultyStore {
  /** the stack's info with this store, for other test helpers */
  stack: StackInfo;
  /** the fault to inject into requests from now on; null: none */
  intercept: Intercept | null;
  /** how far ahead the store's clock is, milliseconds */
  clockOffsetMs: number;
  /** received requests including preflights, such as `GET bucket` and `PUT bucket/key` */
  requests: string[];
  /** Starts another app on this store. */
  startApp(settings?: Record<string, string>): Promise<{ app: BuiltApp; stack: StackInfo }>;
  close(): Promise<void>;
}

/** @param seed fills the store's folder before the store starts */
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
