import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import {
  CHANGING_MS,
  copiedSchema,
  copySchema,
  MAX_CHANGE_BODY,
} from "../services/files/changes/changes-contract.server";
import { copyItems } from "../services/files/changes/copy-items.server";
import { explainFailure } from "../services/files/explain-failure.server";
import { storeErrors } from "../services/files/multipart-contract.server";
import { files } from "../services/files/service.server";

/** Copying and moving take the same, and return the same. */
export const copying = (summary: string, { isMove }: { isMove: boolean }) =>
  endpoint({
    summary,
    auth: embedToken(files),
    body: copySchema,
    maxBodyBytes: MAX_CHANGE_BODY,
    budgetMs: CHANGING_MS,
    isHeavy: true,
    responses: { 200: copiedSchema },
    errors: ["type_not_allowed", ...storeErrors],
    handle: ({ body, caller, tools }) =>
      explainFailure(copyItems(body, caller, tools, { isMove }), tools.production),
  });

/** `POST /api/embed/storage/copy` */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/copy", {
  POST: copying("Copy files and folders into a folder", { isMove: false }),
});
