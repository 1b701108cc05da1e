import { CloudWatchClient, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import type { Env } from "../env/env.server";
import { credentialsFor } from "./cloud-credentials.server";
import type { Cluster } from "./rds-data-api.server";

/** CloudWatch has one value per minute, a few minutes late. */
const PERIOD_SECONDS = 60;
const LOOK_BACK_MS = 15 * 60_000;

/**
 * The Aurora capacity units that a cluster uses now, rounded up; 0 while it is paused. Null for clusters that are not
 * serverless or not Amazon's. SQL does not tell, so this reads the metric `ServerlessDatabaseCapacity` from Amazon
 * CloudWatch. Aurora user guide, "Important Amazon CloudWatch metrics for Aurora Serverless v2". Throws what the SDK
 * throws.
 */
export async function currentAcu(
  { credentials, endpoint, isMeasured }: Env["capacity"],
  { region, clusterRef }: Cluster,
): Promise<number | null> {
  const [, identifier] = /^arn:[^:]*:rds:[^:]*:[^:]*:cluster:(.+)$/.exec(clusterRef) ?? [];
  if (!isMeasured || identifier === undefined) return null;
  const client = new CloudWatchClient({
    region,
    credentials: credentialsFor(credentials),
    endpoint,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  try {
    const now = Date.now();
    const { MetricDataResults: [capacity] = [] } = await client.send(
      new GetMetricDataCommand({
        StartTime: new Date(now - LOOK_BACK_MS),
        EndTime: new Date(now),
        ScanBy: "TimestampDescending",
        MetricDataQueries: [
          {
            Id: "capacity",
            MetricStat: {
              Metric: {
                Namespace: "AWS/RDS",
                MetricName: "ServerlessDatabaseCapacity",
                Dimensions: [{ Name: "DBClusterIdentifier", Value: identifier }],
              },
              Period: PERIOD_SECONDS,
              Stat: "Average",
            },
          },
        ],
      }),
    );
    const latest = capacity?.Values?.[0];
    return latest === undefined ? null : Math.ceil(latest);
  } finally {
    client.destroy();
  }
}
