import { furtherRequestsOf } from "../http/rate-limits.server";
import { serviceRoute } from "../http/service-route.server";
import { DEFAULT_PAGE_SIZE, storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  completedUploadSchema,
  completeUploadSchema,
  uploadErrors,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { completeMultipartUpload, partsOfUpload } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/complete", {
  operationId: "completeMultipartUpload",
  summary: "Assemble the parts into a file",
  body: completeUploadSchema,
  result: completedUploadSchema,
  // A store may take most of a minute to assemble thousands of parts.
  budgetMs: 55_000,
  errors: [
    ...uploadErrors,
    "quota_exceeded",
    "upload_incomplete",
    "upload_conflict",
    "checksum_mismatch",
    "name_taken",
    ...storeErrors,
  ],
  // Reading a page of parts costs as much as a page of a folder.
  furtherRequests: (...request) => furtherRequestsOf(partsOfUpload(...request), DEFAULT_PAGE_SIZE),
  handle: completeMultipartUpload,
});
