import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { searchResultSchema, searchSchema } from "../services/files/search/search-contract.server";
import { searchFiles } from "../services/files/search/search-files.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/search` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/search", {
  POST: endpoint({
    summary: "Find files and folders below a folder by their names",
    auth: embedToken(files),
    body: searchSchema,
    isHeavy: true,
    responses: { 200: searchResultSchema },
    errors: ["bucket_not_found", "provider_failed", "unavailable"],
    handle: ({ body, caller, tools }) => explainFailure(searchFiles(body, caller, tools), tools.production),
  }),
});
