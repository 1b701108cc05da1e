import { MAX_LIGHT_LOOKUPS } from "platform-embed-element/client";
import { furtherRequestsOf } from "../http/rate-limits.server";
import { serviceRoute } from "../http/service-route.server";
import { presignDownloads } from "../services/files/downloads/presign-downloads.server";
import {
  presignDownloadsSchema,
  presignedDownloadsSchema,
} from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/presign-downloads", {
  operationId: "presignDownloads",
  summary: "Presign several downloads",
  body: presignDownloadsSchema,
  result: presignedDownloadsSchema,
  // A hundred keys of 1,024 bytes.
  maxBodyBytes: 256 * 1024,
  // For URLs that show files, the store is asked for the type of each, and for a required tag, for the tags of each.
  isHeavy: ({ keys, disposition }, { scope }) =>
    (disposition === "inline" || scope.requireTag !== undefined) && keys.length > MAX_LIGHT_LOOKUPS,
  // The event of each file is recorded, and sent by webhook.
  furtherRequests: ({ keys }) => furtherRequestsOf(keys.length, MAX_LIGHT_LOOKUPS),
  events: ({ keys }) => keys.length,
  handle: presignDownloads,
});
