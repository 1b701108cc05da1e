import { findClusterDatabase } from "../databases/find-cluster-databases.server";
import { apiRoute, endpoint } from "../http/api-route.server";
import { requireBearerToken } from "../http/bearer-auth.server";

/** `GET /api/cluster/databases/<resourceId>`: one database. */
export const { loader, action } = apiRoute("api", {
  GET: endpoint({
    auth: requireBearerToken,
    handle: ({ params, services }) => findClusterDatabase(services.database, params.resourceId ?? ""),
  }),
});
