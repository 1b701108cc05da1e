import { serviceRoute } from "../http/service-route.server";
import { files } from "../services/files/service.server";
import { storeErrors } from "../services/files/storage-contract.server";
import { abortMultipartUpload } from "../services/files/uploads/multipart-uploads.server";
import {
  abortedUploadSchema,
  uploadErrors,
  uploadHandleSchema,
} from "../services/files/uploads/uploads-contract.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/abort", {
  operationId: "abortMultipartUpload",
  summary: "Discard an upload",
  body: uploadHandleSchema,
  result: abortedUploadSchema,
  errors: [...uploadErrors, ...storeErrors],
  handle: abortMultipartUpload,
});
