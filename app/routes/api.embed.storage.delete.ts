import { serviceRoute } from "../http/service-route.server";
import { deleteItems } from "../services/files/changes/delete-items.server";
import {
  CHANGE_BUDGET_MS,
  deletedSchema,
  deleteSchema,
  MAX_CHANGE_BODY_BYTES,
} from "../services/files/place/contract/changes-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/delete", {
  operationId: "deleteItems",
  summary: "Delete files and folders",
  body: deleteSchema,
  result: deletedSchema,
  maxBodyBytes: MAX_CHANGE_BODY_BYTES,
  budgetMs: CHANGE_BUDGET_MS,
  isHeavy: () => true,
  errors: ["upload_conflict", ...storeErrors],
  handle: deleteItems,
});
