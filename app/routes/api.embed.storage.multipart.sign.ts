import { MAX_LIGHT_LOOKUPS } from "platform-embed-element/client";
import { furtherRequestsOf } from "../http/rate-limits.server";
import { serviceRoute } from "../http/service-route.server";
import {
  signedPartsSchema,
  signPartsSchema,
  uploadErrors,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { signUploadParts } from "../services/files/uploads/multipart-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/multipart/sign", {
  operationId: "signUploadParts",
  summary: "Presign parts of an upload",
  body: signPartsSchema,
  result: signedPartsSchema,
  errors: uploadErrors,
  // Each URL is a signature.
  furtherRequests: ({ parts }) => furtherRequestsOf(parts.length, MAX_LIGHT_LOOKUPS),
  handle: signUploadParts,
});
