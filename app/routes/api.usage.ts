import { prefixOf } from "platform-embed-element/client";
import {
  listUsage,
  type UsageQuery,
  usageQuerySchema,
  usageSchema,
} from "../catalogue/usage/list-usage.server";
import type { EmbedClient } from "../embed/embed-clients.server";
import { reachOfKey } from "../embed/reach-of-key.server";
import type { ServiceRegistry } from "../embed/service";
import { apiRoute } from "../http/api-route.server";
import { apiKeyOrBearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { AppError } from "../shared/app-error";

/** `GET /api/usage`: what a folder held on each day. */
export const { loader, action, contract } = apiRoute("api", "/api/usage", {
  GET: endpoint({
    operationId: "listUsage",
    summary: "Tell how many objects and bytes a folder held on each day",
    auth: apiKeyOrBearerToken,
    query: usageQuerySchema,
    responses: { 200: usageSchema },
    errors: ["scope_not_allowed"],
    async handle({ query, caller, app }) {
      if (caller !== undefined) assertInReach(caller, query, app.services);
      return listUsage(app.database, query);
    },
  }),
});

/** A key reads what its policies let visitors browse: sizes are no secret to it there. @throws AppError `scope_not_allowed` */
function assertInReach(client: EmbedClient, { bucket, path }: UsageQuery, services: ServiceRegistry): void {
  const reach = reachOfKey(client, services);
  const prefix = prefixOf(path);
  const isInReach =
    reach !== "company" &&
    reach.folders.some(
      (folder) =>
        folder.clientId === undefined && folder.buckets.includes(bucket) && prefix.startsWith(folder.prefix),
    );
  if (!isInReach)
    throw new AppError(
      "scope_not_allowed",
      "This API key reads the usage of the folders that its policy names as paths (bucket, path).",
    );
}
