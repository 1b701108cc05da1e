import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { abortUpload } from "../services/files/multipart.server";
import {
  abortedUploadSchema,
  storeErrors,
  uploadErrors,
  uploadSchema,
} from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/multipart/abort` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/multipart/abort", {
  POST: endpoint({
    summary: "Discard an upload",
    auth: embedToken(files),
    body: uploadSchema,
    responses: { 200: abortedUploadSchema },
    errors: [...uploadErrors, ...storeErrors],
    handle: ({ body, caller, tools }) => explainFailure(abortUpload(body, caller, tools), tools.production),
  }),
});
