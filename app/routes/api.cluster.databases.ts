import {
  createClusterDatabase,
  createClusterDatabaseSchema,
} from "../databases/create-cluster-database.server";
import { listClusterDatabases, listClusterDatabasesSchema } from "../databases/find-cluster-databases.server";
import { apiRoute, endpoint } from "../http/api-route.server";
import { requireBearerToken } from "../http/bearer-auth.server";
import { parseInput } from "../http/read-json.server";

/** milliseconds: waking a paused cluster takes most of a minute, creating in it up to another */
const CREATING_MS = 115_000;

/** `GET /api/cluster/databases`: a company's databases. `POST`: a new one. */
export const { loader, action } = apiRoute("api", {
  GET: endpoint({
    auth: requireBearerToken,
    handle: ({ request, services }) => {
      const query = Object.fromEntries(new URL(request.url).searchParams);
      return listClusterDatabases(services.database, parseInput(listClusterDatabasesSchema, query));
    },
  }),
  POST: endpoint({
    auth: requireBearerToken,
    body: createClusterDatabaseSchema,
    budgetMs: CREATING_MS,
    handle: async ({ body, services: { database, dataApi, env } }) =>
      Response.json(await createClusterDatabase(body, { database, dataApi, clusters: env.clusters }), {
        status: 201,
      }),
  }),
});
