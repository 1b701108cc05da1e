import type { ClientResource } from "../../prisma/generated/client";

/** What kind of `client_resources` record ours are. */
export const CLUSTER_DATABASE = "cluster_database";

/** A record of `client_resources` as the API shows it. Specification, "client_resources". */
export interface DatabaseResource {
  id: string;
  companyId: string;
  resourceType: string;
  name: string;
  region: string;
  /** `pending`, `active`, `suspended` or `deleted` */
  status: string;
  externalId: string | null;
  clusterRef: string | null;
  maxCapacityAcu: number | null;
  currentUsageAcu: number | null;
  /** bytes */
  storageBytes: number | null;
  metadata: object;
  /** ISO 8601, UTC */
  createdAt: string;
  updatedAt: string;
}

export function toResource(record: ClientResource): DatabaseResource {
  const { metadata } = record;
  return {
    id: record.id,
    companyId: record.companyId,
    resourceType: record.resourceType,
    name: record.name,
    region: record.region,
    status: record.status,
    externalId: record.externalId,
    clusterRef: record.clusterRef,
    maxCapacityAcu: record.maxCapacityAcu,
    currentUsageAcu: record.currentUsageAcu,
    storageBytes: record.storageBytes === null ? null : Number(record.storageBytes),
    metadata: typeof metadata === "object" && metadata !== null ? metadata : {},
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}
