import type { ServiceTools } from "../../../app/embed/service";
import type { RouteApp } from "../app/route-app";

/** What a request gets that is made now, to call the code of an endpoint with other limits than its own. */
export function serviceTools(app: RouteApp): ServiceTools {
  const { production, platformBaseUrl, embedSigningSecrets: signingSecrets } = app.env;
  const deadline = performance.now() + 20_000;
  return {
    events: app.events,
    claims: app.claims,
    catalogues: app.catalogues,
    quotas: app.quotas,
    database: app.database,
    objectStore: app.objectStore,
    context: { requestId: "tests", route: "/", callerAddress: "::1", deadline },
    nowSeconds: app.now(),
    production,
    platformBaseUrl,
    signingSecrets,
  };
}
