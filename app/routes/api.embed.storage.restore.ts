import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import {
  CHANGING_MS,
  MAX_RESTORE_BODY,
  restoredSchema,
  restoreSchema,
} from "../services/files/changes/changes-contract.server";
import { restoreItems } from "../services/files/changes/restore-items.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { storeErrors } from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** `POST /api/embed/storage/restore` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/restore", {
  POST: endpoint({
    summary: "Undo a deletion",
    auth: embedToken(files),
    body: restoreSchema,
    maxBodyBytes: MAX_RESTORE_BODY,
    budgetMs: CHANGING_MS,
    isHeavy: true,
    responses: { 200: restoredSchema },
    errors: [...storeErrors],
    handle: ({ body, caller, tools }) => explainFailure(restoreItems(body, caller, tools), tools.production),
  }),
});
