/**
 * A Data API of the test's own in front of the stack's PostgreSQL. Tests can inject faults into it, stop it and restart it.
 */
import { randomBytes } from "node:crypto";
import { type DataApiFault, startDataApi } from "../../../local/data-api";
import type { LocalServer } from "../../../local/listen";
import { CLUSTER_ARN, SECRET_ARN } from "../../../local/settings";
import type { StackInfo } from "../../../local/stack-info";
import { findFreePort } from "../machine/free-port";
import { query } from "./postgres";
import { refuseUnpinned } from "./unpinned-names";

/** Returns the fault to inject for a statement; undefined lets it pass. */
export type FaultOf = (sql: string) => DataApiFault | undefined | Promise<DataApiFault | undefined>;

export interface TestDataApi {
  /** settings for an app or command that uses it */
  env: Record<string, string>;
  /** every statement that it has received */
  statements: string[];
  /** Injects faults from now on; undefined ends them. */
  setFault(faultOf: FaultOf | undefined): void;
  /** Stops it, or starts it again on the same port. */
  stopDataApi(): Promise<void>;
  startDataApi(): Promise<void>;
}

/**
 * Lets a role connect to the database `postgres`: the local stack's databases are closed to logins that have no right of their own. One test
 * at a time: PostgreSQL fails if two sessions change the rights of a database at once.
 */
export async function allowMaintenance(stack: StackInfo, role: string, isAllowed = true): Promise<void> {
  const change = isAllowed
    ? `GRANT CONNECT ON DATABASE postgres TO ${role}`
    : `REVOKE CONNECT ON DATABASE postgres FROM ${role}`;
  await query(stack.postgresUrl, `SELECT pg_advisory_xact_lock(hashtext('allowMaintenance')); ${change}`);
}

/** The stack with a user of its PostgreSQL who may do what the cluster's user of Amazon RDS may, and who is no superuser. */
export async function withoutSuperuser(stack: StackInfo): Promise<StackInfo> {
  const admin = `admin_${randomBytes(6).toString("hex")}`;
  await query(stack.postgresUrl, `CREATE ROLE ${admin} LOGIN PASSWORD 'admin' CREATEDB CREATEROLE`);
  await allowMaintenance(stack, admin);
  const url = Object.assign(new URL(stack.postgresUrl), { username: admin, password: "admin" });
  return { ...stack, postgresUrl: url.href };
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
        return refuseUnpinned(String(sql)) ?? faultOf?.(String(sql));
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
