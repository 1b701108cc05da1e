import { serviceRoute } from "../http/service-route.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  createUploadSchema,
  foundUploadSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { findMultipartUpload, furtherPagesOfFile } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/find", {
  operationId: "findMultipartUpload",
  summary: "Find an unfinished multipart upload",
  body: createUploadSchema,
  result: foundUploadSchema,
  errors: ["too_large", "type_not_allowed", ...storeErrors],
  furtherRequests: furtherPagesOfFile,
  handle: findMultipartUpload,
});
