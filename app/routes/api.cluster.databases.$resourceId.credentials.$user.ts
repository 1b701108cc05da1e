import { z } from "zod";
import {
  CREDENTIAL_TIMEOUT_MS,
  removeCredential,
} from "../databases/credentials/database-credentials.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `DELETE /api/cluster/databases/<resourceId>/credentials/<user>`: ends the login's sessions, and removes it. */
export const { loader, action, contract } = apiRoute(
  "api",
  "/api/cluster/databases/:resourceId/credentials/:user",
  {
    DELETE: endpoint({
      operationId: "removeDatabaseCredential",
      summary: "Remove a login, and end its sessions; what it has made stays",
      auth: bearerToken,
      params: z.object({ resourceId: z.string(), user: z.string() }),
      budgetMs: CREDENTIAL_TIMEOUT_MS,
      responses: { 200: z.object({ user: z.string() }) },
      errors: ["resource_not_found", "database_not_active", "provider_failed", "unavailable"],
      handle: ({ params: { resourceId, user }, app: { database, dataApi, env }, context }) =>
        removeCredential(resourceId, user, { database, dataApi, clusters: env.clusters, context }),
    }),
  },
);
