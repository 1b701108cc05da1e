import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { createFolder } from "../services/files/create-folder.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { storeErrors } from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";
import { createdFolderSchema, createFolderSchema } from "../services/files/storage-contract.server";

/** `POST /api/embed/storage/create-folder` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/create-folder", {
  POST: endpoint({
    summary: "Make an empty folder",
    auth: embedToken(files),
    body: createFolderSchema,
    responses: { 200: createdFolderSchema },
    errors: ["upload_conflict", ...storeErrors],
    handle: ({ body, caller, tools }) => explainFailure(createFolder(body, caller, tools), tools.production),
  }),
});
