import { serviceRoute } from "../http/service-route.server";
import { versionListSchema, versionsSchema } from "../services/files/history/history-contract.server";
import { listVersions } from "../services/files/history/list-versions.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/versions", {
  operationId: "listVersions",
  summary: "List the versions of a file",
  body: versionsSchema,
  result: versionListSchema,
  errors: storeErrors,
  handle: listVersions,
});
