import { serviceRoute } from "../http/service-route.server";
import { searchResultSchema, searchSchema } from "../services/files/place/contract/search-contract.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import { searchFiles } from "../services/files/search/search-files.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/search", {
  operationId: "searchFiles",
  summary: "Find files and folders below a folder by their names",
  body: searchSchema,
  result: searchResultSchema,
  isHeavy: () => true,
  errors: storeErrors,
  handle: searchFiles,
});
