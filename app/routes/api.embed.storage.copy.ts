import { serviceRoute } from "../http/service-route.server";
import {
  CHANGE_BUDGET_MS,
  copiedSchema,
  copySchema,
  MAX_CHANGE_BODY_BYTES,
} from "../services/files/changes/changes-contract.server";
import { copyItems } from "../services/files/changes/copy-items.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/copy", {
  summary: "Copy files and folders into a folder",
  body: copySchema,
  result: copiedSchema,
  maxBodyBytes: MAX_CHANGE_BODY_BYTES,
  budgetMs: CHANGE_BUDGET_MS,
  isHeavy: true,
  errors: ["type_not_allowed", ...storeErrors],
  handle: (body, grant, tools) => copyItems(body, grant, tools, { isMove: false }),
});
