import { z } from "zod";
import { restoreDatabase } from "../databases/delete-database.server";
import { databaseResourceSchema } from "../databases/find-databases.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/cluster/databases/<resourceId>/restore`: brings a deleted database back. */
export const { loader, action, contract } = apiRoute("api", "/api/cluster/databases/:resourceId/restore", {
  POST: endpoint({
    operationId: "restoreDatabase",
    summary: "Bring a deleted database back, with its data and credentials",
    auth: bearerToken,
    params: z.object({ resourceId: z.string() }),
    responses: { 200: databaseResourceSchema },
    errors: ["resource_not_found", "database_dropped", "name_taken"],
    handle: ({ params: { resourceId }, app: { database }, context }) =>
      restoreDatabase(resourceId, { database, context }),
  }),
});
