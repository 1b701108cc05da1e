import { serviceRoute } from "../http/service-route.server";
import { readFolderSizes } from "../services/files/browse/read-folder-sizes.server";
import {
  folderSizesSchema,
  readFolderSizesSchema,
} from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/sizes", {
  operationId: "readFolderSizes",
  summary: "Tell how many files are in folders, and how large they are together",
  body: readFolderSizesSchema,
  result: folderSizesSchema,
  // It may keep the database busy for as long as several lists do.
  furtherRequests: () => 4,
  isHeavy: ({ thorough }) => thorough,
  errors: [],
  handle: readFolderSizes,
});
