import { serviceRoute } from "../http/service-route.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";
import { listUploadParts } from "../services/files/uploads/multipart-uploads.server";
import {
  storedPartsSchema,
  uploadErrors,
  uploadHandleSchema,
} from "../services/files/uploads/uploads-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/list", {
  operationId: "listUploadParts",
  summary: "List the parts that have arrived",
  body: uploadHandleSchema,
  result: storedPartsSchema,
  errors: [...uploadErrors, ...storeErrors],
  handle: listUploadParts,
});
