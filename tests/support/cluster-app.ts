/** The built app, which can be killed, with a Data API of the test's own. */
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "./built-app";
import { startTestDataApi, type TestDataApi } from "./data-api";

export interface ClusterApp extends BuiltApp, Omit<TestDataApi, "env"> {}

/** @param env more settings of the app */
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
