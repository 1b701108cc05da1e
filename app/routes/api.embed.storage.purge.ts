import { serviceRoute } from "../http/service-route.server";
import { purgeVersions } from "../services/files/history/purge-versions.server";
import {
  CHANGE_BUDGET_MS,
  MAX_CHANGE_BODY_BYTES,
} from "../services/files/place/contract/changes-contract.server";
import { purgedSchema, purgeSchema } from "../services/files/place/contract/history-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/purge", {
  operationId: "purgeVersions",
  summary: "Permanently delete older versions",
  body: purgeSchema,
  result: purgedSchema,
  maxBodyBytes: MAX_CHANGE_BODY_BYTES,
  budgetMs: CHANGE_BUDGET_MS,
  isHeavy: () => true,
  errors: ["upload_conflict", ...storeErrors],
  handle: purgeVersions,
});
