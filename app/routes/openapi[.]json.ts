import { z } from "zod";
import { apiRoute, contracts } from "../http/api-route.server";
import { endpoint } from "../http/endpoint.server";
import { describeApi } from "../http/openapi.server";

/** `GET /openapi.json`: the description of all endpoints under `/api/` that respond with JSON. */
export const { loader, action, contract } = apiRoute("api", "/openapi.json", {
  GET: endpoint({
    operationId: "describeApi",
    summary: "This description",
    responses: { 200: z.looseObject({ openapi: z.string() }) },
    handle: ({ app }) => describeApi(contracts, app),
  }),
});
