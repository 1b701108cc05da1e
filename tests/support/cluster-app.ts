/**
 * The built app with a Data API of the test's own in front of the stack's PostgreSQL: faults can be put into the one, and the
 * other can be killed.
 */
import { type DataApi, type DataApiFault, startDataApi } from "../../local/data-api";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "./built-app";
import { findFreePort } from "./free-port";

/** What goes wrong with a statement; undefined lets it pass. */
export type FaultOf = (sql: string) => DataApiFault | undefined;

export interface ClusterApp extends BuiltApp {
  /** every statement that has come to the Data API */
  statements: string[];
  /** From now on; undefined ends the trouble. */
  setFault(faultOf: FaultOf | undefined): void;
  /** Ends the Data API, or starts it again on its port. */
  stopDataApi(): Promise<void>;
  startDataApi(): Promise<void>;
}

/** @param env more settings of the app */
export async function startClusterApp(
  stack: StackInfo,
  env: Record<string, string> = {},
): Promise<ClusterApp> {
  const dataApiPort = await findFreePort();
  const { accessKeyId, secretAccessKey } = stack.objectStore;
  const statements: string[] = [];
  let faultOf: FaultOf | undefined;
  let dataApi: DataApi | undefined;

  const start = async () => {
    dataApi = await startDataApi({
      port: dataApiPort,
      accessKeyId,
      secretAccessKey,
      postgresUrl: stack.postgresUrl,
      clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
      intercept({ body: { sql } }) {
        statements.push(String(sql));
        return faultOf?.(String(sql));
      },
    });
  };
  const stop = async () => {
    await dataApi?.close();
    dataApi = undefined;
  };
  await start();
  const app = await startBuiltApp(stack, {
    CLOUD_RDS_DATA_ENDPOINT: `http://127.0.0.1:${dataApiPort}`,
    ...env,
  });
  return {
    ...app,
    statements,
    setFault(wanted) {
      faultOf = wanted;
    },
    startDataApi: start,
    stopDataApi: stop,
    async close() {
      await app.close();
      await stop();
    },
  };
}
