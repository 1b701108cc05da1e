import { serviceRoute } from "../http/service-route.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  createdUploadSchema,
  createUploadSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { createMultipartUpload } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/create", {
  operationId: "createMultipartUpload",
  summary: "Begin a multipart upload",
  body: createUploadSchema,
  result: createdUploadSchema,
  errors: ["too_large", "type_not_allowed", "quota_exceeded", "name_taken", ...storeErrors],
  events: () => 1,
  handle: createMultipartUpload,
});
