import { serviceRoute } from "../http/service-route.server";
import { createFolder } from "../services/files/changes/create-folder.server";
import {
  createdFolderSchema,
  createFolderSchema,
  storeErrors,
} from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/create-folder", {
  operationId: "createFolder",
  summary: "Create an empty folder",
  body: createFolderSchema,
  result: createdFolderSchema,
  errors: ["upload_conflict", ...storeErrors],
  events: () => 1,
  handle: createFolder,
});
