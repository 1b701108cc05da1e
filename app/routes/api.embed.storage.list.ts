import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { listFolder } from "../services/files/list-folder.server";
import { files } from "../services/files/service.server";
import { listingSchema, listSchema } from "../services/files/storage-contract.server";

/** `POST /api/embed/storage/list`: one page of a folder. */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/list", {
  POST: endpoint({
    summary: "List one page of a folder",
    auth: embedToken(files),
    body: listSchema,
    responses: { 200: listingSchema },
    errors: ["bucket_not_found", "provider_failed", "unavailable"],
    handle: ({ body, caller, tools }) => explainFailure(listFolder(body, caller, tools), tools.production),
  }),
});
