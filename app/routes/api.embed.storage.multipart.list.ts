import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { listParts } from "../services/files/multipart.server";
import {
  storedPartsSchema,
  storeErrors,
  uploadErrors,
  uploadSchema,
} from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/multipart/list` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/multipart/list", {
  POST: endpoint({
    summary: "List the parts that have arrived",
    auth: embedToken(files),
    body: uploadSchema,
    responses: { 200: storedPartsSchema },
    errors: [...uploadErrors, ...storeErrors],
    handle: ({ body, caller, tools }) => explainFailure(listParts(body, caller, tools), tools.production),
  }),
});
