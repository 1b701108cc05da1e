import { serviceRoute } from "../http/service-route.server";
import { listVersions } from "../services/files/history/list-versions.server";
import { versionListSchema, versionsSchema } from "../services/files/place/contract/history-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/versions", {
  operationId: "listVersions",
  summary: "List the versions of a file",
  body: versionsSchema,
  result: versionListSchema,
  errors: storeErrors,
  handle: listVersions,
});
