import { serviceRoute } from "../http/service-route.server";
import {
  listRecentSchema,
  recentFilesSchema,
  storeErrors,
} from "../services/files/place/contract/storage-contract.server";
import { listRecentFiles } from "../services/files/recent/list-recent-files.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/recent", {
  operationId: "listRecentFiles",
  summary: "List the files that were added last",
  body: listRecentSchema,
  result: recentFilesSchema,
  isHeavy: () => true,
  errors: storeErrors,
  handle: listRecentFiles,
});
