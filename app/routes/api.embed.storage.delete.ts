import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import {
  CHANGING_MS,
  deletedSchema,
  deleteSchema,
  MAX_CHANGE_BODY,
} from "../services/files/changes/changes-contract.server";
import { deleteItems } from "../services/files/changes/delete-items.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { storeErrors } from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/delete` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/delete", {
  POST: endpoint({
    summary: "Delete files and folders",
    auth: embedToken(files),
    body: deleteSchema,
    maxBodyBytes: MAX_CHANGE_BODY,
    budgetMs: CHANGING_MS,
    isHeavy: true,
    responses: { 200: deletedSchema },
    errors: [...storeErrors],
    handle: ({ body, caller, tools }) => explainFailure(deleteItems(body, caller, tools), tools.production),
  }),
});
