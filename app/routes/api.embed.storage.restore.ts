import { serviceRoute } from "../http/service-route.server";
import {
  CHANGE_BUDGET_MS,
  MAX_RESTORE_BODY_BYTES,
  restoredSchema,
  restoreSchema,
} from "../services/files/changes/changes-contract.server";
import { restoreItems } from "../services/files/changes/restore-items.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/restore", {
  operationId: "restoreItems",
  summary: "Undo a deletion",
  body: restoreSchema,
  result: restoredSchema,
  maxBodyBytes: MAX_RESTORE_BODY_BYTES,
  budgetMs: CHANGE_BUDGET_MS,
  isHeavy: true,
  errors: storeErrors,
  handle: restoreItems,
});
