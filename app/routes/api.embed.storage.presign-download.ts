import { serviceRoute } from "../http/service-route.server";
import { presignDownload } from "../services/files/downloads/presign-downloads.server";
import {
  chooseDownloadSchema,
  downloadByFolderSchema,
  downloadByKeySchema,
  presignedDownloadSchema,
  storeErrors,
} from "../services/files/place/contract/storage-contract.server";
import { files } from "../services/files/service.server";

export const { loader, action, contract } = serviceRoute(files, "/api/embed/storage/presign-download", {
  operationId: "presignDownload",
  summary: "Presign one download",
  body: { options: () => [downloadByKeySchema, downloadByFolderSchema], choose: chooseDownloadSchema },
  result: presignedDownloadSchema,
  errors: ["being_checked", "blocked", "not_addressable", "not_found", ...storeErrors],
  events: () => 1,
  handle: presignDownload,
});
