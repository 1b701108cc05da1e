import { apiRoute, endpoint } from "../http/api-route.server";

/** `GET /healthz`: the process is up. */
export const { loader, action } = apiRoute("both", {
  GET: endpoint({
    isLimited: false,
    handle: () => ({ status: "ok" }),
  }),
});
