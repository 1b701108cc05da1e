import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { AppError } from "../shared/app-error";

/**
 * `GET /readyz`: whether a load balancer should send requests here. 503 while the database does not answer in time, and after SIGTERM.
 */
export const { loader, action, contract } = apiRoute("both", "/readyz", {
  GET: endpoint({
    operationId: "checkReadiness",
    summary: "The database answers",
    isLimited: false,
    responses: { 200: z.object({ status: z.literal("ready") }) },
    handle: async ({ app }) => {
      if (app.isStopping) {
        throw new AppError("unavailable", "This process is about to stop.", { retryAfterSeconds: 1 });
      }
      await app.database.$ping();
      return { status: "ready" as const };
    },
  }),
});
