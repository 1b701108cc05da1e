import { prefixOf } from "platform-embed-element/client";
import {
  listUsage,
  type UsageQuery,
  usageQuerySchema,
  usageSchema,
} from "../catalogue/usage/list-usage.server";
import type { EmbedClient } from "../embed/embed-clients.server";
import { apiRoute } from "../http/api-route.server";
import { apiKeyOrBearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { readFilesPolicy } from "../services/files/place/policy.server";
import { reachOfFilesPolicy } from "../services/files/reach-of-policy.server";
import { files } from "../services/files/service.server";
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
      if (caller !== undefined) assertInReach(caller, query);
      return listUsage(app.database, query);
    },
  }),
});

/** A key reads what its policy for files lets visitors browse: sizes are no secret to it there. @throws AppError `scope_not_allowed` */
function assertInReach(
  { id, allowedServices, allowedScopes }: EmbedClient,
  { bucket, path }: UsageQuery,
): void {
  const policy = allowedServices?.includes(files.key) ? readFilesPolicy(allowedScopes) : null;
  const reach = policy && reachOfFilesPolicy(policy, id);
  const folders = reach === null || reach === "company" ? [] : reach.folders;
  const prefix = prefixOf(path);
  const isInReach = folders.some(
    (folder) =>
      folder.clientId === undefined && folder.buckets.includes(bucket) && prefix.startsWith(folder.prefix),
  );
  if (!isInReach)
    throw new AppError(
      "scope_not_allowed",
      "This API key reads the usage of the folders that its policy names as paths (bucket, path).",
    );
}
