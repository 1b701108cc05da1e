import { httpUrl, type Source, text, wholeNumber } from "./parse.server";

/** The clusters that databases are made in: one pair of variables for each region, and how they are reached. */
export const clusterVariables = {
  CLUSTER_DEFAULT_DATABASE: text
    .default("postgres")
    .describe("the database of a cluster in which CREATE DATABASE is run"),
  CLOUD_RDS_DATA_ENDPOINT: httpUrl.optional().describe("an http(s) URL, like http://127.0.0.1:8006"),
  CLOUD_RDS_DATA_TIMEOUT_SECONDS: wholeNumber(1, 300, 50),
  CLOUD_CLOUDWATCH_ENDPOINT: httpUrl
    .optional()
    .describe("an http(s) URL; unset, it is Amazon CloudWatch in each cluster's region"),
};

/** A database cluster and the secret that its user's password is kept in; both are ARNs on Amazon. */
export interface ClusterRefs {
  clusterRef: string;
  secretRef: string;
}

/** The pairs CLUSTER_REF_<REGION> and SECRET_REF_<REGION>, and the pair without a region. Adds to `issues`. */
export function readClusters(values: Source, issues: string[]) {
  /** by region suffix, like `CA_CENTRAL_1` */
  const ofRegion: Record<string, ClusterRefs> = {};
  /** for every other region */
  let fallback: ClusterRefs | undefined;
  const names = Object.keys(values).flatMap((name) => /^(?:CLUSTER|SECRET)_REF($|_.*)/.exec(name)?.[1] ?? []);
  for (const suffix of new Set(names)) {
    const [clusterName, secretName] = [`CLUSTER_REF${suffix}`, `SECRET_REF${suffix}`];
    const clusterRef = values[clusterName]?.trim();
    const secretRef = values[secretName]?.trim();
    if (!/^(_[A-Z0-9]+)*$/.test(suffix)) {
      const right = `CLUSTER_REF${suffix.toUpperCase().replaceAll("-", "_")}`;
      issues.push(`${clusterName} names no region; for a region like ca-central-1 write ${right}`);
    } else if (!clusterRef || !secretRef) {
      const [missing, set] = clusterRef ? [secretName, clusterName] : [clusterName, secretName];
      issues.push(`${missing} is not set; it must be, because ${set} is: a cluster needs both`);
    } else if (suffix === "") {
      fallback = { clusterRef, secretRef };
    } else {
      ofRegion[suffix.slice(1)] = { clusterRef, secretRef };
    }
  }
  return { ofRegion, fallback };
}
