import { UNKNOWN } from "../http/addresses.server";
import { apiRoute } from "../http/api-route.server";

/** Every address that no other route has. */
export const { loader, action, contract } = apiRoute("nowhere", UNKNOWN, {});
