import { UNKNOWN } from "../http/addresses.server";
import { apiRoute } from "../http/api-route.server";

/** `/`: nothing is at either base URL itself. */
export const { loader, action, contract } = apiRoute("nowhere", UNKNOWN, {});
