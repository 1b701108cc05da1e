import { z } from "zod";
import { companyIdSchema, requireCompany } from "../embed/company.server";
import { type Database, RECORD_ID } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { regionNameSchema } from "./region";
import { CLUSTER_DATABASE, type DatabaseResource, toResource } from "./resource";

/** The query of `GET /api/cluster/databases`. */
export const listClusterDatabasesSchema = z.object({
  companyId: companyIdSchema,
  region: regionNameSchema.optional(),
});

/**
 * Lists all databases of a company, whatever their status, newest first.
 * @throws AppError `company_not_found`
 */
export async function listClusterDatabases(
  database: Database,
  { companyId, region }: z.output<typeof listClusterDatabasesSchema>,
): Promise<{ databases: DatabaseResource[] }> {
  await requireCompany(database, companyId);
  const records = await database.clientResource.findMany({
    where: { companyId, resourceType: CLUSTER_DATABASE, ...(region === undefined ? {} : { region }) },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  return { databases: records.map(toResource) };
}

/** @throws AppError `resource_not_found`, with the message of docs/contract.md#failures */
export async function findClusterDatabase(database: Database, id: string): Promise<DatabaseResource> {
  const record = RECORD_ID.test(id)
    ? await database.clientResource.findUnique({ where: { id, resourceType: CLUSTER_DATABASE } })
    : null;
  if (record === null) throw new AppError("resource_not_found", "Resource not found");
  return toResource(record);
}
