import { z } from "zod";
import {
  CREDENTIAL_TIMEOUT_MS,
  issuedCredentialSchema,
  rotateCredential,
} from "../databases/credentials/database-credentials.server";
import {
  credentialErrors,
  credentialHeaders,
  keyedCredential,
} from "../databases/credentials/record-login.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/cluster/databases/<resourceId>/credentials/<user>/rotate`: a new login in place of this one, which works for another hour. */
export const { loader, action, contract } = apiRoute(
  "api",
  "/api/cluster/databases/:resourceId/credentials/:user/rotate",
  {
    POST: endpoint({
      operationId: "rotateDatabaseCredential",
      summary: "Replace a login by a new one; the old one works for another hour",
      auth: bearerToken,
      params: z.object({ resourceId: z.string(), user: z.string() }),
      headers: credentialHeaders,
      budgetMs: CREDENTIAL_TIMEOUT_MS,
      responses: { 201: issuedCredentialSchema },
      errors: credentialErrors,
      handle: ({ params: { resourceId, user }, headers, caller, app: { database, dataApi, env }, context }) =>
        rotateCredential(resourceId, user, {
          database,
          dataApi,
          clusters: env.clusters,
          context,
          keyed: keyedCredential(caller, headers["Idempotency-Key"], env.embedSigningSecrets),
        }),
    }),
  },
);
