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
  const ofCompany = { companyId, resourceType: CLUSTER_DATABASE };
  if (cursor !== undefined && !(await isRecord(database, cursor, ofCompany)))
    throw invalidRequest([{ path: "cursor", message: "must be a cursor that this endpoint returned" }]);
  const records = await database.clientResource.findMany({
    where: { ...ofCompany, region, status },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    ...(limit !== undefined && { take: limit + 1 }),
    ...(cursor !== undefined && { cursor: { id: cursor }, skip: 1 }),
  });
  const page = await toResources(database, records.slice(0, limit));
  if (limit === undefined) return { databases: page };
  return { databases: page, cursor: records.length > limit ? (page.at(-1)?.id ?? null) : null };
}

async function isRecord(
  database: Database,
  id: string,
  where: { companyId: string; resourceType: string },
): Promise<boolean> {
  return RECORD_ID.test(id) && (await database.clientResource.count({ where: { ...where, id } })) > 0;
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
  return records.map((record) =>
    toResource(record, {
      deletion: deletions.find(({ resourceId }) => resourceId === record.id),
      creation: creations.find(({ resourceId }) => resourceId === record.id),
    }),
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
