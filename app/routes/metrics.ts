import { apiRoute } from "../http/api-route.server";
import { requireBearerToken } from "../http/auth.server";
import { type Auth, endpoint } from "../http/endpoint.server";
import { notFound } from "../http/failure.server";
import { currentMetrics } from "../telemetry/metrics.server";

const metricsToken: Auth<undefined> = {
  audience: "operators",
  by: "headers",
  schemes: ["bearerToken"],
  errors: ["invalid_bearer_token", "not_found"],
  identify(request, { env }) {
    if (env.metricsToken === undefined) throw notFound();
    return {
      caller: undefined,
      credential: requireBearerToken(request, [env.metricsToken], "METRICS_TOKEN"),
    };
  },
};

/** `GET /metrics`: the metrics, for Prometheus, with `METRICS_TOKEN` as the bearer token. A 404 where that is not set. */
export const { loader, action, contract } = apiRoute("both", "/metrics", {
  GET: endpoint({
    operationId: "getMetrics",
    summary: "What is measured, for Prometheus",
    isLimited: false,
    auth: metricsToken,
    handle: async () => {
      const metrics = currentMetrics();
      if (metrics === undefined) throw notFound();
      const headers = { "Content-Type": metrics.contentType, "Cache-Control": "no-store" };
      return new Response(await metrics.text(), { headers });
    },
  }),
});
