import { MAX_LIGHT_LOOKUPS } from "platform-embed-element/client";
import { serviceRoute } from "../http/service-route.server";
import { storeErrors } from "../services/files/place/contract/storage-contract.server";
import {
  confirmedUploadsSchema,
  confirmUploadsSchema,
} from "../services/files/place/contract/uploads-contract.server";
import { files } from "../services/files/service.server";
import { confirmUploads } from "../services/files/uploads/confirm-uploads.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/uploaded", {
  operationId: "confirmUploads",
  summary: "Record files that were uploaded by presigned URLs",
  body: confirmUploadsSchema,
  result: confirmedUploadsSchema,
  // A hundred keys of 1,024 bytes.
  maxBodyBytes: 256 * 1024,
  isHeavy: ({ keys = [], receipts = [] }) => keys.length + receipts.length > MAX_LIGHT_LOOKUPS,
  errors: ["upload_not_found", ...storeErrors],
  handle: confirmUploads,
});
