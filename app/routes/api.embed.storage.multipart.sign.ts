import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { signParts } from "../services/files/multipart.server";
import {
  signedPartsSchema,
  signPartsSchema,
  uploadErrors,
} from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/multipart/sign` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/multipart/sign", {
  POST: endpoint({
    summary: "Presign parts of an upload",
    auth: embedToken(files),
    body: signPartsSchema,
    responses: { 200: signedPartsSchema },
    errors: uploadErrors,
    handle: ({ body, caller, tools }) => explainFailure(signParts(body, caller, tools), tools.production),
  }),
});
