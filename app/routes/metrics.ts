import { apiRoute, endpoint, notFound } from "../http/api-route.server";
import { requireBearerToken } from "../http/bearer-auth.server";
import { currentMetrics } from "../telemetry/metrics.server";

/** `GET /metrics`: what is measured, for Prometheus, with `METRICS_TOKEN` as the bearer token. Without that there is nothing here. */
export const { loader, action } = apiRoute("both", {
  GET: endpoint({
    isLimited: false,
    auth: (request, { env }) => {
      if (env.metricsToken === undefined) throw notFound();
      requireBearerToken(request, { env: { apiBearerTokens: [env.metricsToken] } });
    },
    handle: async () => {
      const metrics = currentMetrics();
      if (metrics === undefined) throw notFound();
      return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType } });
    },
  }),
});
