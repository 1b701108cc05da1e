import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";
import { presignDownload } from "../services/files/presign.server";
import { presignDownloadSchema } from "../services/files/storage-requests.server";

/** `POST /api/embed/storage/presign-download`: a URL that one file can be fetched from. */
export const { loader, action } = apiRoute("platform", {
  POST: endpoint({
    body: presignDownloadSchema,
    handle: ({ body, services }) => presignDownload(body, services.objectStore, tokenSettings(services)),
  }),
});
