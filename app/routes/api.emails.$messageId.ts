import { z } from "zod";
import { emailStatusSchema, findEmail } from "../events/find-email.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `GET /api/emails/<messageId>`: what became of one e-mail. */
export const { loader, action, contract } = apiRoute("api", "/api/emails/:messageId", {
  GET: endpoint({
    operationId: "getEmail",
    summary: "Get what became of an e-mail, by the message id that sending returned",
    auth: bearerToken,
    // PostgreSQL stores no null characters.
    params: z.object({
      messageId: z
        .string()
        .max(500)
        .regex(/^[^\0]+$/, "must not contain a null character"),
    }),
    responses: { 200: emailStatusSchema },
    errors: ["not_found"],
    handle: ({ params: { messageId }, app: { database } }) => findEmail(database, messageId),
  }),
});
