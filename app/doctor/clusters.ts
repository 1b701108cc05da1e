import { messageOf } from "../error-text";
import { type Cluster, mayCreateDatabases } from "../providers/data-api.server";
import type { CheckGroup, DoctorContext } from "./context";
import { attempt, ok, type Verdict, warning, wrong } from "./finding";
import { CLOCK_REMEDY, CREDENTIALS_REMEDY, readProviderFailure } from "./provider-failure";

const CHECK = "clusters.statement";

/** A configured pair, and by which variables. */
interface ConfiguredCluster extends Cluster {
  clusterVariable: string;
  secretVariable: string;
}

/** Each cluster for databases: the Data API runs a statement there, as a user who may create databases. */
export const checkClusters: CheckGroup = async ({ env, limits }) => {
  const clusters = configuredClusters(env);
  if (clusters.length === 0) {
    return [ok("No cluster is configured: databases stay pending in every region.")];
  }
  const findings = await Promise.all(
    clusters.map((cluster) =>
      attempt(
        CHECK,
        limits,
        async (signal) =>
          (await mayCreateDatabases(env.dataApi, cluster, signal))
            ? ok(`${cluster.region}: the cluster runs statements, and its user may create databases.`)
            : wrong(
                `${cluster.region}: the cluster runs statements, but its user may not create databases.`,
                `Run ALTER ROLE … CREATEDB there for the user in ${cluster.secretVariable}.`,
              ),
        (error) => explainFailure(cluster, error),
      ),
    ),
  );
  return findings.flat();
};

function configuredClusters({ clusters, mail }: DoctorContext["env"]): ConfiguredCluster[] {
  const { ofRegion, fallback, defaultDatabase } = clusters;
  const found = Object.entries(ofRegion).map(([suffix, refs]) => ({
    ...refs,
    defaultDatabase,
    region: suffix.toLowerCase().replaceAll("_", "-"),
    clusterVariable: `CLUSTER_REF_${suffix}`,
    secretVariable: `SECRET_REF_${suffix}`,
  }));
  if (fallback === undefined) return found;
  return [
    ...found,
    {
      ...fallback,
      defaultDatabase,
      // Any region's databases go to it, through the Data API of that region: asked here where it lies.
      region: /^arn:[^:]*:rds:([a-z0-9-]+):/.exec(fallback.clusterRef)?.[1] ?? mail.region,
      clusterVariable: "CLUSTER_REF",
      secretVariable: "SECRET_REF",
    },
  ];
}

/** By the Data API's error names; RDS Data API reference, "Errors". */
function explainFailure(cluster: ConfiguredCluster, error: unknown): Verdict {
  const { region, clusterVariable, secretVariable } = cluster;
  const { kind, code } = readProviderFailure(error);
  const message = messageOf(error);
  const failed = (sentence: string, remedy: string) => wrong(`${region}: ${sentence} (${code}).`, remedy);
  if (code === "DatabaseResumingException") {
    return warning(`${region}: the cluster is paused and is waking up.`, "Run this again in half a minute.");
  }
  if (code === "SecretsErrorException" || code === "InvalidSecretException" || /secret/i.test(message)) {
    return failed(
      "the Data API cannot use the secret",
      `Set ${secretVariable} to the ARN of the cluster's secret, and grant secretsmanager:GetSecretValue on it.`,
    );
  }
  if (code === "DatabaseNotFoundException" || /database ".*" does not exist/.test(message)) {
    return failed(
      "the cluster has no database of the name in CLUSTER_DEFAULT_DATABASE",
      "Correct CLUSTER_DEFAULT_DATABASE: postgres is always there.",
    );
  }
  if (code === "HttpEndpointNotEnabledException" || /HttpEndpoint is not enabled/i.test(message)) {
    return failed(
      "the Data API is not switched on for the cluster",
      "aws rds enable-http-endpoint --resource-arn ARN of the cluster.",
    );
  }
  switch (kind) {
    case "unreachable":
      return failed(
        "the Data API cannot be reached",
        "Check CLOUD_RDS_DATA_ENDPOINT (unset means Amazon's in the region that the variable names), DNS and the firewall.",
      );
    case "credentials":
      return failed("the Data API refuses the credentials", CREDENTIALS_REMEDY);
    case "clock":
      return failed("the Data API says that this machine's clock is wrong", CLOCK_REMEDY);
    case "denied":
      return failed(
        "the access key may not run statements",
        `Grant rds-data:ExecuteStatement on the ARN in ${clusterVariable} to the key in CLOUD_ACCESS_KEY_ID.`,
      );
  }
  if (/NotFound|BadRequest|Forbidden/.test(code)) {
    return failed(
      "the Data API does not know the cluster",
      `Set ${clusterVariable} to the ARN of the cluster.`,
    );
  }
  return failed(
    "the cluster did not run the statement",
    `Look at the cluster that ${clusterVariable} names, and at the RDS Data API's reference for that code.`,
  );
}
