import { furtherRequestsOf } from "../http/rate-limits.server";
import { serviceRoute } from "../http/service-route.server";
import { DEFAULT_PAGE_SIZE, storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  createUploadSchema,
  foundUploadSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { findMultipartUpload, partsOfFile } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/find", {
  operationId: "findMultipartUpload",
  summary: "Find an unfinished multipart upload",
  body: createUploadSchema,
  result: foundUploadSchema,
  errors: ["too_large", "type_not_allowed", ...storeErrors],
  // Reading a page of parts costs as much as a page of a folder.
  furtherRequests: (file) => furtherRequestsOf(partsOfFile(file), DEFAULT_PAGE_SIZE),
  handle: findMultipartUpload,
});
