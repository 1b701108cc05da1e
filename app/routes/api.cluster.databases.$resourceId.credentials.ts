import { z } from "zod";
import {
  CREDENTIAL_TIMEOUT_MS,
  createCredential,
  credentialSchema,
  issuedCredentialSchema,
  listCredentials,
  newCredentialSchema,
} from "../databases/credentials/database-credentials.server";
import {
  credentialErrors,
  credentialHeaders,
  keyedCredential,
} from "../databases/credentials/record-login.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

const params = z.object({ resourceId: z.string() });

/** `GET /api/cluster/databases/<resourceId>/credentials`: a database's logins. `POST`: a new one. */
export const { loader, action, contract } = apiRoute(
  "api",
  "/api/cluster/databases/:resourceId/credentials",
  {
    GET: endpoint({
      operationId: "listDatabaseCredentials",
      summary: "List a database's credentials, newest first, without passwords",
      auth: bearerToken,
      params,
      responses: { 200: z.object({ credentials: z.array(credentialSchema) }) },
      errors: ["resource_not_found"],
      handle: ({ params, app }) => listCredentials(params.resourceId, app),
    }),
    POST: endpoint({
      operationId: "createDatabaseCredential",
      summary: "Make a login for this database alone",
      auth: bearerToken,
      params,
      body: newCredentialSchema,
      headers: credentialHeaders,
      budgetMs: CREDENTIAL_TIMEOUT_MS,
      responses: { 201: issuedCredentialSchema },
      errors: credentialErrors,
      handle: ({ params, body, headers, caller, app: { database, dataApi, env }, context }) =>
        createCredential(params.resourceId, body, {
          database,
          dataApi,
          clusters: env.clusters,
          context,
          keyed: keyedCredential(caller, headers["Idempotency-Key"], env.embedSigningSecrets),
        }),
    }),
  },
);
