import { z } from "zod";
import { MAX_SIMPLE_EMAIL_BYTES, renderSimpleEmail, simpleEmailSchema } from "../email/simple-email.server";
import { apiRoute } from "../http/api-route.server";
import { bearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";

/** `POST /api/preview-simple-email`: what the same body would send. */
export const { loader, action, contract } = apiRoute("api", "/api/preview-simple-email", {
  POST: endpoint({
    operationId: "previewSimpleEmail",
    summary: "See the e-mail that the same body would send; nothing is sent",
    auth: bearerToken,
    body: simpleEmailSchema,
    maxBodyBytes: MAX_SIMPLE_EMAIL_BYTES,
    responses: { 200: z.object({ subject: z.string(), html: z.string(), text: z.string() }) },
    handle: ({ body, app: { env, markdown }, context }) =>
      renderSimpleEmail(body, env.sender, (task) => markdown.render(task, context)),
  }),
});
