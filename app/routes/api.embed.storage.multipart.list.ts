import { serviceRoute } from "../http/service-route.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";
import { listParts } from "../services/files/uploads/multipart-endpoints.server";
import {
  storedPartsSchema,
  uploadErrors,
  uploadSchema,
} from "../services/files/uploads/uploads-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/list", {
  operationId: "listUploadParts",
  summary: "List the parts that have arrived",
  body: uploadSchema,
  result: storedPartsSchema,
  errors: [...uploadErrors, ...storeErrors],
  handle: listParts,
});
