import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { createUpload } from "../services/files/multipart.server";
import {
  createdUploadSchema,
  createUploadSchema,
  storeErrors,
} from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/multipart/create` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/multipart/create", {
  POST: endpoint({
    summary: "Begin an upload in parts",
    auth: embedToken(files),
    body: createUploadSchema,
    responses: { 200: createdUploadSchema },
    errors: ["too_large", "type_not_allowed", "name_taken", ...storeErrors],
    handle: ({ body, caller, tools }) => explainFailure(createUpload(body, caller, tools), tools.production),
  }),
});
