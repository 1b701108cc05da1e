import { furtherRequestsOf } from "../http/rate-limits.server";
import { serviceRoute } from "../http/service-route.server";
import { listFolder } from "../services/files/browse/list-folder.server";
import { listFolderInOrder } from "../services/files/browse/list-folder-in-order.server";
import { listFolderAt } from "../services/files/history/list-folder-at.server";
import {
  DEFAULT_PAGE_SIZE,
  listingSchema,
  listSchema,
  storeErrors,
} from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/list", {
  operationId: "listFolder",
  summary: "List one page of a folder",
  body: listSchema,
  result: listingSchema,
  // Parsing a page and writing the response take up to 12 ms for a thousand entries.
  furtherRequests: ({ pageSize }) => furtherRequestsOf(pageSize, DEFAULT_PAGE_SIZE),
  isHeavy: ({ at, order }) => at !== undefined || order !== undefined,
  errors: storeErrors,
  handle: ({ at, order, ...body }, grant, tools) => {
    if (at !== undefined) return listFolderAt({ ...body, at }, grant, tools);
    return order === undefined
      ? listFolder(body, grant, tools)
      : listFolderInOrder({ ...body, order }, grant, tools);
  },
});
