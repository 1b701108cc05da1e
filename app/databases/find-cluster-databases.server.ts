import { z } from "zod";
import type { ClientResource } from "../../prisma/generated/client";
import { companyIdSchema, requireCompany } from "../embed/company.server";
import { type Database, RECORD_ID } from "../providers/database.server";
import { AppError, invalidRequest } from "../shared/app-error";
import { regionNameSchema } from "./region";
import {
  CLUSTER_DATABASE,
  type DatabaseResource,
  databaseResourceSchema,
  databaseStatusSchema,
  toResource,
} from "./resource";

const MAX_PAGE_SIZE = 100;

/** The query of `GET /api/cluster/databases`. */
export const listClusterDatabasesSchema = z.object({
  companyId: companyIdSchema,
  region: regionNameSchema.optional(),
  status: databaseStatusSchema.optional(),
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
 * Lists the databases of a company, newest first: all of them, or one page.
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
      status,
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
  const where = { resourceId: id };
  const [deletion, creation] = await Promise.all([
    database.databaseDeletion.findUnique({ where }),
    database.databaseCreation.findUnique({ where }),
  ]);
  return toResource(record, { deletion: deletion ?? undefined, creation: creation ?? undefined });
}

async function toResources(
  database: Database,
  records: readonly ClientResource[],
): Promise<DatabaseResource[]> {
  const idsOf = (wanted: string) => records.flatMap(({ id, status }) => (status === wanted ? id : []));
  const [deleted, pending] = [idsOf("deleted"), idsOf("pending")];
  const [deletions, creations] = await Promise.all([
    deleted.length > 0 ? database.databaseDeletion.findMany({ where: { resourceId: { in: deleted } } }) : [],
    pending.length > 0 ? database.databaseCreation.findMany({ where: { resourceId: { in: pending } } }) : [],
  ]);
  const deletionOf = new Map(deletions.map((deletion) => [deletion.resourceId, deletion]));
  const creationOf = new Map(creations.map((creation) => [creation.resourceId, creation]));
  return records.map((record) =>
    toResource(record, { deletion: deletionOf.get(record.id), creation: creationOf.get(record.id) }),
  );
}

/** @throws AppError as `findClusterDatabase` */
export async function findDatabaseRecord(database: Database, id: string): Promise<ClientResource> {
  const record = RECORD_ID.test(id)
    ? await database.clientResource.findUnique({ where: { id, resourceType: CLUSTER_DATABASE } })
    : null;
  if (record === null) throw new AppError("resource_not_found", "Resource not found");
  return record;
}
