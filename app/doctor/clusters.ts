import { ok, runChecks, toFindings, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { type Cluster, type ClusterState, describeCluster } from "../providers/rds-data-api.server";
import { messageOf } from "../shared/error-text";
import type { CheckGroup, DoctorContext } from "./context";
import { explainCommonFailure, readProviderFailure } from "./provider-failure";

/** A configured cluster, and the variables that name it. */
interface ConfiguredCluster extends Cluster {
  clusterVariable: string;
  secretVariable: string;
}

/** A transaction needs one for each table and each index that it uses. With PostgreSQL's own settings, this suffices for 64 databases. */
const MIN_LOCKS_PER_DATABASE = 100;

/** Autovacuum begins at 200 million, and PostgreSQL stops writing at 2.1 thousand million. */
const MAX_TRANSACTION_AGE = 1_000_000_000;

/** Whether the Data API runs a statement on each cluster for databases, as a user who may create databases and their credentials. */
export const checkClusters: CheckGroup = async ({ env, limits }) => {
  const clusters = configuredClusters(env);
  if (clusters.length === 0) return [ok("No cluster is configured: databases stay pending in every region.")];
  const checks = clusters.map((cluster) => ({
    name: "clusters.statement",
    run: async (signal: AbortSignal) =>
      judgeState(await describeCluster(env.dataApi, cluster, signal), cluster),
    explain: (error: unknown) => explainFailure(cluster, error),
  }));
  const ofClusters = await runChecks(checks, limits);
  if (env.clusters.regions !== undefined) return ofClusters;
  const unlisted = warning(
    "Any region may be named for a database, also a mistyped one: its database then stays pending.",
    "List the regions that there are, like CLUSTER_REGIONS=ca-central-1,eu-west-3.",
  );
  return [...ofClusters, ...toFindings("clusters.regions", unlisted)];
};

function judgeState(state: ClusterState, cluster: ConfiguredCluster): Verdict[] {
  const { region, secretVariable, defaultDatabase } = cluster;
  return [
    judgeUser(state, cluster),
    ...(state.isSuperuser
      ? [
          warning(
            `${region}: the cluster's user is a superuser, who may do more than anything here needs.`,
            `Create a user there with LOGIN, CREATEDB and CREATEROLE alone, and put it into ${secretVariable}.`,
          ),
        ]
      : []),
    ...(state.isDefaultOpenToPublic
      ? [
          warning(
            `${region}: every login of the cluster may connect to the database ${defaultDatabase}.`,
            "Run npm run databases -- secure --default-database, unless other programs rely on it.",
          ),
        ]
      : []),
    ...(state.isTemplateOpenToPublic
      ? [
          warning(
            `${region}: every login of the cluster may connect to the database template1, where the limits of its own database do not apply: a company with several logins can take all connections.`,
            "Run npm run databases -- secure --default-database. If it belongs to another role, run REVOKE CONNECT ON DATABASE template1 FROM PUBLIC there as that role.",
          ),
        ]
      : []),
    ...[judgeLocks(state, cluster), ...judgePreparedTransactions(state, cluster)].map((verdict) => ({
      ...verdict,
      check: "clusters.locks",
    })),
    ...judgeTransactionAge(state, cluster),
  ];
}

function judgeTransactionAge({ transactionAge }: ClusterState, { region }: ConfiguredCluster): Verdict[] {
  if (transactionAge <= MAX_TRANSACTION_AGE) return [];
  return [
    {
      ...warning(
        `${region}: ${transactionAge} transactions have begun since the oldest one that PostgreSQL could not clean up. At 2.1 thousand million, nobody can write in the cluster.`,
        "End the oldest sessions of SELECT * FROM pg_stat_activity ORDER BY xact_start, remove their logins, and look whether autovacuum runs.",
      ),
      check: "clusters.transactions",
    },
  ];
}

function judgePreparedTransactions(
  { maxPreparedTransactions }: ClusterState,
  { region }: ConfiguredCluster,
): Verdict[] {
  if (maxPreparedTransactions === 0) return [];
  return [
    warning(
      `${region}: the cluster allows prepared transactions, which keep their locks after their session and its login have ended.`,
      "Set max_prepared_transactions to 0 and restart the cluster, unless a program needs them. SELECT * FROM pg_prepared_xacts lists them.",
    ),
  ];
}

function judgeLocks({ maxLocks, databases }: ClusterState, { region }: ConfiguredCluster): Verdict {
  const shared = `${region}: the cluster has room for ${maxLocks} locks, which its ${databases} databases share`;
  return maxLocks >= databases * MIN_LOCKS_PER_DATABASE
    ? ok(`${shared}.`)
    : warning(
        `${shared}. When all are taken, nobody can work there.`,
        `Raise max_locks_per_transaction, and restart the cluster: there should be ${MIN_LOCKS_PER_DATABASE} for each database.`,
      );
}

function judgeUser(
  { createsDatabases, createsRoles }: ClusterState,
  { region, secretVariable }: ConfiguredCluster,
): Verdict {
  if (!createsDatabases)
    return wrong(
      `${region}: the cluster runs statements, but its user may not create databases.`,
      `Run ALTER ROLE … CREATEDB there for the user in ${secretVariable}.`,
    );
  if (!createsRoles)
    return warning(
      `${region}: the cluster's user may create databases, but not roles, so databases get no credentials.`,
      `Run ALTER ROLE … CREATEROLE there for the user in ${secretVariable}.`,
    );
  return ok(`${region}: the cluster runs statements, and its user may create databases and roles.`);
}

function configuredClusters({ clusters, mail }: DoctorContext["env"]): ConfiguredCluster[] {
  const { ofRegion, fallback, defaultDatabase, limits } = clusters;
  const regional = Object.entries(ofRegion).map(([suffix, refs]) => ({
    ...refs,
    defaultDatabase,
    limits,
    region: suffix.toLowerCase().replaceAll("_", "-"),
    clusterVariable: `CLUSTER_REF_${suffix}`,
    secretVariable: `SECRET_REF_${suffix}`,
  }));
  if (fallback === undefined) return regional;
  return [
    ...regional,
    {
      ...fallback,
      defaultDatabase,
      limits,
      // It serves all other regions, each through that region's Data API. Here it is asked in its own.
      region: /^arn:[^:]*:rds:([a-z0-9-]+):/.exec(fallback.clusterRef)?.[1] ?? mail.region,
      clusterVariable: "CLUSTER_REF",
      secretVariable: "SECRET_REF",
    },
  ];
}

/** By the Data API's error names; RDS Data API reference, "Errors". */
function explainFailure(cluster: ConfiguredCluster, error: unknown): Verdict {
  const { region, clusterVariable, secretVariable } = cluster;
  const failure = readProviderFailure(error);
  const { kind, code } = failure;
  const message = messageOf(error);
  const failed = (sentence: string, remedy: string) => wrong(`${region}: ${sentence} (${code}).`, remedy);
  if (code === "DatabaseResumingException")
    return warning(`${region}: the cluster is paused and is waking up.`, "Run this again in half a minute.");
  if (code === "SecretsErrorException" || code === "InvalidSecretException" || /secret/i.test(message))
    return failed(
      "the Data API cannot use the secret",
      `Set ${secretVariable} to the ARN of the cluster's secret, and grant secretsmanager:GetSecretValue on it.`,
    );
  if (code === "DatabaseNotFoundException" || /database ".*" does not exist/.test(message))
    return failed(
      "the cluster has no database of the name in CLUSTER_DEFAULT_DATABASE",
      "Correct CLUSTER_DEFAULT_DATABASE: every cluster has a database named postgres.",
    );
  if (code === "HttpEndpointNotEnabledException" || /HttpEndpoint is not enabled/i.test(message))
    return failed(
      "the Data API is not switched on for the cluster",
      "Run aws rds enable-http-endpoint --resource-arn with the cluster's ARN.",
    );
  const common = explainCommonFailure(failure, {
    provider: `${region}: the Data API`,
    endpoint: "CLOUD_RDS_DATA_ENDPOINT (unset means Amazon's in the variable's region)",
  });
  if (common) return common;
  if (kind === "denied")
    return failed(
      "the credentials may not run statements",
      `Grant rds-data:ExecuteStatement on the ARN in ${clusterVariable} to the role, or to the key in CLOUD_ACCESS_KEY_ID (npm run doctor -- --policy prints the policy).`,
    );
  if (/NotFound|BadRequest|Forbidden/.test(code))
    return failed(
      "the Data API does not know the cluster",
      `Set ${clusterVariable} to the ARN of the cluster.`,
    );
  return failed(
    "the cluster did not run the statement",
    `Check the cluster in ${clusterVariable}, and look the code up in the RDS Data API's reference.`,
  );
}
