/** The built app in its own process, with the test's own Data API. */
import type { StackInfo } from "../../../local/stack-info";
import { startTestDataApi, type TestDataApi } from "../databases/data-api";
import { type BuiltApp, startBuiltApp } from "./built-app";

export interface ClusterApp extends BuiltApp, Omit<TestDataApi, "env"> {}

/** @param env additional settings of the app */
export async function startClusterApp(
  stack: StackInfo,
  env: Record<string, string> = {},
): Promise<ClusterApp> {
  const dataApi = await startTestDataApi(stack);
  const app = await startBuiltApp(stack, { ...dataApi.env, ...env });
  return {
    ...dataApi,
    ...app,
    async close() {
      await app.close();
      await dataApi.stopDataApi();
    },
  };
}
