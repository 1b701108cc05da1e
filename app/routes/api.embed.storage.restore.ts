import { serviceRoute } from "../http/service-route.server";
import { undoChange } from "../services/files/changes/undo.server";
import { restoreVersions } from "../services/files/history/restore-versions.server";
import {
  CHANGE_BUDGET_MS,
  chooseRestoreSchema,
  MAX_CHANGE_BODY_BYTES,
  restoredSchema,
  undoSchema,
} from "../services/files/place/contract/changes-contract.server";
import { restoreVersionsSchema } from "../services/files/place/contract/history-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/restore", {
  operationId: "restoreItems",
  summary: "Undo a change, or make older versions the newest again",
  body: { options: () => [undoSchema, restoreVersionsSchema], choose: chooseRestoreSchema },
  result: restoredSchema,
  maxBodyBytes: MAX_CHANGE_BODY_BYTES,
  budgetMs: CHANGE_BUDGET_MS,
  isHeavy: () => true,
  errors: ["upload_conflict", ...storeErrors],
  handle: (body, grant, tools) =>
    "undo" in body ? undoChange(body, grant, tools) : restoreVersions(body, grant, tools),
});
