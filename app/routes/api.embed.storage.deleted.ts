import { serviceRoute } from "../http/service-route.server";
import { deletedFileListSchema, deletedFilesSchema } from "../services/files/history/history-contract.server";
import { listDeleted } from "../services/files/history/list-deleted.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/deleted", {
  operationId: "listDeletedFiles",
  summary: "List what was deleted below a folder",
  body: deletedFilesSchema,
  result: deletedFileListSchema,
  isHeavy: () => true,
  errors: storeErrors,
  handle: listDeleted,
});
