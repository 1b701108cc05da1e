import type { ServiceTools } from "../embed/service";
import type { RequestContext } from "../request-context.server";
import type { AppContext } from "./app-context.server";

/** What an embedded service works with while it answers the request of `context`. */
export function toolsOf({ objectStore, env, now }: AppContext, context: RequestContext): ServiceTools {
  return { objectStore, request: context, nowSeconds: now(), production: env.production };
}
