import { AppError } from "../app-error";
import { apiRoute, endpoint } from "../http/api-route.server";
import { isShuttingDown } from "../http/server-takeover.server";

/** milliseconds in which the database has to answer */
const LIMIT_MS = 1_500;

/** `GET /readyz`: the database answers. 503 while it does not, or not soon, so that a load balancer looks elsewhere. */
export const { loader, action } = apiRoute("both", {
  GET: endpoint({
    isLimited: false,
    handle: async ({ services: { database } }) => {
      if (isShuttingDown()) {
        throw new AppError("unavailable", "This process is about to stop.", { retryAfterSeconds: 1 });
      }
      await database.$ping(LIMIT_MS);
      return { status: "ready" };
    },
  }),
});
