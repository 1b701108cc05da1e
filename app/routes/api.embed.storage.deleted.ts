import { serviceRoute } from "../http/service-route.server";
import { listDeleted } from "../services/files/history/list-deleted.server";
import {
  deletedFileListSchema,
  deletedFilesSchema,
} from "../services/files/place/contract/history-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/deleted", {
  operationId: "listDeletedFiles",
  summary: "List what was deleted below a folder",
  body: deletedFilesSchema,
  result: deletedFileListSchema,
  isHeavy: () => true,
  errors: storeErrors,
  handle: listDeleted,
});
