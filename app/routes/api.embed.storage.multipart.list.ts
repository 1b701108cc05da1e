import { furtherRequestsOf } from "../http/rate-limits.server";
import { serviceRoute } from "../http/service-route.server";
import { DEFAULT_PAGE_SIZE, storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  storedPartsSchema,
  uploadErrors,
  uploadHandleSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { listUploadParts, partsOfUpload } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/list", {
  operationId: "listUploadParts",
  summary: "List the parts that have arrived",
  body: uploadHandleSchema,
  result: storedPartsSchema,
  errors: [...uploadErrors, ...storeErrors],
  // Reading a page of parts costs as much as a page of a folder.
  furtherRequests: (...request) => furtherRequestsOf(partsOfUpload(...request), DEFAULT_PAGE_SIZE),
  handle: listUploadParts,
});
