import { z } from "zod";
import type { ClientResource, DatabaseCreation, DatabaseDeletion } from "../../prisma/generated/client";

/** The `resource_type` of cluster databases in the table `client_resources`. */
export const CLUSTER_DATABASE = "cluster_database";

export const databaseStatusSchema = z.enum(["pending", "active", "suspended", "deleted"]);

/** A record of `client_resources` as the API shows it. */
export const databaseResourceSchema = z
  .object({
    id: z.string(),
    companyId: z.string(),
    resourceType: z.string(),
    name: z.string(),
    region: z.string(),
    status: databaseStatusSchema,
    externalId: z.string().nullable(),
    clusterRef: z.string().nullable(),
    maxCapacityAcu: z.int().nullable(),
    currentUsageAcu: z.int().nullable(),
    storageBytes: z.int().nullable().describe("bytes"),
    metadata: z.record(z.string(), z.unknown()),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "DatabaseResource" });
export type DatabaseResource = z.infer<typeof databaseResourceSchema>;

/** What other tables know of a database. */
interface Progress {
  deletion?: DatabaseDeletion | undefined;
  creation?: DatabaseCreation | undefined;
}

/** @throws ZodError if the record has an unknown status */
export function toResource(record: ClientResource, { deletion, creation }: Progress): DatabaseResource {
  return {
    id: record.id,
    companyId: record.companyId,
    resourceType: record.resourceType,
    name: record.name,
    region: record.region,
    status: databaseStatusSchema.parse(record.status),
    externalId: record.externalId,
    clusterRef: record.clusterRef,
    maxCapacityAcu: record.maxCapacityAcu,
    currentUsageAcu: record.currentUsageAcu,
    storageBytes: record.storageBytes === null ? null : Number(record.storageBytes),
    metadata: deletion === undefined ? metadataOf(record, creation) : metadataOfDeleted(record, deletion),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  };
}

/** The record's metadata, with `deletion` as long as the database can be restored. */
function metadataOfDeleted(
  { metadata }: ClientResource,
  { dropAfter, dropStartedAt }: DatabaseDeletion,
): DatabaseResource["metadata"] {
  if (dropStartedAt !== null) return { ...Object(metadata) };
  return { ...Object(metadata), deletion: { restorableUntil: dropAfter.toISOString() } };
}

/**
 * The record's metadata; with `creation` as long as the outcome of an attempt to create the database is unknown, and if creating it in the
 * background has failed.
 */
function metadataOf(
  { status, metadata, creationAttempts, creationAttemptedAt }: ClientResource,
  failed: DatabaseCreation | undefined,
): DatabaseResource["metadata"] {
  if (status !== "pending") return { ...Object(metadata) };
  // Older versions, which may run at the same time during a deployment, store it in `metadata`. The columns are always up to date.
  const { creation: _, ...others } = Object(metadata);
  const creation = {
    ...(failed?.error && { error: failed.error }),
    ...(creationAttempts > 0 && {
      unconfirmedAttempts: creationAttempts,
      lastAttemptAt: creationAttemptedAt?.toISOString(),
    }),
  };
  return Object.keys(creation).length === 0 ? others : { ...others, creation };
}
