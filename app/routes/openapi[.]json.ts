import { apiRoute, endpoint } from "../http/api-route.server";
import { describeApi } from "../http/openapi.server";

/** `GET /openapi.json`: what can be asked of this deployment. */
export const { loader, action } = apiRoute("api", {
  GET: endpoint({ handle: ({ services: { env } }) => describeApi(env) }),
});
