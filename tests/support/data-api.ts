/**
 * A Data API of the test's own in front of the stack's PostgreSQL: faults can be put into it, and it can be ended and started
 * again.
 */
import { type DataApiFault, startDataApi } from "../../local/data-api";
import type { LocalServer } from "../../local/listen";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import type { StackInfo } from "../../local/stack-info";
import { findFreePort } from "./free-port";

/** What goes wrong with a statement; undefined lets it pass. */
export type FaultOf = (sql: string) => DataApiFault | undefined;

export interface TestDataApi {
  /** the settings of an app or command that is to use it */
  env: Record<string, string>;
  /** every statement that has come to it */
  statements: string[];
  /** From now on; undefined ends the trouble. */
  setFault(faultOf: FaultOf | undefined): void;
  /** Ends it, or starts it again on its port. */
  stopDataApi(): Promise<void>;
  startDataApi(): Promise<void>;
}

export async function startTestDataApi(stack: StackInfo): Promise<TestDataApi> {
  const port = await findFreePort();
  const { accessKeyId, secretAccessKey } = stack.objectStore;
  const statements: string[] = [];
  let faultOf: FaultOf | undefined;
  let dataApi: LocalServer | undefined;

  const start = async () => {
    dataApi = await startDataApi({
      port,
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
  await start();
  return {
    env: {
      CLOUD_RDS_DATA_ENDPOINT: `http://127.0.0.1:${port}`,
      CLUSTER_REF_CA_CENTRAL_1: CLUSTER_ARN,
      SECRET_REF_CA_CENTRAL_1: SECRET_ARN,
    },
    statements,
    setFault(wanted) {
      faultOf = wanted;
    },
    startDataApi: start,
    async stopDataApi() {
      await dataApi?.close();
      dataApi = undefined;
    },
  };
}
