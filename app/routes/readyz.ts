import { apiRoute, endpoint } from "../http/api-route.server";

/** `GET /readyz`: the database answers. 503 while it does not, so that a load balancer looks elsewhere. */
export const { loader, action } = apiRoute("both", {
  GET: endpoint({
    handle: async ({ services: { database } }) => {
      await database.$queryRaw`SELECT 1`;
      return { status: "ready" };
    },
  }),
});
