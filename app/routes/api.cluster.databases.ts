import { z } from "zod";
import {
  createClusterDatabase,
  createClusterDatabaseSchema,
  createdDatabaseSchema,
} from "../databases/create-cluster-database.server";
import { listClusterDatabases, listClusterDatabasesSchema } from "../databases/find-cluster-databases.server";
import { databaseResourceSchema } from "../databases/resource";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** milliseconds: waking a paused cluster takes most of a minute, creating in it up to another */
const CREATING_MS = 115_000;

/** `GET /api/cluster/databases`: a company's databases. `POST`: a new one. */
export const { loader, action, contract } = apiRoute("api", "/api/cluster/databases", {
  GET: endpoint({
    summary: "List a company's databases, newest first",
    auth: bearerToken,
    query: listClusterDatabasesSchema,
    responses: { 200: z.object({ databases: z.array(databaseResourceSchema) }) },
    errors: ["company_not_found"],
    handle: ({ query, app }) => listClusterDatabases(app.database, query),
  }),
  POST: endpoint({
    summary: "Create a database, or finish one that was left half made",
    auth: bearerToken,
    body: createClusterDatabaseSchema,
    budgetMs: CREATING_MS,
    responses: { 201: createdDatabaseSchema },
    errors: ["company_not_found", "name_taken", "settings_differ", "provider_failed", "unavailable"],
    handle: ({ body, app: { database, dataApi, env }, context: request }) =>
      createClusterDatabase(body, { database, dataApi, clusters: env.clusters, request }),
  }),
});
