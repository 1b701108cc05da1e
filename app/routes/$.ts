import { apiRoute } from "../http/api-route.server";
import { UNKNOWN_ROUTE } from "../http/route-table.server";

/** Every path that no other route matches. */
export const { loader, action, contract } = apiRoute("unknown", UNKNOWN_ROUTE, {});
