import { serviceRoute } from "../http/service-route.server";
import { readQuota } from "../services/files/browse/quota/read-quota.server";
import { quotaSchema, readQuotaSchema } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/quota", {
  operationId: "readQuota",
  summary: "Tell how much of its quota a token has used",
  body: readQuotaSchema,
  result: quotaSchema,
  // It may keep the database busy for as long as several lists do.
  furtherRequests: () => 4,
  errors: [],
  handle: readQuota,
});
