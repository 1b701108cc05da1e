import { presignDownload } from "../files/presign.server";
import { presignDownloadSchema } from "../files/storage-requests.server";
import { apiRoute, endpoint } from "../http/api-route.server";
import { tokenSettings } from "../http/token-settings.server";

/** `POST /api/embed/storage/presign-download`: a URL that one file can be fetched from. */
export const { loader, action } = apiRoute("platform", {
  POST: endpoint({
    body: presignDownloadSchema,
    handle: ({ body, services }) => presignDownload(body, services.objectStore, tokenSettings(services)),
  }),
});
