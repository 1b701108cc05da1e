import { z } from "zod";
import {
  deleteDatabase,
  deleteDatabaseQuerySchema,
  deleteDatabaseSchema,
} from "../databases/delete-database.server";
import { databaseResourceSchema, findClusterDatabase } from "../databases/find-databases.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

const params = z.object({ resourceId: z.string() });

/** `GET /api/cluster/databases/<resourceId>`: one database. `DELETE`: deletes it; it can be restored for some days. */
export const { loader, action, contract } = apiRoute("api", "/api/cluster/databases/:resourceId", {
  GET: endpoint({
    operationId: "getDatabase",
    summary: "Get one database",
    auth: bearerToken,
    params,
    responses: { 200: databaseResourceSchema },
    errors: ["resource_not_found"],
    handle: ({ params, app }) => findClusterDatabase(app.database, params.resourceId),
  }),
  DELETE: endpoint({
    operationId: "deleteDatabase",
    summary: "Delete a database; it can be restored for some days",
    auth: bearerToken,
    params,
    query: deleteDatabaseQuerySchema,
    body: deleteDatabaseSchema.optional(),
    responses: { 200: databaseResourceSchema },
    errors: ["resource_not_found", "database_not_active"],
    handle: ({ params: { resourceId }, query, body = query, app: { database, env }, context }) =>
      deleteDatabase(resourceId, body, {
        database,
        deleteAfterDays: env.databaseDeleteAfterDays,
        context,
      }),
  }),
});
