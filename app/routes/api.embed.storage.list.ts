import { serviceRoute } from "../http/service-route.server";
import { listFolderAt } from "../services/files/history/list-folder-at.server";
import { listFolder } from "../services/files/list-folder.server";
import { files } from "../services/files/service.server";
import { listingSchema, listSchema, storeErrors } from "../services/files/storage-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/list", {
  operationId: "listFolder",
  summary: "List one page of a folder",
  body: listSchema,
  result: listingSchema,
  isHeavy: ({ at }) => at !== undefined,
  errors: storeErrors,
  handle: ({ at, ...body }, grant, tools) =>
    at === undefined ? listFolder(body, grant, tools) : listFolderAt({ ...body, at }, grant, tools),
});
