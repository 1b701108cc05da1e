import { z } from "zod";
import type { ClientResource } from "../../prisma/generated/client";
import { companyIdSchema, requireCompany } from "../embed/company.server";
import { type Database, RECORD_ID } from "../providers/database.server";
import { AppError, invalidRequest } from "../shared/app-error";
import { regionNameSchema } from "./region";

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

const MAX_PAGE_SIZE = 100;

/** The query of `GET /api/cluster/databases`. */
export const listClusterDatabasesSchema = z.strictObject({
  companyId: companyIdSchema,
  region: regionNameSchema.optional(),
  status: databaseStatusSchema.describe("without it, all but those that are deleted").optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAGE_SIZE)
    .describe("a page of so many; all of them unless given")
    .optional(),
  cursor: z.string().max(500).describe("from the response before").optional(),
});

export const listedDatabasesSchema = z.object({
  databases: z.array(databaseResourceSchema),
  cursor: z.string().nullable().optional().describe("for the next page; null at the end; only with limit"),
});

/**
 * Lists the databases of a company, newest first: all of them, or one page. Deleted ones only if `status` asks for them.
 * @throws AppError `company_not_found`, `invalid_request` for a cursor that no page has returned
 */
export async function listClusterDatabases(
  database: Database,
  { companyId, region, status, limit, cursor }: z.output<typeof listClusterDatabasesSchema>,
): Promise<z.output<typeof listedDatabasesSchema>> {
  await requireCompany(database, companyId);
  const records = await database.clientResource.findMany({
    where: {
      companyId,
      resourceType: CLUSTER_DATABASE,
      region,
      status: status ?? { not: "deleted" },
      ...(cursor !== undefined && { OR: isAfter(cursor) }),
    },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    ...(limit !== undefined && { take: limit + 1 }),
  });
  const page = records.slice(0, limit);
  const databases = await toResources(database, page);
  if (limit === undefined) return { databases };
  const last = records.length > limit ? page.at(-1) : undefined;
  return { databases, cursor: last ? cursorOf(last) : null };
}

/** The place of a record in the list. It stays valid when the record is changed or deleted. */
const cursorOf = ({ createdAt, id }: ClientResource) => `${createdAt.toISOString()}_${id}`;

/** The records behind a cursor. @throws AppError `invalid_request` */
function isAfter(cursor: string) {
  const [, time = "", id = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_(.+)$/.exec(cursor) ?? [];
  const createdAt = new Date(time);
  // PostgreSQL has no year 0.
  if (!(createdAt.getTime() >= 0) || !RECORD_ID.test(id))
    throw invalidRequest([{ path: "cursor", message: "must be a cursor that this endpoint returned" }]);
  return [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }];
}

/** @throws AppError `resource_not_found`, with the message of docs/contract.md#failures */
export async function findClusterDatabase(database: Database, id: string): Promise<DatabaseResource> {
  const record = await findDatabaseRecord(database, id);
  const [resource] = await toResources(database, [record]);
  return resource as DatabaseResource;
}

/** @throws AppError as `findClusterDatabase` */
export async function findDatabaseRecord(database: Database, id: string): Promise<ClientResource> {
  const record = RECORD_ID.test(id)
    ? await database.clientResource.findUnique({ where: { id, resourceType: CLUSTER_DATABASE } })
    : null;
  if (record === null) throw new AppError("resource_not_found", "Resource not found");
  return record;
}

/** The records as the API shows them, with what other tables tell of them. @throws ZodError if a record has an unknown status */
async function toResources(
  database: Database,
  records: readonly ClientResource[],
): Promise<DatabaseResource[]> {
  const idsOf = (wanted: string) => records.flatMap(({ id, status }) => (status === wanted ? id : []));
  const [deleted, pending] = [idsOf("deleted"), idsOf("pending")];
  const [restorable, failed] = await Promise.all([
    deleted.length > 0
      ? database.databaseDeletion.findMany({ where: { resourceId: { in: deleted }, dropStartedAt: null } })
      : [],
    pending.length > 0
      ? database.databaseCreation.findMany({ where: { resourceId: { in: pending }, error: { not: null } } })
      : [],
  ]);
  const dropAfter = new Map(restorable.map(({ resourceId, dropAfter }) => [resourceId, dropAfter]));
  const errors = new Map(failed.map(({ resourceId, error }) => [resourceId, error]));
  return records.map((record) => ({
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
    metadata: metadataOf(record, dropAfter.get(record.id), errors.get(record.id)),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }));
}

/**
 * The record's metadata. It has `deletion` as long as the database can be restored. It has `creation` as long as the outcome of an attempt
 * to create the database is unknown, and if creating it in the background has failed.
 * @param error the code with which that has failed
 */
function metadataOf(
  { status, metadata, creationAttempts, creationAttemptedAt }: ClientResource,
  dropAfter: Date | undefined,
  error: string | null | undefined,
): DatabaseResource["metadata"] {
  // People edit the column: it may have a text or a list.
  const notes = typeof metadata === "object" && !Array.isArray(metadata) ? { ...metadata } : {};
  if (dropAfter !== undefined) return { ...notes, deletion: { restorableUntil: dropAfter.toISOString() } };
  if (status !== "pending") return notes;
  const creation = {
    ...(error && { error }),
    ...(creationAttempts > 0 && {
      unconfirmedAttempts: creationAttempts,
      lastAttemptAt: creationAttemptedAt?.toISOString(),
    }),
  };
  return Object.keys(creation).length === 0 ? notes : { ...notes, creation };
}
