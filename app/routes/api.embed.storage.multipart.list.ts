import { serviceRoute } from "../http/service-route.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  storedPartsSchema,
  uploadErrors,
  uploadHandleSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { furtherPagesOfUpload, listUploadParts } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/list", {
  operationId: "listUploadParts",
  summary: "List the parts that have arrived",
  body: uploadHandleSchema,
  result: storedPartsSchema,
  errors: [...uploadErrors, ...storeErrors],
  furtherRequests: furtherPagesOfUpload,
  handle: listUploadParts,
});
