import { z } from "zod";
import { apiRoute } from "../http/api-route.server";
import { endpoint, Reply } from "../http/endpoint.server";

/** `GET /healthz`: the process is up. */
export const { loader, action, contract } = apiRoute("both", "/healthz", {
  GET: endpoint({
    operationId: "checkHealth",
    summary: "The process is up",
    isLimited: false,
    responses: { 200: z.object({ status: z.literal("ok") }) },
    // Readable by any origin, so that `<platform-embed>` can tell the platform from a proxy that responds in its place.
    handle: () => new Reply(200, { status: "ok" as const }, { "Access-Control-Allow-Origin": "*" }),
  }),
});
