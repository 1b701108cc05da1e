import { apiRoute } from "../http/api-route.server";
import { UNKNOWN_ROUTE } from "../http/route-table.server";

/** `/`: nothing is at either base URL itself. */
export const { loader, action, contract } = apiRoute("unknown", UNKNOWN_ROUTE, {});
