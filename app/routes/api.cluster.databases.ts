import { z } from "zod";
import {
  CREATION_TIMEOUT_MS,
  type CreatedDatabase,
  createClusterDatabase,
  createClusterDatabaseSchema,
  createdDatabaseSchema,
  requestCreation,
} from "../databases/create-database.server";
import {
  listClusterDatabases,
  listClusterDatabasesSchema,
  listedDatabasesSchema,
} from "../databases/find-databases.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint, Reply } from "../http/endpoint.server";
import { preferredWait, prefersAsync } from "../http/prefer";
import { AppError } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { withinLimit } from "../shared/within-limit";

/** seconds; a paused cluster takes longer, everything else less */
const RETRY_AFTER_SECONDS = 10;

const preferSchema = z
  .string()
  .describe("`respond-async`: respond at once with 202; `wait=N`: respond within N seconds. RFC 7240");

/** `GET /api/cluster/databases`: a company's databases. `POST`: a new one. */
export const { loader, action, contract } = apiRoute("api", "/api/cluster/databases", {
  GET: endpoint({
    operationId: "listDatabases",
    summary: "List a company's databases, newest first",
    auth: bearerToken,
    query: listClusterDatabasesSchema,
    responses: { 200: listedDatabasesSchema },
    errors: ["company_not_found"],
    handle: ({ query, app }) => listClusterDatabases(app.database, query),
  }),
  POST: endpoint({
    operationId: "createDatabase",
    summary: "Create a database, or finish one that was left half made",
    auth: bearerToken,
    headers: z.object({ Prefer: preferSchema.optional() }),
    body: createClusterDatabaseSchema,
    budgetMs: CREATION_TIMEOUT_MS,
    responses: { 201: createdDatabaseSchema, 202: createdDatabaseSchema },
    errors: ["company_not_found", "name_taken", "settings_differ", "provider_failed"],
    handle: async ({ body, headers, app: { database, dataApi, env }, context }) => {
      const { clusters } = env;
      if (prefersAsync(headers.Prefer)) {
        const { isDone, created } = await requestCreation(body, { database, clusters });
        return new Reply<CreatedDatabase>(isDone ? 201 : 202, created, {
          "Preference-Applied": "respond-async",
        });
      }
      const creating = createClusterDatabase(body, { database, dataApi, clusters, context });
      const seconds = preferredWait(headers.Prefer);
      return seconds === undefined ? creating : respondWithin(seconds, creating, context.requestId);
    },
  }),
});

/** The response for `creating`, or an error after `seconds`. Creation then continues until its own limits end it. */
async function respondWithin<Created>(
  seconds: number,
  creating: Promise<Created>,
  requestId: string,
): Promise<Reply<Created>> {
  const headers = { "Preference-Applied": `wait=${seconds}` };
  const stillCreating = () => {
    creating.catch((thrown: unknown) => {
      logError("A database was not created, and its caller no longer waited.", { thrown, requestId });
    });
    return new AppError(
      "unavailable",
      "The database is still being created. Send the same request again to get the result.",
      {
        headers,
        logDetail: `the caller wanted to wait for ${seconds} s only`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  };
  // A timer cannot be longer than 24 days.
  const limitMs = Math.min(seconds * 1000, CREATION_TIMEOUT_MS);
  return new Reply(201, await withinLimit(limitMs, creating, stillCreating), headers);
}
