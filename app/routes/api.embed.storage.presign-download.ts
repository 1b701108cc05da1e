import { apiRoute } from "../http/api-route.server";
import { embedToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { presignDownload } from "../services/files/presign.server";
import { files } from "../services/files/service.server";
import {
  chooseDownloadSchema,
  downloadByFolderSchema,
  downloadByKeySchema,
  presignedDownloadSchema,
} from "../services/files/storage-contract.server";

/** `POST /api/embed/storage/presign-download`: a URL that one file can be fetched from. */
export const { loader, action, contract } = apiRoute("platform", "/api/embed/storage/presign-download", {
  POST: endpoint({
    summary: "Presign one download",
    auth: embedToken(files),
    body: { options: () => [downloadByKeySchema, downloadByFolderSchema], choose: chooseDownloadSchema },
    responses: { 200: presignedDownloadSchema },
    handle: ({ body, caller, tools }) => presignDownload(body, caller, tools),
  }),
});
