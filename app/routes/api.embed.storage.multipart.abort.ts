import { serviceRoute } from "../http/service-route.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  abortedUploadSchema,
  uploadErrors,
  uploadHandleSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { abortMultipartUpload } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/abort", {
  operationId: "abortMultipartUpload",
  summary: "Discard an upload",
  body: uploadHandleSchema,
  result: abortedUploadSchema,
  errors: [...uploadErrors, ...storeErrors],
  handle: abortMultipartUpload,
});
