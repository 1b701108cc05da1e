import { sendSimpleEmail } from "../email/send-simple-email.server";
import { simpleEmailSchema } from "../email/simple-email.server";
import { apiRoute, endpoint } from "../http/api-route.server";
import { requireBearerToken } from "../http/bearer-auth.server";

/** Decisions, section 8. */
const statusWhen = { all: 200, some: 207, none: 502 };

/** `POST /api/send-simple-email`: a themed e-mail, one message to each recipient. */
export const { loader, action } = apiRoute("api", {
  POST: endpoint({
    auth: requireBearerToken,
    body: simpleEmailSchema,
    maxBodyBytes: 256 * 1024,
    handle: async ({ body, services: { env, mailer } }) => {
      const { sent, results } = await sendSimpleEmail(body, { mailer, sender: env.sender });
      return Response.json(
        {
          success: sent === "all",
          results,
          ...(sent === "none" ? { error: "No message was sent. See results.", code: "provider_failed" } : {}),
        },
        { status: statusWhen[sent] },
      );
    },
  }),
});
