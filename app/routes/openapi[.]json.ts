import { z } from "zod";
import { apiRoute, contracts } from "../http/api-route.server";
import type { AppContext } from "../http/app-context.server";
import { endpoint } from "../http/endpoint.server";
import { describeApi } from "../http/openapi.server";

/** Made once, because that takes a tenth of a second, in which the process does nothing else. */
const descriptions = new WeakMap<AppContext, ReturnType<typeof describeApi>>();

/** `GET /openapi.json`: the description of all endpoints under `/api/` that respond with JSON. */
export const { loader, action, contract } = apiRoute("api", "/openapi.json", {
  GET: endpoint({
    operationId: "describeApi",
    summary: "This description",
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    handle: ({ app }) => {
      const description = descriptions.get(app) ?? describeApi(contracts, app);
      descriptions.set(app, description);
      return description;
    },
  }),
});
