import { z } from "zod";
import { findClusterDatabase } from "../databases/find-cluster-databases.server";
import { databaseResourceSchema } from "../databases/resource";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `GET /api/cluster/databases/<resourceId>`: one database. */
export const { loader, action, contract } = apiRoute("api", "/api/cluster/databases/:resourceId", {
  GET: endpoint({
    operationId: "getDatabase",
    summary: "Get one database",
    auth: bearerToken,
    params: z.object({ resourceId: z.string() }),
    responses: { 200: databaseResourceSchema },
    errors: ["resource_not_found"],
    handle: ({ params, app }) => findClusterDatabase(app.database, params.resourceId),
  }),
});
