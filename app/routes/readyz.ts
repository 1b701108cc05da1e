import { z } from "zod";
import { AppError } from "../app-error";
import { apiRoute } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { isShuttingDown } from "../http/server-takeover.server";

/** milliseconds in which the database has to answer */
const LIMIT_MS = 1_500;

/** `GET /readyz`: the database answers. 503 while it does not, or not soon, so that a load balancer looks elsewhere. */
export const { loader, action, contract } = apiRoute("both", "/readyz", {
  GET: endpoint({
    summary: "The database answers",
    isLimited: false,
    responses: { 200: z.object({ status: z.literal("ready") }) },
    errors: ["unavailable"],
    handle: async ({ app: { database } }) => {
      if (isShuttingDown()) {
        throw new AppError("unavailable", "This process is about to stop.", { retryAfterSeconds: 1 });
      }
      await database.$ping(LIMIT_MS);
      return { status: "ready" as const };
    },
  }),
});
