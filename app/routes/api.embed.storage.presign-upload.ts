import { serviceRoute } from "../http/service-route.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  presignedUploadSchema,
  presignUploadSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { presignUpload } from "../services/files/uploads/presign-upload.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/presign-upload", {
  operationId: "presignUpload",
  summary: "Presign one upload",
  body: presignUploadSchema,
  result: presignedUploadSchema,
  errors: [
    "too_large",
    "type_not_allowed",
    "quota_exceeded",
    "name_taken",
    "upload_not_found",
    ...storeErrors,
  ],
  events: () => 1,
  handle: presignUpload,
});
