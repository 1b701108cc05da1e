import { z } from "zod";
import {
  CREDENTIAL_TIMEOUT_MS,
  removeCredential,
} from "../databases/credentials/database-credentials.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint, Reply } from "../http/endpoint.server";

const removedSchema = z.object({ user: z.string() });

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
      responses: { 200: removedSchema, 202: removedSchema },
      errors: ["resource_not_found", "database_not_active", "provider_failed"],
      handle: async ({ params: { resourceId, user }, app: { database, dataApi, env }, context }) => {
        const tools = { database, dataApi, clusters: env.clusters, context };
        const { isDone } = await removeCredential(resourceId, user, tools);
        return new Reply(isDone ? 200 : 202, { user });
      },
    }),
  },
);
