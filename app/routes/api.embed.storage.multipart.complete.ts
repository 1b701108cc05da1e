import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { completeUpload } from "../services/files/multipart.server";
import {
  completedUploadSchema,
  completeUploadSchema,
  storeErrors,
  uploadErrors,
} from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** milliseconds: a store may take most of a minute to put thousands of parts together */
const COMPLETING_MS = 55_000;

/** `POST /api/embed/storage/multipart/complete` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/multipart/complete", {
  POST: endpoint({
    summary: "Make the parts a file",
    auth: embedToken(files),
    body: completeUploadSchema,
    budgetMs: COMPLETING_MS,
    responses: { 200: completedUploadSchema },
    errors: [
      ...uploadErrors,
      "upload_incomplete",
      "upload_conflict",
      "checksum_mismatch",
      "name_taken",
      ...storeErrors,
    ],
    handle: ({ body, caller, tools }) =>
      explainFailure(completeUpload(body, caller, tools), tools.production),
  }),
});
