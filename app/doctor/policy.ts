import type { Env } from "../env/env.server";
import { leastPolicy, type PolicyDocument } from "../providers/least-rights";
import { bucketsOf, type LiveClient } from "./context";

/** The partition of the ARNs of a region. */
function partitionOf(region: string): string {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

/** The IAM policy with least rights for this deployment: its buckets, its sender and its clusters. */
export function policyOf(env: Env, clients: readonly LiveClient[]): PolicyDocument {
  const { region, configurationSet } = env.mail;
  const partition = partitionOf(region);
  const buckets = bucketsOf(clients).map((bucket) => `arn:${partition}:s3:::${bucket}`);
  const ses = (resource: string) => `arn:${partition}:ses:${region}:*:${resource}`;
  // SES authorizes by the identity that is verified: the address, or its domain.
  const address = env.sender?.address;
  const identities = address === undefined ? [] : [address, address.slice(address.lastIndexOf("@") + 1)];
  const { ofRegion, fallback } = env.clusters;
  const clusters = [...Object.values(ofRegion), ...(fallback ? [fallback] : [])];
  return leastPolicy({
    bucket: buckets,
    objects: buckets.map((bucket) => `${bucket}/*`),
    identity: identities.map((identity) => ses(`identity/${identity}`)),
    configurationSet: configurationSet === undefined ? [] : [ses(`configuration-set/${configurationSet}`)],
    cluster: clusters.map(({ clusterRef }) => clusterRef),
    secret: clusters.map(({ secretRef }) => secretRef),
  });
}
